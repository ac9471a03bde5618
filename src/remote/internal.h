/*
 * Private to remote/: running the program git.
 */
#ifndef OSM_GEN_REMOTE_INTERNAL_H
#define OSM_GEN_REMOTE_INTERNAL_H

#include "os/os.h"
#include "remote/remote.h"

VEC_TYPE(remote_texts, sv);

struct remote_git {
	struct arena *arena;
	sv program;
	sv git_dir;
	sv common_dir;
	sv work_tree; /* empty when bare */
	struct remote_texts environment;
	bool is_interactive;
	bool hides_hooks;  /* a push runs no hooks either (remote_check_hooks) */
	bool only_signs;   /* used to sign: only settings that signing reads are checked */
	bool signs_pushes; /* push.gpgSign; set by remote_check_commands */
};

/* Returns a remote_git with its folders and environment; the program is not searched yet. */
struct remote_git remote_git_of(struct arena *arena, const struct git_repo *repo,
                                const struct remote_surroundings *surroundings);
/* Sets git->program; returns false if no folder of PATH outside of the work tree has git. */
bool remote_git_find(struct remote_git *git, const struct remote_surroundings *surroundings);
/* Reports that git was not found. `wanted` begins the message: "cannot push". */
void remote_report_no_git(struct sink *sink, enum diag_code code, const char *wanted);

/* One run of git. */
struct remote_call {
	const sv *arguments;
	size_t argument_count;
	sv input;
	const sv *environment; /* NAME=VALUE; wins over git->environment */
	size_t environment_count;
	bool in_work_tree; /* runs in the work tree, else in the git directory */
	bool runs_hooks;   /* allows hooks, unless git->hides_hooks */
};
/* Runs git. Succeeds whatever its exit status is, which is in *ret_ended; fails if it cannot run.
 */
MUST_CHECK enum status remote_run(struct sink *sink, struct remote_git *git,
                                  const struct remote_call *call, struct os_ended *ret_ended);
#define REMOTE_RUN(sink, git, ret_ended, ...)                                                      \
	remote_run((sink), (git),                                                                  \
	           &(struct remote_call){.arguments = (const sv[]){__VA_ARGS__},                   \
	                                 .argument_count = COUNT_OF(((const sv[]){__VA_ARGS__}))}, \
	           (ret_ended))

/*
 * Reports the message `text` under the code, with the last lines that git printed as notes. Returns
 * the diagnostic, for a help.
 */
struct diag *remote_report(struct sink *sink, struct remote_git *git, enum diag_code code,
                           const struct os_ended *ended, sv text);
/* Masks users, passwords and query strings of the URLs in git's output. */
sv remote_masked(struct arena *arena, sv text);

/* Returns the first line without blanks around it. */
sv remote_first_line(sv text);
/* Sets *ret_hex to the commit that a revision names, or to an empty string if there is none. */
MUST_CHECK enum status remote_resolve(struct sink *sink, struct remote_git *git, sv revision,
                                      sv *ret_hex);
/*
 * Sets *ret_is to true if `old` is `new` or one of its ancestors. A commit that the repository does
 * not have counts as no ancestor.
 */
MUST_CHECK enum status remote_is_behind(struct sink *sink, struct remote_git *git, sv old, sv new,
                                        bool *ret_is);

/* ---- guard.c ----------------------------------------------------------------------------- */

/* Warns and sets git->hides_hooks if a hook is in the work tree as it is now. */
MUST_CHECK enum status remote_check_hooks(struct sink *sink, struct remote_git *git);
/* Fails (DIAG_PUSH_PROGRAM) if git's configuration includes a committed file of the work tree. */
MUST_CHECK enum status remote_check_configuration(struct sink *sink, struct remote_git *git);
/*
 * Sets *ret_is to true if git tracks the file. An untracked file of the work tree is this clone's
 * own, such as one of a HOME that is in there.
 */
MUST_CHECK enum status remote_is_committed(struct sink *sink, struct remote_git *git, sv path,
                                           bool *ret_is);
/* Fails (DIAG_PUSH_PROGRAM) if git does not trust the repository, or by its configuration. */
MUST_CHECK enum status remote_git_probe(struct sink *sink, struct remote_git *git);

/* ---- commands.c -------------------------------------------------------------------------- */

/*
 * Fails (DIAG_PUSH_COMMAND) if git's configuration or the environment names a program in the work
 * tree, or a remote that is in there. Sets git->signs_pushes.
 */
MUST_CHECK enum status remote_check_commands(struct sink *sink, struct remote_git *git);
/* Fails likewise if the address to push to is in the work tree. */
MUST_CHECK enum status remote_check_address(struct sink *sink, struct remote_git *git, sv address);

/* ---- remote.c ---------------------------------------------------------------------------- */

/* Sets *ret_hex to the ref's commit on the remote, or to an empty string if it has no such ref. */
MUST_CHECK enum status remote_tip(struct sink *sink, struct remote_git *git,
                                  const struct remote_branch *branch, sv ref, sv *ret_hex);
/* Fetches the ref: its last `depth` commits, or all if that is 0. *ret_hex is its commit. */
MUST_CHECK enum status remote_fetch(struct sink *sink, struct remote_git *git,
                                    const struct remote_branch *branch, sv ref, unsigned depth,
                                    sv *ret_hex);
/* A ref that a push moves. */
struct remote_update {
	sv from;     /* a revision here */
	sv ref;      /* on the remote */
	sv known;    /* the commit that the ref had there when last looked at; may be empty */
	bool forces; /* the ref moves from `known`, and from no other commit, to any other */
};
/*
 * Pushes. Reports a refusal under the code. Returns REMOTE_MOVED, without a report, if the ref has
 * another commit than the known one by now.
 */
MUST_CHECK enum remote_pushed remote_push_ref(struct sink *sink, struct remote_git *git,
                                              const struct remote_branch *branch,
                                              enum diag_code code,
                                              const struct remote_update *update);

#endif
