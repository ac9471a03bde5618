/*
 * Profiles whose templates exceeded a budget: their other units are not rendered.
 */
#ifndef OSM_GEN_RUN_UNITS_EXCEEDED_H
#define OSM_GEN_RUN_UNITS_EXCEEDED_H

#include "run/job.h"
#include "run/rendered.h"

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

#endif
