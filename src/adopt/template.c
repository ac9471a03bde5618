/*
 * Finds what becomes of a unit's machines if the unit is applied: a template that differs from the
 * live one replaces them, another number of replicas adds or deletes some.
 */
#include "adopt/internal.h"

struct value adopt_tainted_manifest(struct arena *arena, const struct kube_object *unit)
{
	const struct dialect *dialect = adopt_kind_of(&unit->id).dialect;
	const char *path = dialect->adoption->credentials_path;
	struct value copy = value_copy(arena, unit->root);
	struct sv_splitter keys = sv_split(sv_from_cstr(path ? path : ""), '.');
	struct value *place = &copy;
	sv key;

	if (!path || !dialect->credentials)
		return copy;
	while (place && sv_split_next(&keys, &key))
		place = value_map_get_mutable(place, key);
	struct value tainted = dialect->credentials(arena, unit);
	if (place && value_is_map(&tainted))
		*place = tainted;
	return copy;
}

/* Returns spec.replicas, or -1 if it is missing or not a number. */
static int64_t replicas_of(const struct dialect *dialect, const struct kube_object *object)
{
	return dialect->replicas ? kube_replicas(object->root) : -1;
}

/*
 * Removes the members that stay when the output is applied. Appliers apply on the server, which
 * keeps the members that others manage: before the first apply all that only the live object has,
 * as a webhook's defaults. Later only empty ones are known to be defaults.
 */
static void remove_kept(struct adopt_changes *changes, bool is_ours)
{
	size_t kept = 0;

	VEC_EACH (change, changes)
		if (!change->is_extra || (is_ours && !change->is_empty))
			changes->items[kept++] = *change;
	changes->count = kept;
}

struct adopt_unit adopt_unit_of(const struct adopt_sides *sides, const struct kube_object *here,
                                const struct kube_object *live, bool is_applied)
{
	struct arena *arena = sides->masks->arena;
	const struct dialect *dialect = sides->dialect;
	struct kube_object cleaned;
	struct value root;
	struct adopt_unit unit = {
	    .id = here->id,
	    .template = ADOPT_TEMPLATE_UNKNOWN,
	    .is_applied = is_applied,
	    .replicas_here = is_applied ? replicas_of(dialect, here) : -1,
	    .replicas_there = -1,
	};

	if (!live)
		return unit;
	unit.replicas_there = replicas_of(dialect, live);
	cleaned = *live;
	root = adopt_clean(arena, NULL, live);
	cleaned.root = &root;
	struct value ours = dialect->template_text(arena, here);
	struct value theirs = dialect->template_text(arena, &cleaned);
	unit.template =
	    sv_eq(ours.string, theirs.string) ? ADOPT_TEMPLATE_SAME : ADOPT_TEMPLATE_OTHER;
	if (unit.template == ADOPT_TEMPLATE_OTHER)
		unit.changes =
		    adopt_template_changes(sides, value_path(here->root, "spec.template"),
		                           value_path(&root, "spec.template"));
	if (unit.template == ADOPT_TEMPLATE_OTHER && is_applied) {
		size_t count = unit.changes.count;

		remove_kept(&unit.changes, adopt_is_ours(live));
		if (count > 0 && unit.changes.count == 0)
			unit.template = ADOPT_TEMPLATE_SAME;
	}
	return unit;
}

bool adopt_is_scaled(const struct adopt_unit *unit)
{
	return unit->replicas_here >= 0 && unit->replicas_there >= 0 &&
	       unit->replicas_here != unit->replicas_there;
}

bool adopt_moves_machines(const struct adopt_unit *unit)
{
	return unit->is_applied &&
	       (unit->template == ADOPT_TEMPLATE_OTHER || adopt_is_scaled(unit));
}
