/*
 * Inside git/: what its files share. libgit2's types stay behind this header.
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

struct git_repo {
	struct arena *arena;
	git_repository *handle;
	git_odb *odb;
	sv path;               /* as the user gave it */
	sv worktree;           /* no trailing '/'; empty when bare */
	sv git_dir;            /* of this work tree, no trailing '/' */
	sv common_dir;         /* that all work trees share; git_dir for the main one */
	struct quota *entries; /* that may be listed; or null */
	sv objects;            /* folder of the objects, no trailing '/' */
};

/*
 * Starts libgit2, with memory of base/memory.h, since it does not get over a null pointer
 * everywhere, and with options, which are the process's: only a repository's own configuration is
 * read. To be paired with git_libgit2_shutdown. False: libgit2's last error says why.
 */
bool git_library_open(void);

/*
 * Ends the program if the last error is that zlib had no memory: libgit2 gives zlib no allocator.
 */
void git_check_memory(void);

/* Reports "WHAT: libgit2's words" under code; returns what was added, for help. */
struct diag *git_report(struct sink *sink, enum diag_code code, const char *format, ...)
    PRINTF_LIKE(3, 4);
/*
 * Reports that an object cannot be read, with what helps: under DIAG_GIT_ALTERNATE,
 * DIAG_GIT_PARTIAL, or DIAG_GIT_OBJECT with libgit2's words. what: "cannot read PATH".
 */
void git_report_object(struct sink *sink, const struct git_repo *repo, sv what);
/* Only when a folder that objects are borrowed from is gone; false: none is. */
bool git_report_borrowed(struct sink *sink, const struct git_repo *repo, sv what);
/* Fails: where the output needs a file or a folder (wanted), the commit has something else. */
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

/* The id of an object of this type ("blob", "tree", "commit"). */
struct git_id git_id_of_object(const char *type, sv bytes);

/* Files below the tree, `under` in front of their paths; folder `skip` (whole path) is left out. */
MUST_CHECK enum status git_list_tree(struct arena *arena, struct sink *sink, struct git_repo *repo,
                                     struct git_id tree, sv under, sv skip,
                                     struct git_files *ret_files);

/*
 * Has loose objects read by git/, see loose.c; repo's odb and objects are set. An error is
 * libgit2's.
 */
MUST_CHECK int git_add_loose_reader(struct git_repo *repo);

struct git_loose_object {
	git_object_t type;
	size_t size;
	void *data; /* libgit2's memory, of the backend; null when only the header was asked for */
};
/* What a loose object's file holds; object: zeroed. An error is libgit2's. */
MUST_CHECK int git_inflate_loose(git_odb_backend *backend, sv file, bool header_only,
                                 struct git_loose_object *object);

/* ---- the index --------------------------------------------------------------------------- */

/* Opened index with what is needed to trust its stat data. */
struct git_opened_index {
	git_index *index;
	int64_t time_s; /* of the index file */
	int64_t time_ns;
};

/* For libgit2's last error, of reading an index: what makes one of that form an ordinary one. */
const char *git_index_help(void);
MUST_CHECK enum status git_open_index(struct sink *sink, struct git_repo *repo,
                                      struct git_opened_index *ret_index);

enum git_disk_kind {
	GIT_DISK_ABSENT,
	GIT_DISK_FILE,
	GIT_DISK_ALIEN, /* no regular file, or a link or file among the folders above */
};

/*
 * What stands in the work tree at path, and for a regular file the id that git add would give it.
 * The index entry (or null) saves reading the file when its stat data still fit.
 */
enum git_disk_kind git_disk_look(struct git_repo *repo, const struct git_opened_index *index,
                                 const git_index_entry *entry, sv path, struct git_id *ret_id);

/* ---- paths in the work tree ---------------------------------------------------------------- */

/* One part of a path: not empty, ".", ".." or ".git", and without control characters. */
bool git_part_is_good(sv part);
/* Parts with '/' between them, each of them good. */
bool git_path_is_good(sv path);
/* No link and no file among the folders between root and path; those that lack are fine. */
bool git_above_are_folders(sv root, sv path);

#endif
