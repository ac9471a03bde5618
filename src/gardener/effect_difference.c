/*
 * Finds the units and files in which two objects of effect.c differ.
 */
#include "gardener/internal.h"

const struct value *gardener_effect_list(const struct value *effect, const char *name)
{
	return value_map_get(value_map_get(effect, SV("spec")), sv_from_cstr(name));
}

sv gardener_effect_text(const struct value *map, const char *name)
{
	return value_text(value_map_get(map, sv_from_cstr(name)));
}

bool gardener_effect_is(const struct value *map, const char *name, bool wanted)
{
	const struct value *v = value_map_get(map, sv_from_cstr(name));

	return value_is(v, KIND_BOOL) && v->boolean == wanted;
}

/* The items of a list by a member; an item of a repeated name is appended to the first one's. */
static struct map by_member(struct arena *arena, const struct value *list, const char *name)
{
	struct map items = map_in(arena);

	for (size_t i = 0; i < value_count(list); i++) {
		const struct value *item = value_item(list, i);
		struct value *known = map_get(&items, gardener_effect_text(item, name));

		if (!known) {
			known = ARENA_NEW(arena, struct value);
			*known = value_list_new(arena);
			map_put(&items, gardener_effect_text(item, name), known);
		}
		value_list_add(arena, known, *item);
	}
	return items;
}

/*
 * Returns true if the member is a mark without a fingerprint, as secrets that could be guessed
 * have. Whether they changed is not known, so they count as changed.
 */
static bool hides_change(struct arena *arena, const struct value *map, const char *name)
{
	sv text = gardener_effect_text(map, name);

	return secrecy_has_mark(text) && sv_eq(secrecy_without_fingerprints(arena, text), text);
}

bool gardener_difference_hides(struct arena *arena, const struct value *item)
{
	const struct value *drop_ins = value_map_get(item, SV("dropIns"));

	for (size_t i = 0; i < value_count(drop_ins); i++)
		if (hides_change(arena, value_item(drop_ins, i), "content"))
			return true;
	return hides_change(arena, item, "content");
}

bool gardener_difference_is_same(struct arena *arena, const struct map *before,
                                 const struct map *now, sv name)
{
	const struct value *was = map_get(before, name);
	const struct value *is = map_get(now, name);

	for (size_t i = 0; i < value_count(is); i++)
		if (gardener_difference_hides(arena, value_item(is, i)))
			return false;
	return was && is && value_equal(was, is);
}

static void add_changed(struct arena *arena, struct gardener_difference *d, const struct map *files)
{
	for (size_t i = 0; i < files->count; i++) {
		const struct map_entry *file = &files->entries[i];

		if (!map_get(&d->changed, file->key) &&
		    !gardener_difference_is_same(arena, &d->files_before, &d->files, file->key))
			map_put(&d->changed, file->key, file->value);
	}
}

struct gardener_difference gardener_difference_of(struct arena *arena, const struct value *before,
                                                  const struct value *now)
{
	struct gardener_difference d = {
	    .units_before = by_member(arena, gardener_effect_list(before, "units"), "name"),
	    .units = by_member(arena, gardener_effect_list(now, "units"), "name"),
	    .files_before = by_member(arena, gardener_effect_list(before, "files"), "path"),
	    .files = by_member(arena, gardener_effect_list(now, "files"), "path"),
	    .changed = map_in(arena),
	};

	add_changed(arena, &d, &d.files_before);
	add_changed(arena, &d, &d.files);
	return d;
}

bool gardener_difference_at(const struct value *before, const struct value *now, const char *path)
{
	const struct value *was = value_path(before, path);
	const struct value *is = value_path(now, path);

	return was && is ? !value_equal(was, is) : was != is;
}

bool gardener_difference_has_content(const struct value *items)
{
	for (size_t i = 0; i < value_count(items); i++)
		if (value_map_get(value_item(items, i), SV("content")))
			return true;
	return false;
}
