/*
 * run: the order of the stages. Discover, load, check all inputs; stop if anything is wrong. Then
 * each unit is a job: resolve, render, encode, seal, hash, in an arena of its own, on any thread.
 * Writing and committing start only when every job succeeded.
 *
 * These are the values that stages hand on; each is made by one stage and const for those after it:
 *
 *   struct run_inputs    the files that were read, and the fleet       inputs/inputs.h
 *   struct plan          clusters, units, and what each needs          plan/plan.h
 *   struct previous      the output before the run                     plan/plan.h
 *   struct run_job       what rendering a unit needs                   job.h
 *   struct run_rendered  the files of each unit and cluster            rendered.h
 *   struct git_changes   how the output tree changes                   git/git.h
 *   struct run_facts     all of these, for stages that report them     facts.h
 *
 * The stages are folders, in the order of a run. Each has a header of its own, named after it; a
 * folder uses those above it:
 *
 *   inputs/     reads the repository, and the fleet that it describes
 *   output/     the output folder: the files that it has, and the only way to put new ones
 *   guards/     stops a run that would do damage
 *   summary/    which units and files change, why, and warnings about them
 *   commit/     the commit's message and author, and the commits that it replaces
 *   proofs/     digests in commits: this run has nothing to do, this unit keeps its files
 *   shard/      divides units among several runs, and puts their results together
 *   units/      renders, seals and puts units
 *   basis/      without the seed: the commit that made the output, and what differs from it
 *   clusters/   the files of a cluster that belong to no unit; removes old files
 *   show/       what `diff`, `render` and `compare` print
 *
 * And files that do not belong to one stage:
 *
 *   run.c        the stages in order
 *   env.c        memory, threads and limits, for every stage
 *   limits.c     the limits of a run
 *   rendered.c   rows of the summary, made of what rendering keeps
 *   push.c       runs until the remote has the result
 *   artifact.c   writes the output as OCI images, after the run
 *   survey.c     reads the inputs only, for commands that list them
 */
#ifndef OSM_GEN_RUN_RUN_H
#define OSM_GEN_RUN_RUN_H

#include "adopt/adopt.h"
#include "base/base.h"
#include "diag/diag.h"
#include "dialect/dialect.h"
#include "plan/plan.h"
#include "remote/remote.h"
#include "report/report.h"
#include "value/value.h"

/* The largest input file, or standard input. */
#define RUN_MAX_INPUT_BYTES ((size_t)64 * 1024 * 1024)

enum run_mode {
	RUN_GENERATE,
	RUN_CHECK,
	RUN_DIFF,
	RUN_VALIDATE,
	RUN_RENDER,
	RUN_PLAN, /* reports in the summary what generate would do to machines */
	RUN_COMPARE,
};

/* The limits of a run, see struct quota; the defaults are in limits.c. */
#define RUN_BY_SIZE UINT64_MAX /* a limit that follows from the inputs' size */
struct run_limits {
	uint64_t entries;      /* entries of listed folders; long paths count as several */
	uint64_t input_bytes;  /* read from files */
	uint64_t values;       /* in manifests; lists count as two, maps as four */
	uint64_t steps;        /* steps of templates, see tmpl.h */
	uint64_t output_bytes; /* written */
};
struct run_limits run_limits_default(void);

/* RUN_GENERATE: how the commit is pushed. */
struct run_push {
	sv remote;        /* a name or a URL; empty for the branch's remote, or else origin */
	unsigned retries; /* how often to render again when others push first */
	bool notes;       /* mark the source commit as processed, in a git note */
	/* The branch holds the output of another branch's inputs: it moves, the source does not. */
	bool is_fixed;
};

/* The author of commits if neither the request nor the fleet names one. */
#define RUN_AUTHOR  "osm-gen <osm-gen@localhost>"
#define RUN_SUBJECT "osm-gen: " FLEET_COMMIT_CHANGES

/* ---- the request, in parts --------------------------------------------------------------- */

/* A file of manifests that is not in the commit. */
struct run_added {
	sv path;    /* as messages name it */
	sv cluster; /* the cluster that it belongs to; empty if there is only one */
	sv text;    /* secret */
};
/* Returns the name of such a file in the output and in trailers: its path has a machine's folders.
 */
static inline sv run_added_name(const struct run_added *added)
{
	return sv_after_last(added->path, '/');
}

/* Other programs that the command line allows (--allow-program). */
struct run_programs {
	bool sops; /* to decrypt inputs for keys that osm-gen does not use (seal_program_new) */
	bool kustomize; /* to make the manifests of Clusters with `kustomize: DIR` */
	sv path;        /* PATH, in which kustomize is searched; may be empty */
	sv folder;      /* TMPDIR, for kustomize's private folder; may be empty */
	/* NAME=VALUE, without secrets of osm-gen; each program gets what it needs of it. */
	const sv *environment;
	size_t environment_count;
};

/* The inputs to read. */
struct run_reading {
	sv repo;
	/*
	 * RUN_VALIDATE, RUN_RENDER: the manifests of one cluster, as read from standard input. No
	 * repository is opened then. A null pointer if the repository's are read.
	 */
	sv manifests;
	/* Manifests that are read beside those of the repository (--manifests). */
	const struct run_added *added;
	size_t added_count;
	sv rev;
	bool worktree;  /* read the working tree; never commits */
	bool no_proofs; /* render everything, whatever proves that it is there (proofs/proofs.h) */
	sv secrets_folder; /* --secrets; empty if it is not given */
	sv revisions_file; /* --revisions; empty if it is not given */
	struct plan_key seed;
	struct plan_key identities;
	struct run_programs programs;
	/*
	 * RUN_DIFF, RUN_PLAN, RUN_RENDER: the run has no seed. Secrets are stand-ins, nothing is
	 * decrypted, and only output that holds no secret is compared.
	 */
	bool without_seed;
	const struct dialect_environment *environment; /* the variables of --allow-env */
	const struct value *settings;                  /* flags: map of setting names to values */
	/* RUN_PLAN: the output contract to use in place of the Fleet's; 0 for the Fleet's. */
	unsigned contract;
};

/* Changes that the run may make although they could be a mistake. */
struct run_allowed {
	bool rotate_seed;           /* seal the output with another seed than before */
	bool rotate_recipients;     /* seal the output to other recipients than before */
	bool removal;               /* remove much */
	bool roll;                  /* replace many machines by the setting roll */
	struct plan_key recipients; /* the list of recipients that may read the output */
};

/*
 * RUN_GENERATE: one of several runs that render a part of one commit each, or the run that puts
 * their parts together (docs/howto/shards.md). All members are 0 in other runs.
 */
struct run_sharding {
	/* The number of this part, from 1, and of all parts. */
	unsigned index;
	unsigned count;
	sv folder; /* the folder that the part is written to, outside of the repository */
	/* The folders with all parts, to be put together. */
	const sv *folders;
	size_t folder_count;
};

/* Where the output goes. */
struct run_target {
	sv out;
	sv branch; /* empty for the branch of HEAD */
	bool no_commit;
	/* The number of osm-gen's commits that the branch keeps, which has no inputs; 0 for all. */
	size_t history;
	sv artifact; /* --artifact, the folder of OCI images; empty if it is not given */
};

/* How the output is committed. */
struct run_commit {
	sv author;    /* "NAME <MAIL>"; empty for the fleet's, or else RUN_AUTHOR */
	bool skip_ci; /* ask CI, in the message, to run no job for the commit */
	bool vouch;   /* RUN_GENERATE: commit even unchanged output if no commit vouches for it */
	/*
	 * The environment for git's own program, which signs and pushes. It may be null; commits
	 * are not signed then, and nothing is pushed.
	 */
	const struct remote_surroundings *surroundings;
};

/* How results are printed. */
struct run_print {
	const struct report_style *diff_style; /* RUN_DIFF; may be null for plain text */
	bool verbose;                          /* print each file, even if many change alike */
	/* RUN_DIFF: open sealed files with these keys, and print how they differ in the clear. */
	bool reveal;
	struct plan_key identities;
	struct plan_key private_keys; /* of a sealed-secrets controller */
	/* RUN_CHECK, RUN_DIFF, RUN_PLAN, RUN_VALIDATE: report this cluster alone; empty for all. */
	sv cluster;
	bool whole;         /* fill the result's rows even if there is nothing to do */
	bool wants_fetches; /* RUN_VALIDATE: fill the result's `fetched` */
};

/* RUN_RENDER: the part of a unit to print. */
struct run_inspected {
	/* The dialect's option that names the unit, such as "machine-deployment"; empty for any. */
	sv unit_option;
	sv unit;  /* [CLUSTER/]NAMESPACE/NAME */
	sv print; /* one of the dialect's prints; empty for its first */
	bool reveal;
};

/* RUN_COMPARE: the live objects of a cluster, and how to print the comparison. */
struct run_compared {
	const struct adopt_live *live;
	sv cluster; /* may be empty if there is only one */
	bool json;
	bool verbose; /* print each object, even if many differ alike */
};

/* Called now and then, by one thread. */
struct run_progress {
	/* May be null. */
	void (*report)(void *context, const char *stage, size_t done, size_t total);
	void *context;
};

struct run_request {
	enum run_mode mode;
	struct run_limits limits;
	unsigned threads; /* 0 for one on each core */
	sv version;       /* the program's version */
	sv build;         /* a digest of its source: another build may render otherwise */
	struct run_reading reading;
	struct run_allowed allowed;
	struct run_target target;
	struct run_sharding sharding;
	struct run_commit commit;
	struct run_print print;
	struct run_inspected inspected;
	struct run_compared compared;
	struct run_progress progress;
};

/* ---- the result -------------------------------------------------------------------------- */

/* The files that the machines of one unit download. */
struct run_fetched {
	sv cluster;
	sv namespace;
	sv name;
	sv profile;
	struct dialect_fetches fetches;
	bool is_inventoried; /* false if its profile, or an extension of it, does not list them */
};

struct run_result {
	VEC(struct run_fetched) fetched; /* in the order of the units; see wants_fetches */
	struct report_summary summary;
	bool differs;      /* RUN_CHECK, RUN_DIFF, RUN_COMPARE */
	struct buf output; /* for stdout: RUN_DIFF, RUN_RENDER, RUN_COMPARE */
	/* Every secret of the run, for masking what is printed (report_style). */
	const struct secret *const *secrets;
	size_t secret_count;
	/* Memory that the result and the sink's diagnostics refer to; run_release frees it. */
	struct arena **arenas;
	size_t arena_count;
};

/*
 * Runs the stages. On failure the repository and the output folder are as they were; the result's
 * summary and secrets are set nevertheless. The sink's diagnostics point into the result: print
 * them before run_release.
 */
MUST_CHECK enum status run(struct arena *arena, struct sink *sink,
                           const struct run_request *request, struct run_result *ret_result);
void run_release(struct run_result *result);

/*
 * Runs RUN_GENERATE and pushes the branch. If the remote's branch has moved, before or meanwhile,
 * the local branch is brought there and rendered again. If there is nothing new, commits that an
 * earlier run left are pushed. The request's surroundings must not be null.
 *
 * If the push fails, the commit stays and the result's summary names it. Any other failure is like
 * one of run(), except that the branch may have been brought to the remote's.
 */
MUST_CHECK enum status run_and_push(struct arena *arena, struct sink *sink,
                                    const struct run_request *request, const struct run_push *push,
                                    struct run_result *ret_result);

/*
 * artifact.c: writes an OCI image for each cluster, and one for the applier's objects of each
 * management cluster, into the folder of --artifact (docs/spec/delivery.md 4).
 *
 * run_check_artifacts fails (DIAG_ARTIFACT_FOLDER) if the folder cannot be used; call it before the
 * run. run_write_artifacts writes the output that a RUN_GENERATE left: of the branch's tip, or of
 * the folder if the run made no commit. *ret_count is the number of images.
 */
MUST_CHECK enum status run_check_artifacts(struct arena *arena, struct sink *sink,
                                           const struct run_request *request);
MUST_CHECK enum status run_write_artifacts(struct arena *arena, struct sink *sink,
                                           const struct run_request *request, size_t *ret_count);

/*
 * survey.c: reads the fleet of a RUN_VALIDATE request, without rendering anything and without keys.
 * *ret_fleet belongs to the result (run_release); it is null if no fleet could be read. Both are
 * also set on failure.
 */
MUST_CHECK enum status run_survey(struct arena *arena, struct sink *sink,
                                  const struct run_request *request, const struct fleet **ret_fleet,
                                  struct run_result *ret_result);

#endif
