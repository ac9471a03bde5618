/*
 * remote: runs the program git to push, fetch, sign commits and add notes. git/ reads and commits
 * without it. The program is used here instead of a library so that credential helpers, ssh agents,
 * proxies, signing keys and pre-push hooks work as people have set them up.
 *
 * git runs other programs that its configuration names (the user's, the system's, the
 * repository's). None of them may come from the work tree, whose files anybody who may propose a
 * change can choose:
 *
 * - git works in the git directory, and PATH has no relative folder and no folder of the work tree;
 * - hooks run only for a push, and only if they are outside of the work tree;
 * - a setting or a variable that names a program in the work tree is refused (DIAG_PUSH_COMMAND),
 * as is a configuration that includes a committed file; submodules are left alone.
 *
 * git refuses a repository of another user as usual (safe.directory). It gets the environment that
 * it is given, without the variables that would lead it to another repository, and prints English.
 * Without a terminal nobody is asked for a password.
 *
 *   program.c  finding and running the program; its environment
 *   guard.c    opening: is the repository trusted, are there hooks or settings of the work tree
 *   commands.c programs that git's configuration and the environment name
 *   remote.c   the remote: its branch's tip, fetching, pushing
 *   branch.c   comparing the local branch with the remote's, and bringing it up to date
 *   sign.c     signed commits
 *   note.c     refs/notes/osm-gen
 *
 * A branch or a note on the remote only ever gets commits on top, unless the request replaces, or
 * the branch holds a proposal: then the branch is moved from the very commit that it had when last
 * looked at. Failures are
 * reported as codes 6040 to 6049, with the last lines that git printed; users and passwords in URLs
 * are masked. Signals must be held (os_hold_signals).
 */
#ifndef OSM_GEN_REMOTE_REMOTE_H
#define OSM_GEN_REMOTE_REMOTE_H

#include "git/git.h"

/* ---- the program ------------------------------------------------------------------------- */

/* The environment of osm-gen as far as git gets it. */
struct remote_surroundings {
	const sv *environment; /* NAME=VALUE, without any secret of the run */
	size_t environment_count;
	bool is_interactive; /* git may ask a person at the terminal */
};

struct remote_git;

/*
 * Finds the program git and checks that it takes the repository. Fails (DIAG_PUSH_PROGRAM) if git
 * is not found, if it refuses the repository, or if git's configuration includes a committed
 * file. *ret_git is in the arena and need not be closed; `repo` may be closed before it.
 */
MUST_CHECK enum status remote_git_open(struct arena *arena, struct sink *sink,
                                       const struct git_repo *repo,
                                       const struct remote_surroundings *surroundings,
                                       struct remote_git **ret_git);

/* ---- the branch on the remote ------------------------------------------------------------ */

/*
 * A branch with this prefix holds a proposal for the branch that the source is on, such as
 * osm-gen/main: the source, and the commit of the run on top. When the source has moved on, the
 * branch is made anew on it, and replaced on the remote if all that goes is osm-gen's own.
 */
#define REMOTE_PROPOSALS "osm-gen/"

struct remote_request {
	sv remote; /* a name or a URL; if empty, the branch's upstream, or else "origin" */
	sv branch; /* if empty, the branch that HEAD names */
	sv source; /* the revision that inputs are read from */
	/* Inputs are read from `source` even when the branch moves: the branch holds the output of
	 * another branch's inputs. */
	bool is_fixed;
	/* Commits may be replaced: what the branch has on the remote is not needed any more. */
	bool replaces;
	sv out; /* the output folder, relative to the root */
};

struct remote_branch {
	sv name;        /* "main" */
	sv remote;      /* for messages: "origin", or a URL without user and password */
	sv address;     /* for git: a name or a URL */
	bool is_mirror; /* fetching from it sets the local branches, as after git clone --mirror */
	bool is_head;   /* HEAD names this branch */
	bool is_fixed;  /* as in struct remote_request */
	bool replaces;  /* as in struct remote_request, or made anew (REMOTE_PROPOSALS) */
	sv out;
	sv source; /* the commit to read inputs from, in hex */
	sv tip;    /* the branch's commit on the remote when last looked at; empty if it has none */
	sv brought; /* the tip that remote_catch_up moved the local branch to; empty if it did not
	             */
};

/*
 * Finds out which branch of which remote to push to. Fails if no branch is given and HEAD is
 * detached (DIAG_PUSH_BRANCH), if there is no such remote (DIAG_PUSH_REMOTE), or if git would run a
 * program of the work tree (DIAG_PUSH_COMMAND). Warns of hooks that are not run (DIAG_PUSH_HOOKS).
 */
MUST_CHECK enum status remote_find(struct arena *arena, struct sink *sink, struct remote_git *git,
                                   const struct remote_request *request,
                                   struct remote_branch *ret_branch);

/*
 * Looks at the remote's branch. If it has commits that the local branch lacks, fetches them and
 * moves the local branch to its tip, with work tree and index if it is checked out. The source is
 * then that tip (unless is_fixed). Local commits that osm-gen made and never pushed are dropped,
 * since the run makes them again. A proposal that lacks the source is moved to the source instead.
 *
 * Fails, and leaves branch and work tree as they were, if both branches have commits that the other
 * lacks and osm-gen did not make the local ones (DIAG_PUSH_DIVERGED), or if pushing would publish
 * commits that nobody has pushed, since the source is not on the branch (DIAG_PUSH_FOREIGN).
 */
MUST_CHECK enum status remote_catch_up(struct arena *arena, struct sink *sink,
                                       struct remote_git *git, struct remote_branch *branch);

enum remote_pushed {
	REMOTE_PUSHED,
	REMOTE_HAS_IT, /* nothing to push */
	REMOTE_MOVED,  /* another push came first; nothing is reported */
	REMOTE_REFUSED /* or another failure; reported */
};

/*
 * Pushes the branch; by force, with the remote's tip as the lease, if it replaces and the tip is
 * not among its commits. *ret_commit is its local tip, or empty if the repository has no such
 * branch.
 */
MUST_CHECK enum remote_pushed remote_push(struct arena *arena, struct sink *sink,
                                          struct remote_git *git,
                                          const struct remote_branch *branch, sv *ret_commit);

/* ---- notes ------------------------------------------------------------------------------- */

#define REMOTE_NOTES_REF "refs/notes/osm-gen"

struct remote_note {
	sv author_name;
	sv author_mail;
	const sv *commits; /* in hex; a commit that has a note already keeps it */
	size_t commit_count;
	sv text;          /* of the note, the same for all commits */
	unsigned retries; /* further pushes if others push notes at the same time */
};

/*
 * Adds the note to the commits and pushes refs/notes/osm-gen, merged with the remote's notes. Fails
 * with DIAG_PUSH_NOTE.
 */
MUST_CHECK enum status remote_add_note(struct sink *sink, struct remote_git *git,
                                       const struct remote_branch *branch,
                                       const struct remote_note *note);

/* ---- signed commits ---------------------------------------------------------------------- */

/*
 * Sets text->sign if git is configured to sign commits of this repository (commit.gpgSign), else
 * leaves it as it is. `arena`, `repo` and `surroundings` must live as long as text->sign may be
 * called. Fails (DIAG_COMMIT_SIGN) if the setting cannot be read, or if the repository's own
 * configuration asks for signatures and there is no program git.
 */
MUST_CHECK enum status remote_find_signer(struct arena *arena, struct sink *sink,
                                          const struct git_repo *repo,
                                          const struct remote_surroundings *surroundings,
                                          struct git_commit_text *text);

#endif
