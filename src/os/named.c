/*
 * Files that a person named on the command line, some of which lie in a work tree that somebody
 * else filled: reached part by part, so that none of that tree's symbolic links is followed.
 */
#include "os/internal.h"
#include "os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	LINKS_MAX = 40,   /* as the system's own */
	DEPTH_MAX = 4096, /* of folders above */
	NAMES_MAX = 1000, /* tried for a temporary file */
	NAME_SIZE = 256,
};

struct walk {
	struct arena *arena;
	struct stat tree;
	bool has_tree;
	int folder; /* where the walk is */
	bool inside;
	sv rest; /* still to go */
	unsigned links;
	sv refused; /* link of the tree that may not be followed; if empty, errno has the reason */
};

/* The end of the walk: an open folder and a name in it. */
struct named {
	int folder;
	char name[NAME_SIZE];
	enum os_kind kind; /* OS_ABSENT, OS_FILE, OS_FOLDER or OS_OTHER */
};

static bool is_same_inode(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* The folder is the tree, or lies in it: asked of the system, whatever way led here. */
static bool is_inside(const struct walk *walk)
{
	struct stat here;
	struct stat above;
	int at = walk->has_tree ? openat(walk->folder, ".", O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	bool inside = false;

	for (unsigned i = 0; at >= 0 && i < DEPTH_MAX && fstat(at, &here) == 0; i++) {
		inside = is_same_inode(&here, &walk->tree);
		int next = inside ? -1 : openat(at, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
		close(at);
		at = next;
		if (at >= 0 && fstat(at, &above) == 0 && is_same_inode(&here, &above))
			break;
	}
	if (at >= 0)
		close(at);
	return inside;
}

static bool enter(struct walk *walk, const char *name)
{
	int next = openat(walk->folder, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (next < 0)
		return false;
	close(walk->folder);
	walk->folder = next;
	walk->inside = is_inside(walk);
	return true;
}

/* Goes on where the link leads; never one of the tree's. */
static bool follow_link(struct walk *walk, const char *name, sv path)
{
	char target[PATH_MAX];

	if (walk->inside) {
		walk->refused = path;
		return false;
	}
	ssize_t len = readlinkat(walk->folder, name, target, sizeof(target));
	if (len < 0)
		return false;
	if (++walk->links > LINKS_MAX || (size_t)len == sizeof(target)) {
		errno = ELOOP;
		return false;
	}
	walk->rest = ARENA_CONCAT(walk->arena, sv_from(target, (size_t)len), SV("/"), walk->rest);
	/* The last part of a link's target is a file if no part follows it. */
	walk->rest = sv_trim_right(walk->rest, "/");
	return target[0] != '/' || enter(walk, "/");
}

static enum os_kind kind_of_stat(const struct stat *info)
{
	if (S_ISREG(info->st_mode))
		return OS_FILE;
	return S_ISDIR(info->st_mode) ? OS_FOLDER : OS_OTHER;
}

/* The last part. *ret_done false: it was a link, and the walk goes on. */
static bool arrive(struct walk *walk, const char *name, sv path, struct named *ret_named,
                   bool *ret_done)
{
	struct stat info;

	snprintf(ret_named->name, sizeof(ret_named->name), "%s", name);
	*ret_done = true;
	if (fstatat(walk->folder, name, &info, AT_SYMLINK_NOFOLLOW) < 0) {
		ret_named->kind = OS_ABSENT;
		return errno == ENOENT;
	}
	if (S_ISLNK(info.st_mode)) {
		struct stat target;

		/* /dev/stdout: a link whose text names a pipe, not a path. */
		if (walk->inside || fstatat(walk->folder, name, &target, 0) < 0 ||
		    S_ISREG(target.st_mode) || S_ISDIR(target.st_mode)) {
			*ret_done = false;
			return follow_link(walk, name, path);
		}
		info = target;
	}
	ret_named->kind = kind_of_stat(&info);
	if (ret_named->kind == OS_OTHER && walk->inside) {
		walk->refused = path;
		return false;
	}
	return true;
}

/* Walks the path to its end. Returns false on failure; the reason is in walk->refused or errno. */
static bool go(struct walk *walk, sv path, struct named *ret_named)
{
	char name[NAME_SIZE];
	bool done = false;

	walk->rest = path;
	if (sv_starts_with(path, SV("/")) && !enter(walk, "/"))
		return false;
	while (!done) {
		struct stat info;

		while (sv_starts_with(walk->rest, SV("/")))
			walk->rest = sv_from_offset(walk->rest, 1);
		size_t slash = sv_find_char(walk->rest, '/');
		sv part = sv_slice(walk->rest, 0, slash);
		bool is_last = slash == SV_NPOS;
		if (part.len >= sizeof(name) || sv_find_char(part, '\0') != SV_NPOS) {
			errno = part.len >= sizeof(name) ? ENAMETOOLONG : EINVAL;
			return false;
		}
		snprintf(name, sizeof(name), "%.*s", SV_ARG(part));
		walk->rest = is_last ? SV("") : sv_from_offset(walk->rest, slash + 1);
		if (sv_empty(part) ||
		    (is_last && (sv_eq(part, SV(".")) || sv_eq(part, SV(".."))))) {
			errno = EISDIR;
			return false;
		}
		if (is_last) {
			if (!arrive(walk, name, path, ret_named, &done))
				return false;
		} else if (fstatat(walk->folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
		           S_ISLNK(info.st_mode)) {
			if (!follow_link(walk, name, path))
				return false;
		} else if (!enter(walk, name)) {
			return false;
		}
	}
	ret_named->folder = walk->folder;
	return true;
}

static enum status find_named(struct sink *sink, sv tree, sv path, const char *action,
                              struct named *ret_named)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct os_path root;
	struct walk walk = {.arena = arena};

	walk.has_tree =
	    !sv_empty(tree) && os_path_set(&root, tree) && stat(root.text, &walk.tree) == 0;
	walk.folder = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	walk.inside = is_inside(&walk);
	if (walk.folder >= 0 && go(&walk, path, ret_named))
		return STATUS_OK;
	int error = errno;
	if (walk.folder >= 0)
		close(walk.folder);
	if (sv_empty(walk.refused)) {
		os_report_error(sink, error, action, path);
		return STATUS_FAILED;
	}
	struct diag *diag =
	    diag_report(sink, DIAG_NAMED_LINK, NOWHERE,
	                "cannot %s %.*s: the repository has a symbolic link, or something else "
	                "than a file, in the way",
	                action, SV_ARG(path));
	diag_set_help(sink, diag,
	              "name a file outside of the repository: authors of changes choose where its "
	              "links lead");
	return STATUS_FAILED;
}

/* ---- reading ----------------------------------------------------------------------------- */

enum status os_read_named(struct arena *arena, struct sink *sink, sv tree, sv path,
                          size_t max_bytes, sv *ret_text)
{
	struct named named;

	if (find_named(sink, tree, path, "read", &named) != STATUS_OK)
		return STATUS_FAILED;
	int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | (named.kind == OS_OTHER ? 0 : O_NOFOLLOW);
	int fd = openat(named.folder, named.name, flags);
	int error = errno;
	close(named.folder);
	errno = error;
	return os_read_open(arena, sink, fd, path, max_bytes, ret_text);
}

/* ---- writing ----------------------------------------------------------------------------- */

/* A file of a name that nobody has, in the folder. */
static int open_temporary(int folder, char name[NAME_SIZE])
{
	for (unsigned i = 0; i < NAMES_MAX; i++) {
		snprintf(name, NAME_SIZE, ".osm-gen-%ld-%u", (long)getpid(), i);
		int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		                0600);

		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return -1;
}

/* close reports late errors (NFS, quotas) that write kept back. */
static bool replace(const struct named *named, sv bytes)
{
	char temporary[NAME_SIZE];
	int fd = open_temporary(named->folder, temporary);

	if (fd < 0)
		return false;
	bool done = os_fill(fd, bytes, OS_WRITE_PLAIN);
	int error = errno;
	if (close(fd) < 0 && done) {
		done = false;
		error = errno;
	}
	if (done && renameat(named->folder, temporary, named->folder, named->name) < 0) {
		done = false;
		error = errno;
	}
	if (!done) {
		unlinkat(named->folder, temporary, 0);
		errno = error;
	}
	return done;
}

/* A pipe, a device. */
static bool write_other(const struct named *named, sv bytes)
{
	int fd = openat(named->folder, named->name, O_WRONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return false;
	bool done = os_write_all(fd, bytes);
	int error = errno;
	close(fd);
	errno = error;
	return done;
}

/* Closes the folder and reports a write that failed (`done` is false), with errno as its reason. */
static enum status finish_writing(struct sink *sink, sv path, const struct named *named, bool done)
{
	int error = errno;

	close(named->folder);
	if (done)
		return STATUS_OK;
	os_report_error(sink, error, "write", path);
	return STATUS_FAILED;
}

enum status os_write_named(struct sink *sink, sv tree, sv path, sv bytes)
{
	struct named named;
	bool done;

	if (find_named(sink, tree, path, "write", &named) != STATUS_OK)
		return STATUS_FAILED;
	errno = EISDIR;
	if (named.kind == OS_FOLDER)
		done = false;
	else
		done = named.kind == OS_OTHER ? write_other(&named, bytes) : replace(&named, bytes);
	return finish_writing(sink, path, &named, done);
}

enum status os_check_writable(struct sink *sink, sv tree, sv path)
{
	struct named named;
	bool done;

	if (find_named(sink, tree, path, "write", &named) != STATUS_OK)
		return STATUS_FAILED;
	errno = EISDIR;
	if (named.kind == OS_FOLDER)
		done = false;
	else if (named.kind == OS_OTHER)
		done = faccessat(named.folder, named.name, W_OK, 0) == 0;
	else
		done = faccessat(named.folder, ".", W_OK | X_OK, 0) == 0;
	return finish_writing(sink, path, &named, done);
}
