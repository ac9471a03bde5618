/*
 * Preloaded by interrupted.sh and _write_faults.py: counts the calls by which a program changes
 * files, and has one of them fail, or the process killed before it.
 *
 *   FAULT_AT=N         the Nth such call (from 1)
 *   FAULT_DO=...       EIO, EDQUOT or EINTR: the call fails
 *                      FULL: it fails with ENOSPC, and so does every later one that needs space
 *                      READONLY: it fails with EROFS, and so does every later one
 *                      SHORT: it writes half of the bytes; other calls are left alone
 *                      KILL, TERM, INT or HUP: the process gets that signal before the call
 *   FAULT_LOG=FILE     gets a line a call: "N CALL PATH"
 *
 * A close that fails has closed its file, as on Linux.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_uint calls;

static void note(unsigned number, const char *call, const char *path)
{
	const char *file = getenv("FAULT_LOG");
	char line[4600];

	if (!file)
		return;
	int fd = (int)syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_APPEND | O_CREAT, 0644);
	int len = snprintf(line, sizeof(line), "%u %s %s\n", number, call, path);
	if (fd >= 0 && len > 0)
		(void)!syscall(SYS_write, fd, line, (size_t)len);
	if (fd >= 0)
		(void)syscall(SYS_close, fd);
}

static int signal_of(const char *what)
{
	static const struct {
		const char *name;
		int number;
	} signals[] = {{"KILL", SIGKILL}, {"TERM", SIGTERM}, {"INT", SIGINT}, {"HUP", SIGHUP}};

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (strcmp(what, signals[i].name) == 0)
			return signals[i].number;
	return 0;
}

static int error_of(const char *what)
{
	static const struct {
		const char *name;
		int number;
	} errors[] = {{"EIO", EIO},
	              {"EDQUOT", EDQUOT},
	              {"EINTR", EINTR},
	              {"FULL", ENOSPC},
	              {"READONLY", EROFS}};

	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++)
		if (strcmp(what, errors[i].name) == 0)
			return errors[i].number;
	return 0;
}

/* A full disk refuses what makes files and folders longer. */
static bool needs_space(const char *call)
{
	static const char *const others[] = {"close",    "fsync",    "fdatasync", "unlink",
	                                     "unlinkat", "rmdir",    "chmod",     "fchmod",
	                                     "rename",   "renameat", "renameat2"};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (strcmp(call, others[i]) == 0)
			return false;
	return true;
}

static bool lasts(const char *what, const char *call)
{
	return strcmp(what, "READONLY") == 0 || (strcmp(what, "FULL") == 0 && needs_space(call));
}

enum fault { NONE, ERROR, HALF };

static enum fault fault_of(const char *call, const char *path)
{
	const char *at = getenv("FAULT_AT");
	const char *what = getenv("FAULT_DO");
	unsigned number = atomic_fetch_add(&calls, 1) + 1;
	unsigned wanted = at ? (unsigned)atoi(at) : 0;

	note(number, call, path);
	if (!wanted || !what || number < wanted || (number > wanted && !lasts(what, call)))
		return NONE;
	if (signal_of(what)) {
		kill(getpid(), signal_of(what));
		return NONE;
	}
	if (strcmp(what, "SHORT") == 0)
		return HALF;
	errno = error_of(what);
	return errno ? ERROR : NONE;
}

/* True: the call is to fail. */
static bool fails(const char *call, const char *path)
{
	return fault_of(call, path) == ERROR;
}

static enum fault fault_at(const char *call, int fd)
{
	char name[64];
	char path[4096] = "";
	struct stat info;
	int error = errno;

	if (fstat(fd, &info) < 0 || (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))) {
		errno = error;
		return NONE;
	}
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	if (readlink(name, path, sizeof(path) - 1) < 0)
		path[0] = '\0';
	errno = error;
	return strncmp(path, "/proc/", 6) == 0 ? NONE : fault_of(call, path);
}

static bool fails_at(const char *call, int fd)
{
	return fault_at(call, fd) == ERROR;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define PATH_CALL(name, parameters, arguments, path)                                               \
	int name parameters                                                                        \
	{                                                                                          \
		return fails(#name, path) ? -1 : REAL(name) arguments;                             \
	}
PATH_CALL(rename, (const char *a, const char *b), (a, b), b)
PATH_CALL(renameat, (int d, const char *a, int e, const char *b), (d, a, e, b), b)
PATH_CALL(renameat2, (int d, const char *a, int e, const char *b, unsigned f), (d, a, e, b, f), b)
PATH_CALL(link, (const char *a, const char *b), (a, b), b)
PATH_CALL(linkat, (int d, const char *a, int e, const char *b, int f), (d, a, e, b, f), b)
PATH_CALL(symlink, (const char *a, const char *b), (a, b), b)
PATH_CALL(symlinkat, (const char *a, int d, const char *b), (a, d, b), b)
PATH_CALL(unlink, (const char *a), (a), a)
PATH_CALL(unlinkat, (int d, const char *a, int f), (d, a, f), a)
PATH_CALL(mkdir, (const char *a, mode_t m), (a, m), a)
PATH_CALL(mkdirat, (int d, const char *a, mode_t m), (d, a, m), a)
PATH_CALL(rmdir, (const char *a), (a), a)
PATH_CALL(chmod, (const char *a, mode_t m), (a, m), a)
PATH_CALL(fchmodat, (int d, const char *a, mode_t m, int f), (d, a, m, f), a)
PATH_CALL(truncate, (const char *a, off_t s), (a, s), a)
PATH_CALL(truncate64, (const char *a, off64_t s), (a, s), a)

#define FD_CALL(name, parameters, arguments, fd)                                                   \
	int name parameters                                                                        \
	{                                                                                          \
		return fails_at(#name, fd) ? -1 : REAL(name) arguments;                            \
	}
FD_CALL(fsync, (int fd), (fd), fd)
FD_CALL(fdatasync, (int fd), (fd), fd)
FD_CALL(fchmod, (int fd, mode_t m), (fd, m), fd)
FD_CALL(ftruncate, (int fd, off_t s), (fd, s), fd)
FD_CALL(ftruncate64, (int fd, off64_t s), (fd, s), fd)

/* Closing counts where the file was open for writing. */
int close(int fd)
{
	int error = errno;
	int flags = fcntl(fd, F_GETFL);

	errno = error;
	if (flags < 0 || (flags & O_PATH) || (flags & O_ACCMODE) == O_RDONLY ||
	    !fails_at("close", fd))
		return REAL(close)(fd);
	error = errno;
	(void)REAL(close)(fd);
	errno = error;
	return -1;
}

/* Writes all of the bytes, or half of them. */
#define WRITE_CALL(name, call, parameters, fd, size, whole, half)                                  \
	ssize_t name parameters                                                                    \
	{                                                                                          \
		switch (fault_at(call, fd)) {                                                      \
		case ERROR:                                                                        \
			return -1;                                                                 \
		case HALF:                                                                         \
			if ((size) > 1)                                                            \
				return REAL(name) half;                                            \
			break;                                                                     \
		case NONE:                                                                         \
			break;                                                                     \
		}                                                                                  \
		return REAL(name) whole;                                                           \
	}
WRITE_CALL(write, "write", (int fd, const void *b, size_t n), fd, n, (fd, b, n), (fd, b, n / 2))
WRITE_CALL(pwrite, "pwrite", (int fd, const void *b, size_t n, off_t at), fd, n, (fd, b, n, at),
           (fd, b, n / 2, at))
WRITE_CALL(pwrite64, "pwrite", (int fd, const void *b, size_t n, off64_t at), fd, n, (fd, b, n, at),
           (fd, b, n / 2, at))
WRITE_CALL(writev, "writev", (int fd, const struct iovec *v, int n), fd, n, (fd, v, n),
           (fd, v, n / 2))
WRITE_CALL(sendfile, "sendfile", (int fd, int from, off_t *at, size_t n), fd, n, (fd, from, at, n),
           (fd, from, at, n / 2))
WRITE_CALL(copy_file_range, "copy_file_range",
           (int from, off64_t *start, int fd, off64_t *at, size_t n, unsigned f), fd, n,
           (from, start, fd, at, n, f), (from, start, fd, at, n / 2, f))

/* Opening counts where it may make a file, or cuts one. */
#define OPEN(name, declared, passed)                                                               \
	int name(declared const char *path, int flags, ...)                                        \
	{                                                                                          \
		va_list args;                                                                      \
                                                                                                   \
		va_start(args, flags);                                                             \
		mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;            \
		va_end(args);                                                                      \
		if ((flags & (O_CREAT | O_TRUNC)) && fails("open", path))                          \
			return -1;                                                                 \
		return REAL(name)(passed path, flags, mode);                                       \
	}
#define COMMA ,
OPEN(open, , )
OPEN(open64, , )
OPEN(openat, int folder COMMA, folder COMMA)
OPEN(openat64, int folder COMMA, folder COMMA)

int mkstemp(char *path)
{
	return fails("open", path) ? -1 : REAL(mkstemp)(path);
}

int mkostemp(char *path, int flags)
{
	return fails("open", path) ? -1 : REAL(mkostemp)(path, flags);
}
