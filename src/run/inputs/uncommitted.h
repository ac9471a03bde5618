/*
 * Manifests in the work tree that are not committed.
 */
#ifndef OSM_GEN_RUN_INPUTS_UNCOMMITTED_H
#define OSM_GEN_RUN_INPUTS_UNCOMMITTED_H

#include "run/inputs/inputs.h"

/*
 * Warns once (DIAG_INPUT_DIRTY) of files that differ from the commit, and of manifests that git
 * does not track, and names a few. Does nothing if the work tree is read, or another commit than
 * HEAD.
 */
MUST_CHECK enum status run_warn_uncommitted(const struct run_env *env,
                                            const struct run_reading *reading,
                                            const struct run_inputs *inputs);

#endif
