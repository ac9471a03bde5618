/*
 * Puts the index.json of a cluster.
 */
#ifndef OSM_GEN_RUN_CLUSTERS_INDEX_H
#define OSM_GEN_RUN_CLUSTERS_INDEX_H

#include "run/clusters/completion.h"

/*
 * Puts index.json. All other files of the cluster, and of its delivery, are put already.
 *
 * An input may change without changing any file, such as the number of replicas. This changes the
 * proof of a unit (proofs/proofs.h), and would make a commit with nothing but that. So if no file
 * of the units has changed and index.json would be the previous one but for its proofs, these stay
 * as they are. Such a unit is rendered each time, until something else of the cluster changes: then
 * all proofs are new.
 */
MUST_CHECK enum status run_put_index(struct run_completion *c);

#endif
