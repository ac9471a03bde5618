/*
 * Inside os/: files that are open.
 */
#ifndef OSM_GEN_OS_FILE_H
#define OSM_GEN_OS_FILE_H

#include "os/os.h"

/* All of it, and closes fd; below 0: errno says why it could not be opened. */
MUST_CHECK enum status os_read_open(struct arena *arena, struct sink *sink, int fd, sv path,
                                    size_t max_bytes, sv *ret_text);

/* False: errno. */
bool os_write_all(int fd, sv bytes);
/* Mode, bytes and, with OS_WRITE_SYNC, onto the disk. False: errno. */
bool os_fill(int fd, sv bytes, unsigned flags);

#endif
