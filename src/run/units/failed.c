/*
 * Profiles whose templates exceeded a budget. Such a profile is not rendered for other units: each
 * of them would take as long.
 *
 * The first unit of the plan that exceeds a budget is always found, on any number of threads: a
 * unit is skipped only because of one before it. Other threads may have rendered units after it by
 * then. Their results are dropped, so that the run reports the same whatever the threads did.
 */
#include "run/units/failed.h"

#include <stdatomic.h>

/* Returns the place in the manifest that reports show with the unit. */
static struct position place_of(const struct plan_unit *unit)
{
	const struct dialect *dialect = unit->unit->dialect;
	struct position at = NOWHERE;

	if (dialect->version_at)
		at = dialect->version_at(unit->unit->object);
	return at.source ? at : kube_object_position(unit->unit->object);
}

/* Copies what is needed of the manifest, whose values are forgotten once the unit is rendered. */
static void set_pace(struct arena *results, const struct dialect_unit *unit,
                     struct dialect_pace *ret_pace)
{
	unit->dialect->pace(results, unit->object, ret_pace);
	ret_pace->max_surge = arena_dup(results, ret_pace->max_surge);
	ret_pace->max_unavailable = arena_dup(results, ret_pace->max_unavailable);
}

void run_unit_begin(struct arena *results, const struct plan_unit *unit, struct run_unit *ret_unit)
{
	const struct fleet_cluster *cluster = unit->cluster->fleet;

	const struct dialect *dialect = unit->unit->dialect;
	int64_t replicas = -1;

	if (dialect->replicas)
		replicas = dialect->replicas(unit->unit->object);
	else if (dialect->machines && unit->loaded)
		replicas = dialect->machines(results, unit->loaded, unit->unit->object);

	*ret_unit = (struct run_unit){
	    .unit = unit,
	    .sink = sink_in(results),
	    .replicas = replicas < 0 ? REPORT_REPLICAS_UNKNOWN : replicas,
	    .at = place_of(unit),
	};
	if (dialect->pace)
		set_pace(results, unit->unit, &ret_unit->pace);
	ret_unit->sink.object = kube_object_describe(results, unit->unit->object);
	ret_unit->sink.cluster = cluster->at.source ? cluster->name : SV("");
}

void run_unit_check(struct arena *scratch, const struct run_job *job, struct run_unit *unit)
{
	const struct plan_unit *of = unit->unit;

	if (of->unit->dialect->check)
		of->unit->dialect->check(scratch, &unit->sink, of->view, of->unit->object,
		                         !job->plan->root);
}

struct failed_definition {
	_Atomic size_t first; /* the first unit that failed, by its place in the plan */
	bool is_met;
};

struct run_failed {
	/*
	 * One for each unit of the plan; units with the same definition share it. Null for a unit
	 * without a definition.
	 */
	struct failed_definition **definitions;
};

struct run_failed *run_failed_new(struct arena *arena, const struct plan *plan)
{
	struct run_failed *failed = ARENA_NEW(arena, struct run_failed);
	struct map known = map_in(arena);

	failed->definitions = ARENA_ARRAY(arena, struct failed_definition *, plan->unit_count);
	for (size_t i = 0; i < plan->unit_count; i++) {
		const struct dialect_definition *const *key = &plan->units[i].unit->definition;

		if (!*key)
			continue;
		/* The key is the pointer: profiles of two clusters may have the same name. */
		sv bytes = sv_from((const char *)key, sizeof(*key));
		struct failed_definition *definition = map_get(&known, bytes);
		if (!definition) {
			definition = ARENA_NEW(arena, struct failed_definition);
			atomic_init(&definition->first, SIZE_MAX);
			map_put(&known, bytes, definition);
		}
		failed->definitions[i] = definition;
	}
	return failed;
}

const size_t *run_failed_order(struct arena *arena, const struct plan *plan,
                               const struct run_failed *failed, size_t *ret_firsts)
{
	size_t *order = ARENA_ARRAY(arena, size_t, plan->unit_count);
	size_t *rest = ARENA_ARRAY(arena, size_t, plan->unit_count);
	size_t firsts = 0;
	size_t others = 0;

	for (size_t i = 0; i < plan->unit_count; i++) {
		struct failed_definition *definition = failed->definitions[i];

		if (!definition || definition->is_met)
			rest[others++] = i;
		else
			order[firsts++] = i;
		if (definition)
			definition->is_met = true;
	}
	for (size_t i = 0; i < others; i++)
		order[firsts + i] = rest[i];
	*ret_firsts = firsts;
	return order;
}

bool run_failed_before(const struct run_failed *failed, size_t index)
{
	struct failed_definition *definition = failed->definitions[index];

	return definition && atomic_load(&definition->first) < index;
}

static bool ran_into_budget(const struct sink *sink)
{
	VEC_EACH (diag, &sink->diags)
		if ((*diag)->code == DIAG_TEMPLATE_LIMIT)
			return true;
	return false;
}

void run_failed_look(struct run_failed *failed, size_t index, const struct sink *sink)
{
	struct failed_definition *definition = failed->definitions[index];

	if (!definition || !ran_into_budget(sink))
		return;
	size_t first = atomic_load(&definition->first);
	while (index < first && !atomic_compare_exchange_weak(&definition->first, &first, index))
		;
}

bool run_failed_settle(struct run_failed *failed, const struct plan *plan, struct run_unit *units,
                       struct quota *steps)
{
	uint64_t sum = 0;
	bool is_open = false;

	for (size_t i = 0; i < plan->unit_count; i++)
		if (failed->definitions[i])
			failed->definitions[i]->is_met = false;
	/* Take back all units after the first of their profile that failed or is not done. */
	for (size_t i = 0; i < plan->unit_count; i++) {
		struct failed_definition *definition = failed->definitions[i];

		if (definition && definition->is_met)
			units[i].is_done = false;
		is_open |= !units[i].is_done;
		sum += units[i].is_done ? units[i].steps : 0;
		if (!definition || definition->is_met)
			continue;
		definition->is_met = !units[i].is_done || atomic_load(&definition->first) == i;
		if (!units[i].is_done)
			atomic_store(&definition->first, SIZE_MAX);
	}
	if (!is_open || sum > steps->max)
		return false;
	atomic_store(&steps->used, sum);
	return true;
}

void run_failed_forget(struct arena *results, struct arena *scratch,
                       const struct run_failed *failed, const struct run_job *job,
                       struct run_unit *units)
{
	for (size_t i = 0; i < job->plan->unit_count; i++) {
		const struct plan_unit *unit = &job->plan->units[i];

		if (!run_failed_before(failed, i))
			continue;
		units[failed->definitions[i]->first].not_rendered++;
		run_unit_begin(results, unit, &units[i]);
		run_unit_check(scratch, job, &units[i]);
	}
}
