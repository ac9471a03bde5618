/*
 * Compares the inputs of units that stay with those before.
 */
#ifndef OSM_GEN_RUN_SUMMARY_COMPARED_H
#define OSM_GEN_RUN_SUMMARY_COMPARED_H

#include "report/report.h"
#include "run/summary/manifests.h"

/*
 * Sets the fields of the summary's units that differ in the inputs, and the change of replicas in
 * manifests of units that the output does not have. `places` has the row of each unit of the plan,
 * SIZE_MAX if it has none. Sets none of them in a shallow clone.
 */
void run_compare_inputs(const struct run_env *env, const struct run_facts *facts,
                        struct run_manifests *manifests, const size_t *places,
                        struct report_summary *summary);

#endif
