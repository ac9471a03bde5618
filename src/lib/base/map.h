/*
 * map: string to pointer. Iterates in insertion order, never in hash order. Keys are not copied:
 * they must live as long as the map. Entries cannot be removed.
 */
#ifndef OSM_GEN_BASE_MAP_H
#define OSM_GEN_BASE_MAP_H

#include "base/arena.h"

/*
 * SAFETY: keys come from files and templates, so an attacker may choose keys whose hashes collide.
 * Among a million random keys no row of full slots is this long. If one is, the map takes another
 * seed. The number of seeds is bounded, so that the total work stays linear.
 */
enum { MAP_LONGEST_ROW = 1024, MAP_LAST_SEED = 15 };

struct map_entry {
	sv key;
	void *value;
};

struct map {
	struct arena *arena;
	struct map_entry *entries; /* in insertion order */
	size_t count;
	size_t cap;
	uint32_t *slots; /* see map.c */
	size_t slot_count;
	uint64_t seed; /* of the hash; replaced when too many keys collide */
};

static inline struct map map_in(struct arena *arena)
{
	return (struct map){.arena = arena};
}

/* Makes room for `count` entries in all at once, since memory that is outgrown stays in the arena.
 */
void map_expect(struct map *map, size_t count);
/* Returns the value of the key, or null. */
void *map_get(const struct map *map, sv key);
/*
 * Sets the value of a key. Returns true if the key was new; an existing key keeps its place in the
 * order.
 */
bool map_put(struct map *map, sv key, void *value);

#endif
