/*
 * Warns of files that are not read although somebody may expect it.
 */
#ifndef OSM_GEN_RUN_PASSED_OVER_H
#define OSM_GEN_RUN_PASSED_OVER_H

#include "run/inputs.h"

/*
 * Warns of symbolic links, and of manifests whose names do not end in .yaml, .yml or .json.
 * `results` has one element for each of inputs->taken.
 */
void run_warn_passed_over(const struct run_env *env, const struct run_inputs *inputs,
                          struct fleet_file *const *results);

#endif
