/*
 * Finds why units of the previous output are gone, and how many machines they had.
 */
#ifndef OSM_GEN_RUN_SUMMARY_REMOVED_H
#define OSM_GEN_RUN_SUMMARY_REMOVED_H

#include "report/report.h"
#include "run/summary/manifests.h"

/*
 * Sets source, reason, replicas and place of the removed units of the summary, which must have all
 * of its units. Facts that cannot be found, as in a shallow clone, stay unset.
 */
void run_explain_removed(const struct run_env *env, const struct run_facts *facts,
                         struct run_manifests *manifests, struct report_summary *summary);

#endif
