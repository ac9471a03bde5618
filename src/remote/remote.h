/*
 * remote: what git's own program does for a run: it pushes, fetches, signs, and notes. git/ reads
 * and commits without it. The program is used, not a library, so that credential helpers, ssh
 * agents, proxies, signing keys and pre-push hooks work as they are set up.
 *
 * What the program runs is configuration's choice (the user's, the system's, the repository's),
 * but for a program of the work tree, which is refused (DIAG_PUSH_COMMAND); never the work tree's,
 * which whoever may propose a change has filled: it works in the git directory, PATH has no
 * relative folder and none of the work tree, no hook is run but when it pushes, and then none that
 * stands in the work tree, configuration that takes in a committed file is refused, and submodules
 * are left alone. It refuses a repository of another user as git does (safe.directory). It gets the
 * environment that it is given, but for what would lead it to another repository, in English.
 * Nobody is asked for a password where there is no terminal.
 *
 *   program.c  the program, its environment
 *   guard.c    whether it takes the repository; what the work tree could have it run
 *   commands.c programs that configuration and environment name
 *   remote.c   the remote: its branch's tip, fetching, pushing
 *   branch.c   the branch here and there: which commits are whose, bringing the branch up
 *   sign.c     signed commits
 *   note.c     refs/notes/osm-gen
 *
 * Nothing is forced: a branch or a note on the remote only ever gets commits on top.
 * Failures are reported as codes 6040 to 6049, with the program's own last words, user and
 * password of URLs masked. Signals have to be held (os_hold_signals).
 */
#ifndef OSM_GEN_REMOTE_REMOTE_H
#define OSM_GEN_REMOTE_REMOTE_H

#include "git/git.h"

/* ---- the program ------------------------------------------------------------------------- */

/* What the program is given of the surroundings. */
struct remote_surroundings {
	const sv *environment; /* NAME=VALUE, without any secret of the run */
	size_t environment_count;
	bool is_interactive; /* somebody can be asked at the terminal */
};

struct remote_git;

/*
 * Of the repository. Fails (DIAG_PUSH_PROGRAM) when there is no program git, or it refuses the
 * repository. arena holds what lives as long; nothing is to be closed.
 */
MUST_CHECK enum status remote_git_open(struct arena *arena, struct sink *sink,
                                       const struct git_repo *repo,
                                       const struct remote_surroundings *surroundings,
                                       struct remote_git **ret_git);

/* ---- the branch on the remote ------------------------------------------------------------ */

struct remote_request {
	sv remote;     /* a name or a URL; empty: the branch's upstream, else "origin" */
	sv branch;     /* empty: HEAD's */
	sv source;     /* revision that inputs are read from */
	bool is_fixed; /* it stays when the branch moves: the branch holds output of others' inputs
	                */
	sv out;        /* the output folder, relative to the root */
};

struct remote_branch {
	sv name;        /* "main" */
	sv remote;      /* for people: "origin", or a URL without user and password */
	sv address;     /* for git: a name or a URL */
	bool is_mirror; /* of a name: its branches are those here (git clone --mirror) */
	bool is_head;
	bool is_fixed;
	sv out;
	sv source;  /* the commit to read, in hex */
	sv tip;     /* on the remote, when last looked at; empty: it is not there */
	sv brought; /* the tip that the branch here was set to, the last one; empty: it stayed */
};

/*
 * Where to push to. Fails when HEAD names no branch and none is given (DIAG_PUSH_BRANCH), when
 * there is no such remote (DIAG_PUSH_REMOTE). Warns of hooks that are not run (DIAG_PUSH_HOOKS).
 */
MUST_CHECK enum status remote_find(struct arena *arena, struct sink *sink, struct remote_git *git,
                                   const struct remote_request *request,
                                   struct remote_branch *ret_branch);

/*
 * Looks at the remote's branch, and where it has commits that the branch here lacks, fetches them
 * and brings this branch to its tip, with work tree and index when it is checked out. The source
 * is then that tip (unless is_fixed). Commits here that osm-gen made and that did not get there
 * give way: what they hold is made anew.
 *
 * Fails, with branch and work tree as they were, when the branch here has other commits that the
 * remote's lacks and the reverse (DIAG_PUSH_DIVERGED), and when pushing would publish commits that
 * nobody pushed: the source is not on the branch (DIAG_PUSH_FOREIGN).
 */
MUST_CHECK enum status remote_catch_up(struct arena *arena, struct sink *sink,
                                       struct remote_git *git, struct remote_branch *branch);

enum remote_pushed {
	REMOTE_PUSHED,
	REMOTE_HAS_IT, /* nothing to push */
	REMOTE_MOVED,  /* somebody else was first; nothing is reported */
	REMOTE_REFUSED /* reported */
};

/* The branch's commits, in ret_commit its tip here (empty: the branch is not there). */
MUST_CHECK enum remote_pushed remote_push(struct arena *arena, struct sink *sink,
                                          struct remote_git *git,
                                          const struct remote_branch *branch, sv *ret_commit);

/* ---- notes ------------------------------------------------------------------------------- */

#define REMOTE_NOTES_REF "refs/notes/osm-gen"

struct remote_note {
	sv author_name;
	sv author_mail;
	const sv *commits; /* that are noted, in hex; one that has a note keeps it */
	size_t commit_count;
	sv text;
	unsigned retries;
};

/* Notes, and pushes the notes, merged with those of others (DIAG_PUSH_NOTE). */
MUST_CHECK enum status remote_add_note(struct sink *sink, struct remote_git *git,
                                       const struct remote_branch *branch,
                                       const struct remote_note *note);

/* ---- signed commits ---------------------------------------------------------------------- */

/*
 * When git is configured to sign commits here (commit.gpgSign): sets text->sign. arena, repo and
 * surroundings live as long as that is called. Without the program git the repository's own
 * configuration counts alone.
 */
MUST_CHECK enum status remote_find_signer(struct arena *arena, struct sink *sink,
                                          const struct git_repo *repo,
                                          const struct remote_surroundings *surroundings,
                                          struct git_commit_text *text);

#endif
