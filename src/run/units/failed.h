/*
 * Profiles whose templates exceeded a budget: their other units are not rendered.
 */
#ifndef OSM_GEN_RUN_UNITS_FAILED_H
#define OSM_GEN_RUN_UNITS_FAILED_H

#include "run/job.h"
#include "run/rendered.h"

/*
 * Threads may share it: after run_failed_look(i) run_failed_before is true for units after i that
 * use the same profile.
 */
struct run_failed;

/* Begins a unit's result; its diagnostics go into the arena of results. */
void run_unit_begin(struct arena *results, const struct plan_unit *unit, struct run_unit *ret_unit);
/* Reports mistakes that can be found in a unit without rendering it. */
void run_unit_check(struct arena *scratch, const struct run_job *job, struct run_unit *unit);

struct run_failed *run_failed_new(struct arena *arena, const struct plan *plan);
bool run_failed_before(const struct run_failed *failed, size_t index);
void run_failed_look(struct run_failed *failed, size_t index, const struct sink *sink);
/*
 * Returns the numbers of the plan's units, the first unit of each profile before all others;
 * *ret_firsts is how many these are.
 */
const size_t *run_failed_order(struct arena *arena, const struct plan *plan,
                               const struct run_failed *failed, size_t *ret_firsts);
/*
 * Takes back the steps of units that a single thread would not have rendered. Call it if the
 * threads took more steps than the run may. Returns true if units are to be rendered (again), by
 * one thread.
 */
bool run_failed_settle(struct run_failed *failed, const struct plan *plan, struct run_unit *units,
                       struct quota *steps);
/* Resets such units as if they had not been rendered. Call it when all threads are done. */
void run_failed_forget(struct arena *results, struct arena *scratch,
                       const struct run_failed *failed, const struct run_job *job,
                       struct run_unit *units);

#endif
