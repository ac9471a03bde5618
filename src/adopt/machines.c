/*
 * Counts the machines of a unit by the revision of their user-data: a machine starts with the
 * Secret of its set's revision.
 */
#include "adopt/internal.h"

static bool is_leaving(const struct kube_object *object)
{
	return value_path(object->root, "metadata.deletionTimestamp") != NULL;
}

static enum adopt_machine_state state_of(const struct kube_object *machine, sv revision, sv newest,
                                         sv node)
{
	if (is_leaving(machine))
		return ADOPT_MACHINE_LEAVING;
	if (!sv_eq(revision, newest))
		return ADOPT_MACHINE_OTHER;
	return sv_empty(node) ? ADOPT_MACHINE_JOINING : ADOPT_MACHINE_CURRENT;
}

static void add_machine(struct arena *arena, const struct kube_object *machine,
                        const struct kube_object *set, struct adopt_observed_unit *unit,
                        struct set *seen_names)
{
	sv revision = adopt_annotation(set, unit->dialect->revision_annotation);
	sv node = value_text(value_path(machine->root, "status.nodeRef.name"));
	const struct adopt_machine seen = {
	    .name = machine->id.name,
	    .machine_set = set->id.name,
	    .revision = revision,
	    .node = node,
	    .state = state_of(machine, revision, unit->live_revision, node),
	};

	/* Exports may overlap. */
	if (!set_add(seen_names, seen.name))
		return;
	unit->counts[seen.state]++;
	VEC_PUSH(arena, &unit->machines, seen);
}

static void add_machines_of(struct arena *arena, const struct adopt_live *live,
                            const struct kube_object *set, struct adopt_observed_unit *unit,
                            struct set *seen_names)
{
	sv kind = adopt_part(unit->dialect, DIALECT_LIVE_MACHINE)->kind;

	VEC_EACH (object, adopt_live_owned(live, kind, set->id.namespace, set->id.name))
		add_machine(arena, *object, set, unit, seen_names);
}

static int compare_machines(const void *a, const void *b, void *context)
{
	const struct adopt_machine *left = a;
	const struct adopt_machine *right = b;

	(void)context;
	return sv_cmp(left->name, right->name);
}

bool adopt_has_machines(const struct dialect *dialect)
{
	return adopt_part(dialect, DIALECT_LIVE_SET) && adopt_part(dialect, DIALECT_LIVE_MACHINE);
}

static void find_unit(const struct adopt_observe_request *request, struct adopt_observed_unit *unit)
{
	const struct dialect *dialect = unit->dialect;

	for (size_t i = 0; i < request->live_count && !unit->is_live; i++) {
		const struct adopt_live *live = request->lives[i];
		const struct kube_object *object =
		    adopt_live_find(live, unit->kind, unit->namespace, unit->name);

		if (!object || is_leaving(object))
			continue;
		unit->is_live = true;
		unit->live_revision = adopt_live_revision(live, dialect, object);
		unit->replicas = dialect->replicas ? dialect->replicas(object) : -1;
	}
}

void adopt_observe_machines(struct arena *arena, const struct adopt_observe_request *request,
                            struct adopt_observed_unit *unit)
{
	struct set names = set_in(arena);

	find_unit(request, unit);
	if (request->no_machines || !adopt_has_machines(unit->dialect))
		return;
	/* Sets and machines may be in different exports. */
	sv kind = adopt_part(unit->dialect, DIALECT_LIVE_SET)->kind;
	for (size_t i = 0; i < request->live_count; i++) {
		const struct adopt_live *live = request->lives[i];

		VEC_EACH (object, adopt_live_owned(live, kind, unit->namespace, unit->name))
			for (size_t k = 0; k < request->live_count; k++)
				add_machines_of(arena, request->lives[k], *object, unit, &names);
	}
	sort_stable(unit->machines.items, unit->machines.count, sizeof(*unit->machines.items),
	            compare_machines, NULL);
}

bool adopt_unit_is_settled(const struct adopt_observation *observation,
                           const struct adopt_observed_unit *unit)
{
	if (!unit->is_live || !sv_eq(unit->revision, unit->live_revision))
		return false;
	return observation->no_machines || !adopt_has_machines(unit->dialect) ||
	       (unit->counts[ADOPT_MACHINE_CURRENT] == unit->machines.count &&
	        (int64_t)unit->machines.count == unit->replicas);
}
