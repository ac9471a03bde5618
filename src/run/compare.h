/*
 * The command `compare`: rendered objects and those that are live. adopt/compare.c compares them;
 * this renders the cluster.
 */
#ifndef OSM_GEN_RUN_COMPARE_H
#define OSM_GEN_RUN_COMPARE_H

#include "run/render.h"

/* Renders one cluster and compares it with its live objects. */
MUST_CHECK enum status run_compare(const struct run_env *env, const struct run_compared *compared,
                                   const struct run_job *job, bool *ret_differs,
                                   struct buf *output);

#endif
