/*
 * Reads objects of effect.c in the output: describes one for reviews, and finds the units that a
 * change restarts on running nodes (docs/spec/gardener.md 6).
 */
#include "gardener/internal.h"

#define CONTAINERD_UNIT "containerd.service"

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
	VEC_PUSH(arena, &description->files,
	         ((struct dialect_node_file){path, text, text, mode, false}));
}

static void describe_unit(struct arena *arena, const struct value *unit,
                          struct dialect_description *description)
{
	const struct dialect_node_files texts = dialect_unit_files(arena, unit);

	VEC_PUSH(arena, &description->units,
	         ((struct dialect_node_unit){
	             .name = gardener_effect_text(unit, "name"),
	             .is_disabled = gardener_effect_is(unit, "enable", false) ||
	                            gardener_effect_is(unit, "mask", true),
	         }));
	VEC_EACH (file, &texts)
		describe_file(arena, description, file->path, file->text, 0);
}

/* Adds commands as a file whose path is the name of the member. */
static void describe_commands(struct arena *arena, const struct value *effect, const char *name,
                              struct dialect_description *description)
{
	sv commands = value_text(gardener_effect_list(effect, name));

	if (!sv_empty(commands))
		describe_file(arena, description, sv_from_cstr(name), commands, 0);
}

void gardener_describe(struct arena *arena, const struct value *effect,
                       struct dialect_description *description)
{
	const struct value *files = gardener_effect_list(effect, "files");
	const struct value *units = gardener_effect_list(effect, "units");

	for (size_t i = 0; i < value_count(files); i++) {
		const struct value *file = value_item(files, i);

		describe_file(arena, description, gardener_effect_text(file, "path"),
		              gardener_effect_text(file, "content"),
		              mode_of(gardener_effect_text(file, "permissions")));
	}
	gardener_flow_describe(arena, effect, description);
	for (size_t i = 0; i < value_count(units); i++)
		describe_unit(arena, value_item(units, i), description);
	sv cri = value_text(value_path(effect, "spec.criConfig.name"));
	if (!sv_empty(cri))
		describe_file(arena, description, SV("criConfig.name"), cri, 0);
	describe_commands(arena, effect, "commandsBefore", description);
	describe_commands(arena, effect, "commandsAfter", description);
}

/* ---- restarts ---------------------------------------------------------------------------- */

/* Returns true if a file that the unit depends on is new or has changed. */
static bool has_changed_file(const struct gardener_difference *d, const struct value *unit)
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
static void add_unit(struct arena *arena, const struct gardener_difference *d, sv name,
                     const struct value *items, struct dialect_applied *applied)
{
	bool is_changed = !gardener_difference_is_same(arena, &d->units_before, &d->units, name);
	const struct value *enable = NULL;
	sv command = {0};

	for (size_t i = 0; i < value_count(items); i++) {
		const struct value *item = value_item(items, i);
		const struct value *given = value_map_get(item, SV("enable"));

		is_changed |= has_changed_file(d, item);
		enable = given ? given : enable;
		if (!sv_empty(gardener_effect_text(item, "command")))
			command = gardener_effect_text(item, "command");
	}
	if (!is_changed)
		return;
	if ((value_is(enable, KIND_BOOL) && !enable->boolean) || sv_eq(command, SV("stop")))
		VEC_PUSH(arena, &applied->stops, name);
	else
		VEC_PUSH(arena, &applied->restarts, name);
}

/* gardener-node-agent writes containerd's configuration again, and restarts it, if these differ. */
static bool restarts_containerd(const struct value *before, const struct value *now)
{
	if (!value_path(now, "spec.criConfig.containerd"))
		return false;
	return !value_path(before, "spec.criConfig.containerd") ||
	       gardener_difference_at(before, now, "spec.criConfig.containerd.sandboxImage") ||
	       gardener_difference_at(before, now, "spec.criConfig.containerd.plugins") ||
	       gardener_difference_at(before, now, "spec.criConfig.cgroupDriver");
}

static void compare_current(struct arena *arena, const struct value *before,
                            const struct value *now, struct dialect_applied *applied)
{
	const struct gardener_difference d = gardener_difference_of(arena, before, now);
	bool has_containerd = false;

	for (size_t i = 0; i < d.units.count; i++)
		add_unit(arena, &d, d.units.entries[i].key, d.units.entries[i].value, applied);
	for (size_t i = 0; i < d.units_before.count; i++)
		if (!map_get(&d.units, d.units_before.entries[i].key) &&
		    gardener_difference_has_content(d.units_before.entries[i].value))
			VEC_PUSH(arena, &applied->stops, d.units_before.entries[i].key);
	VEC_EACH (name, &applied->restarts)
		has_containerd |= sv_eq(*name, SV(CONTAINERD_UNIT));
	VEC_EACH (name, &applied->stops)
		has_containerd |= sv_eq(*name, SV(CONTAINERD_UNIT));
	if (!has_containerd && restarts_containerd(before, now))
		VEC_PUSH(arena, &applied->restarts, SV(CONTAINERD_UNIT));
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
	const struct value *lists[] = {gardener_effect_list(effect, "files"),
	                               gardener_effect_list(effect, "units")};

	for (size_t i = 0; i < COUNT_OF(lists); i++)
		for (size_t j = 0; j < value_count(lists[i]); j++)
			if (gardener_difference_hides(arena, value_item(lists[i], j)))
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
	const struct value *restarts = gardener_effect_list(now, "restarts");

	/* Contract current: only what differs. 2021: each unit of this list, if user-data differs.
	 */
	if (!value_path(now, "spec.command") && !restarts) {
		compare_current(arena, before, now, applied);
		return;
	}
	if (gardener_effect_is(value_map_get(now, SV("spec")), GARDENER_RESTARTS_CHANGED, true)) {
		gardener_flow_applied(arena, before, now, applied);
		return;
	}
	if (keeps_user_data(arena, before, now))
		return;
	for (size_t i = 0; i < value_count(restarts); i++)
		VEC_PUSH(arena, &applied->restarts, value_text(value_item(restarts, i)));
}
