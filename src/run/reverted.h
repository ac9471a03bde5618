/*
 * Revisions that came back with an earlier output.
 */
#ifndef OSM_GEN_RUN_REVERTED_H
#define OSM_GEN_RUN_REVERTED_H

#include "run/facts.h"

/*
 * Warns (DIAG_REVISION_REVERTED) of revisions that the newest commits of `branch` took back, and
 * that clusters may have seen already.
 */
void run_report_reverted(const struct run_env *env, const struct run_facts *facts, sv branch);

#endif
