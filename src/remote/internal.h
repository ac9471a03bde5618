/*
 * Inside remote/: running the git program.
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
	bool hides_hooks;  /* also when it pushes; else it never runs any */
	bool only_signs;   /* it is for a signature: nothing else is run */
	bool signs_pushes; /* push.gpgSign; set by remote_check_commands */
};

/* Of the surroundings; no program is looked for. */
struct remote_git remote_git_of(struct arena *arena, const struct git_repo *repo,
                                const struct remote_surroundings *surroundings);
/* False: there is none. */
bool remote_git_find(struct remote_git *git, const struct remote_surroundings *surroundings);
void remote_report_no_git(struct sink *sink, enum diag_code code, const char *wanted);

/* One call. */
struct remote_call {
	const sv *arguments;
	size_t argument_count;
	sv input;
	const sv *environment; /* on top of git's */
	size_t environment_count;
	bool in_work_tree;
	bool runs_hooks; /* those that the work tree has no part in */
};
/* Whatever exit status it has; fails when it does not run at all. */
MUST_CHECK enum status remote_run(struct sink *sink, struct remote_git *git,
                                  const struct remote_call *call, struct os_ended *ret_ended);
#define REMOTE_RUN(sink, git, ret_ended, ...)                                                      \
	remote_run((sink), (git),                                                                  \
	           &(struct remote_call){.arguments = (const sv[]){__VA_ARGS__},                   \
	                                 .argument_count = COUNT_OF(((const sv[]){__VA_ARGS__}))}, \
	           (ret_ended))

/*
 * Reports what failed under the code, with the last lines that git printed as notes; the result
 * takes a help.
 */
struct diag *remote_report(struct sink *sink, struct remote_git *git, enum diag_code code,
                           const struct os_ended *ended, sv text);
/* A text of git's or a URL, without users and passwords. */
sv remote_masked(struct arena *arena, sv text);

/* The first line, without its end. */
sv remote_first_line(sv text);
/* The commit that a revision names, in hex; empty: there is none. */
MUST_CHECK enum status remote_resolve(struct sink *sink, struct remote_git *git, sv revision,
                                      sv *ret_hex);
/* Whether `old` is `new`, or behind it. What is not here is not. */
MUST_CHECK enum status remote_is_behind(struct sink *sink, struct remote_git *git, sv old, sv new,
                                        bool *ret_is);

/* ---- guard.c ----------------------------------------------------------------------------- */

/* Sets git->hides_hooks, and says so, when a hook stands in the work tree as it is now. */
MUST_CHECK enum status remote_check_hooks(struct sink *sink, struct remote_git *git);
/* Fails when the configuration includes a file of the work tree that is committed. */
MUST_CHECK enum status remote_check_configuration(struct sink *sink, struct remote_git *git);
/* A file of the work tree that no commit has is this clone's own, such as one in a HOME there. */
MUST_CHECK enum status remote_is_committed(struct sink *sink, struct remote_git *git, sv path,
                                           bool *ret_is);
/* Whether git takes the repository for a trusted one, with its configuration; else reported. */
MUST_CHECK enum status remote_git_probe(struct sink *sink, struct remote_git *git);

/* ---- commands.c -------------------------------------------------------------------------- */

/*
 * Fails (DIAG_PUSH_COMMAND) if git's configuration or the environment names a program of the work
 * tree, or a remote that stands there.
 */
MUST_CHECK enum status remote_check_commands(struct sink *sink, struct remote_git *git);
/* The same for the address that is pushed to. */
MUST_CHECK enum status remote_check_address(struct sink *sink, struct remote_git *git, sv address);

/* ---- remote.c ---------------------------------------------------------------------------- */

/* The ref's commit on the remote; empty: it is not there. */
MUST_CHECK enum status remote_tip(struct sink *sink, struct remote_git *git,
                                  const struct remote_branch *branch, sv ref, sv *ret_hex);
/* Brings it here; depth: 0 is all of it. */
MUST_CHECK enum status remote_fetch(struct sink *sink, struct remote_git *git,
                                    const struct remote_branch *branch, sv ref, unsigned depth,
                                    sv *ret_hex);
/*
 * Pushes what `from` names to the ref, which stood at `known` there. What is refused is reported
 * under the code.
 */
MUST_CHECK enum remote_pushed remote_push_ref(struct sink *sink, struct remote_git *git,
                                              const struct remote_branch *branch,
                                              enum diag_code code, sv from, sv ref, sv known);

#endif
