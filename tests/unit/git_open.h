/*
 * Keeps libgit2 open for all tests of a file, as a run does: opening it takes milliseconds. For
 * cmocka_run_group_tests.
 */
#ifndef OSM_GEN_TESTS_GIT_OPEN_H
#define OSM_GEN_TESTS_GIT_OPEN_H

#include <git2.h>

static inline int git_open(void **state)
{
	(void)state;
	return git_libgit2_init() < 0;
}

static inline int git_close(void **state)
{
	(void)state;
	return git_libgit2_shutdown() < 0;
}

#endif
