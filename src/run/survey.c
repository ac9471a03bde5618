/*
 * Reads the inputs as a run does, and stops there.
 */
#include "run/env.h"
#include "run/inputs/inputs.h"
#include "run/output/output.h"

enum status run_survey(struct arena *arena, struct sink *sink, const struct run_request *request,
                       const struct fleet **ret_fleet, struct run_result *ret_result)
{
	/* Lasts as long as the inputs: a later parse of one of their strings charges it. */
	struct run_quotas *quotas = ARENA_NEW(arena, struct run_quotas);
	struct run_arenas arenas = {0};
	const struct run_env env = run_env_new(arena, sink, request, quotas, &arenas);
	struct run_inputs *inputs = ARENA_NEW(arena, struct run_inputs);

	struct run_former former = {&env, inputs, NULL, request->target.branch};
	*inputs = (struct run_inputs){
	    .was_in_buckets = run_was_in_buckets,
	    .was_in_buckets_context = &former,
	    .keeps_units_open = true,
	};
	enum status status =
	    run_list_inputs(&env, request->mode, &request->reading, request->target.out, inputs);
	if (status == STATUS_OK)
		status = run_read_inputs(&env, request->mode, &request->reading, inputs);
	*ret_fleet = inputs->is_loaded ? &inputs->fleet : NULL;
	*ret_result = (struct run_result){.arenas = arenas.items, .arena_count = arenas.count};
	run_close_inputs(inputs);
	return status;
}
