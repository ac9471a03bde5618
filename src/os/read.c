/*
 * Reading files and listing folders.
 */
#include "os/internal.h"
#include "os/os.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_READ = 64 * 1024 };

static void close_fd(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static void report_too_large(struct sink *sink, sv path, size_t max_bytes)
{
	struct diag *diag =
	    diag_report(sink, DIAG_IO, NOWHERE, "cannot read %.*s: larger than %zu bytes",
	                SV_ARG(path), max_bytes);

	diag_set_help(sink, diag, "give a smaller file, or another one");
}

/* Reads on to the end; the size that stat gives is only a hint (pipes, /proc). */
static enum status read_all(struct arena *arena, struct sink *sink, int fd, sv name, size_t hint,
                            size_t max_bytes, sv *ret_text)
{
	struct buf buf = buf_in(arena);

	buf_reserve(&buf, hint + 1);
	for (;;) {
		if (buf.cap - buf.len < 2)
			buf_reserve(&buf, buf.cap);
		ssize_t got = read(fd, buf.ptr + buf.len, buf.cap - buf.len - 1);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			os_report_error(sink, errno, "read", name);
			return STATUS_FAILED;
		}
		if (got == 0)
			break;
		buf.len += (size_t)got;
		if (buf.len > max_bytes) {
			report_too_large(sink, name, max_bytes);
			return STATUS_FAILED;
		}
	}
	buf.ptr[buf.len] = '\0';
	*ret_text = buf_sv(&buf);
	return STATUS_OK;
}

enum status os_read_open(struct arena *arena, struct sink *sink, int opened, sv path,
                         size_t max_bytes, sv *ret_text)
{
	struct stat info;
	CLEANUP(close_fd) int fd = opened;

	if (fd < 0 || fstat(fd, &info) < 0) {
		os_report_error(sink, errno, "read", path);
		return STATUS_FAILED;
	}
	if (S_ISDIR(info.st_mode)) {
		os_report_error(sink, EISDIR, "read", path);
		return STATUS_FAILED;
	}
	size_t hint = S_ISREG(info.st_mode) ? (size_t)info.st_size : FIRST_READ;
	if (S_ISREG(info.st_mode) && hint > max_bytes) {
		report_too_large(sink, path, max_bytes);
		return STATUS_FAILED;
	}
	return read_all(arena, sink, fd, path, hint + 1, max_bytes, ret_text);
}

enum status os_read_stdin(struct arena *arena, struct sink *sink, size_t max_bytes, sv *ret_text)
{
	/* Opening /dev/stdin again needs rights that this process may not have. */
	return os_read_open(arena, sink, fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0), SV(OS_STDIN),
	                    max_bytes, ret_text);
}

enum status os_read_file(struct arena *arena, struct sink *sink, sv path, size_t max_bytes,
                         sv *ret_text)
{
	struct os_path file;
	int fd = -1;

	if (os_path_set(&file, path))
		fd = open(file.text, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	return os_read_open(arena, sink, fd, path, max_bytes, ret_text);
}

enum status os_change_folder(struct sink *sink, sv path)
{
	struct os_path folder;

	if (os_path_set(&folder, path) && chdir(folder.text) == 0)
		return STATUS_OK;
	os_report_error(sink, errno, "change to folder", path);
	return STATUS_FAILED;
}

enum os_kind os_kind(sv path)
{
	struct os_path file;
	struct stat info;

	if (!os_path_set(&file, path) || lstat(file.text, &info) < 0)
		return OS_ABSENT;
	if (S_ISREG(info.st_mode))
		return OS_FILE;
	if (S_ISDIR(info.st_mode))
		return OS_FOLDER;
	return S_ISLNK(info.st_mode) ? OS_LINK : OS_OTHER;
}

bool os_is_larger(sv path, size_t max_bytes)
{
	struct os_path file;
	struct stat info;

	return os_path_set(&file, path) && lstat(file.text, &info) == 0 && S_ISREG(info.st_mode) &&
	       (uint64_t)info.st_size > max_bytes;
}

bool os_is_own(sv path)
{
	struct os_path file;
	struct stat info;

	return os_path_set(&file, path) && lstat(file.text, &info) == 0 && info.st_uid == geteuid();
}

bool os_real_path(struct arena *arena, sv path, sv *ret_path)
{
	struct os_path file;
	struct os_path real;

	if (!os_path_set(&file, path) || !realpath(file.text, real.text))
		return false;
	*ret_path = arena_dup(arena, sv_from_cstr(real.text));
	return true;
}

bool os_real_place(struct arena *arena, sv path, sv *ret_path)
{
	sv rest = SV("");
	sv real;

	while (os_kind(path) == OS_ABSENT) {
		size_t slash = sv_rfind_char(path, '/');
		sv last = sv_after_last(path, '/');

		if (sv_eq(path, SV(".")) || sv_eq(path, SV("/")))
			return false;
		rest = sv_empty(rest) ? last : ARENA_CONCAT(arena, last, SV("/"), rest);
		path = slash == SV_NPOS ? SV(".")
		       : slash == 0     ? SV("/")
		                        : sv_trim_right(sv_slice(path, 0, slash), "/");
	}
	if (!os_real_path(arena, path, &real) || (!sv_empty(rest) && !os_path_stays_inside(rest)))
		return false;
	*ret_path = sv_empty(rest)
	                ? real
	                : ARENA_CONCAT(arena, sv_eq(real, SV("/")) ? SV("") : real, SV("/"), rest);
	return true;
}

bool os_is_empty_folder(sv path)
{
	struct os_path folder;
	DIR *stream = os_path_set(&folder, path) ? opendir(folder.text) : NULL;
	const struct dirent *item;

	if (!stream)
		return false;
	do {
		item = readdir(stream);
	} while (item && (strcmp(item->d_name, ".") == 0 || strcmp(item->d_name, "..") == 0));
	closedir(stream);
	return item == NULL;
}

/* ---- folder trees ------------------------------------------------------------------------ */

struct walk {
	struct arena *arena;
	struct os_entries *entries;
	struct sink *sink;
	VEC(sv) folders; /* relative paths still to read */
};

static sv join(struct arena *arena, sv folder, const char *name)
{
	return ARENA_CONCAT(arena, folder, folder.len ? SV("/") : SV(""), sv_from_cstr(name));
}

static void visit(struct walk *walk, int folder_fd, sv folder, const char *name)
{
	struct stat info;

	if (strncmp(name, "..", 2) == 0 || strcmp(name, ".") == 0 || strcmp(name, ".git") == 0)
		return;
	if (fstatat(folder_fd, name, &info, AT_SYMLINK_NOFOLLOW) < 0)
		return; /* gone since */
	bool link = S_ISLNK(info.st_mode);
	if (link && fstatat(folder_fd, name, &info, 0) < 0)
		return; /* dangling */
	if (S_ISREG(info.st_mode))
		VEC_PUSH(
		    walk->arena, walk->entries,
		    ((struct os_entry){join(walk->arena, folder, name), (uint64_t)info.st_size}));
	else if (S_ISDIR(info.st_mode) && !link)
		VEC_PUSH(walk->arena, &walk->folders, join(walk->arena, folder, name));
}

static enum status list_folder(struct walk *walk, sv root, sv folder)
{
	struct os_path path;
	DIR *stream = os_path_join(&path, root, folder) ? opendir(path.text) : NULL;

	if (!stream) {
		os_report_error(walk->sink, errno, "read folder",
		                ARENA_CONCAT(walk->arena, root, SV("/"), folder));
		return STATUS_FAILED;
	}
	for (;;) {
		errno = 0;
		const struct dirent *item = readdir(stream);

		if (!item)
			break;
		visit(walk, dirfd(stream), folder, item->d_name);
	}
	int error = errno;
	closedir(stream);
	if (error) {
		os_report_error(walk->sink, error, "read folder", sv_from_cstr(path.text));
		return STATUS_FAILED;
	}
	return STATUS_OK;
}

static enum status list(struct arena *arena, struct sink *sink, sv folder, bool is_deep,
                        struct os_entries *ret_entries)
{
	struct os_entries entries = {0};
	struct walk walk = {.arena = arena, .entries = &entries, .sink = sink};

	VEC_PUSH(arena, &walk.folders, ((sv){0}));
	while (walk.folders.count > 0) {
		sv next = walk.folders.items[--walk.folders.count];

		if (list_folder(&walk, folder, next) != STATUS_OK)
			return STATUS_FAILED;
		if (!is_deep)
			walk.folders.count = 0;
	}
	sort_stable(entries.items, entries.count, sizeof(*entries.items), sort_compare_sv, NULL);
	*ret_entries = entries;
	return STATUS_OK;
}

enum status os_list_tree(struct arena *arena, struct sink *sink, sv folder,
                         struct os_entries *ret_entries)
{
	return list(arena, sink, folder, true, ret_entries);
}

enum status os_list_folder(struct arena *arena, struct sink *sink, sv folder,
                           struct os_entries *ret_entries)
{
	return list(arena, sink, folder, false, ret_entries);
}
