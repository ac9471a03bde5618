/*
 * These functions replace the system library's, in libgit2 as well. They call the kernel
 * themselves, so that they work in a static program, too.
 */
#include "system_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int (*call_error)(const char *call);

/* Returns whether the call fails, with errno set. */
static bool fails(const char *call)
{
	int error = call_error ? call_error(call) : 0;

	if (error > 0)
		errno = error;
	return error > 0;
}

int open(const char *path, int flags, ...)
{
	va_list args;

	va_start(args, flags);
	unsigned mode = flags & O_CREAT ? va_arg(args, unsigned) : 0;
	va_end(args);
	return flags & O_CREAT && fails("open")
	           ? -1
	           : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
	va_list args;

	va_start(args, flags);
	unsigned mode = flags & O_CREAT ? va_arg(args, unsigned) : 0;
	va_end(args);
	return flags & O_CREAT && fails("openat")
	           ? -1
	           : (int)syscall(SYS_openat, folder, path, flags, mode);
}

ssize_t write(int fd, const void *bytes, size_t size)
{
	int error = call_error ? call_error("write") : 0;

	if (error > 0) {
		errno = error;
		return -1;
	}
	return syscall(SYS_write, fd, bytes, error == ONE_BYTE && size > 0 ? 1 : size);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset)
{
	return fails("pwrite") ? -1 : syscall(SYS_pwrite64, fd, bytes, size, offset);
}

int fsync(int fd)
{
	return fails("fsync") ? -1 : (int)syscall(SYS_fsync, fd);
}

int fchmod(int fd, mode_t mode)
{
	return fails("fchmod") ? -1 : (int)syscall(SYS_fchmod, fd, mode);
}

int rename(const char *from, const char *to)
{
	return fails("rename") ? -1 : (int)syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
	return fails("renameat") ? -1
	                         : (int)syscall(SYS_renameat, from_folder, from, to_folder, to);
}

int link(const char *from, const char *to)
{
	return fails("link") ? -1 : (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
	return fails("linkat") ? -1
	                       : (int)syscall(SYS_linkat, from_folder, from, to_folder, to, flags);
}

int mkdir(const char *path, mode_t mode)
{
	return fails("mkdir") ? -1 : (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

int mkdirat(int folder, const char *path, mode_t mode)
{
	return fails("mkdirat") ? -1 : (int)syscall(SYS_mkdirat, folder, path, mode);
}
