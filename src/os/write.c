/*
 * Writing and removing files and folders.
 */
#include "os/internal.h"
#include "os/os.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static sv folder_of(sv path)
{
	size_t slash = sv_rfind_char(path, '/');

	if (slash == SV_NPOS)
		return SV(".");
	return slash == 0 ? SV("/") : sv_slice(path, 0, slash);
}

bool os_write_all(int fd, sv bytes)
{
	for (size_t done = 0; done < bytes.len;) {
		ssize_t put = write(fd, bytes.ptr + done, bytes.len - done);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return false;
		done += (size_t)put;
	}
	return true;
}

/* The name itself is only on the disk once its folder is. */
static bool sync_folder(sv folder)
{
	struct os_path path;
	int fd =
	    os_path_set(&path, folder) ? open(path.text, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (fd < 0)
		return false;
	/* Some file systems refuse to sync a folder; they order it themselves. */
	bool done = fsync(fd) == 0 || errno == EINVAL || errno == EROFS;
	close(fd);
	return done;
}

bool os_fill(int fd, sv bytes, unsigned flags)
{
	mode_t mode = flags & OS_WRITE_PRIVATE ? 0600 : 0644;

	if (fchmod(fd, mode) < 0 || !os_write_all(fd, bytes))
		return false;
	return !(flags & OS_WRITE_SYNC) || fsync(fd) == 0;
}

/* close reports late errors (NFS, quotas) that write kept back. */
static bool replace(const struct os_path *target, struct os_path *temporary, sv bytes,
                    unsigned flags)
{
	int fd = mkostemp(temporary->text, O_CLOEXEC);

	if (fd < 0)
		return false;
	bool done = os_fill(fd, bytes, flags);
	int error = errno;
	if (close(fd) < 0 && done) {
		done = false;
		error = errno;
	}
	if (done && rename(temporary->text, target->text) < 0) {
		done = false;
		error = errno;
	}
	if (!done) {
		unlink(temporary->text);
		errno = error;
	}
	return done;
}

enum status os_write_file(struct sink *sink, sv path, sv bytes, unsigned flags)
{
	struct os_path target;
	struct os_path temporary;

	if (!os_path_set(&target, path) ||
	    !os_path_join(&temporary, folder_of(path), SV(".osm-gen-XXXXXX")) ||
	    !replace(&target, &temporary, bytes, flags) ||
	    ((flags & OS_WRITE_SYNC) && !sync_folder(folder_of(path)))) {
		os_report_error(sink, errno, "write", path);
		return STATUS_FAILED;
	}
	return STATUS_OK;
}

enum status os_write_new(struct sink *sink, sv path, sv bytes, unsigned flags)
{
	struct os_path target;
	int fd = -1;

	if (os_path_set(&target, path))
		fd = open(target.text, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	bool done = fd >= 0 && os_fill(fd, bytes, flags);
	int error = errno;
	if (fd >= 0 && close(fd) < 0 && done) {
		done = false;
		error = errno;
	}
	if (done)
		return STATUS_OK;
	if (fd >= 0)
		unlink(target.text);
	os_report_error(sink, error, "write", path);
	return STATUS_FAILED;
}

static bool is_folder(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* mkdir's mode is cut by the umask, so it is set again; only on folders made here. */
static bool make_folder(const char *path)
{
	if (mkdir(path, 0755) == 0)
		return chmod(path, 0755) == 0;
	if (errno != EEXIST)
		return false;
	if (is_folder(path))
		return true;
	errno = ENOTDIR;
	return false;
}

enum status os_make_private_folder(struct arena *arena, struct sink *sink, sv parent,
                                   sv *ret_folder)
{
	char *name = arena_cstr(arena, ARENA_CONCAT(arena, parent, SV("/osm-gen-XXXXXX")));

	if (!mkdtemp(name)) {
		os_report_error(sink, errno, "make folder", sv_from_cstr(name));
		return STATUS_FAILED;
	}
	*ret_folder = sv_from_cstr(name);
	return STATUS_OK;
}

enum status os_make_folders(struct sink *sink, sv path)
{
	struct os_path full;

	if (!os_path_set(&full, path)) {
		os_report_error(sink, errno, "make folder", path);
		return STATUS_FAILED;
	}
	if (is_folder(full.text))
		return STATUS_OK;
	for (char *at = full.text + 1;; at++) {
		char kept = *at;

		if (kept != '/' && kept != '\0')
			continue;
		*at = '\0';
		if (!make_folder(full.text)) {
			os_report_error(sink, errno, "make folder", sv_from_cstr(full.text));
			return STATUS_FAILED;
		}
		if (kept == '\0')
			return STATUS_OK;
		*at = kept;
	}
}

enum status os_remove_file(struct sink *sink, sv root, sv relative)
{
	struct os_path path;

	if (!os_path_join(&path, root, relative) ||
	    (unlink(path.text) < 0 && errno != ENOENT && errno != ENOTDIR)) {
		os_report_error(sink, errno, "remove", relative);
		return STATUS_FAILED;
	}
	for (sv folder = relative;;) {
		size_t slash = sv_rfind_char(folder, '/');

		if (slash == SV_NPOS)
			return STATUS_OK;
		folder = sv_slice(folder, 0, slash);
		/* Usually ends at a folder that is not empty. */
		if (!os_path_join(&path, root, folder) || (rmdir(path.text) < 0 && errno != ENOENT))
			return STATUS_OK;
	}
}

enum status os_move_folder(struct sink *sink, sv from, sv to)
{
	struct os_path source;
	struct os_path target;

	if (os_path_set(&source, from) && os_path_set(&target, to) &&
	    rename(source.text, target.text) == 0)
		return STATUS_OK;
	os_report_error(sink, errno, "make folder", to);
	return STATUS_FAILED;
}

/* The C library of the static program lacks the function. */
static bool exchange(const struct os_path *a, const struct os_path *b)
{
	enum { EXCHANGE = 1 << 1 }; /* RENAME_EXCHANGE */

	return syscall(SYS_renameat2, AT_FDCWD, a->text, AT_FDCWD, b->text, EXCHANGE) == 0;
}

enum status os_exchange_folders(struct sink *sink, sv a, sv b)
{
	struct os_path paths[2];
	struct os_path between;

	if (os_path_set(&paths[0], a) && os_path_set(&paths[1], b) &&
	    (exchange(&paths[0], &paths[1]) ||
	     /* File systems without it refuse the flag. */
	     ((errno == ENOSYS || errno == EINVAL) &&
	      os_path_join(&between, folder_of(a), SV(".osm-gen-old")) &&
	      rename(paths[1].text, between.text) == 0 &&
	      rename(paths[0].text, paths[1].text) == 0 &&
	      rename(between.text, paths[0].text) == 0)))
		return STATUS_OK;
	os_report_error(sink, errno, "replace folder", b);
	return STATUS_FAILED;
}

/* Depth is that of the tree osm-gen made itself; deeper ones are left. */
static void remove_below(int parent, const char *name, unsigned depth)
{
	/* Remove an empty folder without listing it, which would need memory. */
	if (unlinkat(parent, name, AT_REMOVEDIR) == 0)
		return;
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *item;

	if (!stream) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((item = readdir(stream)) != NULL) {
		if (strcmp(item->d_name, ".") == 0 || strcmp(item->d_name, "..") == 0)
			continue;
		if (unlinkat(fd, item->d_name, 0) < 0 && depth > 0)
			remove_below(fd, item->d_name, depth - 1);
	}
	closedir(stream);
	(void)unlinkat(parent, name, AT_REMOVEDIR);
}

void os_remove_tree(sv folder)
{
	struct os_path path;

	if (os_path_set(&path, folder))
		remove_below(AT_FDCWD, path.text, 64);
}
