/*
 * Inside os/: a path as the system calls want it.
 */
#ifndef OSM_GEN_OS_PATH_H
#define OSM_GEN_OS_PATH_H

#include "os/os.h"

#include <limits.h>

struct os_path {
	char text[PATH_MAX];
};

/* Terminated copy; false (errno set) when it is too long or holds a NUL. */
bool os_path_set(struct os_path *path, sv text);
/* folder/name; an empty folder gives name. */
bool os_path_join(struct os_path *path, sv folder, sv name);

#endif
