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

/* A folder that is walked, and those above it. */
struct folder {
	struct folder *above; /* null for the root */
	sv path;              /* ends with '/', but for the root */
	int fd;
	unsigned depth;
	enum { NOT_JUDGED, NOT_IGNORED, IGNORED } rules;
};

struct entry {
	sv path;
	unsigned char type; /* as readdir gives it: DT_REG, ... */
};
VEC_TYPE(entries, struct entry);

/* Returns true if a file below the folder is listed. The folder's path ends with '/'. */
static bool has_listed(const struct walk *walk, sv folder)
{
	size_t place = git_files_place(walk->known, folder);

	return place < walk->known->count && sv_starts_with(walk->known->items[place].path, folder);
}

static bool is_ignored(const struct walk *walk, sv path)
{
	return git_path_is_ignored(walk->repo->handle, walk->repo->worktree, path);
}

/*
 * Returns true if the folder, or one above it, is ignored. A folder's path ends with '/': patterns
 * for folders apply.
 */
static bool is_below_ignored(const struct walk *walk, struct folder *folder)
{
	if (folder->rules == NOT_JUDGED)
		folder->rules = folder->above && (is_below_ignored(walk, folder->above) ||
		                                  is_ignored(walk, folder->path))
		                    ? IGNORED
		                    : NOT_IGNORED;
	return folder->rules == IGNORED;
}

/* Some file systems give no type with the name. */
static unsigned char type_of(const struct walk *walk, const struct folder *folder,
                             const struct entry *entry, sv name)
{
	struct stat info;

	if (entry->type != DT_UNKNOWN)
		return entry->type;
	return fstatat(folder->fd, arena_cstr(walk->arena, name), &info, AT_SYMLINK_NOFOLLOW) < 0
	           ? DT_UNKNOWN
	           : (unsigned char)IFTODT(info.st_mode);
}

static void walk_folder(struct walk *walk, struct folder *folder, sv name);

/*
 * Asks for the rules of a folder with listed files only when a file of it is found that is not
 * listed: most have none.
 */
static void walk_entry(struct walk *walk, struct folder *folder, const struct entry *entry)
{
	sv name = sv_from_offset(entry->path, folder->path.len);

	if (git_files_find(walk->known, entry->path))
		return;
	unsigned char type = type_of(walk, folder, entry, name);
	if (type == DT_DIR && !sv_eq(entry->path, walk->skip)) {
		struct folder below = {
		    .above = folder,
		    .path = ARENA_CONCAT(walk->arena, entry->path, SV("/")),
		    .depth = folder->depth + 1,
		};

		if (has_listed(walk, below.path) || !is_below_ignored(walk, &below))
			walk_folder(walk, &below, name);
	} else if (type == DT_REG && !is_below_ignored(walk, folder) &&
	           !is_ignored(walk, entry->path)) {
		VEC_PUSH(walk->arena, &walk->found,
		         ((struct git_file){
		             .path = entry->path, .mode = GIT_MODE_FILE, .on_disk = true}));
	}
}

/* Lists the entries of a folder. Returns false for a folder of another repository. */
static bool list_entries(const struct walk *walk, DIR *stream, sv under,
                         struct entries *ret_entries)
{
	const struct dirent *entry;

	while ((entry = readdir(stream)) != NULL) {
		sv name = sv_from_cstr(entry->d_name);

		if (!sv_eq(name, SV(".")) && !sv_eq(name, SV("..")) && !sv_eq(name, SV(".git")))
			VEC_PUSH(walk->arena, ret_entries,
			         ((struct entry){ARENA_CONCAT(walk->arena, under, name),
			                         entry->d_type}));
		else if (sv_eq(name, SV(".git")) && !sv_empty(under))
			return false;
	}
	return true;
}

/*
 * Skips folders that cannot be read, and those of another repository, such as a submodule: their
 * files do not belong to this one. CIRCLE: itself, for folders in each other, as deep as MAX_DEPTH.
 */
static void walk_folder(struct walk *walk, struct folder *folder, sv name)
{
	struct entries entries = {0};

	if (folder->depth >= MAX_DEPTH)
		return;
	folder->fd =
	    openat(folder->above ? folder->above->fd : AT_FDCWD, arena_cstr(walk->arena, name),
	           O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	DIR *stream = folder->fd < 0 ? NULL : fdopendir(folder->fd);
	if (!stream) {
		if (folder->fd >= 0)
			close(folder->fd);
		return;
	}
	if (list_entries(walk, stream, folder->path, &entries))
		for (size_t i = 0; i < entries.count && folder->rules != IGNORED; i++)
			walk_entry(walk, folder, &entries.items[i]);
	closedir(stream);
}

void git_list_untracked(struct arena *arena, struct git_repo *repo, const struct git_files *known,
                        sv skip, struct git_files *ret_files)
{
	struct walk walk = {.repo = repo, .arena = arena, .known = known, .skip = skip};
	struct folder root = {0};

	if (repo->worktree.len > 0)
		walk_folder(&walk, &root, repo->worktree);
	sort_stable(walk.found.items, walk.found.count, sizeof(*walk.found.items), sort_compare_sv,
	            NULL);
	*ret_files = walk.found;
}
