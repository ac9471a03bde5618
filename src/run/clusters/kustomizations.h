/*
 * Kustomizations: which files of a cluster are in which.
 */
#ifndef OSM_GEN_RUN_CLUSTERS_KUSTOMIZATIONS_H
#define OSM_GEN_RUN_CLUSTERS_KUSTOMIZATIONS_H

#include "run/clusters/completion.h"

/* Puts the kustomizations of a side, and adds its folders. */
MUST_CHECK enum status run_put_kustomizations(struct run_completion *c, enum artifact_side side);

/* Lists the folders of a side without their kustomizations. */
void run_list_folders(struct run_completion *c, enum artifact_side side);

#endif
