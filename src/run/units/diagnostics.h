/*
 * Puts together what the renderings of all units reported.
 */
#ifndef OSM_GEN_RUN_UNITS_DIAGNOSTICS_H
#define OSM_GEN_RUN_UNITS_DIAGNOSTICS_H

#include "run/env.h"
#include "run/rendered.h"

/*
 * Moves the diagnostics of all units to the run's sink, in the order of the units. A mistake in a
 * profile occurs in every unit that uses it: it is reported once, with the number of the others.
 */
void run_merge_diagnostics(const struct run_env *env, const struct plan *plan,
                           struct run_rendered *rendered);

#endif
