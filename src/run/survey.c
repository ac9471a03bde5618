/*
 * What is there, for those who ask: the inputs read as a run reads them, and no further.
 */
#include "run/stages.h"

enum status run_survey(struct arena *arena, struct sink *sink, const struct run_request *request,
                       const struct fleet **ret_fleet, struct run_result *ret_result)
{
	struct run_quotas quotas;
	struct run_arenas arenas = {0};
	struct run_env env = {
	    .arena = arena,
	    .quotas = &quotas,
	    .sink = sink,
	    .request = request,
	    .threads = request->threads ? request->threads : os_core_count(),
	    .arenas = &arenas,
	};
	struct run_inputs *inputs = ARENA_NEW(arena, struct run_inputs);

	*inputs = (struct run_inputs){0};
	run_quotas_set(&quotas, &request->limits);
	env.secret_arena = run_new_arena(&env, ARENA_SECRET);
	env.scratch = run_new_arena(&env, ARENA_PLAIN);
	enum status status = run_list_inputs(&env, inputs);
	if (status == STATUS_OK)
		status = run_read_inputs(&env, inputs, NULL);
	*ret_fleet = inputs->is_loaded ? &inputs->fleet : NULL;
	*ret_result = (struct run_result){.arenas = arenas.items, .arena_count = arenas.count};
	run_close_inputs(inputs);
	return status;
}
