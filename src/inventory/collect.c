/*
 * Merges what the units of a run fetch: each thing once, with all units whose machines fetch it.
 */
#include "inventory/inventory.h"

static int compare_items(const void *a, const void *b, void *context)
{
	const struct dialect_fetch *left = &(*(struct inventory_item *const *)a)->fetch;
	const struct dialect_fetch *right = &(*(struct inventory_item *const *)b)->fetch;
	const sv pairs[][2] = {
	    {left->kind, right->kind},       {left->name, right->name},
	    {left->version, right->version}, {left->architecture, right->architecture},
	    {left->url, right->url},
	};
	int order = 0;

	(void)context;
	for (size_t i = 0; order == 0 && i < COUNT_OF(pairs); i++)
		order = sv_cmp(pairs[i][0], pairs[i][1]);
	return order;
}

static sv key_of_fetch(struct arena *arena, const struct dialect_fetch *fetch)
{
	const sv parts[] = {fetch->kind,    fetch->name,    fetch->version,     fetch->architecture,
	                    fetch->url,     fetch->sha256,  fetch->fingerprint, fetch->from,
	                    fetch->setting, fetch->upstream};
	struct buf key = buf_in(arena);

	for (size_t i = 0; i < COUNT_OF(parts); i++) {
		buf_add(&key, parts[i]);
		buf_add_char(&key, '\n');
	}
	return buf_sv(&key);
}

static void add_fetches(struct arena *arena, struct map *known, struct inventory *inventory,
                        const struct run_fetched *unit)
{
	sv name = ARENA_CONCAT(arena, unit->cluster, SV("/"), unit->namespace, SV("/"), unit->name);

	if (!unit->is_inventoried)
		VEC_PUSH(arena, &inventory->unknown, name);
	VEC_EACH (fetch, &unit->fetches) {
		sv key = key_of_fetch(arena, fetch);
		struct inventory_item *item = map_get(known, key);

		if (!item) {
			item = ARENA_NEW(arena, struct inventory_item);
			item->fetch = *fetch;
			map_put(known, key, item);
			VEC_PUSH(arena, &inventory->items, item);
		}
		if (item->units.count > 0 && sv_eq(item->units.items[item->units.count - 1], name))
			continue;
		VEC_PUSH(arena, &item->units, name);
		if (item->cluster_count == 0 || !sv_eq(item->last_cluster, unit->cluster))
			item->cluster_count++;
		item->last_cluster = unit->cluster;
	}
}

bool inventory_collect(struct arena *arena, const struct run_result *result, sv cluster,
                       struct inventory *ret_inventory)
{
	struct inventory inventory = {0};
	struct map known = map_in(arena);
	bool found = sv_empty(cluster);

	VEC_EACH (unit, &result->fetched) {
		if (!sv_empty(cluster) && !sv_eq(unit->cluster, cluster))
			continue;
		found = true;
		if (!sv_empty(unit->name))
			add_fetches(arena, &known, &inventory, unit);
	}
	if (inventory.items.count > 0)
		sort_stable(inventory.items.items, inventory.items.count,
		            sizeof(*inventory.items.items), compare_items, NULL);
	*ret_inventory = inventory;
	return found;
}
