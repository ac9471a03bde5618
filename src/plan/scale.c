/*
 * Guards against deleting machines by mistake: with machineDeployments: output the applier sets
 * spec.replicas, so that a smaller number deletes machines as a removal does. What counts is the
 * number in the previous output. A unit that loses all of its machines counts like one that leaves
 * the output (removal.c); other units count by their machines.
 */
#include "plan/plan.h"

#include <inttypes.h>

enum { NAMED = 20 };

int64_t plan_machines_before(const struct plan_rolled *unit)
{
	const struct report_scale *scale = &unit->facts->scale;

	if (!scale->changes || unit->replicas < 0)
		return scale->changes ? -1 : unit->replicas;
	return scale->before < 0 || scale->after < 0 ? -1
	                                             : unit->replicas + scale->fewer - scale->more;
}

/* Returns true if the unit had machines in the output, or may have had some, and has none left. */
static bool is_emptied(const struct plan_rolled *unit)
{
	return unit->facts->scale.changes && unit->facts->scale.after == 0 && unit->replicas == 0 &&
	       plan_machines_before(unit) != 0;
}

static bool has_fewer(const struct plan_rolled *unit)
{
	return unit->facts->scale.fewer > 0 || is_emptied(unit);
}

static void name_units(struct sink *sink, const struct plan_machine_guard *request,
                       bool (*is_meant)(const struct plan_rolled *unit), struct diag *diag)
{
	size_t count = 0;

	for (size_t i = 0; i < request->plan->unit_count; i++) {
		const struct kube_object *object = request->plan->units[i].unit->object;
		const struct plan_rolled *unit = &request->units[i];
		int64_t before = plan_machines_before(unit);

		if (!is_meant(unit) || count++ >= NAMED)
			continue;
		if (before < 0)
			diag_add_note(sink, diag, kube_object_position(object),
			              "%.*s/%.*s/%.*s: replicas %" PRId64
			              " in place of the cluster's own number",
			              SV_ARG(request->plan->units[i].cluster->fleet->name),
			              SV_ARG(object->id.namespace), SV_ARG(object->id.name),
			              unit->replicas);
		else
			diag_add_note(sink, diag, kube_object_position(object),
			              "%.*s/%.*s/%.*s: replicas %" PRId64 " -> %" PRId64,
			              SV_ARG(request->plan->units[i].cluster->fleet->name),
			              SV_ARG(object->id.namespace), SV_ARG(object->id.name), before,
			              unit->replicas);
	}
	if (count > NAMED)
		diag_add_note(sink, diag, NOWHERE, "and %zu more", count - NAMED);
}

enum status plan_check_scale(struct arena *arena, struct sink *sink,
                             const struct plan_machine_guard *request)
{
	const struct fleet_removal_guard *guard = &request->plan->fleet->removal_guard;
	enum diag_code code = request->is_shown ? DIAG_SCALE_AHEAD : DIAG_SCALE;
	sv kind = plan_unit_kind(request->plan);
	size_t emptied = 0;
	size_t units = 0;
	int64_t fewer = 0;
	int64_t all = 0;
	struct diag *diag;

	for (size_t i = 0; i < request->plan->unit_count; i++) {
		const struct plan_rolled *unit = &request->units[i];
		int64_t before = plan_machines_before(unit);

		if (!unit->is_written || !unit->facts->was_there)
			continue;
		all += before > 0 ? before : 0;
		fewer += unit->facts->scale.fewer;
		units += unit->facts->scale.fewer > 0;
		emptied += is_emptied(unit);
	}
	bool is_much = fewer > 0 && (uint64_t)fewer >= guard->least &&
	               (double)fewer * 100 >= (double)all * (double)guard->percent;
	if (request->is_allowed || (!is_much && emptied == 0))
		return STATUS_OK;
	sv of = arena_printf(arena, "%zu %.*s%s", is_much ? units : emptied, SV_ARG(kind),
	                     (is_much ? units : emptied) == 1 ? "" : "s");
	if (is_much)
		diag = diag_report(sink, code, NOWHERE,
		                   "%" PRId64 " of the output's %" PRId64
		                   " machines would be deleted, by a smaller spec.replicas of %.*s",
		                   fewer, all, SV_ARG(of));
	else
		diag = diag_report(sink, code, NOWHERE,
		                   "all machines of %.*s would be deleted, by spec.replicas: 0",
		                   SV_ARG(of));
	name_units(sink, request, is_much ? has_fewer : is_emptied, diag);
	diag_set_help(sink, diag,
	              "if that is meant, run with --allow-removal once; if not, correct "
	              "spec.replicas");
	return request->is_shown ? STATUS_OK : STATUS_FAILED;
}
