/*
 * Changes the index in a copy, which replaces it under git's lock. The next run recognises the lock
 * that a killed run left, and removes it.
 */
#include "git/output.h"

#include "os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define WHAT "index"

void git_report_index(struct sink *sink, const struct git_repo *repo, const char *why)
{
	struct diag *diag =
	    why ? diag_report(sink, DIAG_GIT_INDEX, NOWHERE,
	                      "cannot write the git index of %.*s: %s", SV_ARG(repo->worktree), why)
	        : git_report(sink, DIAG_GIT_INDEX, "cannot write the git index of %.*s",
	                     SV_ARG(repo->worktree));

	diag_set_help(sink, diag,
	              "run again when no other git is running there; if a git crashed, remove "
	              "index.lock from the git folder");
}

/*
 * The index's bytes under a name of our own, with its time: by that git, and libgit2, know which
 * entries may have been changed in the same moment ("racy git").
 */
static enum status copy_index(struct sink *sink, sv from, sv to, const struct stat *info)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	const struct timespec times[2] = {info->st_mtim, info->st_mtim};
	sv text;

	if (os_read_file(arena, sink, from, SIZE_MAX / 4, &text) != STATUS_OK ||
	    os_write_new(sink, to, text, OS_WRITE_PLAIN) != STATUS_OK)
		return STATUS_FAILED;
	if (utimensat(AT_FDCWD, arena_cstr(arena, to), times, 0) < 0) {
		os_report_error(sink, errno, "write", to);
		return STATUS_FAILED;
	}
	return STATUS_OK;
}

enum status git_index_edit_begin(struct sink *sink, struct git_output *output,
                                 struct git_index_edit *edit)
{
	struct git_repo *repo = output->repo;
	sv file = git_locks_file(output->locks, WHAT);

	*edit = (struct git_index_edit){
	    .path = ARENA_CONCAT(output->arena, repo->git_dir, SV("/index"))};
	(void)unlink(arena_cstr(output->arena, file)); /* of an edit that failed */
	if (stat(arena_cstr(output->arena, edit->path), &edit->before) < 0)
		edit->before.st_ino = 0;
	else if (copy_index(sink, edit->path, file, &edit->before) != STATUS_OK)
		return STATUS_FAILED;
	git_error_clear();
	if (git_index_open(&edit->index, arena_cstr(output->arena, file)) < 0) {
		git_report_index(sink, repo, NULL);
		return STATUS_FAILED;
	}
	/* Make libgit2 read the work tree for entries that are as new as the index. */
	(void)git_repository_set_index(repo->handle, edit->index);
	return STATUS_OK;
}

/* Returns true if the index is still the one that was copied; call it under the lock. */
static bool is_unchanged(struct git_output *output, const struct git_index_edit *edit)
{
	struct stat now;

	if (stat(arena_cstr(output->arena, edit->path), &now) < 0)
		return edit->before.st_ino == 0;
	return now.st_ino == edit->before.st_ino && now.st_dev == edit->before.st_dev &&
	       now.st_size == edit->before.st_size &&
	       now.st_mtim.tv_sec == edit->before.st_mtim.tv_sec &&
	       now.st_mtim.tv_nsec == edit->before.st_mtim.tv_nsec;
}

static enum status publish(struct sink *sink, struct git_output *output,
                           const struct git_index_edit *edit)
{
	bool busy = false;

	if (git_lock_take(sink, output->locks, WHAT, edit->path, &busy) != STATUS_OK) {
		if (busy)
			git_report_index(sink, output->repo, "another git has locked it");
		return STATUS_FAILED;
	}
	bool unchanged = is_unchanged(output, edit);
	if (unchanged && git_lock_commit(output->locks, WHAT, edit->path))
		return STATUS_OK;
	if (unchanged)
		os_report_error(sink, errno, "write", edit->path);
	else
		git_report_index(sink, output->repo, "another git changed it during the run");
	git_lock_release(output->locks, WHAT, edit->path);
	return STATUS_FAILED;
}

enum status git_index_edit_end(struct sink *sink, struct git_output *output,
                               struct git_index_edit *edit, bool write)
{
	enum status status = STATUS_OK;

	if (write && git_index_write(edit->index) < 0) {
		git_report_index(sink, output->repo, NULL);
		status = STATUS_FAILED;
	}
	(void)git_repository_set_index(output->repo->handle, NULL);
	git_index_free(edit->index);
	if (status == STATUS_OK && write)
		status = publish(sink, output, edit);
	(void)unlink(arena_cstr(output->arena, git_locks_file(output->locks, WHAT)));
	return status;
}
