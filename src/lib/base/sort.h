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

/* Compares items that begin with an sv (an sv, or a struct whose first member is one). */
int sort_compare_sv(const void *a, const void *b, void *context);

#endif
