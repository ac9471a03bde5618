/*
 * Live revisions: the revision annotations that MachineDeployments have in their clusters, read
 * from what kubectl prints (JSON or YAML). Private to plan/ and to the command `revisions`.
 *
 *   live.c        reads one export, and --revisions with a file for each cluster
 *   live_merge.c  merges exports by cluster, and prints them for people, for programs and for
 *                 --revisions
 *
 * Related, and elsewhere: revision.c chooses the revision of a unit, reverted.c finds revisions
 * that a revert took back, and adopt/ finds the revision of a whole live cluster, MachineSets
 * included.
 */
#ifndef OSM_GEN_PLAN_LIVE_H
#define OSM_GEN_PLAN_LIVE_H

#include "plan/plan.h"

/*
 * Reads --revisions into the clusters. Fails (DIAG_REVISIONS) if a file is not as kubectl prints
 * it, and (DIAG_REVISIONS_OWNER) if a file could belong to several clusters.
 */
MUST_CHECK enum status plan_live_read(struct arena *arena, struct sink *sink,
                                      const struct plan_request *request, struct plan *plan);

/* ---- merged exports ---------------------------------------------------------------------- */

struct plan_live_entry {
	sv unit;       /* NAMESPACE/NAME */
	sv annotation; /* the name of the one that holds the revision */
	sv revision;   /* a whole number from 1 on */
};
VEC_TYPE(plan_live_entries, struct plan_live_entry);
/* Lists the entries of one file, in its order. Fails (DIAG_REVISIONS) if one is not a revision. */
MUST_CHECK enum status plan_live_list(struct arena *arena, struct sink *sink, sv work_tree, sv path,
                                      struct plan_live_entries *ret_entries);

struct plan_live_cluster {
	sv name;
	struct plan_live_entries entries; /* sorted by namespace and name */
};
VEC_TYPE(plan_live_clusters, struct plan_live_cluster);

/*
 * Adds the revisions of an export to a cluster's. Where two exports have one MachineDeployment, the
 * higher revision is the newer one. Fails if the export cannot be read or is wrong.
 */
MUST_CHECK enum status plan_live_add(struct arena *arena, struct sink *sink, sv work_tree,
                                     sv cluster, sv path, struct plan_live_clusters *clusters);
/* Sorts clusters and their entries by name. */
void plan_live_sort(struct plan_live_clusters *clusters);

/* Adds a line "CLUSTER/NAMESPACE/NAME REVISION" for each. */
void plan_live_add_text(struct buf *buf, const struct plan_live_clusters *clusters);
void plan_live_add_json(struct buf *buf, const struct plan_live_clusters *clusters);
/*
 * Adds one cluster's revisions as the file CLUSTER.json that --revisions reads: a List of
 * MachineDeployments with nothing else in them that an export has.
 */
void plan_live_add_list(struct buf *buf, const struct plan_live_cluster *cluster);

#endif
