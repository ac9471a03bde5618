/*
 * Private to units/: the state of rendering, and its parts.
 */
#ifndef OSM_GEN_RUN_UNITS_RENDERING_H
#define OSM_GEN_RUN_UNITS_RENDERING_H

#include "os/os.h"
#include "review/review.h"
#include "run/env.h"
#include "run/job.h"
#include "run/rendered.h"
#include "run/units/units.h"

/* ---- exceeded.c: profiles whose templates exceeded a budget -------------------------------- */

/* Threads may share it. */
struct run_exceeded;

struct run_exceeded *run_exceeded_new(struct arena *arena, const struct plan *plan);
/* Notes if the unit of that place in the plan, whose diagnostics `sink` has, exceeded a budget. */
void run_exceeded_note(struct run_exceeded *exceeded, size_t index, const struct sink *sink);
/* Returns true if a unit before this one, with the same profile, exceeded a budget. */
bool run_exceeded_before(const struct run_exceeded *exceeded, size_t index);
/*
 * Returns the numbers of the plan's units, the first unit of each profile before all others;
 * *ret_firsts is how many these are.
 */
const size_t *run_exceeded_order(struct arena *arena, const struct plan *plan,
                                 const struct run_exceeded *exceeded, size_t *ret_firsts);
/*
 * Takes back the steps of units that a single thread would not have rendered. Call it if the
 * threads took more steps than the run may. Returns true if units are to be rendered (again), by
 * one thread.
 */
bool run_exceeded_settle(struct run_exceeded *exceeded, const struct plan *plan,
                         struct run_unit *units, struct quota *steps);
/* Resets such units as if they had not been rendered. Call it when all threads are done. */
void run_exceeded_forget(struct arena *results, struct arena *scratch,
                         const struct run_exceeded *exceeded, const struct run_job *job,
                         struct run_unit *units);

/* ---- render.c, put.c ----------------------------------------------------------------------- */

/* The state of one thread. */
struct run_worker {
	struct arena *results;           /* clear, kept to the end */
	struct map words;                /* see run_tree_file */
	struct arena *scratch;           /* of the secret kind, reset after each unit */
	struct sealer *sealer;           /* null without a seed */
	VEC(struct review_file) changed; /* clear files of the unit, in scratch */
	sv added; /* the config of a unit that the previous output does not have; or empty */
};

/* The state that all threads share while they render. */
struct run_rendering {
	const struct run_env *env;
	const struct run_job *job;
	bool writes;
	struct run_writer *writer;
	struct run_rendered *rendered;
	struct run_worker *workers;
	struct run_exceeded *exceeded;
	const size_t *order;   /* places of units in the plan */
	struct os_mutex *lock; /* protects the following members */
	struct map shared;     /* ids (struct git_id *) of the objects that units share, by path */
	size_t done;
	bool *is_right; /* for each unit of the plan: true if it was rendered without a mistake */
	struct review_hosts *hosts; /* of the previous output, read when a unit needs them */
	bool are_hosts_read;
	bool has_configs; /* the previous output has any, so that a host can be new */
	size_t forgotten; /* the number of units, from the first on, whose values are forgotten */
};

/*
 * Seals and puts the files of a rendered unit, and notes how they differ from those before.
 * Mistakes are in the unit's sink. `worker` is the number of the calling thread.
 */
MUST_CHECK enum status run_put_unit(struct run_rendering *r, const struct plan_unit *unit,
                                    unsigned worker, struct run_unit *result,
                                    const struct plan_revision *revision,
                                    struct dialect_rendered *rendered);
/* Adds the unit's clear files that differ to the review. Call it after each unit. */
void run_review_unit(struct run_rendering *r, const struct plan_unit *unit, unsigned worker,
                     sv kubelet_version);

/* ---- shared.c ------------------------------------------------------------------------------ */

/* Puts the file of an object that units share, unless another unit does. Sets file->blob. */
MUST_CHECK enum status run_put_shared(struct sink *sink, struct run_rendering *r, unsigned worker,
                                      const struct leak_scanner *scanner,
                                      const struct artifact *artifact, const struct plan_unit *unit,
                                      struct tree_file *file);
/*
 * Keeps the object of that name in the output, if it is there, for machines that start with an
 * older Secret of the unit. `artifact` is the one that took its place.
 */
MUST_CHECK enum status run_put_shared_before(struct sink *sink, struct run_rendering *r,
                                             unsigned worker, const struct artifact *artifact,
                                             sv name, const struct plan_unit *unit,
                                             struct run_unit *result);
/* Keeps those of a unit that was not rendered. */
void run_keep_shared(struct run_rendering *r, unsigned worker, struct run_unit *unit);

/* ---- unit.c -------------------------------------------------------------------------------- */

/*
 * Begins a unit's result, and its sink in `results`. The unit's name, which the sink adds to each
 * diagnostic, is in `scratch`.
 */
void run_unit_begin(struct arena *results, struct arena *scratch, const struct plan_unit *unit,
                    struct run_unit *ret_unit);
/* Reports mistakes that can be found in a unit without rendering it. */
void run_unit_check(struct arena *scratch, const struct run_job *job, struct run_unit *unit);
/* Fills the unit's row of the summary from what was rendered. */
void run_fill_row(struct arena *arena, struct run_row *row, const struct plan_unit *unit,
                  const struct dialect_rendered *rendered);
/* Returns a copy of the fetches, since the rendered ones are in the unit's scratch memory. */
struct run_fetched *run_keep_fetches(struct arena *arena, const struct run_unit *unit,
                                     const struct dialect_rendered *rendered);

/* ---- traits.c ------------------------------------------------------------------------------ */

/* Sets unit->traits. Call it after run_put_unit, which completes the artifacts. */
void run_find_traits(struct arena *results, struct arena *scratch, const struct run_job *job,
                     const struct plan_revision *revision, const struct artifacts *artifacts,
                     struct run_unit *unit);

/* ---- diagnostics.c ------------------------------------------------------------------------- */

/*
 * Moves the diagnostics of all units to the run's sink, in the order of the units. A mistake in a
 * profile occurs in every unit that uses it: it is reported once, with the number of the others.
 */
void run_merge_diagnostics(const struct run_env *env, const struct plan *plan,
                           struct run_rendered *rendered);

#endif
