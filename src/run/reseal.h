/*
 * Clusters whose SealedSecrets controller has another certificate than before.
 */
#ifndef OSM_GEN_RUN_RESEAL_H
#define OSM_GEN_RUN_RESEAL_H

#include "run/facts.h"

/* Warns (DIAG_CERTIFICATE_CHANGED) of each one, and names the Secrets that are sealed again. */
void run_report_resealed(const struct run_env *env, const struct run_facts *facts);

#endif
