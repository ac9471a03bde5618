/*
 * Paths outside of an open repository: would git add a file there, and git init.
 */
#include "git/git.h"
#include "git/internal.h"

static sv plain_folder(const char *path)
{
	return sv_trim_right(sv_from_cstr(path), "/");
}

/* The path below the work tree; false: it does not lie in there, or in git's own folder. */
static bool below_work_tree(git_repository *repo, sv path, sv *ret_relative)
{
	const char *work_tree = git_repository_workdir(repo);
	sv own = plain_folder(git_repository_path(repo));
	sv root;

	if (!work_tree ||
	    (sv_starts_with(path, own) && path.len > own.len && path.ptr[own.len] == '/'))
		return false;
	root = plain_folder(work_tree);
	if (!sv_starts_with(path, root) || path.len <= root.len || path.ptr[root.len] != '/')
		return false;
	*ret_relative = sv_from_offset(path, root.len + 1);
	return true;
}

bool git_would_add(struct arena *arena, sv folder, sv path, sv *ret_root)
{
	git_repository *repo = NULL;
	bool would_add = false;
	sv relative;

	if (!git_library_open())
		return false;
	int error = git_repository_open_ext(&repo, arena_cstr(arena, folder),
	                                    GIT_REPOSITORY_OPEN_CROSS_FS, NULL);
	if (error < 0) {
		/* SAFETY: the ignore rules of an unreadable repository are unknown. */
		would_add = error != GIT_ENOTFOUND;
		*ret_root = folder;
	} else if (below_work_tree(repo, path, &relative)) {
		*ret_root = arena_dup(arena, plain_folder(git_repository_workdir(repo)));
		would_add = !git_path_is_ignored(repo, *ret_root, relative);
	}
	git_repository_free(repo);
	git_libgit2_shutdown();
	return would_add;
}

enum status git_init(struct arena *arena, struct sink *sink, sv path)
{
	git_repository_init_options options;
	git_repository *repo = NULL;
	enum status status = STATUS_OK;

	git_repository_init_options_init(&options, GIT_REPOSITORY_INIT_OPTIONS_VERSION);
	options.flags =
	    GIT_REPOSITORY_INIT_MKDIR | GIT_REPOSITORY_INIT_MKPATH | GIT_REPOSITORY_INIT_NO_REINIT;
	options.initial_head = "main";
	if (!git_library_open()) {
		git_report(sink, DIAG_GIT_REPOSITORY, "cannot start libgit2");
		return STATUS_FAILED;
	}
	if (git_repository_init_ext(&repo, arena_cstr(arena, path), &options) < 0) {
		git_report(sink, DIAG_GIT_REPOSITORY, "cannot make a repository at %.*s",
		           SV_ARG(path));
		status = STATUS_FAILED;
	}
	git_repository_free(repo);
	git_libgit2_shutdown();
	return status;
}
