/*
 * Guards libgit2 against files of rules (.gitignore, .gitattributes) that it would follow a link
 * to.
 */
#include "git/internal.h"

#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

bool git_rules_are_alien(sv root, sv path, const char *name)
{
	char full[PATH_MAX];
	struct stat info;

	for (size_t i = 0; i <= path.len; i++) {
		if (i > 0 && path.ptr[i - 1] != '/')
			continue;
		sv folder = sv_slice(path, 0, i);
		int len =
		    snprintf(full, sizeof(full), "%.*s/%.*s%s", SV_ARG(root), SV_ARG(folder), name);

		if (len < 0 || (size_t)len >= sizeof(full) ||
		    (lstat(full, &info) == 0 && !S_ISREG(info.st_mode)))
			return true;
	}
	return false;
}

bool git_path_is_ignored(git_repository *repo, sv root, sv path)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	int ignored = 0;

	return !git_rules_are_alien(root, path, ".gitignore") &&
	       git_ignore_path_is_ignored(&ignored, repo, arena_cstr(arena, path)) == 0 && ignored;
}
