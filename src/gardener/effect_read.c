/*
 * Reads objects of effect.c in the output: describes one for reviews, and finds the units that a
 * change restarts on running nodes (docs/spec/gardener.md 6).
 */
#include "gardener/internal.h"

#define CONTAINERD_UNIT "containerd.service"

static const struct value *spec_list(const struct value *effect, const char *name)
{
	return value_map_get(value_map_get(effect, SV("spec")), sv_from_cstr(name));
}

static sv text_member(const struct value *map, const char *name)
{
	return value_text(value_map_get(map, sv_from_cstr(name)));
}

static bool is_bool(const struct value *map, const char *name, bool wanted)
{
	const struct value *v = value_map_get(map, sv_from_cstr(name));

	return value_is(v, KIND_BOOL) && v->boolean == wanted;
}

/* ---- for reviews ------------------------------------------------------------------------- */

/* Returns the mode of "0644", or 0 for an empty string. */
static unsigned mode_of(sv digits)
{
	unsigned mode = 0;

	for (size_t i = 0; i < digits.len; i++)
		mode = mode * 8 + (unsigned)(digits.ptr[i] - '0');
	return mode;
}

/* Adds a file; no line of Gardener's is a fact that people know by name. */
static void describe_file(struct arena *arena, struct dialect_description *description, sv path,
                          sv text, unsigned mode)
{
	VEC_PUSH(arena, &description->files, ((struct dialect_node_file){path, text, text, mode}));
}

static void describe_unit(struct arena *arena, const struct value *unit,
                          struct dialect_description *description)
{
	const struct dialect_node_files texts = dialect_unit_files(arena, unit);

	VEC_PUSH(arena, &description->units,
	         ((struct dialect_node_unit){
	             .name = text_member(unit, "name"),
	             .is_disabled = is_bool(unit, "enable", false) || is_bool(unit, "mask", true),
	         }));
	VEC_EACH (file, &texts)
		describe_file(arena, description, file->path, file->text, 0);
}

/* Adds commands as a file whose path is the name of the member. */
static void describe_commands(struct arena *arena, const struct value *effect, const char *name,
                              struct dialect_description *description)
{
	sv commands = value_text(spec_list(effect, name));

	if (!sv_empty(commands))
		describe_file(arena, description, sv_from_cstr(name), commands, 0);
}

void gardener_describe(struct arena *arena, const struct value *effect,
                       struct dialect_description *description)
{
	const struct value *files = spec_list(effect, "files");
	const struct value *units = spec_list(effect, "units");

	for (size_t i = 0; i < value_count(files); i++) {
		const struct value *file = value_item(files, i);

		describe_file(arena, description, text_member(file, "path"),
		              text_member(file, "content"),
		              mode_of(text_member(file, "permissions")));
	}
	for (size_t i = 0; i < value_count(units); i++)
		describe_unit(arena, value_item(units, i), description);
	sv cri = value_text(value_path(effect, "spec.criConfig.name"));
	if (!sv_empty(cri))
		describe_file(arena, description, SV("criConfig.name"), cri, 0);
	describe_commands(arena, effect, "commandsBefore", description);
	describe_commands(arena, effect, "commandsAfter", description);
}

/* ---- restarts ---------------------------------------------------------------------------- */

/* The items of a list by a member; an item of a repeated name is appended to the first one's. */
static struct map by_member(struct arena *arena, const struct value *list, const char *name)
{
	struct map items = map_in(arena);

	for (size_t i = 0; i < value_count(list); i++) {
		const struct value *item = value_item(list, i);
		struct value *known = map_get(&items, text_member(item, name));

		if (!known) {
			known = ARENA_NEW(arena, struct value);
			*known = value_list_new(arena);
			map_put(&items, text_member(item, name), known);
		}
		value_list_add(arena, known, *item);
	}
	return items;
}

struct difference {
	struct map units_before;
	struct map units;
	struct map files_before;
	struct map files;
	struct map changed; /* items of files that differ, or that only one side has, by path */
};

/*
 * Returns true if the member is a mark without a fingerprint, as secrets that could be guessed
 * have. Whether they changed is not known, so they count as changed.
 */
static bool hides_change(struct arena *arena, const struct value *map, const char *name)
{
	sv text = text_member(map, name);

	return secrecy_has_mark(text) && sv_eq(secrecy_without_fingerprints(arena, text), text);
}

/* Returns true if the content of a file or unit, or of one of its drop-ins, hides a change. */
static bool item_hides_change(struct arena *arena, const struct value *item)
{
	const struct value *drop_ins = value_map_get(item, SV("dropIns"));

	for (size_t i = 0; i < value_count(drop_ins); i++)
		if (hides_change(arena, value_item(drop_ins, i), "content"))
			return true;
	return hides_change(arena, item, "content");
}

/* Returns true if the items of that name are the same, and hide no change in content. */
static bool is_same(struct arena *arena, const struct map *before, const struct map *now, sv name)
{
	const struct value *was = map_get(before, name);
	const struct value *is = map_get(now, name);

	for (size_t i = 0; i < value_count(is); i++)
		if (item_hides_change(arena, value_item(is, i)))
			return false;
	return was && is && value_equal(was, is);
}

static void add_changed(struct arena *arena, struct difference *d, const struct map *files)
{
	for (size_t i = 0; i < files->count; i++) {
		const struct map_entry *file = &files->entries[i];

		if (!map_get(&d->changed, file->key) &&
		    !is_same(arena, &d->files_before, &d->files, file->key))
			map_put(&d->changed, file->key, file->value);
	}
}

static struct difference difference_of(struct arena *arena, const struct value *before,
                                       const struct value *now)
{
	struct difference d = {
	    .units_before = by_member(arena, spec_list(before, "units"), "name"),
	    .units = by_member(arena, spec_list(now, "units"), "name"),
	    .files_before = by_member(arena, spec_list(before, "files"), "path"),
	    .files = by_member(arena, spec_list(now, "files"), "path"),
	    .changed = map_in(arena),
	};

	add_changed(arena, &d, &d.files_before);
	add_changed(arena, &d, &d.files);
	return d;
}

/* Returns true if a file that the unit depends on is new or has changed. */
static bool has_changed_file(const struct difference *d, const struct value *unit)
{
	const struct value *paths = value_map_get(unit, SV("filePaths"));

	for (size_t i = 0; i < value_count(paths); i++) {
		sv path = value_text(value_item(paths, i));

		if (map_get(&d->files, path) && map_get(&d->changed, path))
			return true;
	}
	return false;
}

/* Adds the unit if it changed. gardener-node-agent merges the items of one name, the last wins. */
static void add_unit(struct arena *arena, const struct difference *d, sv name,
                     const struct value *items, struct dialect_applied *applied)
{
	bool is_changed = !is_same(arena, &d->units_before, &d->units, name);
	const struct value *enable = NULL;
	sv command = {0};

	for (size_t i = 0; i < value_count(items); i++) {
		const struct value *item = value_item(items, i);
		const struct value *given = value_map_get(item, SV("enable"));

		is_changed |= has_changed_file(d, item);
		enable = given ? given : enable;
		if (!sv_empty(text_member(item, "command")))
			command = text_member(item, "command");
	}
	if (!is_changed)
		return;
	if ((value_is(enable, KIND_BOOL) && !enable->boolean) || sv_eq(command, SV("stop")))
		VEC_PUSH(arena, &applied->stops, name);
	else
		VEC_PUSH(arena, &applied->restarts, name);
}

static bool differs(const struct value *before, const struct value *now, const char *path)
{
	const struct value *was = value_path(before, path);
	const struct value *is = value_path(now, path);

	return was && is ? !value_equal(was, is) : was != is;
}

/* gardener-node-agent writes containerd's configuration again, and restarts it, if these differ. */
static bool restarts_containerd(const struct value *before, const struct value *now)
{
	if (!value_path(now, "spec.criConfig.containerd"))
		return false;
	return !value_path(before, "spec.criConfig.containerd") ||
	       differs(before, now, "spec.criConfig.containerd.sandboxImage") ||
	       differs(before, now, "spec.criConfig.containerd.plugins") ||
	       differs(before, now, "spec.criConfig.cgroupDriver");
}

/*
 * Returns true if gardener-node-agent wrote the unit, so that it stops the unit when it is removed.
 * A unit of the image loses its drop-ins only.
 */
static bool has_content(const struct value *items)
{
	for (size_t i = 0; i < value_count(items); i++)
		if (value_map_get(value_item(items, i), SV("content")))
			return true;
	return false;
}

static void compare_current(struct arena *arena, const struct value *before,
                            const struct value *now, struct dialect_applied *applied)
{
	const struct difference d = difference_of(arena, before, now);
	bool has_containerd = false;

	for (size_t i = 0; i < d.units.count; i++)
		add_unit(arena, &d, d.units.entries[i].key, d.units.entries[i].value, applied);
	for (size_t i = 0; i < d.units_before.count; i++)
		if (!map_get(&d.units, d.units_before.entries[i].key) &&
		    has_content(d.units_before.entries[i].value))
			VEC_PUSH(arena, &applied->stops, d.units_before.entries[i].key);
	VEC_EACH (name, &applied->restarts)
		has_containerd |= sv_eq(*name, SV(CONTAINERD_UNIT));
	VEC_EACH (name, &applied->stops)
		has_containerd |= sv_eq(*name, SV(CONTAINERD_UNIT));
	if (!has_containerd && restarts_containerd(before, now))
		VEC_PUSH(arena, &applied->restarts, SV(CONTAINERD_UNIT));
}

/* ---- the flow of contract 2021 ----------------------------------------------------------- */

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
static struct map restarting_files(struct arena *arena, const struct difference *d,
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
			is_found =
			    names_any(&changed, text_member(value_item(file->value, j), "content"));
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

		if (names_any(files, text_member(unit, "content")))
			return true;
		for (size_t j = 0; j < value_count(drop_ins); j++)
			if (names_any(files, text_member(value_item(drop_ins, j), "content")))
				return true;
	}
	return false;
}

/* Returns true for a unit of `command`. The last item of a name counts. */
static bool has_command(const struct value *units, sv command)
{
	size_t count = value_count(units);

	return count > 0 && sv_eq(text_member(value_item(units, count - 1), "command"), command);
}

/* Returns the drop-in of that name, or null. The last item of a unit's name counts. */
static const struct value *find_drop_in(const struct value *items, sv name)
{
	const struct value *found = NULL;

	for (size_t i = 0; i < value_count(items); i++) {
		const struct value *drop_ins = value_map_get(value_item(items, i), SV("dropIns"));

		for (size_t j = 0; j < value_count(drop_ins); j++)
			if (sv_eq(text_member(value_item(drop_ins, j), "name"), name))
				found = value_item(drop_ins, j);
	}
	return found;
}

/*
 * Returns true if nodes that keep what is gone find no change in a unit: it has lost a drop-in or
 * its content, and nothing else differs.
 */
static bool is_kept(struct arena *arena, const struct difference *d, sv name)
{
	const struct value *was = map_get(&d->units_before, name);
	const struct value *is = map_get(&d->units, name);

	/* A unit that is given twice has drop-ins in both items. */
	if (value_count(was) != 1 || value_count(is) != 1)
		return false;
	const struct value *before = value_item(was, 0);
	const struct value *now = value_item(is, 0);
	const struct value *drop_ins = value_map_get(now, SV("dropIns"));

	if (item_hides_change(arena, now) || differs(before, now, "enable") ||
	    differs(before, now, "command") || differs(before, now, "mask") ||
	    (value_map_get(now, SV("content")) && differs(before, now, "content")))
		return false;
	for (size_t i = 0; i < value_count(drop_ins); i++) {
		const struct value *drop_in = value_item(drop_ins, i);
		const struct value *other = find_drop_in(was, text_member(drop_in, "name"));

		if (!other || !value_equal(other, drop_in))
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
		if (differs(before, now, members[i]))
			return true;
	return false;
}

/* Adds the units that nodes stop before they remove them. */
static void add_removed(struct arena *arena, const struct difference *d,
                        struct dialect_applied *applied)
{
	for (size_t i = 0; i < d->units_before.count; i++)
		if (!map_get(&d->units, d->units_before.entries[i].key) &&
		    has_content(d->units_before.entries[i].value))
			VEC_PUSH(arena, &applied->stops, d->units_before.entries[i].key);
}

/* Compares as the execution script does (docs/spec/gardener.md 7.1). */
static void compare_changed(struct arena *arena, const struct value *before,
                            const struct value *now, struct dialect_applied *applied)
{
	const struct difference d = difference_of(arena, before, now);
	const struct map files_before = restarting_files(arena, &d, &d.files_before);
	const struct map files = restarting_files(arena, &d, &d.files);
	const struct value *restarts = spec_list(now, "restarts");
	const struct value *spec = value_map_get(now, SV("spec"));
	struct set seen = set_in(arena);
	bool is_applied = is_applied_again(before, now);
	bool restarts_all = is_applied && is_bool(spec, GARDENER_RESTARTS_ALL, true);
	bool removes = is_bool(spec, GARDENER_REMOVES, true);

	if (removes)
		add_removed(arena, &d, applied);

	for (size_t i = 0; i < value_count(restarts); i++) {
		sv name = value_text(value_item(restarts, i));
		const struct value *units = map_get(&d.units, name);

		/* The list repeats the name of a unit that has several items. */
		if (!set_add(&seen, name))
			continue;
		if (!restarts_all &&
		    (is_same(arena, &d.units_before, &d.units, name) ||
		     (!removes && is_kept(arena, &d, name))) &&
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

/* ---- contract 2021 without the flow ------------------------------------------------------ */

/* Leaves out `enable` and `command` of the items of `units`. */
static enum secrecy_step copy_without_orders(void *context UNUSED, struct secrecy_place *place,
                                             struct value *ret_copy UNUSED)
{
	const struct secrecy_place *list = place->depth == 3 ? place->parent->parent : NULL;

	return list && list->entry && sv_eq(list->entry->key, SV("units")) && place->entry &&
	               (sv_eq(place->entry->key, SV("enable")) ||
	                sv_eq(place->entry->key, SV("command")))
	           ? SECRECY_OMIT
	           : SECRECY_INTO;
}

/* Returns true if any content hides a change. */
static bool hides_any_change(struct arena *arena, const struct value *effect)
{
	const struct value *lists[] = {spec_list(effect, "files"), spec_list(effect, "units")};

	for (size_t i = 0; i < COUNT_OF(lists); i++)
		for (size_t j = 0; j < value_count(lists[i]); j++)
			if (item_hides_change(arena, value_item(lists[i], j)))
				return true;
	return false;
}

/*
 * Returns true if nothing differs but `enable` and `command` of units. User-data of contract 2021
 * has neither, so that nodes see no change.
 */
static bool keeps_user_data(struct arena *arena, const struct value *before,
                            const struct value *now)
{
	const struct value *spec_before = value_map_get(before, SV("spec"));
	const struct value *spec = value_map_get(now, SV("spec"));

	if (!spec_before || !spec || value_equal(spec_before, spec) || hides_any_change(arena, now))
		return false;
	const struct value was = secrecy_copy(arena, spec_before, copy_without_orders, NULL);
	const struct value is = secrecy_copy(arena, spec, copy_without_orders, NULL);
	return value_equal(&was, &is);
}

void gardener_applied(struct arena *arena, const struct value *before, const struct value *now,
                      struct dialect_applied *applied)
{
	const struct value *restarts = spec_list(now, "restarts");

	/* Contract current: only what differs. 2021: each unit of this list, if user-data differs.
	 */
	if (!value_path(now, "spec.command") && !restarts) {
		compare_current(arena, before, now, applied);
		return;
	}
	if (is_bool(value_map_get(now, SV("spec")), GARDENER_RESTARTS_CHANGED, true)) {
		compare_changed(arena, before, now, applied);
		return;
	}
	if (keeps_user_data(arena, before, now))
		return;
	for (size_t i = 0; i < value_count(restarts); i++)
		VEC_PUSH(arena, &applied->restarts, value_text(value_item(restarts, i)));
}
