/*
 * Removes old files of the output.
 */
#ifndef OSM_GEN_RUN_CLUSTERS_PRUNE_H
#define OSM_GEN_RUN_CLUSTERS_PRUNE_H

#include "run/inputs/inputs.h"
#include "run/job.h"
#include "run/output/output.h"
#include "run/rendered.h"

/*
 * Removes what an earlier run wrote and this one did not. Without a seed it leaves files that were
 * not compared. Fails (DIAG_OUTPUT_STRANGER) if a file that osm-gen did not write has the path of
 * one that it writes.
 */
MUST_CHECK enum status run_remove_old(const struct run_env *env, const struct run_inputs *inputs,
                                      const struct run_job *job, struct run_writer *writer,
                                      const struct run_rendered *rendered);

#endif
