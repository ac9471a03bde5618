/*
 * System calls that fail when a C test wants it.
 */
#ifndef OSM_GEN_TESTS_UNIT_SYSTEM_CALLS_H
#define OSM_GEN_TESTS_UNIT_SYSTEM_CALLS_H

/* A result of call_error for write alone: it writes the first byte. */
enum { ONE_BYTE = -1 };

/*
 * A test's function that decides about each call that changes a file ("open" with O_CREAT, "write",
 * "fsync", "rename", ...): it returns 0 if the call is to work, or the errno with which it fails.
 * Null: all calls work.
 */
extern int (*call_error)(const char *call);

#endif
