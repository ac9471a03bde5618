/*
 * Sets up what every stage works with.
 */
#include "run/env.h"
#include "os/os.h"

struct run_env run_env_new(struct arena *arena, struct sink *sink,
                           const struct run_request *request, struct run_quotas *quotas,
                           struct run_arenas *arenas)
{
	struct run_env env = {
	    .quotas = quotas,
	    .arena = arena,
	    .sink = sink,
	    .progress = request->progress,
	    .threads = request->threads ? request->threads : os_core_count(),
	    .arenas = arenas,
	};

	run_quotas_set(quotas, &request->limits);
	env.secret_arena = run_new_arena(&env, ARENA_SECRET);
	arena_limit_chunks(env.secret_arena, RUN_SECRET_CHUNK);
	env.scratch = run_new_arena(&env, ARENA_PLAIN);
	return env;
}

struct arena *run_new_arena(const struct run_env *env, enum arena_kind kind)
{
	struct arena *arena = arena_new(kind);

	VEC_PUSH(env->arena, env->arenas, arena);
	return arena;
}
