/*
 * Stops a run that would remove much, or write into a folder of inputs.
 */
#ifndef OSM_GEN_RUN_GUARD_H
#define OSM_GEN_RUN_GUARD_H

#include "plan/plan.h"
#include "run/inputs.h"
#include "run/rendered.h"
#include "run/writer.h"

/*
 * Fails if the output folder holds manifests that somebody wrote (DIAG_OUTPUT_HOLDS_INPUTS), or if
 * more goes than may go without --allow-removal (plan_check_removal). `previous` may be null:
 * nothing is checked then.
 */
MUST_CHECK enum status run_guard(const struct run_env *env, enum run_mode mode,
                                 const struct run_allowed *allowed, const struct run_inputs *inputs,
                                 const struct plan *plan, const struct previous *previous,
                                 const struct run_writer *writer);
/* Fails if more machines roll than may without --allow-roll (plan_check_rolls). */
MUST_CHECK enum status run_guard_rolls(const struct run_env *env, enum run_mode mode,
                                       const struct run_allowed *allowed, const struct plan *plan,
                                       const struct run_rendered *rendered);

#endif
