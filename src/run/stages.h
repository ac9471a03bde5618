/*
 * The stages of a run, and the values that they hand on. Private to run/.
 *
 *   struct run_inputs    what was read                           inputs.c
 *   struct plan          clusters, units, what each needs        plan/
 *   struct previous      what was there before                   plan/
 *   struct run_rendered  the objects of each unit, as files      render.c, output.c, writer.c
 *   struct git_changes   how the output tree changes             git/
 *
 * Each is made by one stage and const for those after it: a signature says what a stage may touch.
 */
#ifndef OSM_GEN_RUN_STAGES_H
#define OSM_GEN_RUN_STAGES_H

#include "fleet/fleet.h"
#include "git/git.h"
#include "os/os.h"
#include "plan/plan.h"
#include "review/review.h"
#include "run/run.h"
#include "seal/seal.h"
#include "tree/tree.h"

/* Inputs above this are no manifests. */
#define RUN_MAX_OUTPUT_BYTES ((size_t)64 * 1024 * 1024)

/* ---- what every stage works with --------------------------------------------------------- */

/* Arenas that live until run_release. */
VEC_TYPE(run_arenas, struct arena *);

/* Each of the request's limits, and what is used of it. */
struct run_quotas {
	struct quota entries;
	struct quota input_bytes;
	struct quota values;
	struct quota steps;
	struct quota output_bytes;
};
/* limits.c */
void run_quotas_set(struct run_quotas *quotas, const struct run_limits *limits);
/* What the values of one text of that size are charged to. */
struct quota run_values_of(struct run_quotas *quotas, size_t bytes);
/* Once the inputs are read, and units are to be made of them. */
void run_quotas_grow(struct run_quotas *quotas, size_t units);
/* What the repository says of itself (struct fleet, limits) can only lower them. */
void run_quotas_lower(struct run_quotas *quotas, const struct value *limits);
/* Reports each that is exceeded. */
MUST_CHECK enum status run_check_quotas(struct sink *sink, const struct run_quotas *quotas);

struct run_env {
	struct run_quotas *quotas;
	struct arena *arena;
	struct arena *secret_arena;
	struct arena *scratch; /* plain, of the first thread: reset after each file */
	struct sink *sink;
	const struct run_request *request;
	unsigned threads;
	struct run_arenas *arenas;
};

/* env.c: an arena that lives until run_release. */
struct arena *run_new_arena(const struct run_env *env, enum arena_kind kind);

/* ---- inputs ------------------------------------------------------------------------------ */

struct run_inputs {
	struct git_repo *repo;
	struct git_source source; /* not set when the working tree is read */
	sv out;                   /* relative to the repository; or the folder outside */
	bool out_is_outside;
	struct git_files files; /* of the source, without the output */
	struct git_files taken; /* those of them that may be manifests */
	struct fleet_filter *filter;
	struct os_entries secret_entries; /* manifests in --secrets */
	struct seal_identities *identities;
	struct fleet fleet;
	bool is_loaded; /* the fleet is there, if with mistakes */
};

/* Of inputs->repo: sets `out` and whether it is outside. */
MUST_CHECK enum status run_place_output(const struct run_env *env, struct run_inputs *inputs);
/*
 * passed_over.c: warns of files that are not read and may be meant to be: symbolic links, and
 * manifests whose names do not end as manifests' do. results: one for each of inputs->taken.
 */
void run_warn_passed_over(const struct run_env *env, const struct run_inputs *inputs,
                          struct fleet_file *const *results);
/* Opens the repository, lists what is to be read. */
MUST_CHECK enum status run_list_inputs(const struct run_env *env, struct run_inputs *inputs);
/* Reads all inputs, loads the fleet. */
/* writer: where the run has one, its output is looked at where settings depend on it; or null. */
struct run_writer;
MUST_CHECK enum status run_read_inputs(const struct run_env *env, struct run_inputs *inputs,
                                       struct run_writer *writer);
void run_close_inputs(struct run_inputs *inputs);

/* The identities of the request, if it has any. */
MUST_CHECK enum status run_parse_identities(struct sink *sink, const struct run_env *env,
                                            struct seal_identities *identities);

/* ---- the output (writer.c) --------------------------------------------------------------- */

/* The only way into the output tree. */
struct run_writer {
	struct quota *bytes;
	struct git_output *output; /* null in validate */
	struct arena **results;    /* clear, one a worker */
	struct os_mutex *lock;     /* of texts */
	struct map texts;          /* RUN_DIFF: path to its new text, sv */
	bool keeps_texts;
};

/* Once a run; does nothing when it is done already, and in validate. */
MUST_CHECK enum status run_begin_output(const struct run_env *env, const struct run_inputs *inputs,
                                        struct run_writer *writer);
/*
 * A text that holds a secret in the clear does not get there; the scanner is the plan's, or a job's
 * own on top of it. worker: whose thread this is. place: for what is wrong with the text.
 */
MUST_CHECK enum status run_put(struct sink *sink, struct run_writer *writer, unsigned worker,
                               const struct leak_scanner *scanner, sv path, sv text,
                               const struct leak_place *place);

/*
 * What the index says of an artifact's file; source: what it is made from; unit: or null.
 */
struct tree_file run_tree_file(struct arena *arena, const struct plan_cluster *cluster,
                               const struct artifact *artifact, sv source,
                               const struct tree_unit *unit);
/* A file whose name no work tree can hold must not be committed; reported at `from`. */
MUST_CHECK enum status run_check_file_name(struct sink *sink, sv path,
                                           const struct kube_object *from);
/* What a file is made from: "clusters/prod/workers.yaml", "profiles/ubuntu.yaml (embedded)". */
sv run_source_name(const struct kube_object *object);

/* definitions.c: files below the output folder at a branch's tip: whole paths, and relative ones.
 */
struct run_tip {
	struct git_source source;
	struct git_files files;
	struct git_files relative;
};
/* Of the request's branch, else HEAD's. */
MUST_CHECK enum status run_look_at_tip(struct sink *sink, const struct run_env *env,
                                       const struct run_inputs *inputs, struct run_tip *tip);

/*
 * definitions.c: no definition that the output holds may have changed under the same version.
 * Compared with the branch's tip, or with the disk when the output lies outside of the repository.
 * Warns of one whose file is gone while the index lists it (DIAG_OSP_REPLACED); previous: null
 * where nothing is known of it.
 */
MUST_CHECK enum status run_check_definitions(const struct run_env *env,
                                             const struct run_inputs *inputs,
                                             const struct plan *plan,
                                             const struct previous *previous,
                                             const struct run_writer *writer);

/*
 * guard.c: what goes is meant, and nobody's inputs lie in the output folder
 * (DIAG_OUTPUT_HOLDS_INPUTS, class input). previous: null where nothing is known of it.
 */
MUST_CHECK enum status run_guard(const struct run_env *env, const struct run_inputs *inputs,
                                 const struct plan *plan, const struct previous *previous,
                                 const struct run_writer *writer);

/*
 * writer.c: where the file of an artifact, or of the patch beside it, stood before: it may have
 * been in another part, or in a bucket.
 */
sv run_path_before(struct arena *arena, const struct previous *previous,
                   const struct plan_cluster *cluster, const struct artifact *artifact,
                   bool is_patch);
/* writer.c: what the cluster's applier reads on an object, beside what Flux does. */
void run_annotate(struct arena *arena, const struct fleet_cluster *cluster,
                  struct artifact *artifact);

/* ---- rendering --------------------------------------------------------------------------- */

/* A sealed file of the output that differs from the one before. */
struct run_sealed_change {
	sv path;
	unsigned change; /* REPORT_SEALED_... */
};

struct run_rendered;
struct run_facts;
/*
 * without_seed.c: whether an artifact's file can be made without a seed: it is for reviewers, and
 * clear but for marks.
 */
bool run_needs_no_seed(const struct artifact *artifact);
/*
 * without_seed.c: the text with the marks that stand in the file before, where these have other
 * fingerprints or belong to another token.
 */
MUST_CHECK enum status run_take_fingerprints(struct arena *arena, struct sink *sink,
                                             const struct run_writer *writer, sv path, sv *text);
/* without_seed.c: of what the indexes list, what no unit or cluster of the plan asks for goes. */
void run_prune_without_seed(const struct run_env *env, const struct plan *plan,
                            const struct previous *previous, struct run_writer *writer,
                            const struct run_rendered *rendered);
/* without_seed.c: says what was not compared. */
void run_report_stand_ins(const struct run_env *env, const struct run_facts *facts);

/* One unit, rendered. */
struct run_unit {
	const struct plan_unit *unit;
	struct sink sink;
	struct tree_files files; /* of its artifacts; written unless something is wrong */
	struct report_unit row;  /* without a name: it could not be rendered */
	struct plan_class_facts facts;
	VEC(struct run_sealed_change) sealed;
	size_t not_compared;        /* files that take a seed, and there is none */
	struct run_fetched fetched; /* where the request wants it */
	/* Units after it that use the same profile, whose templates ran into a budget here. */
	size_t not_rendered;
	uint64_t steps; /* that its templates took */
	bool is_done;   /* the run's steps did not end before it */
};

struct run_rendered {
	struct run_unit *units; /* one a unit of the plan */
	/* One a cluster: its own objects and all units' files. */
	struct tree_file_list *clusters;
	struct map written; /* paths that this run puts */
	/* One a cluster; nothing is known where there was no output before. */
	struct plan_sealed_before *before;
	/* What changes in units, by their place in the plan; null: nothing is compared. */
	struct review *review;
};

/* What rendering one unit takes, on any thread. */
struct run_job {
	const struct plan *plan;
	const struct previous *previous;
	int64_t now;
	sv out; /* relative to the repository; empty: outside */
	struct quota *steps;
	bool wants_fetches;
};
MUST_CHECK enum status run_render_unit(struct arena *arena, struct sink *sink,
                                       const struct run_job *job, const struct plan_unit *unit,
                                       struct plan_revision *ret_revision,
                                       struct dialect_rendered *ret_rendered);
/* writer.c: the file of an artifact, or of the patch beside it. */
MUST_CHECK enum status run_seal(struct sink *sink, const struct seal_root *root,
                                const struct artifact *artifact,
                                const struct tree_seal_request *seal, bool is_patch,
                                struct buf *buf, bool *ret_sealed);

/* A file that was put, and is not what was there before. */
struct run_comparison {
	struct arena *results;
	struct arena *scratch; /* of the secret kind */
	const struct seal_root *root;
	const struct plan_sealed_before *before;
	const struct tree_seal_request *seal; /* that it was made with */
	const struct artifact *artifact;
	bool is_patch;
	bool is_sealed;
	sv path;
	sv text;
	sv path_before; /* the same unless it has moved */
	bool was_there;
	sv text_before; /* where it was */
};
/* classify.c: adds what is different to the unit's facts and sealed changes. */
MUST_CHECK enum status run_classify(struct sink *sink, const struct run_comparison *c,
                                    struct run_unit *unit);
/*
 * Renders all units, on all threads. is_sound false: something is wrong already, so that nothing is
 * written and only more mistakes are looked for.
 */
MUST_CHECK enum status run_render(const struct run_env *env, const struct run_job *job,
                                  bool is_sound, struct run_writer *writer,
                                  struct run_rendered *rendered);
/* failed.c: nothing is known of the unit yet; its diagnostics go into an arena of results. */
void run_unit_begin(struct arena *results, const struct plan_unit *unit, struct run_unit *ret_unit);
/* failed.c: reports what can be found in a unit that is not rendered. */
void run_unit_check(struct arena *scratch, const struct run_job *job, struct run_unit *unit);
/*
 * failed.c: profiles whose templates ran into a budget. Threads may share it: after
 * run_failed_look(i) run_failed_before is true for units after i that use the same profile.
 */
struct run_failed;
struct run_failed *run_failed_new(struct arena *arena, const struct plan *plan);
bool run_failed_before(const struct run_failed *failed, size_t index);
void run_failed_look(struct run_failed *failed, size_t index, const struct sink *sink);
/* The units of the plan by their places, the first one of each profile before all others. */
const size_t *run_failed_order(struct arena *arena, const struct plan *plan,
                               const struct run_failed *failed, size_t *ret_firsts);
/*
 * The threads took more steps than the run may, and some of them for units that would not have been
 * rendered one after the other: takes those back. True: some units are to be rendered (again), one
 * after the other.
 */
bool run_failed_settle(struct run_failed *failed, const struct plan *plan, struct run_unit *units,
                       struct quota *steps);
/* When all threads are done: such units are as if none of them had been rendered. */
void run_failed_forget(struct arena *results, struct arena *scratch,
                       const struct run_failed *failed, const struct run_job *job,
                       struct run_unit *units);
/*
 * merge.c: moves the diagnostics of all units to the run's sink, each of them once, with the number
 * of units that reported it.
 */
void run_merge_diagnostics(const struct run_env *env, const struct plan *plan,
                           struct run_rendered *rendered);
/* output.c: two clusters that are managed from one must not write the same object there. */
MUST_CHECK enum status run_check_clashes(const struct run_env *env, const struct plan *plan,
                                         const struct run_rendered *rendered);
/*
 * output.c: a cluster has one list of recipients, so that all its sealed files must fall under one
 * rule of .sops.yaml, where that names them.
 */
MUST_CHECK enum status run_check_creation_rules(const struct run_env *env,
                                                const struct run_job *job,
                                                const struct run_rendered *rendered);
/* output.c: cluster objects, definitions, kustomizations, indexes, pruning. */
MUST_CHECK enum status run_complete_tree(const struct run_env *env, const struct run_inputs *inputs,
                                         const struct run_job *job, struct run_writer *writer,
                                         struct run_rendered *rendered);

/* ---- what is one cluster's ---------------------------------------------------------------- */

/* A folder of the output with a kustomization.yaml, which an applier is told of. */
struct run_folder {
	enum artifact_side side;
	sv path;
	bool is_sealed; /* something in it is */
};
VEC_TYPE(run_folders, struct run_folder);

/* A cluster's part of the tree in the making: all units' files are there. */
struct run_completion {
	const struct run_env *env;
	const struct plan *plan;
	const struct previous *previous;
	struct run_writer *writer;
	struct run_rendered *rendered;
	sv out; /* as of run_job */
	const struct plan_cluster *cluster;
	struct tree_file_list *files;   /* of the cluster */
	struct tree_file_list delivery; /* likewise, outside of its folder */
	struct run_folders folders;
};
/* completion.c: into the index. */
void run_add_file(struct run_completion *c, const struct tree_file *file);
/* completion.c: the file of an artifact that is the whole cluster's; none of them is sealed. */
MUST_CHECK enum status run_add_artifact(struct run_completion *c, const struct artifact *artifact,
                                        sv source);
/* completion.c: a file that holds no object of the cluster. */
MUST_CHECK enum status run_put_text(struct run_completion *c, sv path, const struct buf *buf);
/* folders.c: the kustomizations of a side. */
MUST_CHECK enum status run_put_side(struct run_completion *c, enum artifact_side side);
/* delivery.c: what stands in the way of a delivery. DIAG_DELIVERY_... */
MUST_CHECK enum status run_check_delivery(const struct run_env *env, const struct plan *plan,
                                          const struct run_rendered *rendered);
/* delivery.c: namespaces of the management side, where the output is to hold them. */
MUST_CHECK enum status run_add_namespaces(struct run_completion *c);
/* Whether the cluster's output holds that namespace, if objects of its management side need it. */
bool run_makes_namespace(const struct fleet_cluster *cluster, sv namespace);
/* delivery.c: the objects of the applier, one a folder. */
MUST_CHECK enum status run_put_delivery(struct run_completion *c);
/* delivery.c: which clusters are managed from one. After run_put_delivery of all of them. */
MUST_CHECK enum status run_put_delivery_lists(const struct run_env *env, const struct plan *plan,
                                              struct run_writer *writer,
                                              struct run_rendered *rendered);

/* ---- the result -------------------------------------------------------------------------- */

/* What is known once the changes are; each null when the run did not come that far. */
struct run_facts {
	const struct run_inputs *inputs;
	const struct plan *plan;
	const struct previous *previous;
	const struct run_rendered *rendered;
	const struct git_changes *changes;
	const struct plan_recipient_changes *recipient_changes;
};
/* summary.c */
void run_summarize(const struct run_env *env, const struct run_facts *facts,
                   struct report_summary *summary);
/* reverted.c: warns of revisions that came back with an earlier output (DIAG_REVISION_REVERTED). */
void run_report_reverted(const struct run_env *env, const struct run_facts *facts);
/* reseal.c: warns of clusters whose SealedSecrets were sealed to another certificate before. */
void run_report_resealed(const struct run_env *env, const struct run_facts *facts);
/* summary.c: command, version, source and out. */
void run_describe(const struct run_env *env, const struct run_inputs *inputs,
                  struct report_summary *summary);

/*
 * message.c: a name of the inputs, as it may stand in a commit's message: on one line, with an
 * escape (\x40) for what mentions a person, links or closes an issue, or could make a trailer.
 */
void run_add_name(struct buf *buf, sv name);
/*
 * message.c: the commit's message: subject, summary, trailers. proof and voucher may be empty.
 * skip_ci: the subject ends in "[skip ci]", which GitHub, GitLab and others read.
 */
sv run_commit_message(struct arena *arena, const struct report_summary *summary, sv proof,
                      sv voucher, bool skip_ci);
/* "NAME <MAIL>" into its parts; false when it is not of that form. */
bool run_parse_author(sv author, sv *ret_name, sv *ret_mail);

/* vouch.c: what stands in the folder once `changes` are made to `previous`; both sorted by path. */
struct git_files run_files_after(struct arena *arena, const struct git_files *previous,
                                 const struct git_changes *changes);
/* vouch.c: audit_output_digest of what the commit will hold; empty for a run that makes none. */
/* The run commits, if anything changes. */
bool run_makes_commit(const struct run_env *env, const struct run_inputs *inputs);
sv run_vouch(const struct run_env *env, const struct run_facts *facts,
             const struct run_writer *writer);
/*
 * vouch.c: whether output that this run leaves as it was is vouched for by no commit: one that
 * osm-gen made before it left trailers, or that came with a squash. Says so unless the request is
 * to commit then.
 */
MUST_CHECK enum status run_lacks_voucher(const struct run_env *env, const struct run_facts *facts,
                                         const struct run_writer *writer, bool *ret_lacks);
/*
 * vouch.c: warnings about the committed output: what no index lists, what is missing, and of files
 * that differ from what the inputs make, who changed them.
 */
MUST_CHECK enum status run_explain_output(const struct run_env *env, const struct run_facts *facts);

/*
 * differ.c: the unified diff of the changes, secrets masked. Where many units change alike, the
 * groups of the summary instead, and of files that are no unit's each change once.
 */
MUST_CHECK enum status run_differ(const struct run_env *env, const struct run_facts *facts,
                                  const struct run_writer *writer,
                                  const struct report_summary *summary, struct buf *output);

/* inspect.c: one unit, printed. */
MUST_CHECK enum status run_inspect(const struct run_env *env, const struct run_job *job,
                                   struct buf *output);

/* compare.c: one cluster beside what is live of it. */
MUST_CHECK enum status run_compare(const struct run_env *env, const struct run_job *job,
                                   bool *ret_differs, struct buf *output);

/* ---- nothing to do ----------------------------------------------------------------------- */

/*
 * The proof. A commit of ours has the trailer Osm-Gen-Inputs: a digest, keyed with the seed, of
 * everything that decides the output (the program's version and source, the settings given as
 * flags, the variables of --allow-env, --secrets, --revisions, --out, and path, mode and id of
 * every file of the source commit outside the output folder) and of the output (path, mode and id
 * of every file in the output folder). Whoever has the seed can see from it that a run with these
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
 * - Output that was reverted to, with its inputs, is looked at by a whole run: its revisions may
 *   not be the clusters' any more.
 * - The work tree must show the tip's output without changes when it shows the branch, and what
 *   an interrupted run left is mended before it is looked at.
 *
 * The trailer Osm-Gen-Counts beside it holds the numbers for the summary of such a run.
 */
#define RUN_INPUTS_TRAILER "Osm-Gen-Inputs"
#define RUN_COUNTS_TRAILER "Osm-Gen-Counts"

/* unchanged.c: nothing to do? Then the result is filled. */
MUST_CHECK enum status run_find_unchanged(const struct run_env *env,
                                          const struct run_inputs *inputs,
                                          struct run_writer *writer, struct report_summary *summary,
                                          bool *ret_unchanged);
/* unchanged.c: 32 hex digits; empty when there were warnings. */
sv run_proof(const struct run_env *env, const struct run_facts *facts,
             const struct run_writer *writer);

#endif
