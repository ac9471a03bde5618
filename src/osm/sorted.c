/*
 * Sorts the keys of maps, as sigs.k8s.io/yaml does.
 */
#include "osm/sorted.h"

/* The decoders limit the depth. */
struct value osm_sorted(struct arena *arena, const struct value *v)
{
	if (value_is_list(v)) {
		struct value list = value_list_new(arena);

		for (size_t i = 0; i < value_count(v); i++)
			value_list_add(arena, &list, osm_sorted(arena, value_item(v, i)));
		return list;
	}
	if (!value_is_map(v))
		return *v;
	size_t count = value_count(v);
	const struct value_entry **entries =
	    ARENA_ARRAY(arena, const struct value_entry *, count + 1);
	struct value map = value_map_new(arena);

	for (size_t i = 0; i < count; i++)
		entries[i] = &v->map->entries[i];
	SORT_POINTERS_BY(entries, count, key);
	for (size_t i = 0; i < count; i++)
		value_map_set_at(arena, &map, entries[i]->key, entries[i]->key_origin,
		                 osm_sorted(arena, &entries[i]->value));
	return map;
}
