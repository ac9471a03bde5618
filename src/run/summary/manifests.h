/*
 * Private to summary/: the manifests of a run and those of the commit that its output was made
 * from, and what is found out with them.
 */
#ifndef OSM_GEN_RUN_SUMMARY_MANIFESTS_H
#define OSM_GEN_RUN_SUMMARY_MANIFESTS_H

#include "report/report.h"
#include "run/env.h"
#include "run/facts.h"

/* The objects of one manifest. */
struct run_manifest {
	bool exists;
	struct map objects; /* struct kube_object * by run_object_key */
};

struct run_manifests {
	struct arena *arena; /* a secret one: values of manifests may be secret */
	const struct run_facts *facts;
	struct map files;   /* const struct git_file * of the source, by path */
	struct map now;     /* struct run_manifest * of the source, by path */
	struct map before;  /* the same of the commit that the output was made from */
	struct map same;    /* bool * by path: see run_manifest_is_same */
	struct git_id base; /* the tree of that commit */
	bool has_base;      /* false in a shallow clone, and before the first output */
};
/* The run must have a repository. */
struct run_manifests run_manifests_in(const struct run_env *env, const struct run_facts *facts);

/* Each is read once. Returns a manifest that does not exist if the file cannot be read. */
const struct run_manifest *run_manifest_now(struct run_manifests *m, sv path);
const struct run_manifest *run_manifest_before(struct run_manifests *m, sv path);
/*
 * Returns true if the commit that the output was made from has the file with the same bytes. A file
 * is compared once, however many units it has.
 */
bool run_manifest_is_same(struct run_manifests *m, sv path);

/* Returns the key of an object, or with an empty kind that of the first object of any kind. */
sv run_object_key(struct arena *arena, sv kind, sv namespace, sv name);
/* Returns the unit's object: one of its kind, or else the first of another kind, or null. */
const struct kube_object *run_find_object(struct arena *arena, const struct run_manifest *manifest,
                                          const struct report_unit *row);

/* ---- removed.c ----------------------------------------------------------------------------- */

/*
 * Sets source, reason, replicas and place of the removed units of the summary, which must have all
 * of its units. Facts that cannot be found, as in a shallow clone, stay unset.
 */
void run_explain_removed(const struct run_env *env, const struct run_facts *facts,
                         struct run_manifests *manifests, struct report_summary *summary);

/* ---- compared.c ---------------------------------------------------------------------------- */

/*
 * Sets the fields of the summary's units that differ in the inputs, and the change of replicas in
 * manifests of units that the output does not have. `places` has the row of each unit of the plan,
 * SIZE_MAX if it has none. Sets none of them in a shallow clone.
 */
void run_compare_inputs(const struct run_env *env, const struct run_facts *facts,
                        struct run_manifests *manifests, const size_t *places,
                        struct report_summary *summary);

#endif
