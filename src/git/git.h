/*
 * git: inputs out of a commit, outputs into the next one.
 *
 * Only the repository's own configuration is read, never the user's or the system's, nor any
 * GIT_* variable: the same repository gives the same result everywhere (but for signatures, which
 * are made by git's own program, see remote/). Ownership of the folder
 * (git's safe.directory) is not checked: that check guards against commands which a stranger's
 * repository makes git run, and nothing here runs one: no hook, no filter, no credential helper
 * (those that remote/ runs are guarded there). Replace refs and grafts are not applied. Shallow
 * clones, detached heads, linked work trees, bare and partial clones, alternates and sparse
 * checkouts are read as git reads them, but an object that a partial clone lacks is not fetched,
 * it is an error. Neither are SHA-256 repositories, reftables, split and sparse indexes read where
 * libgit2 does not. docs/operations.md has the table, tests/cli/git_shapes.sh tests it.
 *
 * Paths are relative to the repository's root, with '/', without a leading or trailing one.
 * Failures are reported as codes 6001 to 6029 and 6050 to 6059, or as os/ reports them.
 */
#ifndef OSM_GEN_GIT_GIT_H
#define OSM_GEN_GIT_GIT_H

#include "base/base.h"
#include "diag/diag.h"

/* ---- repositories ------------------------------------------------------------------------ */

struct git_id {
	uint8_t bytes[20];
};

static inline bool git_id_equal(struct git_id a, struct git_id b)
{
	return memcmp(a.bytes, b.bytes, sizeof(a.bytes)) == 0;
}
/* 40 hex digits, in the arena. */
sv git_id_hex(struct arena *arena, struct git_id id);
/* 40 hex digits to an id; false: they are none. */
bool git_id_parse(sv hex, struct git_id *ret_id);
/* The id that git gives to a blob of these bytes. */
struct git_id git_id_of_blob(sv bytes);

struct git_repo;

/*
 * Opens the repository whose root (or .git folder, or bare folder) is path; folders above are not
 * searched, but named in the help when a repository is there. arena holds what lives as long as
 * the repository. Close with git_repo_close.
 */
MUST_CHECK enum status git_repo_open(struct arena *arena, struct sink *sink, sv path,
                                     struct git_repo **ret_repo);
void git_repo_close(struct git_repo *repo);

/* What listing charges for each entry; null: nothing. Reported there. */
void git_repo_limit(struct git_repo *repo, struct quota *entries);

/* Absolute, without trailing '/'; empty for a bare repository. */
sv git_repo_worktree(const struct git_repo *repo); /* of none: empty */

/* The git directory of this work tree, and the one that all work trees of the repository share. */
sv git_repo_folder(const struct git_repo *repo);
sv git_repo_common_folder(const struct git_repo *repo);
/* The repository's own configuration says commit.gpgSign. What cannot be read counts as yes. */
bool git_repo_wants_signature(const struct git_repo *repo);

/* HEAD names a branch that has no commit yet, as after git init. */
bool git_repo_is_unborn(const struct git_repo *repo);
/* Older commits are not there. */
bool git_repo_is_shallow(const struct git_repo *repo);
/* Objects that nobody asked for yet are left with a remote (git clone --filter). */
bool git_repo_is_partial(const struct git_repo *repo);
/* HEAD names a commit, not a branch. */
bool git_repo_is_detached(const struct git_repo *repo);
/* One of several work trees, made by git worktree add. */
bool git_repo_is_linked(const struct git_repo *repo);

/*
 * Whether `git add` would take a file at path, which is absolute and without links; folder is one
 * above it that is there. It would when it lies in a
 * work tree, and no .gitignore passes it over. Ignore files of the user's own do not count: others
 * lack them. *ret_root is that work tree. A repository that cannot be read counts as one that
 * would.
 */
bool git_would_add(struct arena *arena, sv folder, sv path, sv *ret_root);
/* A new repository with the branch main, where none is; folders on the way are made. */
MUST_CHECK enum status git_init(struct arena *arena, struct sink *sink, sv path);

/* ---- reading ----------------------------------------------------------------------------- */

/* A commit that inputs are read from. */
struct git_source {
	struct git_id id;
	struct git_id tree;
	sv hex;                  /* of id */
	int64_t time;            /* committer's, seconds since 1970 */
	int time_offset_minutes; /* of the committer's clock */
};

/* rev as git names revisions: "HEAD", a branch, a tag, an id, "HEAD~2". */
MUST_CHECK enum status git_source_find(struct arena *arena, struct sink *sink,
                                       struct git_repo *repo, sv rev,
                                       struct git_source *ret_source);

enum git_mode {
	GIT_MODE_FILE = 0100644,
	GIT_MODE_EXECUTABLE = 0100755,
	GIT_MODE_LINK = 0120000,      /* its blob is the target */
	GIT_MODE_SUBMODULE = 0160000, /* its id is a commit elsewhere: nothing to read */
};

struct git_file {
	sv path; /* first: sort_compare_sv sorts these */
	enum git_mode mode;
	bool on_disk; /* read from the work tree; id is then not set */
	struct git_id id;
};
VEC_TYPE(git_files, struct git_file);

/*
 * Every file of the commit's tree, sorted by the bytes of the path, except those in the folder
 * `skip` (or empty).
 */
MUST_CHECK enum status git_list(struct arena *arena, struct sink *sink, struct git_repo *repo,
                                const struct git_source *source, sv skip,
                                struct git_files *ret_files);
/*
 * The same from the work tree: tracked files that are there, untracked ones not ignored; of the
 * index submodules, and what a sparse checkout leaves out.
 */
MUST_CHECK enum status git_list_worktree(struct arena *arena, struct sink *sink,
                                         struct git_repo *repo, sv skip,
                                         struct git_files *ret_files);

/*
 * Regular files of the work tree that the commit lacks (`known` is its git_list), added to git or
 * not, except ignored ones and those in the folder `skip`. Sorted. None in a bare repository.
 */
void git_list_untracked(struct arena *arena, struct git_repo *repo, const struct git_files *known,
                        sv skip, struct git_files *ret_files);

/*
 * The file's bytes, terminated by a NUL that is not counted. More than max_bytes is an error. May
 * be called by several threads, each with its own arena and sink.
 */
MUST_CHECK enum status git_read(struct arena *arena, struct sink *sink, struct git_repo *repo,
                                const struct git_file *file, size_t max_bytes, sv *ret_bytes);

/* Returns true if the file can be found and is larger than max_bytes. */
bool git_is_larger(struct arena *arena, struct git_repo *repo, const struct git_file *file,
                   size_t max_bytes);

/*
 * Fails when a partial clone lacks any of the files, whose paths are below the folder `under` (or
 * empty), all in one error. Of other clones it says nothing: what they lack is damage, which
 * git_read reports.
 */
MUST_CHECK enum status git_check_files(struct sink *sink, const struct git_repo *repo, sv under,
                                       const struct git_files *files);

/* The text is a Git LFS pointer, so the file's real content is not in the repository. */
bool git_is_lfs_pointer(sv text);

/*
 * Those of `files` (from git_list) whose index entry or work tree file differs from the commit.
 * Empty in a bare repository. Files left out by a sparse checkout do not count.
 */
MUST_CHECK enum status git_list_dirty(struct arena *arena, struct sink *sink, struct git_repo *repo,
                                      const struct git_files *files, struct git_files *ret_dirty);

VEC_TYPE(git_messages, sv);

/*
 * The messages of the commit and of those behind it, nearest first, at most max: all parents of a
 * merge are followed. Commits that are not there, as in a shallow clone, are passed over.
 */
void git_list_messages(struct arena *arena, struct git_repo *repo, struct git_id from, size_t max,
                       struct git_messages *ret_messages);

VEC_TYPE(git_ids, struct git_id);

/*
 * The different trees that the folder had in these commits, in the same order, at most max.
 */
void git_list_versions(struct arena *arena, struct git_repo *repo, struct git_id from, sv folder,
                       size_t max, struct git_ids *ret_trees);
/* Returns false to end the walk. */
typedef bool git_visit_version(void *context, struct git_id tree);
/*
 * Visits each tree that the folder had in the commits behind `from` and in that one, nearest first,
 * each tree once. Commits that are not there, as in a shallow clone, are passed over. Returns false
 * if there are more than `max` commits to look at.
 */
bool git_walk_versions(struct arena *arena, struct git_repo *repo, struct git_id from, sv folder,
                       size_t max, git_visit_version *visit, void *context);
/* Sets in `there` which of the paths are files below the tree. */
void git_find_below(struct git_repo *repo, struct git_id tree, const char *const *paths,
                    size_t count, bool *there);
VEC_TYPE(git_names, sv);
/* The folders in such a tree, or in the folder of it at `path`; empty: the tree itself. */
void git_list_folders(struct arena *arena, struct git_repo *repo, struct git_id tree, sv path,
                      struct git_names *ret_names);
/* The file at path below such a tree; false when there is none, or a larger one. */
bool git_read_below(struct arena *arena, struct git_repo *repo, struct git_id tree, sv path,
                    size_t max_size, sv *ret_text);
/* One commit, as far as its history matters. */
struct git_commit_info {
	struct git_id id;
	struct git_id tree;
	sv message;
	struct git_id *parents;
	size_t parent_count;
};

struct git_commits {
	struct git_commit_info *items;
	size_t count;
	size_t cap;
	bool is_cut; /* some that belong to it are not there, as in a shallow clone, or were too
	                many */
};

/*
 * The commit and all behind it, each before its parents, at most max. Damaged and missing ones are
 * passed over, and is_cut says so.
 */
void git_list_commits(struct arena *arena, struct git_repo *repo, struct git_id from, size_t max,
                      struct git_commits *ret_commits);
/*
 * What stands at `path` in a tree: a file, or a folder (its mode is none of enum git_mode's).
 * False: nothing does, or the tree is not there. The path is kept as given.
 */
bool git_look_up(struct arena *arena, struct git_repo *repo, struct git_id tree, sv path,
                 struct git_file *ret_file);

/* ---- writing ----------------------------------------------------------------------------- */

/*
 * A folder being rewritten: put every file that shall be there, remove those that shall not,
 * finish. Files neither put nor removed stay as they are.
 *
 * Put hashes first and writes only what differs from what is there, so an unchanged file costs a
 * hash. New contents go into one pack under a temporary name (mode COMMIT) or into a hidden
 * folder on the same disk (mode FOLDER): nothing is visible before git_output_finish, whatever
 * happens, and git_output_free drops it.
 *
 * How git_output_finish commits. (1) Trees and the commit go into the pack; pack and its index are
 * synced and named: objects nobody refers to yet. When the branch is the one checked out here,
 * changed files wait in STAGE by now, a hidden folder in the git directory (or, when that is on
 * another disk, in the work tree). (2) A journal there says what is to move where. (3) Old files
 * move out into STAGE, new ones in. (4) The index is replaced. (5) The branch moves, if it still
 * stands where it stood when the output began. (6) STAGE is removed. A full disk shows before 3.
 * A failure in 3 to 5, the lost race above all, moves everything back. After a crash the next
 * git_output_begin finds the journal: when the branch has the new commit it removes STAGE, else
 * it moves everything back, with a warning; so the second run does in full what the first did in
 * part. Git's locks, and the pack under its temporary name, stand in a journal as well (locks.h):
 * what a killed run left of them the next one removes. SIGHUP, SIGINT and SIGTERM wait from
 * git_output_begin on, and end the run before 3, or behind 6. Runs in one work tree wait for one
 * another, up to half a minute.
 *
 * Objects are synced to the disk, copies in the work tree are not: after a power failure
 * `git restore` has them. Objects of a run that failed after 1 stay until git's next gc.
 */
struct git_output;

enum git_output_mode {
	GIT_OUTPUT_COMMIT,  /* commit, and keep the work tree in step when it shows the branch */
	GIT_OUTPUT_FOLDER,  /* write the folder of the file system alone */
	GIT_OUTPUT_COMPARE, /* write nothing: only report what would change against the commit */
};

struct git_output_options {
	enum git_output_mode mode;
	/*
	 * COMMIT, COMPARE: the folder inside the repository; its parts are no links.
	 * FOLDER: the folder in the file system, absolute or relative to the working directory;
	 * made when it is not there.
	 */
	sv folder;
	/* COMMIT, COMPARE: short name of a branch ("main"), or empty for HEAD's (or a detached
	 * HEAD). A branch that is not there begins at the source commit. */
	sv branch;
	/* Numbers of workers that will call git_output_put, at least 1. */
	unsigned workers;
	/* COMMIT, COMPARE: what the output is made from. It is the parent of the new commit, except
	 * when the branch's tip is another one: then that is. */
	const struct git_source *source;
};

/*
 * repo may be null in mode FOLDER. arena and repo outlive the output. An interrupted run's traces
 * are repaired first. Ends with git_output_free, whatever happens in between.
 */
MUST_CHECK enum status git_output_begin(struct arena *arena, struct sink *sink,
                                        struct git_repo *repo,
                                        const struct git_output_options *options,
                                        struct git_output **ret_output);
void git_output_free(struct git_output *output);

/*
 * What is there before: all files below the folder, paths relative to it, sorted. It is the
 * commit's content in modes COMMIT and COMPARE and the disk's in mode FOLDER; git_output_read
 * reads one of them (any thread).
 */
const struct git_files *git_output_previous(const struct git_output *output);
/* The work tree shows the branch: git_output_finish will keep it in step. */
bool git_output_is_checked_out(const struct git_output *output);
/* Null when there is none. */
const struct git_file *git_output_find(const struct git_output *output, sv path);
MUST_CHECK enum status git_output_read(struct arena *arena, struct sink *sink,
                                       const struct git_output *output, const struct git_file *file,
                                       size_t max_bytes, sv *ret_bytes);

/*
 * The file `path` (relative to the folder) shall have these bytes, mode 100644. Called once for a
 * path. Any thread, each with its own worker number and sink; the path is copied, the bytes are
 * done with on return.
 */
MUST_CHECK enum status git_output_put(struct sink *sink, struct git_output *output, unsigned worker,
                                      sv path, sv bytes);
/* Whether what this worker put last is this file, and it was not there before with these bytes. */
bool git_output_has_changed(const struct git_output *output, unsigned worker, sv path);
/* The file shall not be there; nothing happens when it is not. Any thread. */
void git_output_remove(struct git_output *output, unsigned worker, sv path);

enum git_change_kind { GIT_ADDED, GIT_CHANGED, GIT_REMOVED };

struct git_change {
	sv path; /* relative to the folder */
	enum git_change_kind kind;
	struct git_id old_id; /* not for GIT_ADDED */
	struct git_id new_id; /* not for GIT_REMOVED */
	uint64_t size_bytes;  /* new size */
};
VEC_TYPE(git_changes, struct git_change);

/* What put and remove have come to so far, sorted by path. After the workers are done. */
void git_output_changes(struct arena *arena, struct git_output *output,
                        struct git_changes *ret_changes);

struct git_commit_text;

/* A commit to be made: its trees are in the repository, no ref leads to them yet. */
struct git_commit_draft {
	const struct git_commit_text *text;
	struct git_id tree;
	struct git_id parent;
	sv date; /* of both author and committer, as git reads it: "1772593568 +0200" */
};

struct git_commit_text {
	sv author_name; /* no '<', '>', line break or NUL in either; the committer is the same */
	sv author_email;
	sv message; /* whole; ends in a line break */
	/* Overwrite modified files with a warning each; else they are errors. Strangers always are.
	 */
	bool overwrite_modified;
	bool allow_empty; /* a commit is made even when the tree is the parent's */
	/*
	 * Makes the commit, signed, in place of git/. What it makes is looked at: a commit of
	 * another tree, parent or message, or without a signature, fails (DIAG_COMMIT_SIGN). Null:
	 * the commit is not signed.
	 */
	enum status (*sign)(struct sink *sink, void *context, const struct git_commit_draft *draft,
	                    struct git_id *ret_commit);
	void *sign_context;
};

struct git_output_result {
	bool changed; /* a commit was made, or files of the folder were written */
	bool committed;
	struct git_id commit; /* the branch's tip now; modes COMMIT alone */
	size_t added_count, changed_count, removed_count;
	uint64_t written_bytes; /* of the pack, or of the files in mode FOLDER */
};

/*
 * Makes it so (see above). Both dates are the source commit's committer date with its offset, so
 * that the same input gives the same commit id. A tree that is unchanged makes no commit, but
 * brings a work tree that has fallen behind back in step. text may be null in mode FOLDER; not
 * for mode COMPARE. No hook runs. The branch's reflog gets a line as git's configuration asks for.
 * Once only; when it fails, branch, index and work tree are as they were. Once the branch has moved
 * it does not fail: what the system refuses then is reported (DIAG_GIT_STANDS), and stands.
 */
MUST_CHECK enum status git_output_finish(struct sink *sink, struct git_output *output,
                                         const struct git_commit_text *text,
                                         struct git_output_result *ret_result);

/* ---- libraries --------------------------------------------------------------------------- */

/* The version of libgit2 that runs, of libdeflate that it was built with. */
sv git_library_version(struct arena *arena);
const char *git_deflate_version(void);

#endif
