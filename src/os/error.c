/*
 * Paths that end with a NUL, and failures of the system in its own words.
 */
#include "os/internal.h"
#include "os/os.h"

#include <errno.h>

bool os_path_join(struct os_path *path, sv folder, sv name)
{
	size_t slash = folder.len > 0 && name.len > 0 && folder.ptr[folder.len - 1] != '/';

	if (folder.len + slash + name.len >= sizeof(path->text)) {
		errno = ENAMETOOLONG;
		return false;
	}
	if (sv_find_char(folder, '\0') != SV_NPOS || sv_find_char(name, '\0') != SV_NPOS) {
		errno = EINVAL;
		return false;
	}
	if (folder.len > 0)
		memcpy(path->text, folder.ptr, folder.len);
	if (slash)
		path->text[folder.len] = '/';
	if (name.len > 0)
		memcpy(path->text + folder.len + slash, name.ptr, name.len);
	path->text[folder.len + slash + name.len] = '\0';
	return true;
}

bool os_path_set(struct os_path *path, sv text)
{
	return os_path_join(path, text, (sv){0});
}

/* Safe in threads with glibc from 2.32 on and with musl, as strerrordesc_np, which is glibc's
 * alone. */
const char *os_error_words(int error)
{
	return strerror(error);
}

void os_report_error(struct sink *sink, int error, const char *action, sv path)
{
	bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
	struct diag *diag =
	    diag_report(sink, full ? DIAG_DISK_FULL : DIAG_IO, NOWHERE, "cannot %s %.*s: %s",
	                action, SV_ARG(path), os_error_words(error));

	if (error == ENOSPC)
		diag_set_help(sink, diag, "make room on that disk (df -h), then run again");
	else if (error == EDQUOT)
		diag_set_help(sink, diag, "the disk quota is used up: make room, then run again");
	else if (error == EFBIG)
		diag_set_help(sink, diag,
		              "raise the limit on file size (ulimit -f), then run again");
	else if (error == EACCES || error == EPERM)
		diag_set_help(sink, diag,
		              "check owner and permissions of the path and the folders above");
	else if (error == EROFS)
		diag_set_help(sink, diag, "the file system is mounted read-only");
	else if (error == ENOTDIR)
		diag_set_help(sink, diag, "check the path: one of its folders is a file");
	else if (error == ENOENT)
		diag_set_help(sink, diag, "no such file; check the path");
}
