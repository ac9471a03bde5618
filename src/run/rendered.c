/*
 * Rows of the summary, made of what rendering keeps of a unit.
 */
#include "run/rendered.h"

struct run_lacking run_copy_lacking(struct arena *arena, const struct run_lacking *from)
{
	return (struct run_lacking){
	    arena_dup(arena, from->name),
	    {from->owner.kind, arena_dup(arena, from->owner.namespace),
	     arena_dup(arena, from->owner.name)},
	};
}

struct report_unit run_row_of(const struct run_unit *unit)
{
	const struct kube_id *id = &unit->unit->unit->object->id;
	const struct dialect_definition *definition = unit->unit->unit->definition;
	const struct run_row *row = &unit->row;

	return (struct report_unit){
	    .cluster = unit->unit->cluster->fleet->name,
	    .kind = id->kind,
	    .namespace = id->namespace,
	    .name = id->name,
	    .profile = definition ? definition->name : (sv){0},
	    .profile_version = definition ? value_text(&definition->version) : (sv){0},
	    .provider = row->provider,
	    .operating_system = row->operating_system,
	    .kubelet_version = row->kubelet_version,
	    .reason = row->reason,
	    .bootstrap_bytes = row->bootstrap_bytes,
	    .bootstrap_limit = row->bootstrap_limit,
	    .provisioning_bytes = row->provisioning_bytes,
	    .provisioning_limit = row->provisioning_limit,
	    .restarts = row->restarts,
	    .stops = row->stops,
	};
}
