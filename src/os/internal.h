/*
 * Private to os/: paths as the system calls want them, open files, and programs that have bounds.
 */
#ifndef OSM_GEN_OS_INTERNAL_H
#define OSM_GEN_OS_INTERNAL_H

#include "os/os.h"

#include <limits.h>
#include <sys/types.h>

/* ---- error.c ------------------------------------------------------------------------------- */

struct os_path {
	char text[PATH_MAX];
};

/* Terminated copy; false (errno set) when it is too long or holds a NUL. */
bool os_path_set(struct os_path *path, sv text);
/* folder/name; an empty folder gives name. */
bool os_path_join(struct os_path *path, sv folder, sv name);

/* ---- read.c, write.c ----------------------------------------------------------------------- */

/* Reads the whole file and closes `fd`. A negative `fd` is reported as a failed open, by errno. */
MUST_CHECK enum status os_read_open(struct arena *arena, struct sink *sink, int fd, sv path,
                                    size_t max_bytes, sv *ret_text);

/*
 * Sets the mode and writes the bytes; with OS_WRITE_SYNC also syncs them to the disk. Returns false
 * on failure, with errno set.
 */
bool os_fill(int fd, sv bytes, unsigned flags);

/* ---- bounded.c ----------------------------------------------------------------------------- */

/*
 * Starts the program in a session of its own, with `ends` as its standard input, output and error,
 * and with its bounds. Returns an errno value, or 0 and sets *ret_pid.
 */
int os_start_bounded(struct arena *arena, const struct os_program *program, const int ends[3],
                     pid_t *ret_pid);

#endif
