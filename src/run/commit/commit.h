/*
 * The commit: its message, its author, and the commits of the branch that it replaces.
 *
 *   message.c   the message
 *   escape.c    names of the inputs in it
 *   outside.c   trailers that name what is not in the commit
 *   author.c    the author
 *   history.c   the commits that --history keeps
 */
#ifndef OSM_GEN_RUN_COMMIT_COMMIT_H
#define OSM_GEN_RUN_COMMIT_COMMIT_H

#include "base/base.h"
#include "diag/diag.h"
#include "git/git.h"
#include "report/report.h"
#include "run/facts.h"

/* ---- message --------------------------------------------------------------------------------- */

/* Returns true if the text begins with an issue ("GH-12") or a commit (40 hexadecimal digits). */
bool run_is_reference(sv text);
/*
 * Adds a name of the inputs to a commit's message: on one line, and with an escape (\x40) for
 * characters that mention a person, link or close an issue, or could make a trailer.
 */
void run_add_name(struct buf *buf, sv name);
/*
 * Adds a sentence of osm-gen with values of the inputs in the same way, but leaves the signs of
 * sentences unescaped.
 */
void run_add_sentence(struct buf *buf, sv text);
/*
 * Adds a string, which must be UTF-8, as JSON for a commit's message: on one line, and with an
 * escape (\u0040) for the same characters, except a few signs of sentences.
 */
void run_add_plain_json(struct buf *buf, sv text);

/* The longest line of a message, but for longer words: commitlint's rules for Conventional Commits.
 */
enum { RUN_BODY_MAX = 100 };

/* The words of a commit that the fleet and the command line choose. */
struct run_wording {
	const struct fleet_commit *commit;
	sv author;    /* "Name <mail>" */
	bool skip_ci; /* the subject ends in "[skip ci]", which GitHub, GitLab and others read */
};

/*
 * Returns the commit's message: subject, every removed and added unit, the groups, trailers.
 * `proofs` (the lines of run_rendered_trailer and run_proof_trailers) and `voucher` (run_voucher)
 * may be empty.
 */
sv run_commit_message(struct arena *arena, const struct report_summary *whole,
                      const struct run_wording *wording, sv proofs, sv voucher);

/*
 * The inputs of a run that are not in git: manifests (--manifests), and programs that made
 * manifests
 * (--allow-program). The commit names them in trailers (audit/audit.h), so that people see that
 * nobody can make this commit from git alone, and so that a later run finds out that it was not
 * given the same.
 */

/* Returns the trailers for the commit's message, each a line, or an empty string. */
sv run_outside_trailers(const struct run_env *env, const struct run_request *request,
                        const struct run_facts *facts);
/* Returns the value of kustomize's trailer: name, version and digest, with blanks between. */
sv run_describe_kustomize(struct arena *arena, const struct kustomize_program *program);
/*
 * Compares them with those of the newest commit of osm-gen on the branch: warns of manifests that
 * this run was not given (DIAG_MANIFESTS_LACKING), and of another version of a program
 * (DIAG_PROGRAM_CHANGED).
 */
void run_compare_outside(const struct run_env *env, const struct run_request *request,
                         const struct run_inputs *inputs);

/* ---- author ---------------------------------------------------------------------------------- */

/* Splits "NAME <MAIL>" into its parts. Returns false if it does not have that form. */
bool run_parse_author(sv author, sv *ret_name, sv *ret_mail);
/*
 * Sets the author of `text`: `author` or, if that is empty, the fleet's, or else RUN_AUTHOR. Fails
 * (DIAG_COMMIT_AUTHOR) if it does not have the form of an author.
 */
MUST_CHECK enum status run_choose_author(struct sink *sink, sv author, const struct fleet *fleet,
                                         struct git_commit_text *text);

/* ---- history --------------------------------------------------------------------------------- */

/*
 * --history: a branch that only has the output of another branch's inputs need not keep all
 * commits. It is replaced by its newest ones, made again on top of one without a parent, whose
 * message states what later runs ask of the others (struct audit_left_out).
 */
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
MUST_CHECK enum status run_shorten_history(const struct run_env *env, const struct run_facts *facts,
                                           const struct run_history *history,
                                           struct git_commit_text *text);

#endif
