#include "base/map.h"

#include "base/buf.h"

static uint32_t *find_slot(const struct map *map, sv key)
{
	size_t mask = map->slot_count - 1;

	for (size_t i = sv_hash(key) & mask;; i = (i + 1) & mask) {
		uint32_t *slot = &map->slots[i];

		if (*slot == 0 || sv_eq(map->entries[*slot - 1].key, key))
			return slot;
	}
}

static void grow_slots(struct map *map)
{
	map->slot_count = map->slot_count ? map->slot_count * 2 : 16;
	map->slots = ARENA_ARRAY(map->arena, uint32_t, map->slot_count);
	for (size_t i = 0; i < map->count; i++)
		*find_slot(map, map->entries[i].key) = (uint32_t)(i + 1);
}

void *map_get(const struct map *map, sv key)
{
	if (map->count == 0)
		return NULL;
	uint32_t slot = *find_slot(map, key);
	return slot ? map->entries[slot - 1].value : NULL;
}

bool map_put(struct map *map, sv key, void *value)
{
	/* At most three quarters full, so that a probe ends soon. */
	if ((map->count + 1) * 4 > map->slot_count * 3)
		grow_slots(map);
	uint32_t *slot = find_slot(map, key);
	if (*slot != 0) {
		map->entries[*slot - 1].value = value;
		return false;
	}
	vec_make_room(map->arena, (void **)&map->entries, map->count, &map->cap,
	              sizeof(*map->entries));
	map->entries[map->count++] = (struct map_entry){key, value};
	*slot = (uint32_t)map->count;
	return true;
}
