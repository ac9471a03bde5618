/*
 * Looks at files of a work tree from folders that are open.
 */
#include "git/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

enum { FLAGS = O_PATH | O_DIRECTORY | O_CLOEXEC };

static bool copy_name(char name[static NAME_MAX + 1], sv part)
{
	if (part.len > NAME_MAX) {
		errno = ENAMETOOLONG;
		return false;
	}
	memcpy(name, part.ptr, part.len);
	name[part.len] = '\0';
	return true;
}

static bool open_root(struct git_folders *folders, sv root)
{
	char path[PATH_MAX];

	memcpy(path, root.ptr, root.len);
	path[root.len] = '\0';
	int fd = open(path, FLAGS);
	if (fd < 0)
		return false;
	folders->open[folders->count++] = (struct git_folder){.fd = fd};
	return true;
}

/* Returns true if the innermost open folder is above the path. */
static bool is_above(const struct git_folders *folders, sv path)
{
	sv folder = sv_slice(folders->last, 0, folders->open[folders->count - 1].path_len);

	return sv_empty(folder) || (sv_starts_with(path, folder) && path.len > folder.len &&
	                            path.ptr[folder.len] == '/');
}

/* Returns false, with errno, if the folder is absent, or is a link or a file. */
static bool enter(struct git_folders *folders, sv part, size_t path_len)
{
	char name[NAME_MAX + 1];
	int fd = copy_name(name, part)
	             ? openat(folders->open[folders->count - 1].fd, name, FLAGS | O_NOFOLLOW)
	             : -1;

	if (fd < 0)
		return false;
	if (folders->count == GIT_FOLDERS_MAX)
		close(folders->open[--folders->count].fd);
	folders->open[folders->count++] = (struct git_folder){fd, path_len};
	return true;
}

/* Opens the folders above the path that are not open yet. Sets *ret_name to what is after them. */
static bool go_to(struct git_folders *folders, sv root, sv path, sv *ret_name)
{
	while (folders->count > 0 && !is_above(folders, path))
		close(folders->open[--folders->count].fd);
	folders->last = path;
	if (folders->count == 0 && !open_root(folders, root))
		return false;
	size_t inner = folders->open[folders->count - 1].path_len;
	sv rest = sv_from_offset(path, inner > 0 ? inner + 1 : 0);
	for (size_t len; (len = sv_find_char(rest, '/')) != SV_NPOS;
	     rest = sv_from_offset(rest, len + 1))
		if (!enter(folders, sv_slice(rest, 0, len), path.len - rest.len + len))
			return false;
	*ret_name = rest;
	return true;
}

enum git_disk_kind git_folders_look(struct git_folders *folders, sv root, sv path,
                                    struct stat *ret_info)
{
	char file[NAME_MAX + 1];
	sv name;

	if (root.len + 1 + path.len >= PATH_MAX)
		return GIT_DISK_ALIEN;
	if (!go_to(folders, root, path, &name) || !copy_name(file, name) ||
	    fstatat(folders->open[folders->count - 1].fd, file, ret_info, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? GIT_DISK_ABSENT : GIT_DISK_ALIEN;
	return S_ISREG(ret_info->st_mode) ? GIT_DISK_FILE : GIT_DISK_ALIEN;
}

void git_folders_close(struct git_folders *folders)
{
	while (folders->count > 0)
		close(folders->open[--folders->count].fd);
}
