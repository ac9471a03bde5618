/*
 * git: reads inputs from a commit, and writes outputs into the next one.
 *
 * Only the repository's own configuration is read, never the user's or the system's, nor any
 * GIT_* variable: the same repository gives the same result everywhere, except for signatures,
 * which the program git makes (remote/). The owner of the folder (git's safe.directory) is not
 * checked: that check guards against commands that a foreign repository makes git run, and nothing
 * here runs a hook, a filter or a credential helper (remote/ guards those that it runs).
 *
 * Replace refs and grafts are not applied. Shallow clones, detached heads, linked work trees, bare
 * and partial clones, alternates and sparse checkouts are read as git reads them, except that an
 * object that a partial clone lacks is not fetched but reported. SHA-256 repositories, reftables,
 * split and sparse indexes are read as far as libgit2 supports them. docs/git.md has the
 * table, and tests/cli/git_shapes.sh tests it.
 *
 * Paths are relative to the repository's root, with '/', without a leading or trailing one.
 * Failures are reported as codes 6001 to 6029 and 6050 to 6059, or as os/ reports them.
 */
#ifndef OSM_GEN_GIT_GIT_H
#define OSM_GEN_GIT_GIT_H

#include "base/base.h"
#include "diag/diag.h"
#include "git/lines.h"

/* ---- repositories ------------------------------------------------------------------------ */

struct git_id {
	uint8_t bytes[20];
};

static inline bool git_id_equal(struct git_id a, struct git_id b)
{
	return memcmp(a.bytes, b.bytes, sizeof(a.bytes)) == 0;
}
/* Returns the bytes of the id itself, as a key. */
static inline sv git_id_sv(const struct git_id *id)
{
	return sv_from_bytes(id->bytes, sizeof(id->bytes));
}

/* Returns the id as 40 hex digits, in the arena. */
sv git_id_hex(struct arena *arena, struct git_id id);
/* Parses 40 hex digits; returns false for any other string. */
bool git_id_parse(sv hex, struct git_id *ret_id);
/* Returns the id that git gives to a blob of these bytes. */
struct git_id git_id_of_blob(sv bytes);

struct git_repo;

/*
 * Returns the root of the repository that the current folder is in: ".", or an absolute path if the
 * root is above. Returns "." outside of any repository, which git_repo_open then reports.
 */
sv git_repo_find(struct arena *arena);

/*
 * Opens the repository whose root (or .git folder, or bare folder) is `path`. Folders above are not
 * searched, but the help names one that is a repository. The arena must outlive the repository.
 * Close with git_repo_close.
 */
MUST_CHECK enum status git_repo_open(struct arena *arena, struct sink *sink, sv path,
                                     struct git_repo **ret_repo);
void git_repo_close(struct git_repo *repo);

/* Sets the quota that listing charges for each entry; may be null. Listing reports its end. */
void git_repo_limit(struct git_repo *repo, struct quota *entries);

/* Returns the work tree, absolute and without a trailing '/', or an empty string if bare. */
sv git_repo_worktree(const struct git_repo *repo);

/* Return the git directory of this work tree, and the one that all work trees share. */
sv git_repo_folder(const struct git_repo *repo);
sv git_repo_common_folder(const struct git_repo *repo);
/* True if the repository's own configuration sets commit.gpgSign, or cannot be read. */
bool git_repo_wants_signature(const struct git_repo *repo);

/* Returns the URL of the remote "origin" as it is configured, or an empty string without one. */
sv git_repo_origin(struct arena *arena, const struct git_repo *repo);

/* True if HEAD names a branch that has no commit yet, as after git init. */
bool git_repo_is_unborn(const struct git_repo *repo);
/* True if older commits are missing (git clone --depth). */
bool git_repo_is_shallow(const struct git_repo *repo);
/* True if objects that git has not needed yet are missing (git clone --filter). */
bool git_repo_is_partial(const struct git_repo *repo);
/* True if HEAD names a commit, not a branch. */
bool git_repo_is_detached(const struct git_repo *repo);
/* True for a work tree that git worktree add made. */
bool git_repo_is_linked(const struct git_repo *repo);

/* An operation in a work tree that git has begun and not finished. */
struct git_unfinished {
	const char *operation; /* "a merge"; null if there are only conflicts */
	bool has_conflicts;    /* the index has entries of several sides */
	const char *remedy;    /* the commands that end it */
};
/*
 * Returns true if a merge, rebase, cherry-pick, revert or am is not finished, or the index has
 * conflicts. A bisection does not count. A bare repository has none of these.
 */
bool git_find_unfinished(struct git_repo *repo, struct git_unfinished *ret_unfinished);
/* Returns what it is, in words: "a merge is not finished, and files have conflicts". */
sv git_describe_unfinished(struct arena *arena, const struct git_unfinished *unfinished);
/* Fails (DIAG_GIT_UNFINISHED) if git_find_unfinished finds something. */
MUST_CHECK enum status git_check_finished(struct sink *sink, struct git_repo *repo);

/*
 * True if `git add` would take a file at `path`, which is absolute and without links: it is in a
 * work tree, *ret_root, and no .gitignore excludes it. `folder` is an existing folder above it.
 * Ignore files of the user's own do not count, since others do not have them. Also true if the
 * repository cannot be read.
 */
bool git_would_add(struct arena *arena, sv folder, sv path, sv *ret_root);
/* Makes a new repository with the branch main, and the folders above it. */
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

/* Finds the commit of a revision: "HEAD", a branch, a tag, an id, "HEAD~2". */
MUST_CHECK enum status git_source_find(struct arena *arena, struct sink *sink,
                                       struct git_repo *repo, sv rev,
                                       struct git_source *ret_source);

enum git_mode {
	GIT_MODE_FILE = 0100644,
	GIT_MODE_EXECUTABLE = 0100755,
	GIT_MODE_LINK = 0120000,      /* its blob is the target's path */
	GIT_MODE_SUBMODULE = 0160000, /* its id is a commit of another repository */
};

struct git_file {
	sv path; /* first: sort_compare_sv sorts these */
	enum git_mode mode;
	bool on_disk; /* read from the work tree; id is then not set */
	struct git_id id;
};
VEC_TYPE(git_files, struct git_file);

/*
 * Lists every file of the commit's tree, sorted by the bytes of the path, except those in the
 * folder `skip`, which may be empty.
 */
MUST_CHECK enum status git_list(struct arena *arena, struct sink *sink, struct git_repo *repo,
                                const struct git_source *source, sv skip,
                                struct git_files *ret_files);
/* Lists those in `folder` alone: none if the commit has no folder there. */
MUST_CHECK enum status git_list_folder(struct arena *arena, struct sink *sink,
                                       struct git_repo *repo, const struct git_source *source,
                                       sv folder, struct git_files *ret_files);
/*
 * Lists the files of the work tree likewise: tracked files that exist and untracked ones that are
 * not ignored. Submodules and files that a sparse checkout leaves out are taken from the index.
 */
MUST_CHECK enum status git_list_worktree(struct arena *arena, struct sink *sink,
                                         struct git_repo *repo, sv skip,
                                         struct git_files *ret_files);

/*
 * Lists the regular files of the work tree that the commit lacks (`known` is its git_list), whether
 * in the index or not, except ignored ones and those in the folder `skip`. Sorted; empty for a bare
 * repository.
 */
void git_list_untracked(struct arena *arena, struct git_repo *repo, const struct git_files *known,
                        sv skip, struct git_files *ret_files);

/*
 * Reads the file's bytes, followed by a NUL that is not counted. Fails if there are more than
 * max_bytes. Threads may call it, each with its own arena and sink.
 */
MUST_CHECK enum status git_read(struct arena *arena, struct sink *sink, struct git_repo *repo,
                                const struct git_file *file, size_t max_bytes, sv *ret_bytes);
/*
 * Does the same for a committed file whose path is relative to `folder`. If the work tree has the
 * file with that id, it is read there, which takes a third of the time of inflating it.
 */
MUST_CHECK enum status git_read_within(struct arena *arena, struct sink *sink,
                                       struct git_repo *repo, sv folder,
                                       const struct git_file *file, size_t max_bytes,
                                       sv *ret_bytes);

/* Returns true if the file can be found and is larger than max_bytes. */
bool git_is_larger(struct arena *arena, struct git_repo *repo, const struct git_file *file,
                   size_t max_bytes);

/*
 * Fails, with one error for all, if a partial clone lacks any of the files. Their paths are
 * relative to the folder `under`, which may be empty. Other clones are not checked: a missing
 * object is damage there, which git_read reports.
 */
MUST_CHECK enum status git_check_files(struct sink *sink, const struct git_repo *repo, sv under,
                                       const struct git_files *files);

/*
 * Returns the filter that .gitattributes gives the file, or an empty string. The attributes are the
 * commit's; those of the work tree if `source` is null. Not for threads.
 */
sv git_filter_of(struct arena *arena, struct git_repo *repo, const struct git_source *source,
                 sv path);
/*
 * Returns the first attribute (as git_filter_of reads them) by which git would store other bytes of
 * the file than osm-gen writes, "filter" or "working-tree-encoding", or an empty string.
 * *ret_value is its value.
 */
sv git_changing_attribute(struct arena *arena, struct git_repo *repo,
                          const struct git_source *source, sv path, sv *ret_value);

/* True for a Git LFS pointer: the file's real content is not in the repository. */
bool git_is_lfs_pointer(sv text);

/*
 * Lists those of `files` (from git_list) whose index entry or work tree file differs from the
 * commit. Files left out by a sparse checkout do not count. Empty for a bare repository.
 */
MUST_CHECK enum status git_list_dirty(struct arena *arena, struct sink *sink, struct git_repo *repo,
                                      const struct git_files *files, struct git_files *ret_dirty);

/*
 * Reports a commit of more than a MiB, if one was met: nothing of it was read, so that its parents
 * are not known. A run that looked at the history asks this before it relies on what it saw. `repo`
 * may be null.
 */
MUST_CHECK enum status git_check_commits(struct sink *sink, const struct git_repo *repo);

VEC_TYPE(git_messages, sv);

/*
 * Lists the messages of the commit and its ancestors, nearest first, at most `max`. All parents of
 * a merge are followed. Commits that a shallow clone lacks are skipped.
 */
void git_list_messages(struct arena *arena, struct git_repo *repo, struct git_id from, size_t max,
                       struct git_messages *ret_messages);

VEC_TYPE(git_ids, struct git_id);

/*
 * Lists the different trees that the folder had in these commits, in the same order. Looks at no
 * more than `max` commits.
 */
void git_list_versions(struct arena *arena, struct git_repo *repo, struct git_id from, sv folder,
                       size_t max, struct git_ids *ret_trees);
/* Called for each tree; returns false to end the walk. */
typedef bool git_visit_version(void *context, struct git_id tree);
/*
 * Visits each different tree that the folder had in `from` and its ancestors once, nearest first.
 * Commits that a shallow clone lacks are skipped. Returns false if there are more than `max`
 * commits to look at.
 */
bool git_walk_versions(struct arena *arena, struct git_repo *repo, struct git_id from, sv folder,
                       size_t max, git_visit_version *visit, void *context);
/* Sets in `there` which of the paths are files below the tree. */
void git_find_below(struct git_repo *repo, struct git_id tree, const char *const *paths,
                    size_t count, bool *there);
VEC_TYPE(git_names, sv);
/* Lists the folders in the tree, or in its folder `path` unless that is empty. */
void git_list_folders(struct arena *arena, struct git_repo *repo, struct git_id tree, sv path,
                      struct git_names *ret_names);
/* Reads the file at `path` below the tree; returns false if it is missing or too large. */
bool git_read_below(struct arena *arena, struct git_repo *repo, struct git_id tree, sv path,
                    size_t max_size, sv *ret_text);
/* One commit of a history. */
struct git_commit_info {
	struct git_id id;
	struct git_id tree;
	sv message;
	struct git_id *parents; /* as the commit names them, even if a shallow clone lacks them */
	size_t parent_count;
	bool is_signed;
};
/* Reads one commit. Returns false if the repository lacks it. */
bool git_read_commit(struct arena *arena, struct git_repo *repo, struct git_id id,
                     struct git_commit_info *ret_commit);

struct git_commits {
	struct git_commit_info *items;
	size_t count;
	size_t cap;
	bool is_cut; /* commits are left out: a shallow clone lacks them, or there were too many */
};

/*
 * Lists the commit and its ancestors, each before its parents, at most `max`. Damaged and missing
 * commits are skipped, and is_cut is then true.
 */
void git_list_commits(struct arena *arena, struct git_repo *repo, struct git_id from, size_t max,
                      struct git_commits *ret_commits);
/*
 * Looks up the file or folder at `path` in a tree; a folder's mode is not in enum git_mode. Returns
 * false if the path or the tree does not exist. ret_file->path is `path` itself, not a copy.
 */
bool git_look_up(struct arena *arena, struct git_repo *repo, struct git_id tree, sv path,
                 struct git_file *ret_file);

/* ---- branches ---------------------------------------------------------------------------- */

/*
 * Follows first parents to the commit that has no parent. Returns false if a commit is missing on
 * the way, or if there are more than `max`.
 */
bool git_find_root(struct arena *arena, struct git_repo *repo, struct git_id from, size_t max,
                   struct git_commit_info *ret_root);
/* Finds the best common ancestor of two commits; returns false if none is known here. */
bool git_find_base(struct git_repo *repo, struct git_id one, struct git_id other,
                   struct git_id *ret_base);
/* True if two trees differ in anything that is not below `folder`, or if one cannot be read. */
bool git_differ_outside(struct arena *arena, struct git_repo *repo, struct git_id one,
                        struct git_id other, sv folder);

struct git_branch_look {
	bool is_default; /* HEAD, or that of a remote as this clone knows it, names the branch */
	sv remote;       /* "origin/NAME" if the branch is known on a remote; may be empty */
};
void git_look_at_branch(struct arena *arena, struct git_repo *repo, sv branch,
                        struct git_branch_look *ret_look);

/* ---- writing ----------------------------------------------------------------------------- */

/*
 * An output folder that is being rewritten: put each file that is to be there, remove those that
 * are not, and finish. Other files stay as they are.
 *
 * git_output_put hashes a file and writes it only if it differs from the previous one. New contents
 * go into one pack under a temporary name (mode COMMIT) or into a hidden folder on the same disk
 * (mode FOLDER). Nothing is visible before git_output_finish; git_output_free drops unfinished
 * work.
 *
 * git_output_finish commits in these steps:
 *
 * 1. Trees and the commit are added to the pack. The pack and its index are synced and get their
 *    final names; nothing refers to the objects yet. If the branch is checked out here, the changed
 *    files are ready in STAGE, a hidden folder in the git directory (or in the work tree, if the
 * git directory is on another disk).
 * 2. A journal in STAGE lists the files that are to be moved.
 * 3. Old files are moved into STAGE, and new ones out of it.
 * 4. The index is replaced.
 * 5. The branch moves, if it still has the commit that it had when the output began.
 * 6. STAGE is removed.
 *
 * A full disk is noticed before step 3. If a step from 3 to 5 fails, usually since another process
 * moved the branch, everything is moved back. After a crash the next git_output_begin finds the
 * journal: if the branch has the new commit, it removes STAGE, else it moves everything back, with
 * a warning. The run's locks and its temporary pack are recorded in another journal (locks.h), by
 * which the next run removes them if this one is killed. SIGHUP, SIGINT and SIGTERM are held from
 * git_output_begin on, and end the run before step 3 or after step 6. Runs in one work tree wait
 * for each other, up to half a minute.
 *
 * Objects are synced to the disk; files of the work tree are not, since after a power failure
 * `git restore` restores them. Objects of a run that failed after step 1 remain until git's next
 * gc.
 */
struct git_output;

enum git_output_mode {
	GIT_OUTPUT_COMMIT,  /* commit, and keep the work tree in step when it shows the branch */
	GIT_OUTPUT_FOLDER,  /* only write a folder of the file system */
	GIT_OUTPUT_COMPARE, /* write nothing: only report what would change against the commit */
};

struct git_output_options {
	enum git_output_mode mode;
	/* COMMIT, COMPARE: the folder in the repository; no part of its path may be a link.
	 * FOLDER: the folder in the file system, absolute or relative to the working directory;
	 * made if it does not exist. */
	sv folder;
	/* COMMIT, COMPARE: short name of a branch ("main"); if empty, HEAD's branch or the detached
	 * HEAD. A new branch begins at the source commit. */
	sv branch;
	/* Number of workers that will call git_output_put, at least 1. */
	unsigned workers;
	/* COMMIT, COMPARE: the commit that the inputs are from. The parent of the new commit is the
	 * branch's tip, or this one if the branch is new. */
	const struct git_source *source;
	/* COMMIT, COMPARE: the files of the folder in the tree `listed_tree`, paths relative to it,
	 * if they were listed before; else null. They must outlive the output. */
	const struct git_files *listed;
	struct git_id listed_tree;
	/* COMPARE: the path of a new file outside of the repository, which gets the new contents
	 * for another run (git_output_save); empty to write none. */
	sv blobs;
};

/*
 * Begins an output. `repo` may be null in mode FOLDER. `arena` and `repo` must outlive the output.
 * First repairs what an interrupted run left. Free with git_output_free, finished or not.
 */
MUST_CHECK enum status git_output_begin(struct arena *arena, struct sink *sink,
                                        struct git_repo *repo,
                                        const struct git_output_options *options,
                                        struct git_output **ret_output);
void git_output_free(struct git_output *output);

/*
 * Returns the previous files of the folder, sorted, with paths relative to it: those of the parent
 * commit in modes COMMIT and COMPARE, those on disk in mode FOLDER. Any thread may read them with
 * git_output_read.
 */
const struct git_files *git_output_previous(const struct git_output *output);
/*
 * True if git_output_finish failed and could not move all files back. The next git_output_begin
 * does so. `output` may be null.
 */
bool git_output_is_half_done(const struct git_output *output);
/* True if the branch is checked out here, so that git_output_finish updates the work tree. */
bool git_output_is_checked_out(const struct git_output *output);
/* Returns the previous file of that path, or null. */
const struct git_file *git_output_find(const struct git_output *output, sv path);
MUST_CHECK enum status git_output_read(struct arena *arena, struct sink *sink,
                                       const struct git_output *output, const struct git_file *file,
                                       size_t max_bytes, sv *ret_bytes);

/* The content of a file that is put. */
struct git_content {
	sv bytes;
	bool is_sealed;          /* it has nothing in common with other files */
	const struct git_id *id; /* of the bytes as a blob, if it is known; else null */
};

/*
 * Puts a file with these bytes and mode 100644 at `path`, relative to the folder. Must be called at
 * most once for a path. Any thread may call it, with its own worker number and sink. The path must
 * outlive the output; the bytes are not needed after the return.
 */
MUST_CHECK enum status git_output_put(struct sink *sink, struct git_output *output, unsigned worker,
                                      sv path, const struct git_content *content);
/*
 * Puts a file that the previous files have with mode 100644, with the same bytes. Returns false,
 * and does nothing, if they do not have it so, or if the output is a folder of the file system.
 */
bool git_output_keep(struct git_output *output, unsigned worker, sv path);
/* Returns the id of the bytes that the worker put last. */
struct git_id git_output_last_id(const struct git_output *output, unsigned worker);
/* True if this file is the last one that the worker put, and it is new or its bytes differ. */
bool git_output_has_changed(const struct git_output *output, unsigned worker, sv path);
/* Removes the file if the folder has it. Any thread. */
void git_output_remove(struct git_output *output, unsigned worker, sv path);

/*
 * Contents that one run makes and another one commits. The first one compares
 * (git_output_options.blobs): contents that differ from the previous output go into a file of their
 * own, a pack (gitformat-pack(5), version 2) without an index. git_output_save completes it, and
 * makes no file if no content differs. The second one takes the pack (git_output_take_pack) and
 * puts files from it (git_output_put_blob): a large pack becomes one of the repository's, the
 * contents of a small one go into the pack of this run.
 */
struct git_saved {
	uint64_t size_bytes; /* of the pack; 0: there is none */
	sv digest;           /* SHA-256, 32 bytes; belongs to the output that it is from */
};
struct git_blob {
	struct git_id id;
	size_t size_bytes;
	bool is_sealed;  /* as git_content has it */
	bool is_changed; /* it differs from the previous output, and the pack has it */
	/* The entry in the pack. Unset unless is_changed. */
	size_t offset;
	size_t entry_bytes;
	uint32_t crc;
};
VEC_TYPE(git_blobs, struct git_blob);
MUST_CHECK enum status git_output_save(struct sink *sink, struct git_output *output,
                                       struct git_saved *ret_saved);
/* After git_output_save: describes a file that was put. Returns false if none has that path. */
bool git_output_find_blob(const struct git_output *output, sv path, struct git_blob *ret_blob);

/* Mode COMMIT: sets the number of packs that will be taken. Once, before the first of them. */
void git_output_expect_packs(struct git_output *output, size_t count);
/*
 * Takes the pack of that number, once; any thread. The file must be regular and no symbolic link.
 * `blobs` are all that it has. Sets *ret_is_saved to false if it has other bytes.
 */
MUST_CHECK enum status git_output_take_pack(struct sink *sink, struct git_output *output,
                                            size_t number, sv path, const struct git_saved *saved,
                                            const struct git_blobs *blobs, bool *ret_is_saved);
/*
 * Puts a file as git_output_put does. A blob that is changed is in the pack of that number; the
 * previous output must have any other one at `path`. `scratch` is the worker's. Fails
 * (DIAG_GIT_OBJECT) if the pack does not have the blob.
 */
MUST_CHECK enum status git_output_put_blob(struct arena *scratch, struct sink *sink,
                                           struct git_output *output, unsigned worker, sv path,
                                           const struct git_blob *blob, size_t number);

enum git_change_kind { GIT_ADDED, GIT_CHANGED, GIT_REMOVED };

struct git_change {
	sv path; /* relative to the folder */
	enum git_change_kind kind;
	struct git_id new_id; /* unset for GIT_REMOVED */
};
VEC_TYPE(git_changes, struct git_change);

/* Lists the changes by all puts and removals, sorted by path. The workers must be done. */
void git_output_changes(struct arena *arena, struct git_output *output,
                        struct git_changes *ret_changes);

struct git_commit_text;

/* A commit that is to be made. Its trees are in the repository; no ref leads to them yet. */
struct git_commit_draft {
	const struct git_commit_text *text;
	struct git_id tree;
	struct git_id parent;
	bool is_root; /* it has no parent */
	sv date;      /* of both author and committer, as git reads it: "1772593568 +0200" */
};

/* A commit that is made again, with the same tree, author, committer and dates. */
struct git_kept_commit {
	struct git_id id;
	sv message;
};

/* The commits that the branch keeps below the new one, which replace all that it had. */
struct git_kept {
	struct git_id tip; /* the branch's tip when they were chosen; another one loses the race */
	/* Oldest first; the oldest gets no parent. Without any the new commit has none. */
	const struct git_kept_commit *items;
	size_t count;
};

struct git_commit_text {
	sv author_name; /* no '<', '>', line break or NUL in either; the committer is the same */
	sv author_email;
	sv message; /* whole; ends with a line break */
	/* Overwrites files with uncommitted changes, with a warning each; else they are errors.
	 * Untracked files in the way always are. */
	bool overwrite_modified;
	bool allow_empty; /* makes a commit even if the tree is the parent's */
	/* Null: the new commit's parent is the branch's tip. */
	const struct git_kept *kept;
	/*
	 * Makes the signed commit; null for an unsigned one, which git/ makes itself. The result is
	 * checked: a commit with another tree, parent or message, or without a signature, fails
	 * (DIAG_COMMIT_SIGN).
	 */
	enum status (*sign)(struct sink *sink, void *context, const struct git_commit_draft *draft,
	                    struct git_id *ret_commit);
	void *sign_context;
};

struct git_output_result {
	bool changed; /* a commit was made, or files of the folder were written */
	bool committed;
	struct git_id commit; /* the branch's tip now; only in mode COMMIT */
	size_t added_count, changed_count, removed_count;
	uint64_t written_bytes; /* of the pack, or of the files in mode FOLDER */
};

/*
 * Commits the output, or writes the folder, in the steps above. Both dates are the source commit's
 * committer date with its offset, so that the same input gives the same commit id. An unchanged
 * tree makes no commit, but a work tree that differs from the branch is updated. `text` may be null
 * in mode FOLDER. Must be called at most once, and not in mode COMPARE. No hook runs. The branch's
 * reflog gets a line if git's configuration asks for it.
 *
 * If it fails, branch, index and work tree are as they were. After the branch has moved it does not
 * fail any more: a later error of the system is reported (DIAG_GIT_STANDS), and the commit is kept.
 */
MUST_CHECK enum status git_output_finish(struct sink *sink, struct git_output *output,
                                         const struct git_commit_text *text,
                                         struct git_output_result *ret_result);

/* ---- libraries --------------------------------------------------------------------------- */

/*
 * Return the version of libgit2 that runs, and of libdeflate and ISA-L that the program was built
 * with; null if it was built without ISA-L.
 */
sv git_library_version(struct arena *arena);
const char *git_deflate_version(void);
const char *git_isal_version(void);

#endif
