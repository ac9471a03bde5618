/*
 * The one sort: stable, so that equal items keep their order and output never depends on a
 * library's choice.
 */
#ifndef OSM_GEN_BASE_SORT_H
#define OSM_GEN_BASE_SORT_H

#include "base/sv.h"

typedef int (*sort_compare)(const void *a, const void *b, void *context);

/* Sorts `count` items of `size` bytes by merging; uses count * size bytes of heap while it runs. */
void sort_stable(void *items, size_t count, size_t size, sort_compare compare, void *context);

/*
 * Sort structs, or the structs that an array of pointers names, by a member that is an sv:
 * SORT_BY(files.items, files.count, path).
 */
#define SORT_BY(items, count, member)                                                              \
	sort_by((items), (count), sizeof(*(items)), SORT_OFFSET(*(items), member), false)
#define SORT_POINTERS_BY(items, count, member)                                                     \
	sort_by((items), (count), sizeof(*(items)), SORT_OFFSET(**(items), member), true)
#ifdef __cppcheck__ /* which cannot parse the check below */
#define SORT_OFFSET(object, member) offsetof(__typeof__(object), member)
#else
/* Does not compile if the member is not an sv. */
#define SORT_OFFSET(object, member)                                                                \
	(offsetof(__typeof__(object), member) + _Generic((object).member, sv : 0))
#endif
void sort_by(void *items, size_t count, size_t size, size_t offset, bool are_pointers);

/* Compares items that begin with an sv (an sv, or a struct whose first member is one). */
int sort_compare_sv(const void *a, const void *b, void *context);

#endif
