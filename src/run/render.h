/*
 * Renders units on all threads, seals their files and puts them.
 */
#ifndef OSM_GEN_RUN_RENDER_H
#define OSM_GEN_RUN_RENDER_H

#include "plan/plan.h"
#include "run/env.h"
#include "run/rendered.h"
#include "run/writer.h"

struct run_parts;
struct run_proofs;

/* The inputs for rendering a unit, on any thread. */
struct run_job {
	const struct plan *plan;
	const struct previous *previous; /* null before the first output */
	int64_t now;                     /* the source commit's date */
	sv out;                          /* relative to the repository; empty if it is outside */
	sv only_cluster;                 /* the one that is reviewed; empty for all */
	struct quota *steps;
	bool without_seed;
	bool wants_fetches;
	bool allows_roll;                /* --allow-roll */
	const struct run_parts *parts;   /* null if this run renders all units */
	bool *asks_now;                  /* see struct dialect_job; may be null */
	const struct run_proofs *proofs; /* unit_proof.h; may be null */
};

MUST_CHECK enum status run_render_unit(struct arena *arena, struct sink *sink,
                                       const struct run_job *job, const struct plan_unit *unit,
                                       struct plan_revision *ret_revision,
                                       struct dialect_rendered *ret_rendered);
/*
 * Renders all units, on all threads. With is_sound false an earlier stage failed: nothing is
 * written, and units are rendered only to find more mistakes.
 */
MUST_CHECK enum status run_render(const struct run_env *env, const struct run_job *job,
                                  bool is_sound, struct run_writer *writer,
                                  struct run_rendered *rendered);

#endif
