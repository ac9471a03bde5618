/*
 * Finds why units of the previous output are gone, and how many machines units had.
 */
#ifndef OSM_GEN_RUN_SUMMARY_REMOVED_H
#define OSM_GEN_RUN_SUMMARY_REMOVED_H

#include "report/report.h"
#include "run/env.h"
#include "run/facts.h"

/*
 * Sets source, reason, replicas and place of the removed units of the summary, which must have all
 * of its units, and the change of replicas in manifests of units that the output does not have.
 * `places` has the row of each unit of the plan, SIZE_MAX if it has none. Facts that cannot be
 * found, as in a shallow clone, stay unset.
 */
void run_look_at_manifests(const struct run_env *env, const struct run_facts *facts,
                           const size_t *places, struct report_summary *summary);

#endif
