/*
 * Preloaded by interrupted.sh: counts the calls by which a program changes files, and has one of
 * them fail, or the process killed before it.
 *
 *   FAULT_AT=N         the Nth such call (from 1)
 *   FAULT_DO=EIO|KILL|TERM|INT|HUP
 *   FAULT_LOG=FILE     gets a line a call: "N CALL PATH"
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
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
	if (strcmp(what, "KILL") == 0)
		return SIGKILL;
	if (strcmp(what, "TERM") == 0)
		return SIGTERM;
	if (strcmp(what, "INT") == 0)
		return SIGINT;
	return strcmp(what, "HUP") == 0 ? SIGHUP : 0;
}

/* True: the call is to fail. */
static int fails(const char *call, const char *path)
{
	const char *at = getenv("FAULT_AT");
	const char *what = getenv("FAULT_DO");
	unsigned number = atomic_fetch_add(&calls, 1) + 1;

	note(number, call, path);
	if (!at || !what || number != (unsigned)atoi(at))
		return 0;
	if (signal_of(what))
		kill(getpid(), signal_of(what));
	else
		errno = EIO;
	return !signal_of(what);
}

static int fails_at(const char *call, int fd)
{
	char name[64];
	char path[4096] = "";
	struct stat info;

	if (fstat(fd, &info) < 0 || (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)))
		return 0;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	if (readlink(name, path, sizeof(path) - 1) < 0)
		path[0] = '\0';
	return fails(call, path);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define PATH_CALL(name, parameters, arguments, path)                                               \
	int name parameters                                                                        \
	{                                                                                          \
		return fails(#name, path) ? -1 : REAL(name) arguments;                             \
	}
PATH_CALL(rename, (const char *a, const char *b), (a, b), b)
PATH_CALL(renameat, (int d, const char *a, int e, const char *b), (d, a, e, b), b)
PATH_CALL(link, (const char *a, const char *b), (a, b), b)
PATH_CALL(linkat, (int d, const char *a, int e, const char *b, int f), (d, a, e, b, f), b)
PATH_CALL(unlink, (const char *a), (a), a)
PATH_CALL(unlinkat, (int d, const char *a, int f), (d, a, f), a)
PATH_CALL(mkdir, (const char *a, mode_t m), (a, m), a)
PATH_CALL(rmdir, (const char *a), (a), a)

int fsync(int fd)
{
	return fails_at("fsync", fd) ? -1 : REAL(fsync)(fd);
}

ssize_t write(int fd, const void *bytes, size_t size)
{
	return fails_at("write", fd) ? -1 : REAL(write)(fd, bytes, size);
}

#define WRITE_AT(name, offset)                                                                     \
	ssize_t name(int fd, const void *bytes, size_t size, offset at)                            \
	{                                                                                          \
		return fails_at("pwrite", fd) ? -1 : REAL(name)(fd, bytes, size, at);              \
	}
WRITE_AT(pwrite, off_t)
WRITE_AT(pwrite64, off64_t)

/* Opening counts where it may make a file. */
#define OPEN(name)                                                                                 \
	int name(const char *path, int flags, ...)                                                 \
	{                                                                                          \
		va_list args;                                                                      \
                                                                                                   \
		va_start(args, flags);                                                             \
		mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;            \
		va_end(args);                                                                      \
		if ((flags & O_CREAT) && fails("open", path))                                      \
			return -1;                                                                 \
		return REAL(name)(path, flags, mode);                                              \
	}
OPEN(open)
OPEN(open64)

#define OPEN_AT(name)                                                                              \
	int name(int folder, const char *path, int flags, ...)                                     \
	{                                                                                          \
		va_list args;                                                                      \
                                                                                                   \
		va_start(args, flags);                                                             \
		mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;            \
		va_end(args);                                                                      \
		if ((flags & O_CREAT) && fails("open", path))                                      \
			return -1;                                                                 \
		return REAL(name)(folder, path, flags, mode);                                      \
	}
OPEN_AT(openat)
OPEN_AT(openat64)

int mkostemp(char *path, int flags)
{
	return fails("open", path) ? -1 : REAL(mkostemp)(path, flags);
}
