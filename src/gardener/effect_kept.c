/*
 * The unit files that stay on running nodes after an OSC has lost them (setting gardenerRemoved:
 * keep). If one of them comes back, nodes that still have it find no change
 * (docs/spec/gardener.md 6).
 */
#include "codec/codec.h"
#include "gardener/internal.h"

/* More than a person looks through; the oldest ones are forgotten. */
enum { KEPT_MAX = 100 };

/*
 * Returns the digest of a file of a unit. That of the unit itself covers what the unit is asked to
 * do, which the execution script compares, too.
 */
static sv file_digest(struct arena *arena, const struct value *unit,
                      const struct dialect_node_files *files, size_t place)
{
	const struct value *enable = value_map_get(unit, SV("enable"));
	bool is_disabled = value_is(enable, KIND_BOOL) && !enable->boolean;
	sv text = files->items[place].text;

	if (place > 0 || !value_map_get(unit, SV("content")))
		return digest_hex(arena, DIGEST_SHA256, text);
	return digest_hex(arena, DIGEST_SHA256,
	                  ARENA_CONCAT(arena, is_disabled ? SV("no ") : SV("yes "),
	                               gardener_effect_text(unit, "command"), SV("\n"), text));
}

bool gardener_kept_has(struct arena *arena, const struct value *effect, const struct value *unit)
{
	const struct dialect_node_files files = dialect_unit_files(arena, unit);
	const struct value *kept = value_path(effect, "spec." GARDENER_KEPT);
	size_t found = 0;

	for (size_t i = 0; i < files.count; i++) {
		sv digest = file_digest(arena, unit, &files, i);

		for (size_t j = 0; j < value_count(kept); j++)
			found += sv_eq(gardener_effect_text(value_item(kept, j), "path"),
			               files.items[i].path) &&
			         sv_eq(gardener_effect_text(value_item(kept, j), "digest"), digest);
	}
	return files.count > 0 && found == files.count;
}

/* Returns the paths of all files of the effect's units. */
static struct set unit_paths(struct arena *arena, const struct value *effect)
{
	const struct value *units = value_path(effect, "spec.units");
	struct set paths = set_in(arena);

	for (size_t i = 0; i < value_count(units); i++) {
		const struct dialect_node_files files =
		    dialect_unit_files(arena, value_item(units, i));

		VEC_EACH (file, &files)
			set_add(&paths, file->path);
	}
	return paths;
}

static void add_kept(struct arena *arena, struct value *list, sv path, sv digest)
{
	struct value v = value_map_new(arena);

	value_map_set(arena, &v, SV("path"), value_string(path));
	value_map_set(arena, &v, SV("digest"), value_string(digest));
	value_list_add(arena, list, v);
}

/* Returns the last items of a list, at most KEPT_MAX of them. */
static struct value newest(struct arena *arena, const struct value *list)
{
	struct value last = value_list_new(arena);
	size_t count = value_count(list);

	for (size_t i = count > KEPT_MAX ? count - KEPT_MAX : 0; i < count; i++)
		value_list_add(arena, &last, *value_item(list, i));
	return last;
}

struct value gardener_kept_make(struct arena *arena, const struct value *before,
                                const struct value *now, bool removes)
{
	const struct set paths = unit_paths(arena, now);
	const struct value *units = value_path(before, "spec.units");
	const struct value *earlier = value_path(before, "spec." GARDENER_KEPT);
	struct set known = set_in(arena);
	struct value list = value_list_new(arena);

	for (size_t i = 0; i < value_count(earlier); i++) {
		const struct value *item = value_item(earlier, i);
		sv path = gardener_effect_text(item, "path");

		if (!set_has(&paths, path) && set_add(&known, path))
			add_kept(arena, &list, path, gardener_effect_text(item, "digest"));
	}
	for (size_t i = 0; !removes && i < value_count(units); i++) {
		const struct value *unit = value_item(units, i);
		const struct dialect_node_files files = dialect_unit_files(arena, unit);

		for (size_t j = 0; j < files.count; j++) {
			sv path = files.items[j].path;

			if (!set_has(&paths, path) && set_add(&known, path))
				add_kept(arena, &list, path, file_digest(arena, unit, &files, j));
		}
	}
	return newest(arena, &list);
}
