/*
 * For tests of what is left on the stack: a mark, and where it stands.
 */
#ifndef OSM_GEN_TESTS_UNIT_STACK_MARKS_H
#define OSM_GEN_TESTS_UNIT_STACK_MARKS_H

#include "base/base.h"

/* Volatile, so that no call saves it on the stack in a register's place. */
static const volatile uint64_t mark = 0x5bd1e995c3a5c85cU;

/*
 * Counts the words of 512 KiB below the caller that are the mark, forwards or backwards. No call
 * has written to most of them since.
 */
static __attribute__((noinline, unused, no_sanitize("address", "undefined"))) size_t
count_marks(void)
{
	volatile uint64_t words[(512 << 10) / sizeof(uint64_t)];
	size_t count = 0;

	__asm__ __volatile__("" : : "r"(words) : "memory");
	for (size_t i = 0; i < COUNT_OF(words); i++)
		/* NOLINTNEXTLINE(clang-analyzer-core.*): reads what is left */
		count += words[i] == mark || __builtin_bswap64(words[i]) == mark;
	return count;
}

#endif
