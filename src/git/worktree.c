/*
 * Compares a file of the work tree with git's index.
 */
#include "git/git.h"
#include "git/internal.h"

#include "os/os.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

const char *git_index_help(void)
{
	const git_error *last = git_error_last();
	const char *words = last && last->message ? last->message : "";

	if (strstr(words, "'sdir'"))
		return "it is a sparse index: git sparse-checkout reapply --no-sparse-index makes "
		       "it an ordinary one";
	if (strstr(words, "'link'"))
		return "it is a split index: git config core.splitIndex false, then git "
		       "update-index --no-split-index, makes it an ordinary one";
	if (strstr(words, "checksum"))
		return "git leaves the checksum out with index.skipHash (feature.manyFiles): git "
		       "config index.skipHash false, then git update-index --force-write-index";
	return "see what git status prints; git read-tree HEAD makes a new one";
}

enum status git_open_index(struct sink *sink, struct git_repo *repo,
                           struct git_opened_index *ret_index)
{
	struct stat info;
	git_index *index = NULL;

	git_error_clear();
	if (git_repository_index(&index, repo->handle) < 0 || git_index_read(index, 0) < 0) {
		const char *help = git_index_help();
		struct diag *diag =
		    git_report(sink, DIAG_GIT_INDEX, "cannot read the git index of %.*s",
		               SV_ARG(repo->worktree));
		diag_set_help(sink, diag, "%s", help);
		git_index_free(index);
		return STATUS_FAILED;
	}
	*ret_index = (struct git_opened_index){.index = index};
	if (git_index_path(index) && stat(git_index_path(index), &info) == 0) {
		ret_index->time_s = info.st_mtim.tv_sec;
		ret_index->time_ns = info.st_mtim.tv_nsec;
	}
	return STATUS_OK;
}

void git_close_index(struct git_opened_index *index)
{
	git_folders_close(&index->folders);
	git_index_free(index->index);
}

const git_index_entry *git_find_index_entry(struct git_opened_index *index, sv path)
{
	const git_index_entry *entry = git_index_get_byindex(index->index, index->next);

	if (!entry || !sv_eq_cstr(path, entry->path)) {
		ARENA_AUTO scratch = arena_new(ARENA_PLAIN);

		if (git_index_find(&index->next, index->index, arena_cstr(scratch, path)) < 0)
			return NULL;
		entry = git_index_get_byindex(index->index, index->next);
	}
	index->next++;
	return git_index_entry_stage(entry) == 0 ? entry : NULL;
}

/*
 * The entry's stat data are the file's, and older than the index: an edit in the same tick as
 * the index was written would not show in them ("racy git").
 */
static bool stat_fits(const struct git_opened_index *index, const git_index_entry *entry,
                      const struct stat *info)
{
	if (entry->file_size != (uint32_t)info->st_size ||
	    entry->mtime.seconds != (int32_t)info->st_mtim.tv_sec)
		return false;
	if (entry->mtime.nanoseconds != 0 &&
	    entry->mtime.nanoseconds != (uint32_t)info->st_mtim.tv_nsec)
		return false;
	if (entry->ino != 0 && entry->ino != (uint32_t)info->st_ino)
		return false;
	return info->st_mtim.tv_sec < index->time_s ||
	       (info->st_mtim.tv_sec == index->time_s && info->st_mtim.tv_nsec < index->time_ns);
}

bool git_part_is_good(sv part)
{
	if (part.len == 0 || sv_eq(part, SV(".")) || sv_eq(part, SV("..")) ||
	    sv_eq_fold_ascii(part, SV(".git")))
		return false;
	for (size_t i = 0; i < part.len; i++)
		if ((unsigned char)part.ptr[i] < 0x20 || part.ptr[i] == 0x7f || part.ptr[i] == '/')
			return false;
	return true;
}

bool git_path_is_good(sv path)
{
	struct sv_splitter parts = sv_split(path, '/');
	sv part;

	while (sv_split_next(&parts, &part))
		if (!git_part_is_good(part))
			return false;
	return !sv_empty(path);
}

/* A link among the folders above could lead out of the repository: nothing is written there. */
bool git_above_are_folders(sv root, sv path)
{
	char full[PATH_MAX];
	struct stat info;

	for (size_t i = 0; i < path.len; i++) {
		if (path.ptr[i] != '/')
			continue;
		int len = snprintf(full, sizeof(full), "%.*s/%.*s", SV_ARG(root), (int)i, path.ptr);

		if (len < 0 || (size_t)len >= sizeof(full))
			return false;
		if (lstat(full, &info) < 0)
			return errno == ENOENT;
		if (!S_ISDIR(info.st_mode))
			return false;
	}
	return true;
}

enum git_disk_kind git_disk_look(struct git_repo *repo, struct git_opened_index *index,
                                 const git_index_entry *entry, sv path, struct git_id *ret_id)
{
	char full[PATH_MAX];
	struct stat info;
	git_oid oid = {0};
	enum git_disk_kind kind = git_folders_look(&index->folders, repo->worktree, path, &info);

	if (kind != GIT_DISK_FILE)
		return kind;
	if (entry && stat_fits(index, entry, &info)) {
		*ret_id = git_id_from(&entry->id);
		return GIT_DISK_FILE;
	}
	/*
	 * Compute the id that git add would give the file, with line ends converted. An unreadable
	 * file gets the zero id.
	 */
	(void)snprintf(full, sizeof(full), "%.*s/%.*s", SV_ARG(repo->worktree), SV_ARG(path));
	int error = git_rules_are_alien(repo->worktree, path, ".gitattributes")
	                ? git_odb_hashfile(&oid, full, GIT_OBJECT_BLOB)
	                : git_repository_hashfile(&oid, repo->handle, full, GIT_OBJECT_BLOB, NULL);
	if (error < 0)
		memset(&oid, 0, sizeof(oid));
	*ret_id = git_id_from(&oid);
	return GIT_DISK_FILE;
}
