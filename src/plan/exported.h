/*
 * Live revisions of MachineDeployments, collected from any number of kubectl's exports and merged
 * by cluster. Private to plan/ and to the command `revisions`.
 */
#ifndef OSM_GEN_PLAN_EXPORTED_H
#define OSM_GEN_PLAN_EXPORTED_H

#include "plan/plan.h"

struct exported_cluster {
	sv name;
	struct plan_live_entries entries; /* sorted by namespace and name */
};
VEC_TYPE(exported_clusters, struct exported_cluster);

/*
 * Adds the revisions of an export to a cluster's. Where two exports have one MachineDeployment, the
 * higher revision is the newer one. Fails if the export cannot be read or is wrong.
 */
MUST_CHECK enum status exported_read(struct arena *arena, struct sink *sink, sv work_tree,
                                     sv cluster, sv path, struct exported_clusters *clusters);
/* Sorts clusters and their entries by name. */
void exported_sort(struct exported_clusters *clusters);

/* Adds a line "CLUSTER/NAMESPACE/NAME REVISION" for each. */
void exported_add_text(struct buf *buf, const struct exported_clusters *clusters);
void exported_add_json(struct buf *buf, const struct exported_clusters *clusters);
/*
 * Adds one cluster's revisions as the file CLUSTER.json that --revisions reads: a List of
 * MachineDeployments with nothing else in them that an export has.
 */
void exported_add_list(struct buf *buf, const struct exported_cluster *cluster);

#endif
