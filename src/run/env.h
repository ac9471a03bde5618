/*
 * The environment of all stages: memory, threads, limits and the sink. It holds nothing of the
 * request (struct run_request): a stage is given the parts of it that it uses.
 */
#ifndef OSM_GEN_RUN_ENV_H
#define OSM_GEN_RUN_ENV_H

#include "base/base.h"
#include "diag/diag.h"
#include "run/run.h"
#include "value/value.h"

/* Arenas that live until run_release. */
VEC_TYPE(run_arenas, struct arena *);

/* The quota of each limit in struct run_limits, with what is used of it. */
struct run_quotas {
	struct quota entries;
	struct quota input_bytes;
	struct quota values;
	struct quota steps;
	struct quota output_bytes;
};

/* limits.c: sets each quota to its limit, with nothing used. */
void run_quotas_set(struct run_quotas *quotas, const struct run_limits *limits);
/* Returns the quota that the values of one file of that size are charged to. */
struct quota run_values_of(struct run_quotas *quotas, size_t bytes);
/* Raises limits that follow from the inputs' size. Call it once the inputs are read. */
void run_quotas_grow(struct run_quotas *quotas, size_t units);
/* Lowers quotas to the limits that osm-gen.yaml sets; it cannot raise any. `limits` may be null. */
void run_quotas_lower(struct run_quotas *quotas, const struct value *limits);
/* Fails if a quota is exceeded, and reports each one that is. */
MUST_CHECK enum status run_check_quotas(struct sink *sink, const struct run_quotas *quotas);

struct run_env {
	struct run_quotas *quotas;
	struct arena *arena;
	struct arena *secret_arena;
	struct arena *scratch; /* a plain arena of the first thread; reset after each file */
	struct sink *sink;
	struct run_progress progress;
	unsigned threads;
	struct run_arenas *arenas;
};

/*
 * env.c: sets up quotas, arenas and threads as the request asks. `quotas` and `arenas` belong to
 * the caller and outlive the result.
 */
struct run_env run_env_new(struct arena *arena, struct sink *sink,
                           const struct run_request *request, struct run_quotas *quotas,
                           struct run_arenas *arenas);
/* The largest piece of memory of secret arenas that live until run_release. */
#define RUN_SECRET_CHUNK ((size_t)512 * 1024)
/* Returns an arena that lives until run_release. */
struct arena *run_new_arena(const struct run_env *env, enum arena_kind kind);

#endif
