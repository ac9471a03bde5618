/*
 * Members of JSON objects as Go's encoding/json finds them for the fields of a struct
 * (Unmarshal; docs/spec/controller.md 2.5).
 */
#include "golang/golang.h"

#define LONG_S      "\xC5\xBF"     /* U+017F, whose upper case is S */
#define KELVIN_SIGN "\xE2\x84\xAA" /* U+212A, whose lower case is k */

char go_json_take_folded(sv *key)
{
	char c = key->ptr[0];
	size_t width = 1;

	if ((unsigned char)c < 0x80) {
		*key = sv_from_offset(*key, 1);
		return ascii_lower(c);
	}
	if (sv_starts_with(*key, SV(LONG_S))) {
		c = 's';
		width = sizeof(LONG_S) - 1;
	} else if (sv_starts_with(*key, SV(KELVIN_SIGN))) {
		c = 'k';
		width = sizeof(KELVIN_SIGN) - 1;
	}
	*key = sv_from_offset(*key, width);
	return ascii_lower(c);
}

bool go_json_key_is(sv key, sv name)
{
	for (size_t i = 0; i < name.len; i++)
		if (key.len == 0 || go_json_take_folded(&key) != ascii_lower(name.ptr[i]))
			return false;
	return key.len == 0;
}

const struct value *go_json_member(const struct value *object, sv name)
{
	const struct value_entry *chosen = NULL;

	if (!value_is_map(object))
		return NULL;
	for (size_t i = 0; i < value_count(object); i++) {
		const struct value_entry *entry = &object->map->entries[i];

		if (!go_json_key_is(entry->key, name) || value_is_null(&entry->value))
			continue;
		if (!chosen || sv_cmp(chosen->key, entry->key) < 0)
			chosen = entry;
	}
	return chosen ? &chosen->value : NULL;
}

static void add_matches(struct arena *arena, const struct value *object, sv name,
                        struct go_json_matches *matches)
{
	size_t first = matches->count;

	for (size_t i = 0; value_is_map(object) && i < value_count(object); i++) {
		const struct value_entry *entry = &object->map->entries[i];

		if (go_json_key_is(entry->key, name))
			VEC_PUSH(arena, matches, entry);
	}
	if (matches->count > first + 1)
		SORT_POINTERS_BY(matches->items + first, matches->count - first, key);
}

struct go_json_matches go_json_matches(struct arena *arena, const struct value *object, sv name)
{
	struct go_json_matches matches = {0};

	add_matches(arena, object, name, &matches);
	return matches;
}

struct go_json_matches go_json_inner(struct arena *arena, const struct go_json_matches *objects,
                                     sv name)
{
	struct go_json_matches matches = {0};

	VEC_EACH (object, objects)
		add_matches(arena, &(*object)->value, name, &matches);
	return matches;
}

const struct value *go_json_last(const struct go_json_matches *matches)
{
	const struct value *last = NULL;

	VEC_EACH (match, matches)
		if (!value_is_null(&(*match)->value))
			last = &(*match)->value;
	return last;
}

struct value go_json_strings(struct arena *arena, const struct go_json_matches *matches)
{
	const struct value *last = NULL;
	VEC(struct value) items = {0}; /* items after the end of the last list, too */
	struct value list = {.type = &type_string_list};

	VEC_EACH (match, matches) {
		const struct value *v = &(*match)->value;

		last = value_is_list(v) ? v : NULL;
		if (value_count(last) == 0)
			items.count = 0;
		for (size_t i = 0; i < value_count(last); i++) {
			const struct value *item = value_item(last, i);

			if (i == items.count)
				VEC_PUSH(arena, &items, value_string(SV("")));
			if (value_is_string(item))
				items.items[i] = *item;
		}
	}
	if (!last)
		return list;
	list = value_list_new(arena);
	list.type = &type_string_list;
	list.origin = last->origin;
	size_t count = value_count(last);
	BUG_ON(count > items.count);
	for (size_t i = 0; items.items && i < count; i++)
		value_list_add(arena, &list, items.items[i]);
	return list;
}
