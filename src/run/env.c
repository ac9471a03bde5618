/*
 * What every stage works with.
 */
#include "run/stages.h"

struct arena *run_new_arena(const struct run_env *env, enum arena_kind kind)
{
	struct arena *arena = arena_new(kind);

	VEC_PUSH(env->arena, env->arenas, arena);
	return arena;
}
