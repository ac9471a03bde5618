/*
 * The result of one unit.
 */
#ifndef OSM_GEN_RUN_UNITS_UNIT_H
#define OSM_GEN_RUN_UNITS_UNIT_H

#include "run/units/units.h"

/*
 * Begins a unit's result; its diagnostics go into the arena of results. The name of the unit that
 * they get (sink.object) is in `scratch`.
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

#endif
