/*
 * What the stages share. Private to run/.
 */
#ifndef OSM_GEN_RUN_STAGES_H
#define OSM_GEN_RUN_STAGES_H

#include "fleet/fleet.h"
#include "git/git.h"
#include "os/os.h"
#include "osm/osm.h"
#include "run/run.h"
#include "seal/seal.h"
#include "tree/tree.h"

/* Inputs above this are no manifests. */
#define RUN_MAX_INPUT_BYTES  ((size_t)64 * 1024 * 1024)
#define RUN_MAX_OUTPUT_BYTES ((size_t)64 * 1024 * 1024)

struct run_cluster {
	const struct fleet_cluster *fleet;
	const struct osm_cluster *osm;
	struct seal_recipients recipients;
	const struct map
	    *live_revisions; /* --revisions: annotations by "NAMESPACE/NAME"; or null */
	/* The cluster's own objects and all jobs' files; sorted before the index is written. */
	struct tree_files files;
};

struct run_job {
	struct run_cluster *cluster;
	const struct fleet_machine_deployment *machine_deployment;
	struct value bootstrap_token; /* derived; invalid in validate */
	/* Results, in its worker's arena. */
	struct sink sink;
	struct tree_files files;
	struct report_machine_deployment row;
};

struct run_worker {
	struct arena *results; /* clear, kept to the end */
	struct arena *scratch; /* of the secret kind, reset after each job */
	struct sealer *sealer; /* null in validate */
};

struct run {
	struct arena *arena;
	struct arena *secret_arena;
	struct arena *scratch; /* plain, of the first thread: reset after each file */
	struct sink *sink;
	const struct run_request *request;
	unsigned threads;

	struct git_repo *repo;
	struct git_source source; /* not set when the working tree is read */
	sv out;                   /* relative to the repository; or the folder outside */
	bool out_is_outside;
	struct git_files files; /* of the source, without the output */
	struct git_files taken; /* those of them that may be manifests */
	struct fleet_filter *filter;
	struct os_entries secret_entries; /* manifests in --secrets */
	struct fleet fleet;

	struct seal_root *root; /* null in validate */
	struct leak_scanner *scanner;
	struct seal_identities *identities;
	struct value environment; /* the request's, tainted */
	VEC(const struct secret *) secrets;
	VEC(struct arena *) arenas;

	struct run_cluster *clusters;
	struct run_job *jobs;
	size_t job_count;
	struct run_worker *workers;
	struct git_output *output; /* null in validate */
	struct map noted;          /* texts of the secrets */
	struct map noted_objects;  /* the objects that hold them */
	struct map own;            /* paths that an earlier run's indexes list */
	struct map written;        /* paths that this run puts */
	struct map texts;          /* RUN_DIFF: path to its new text, sv */
	bool inputs_read;          /* the fleet is there, if with mistakes */
	bool failed;               /* something is wrong already: jobs only look for more errors */
	struct os_mutex *lock;     /* of jobs_done and texts */
	size_t jobs_done;
};

/* ---- the stages, in order ---------------------------------------------------------------- */

/* Opens the repository, lists what is to be read. */
MUST_CHECK enum status run_list_inputs(struct run *run);
/* unchanged.c: nothing to do? Then the result is filled. See below. */
MUST_CHECK enum status run_find_unchanged(struct run *run, struct run_result *result,
                                          bool *ret_unchanged);
/* Reads all inputs, loads the fleet. */
MUST_CHECK enum status run_read_inputs(struct run *run);
/* Once a run; does nothing when it is done already. */
MUST_CHECK enum status run_begin_output(struct run *run);
/* Seed, identities' recipients, looked-up objects, jobs, derived tokens, leak scanner. */
MUST_CHECK enum status run_prepare(struct run *run);
/* output.c: the indexes of an earlier run: its files and its seed. */
MUST_CHECK enum status run_read_previous(struct run *run);
/*
 * profiles.c: no profile that the output holds may have changed under the same version. Compared
 * with the branch's tip, or with the disk when the output lies outside of the repository.
 */
MUST_CHECK enum status run_check_profiles(struct run *run);
/* profiles.c: the profiles that a cluster's MachineDeployments use, into the output. */
MUST_CHECK enum status run_add_profiles(struct run *run, struct run_cluster *cluster);
/* Renders job `index` on `worker`; an os_job. */
void run_job(void *context, size_t index, unsigned worker);
/* Cluster objects, kustomizations, indexes, pruning. */
MUST_CHECK enum status run_complete_tree(struct run *run);

/* An arena that lives until run_release. */
struct arena *run_new_arena(struct run *run, enum arena_kind kind);

/* ---- pieces ------------------------------------------------------------------------------ */

/* revision.c: reads --revisions into the clusters. */
MUST_CHECK enum status run_read_live_revisions(struct run *run);
/*
 * The revision annotation of a job and the digest of its template (design 4). arena is the job's
 * scratch, of the secret kind.
 */
MUST_CHECK enum status run_revision(const struct run *run, struct arena *arena, struct sink *sink,
                                    const struct run_job *job, sv *ret_revision, sv *ret_digest);

/* output.c: CLUSTER/index.json, and nothing deeper. */
bool run_is_index(sv path);
/* run.c: command, version, source and out of the summary. */
void run_describe(const struct run *run, struct report_summary *summary);
/* run.c: a MachineDeployment as the path of its OSC names it; false for other paths. */
bool run_row_of_osc(struct arena *arena, sv path, struct report_machine_deployment *ret_row);

/* clusters.c: the seed of the request; it must have one. */
MUST_CHECK enum status run_parse_seed(struct run *run, struct sink *sink,
                                      struct seal_root **ret_root);
/* inputs.c: the identities of the request, if it has any. */
MUST_CHECK enum status run_parse_identities(struct run *run, struct seal_identities *identities,
                                            struct sink *sink);

/* secrets.c: remembers a secret for the leak scan and for masking. */
void run_note_secret(struct run *run, const struct secret *secret);
/* secrets.c: every secret of the inputs. */
void run_note_inputs(struct run *run);

/* output.c: an object that needs no sealing, into the output and the cluster's files. */
MUST_CHECK enum status run_add_clear(struct run *run, struct run_cluster *cluster,
                                     const struct osm_output *output, sv source);

/* unchanged.c: files below the output folder at a branch's tip: whole paths, and relative ones. */
struct run_tip {
	struct git_source source;
	struct git_files files;
	struct git_files relative;
};
/* Of the request's branch, else HEAD's. */
MUST_CHECK enum status run_look_at_tip(struct run *run, struct run_tip *tip, struct sink *sink);

/* job.c: renders without writing, for run_inspect. */
MUST_CHECK enum status run_render(const struct run *run, struct arena *arena, struct sink *sink,
                                  const struct run_job *job, struct osm_rendered *ret_rendered);
/* What a file is made from: "clusters/prod/workers.yaml", "profiles/ubuntu.yaml (embedded)". */
sv run_source_name(const struct kube_object *object);

/*
 * The proof. A commit of ours has the trailer Osm-Gen-Inputs: a digest, keyed with the seed, of
 * everything that decides the output (the program's version and source, the settings given as
 * flags, the variables of --allow-env, --secrets, --revisions, --out, and path, mode and id of
 * every file of the source commit outside the output folder) and of the output (path, mode and id
 * of every file in the output folder). Whoever has the seed can tell from it that a run with these
 * inputs left this output. So a run that finds, in any message behind the branch's tip, the digest
 * of its own inputs and the tip's output has nothing to do. That this is never said wrongly:
 *
 * - Another input, or other output, by whomever it was committed, amended, merged, or picked, is
 *   another digest. Nobody without the seed can make one, so it does not matter whose commit says
 *   it, nor where in the history.
 * - A run whose output is there already changes nothing: the one input that the output itself is,
 *   revisions that are counted on, is kept while the templates are the same.
 * - Secrets decrypt to one text only, so which age identities are there does not count. They
 *   must be sound, as must the seed: broken ones are for a whole run to report.
 * - A run with other warnings than that of dirty inputs, which are looked for each time, leaves no
 *   trailer, so that the next one warns again.
 * - The work tree must show the tip's output without changes when it shows the branch, and what
 *   an interrupted run left is mended before it is looked at.
 */
#define RUN_INPUTS_TRAILER "Osm-Gen-Inputs"
/* unchanged.c: 32 hex digits; empty when there were warnings. */
sv run_proof(struct run *run, const struct git_changes *changes);

/* message.c: the commit's message: subject, summary, trailers. proof may be empty. */
sv run_commit_message(struct run *run, const struct report_summary *summary, sv proof);
/* "NAME <MAIL>" into its parts; false when it is not of that form. */
bool run_parse_author(sv author, sv *ret_name, sv *ret_mail);

/* differ.c: the unified diff of the changes, secrets masked. */
MUST_CHECK enum status run_differ(struct run *run, const struct git_changes *changes,
                                  struct buf *output);

/* RUN_DIFF: keeps the new text of a file for run_differ. */
void run_keep_text(struct run *run, struct arena *arena, sv path, sv text);
struct kube_id run_copy_id(struct arena *arena, const struct kube_id *id);

/* output.c: where an object's file stands in the output tree. */
sv run_object_path(struct arena *arena, const struct run_cluster *cluster,
                   const struct osm_output *output);
/* output.c: a file whose name no work tree can hold must not be committed; reported at `from`. */
MUST_CHECK enum status run_check_file_name(struct sink *sink, sv path,
                                           const struct kube_object *from);
/*
 * output.c: the only way into the output tree. A text that holds a secret in the clear does not
 * get there; the scanner is the run's, or a job's own on top of it. worker: whose thread this is.
 */
MUST_CHECK enum status run_put(struct run *run, unsigned worker, const struct leak_scanner *scanner,
                               struct sink *sink, sv path, sv text, const struct leak_place *place);

/* inspect.c: one MachineDeployment, printed. */
MUST_CHECK enum status run_inspect(struct run *run, struct buf *output);

#endif
