/*
 * The machines of a MachineDeployment, by the revision of their user-data: machine-controller gives
 * a machine the Secret whose revision is that of the machine's MachineSet.
 */
#include "adopt/internal.h"

#include "osm/osm.h"

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
                        struct map *seen_names)
{
	sv revision = adopt_annotation(set, REVISION_ANNOTATION);
	sv node = value_text(value_path(machine->root, "status.nodeRef.name"));
	const struct adopt_machine seen = {
	    .name = machine->id.name,
	    .machine_set = set->id.name,
	    .revision = revision,
	    .node = node,
	    .state = state_of(machine, revision, unit->live_revision, node),
	};

	/* Exports may overlap. */
	if (!map_put(seen_names, seen.name, unit))
		return;
	unit->counts[seen.state]++;
	VEC_PUSH(arena, &unit->machines, seen);
}

static void add_machines_of(struct arena *arena, const struct adopt_live *live,
                            const struct kube_object *set, struct adopt_observed_unit *unit,
                            struct map *seen_names)
{
	VEC_EACH (object, adopt_live_owned(live, SV("Machine"), set->id.namespace, set->id.name))
		add_machine(arena, *object, set, unit, seen_names);
}

static int compare_machines(const void *a, const void *b, void *context)
{
	const struct adopt_machine *left = a;
	const struct adopt_machine *right = b;

	(void)context;
	return sv_cmp(left->name, right->name);
}

void adopt_observe_machines(struct arena *arena, const struct adopt_observe_request *request,
                            struct adopt_observed_unit *unit)
{
	struct map names = map_in(arena);

	for (size_t i = 0; i < request->live_count && !unit->is_live; i++) {
		const struct adopt_live *live = request->lives[i];
		const struct kube_object *machine_deployment =
		    adopt_live_find(live, SV("MachineDeployment"), unit->namespace, unit->name);

		if (!machine_deployment || is_leaving(machine_deployment))
			continue;
		unit->is_live = true;
		unit->live_revision = adopt_live_revision(live, machine_deployment);
		unit->replicas = osm_machine_replicas(machine_deployment);
	}
	/* kubectl may have printed them apart. */
	for (size_t i = 0; i < request->live_count && !request->no_machines; i++) {
		const struct adopt_live *live = request->lives[i];

		VEC_EACH (object,
		          adopt_live_owned(live, SV("MachineSet"), unit->namespace, unit->name))
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
	return observation->no_machines ||
	       (unit->counts[ADOPT_MACHINE_CURRENT] == unit->machines.count &&
	        (int64_t)unit->machines.count == unit->replicas);
}
