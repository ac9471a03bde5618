/*
 * map: text to pointer. Walks in insertion order, never in hash order. Keys are not copied: they
 * live as long as the map. No removal: nothing here needs one.
 */
#ifndef OSM_GEN_BASE_MAP_H
#define OSM_GEN_BASE_MAP_H

#include "base/arena.h"

struct map_entry {
	sv key;
	void *value;
};

struct map {
	struct arena *arena;
	struct map_entry *entries; /* in insertion order */
	size_t count;
	size_t cap;
	uint32_t *slots; /* index + 1 into entries, 0 is free */
	size_t slot_count;
	uint64_t seed; /* of the hash; another when keys were made to meet */
};

static inline struct map map_in(struct arena *arena)
{
	return (struct map){.arena = arena};
}

/* The value under key, or null. */
void *map_get(const struct map *map, sv key);
/* Sets the value; true when the key was new. The key stays where it first stood. */
bool map_put(struct map *map, sv key, void *value);

#endif
