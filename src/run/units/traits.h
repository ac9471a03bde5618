/*
 * Makes what a run without the seed compares of a unit (struct run_traits).
 */
#ifndef OSM_GEN_RUN_UNITS_TRAITS_H
#define OSM_GEN_RUN_UNITS_TRAITS_H

#include "run/job.h"
#include "run/rendered.h"

/* Sets unit->traits. Call it after run_put_unit, which completes the artifacts. */
void run_find_traits(struct arena *results, struct arena *scratch, const struct run_job *job,
                     const struct plan_revision *revision, const struct artifacts *artifacts,
                     struct run_unit *unit);

#endif
