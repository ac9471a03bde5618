/*
 * The output folder: the files that it has, and the only way to put new ones.
 *
 *   tip.c           the output as it is committed
 *   former.c        the facts of it that settings default to
 *   describe.c      a file as index.json lists it, and its path
 *   fingerprints.c  files for reviewers, for a run without a seed
 *   writer.c        seals files, scans them for secrets and puts them
 *   contents.c      the new contents of changed files, for `diff`
 */
#ifndef OSM_GEN_RUN_OUTPUT_OUTPUT_H
#define OSM_GEN_RUN_OUTPUT_OUTPUT_H

#include "git/git.h"
#include "plan/plan.h"
#include "run/env.h"
#include "run/inputs/inputs.h"
#include "secrecy/secrecy.h"
#include "tree/tree.h"

/* The largest file of the output. */
#define RUN_MAX_OUTPUT_BYTES ((size_t)64 * 1024 * 1024)

/* ---- the committed output ----------------------------------------------------------------- */

/* The files below the output folder, at the tip of a branch. */
struct run_tip {
	struct git_source source;
	struct git_files files;    /* paths from the repository's root */
	struct git_files relative; /* the same files, paths from the output folder */
};

/* Returns the revision of `branch`: its ref, or HEAD if it is empty. */
sv run_branch_rev(struct arena *arena, sv branch);
/* Lists the committed output. Fails if the branch has no commit. */
MUST_CHECK enum status run_list_tip(struct sink *sink, const struct run_env *env,
                                    const struct run_inputs *inputs, sv branch,
                                    struct run_tip *ret_tip);
/* Returns the files of the output after `changes` to `previous`; both are sorted by path. */
struct git_files run_files_after(struct arena *arena, const struct git_files *previous,
                                 const struct git_changes *changes);

/* ---- putting files ------------------------------------------------------------------------ */

struct run_contents;

struct run_writer {
	enum git_output_mode mode; /* as the request asks; an output outside is always a folder */
	bool has_no_output;        /* RUN_VALIDATE */
	sv branch;                 /* the branch that has the output; empty for HEAD's */
	sv blobs; /* the file that gets the new contents for another run; empty to write none */
	struct quota *bytes;
	const struct run_tip *tip;     /* the committed output, if it was listed; else null */
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
 * Reads the indexes of the previous output. Fails as plan_read_previous does. With `rotate_seed`
 * they may be another seed's.
 */
MUST_CHECK enum status run_read_previous(const struct run_env *env, bool rotate_seed,
                                         const struct run_inputs *inputs, const struct plan *plan,
                                         const struct run_writer *writer,
                                         struct previous *ret_previous);
/*
 * Fails (DIAG_MARK_SPELLED) if clear text of the artifact looks like the mark of a secret, which a
 * reader could not distinguish. A definition may have marks without a fingerprint: extensions put
 * them where each cluster has its own secret. A status may have strings that are one mark: its
 * dialect writes that of user-data. `at` is for text that has no position.
 */
MUST_CHECK enum status run_check_marks(struct sink *sink, const struct artifact *artifact,
                                       bool is_definition, struct position at);
/* Makes the file of an artifact or, with is_patch, the sealed patch beside it. */
MUST_CHECK enum status run_seal(struct sink *sink, const struct seal_root *root,
                                const struct artifact *artifact,
                                const struct tree_seal_request *seal, bool is_patch,
                                struct buf *buf, bool *ret_sealed);
/*
 * Puts a file. Fails if it holds a secret in the clear; the scanner is the plan's, or one that
 * a job extends. `worker` is the number of the calling thread; `place` is for the diagnostic.
 */
MUST_CHECK enum status run_put(struct sink *sink, struct run_writer *writer, unsigned worker,
                               const struct leak_scanner *scanner, sv path,
                               const struct git_content *content, const struct leak_place *place);
/* Puts a file that was scanned before, by the plan's scanner. */
MUST_CHECK enum status run_put_scanned(struct sink *sink, struct run_writer *writer,
                                       unsigned worker, sv path, const struct git_content *content);

/* The context of run_was_in_buckets. */
struct run_former {
	const struct run_env *env;
	const struct run_inputs *inputs;
	struct run_writer *writer; /* in its place `branch` is looked at if this is null */
	sv branch;
};
/*
 * Returns true if the previous output has its clusters in buckets (fleet_options.was_in_buckets).
 * Begins the output if it has not begun.
 */
bool run_was_in_buckets(void *context);

/* ---- describing files --------------------------------------------------------------------- */

/*
 * Returns the file that an object comes from, as the output names it: "clusters/prod/workers.yaml",
 * or "osm-gen".
 */
sv run_source_name(const struct kube_object *object);
/* Returns the same for an object of the whole cluster: the file of the Cluster, or a description.
 */
sv run_shared_source(struct arena *arena, const struct plan *plan,
                     const struct plan_cluster *cluster);
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
 * made from; `unit` may be null. `words` is a set of strings, at first empty, that entries in this
 * arena share.
 */
struct tree_file run_tree_file(struct arena *arena, struct map *words,
                               const struct plan_cluster *cluster, const struct artifact *artifact,
                               sv source, const struct tree_unit *unit);
/* Returns the unit as entries of index.json have it, with its definition. */
const struct tree_unit *run_new_tree_unit(struct arena *arena, const struct plan_unit *unit,
                                          const struct plan_revision *revision,
                                          const struct dialect_config_maps *config_maps);
/* Returns a copy with its strings in the arena, or null if the state is empty. */
const struct tree_roll *run_copy_roll(struct arena *arena, const struct tree_roll *roll);
/*
 * Returns where the previous output has the file of an artifact, or the patch beside it: it may be
 * in another part of the side, or in a bucket.
 */
sv run_path_before(struct arena *arena, const struct previous *previous,
                   const struct plan_cluster *cluster, const struct artifact *artifact,
                   bool is_patch);
/* Fails if the file name is too long for a work tree; reports it at `from`. */
MUST_CHECK enum status run_check_file_name(struct sink *sink, sv path,
                                           const struct kube_object *from);
/* Adds the annotations that Argo CD needs on an object, if it applies the cluster. */
void run_annotate(struct arena *arena, const struct fleet_cluster *cluster,
                  struct artifact *artifact);

/* ---- without a seed ----------------------------------------------------------------------- */

/* Returns true if the file of an artifact can be made without a seed: secrets in it are marks. */
bool run_needs_no_seed(const struct artifact *artifact);
/*
 * Replaces marks in *text by those of the previous file, where only their fingerprints differ or
 * they belong to another token.
 */
MUST_CHECK enum status run_take_fingerprints(struct arena *arena, struct sink *sink,
                                             const struct run_writer *writer, sv path, sv *text);

/* ---- contents, for `diff` ----------------------------------------------------------------- */

/*
 * The new contents of changed files. Small ones are in memory; once these are many, the others are
 * in a temporary file. All of them are output: sealed, or scanned for secrets.
 */
struct run_contents *run_contents_new(struct arena *arena);
void run_contents_free(struct run_contents *contents);
/*
 * Keeps the content of a path, which must outlive it here, on any thread. `arena` is the thread's.
 * Without a place for a temporary file all contents are in memory.
 */
void run_contents_keep(struct arena *arena, struct run_contents *contents, sv path, sv text);
/* Returns the content of a path that was kept. Fails if the temporary file cannot be read. */
MUST_CHECK enum status run_contents_find(struct arena *arena, struct sink *sink,
                                         const struct run_contents *contents, sv path,
                                         sv *ret_text);

#endif
