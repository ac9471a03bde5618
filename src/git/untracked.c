/*
 * Manifests that nobody added to git.
 */
#include "git/internal.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Folders deeper than this hold no manifests that a person forgot to commit. Folders are walked
 * here, not by git_status_list, which would look at every file of the output folder as well.
 */
enum { MAX_DEPTH = 64 };

struct walk {
	struct git_repo *repo;
	struct arena *arena;
	const struct git_files *known;
	sv skip;
	struct git_files found;
};

static bool is_listed(const struct walk *walk, sv path)
{
	size_t low = 0;
	size_t high = walk->known->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = sv_cmp(walk->known->items[middle].path, path);

		if (order == 0)
			return true;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

/* A folder's path ends with '/': patterns for folders apply. */
static bool is_ignored(const struct walk *walk, sv path)
{
	return git_path_is_ignored(walk->repo->handle, walk->repo->worktree, path);
}

static void walk_folder(struct walk *walk, int parent, sv name, sv path, unsigned depth);

static void walk_entry(struct walk *walk, int folder, const char *name, sv under, unsigned depth)
{
	sv path = ARENA_CONCAT(walk->arena, under, sv_from_cstr(name));
	struct stat info;

	if (is_listed(walk, path) || fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	if (S_ISDIR(info.st_mode)) {
		sv below = ARENA_CONCAT(walk->arena, path, SV("/"));

		if (!sv_eq(path, walk->skip) && !is_ignored(walk, below))
			walk_folder(walk, folder, sv_from_cstr(name), below, depth + 1);
	} else if (S_ISREG(info.st_mode) && !is_ignored(walk, path)) {
		VEC_PUSH(walk->arena, &walk->found,
		         ((struct git_file){.path = path, .mode = GIT_MODE_FILE, .on_disk = true}));
	}
}

/* Skips folders that cannot be read. */
static void walk_folder(struct walk *walk, int parent, sv name, sv path, unsigned depth)
{
	int fd = openat(parent, arena_cstr(walk->arena, name),
	                O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!folder) {
		if (fd >= 0)
			close(fd);
		return;
	}
	/* Files of another repository, such as a submodule, do not belong to this one. */
	bool foreign = !sv_empty(path) && faccessat(fd, ".git", F_OK, AT_SYMLINK_NOFOLLOW) == 0;
	while (!foreign && depth < MAX_DEPTH && (entry = readdir(folder)) != NULL) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
		    strcmp(entry->d_name, ".git") != 0)
			walk_entry(walk, fd, entry->d_name, path, depth);
	}
	closedir(folder);
}

void git_list_untracked(struct arena *arena, struct git_repo *repo, const struct git_files *known,
                        sv skip, struct git_files *ret_files)
{
	struct walk walk = {.repo = repo, .arena = arena, .known = known, .skip = skip};

	if (repo->worktree.len > 0)
		walk_folder(&walk, AT_FDCWD, repo->worktree, SV(""), 0);
	sort_stable(walk.found.items, walk.found.count, sizeof(*walk.found.items), sort_compare_sv,
	            NULL);
	*ret_files = walk.found;
}
