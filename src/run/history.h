/*
 * The history of the branch: shortens it (generate --history), and warns of what it took back.
 *
 * A branch that only has the output of another branch's inputs need not keep all commits. It is
 * replaced by its newest ones, made again on top of one without a parent, whose message states what
 * later runs ask of the others (struct audit_left_out).
 */
#ifndef OSM_GEN_RUN_HISTORY_H
#define OSM_GEN_RUN_HISTORY_H

#include "git/git.h"
#include "run/env.h"
#include "run/facts.h"
#include "run/inputs.h"

struct run_history {
	struct git_id tip;            /* of the branch, as it was looked at */
	struct git_commits own;       /* the commits that osm-gen made on it, newest first */
	struct git_commit_info below; /* the commit of the inputs where it began */
	bool has_below;
	size_t kept_count; /* how many of `own` stay below the new commit */
	bool replaces;     /* the next commit replaces the branch */
};

/*
 * Looks at the branch before anything is rendered. Does nothing if the request keeps all commits or
 * makes none, or if the branch is to be made.
 *
 * Fails with DIAG_HISTORY_BRANCH if the branch has the inputs, too, or a commit that is not
 * osm-gen's alone: a merge, one without its trailers, or one that changes other files. Fails with
 * DIAG_HISTORY_LACKS if the clone lacks a part of the branch, or if its first commit is a run's
 * that does not state what was before.
 */
MUST_CHECK enum status run_look_at_history(const struct run_env *env,
                                           const struct run_request *request,
                                           const struct run_inputs *inputs,
                                           struct run_history *ret_history);

/* Warns of revisions that the newest commits of `branch` took back (plan_report_reverted). */
void run_report_reverted(const struct run_env *env, const struct run_facts *facts, sv branch);

/*
 * Sets text->kept if the commit replaces the branch, and adds to the message of the first commit
 * the facts of those that go. Fails with DIAG_HISTORY_BRANCH if a commit that stays would lose its
 * signature, and as plan_leave_out does.
 */
MUST_CHECK enum status run_shorten(const struct run_env *env, const struct run_facts *facts,
                                   const struct run_history *history, struct git_commit_text *text);

#endif
