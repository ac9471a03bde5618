/*
 * The profiles in the output: whether they changed in ways that the controller allows.
 */
#ifndef OSM_GEN_RUN_DEFINITIONS_H
#define OSM_GEN_RUN_DEFINITIONS_H

#include "plan/plan.h"
#include "run/inputs.h"
#include "run/writer.h"

/*
 * Fails (DIAG_OSP_IMMUTABLE) if a profile that the output holds was changed under the same version.
 * Compares with the branch's tip, or with the disk when the output is outside of the repository.
 * Warns (DIAG_OSP_REPLACED) of a profile whose file is gone while index.json lists it. `previous`
 * may be null.
 */
MUST_CHECK enum status
run_check_definitions(const struct run_env *env, const struct run_allowed *allowed,
                      const struct run_inputs *inputs, const struct plan *plan,
                      const struct previous *previous, const struct run_writer *writer);

#endif
