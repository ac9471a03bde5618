/*
 * Inside os/: files that are open.
 */
#ifndef OSM_GEN_OS_FILE_H
#define OSM_GEN_OS_FILE_H

#include "os/os.h"

/* Reads the whole file and closes `fd`. A negative `fd` is reported as a failed open, by errno. */
MUST_CHECK enum status os_read_open(struct arena *arena, struct sink *sink, int fd, sv path,
                                    size_t max_bytes, sv *ret_text);

/*
 * Sets the mode and writes the bytes; with OS_WRITE_SYNC also syncs them to the disk. Returns false
 * on failure, with errno set.
 */
bool os_fill(int fd, sv bytes, unsigned flags);

#endif
