/*
 * Merges the diagnostics of all units, so that each mistake is reported once.
 */
#include "run/units/rendering.h"

/* A diagnostic of the run's sink that one or more units reported. */
struct merged {
	size_t index;
	size_t more;         /* number of other units that reported the same */
	size_t not_rendered; /* number of units that were not rendered because of it */
};

/* Returns the profile of all units, or null if they have several or none. */
static const struct dialect_definition *only_definition(const struct plan *plan)
{
	const struct dialect_definition *only = NULL;

	for (size_t i = 0; i < plan->unit_count; i++) {
		const struct dialect_definition *definition = plan->units[i].unit->definition;

		if (!definition || (only && only->object != definition->object))
			return NULL;
		only = definition;
	}
	return only;
}

/*
 * Reports DIAG_TEMPLATE_SECRET once, without its unit, and drops all other diagnostics and all
 * files. Which units fail because of a secret's value would reveal something about the value, and
 * so would the diagnostics and files of the other units. If the run has one unit, or one profile
 * alone, everybody knows already which it is: these are named.
 */
static bool merge_secret_failure(struct sink *sink, const struct plan *plan,
                                 const struct run_rendered *rendered)
{
	const struct diag *found = NULL;

	for (size_t i = 0; i < plan->unit_count && !found; i++) {
		VEC_EACH (diag, &rendered->units[i].sink.diags)
			if ((*diag)->code == DIAG_TEMPLATE_SECRET)
				found = *diag;
	}
	if (!found)
		return false;
	for (size_t i = 0; i < plan->unit_count; i++) {
		rendered->units[i].row = (struct run_row){0};
		rendered->units[i].files.count = 0;
	}
	const struct dialect_definition *definition = only_definition(plan);
	const struct kube_object *unit = plan->unit_count == 1 ? plan->units[0].unit->object : NULL;
	struct position at = definition ? kube_object_position(definition->object)
	                     : unit     ? kube_object_position(unit)
	                                : NOWHERE;
	DIAG_SCOPE(sink, unit ? kube_object_describe(sink->arena, unit) : sink->object,
	           sink->cluster);
	struct diag *diag =
	    diag_report(sink, DIAG_TEMPLATE_SECRET, at,
	                "a template's result that depends on a secret cannot be rendered");
	diag_set_help(sink, diag, "check how profiles use secrets: `osm-gen explain OSG3006`");
	return true;
}

/* Returns how many units were not rendered because of this diagnostic, and resets the number. */
static size_t take_not_rendered(struct run_unit *unit, const struct diag *diag)
{
	size_t count = diag->code == DIAG_TEMPLATE_LIMIT ? unit->not_rendered : 0;

	unit->not_rendered -= count;
	return count;
}

void run_merge_diagnostics(const struct run_env *env, const struct plan *plan,
                           struct run_rendered *rendered)
{
	struct sink *sink = env->sink;
	struct map first = map_in(env->arena);

	if (merge_secret_failure(sink, plan, rendered))
		return;
	for (size_t i = 0; i < plan->unit_count; i++) {
		VEC_EACH (diag, &rendered->units[i].sink.diags) {
			sv key = arena_printf(env->arena, "%d %p %zu %.*s", (int)(*diag)->code,
			                      (const void *)(*diag)->at.source, (*diag)->at.offset,
			                      SV_ARG((*diag)->text));
			struct merged *merged = map_get(&first, key);
			size_t not_rendered = take_not_rendered(&rendered->units[i], *diag);

			if (merged) {
				merged->more++;
				merged->not_rendered += not_rendered;
				continue;
			}
			struct sink one = {.arena = env->arena};
			VEC_PUSH(env->arena, &one.diags, *diag);
			size_t before = sink->diags.count;
			sink_merge(sink, &one);
			if (sink->diags.count == before)
				continue;
			merged = ARENA_NEW(env->arena, struct merged);
			merged->index = before;
			merged->not_rendered = not_rendered;
			map_put(&first, key, merged);
		}
	}
	sv kind = plan_unit_kind(plan);
	for (size_t i = 0; i < first.count; i++) {
		const struct merged *merged = first.entries[i].value;

		if (merged->more > 0)
			diag_add_note(sink, sink->diags.items[merged->index], NOWHERE,
			              "the same in %zu more %.*s%s", merged->more, SV_ARG(kind),
			              merged->more == 1 ? "" : "s");
		if (merged->not_rendered > 0)
			diag_add_note(sink, sink->diags.items[merged->index], NOWHERE,
			              "%zu more %.*s%s the same profile, which was not rendered "
			              "again",
			              merged->not_rendered, SV_ARG(kind),
			              merged->not_rendered == 1 ? " uses" : "s use");
	}
}
