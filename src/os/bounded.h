/*
 * Private to os/: starts a program that has bounds.
 */
#ifndef OSM_GEN_OS_BOUNDED_H
#define OSM_GEN_OS_BOUNDED_H

#include "os/os.h"

#include <sys/types.h>

/*
 * Starts the program in a session of its own, with `ends` as its standard input, output and error,
 * and with its bounds. Returns an errno value, or 0 and sets *ret_pid.
 */
int os_start_bounded(struct arena *arena, const struct os_program *program, const int ends[3],
                     pid_t *ret_pid);

#endif
