/*
 * A limit on recursion that counts what the limit is about: bytes of C stack. Threads have 8 MiB
 * at most; nothing here may use more than a part of that, whatever the input nests.
 */
#ifndef OSM_GEN_TMPL_STACK_H
#define OSM_GEN_TMPL_STACK_H

#include "base/base.h"

#define STACK_BYTES_PARSE ((size_t)2 << 20)
#define STACK_BYTES_RUN   ((size_t)2 << 20)

struct stack_guard {
	uintptr_t start;
	size_t limit;
};

static inline struct stack_guard stack_guard_here(size_t limit)
{
	return (struct stack_guard){(uintptr_t)__builtin_frame_address(0), limit};
}

/* A limit that is met before the whole one, so that its own message is the one that shows. */
static inline struct stack_guard stack_guard_early(const struct stack_guard *guard)
{
	return (struct stack_guard){guard->start, guard->limit - guard->limit / 8};
}

/* Stacks grow down on every system this runs on; a stack that grows up is caught as well. */
static inline bool stack_guard_ok(const struct stack_guard *guard)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	uintptr_t used = here < guard->start ? guard->start - here : here - guard->start;

	return used < guard->limit;
}

#endif
