/*
 * SSH keys as user-data has them; sorted pairs of a map; paths of units.
 */
#include "node/node.h"
#include "value/text.h"

/* The bytes [*from, *to) of s without white space at both ends. */
static void trim_unicode(sv s, size_t *ret_from, size_t *ret_to)
{
	size_t from = 0;
	size_t to = s.len;
	size_t width;

	while (from < to && utf8_is_space(utf8_decode(sv_slice(s, from, to), &width)))
		from += width;
	while (from < to && utf8_is_space(utf8_decode_last(sv_slice(s, from, to), &width)))
		to -= width;
	*ret_from = from;
	*ret_to = to;
}

void node_set_ssh_keys(struct arena *arena, struct node_config *node, const struct value *keys)
{
	size_t count = value_count(keys);
	struct set seen = set_in(arena);

	node->ssh_keys = ARENA_ARRAY(arena, struct value, count + 1);
	node->ssh_key_count = 0;
	for (size_t i = 0; i < count; i++) {
		struct value key = *value_item(keys, i);
		size_t from;
		size_t to;

		trim_unicode(value_text(&key), &from, &to);
		if (from == to)
			continue;
		key.taint = taint_slice(arena, key.taint, from, to);
		key.string = sv_slice(key.string, from, to);
		if (set_add(&seen, key.string))
			node->ssh_keys[node->ssh_key_count++] = key;
	}
}

struct node_pair *node_sorted_pairs(struct arena *arena, const struct value *map, size_t *ret_count)
{
	size_t count = value_is_map(map) ? value_count(map) : 0;
	struct node_pair *pairs = ARENA_ARRAY(arena, struct node_pair, count + 1);

	for (size_t i = 0; i < count; i++)
		pairs[i] = (struct node_pair){map->map->entries[i].key, map->map->entries[i].value};
	sort_stable(pairs, count, sizeof(*pairs), sort_compare_sv, NULL);
	*ret_count = count;
	return pairs;
}

struct value node_unit_path(struct arena *arena, const struct node_unit *unit,
                            const struct node_drop_in *drop_in)
{
	struct text path = text_in(arena);

	TEXT_ADD_LIT(&path, "/etc/systemd/system/");
	text_add_value(&path, &unit->name);
	if (drop_in) {
		TEXT_ADD_LIT(&path, ".d/");
		text_add_value(&path, &drop_in->name);
	}
	return text_value(arena, &path);
}
