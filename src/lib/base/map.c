/*
 * A table of slots over entries in insertion order. A slot is free if it is 0. Otherwise its low
 * bits are 1 + the index of an entry, as many bits as number the slots. The others are bits of the
 * key's hash, by which nearly all other keys are distinguished without a look at the entry.
 */
#include "base/map.h"

#include "base/buf.h"

/*
 * Returns the slot of the key, or the free one where it belongs. *ret_mark is the hash's part of
 * its content, *ret_row the number of full slots before it.
 */
static uint32_t *find_slot(const struct map *map, sv key, uint32_t *ret_mark, size_t *ret_row)
{
	uint32_t mask = (uint32_t)(map->slot_count - 1);
	uint64_t hash = sv_hash(key, map->seed);
	uint32_t mark = (uint32_t)(hash >> 32) & ~mask;

	*ret_mark = mark;
	*ret_row = 0;
	for (size_t i = hash & mask;; i = (i + 1) & mask) {
		uint32_t *slot = &map->slots[i];

		if (*slot == 0 ||
		    ((*slot & ~mask) == mark && sv_eq(map->entries[(*slot & mask) - 1].key, key)))
			return slot;
		++*ret_row;
	}
}

static void fill_slots(struct map *map)
{
	for (size_t i = 0; i < map->count; i++) {
		uint32_t mark;
		size_t row;
		uint32_t *slot = find_slot(map, map->entries[i].key, &mark, &row);

		*slot = mark | (uint32_t)(i + 1);
	}
}

static void grow_slots(struct map *map, size_t count)
{
	map->slot_count = map->slot_count ? map->slot_count * 2 : 16;
	/* At most three quarters full, so that a probe ends soon. */
	while (count * 4 > map->slot_count * 3)
		map->slot_count *= 2;
	map->slots = ARENA_ARRAY(map->arena, uint32_t, map->slot_count);
	fill_slots(map);
}

void map_expect(struct map *map, size_t count)
{
	vec_expect(map->arena, (void **)&map->entries, &map->cap, map->count, count,
	           sizeof(*map->entries));
	if (count * 4 > map->slot_count * 3)
		grow_slots(map, count);
}

void *map_get(const struct map *map, sv key)
{
	uint32_t mark;
	size_t row;

	if (map->count == 0)
		return NULL;
	uint32_t slot = *find_slot(map, key, &mark, &row);
	return slot ? map->entries[(slot & (map->slot_count - 1)) - 1].value : NULL;
}

bool map_put(struct map *map, sv key, void *value)
{
	uint32_t mark;
	size_t row;

	if ((map->count + 1) * 4 > map->slot_count * 3)
		grow_slots(map, map->count + 1);
	uint32_t *slot = find_slot(map, key, &mark, &row);
	if (*slot != 0) {
		map->entries[(*slot & (map->slot_count - 1)) - 1].value = value;
		return false;
	}
	if (map->count == map->cap)
		vec_grow(map->arena, (void **)&map->entries, &map->cap, sizeof(*map->entries));
	map->entries[map->count++] = (struct map_entry){key, value};
	*slot = mark | (uint32_t)map->count;
	if (row > MAP_LONGEST_ROW && map->seed < MAP_LAST_SEED) {
		map->seed++;
		memset(map->slots, 0, map->slot_count * sizeof(*map->slots));
		fill_slots(map);
	}
	return true;
}
