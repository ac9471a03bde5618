/*
 * The only way into the output tree: describes files, seals them, scans them for leaks and puts
 * them.
 */
#ifndef OSM_GEN_RUN_WRITER_H
#define OSM_GEN_RUN_WRITER_H

#include "git/git.h"
#include "os/os.h"
#include "plan/plan.h"
#include "run/contents.h"
#include "run/inputs.h"
#include "secrecy/secrecy.h"
#include "tree/tree.h"

#define RUN_MAX_OUTPUT_BYTES ((size_t)64 * 1024 * 1024)

struct run_writer {
	enum git_output_mode mode; /* as the request asks; an output outside is always a folder */
	bool has_no_output;        /* RUN_VALIDATE */
	sv branch;                 /* that has the output; empty for the one of HEAD */
	sv blobs; /* the file that takes new contents for another run; empty for none */
	struct quota *bytes;
	struct git_output *output;     /* null until run_begin_output, and with has_no_output */
	struct arena **results;        /* plain arenas, one a thread */
	struct run_contents *contents; /* RUN_DIFF: those of changed files; else null */
};

/* Begins the output. Does nothing if it has begun, or if the run has none. */
MUST_CHECK enum status run_begin_output(const struct run_env *env, const struct run_inputs *inputs,
                                        struct run_writer *writer);
/* Returns true if the run commits its changes. */
bool run_makes_commit(const struct run_writer *writer, const struct run_inputs *inputs);
/*
 * Puts a file. Fails if it holds a secret in the clear; the scanner is the plan's, or one that
 * a job extends. `worker` is the number of the calling thread; `place` is for the diagnostic.
 */
MUST_CHECK enum status run_put(struct sink *sink, struct run_writer *writer, unsigned worker,
                               const struct leak_scanner *scanner, sv path,
                               const struct git_content *content, const struct leak_place *place);
/* Makes the file of an artifact or, with is_patch, the sealed patch beside it. */
MUST_CHECK enum status run_seal(struct sink *sink, const struct seal_root *root,
                                const struct artifact *artifact,
                                const struct tree_seal_request *seal, bool is_patch,
                                struct buf *buf, bool *ret_sealed);

/* Returns a copy whose strings are in the arena. */
struct tree_roll run_copy_roll(struct arena *arena, const struct tree_roll *roll);
/*
 * Returns true for an artifact that the applier applies after the others of its side: a
 * MachineDeployment, after the Secrets of its machines. The folder of its file then has a
 * kustomization of its own.
 */
bool run_is_applied_last(const struct fleet_cluster *cluster, enum artifact_role role);
/* Returns the folder of a path that has one. */
static inline sv run_folder_of(sv path)
{
	return sv_slice(path, 0, sv_rfind_char(path, '/'));
}

/*
 * Returns the entry that index.json has for an artifact's file. `source` is the file that it is
 * made from; `unit` may be null.
 */
struct tree_file run_tree_file(struct arena *arena, const struct plan_cluster *cluster,
                               const struct artifact *artifact, sv source,
                               const struct tree_unit *unit);
/* Returns the unit as entries of index.json have it, with its definition. */
const struct tree_unit *run_new_tree_unit(struct arena *arena, const struct plan_unit *unit,
                                          const struct plan_revision *revision);
/* Sets the identity and the definition in the row of a unit's summary. */
void run_set_row(const struct plan_unit *unit, struct report_unit *ret_row);
/* Fails if the file name is too long for a work tree; reports it at `from`. */
MUST_CHECK enum status run_check_file_name(struct sink *sink, sv path,
                                           const struct kube_object *from);
/* Returns the file that an object comes from: "clusters/prod/workers.yaml", or "osm-gen". */
sv run_source_name(const struct kube_object *object);
/*
 * Returns where the previous output has the file of an artifact, or the patch beside it: it may be
 * in another part of the side, or in a bucket.
 */
sv run_path_before(struct arena *arena, const struct previous *previous,
                   const struct plan_cluster *cluster, const struct artifact *artifact,
                   bool is_patch);
/* Adds the annotations that Argo CD needs on an object, if it applies the cluster. */
void run_annotate(struct arena *arena, const struct fleet_cluster *cluster,
                  struct artifact *artifact);

#endif
