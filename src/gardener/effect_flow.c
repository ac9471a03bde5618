/*
 * Finds what nodes of the flow of contract 2021 restart and stop (docs/spec/gardener.md 7.1): the
 * part of effect_read.c that does as the execution script.
 */
#include "gardener/internal.h"

/* Returns true if the path of one of the files occurs in the string. */
static bool names_any(const struct map *files, sv text)
{
	for (size_t i = 0; i < files->count; i++)
		if (sv_contains(text, files->entries[i].key))
			return true;
	return false;
}

/*
 * Returns the files of one side for which a unit restarts that names them: those that changed, and
 * those that name one of these. Reads each file once, however many units name it.
 */
static struct map restarting_files(struct arena *arena, const struct gardener_difference *d,
                                   const struct map *files)
{
	struct map changed = map_in(arena);
	struct map found = map_in(arena);

	for (size_t i = 0; i < d->changed.count; i++) {
		void *items = map_get(files, d->changed.entries[i].key);

		if (items)
			map_put(&changed, d->changed.entries[i].key, items);
	}
	for (size_t i = 0; i < files->count; i++) {
		const struct map_entry *file = &files->entries[i];
		bool is_found = map_get(&changed, file->key) != NULL;

		for (size_t j = 0; !is_found && j < value_count(file->value); j++)
			is_found = names_any(
			    &changed, gardener_effect_text(value_item(file->value, j), "content"));
		if (is_found)
			map_put(&found, file->key, file->value);
	}
	return found;
}

/* Returns true if a unit, or one of its drop-ins, names one of the files. */
static bool unit_names_any(const struct value *items, const struct map *files)
{
	for (size_t i = 0; i < value_count(items); i++) {
		const struct value *unit = value_item(items, i);
		const struct value *drop_ins = value_map_get(unit, SV("dropIns"));

		if (names_any(files, gardener_effect_text(unit, "content")))
			return true;
		for (size_t j = 0; j < value_count(drop_ins); j++)
			if (names_any(files,
			              gardener_effect_text(value_item(drop_ins, j), "content")))
				return true;
	}
	return false;
}

/* Returns true for a unit of `command`. The last item of a name counts. */
static bool has_command(const struct value *units, sv command)
{
	size_t count = value_count(units);

	return count > 0 &&
	       sv_eq(gardener_effect_text(value_item(units, count - 1), "command"), command);
}

/* Returns true if one of the items of a unit has this file as it is. */
static bool has_file(struct arena *arena, const struct value *items,
                     const struct dialect_node_file *wanted)
{
	for (size_t i = 0; i < value_count(items); i++) {
		const struct dialect_node_files files =
		    dialect_unit_files(arena, value_item(items, i));

		VEC_EACH (file, &files)
			if (sv_eq(file->path, wanted->path) && sv_eq(file->text, wanted->text))
				return true;
	}
	return false;
}

/* Returns the unit with one of its files alone: its content, or its drop-in of that place. */
static struct value with_one_file(struct arena *arena, const struct value *unit, bool is_content,
                                  size_t drop_in)
{
	struct value one = value_map_new(arena);

	for (size_t i = 0; i < value_count(unit); i++) {
		sv key = unit->map->entries[i].key;

		if (!sv_eq(key, SV("dropIns")) && (is_content || !sv_eq(key, SV("content"))))
			value_map_set(arena, &one, key, unit->map->entries[i].value);
	}
	if (!is_content) {
		struct value list = value_list_new(arena);

		value_list_add(arena, &list,
		               *value_item(value_map_get(unit, SV("dropIns")), drop_in));
		value_map_set(arena, &one, SV("dropIns"), list);
	}
	return one;
}

/*
 * Returns true if nodes find no change in a unit: it has lost files, which stay, and its other
 * files are those that it had, or that stayed when it lost them.
 */
static bool is_kept(struct arena *arena, const struct gardener_difference *d,
                    const struct value *before, sv name)
{
	const struct value *was = map_get(&d->units_before, name);
	const struct value *is = map_get(&d->units, name);

	/* A unit that is given twice has drop-ins in both items. */
	if (value_count(was) > 1 || value_count(is) != 1)
		return false;
	const struct value *now = value_item(is, 0);
	const struct value *old = was ? value_item(was, 0) : NULL;
	const struct dialect_node_files files = dialect_unit_files(arena, now);
	bool has_content = value_map_get(now, SV("content")) != NULL;

	/* Without content it is not known what nodes did with a unit that comes back. */
	if (gardener_difference_hides(arena, now) || (!old && !has_content) ||
	    (old && (gardener_difference_at(old, now, "enable") ||
	             gardener_difference_at(old, now, "command") ||
	             gardener_difference_at(old, now, "mask"))))
		return false;
	for (size_t i = 0; i < files.count; i++) {
		bool is_content = has_content && i == 0;
		const struct value one =
		    with_one_file(arena, now, is_content, has_content ? i - 1 : i);

		if (!has_file(arena, was, &files.items[i]) &&
		    !gardener_kept_has(arena, before, &one))
			return false;
	}
	return true;
}

/* Returns true if nodes apply user-data again: settings of the script alone change nothing. */
static bool is_applied_again(const struct value *before, const struct value *now)
{
	static const char *const members[] = {
	    "spec.command", "spec.userData",       "spec.files",         "spec.units",
	    "spec.links",   "spec.commandsBefore", "spec.commandsAfter", "spec.restarts",
	};

	for (size_t i = 0; i < COUNT_OF(members); i++)
		if (gardener_difference_at(before, now, members[i]))
			return true;
	return false;
}

/* Adds the units that nodes stop before they remove them. */
static void add_removed(struct arena *arena, const struct gardener_difference *d,
                        struct dialect_applied *applied)
{
	for (size_t i = 0; i < d->units_before.count; i++)
		if (!map_get(&d->units, d->units_before.entries[i].key) &&
		    gardener_difference_has_content(d->units_before.entries[i].value))
			VEC_PUSH(arena, &applied->stops, d->units_before.entries[i].key);
}

void gardener_flow_applied(struct arena *arena, const struct value *before, const struct value *now,
                           struct dialect_applied *applied)
{
	const struct gardener_difference d = gardener_difference_of(arena, before, now);
	const struct map files_before = restarting_files(arena, &d, &d.files_before);
	const struct map files = restarting_files(arena, &d, &d.files);
	const struct value *restarts = gardener_effect_list(now, "restarts");
	const struct value *spec = value_map_get(now, SV("spec"));
	struct set seen = set_in(arena);
	bool is_applied = is_applied_again(before, now);
	bool restarts_all = is_applied && gardener_effect_is(spec, GARDENER_RESTARTS_ALL, true);
	bool removes = gardener_effect_is(spec, GARDENER_REMOVES, true);

	if (removes)
		add_removed(arena, &d, applied);

	for (size_t i = 0; i < value_count(restarts); i++) {
		sv name = value_text(value_item(restarts, i));
		const struct value *units = map_get(&d.units, name);

		/* The list repeats the name of a unit that has several items. */
		if (!set_add(&seen, name))
			continue;
		if (!restarts_all &&
		    (gardener_difference_is_same(arena, &d.units_before, &d.units, name) ||
		     (!removes && is_kept(arena, &d, before, name))) &&
		    !unit_names_any(map_get(&d.units_before, name), &files_before) &&
		    !unit_names_any(units, &files) &&
		    !(is_applied && has_command(units, SV("restart"))))
			continue;
		if (has_command(units, SV("stop")))
			VEC_PUSH(arena, &applied->stops, name);
		else
			VEC_PUSH(arena, &applied->restarts, name);
	}
}

/* ---- for reviews ------------------------------------------------------------------------- */

/* Adds the files that one of the strings names. */
static void add_named(const struct value *files, sv text, struct set *named)
{
	for (size_t i = 0; i < value_count(files); i++) {
		sv path = gardener_effect_text(value_item(files, i), "path");

		if (sv_contains(text, path))
			set_add(named, path);
	}
}

/* Returns the paths that units name, directly and in the files that they name. */
static struct set named_files(struct arena *arena, const struct value *effect)
{
	const struct value *files = gardener_effect_list(effect, "files");
	const struct value *units = gardener_effect_list(effect, "units");
	struct set direct = set_in(arena);
	struct set named = set_in(arena);

	for (size_t i = 0; i < value_count(units); i++) {
		const struct dialect_node_files texts =
		    dialect_unit_files(arena, value_item(units, i));

		VEC_EACH (text, &texts)
			add_named(files, text->text, &direct);
	}
	for (size_t i = 0; i < value_count(files); i++) {
		const struct value *file = value_item(files, i);
		sv path = gardener_effect_text(file, "path");

		if (!set_has(&direct, path))
			continue;
		set_add(&named, path);
		add_named(files, gardener_effect_text(file, "content"), &named);
	}
	return named;
}

static void add_flow_fact(struct arena *arena, struct dialect_description *description,
                          const char *name, sv value)
{
	if (!sv_empty(value))
		VEC_PUSH(arena, &description->facts,
		         ((struct dialect_fact){DIALECT_FACT_VALUE, sv_from_cstr(name), value}));
}

void gardener_flow_describe(struct arena *arena, const struct value *effect,
                            struct dialect_description *description)
{
	const struct value *spec = value_map_get(effect, SV("spec"));
	const struct value *kept = gardener_effect_list(effect, GARDENER_KEPT);

	/* Only scripts of contract 2021 have these two. */
	if (!value_map_get(spec, SV("command")) && !value_map_get(spec, SV("restarts")))
		return;
	add_flow_fact(arena, description, "API server",
	              gardener_effect_text(spec, GARDENER_SERVER));
	add_flow_fact(arena, description, "CA of the API server",
	              gardener_effect_text(spec, GARDENER_SERVER_CA));
	description->keeps_removed = !gardener_effect_is(spec, GARDENER_REMOVES, true);
	for (size_t i = 0; i < value_count(kept); i++)
		VEC_PUSH(arena, &description->kept,
		         gardener_effect_text(value_item(kept, i), "path"));
	if (!gardener_effect_is(spec, GARDENER_RESTARTS_CHANGED, true) ||
	    gardener_effect_is(spec, GARDENER_RESTARTS_ALL, true))
		return;
	const struct set named = named_files(arena, effect);
	const struct value *files = gardener_effect_list(effect, "files");
	for (size_t i = 0; i < value_count(files); i++)
		description->files.items[i].is_unnamed =
		    !set_has(&named, gardener_effect_text(value_item(files, i), "path"));
}
