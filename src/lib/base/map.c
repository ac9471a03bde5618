/*
 * A table of slots over entries in insertion order.
 */
#include "base/map.h"

#include "base/buf.h"

/*
 * SAFETY: keys come from files and templates, and may have been made to meet in one slot. No chance
 * makes so long a row of full slots in a million keys; another seed parts them, and the number of
 * seeds is bounded, so that the whole stays linear.
 */
#define LONGEST_ROW 1024
#define LAST_SEED   15

static uint32_t *find_slot(const struct map *map, sv key, size_t *ret_row)
{
	size_t mask = map->slot_count - 1;

	*ret_row = 0;
	for (size_t i = sv_hash(key, map->seed) & mask;; i = (i + 1) & mask) {
		uint32_t *slot = &map->slots[i];

		if (*slot == 0 || sv_eq(map->entries[*slot - 1].key, key))
			return slot;
		++*ret_row;
	}
}

static void fill_slots(struct map *map)
{
	size_t row;

	for (size_t i = 0; i < map->count; i++)
		*find_slot(map, map->entries[i].key, &row) = (uint32_t)(i + 1);
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
	struct map_entry *entries;

	if (count <= map->cap)
		return;
	entries = ARENA_ARRAY(map->arena, struct map_entry, count);
	if (map->count > 0)
		memcpy(entries, map->entries, map->count * sizeof(*entries));
	map->entries = entries;
	map->cap = count;
	if (count * 4 > map->slot_count * 3)
		grow_slots(map, count);
}

static void change_seed(struct map *map)
{
	map->seed++;
	memset(map->slots, 0, map->slot_count * sizeof(*map->slots));
	fill_slots(map);
}

void *map_get(const struct map *map, sv key)
{
	size_t row;

	if (map->count == 0)
		return NULL;
	uint32_t slot = *find_slot(map, key, &row);
	return slot ? map->entries[slot - 1].value : NULL;
}

bool map_put(struct map *map, sv key, void *value)
{
	size_t row;

	if ((map->count + 1) * 4 > map->slot_count * 3)
		grow_slots(map, map->count + 1);
	uint32_t *slot = find_slot(map, key, &row);
	if (*slot != 0) {
		map->entries[*slot - 1].value = value;
		return false;
	}
	vec_make_room(map->arena, (void **)&map->entries, map->count, &map->cap,
	              sizeof(*map->entries));
	map->entries[map->count++] = (struct map_entry){key, value};
	*slot = (uint32_t)map->count;
	if (row > LONGEST_ROW && map->seed < LAST_SEED)
		change_seed(map);
	return true;
}
