/*
 * Warns of files that are not read although somebody may expect it, and of output in a second
 * folder.
 */
#ifndef OSM_GEN_RUN_INPUTS_PASSED_OVER_H
#define OSM_GEN_RUN_INPUTS_PASSED_OVER_H

#include "run/inputs/inputs.h"

/*
 * Warns of symbolic links, and of manifests whose names do not end in .yaml, .yml or .json.
 * `results` has one element for each of inputs->taken.
 */
void run_warn_passed_over(const struct run_env *env, const struct run_inputs *inputs,
                          struct fleet_file *const *results);
/*
 * Warns (DIAG_OUTPUT_SECOND) if the repository has output of osm-gen in another folder than this
 * run's, which must be in the repository. Folders that the ignore file excludes do not count.
 */
void run_warn_second_output(const struct run_env *env, const struct run_inputs *inputs);

#endif
