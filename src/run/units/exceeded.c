/*
 * Profiles whose templates exceeded a budget. Such a profile is not rendered for other units: each
 * of them would take as long.
 *
 * The first unit of the plan that exceeds a budget is always found, on any number of threads: a
 * unit is skipped only because of one before it. Other threads may have rendered units after it by
 * then. Their results are dropped, so that the run reports the same whatever the threads did.
 */
#include "run/units/rendering.h"

#include <stdatomic.h>

/* A definition, such as a profile, that units share. */
struct exceeded_definition {
	_Atomic size_t first; /* the first unit that exceeded a budget, by its place in the plan */
	bool is_met;
};

struct run_exceeded {
	/*
	 * One for each unit of the plan; units with the same definition share it. Null for a unit
	 * without a definition.
	 */
	struct exceeded_definition **definitions;
};

struct run_exceeded *run_exceeded_new(struct arena *arena, const struct plan *plan)
{
	struct run_exceeded *exceeded = ARENA_NEW(arena, struct run_exceeded);
	struct map known = map_in(arena);

	exceeded->definitions = ARENA_ARRAY(arena, struct exceeded_definition *, plan->unit_count);
	for (size_t i = 0; i < plan->unit_count; i++) {
		const struct dialect_definition *const *key = &plan->units[i].unit->definition;

		if (!*key)
			continue;
		/* The key is the pointer: profiles of two clusters may have the same name. */
		sv bytes = sv_from_bytes(key, sizeof(*key));
		struct exceeded_definition *definition = map_get(&known, bytes);
		if (!definition) {
			definition = ARENA_NEW(arena, struct exceeded_definition);
			atomic_init(&definition->first, SIZE_MAX);
			map_put(&known, bytes, definition);
		}
		exceeded->definitions[i] = definition;
	}
	return exceeded;
}

const size_t *run_exceeded_order(struct arena *arena, const struct plan *plan,
                                 const struct run_exceeded *exceeded, size_t *ret_firsts)
{
	size_t *order = ARENA_ARRAY(arena, size_t, plan->unit_count);
	size_t *rest = ARENA_ARRAY(arena, size_t, plan->unit_count);
	size_t firsts = 0;
	size_t others = 0;

	for (size_t i = 0; i < plan->unit_count; i++) {
		struct exceeded_definition *definition = exceeded->definitions[i];

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

bool run_exceeded_before(const struct run_exceeded *exceeded, size_t index)
{
	struct exceeded_definition *definition = exceeded->definitions[index];

	return definition && atomic_load(&definition->first) < index;
}

static bool ran_into_budget(const struct sink *sink)
{
	VEC_EACH (diag, &sink->diags)
		if ((*diag)->code == DIAG_TEMPLATE_LIMIT)
			return true;
	return false;
}

void run_exceeded_note(struct run_exceeded *exceeded, size_t index, const struct sink *sink)
{
	struct exceeded_definition *definition = exceeded->definitions[index];

	if (!definition || !ran_into_budget(sink))
		return;
	size_t first = atomic_load(&definition->first);
	while (index < first && !atomic_compare_exchange_weak(&definition->first, &first, index))
		;
}

bool run_exceeded_settle(struct run_exceeded *exceeded, const struct plan *plan,
                         struct run_unit *units, struct quota *steps)
{
	uint64_t sum = 0;
	bool is_open = false;

	for (size_t i = 0; i < plan->unit_count; i++)
		if (exceeded->definitions[i])
			exceeded->definitions[i]->is_met = false;
	/* Take back all units after the first of their profile that failed or is not done. */
	for (size_t i = 0; i < plan->unit_count; i++) {
		struct exceeded_definition *definition = exceeded->definitions[i];

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

void run_exceeded_forget(struct arena *results, struct arena *scratch,
                         const struct run_exceeded *exceeded, const struct run_job *job,
                         struct run_unit *units)
{
	for (size_t i = 0; i < job->plan->unit_count; i++) {
		const struct plan_unit *unit = &job->plan->units[i];

		if (!run_exceeded_before(exceeded, i))
			continue;
		units[exceeded->definitions[i]->first].not_rendered++;
		(void)kube_object_open(scratch, unit->unit->object);
		run_unit_begin(results, scratch, unit, &units[i]);
		run_unit_check(scratch, job, &units[i]);
		units[i].sink.object = SV("");
		kube_object_close(unit->unit->object);
	}
}
