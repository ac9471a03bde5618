/*
 * The command `render`.
 */
#ifndef OSM_GEN_RUN_INSPECT_H
#define OSM_GEN_RUN_INSPECT_H

#include "run/render.h"

/* Renders one unit and prints the part that is asked for. */
MUST_CHECK enum status run_inspect(const struct run_env *env, const struct run_inspected *inspected,
                                   const struct run_job *job, struct buf *output);

#endif
