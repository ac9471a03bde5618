/*
 * An arena for each test of secrecy/.
 */
#ifndef OSM_GEN_TESTS_UNIT_SECRECY_FIXTURE_H
#define OSM_GEN_TESTS_UNIT_SECRECY_FIXTURE_H

#include "secrecy/secrecy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static struct arena *arena;

static inline int set_up(void **state UNUSED)
{
	arena = arena_new(ARENA_SECRET);
	return 0;
}

static inline int tear_down(void **state UNUSED)
{
	arena_free(arena);
	return 0;
}

#endif
