/*
 * Private to git/: declarations that its files share. No header outside of git/ shows libgit2's
 * types.
 */
#ifndef OSM_GEN_GIT_INTERNAL_H
#define OSM_GEN_GIT_INTERNAL_H

#include "git/git.h"

#include <git2.h>
/* git_error_clear moved here after libgit2 1.5. */
#if __has_include(<git2/sys/errors.h>)
#include <git2/sys/errors.h>
#endif
#include <git2/sys/repository.h>
#include <sys/stat.h>

struct git_repo {
	struct arena *arena;
	git_repository *handle;
	git_odb *odb;
	sv path;               /* as the user gave it */
	sv worktree;           /* no trailing '/'; empty when bare */
	sv git_dir;            /* of this work tree, no trailing '/' */
	sv common_dir;         /* shared by all work trees; the same as git_dir for the main one */
	struct quota *entries; /* charged for listed entries (git_repo_limit); may be null */
	sv objects;            /* folder of the objects, no trailing '/' */
	struct git_id large_commit; /* the first one that git_take_commit left unread */
	size_t large_commit_bytes;  /* its size; 0: there is none */
};

/*
 * Reads a commit. Returns null, with libgit2's error, if it is not there or damaged, and without an
 * error if it is larger than a person's message ever is: git_check_commits reports that.
 */
git_commit *git_take_commit(struct git_repo *repo, const git_oid *id);

/*
 * Starts libgit2 with the allocator of base/memory.h, since libgit2 does not handle a null pointer
 * everywhere, and with options for the whole process, by which only a repository's own
 * configuration is read. Pair with git_libgit2_shutdown. Returns false if libgit2 failed
 * (git_error_last).
 */
bool git_library_open(void);

/*
 * Ends the program if the last error is a lack of memory; zlib does not use the allocator above.
 */
void git_check_memory(void);

/* Reports "MESSAGE: libgit2's error" under the code; returns the diagnostic, for a help. */
struct diag *git_report(struct sink *sink, enum diag_code code, const char *format, ...)
    PRINTF_LIKE(3, 4);
/*
 * Reports that an object cannot be read, with a help: as DIAG_GIT_ALTERNATE, DIAG_GIT_PARTIAL, or
 * DIAG_GIT_OBJECT with libgit2's error. `what` begins the message: "cannot read PATH".
 */
void git_report_object(struct sink *sink, const struct git_repo *repo, sv what);
/* Reports it only if a folder that objects are borrowed from is missing, else returns false. */
bool git_report_borrowed(struct sink *sink, const struct git_repo *repo, sv what);
/* Reports and fails: the output needs a file or folder (`wanted`), the commit has another kind. */
MUST_CHECK enum status git_refuse_committed(struct sink *sink, sv path, const char *wanted,
                                            const char *committed);

static inline struct git_id git_id_from(const git_oid *oid)
{
	struct git_id id;

	memcpy(id.bytes, oid->id, sizeof(id.bytes));
	return id;
}

static inline git_oid git_id_to_oid(struct git_id id)
{
	git_oid oid = {0};

	memcpy(oid.id, id.bytes, sizeof(oid.id));
	return oid;
}

/* Returns what git_list_commits lists of a commit; strings are copies. */
struct git_commit_info git_commit_info_of(struct arena *arena, git_commit *commit);

/* Returns the id of an object of this type ("blob", "tree", "commit"). */
struct git_id git_id_of_object(const char *type, sv bytes);

/* Lists files below the tree, with `under` before their paths, without the folder `skip`. */
MUST_CHECK enum status git_list_tree(struct arena *arena, struct sink *sink, struct git_repo *repo,
                                     struct git_id tree, sv under, sv skip,
                                     struct git_files *ret_files);

/* Returns the place of the first of the files, which are sorted, that is not before the path. */
size_t git_files_place(const struct git_files *files, sv path);
/* Returns the one of that path, or null. */
const struct git_file *git_files_find(const struct git_files *files, sv path);

/*
 * Has loose.c read loose objects instead of libgit2. repo's odb and objects must be set. Returns an
 * error code of libgit2.
 */
MUST_CHECK int git_add_loose_reader(struct git_repo *repo);

struct git_loose_object {
	git_object_t type;
	size_t size;
	void *data; /* allocated by libgit2 for the backend; null if only the header was read */
};
/* Decompresses a loose object's file. `object` must be zeroed. Returns an error code of libgit2. */
MUST_CHECK int git_inflate_loose(git_odb_backend *backend, sv file, bool header_only,
                                 struct git_loose_object *object);

/* ---- looking at files of the work tree ------------------------------------------------------ */

enum git_disk_kind {
	GIT_DISK_ABSENT,
	GIT_DISK_FILE,
	GIT_DISK_ALIEN, /* not a regular file, or a folder above it is a link or a file */
};

enum { GIT_FOLDERS_MAX = 16 };

/*
 * The folders above the last path that was looked at, opened one in the other, the root first. A
 * path in the same folders is then a look at one name, so paths are best looked at in order. No
 * folder is open in a zeroed one. Folders of a deeper path take turns in the last place.
 */
struct git_folders {
	struct git_folder {
		int fd;
		size_t path_len; /* of its path from the root */
	} open[GIT_FOLDERS_MAX];
	size_t count;
	sv last; /* the last path; must be there as long as this */
};

/*
 * Looks at the path below root, the same root each time. Follows no link below it. Sets *ret_info
 * for a GIT_DISK_FILE. Pair with git_folders_close.
 */
enum git_disk_kind git_folders_look(struct git_folders *folders, sv root, sv path,
                                    struct stat *ret_info);
void git_folders_close(struct git_folders *folders);

/* ---- the index --------------------------------------------------------------------------- */

/* An opened index, and its time, which decides whether its stat data can be trusted. */
struct git_opened_index {
	git_index *index;
	int64_t time_s; /* of the index file */
	int64_t time_ns;
	size_t next; /* the entry after the one that git_find_index_entry found */
	struct git_folders folders;
};

/* Returns the help for libgit2's last error in reading an index: how to make it readable. */
const char *git_index_help(void);
MUST_CHECK enum status git_open_index(struct sink *sink, struct git_repo *repo,
                                      struct git_opened_index *ret_index);
void git_close_index(struct git_opened_index *index);

/* Returns the entry of a path without a conflict, or null. Paths are best in the index's order. */
const git_index_entry *git_find_index_entry(struct git_opened_index *index, sv path);

/*
 * Looks at the path in the work tree. For a regular file *ret_id is the id that git add would give
 * it. An index entry whose stat data still match saves reading the file; `entry` may be null. The
 * paths that an index is used for must outlive it, and are best looked at in order, as for
 * git_folders_look.
 */
enum git_disk_kind git_disk_look(struct git_repo *repo, struct git_opened_index *index,
                                 const git_index_entry *entry, sv path, struct git_id *ret_id);

/* ---- paths in the work tree ---------------------------------------------------------------- */

/* True for a part of a path that is not empty, ".", ".." or ".git", without control characters. */
bool git_part_is_good(sv part);
/* True if all parts of the path are good. */
bool git_path_is_good(sv path);
/*
 * Returns true if a file of that name, ".gitignore" or ".gitattributes", in the root or in another
 * folder above `path` is not a regular file. Git does not follow such a link, but libgit2 does,
 * even to a pipe: it must not be asked what the file means for the path.
 */
bool git_rules_are_alien(sv root, sv path, const char *name);
/* Returns true if git ignores the path. A .gitignore that is not a regular file hides no path. */
bool git_path_is_ignored(git_repository *repo, sv root, sv path);
/* True if no folder between root and path is a link or a file; missing ones are fine. */
bool git_above_are_folders(sv root, sv path);

#endif
