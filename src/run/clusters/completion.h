/*
 * Private to clusters/: the tree of one cluster in the making, to which files are added that belong
 * to no unit.
 */
#ifndef OSM_GEN_RUN_CLUSTERS_COMPLETION_H
#define OSM_GEN_RUN_CLUSTERS_COMPLETION_H

#include "run/inputs/inputs.h"
#include "run/job.h"
#include "run/output/output.h"
#include "run/rendered.h"

/* A folder of the output with a kustomization.yaml, which the applier is given. */
struct run_folder {
	enum artifact_side side;
	sv path;
	bool is_sealed; /* it has a sealed file */
	bool is_last;   /* it has MachineDeployments, which need the folder that it is in */
};
VEC_TYPE(run_folders, struct run_folder);

/* The file of a definition as it was put last, without a secret in it. */
struct run_text {
	sv source;
	struct value object;
	sv text;
	struct git_id id;
};

/* One cluster; the files of all its units are added already. */
struct run_completion {
	const struct run_env *env;
	const struct plan *plan;
	const struct previous *previous;
	struct run_writer *writer;
	struct run_rendered *rendered;
	sv out;            /* see struct run_job */
	bool without_seed; /* likewise */
	const struct plan_cluster *cluster;
	struct tree_file_list *files;   /* in the cluster's folder */
	struct tree_file_list delivery; /* outside of it: objects of the applier */
	struct run_folders folders;
	struct map *texts; /* struct run_text by the address of a definition: clusters share many */
};

/* Adds the file to the cluster's index. */
void run_add_file(struct run_completion *c, const struct tree_file *file);
/*
 * Puts the file of an artifact of the whole cluster; such artifacts are never sealed. `definition`
 * is what it is made of, if other clusters may have the same; else null.
 */
MUST_CHECK enum status run_add_artifact(struct run_completion *c, const struct artifact *artifact,
                                        sv source, const struct dialect_definition *definition);
/* Puts a file that holds no object of the cluster. `id` is that of its blob, or null if unknown. */
MUST_CHECK enum status run_put_text(struct run_completion *c, sv path, const struct buf *buf,
                                    const struct git_id *id);

/* ---- kustomizations.c ---------------------------------------------------------------------- */

/* Puts the kustomizations of a side, and adds its folders. */
MUST_CHECK enum status run_put_kustomizations(struct run_completion *c, enum artifact_side side);

/* Lists the folders of a side without their kustomizations. */
void run_list_folders(struct run_completion *c, enum artifact_side side);

/* ---- delivery.c ---------------------------------------------------------------------------- */

static inline bool run_is_self_managed(const struct fleet_cluster *cluster)
{
	return sv_eq(cluster->management_cluster, SV(FLEET_OWN_MANAGEMENT));
}

/* Returns true if the output has the Namespace, should objects of the management side need it. */
bool run_makes_namespace(const struct fleet_cluster *cluster, sv namespace);
/* Adds the Namespaces of the management side, if the settings ask for them. */
MUST_CHECK enum status run_add_namespaces(struct run_completion *c);
/*
 * Puts the applier's objects: one a folder for Flux, one a cluster for Argo CD. Without the seed
 * they are only compared.
 */
MUST_CHECK enum status run_put_delivery(struct run_completion *c);
/*
 * Puts the kustomizations that list the clusters of each management cluster. Call it after
 * run_put_delivery of all clusters.
 */
MUST_CHECK enum status run_put_delivery_lists(const struct run_env *env, const struct plan *plan,
                                              struct run_writer *writer,
                                              struct run_rendered *rendered);

/*
 * delivery_change.c: adds the fields of an object of the applier that differ from those of the
 * previous output to run_rendered.delivery. Without the seed those are left out that depend on what
 * is sealed.
 */
MUST_CHECK enum status run_compare_delivery(struct run_completion *c, const struct value *object);

/* ---- index.c ------------------------------------------------------------------------------- */

/*
 * Puts index.json. All other files of the cluster, and of its delivery, are put already.
 *
 * An input may change without changing any file, such as the number of replicas. This changes the
 * proof of a unit (proofs/proofs.h), and would make a commit with nothing but that. So if no file
 * of the units has changed and index.json would be the previous one but for its proofs, these stay
 * as they are. Such a unit is rendered each time, until something else of the cluster changes: then
 * all proofs are new.
 */
MUST_CHECK enum status run_put_index(struct run_completion *c);

/* ---- prune.c ------------------------------------------------------------------------------- */

/*
 * Removes what an earlier run wrote and this one did not. Without a seed it leaves files that were
 * not compared. Fails (DIAG_OUTPUT_STRANGER) if a file that osm-gen did not write has the path of
 * one that it writes.
 */
MUST_CHECK enum status run_remove_old(const struct run_env *env, const struct run_inputs *inputs,
                                      const struct run_job *job, struct run_writer *writer,
                                      const struct run_rendered *rendered);

#endif
