/*
 * set: strings, each once. Iterates in the order in which they were added. Strings are not copied:
 * they must live as long as the set. They cannot be removed.
 */
#ifndef OSM_GEN_BASE_SET_H
#define OSM_GEN_BASE_SET_H

#include "base/map.h"

struct set {
	struct map map; /* the strings are its keys */
};

static inline struct set set_in(struct arena *arena)
{
	return (struct set){map_in(arena)};
}

/* Makes room for `count` strings in all at once. */
static inline void set_expect(struct set *set, size_t count)
{
	map_expect(&set->map, count);
}

/* Adds a string. Returns true if it was new. */
static inline bool set_add(struct set *set, sv string)
{
	return map_put(&set->map, string, set->map.arena);
}

static inline bool set_has(const struct set *set, sv string)
{
	return map_get(&set->map, string) != NULL;
}

static inline size_t set_count(const struct set *set)
{
	return set->map.count;
}

static inline sv set_item(const struct set *set, size_t i)
{
	return set->map.entries[i].key;
}

#endif
