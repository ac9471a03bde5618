/*
 * run: the order of the stages. Discover, load, check all inputs; stop if anything is wrong. Then
 * each unit is a job: resolve, render, encode, seal, hash, in an arena of its own, on any thread.
 * Writing and committing start only when every job succeeded. stages.h has the values that the
 * stages hand on.
 *
 *   inputs.c       repository, commit, files, --secrets, the fleet
 *   unchanged.c    whether there is anything to do
 *   definitions.c  the profiles in the output, and whether they changed as they may
 *   writer.c       the way into the output tree
 *   render.c       units: rendered, sealed, put
 *   classify.c     what is different about a unit's files
 *   without_seed.c what a run without a seed compares, and what not
 *   guard.c        whether what goes is meant, and the output folder is one
 *   output.c       the other files: shared objects, indexes; pruning, strangers
 *   completion.c   how these get into the tree
 *   folders.c      which files stand in which kustomization
 *   delivery.c     what appliers are told
 *   reverted.c     revisions that came back with an earlier output
 *   summary.c      what changed
 *   message.c      the commit's message
 *   push.c         the run again and again, until the remote has what it made
 *   vouch.c        what it says for audits; what `check` says of output that somebody changed
 *   differ.c       what `diff` prints
 *   inspect.c      what `render` prints
 *   compare.c      what `compare` prints
 *   run.c          the stages in order
 *   env.c          what every stage works with
 *   limits.c       what a run may take
 *   survey.c       the inputs alone, for those who ask what is there
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

/* Of one file, or of standard input. */
#define RUN_MAX_INPUT_BYTES ((size_t)64 * 1024 * 1024)

enum run_mode {
	RUN_GENERATE,
	RUN_CHECK,
	RUN_DIFF,
	RUN_VALIDATE,
	RUN_RENDER,
	RUN_PLAN, /* what generate would do to machines: the result's summary says it */
	RUN_COMPARE,
};

/* What a run may take, see struct quota; the defaults are in limits.c. */
#define RUN_BY_SIZE UINT64_MAX /* as the inputs' size asks for */
struct run_limits {
	uint64_t entries;      /* of trees that are listed; long paths count as several */
	uint64_t input_bytes;  /* read from files */
	uint64_t values;       /* in manifests; lists count as two, maps as four */
	uint64_t steps;        /* of templates, see tmpl.h */
	uint64_t output_bytes; /* written */
};
struct run_limits run_limits_default(void);

/* RUN_GENERATE: what becomes of the commit. */
struct run_push {
	sv remote;        /* a name or a URL; empty: the branch's, else origin */
	unsigned retries; /* fresh renders, when others push first */
	bool notes;       /* the source commit is noted as processed */
	/* The branch moves, the source does not: it has output of another branch's inputs. */
	bool is_fixed;
};

/* Who commits, when nothing else says so. */
#define RUN_AUTHOR "osm-gen <osm-gen@localhost>"

struct run_request {
	struct run_limits limits;
	enum run_mode mode;
	sv repo;
	/*
	 * RUN_VALIDATE, RUN_RENDER: the manifests of one cluster, as read from standard input. They
	 * are all there is: no repository is opened. A null pointer: the repository's are read.
	 */
	sv manifests;
	sv out;
	sv rev;
	sv branch;     /* empty: HEAD's */
	sv author;     /* "NAME <MAIL>"; empty: the fleet's, else osm-gen's own */
	bool worktree; /* read the working tree; never commits */
	bool no_commit;
	bool skip_ci; /* the commit's message asks CI to run no job for it */
	/*
	 * What git's own program gets, which signs and pushes; null: commits are not signed, and
	 * there is nothing to push.
	 */
	const struct remote_surroundings *surroundings;
	bool vouch;        /* RUN_GENERATE: commit even unchanged output that nobody vouches for */
	sv secrets_folder; /* empty: none */
	sv revisions_file; /* empty: none */
	struct plan_key seed;
	/* The output contract, whatever the Fleet says; 0: the Fleet's. Of RUN_PLAN. */
	unsigned contract;
	bool rotate_seed;       /* the output may be sealed with another seed than before */
	bool rotate_recipients; /* and to other recipients */
	bool allow_removal;     /* much may go */
	struct plan_key allow_recipients; /* the list of those that may be */
	struct plan_key identities;
	/*
	 * RUN_DIFF, RUN_PLAN, RUN_RENDER: there is no seed. Secrets are stand-ins, nothing is
	 * decrypted, and of the output only what holds no secret is compared.
	 */
	bool without_seed;
	const struct dialect_environment *environment; /* the variables of --allow-env */
	const struct value *settings;                  /* flags: map of setting names to values */
	unsigned threads;                              /* 0: one a core */
	sv version;                                    /* the program's */
	sv build;           /* a digest of its source: another one may render otherwise */
	bool wants_fetches; /* RUN_VALIDATE: what units' machines fetch is wanted, too */
	bool whole;         /* the result's rows are wanted even when nothing is to be done */
	const struct report_style *diff_style; /* RUN_DIFF; null: plain */
	/* RUN_RENDER */
	sv unit_option; /* of a dialect: whose units are meant */
	sv unit;        /* [CLUSTER/]NAMESPACE/NAME */
	sv print;       /* one of the dialect's prints */
	bool reveal;
	/* RUN_COMPARE */
	const struct adopt_live *live;
	sv cluster; /* empty: the only one */
	bool json;
	bool verbose; /* each file or object, also where many are alike */
	/* Called now and then from one thread; null: nobody listens. */
	void (*progress)(void *context, const char *stage, size_t done, size_t total);
	void *progress_context;
};

/* What one unit's machines fetch. */
struct run_fetched {
	sv cluster;
	sv namespace;
	sv name;
	sv profile;
	struct dialect_fetches fetches;
	bool is_inventoried; /* false: its profile, or an extension of it, does not say */
};

struct run_result {
	VEC(struct run_fetched) fetched; /* where it was wanted, in the order of the units */
	struct report_summary summary;
	bool differs;      /* RUN_CHECK, RUN_DIFF, RUN_COMPARE */
	struct buf output; /* for stdout: RUN_DIFF, RUN_RENDER, RUN_COMPARE */
	/* Every secret that was met, for masking what is printed (report_style). */
	const struct secret *const *secrets;
	size_t secret_count;
	/* Memory that the result and the sink's diagnostics refer to: run_release. */
	struct arena **arenas;
	size_t arena_count;
};

/*
 * Runs. When it fails, repository and output folder are as they were; the result's summary and
 * secrets are set all the same. The sink's diagnostics point into the result: print them before
 * run_release.
 */
MUST_CHECK enum status run(struct arena *arena, struct sink *sink,
                           const struct run_request *request, struct run_result *ret_result);
void run_release(struct run_result *result);

/*
 * Runs RUN_GENERATE and pushes the branch. Where the branch has moved on the remote, before or
 * meanwhile, the branch here is brought there and rendered afresh. A run with nothing new pushes
 * what an earlier one left. The request's surroundings are not null.
 *
 * When the push fails the commit stays, and the result's summary names it; when anything else
 * fails, all is as run() leaves it, but for the branch that was brought to the remote's.
 */
MUST_CHECK enum status run_and_push(struct arena *arena, struct sink *sink,
                                    const struct run_request *request, const struct run_push *push,
                                    struct run_result *ret_result);

/*
 * survey.c: the fleet as the inputs say it, without rendering anything and without keys; of a
 * request of RUN_VALIDATE. The fleet belongs to the result (run_release), and is null when none
 * could be read; also when it fails both are set.
 */
MUST_CHECK enum status run_survey(struct arena *arena, struct sink *sink,
                                  const struct run_request *request, const struct fleet **ret_fleet,
                                  struct run_result *ret_result);

#endif
