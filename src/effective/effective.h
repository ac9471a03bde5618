/*
 * effective: the result of settings and profiles that several files and flags decide together, and
 * where each part of it comes from.
 *
 *   settings.c  settings, sealing and limits of a cluster or of the fleet
 *   print.c     these as text and as JSON
 *   profile.c   the profile of a MachineDeployment, extensions included
 *   origins.c   a manifest with the file and line that each of its lines comes from
 */
#ifndef OSM_GEN_EFFECTIVE_EFFECTIVE_H
#define OSM_GEN_EFFECTIVE_EFFECTIVE_H

#include "base/base.h"
#include "diag/diag.h"
#include "fleet/fleet.h"
#include "value/value.h"

struct effective {
	const char *section; /* the map of osm-gen.yaml's spec that has it: "sealing" */
	sv name;
	struct value value; /* secrets in it are masked; null if it is not set */
	/* "flag", "cluster", "manifest" (a KubeOneCluster), "fleet", "rule" (of .sops.yaml),
	 * "default"
	 */
	const char *from;
	sv at; /* FILE:LINE, or the flag; empty for a default */
};
VEC_TYPE(effectives, struct effective);

/* Returns a cluster's settings, then its sealing. `flags` maps names of settings to values. */
struct effectives effective_of_cluster(struct arena *arena, const struct fleet *fleet,
                                       const struct fleet_cluster *cluster,
                                       const struct value *flags);
/* Returns what only the fleet sets: contract, sealing, commit, removalGuard, limits. */
struct effectives effective_of_fleet(struct arena *arena, const struct fleet *fleet);

void effective_add_fleet(struct buf *buf, struct effectives all);
void effective_add_cluster(struct buf *buf, const struct fleet_cluster *cluster,
                           struct effectives all);
/* Returns a cluster as effective_add_document takes it in `clusters`, a list of them. */
struct value effective_cluster_value(struct arena *arena, const struct fleet_cluster *cluster,
                                     struct effectives all);
/* Adds one JSON document (docs/spec/reports.md 1). */
void effective_add_document(struct buf *buf, struct effectives of_fleet, struct value clusters);

/*
 * Adds the profile that a MachineDeployment gets, as YAML with secrets masked. With `has_origins`
 * the file and line of its origin is before each line. `wanted` is [CLUSTER/]NAMESPACE/NAME.
 * Fails (DIAG_RENDER_TARGET) if no MachineDeployment with a profile has that name, or several
 * clusters have one.
 */
MUST_CHECK enum status effective_add_profile(struct arena *arena, struct sink *sink,
                                             const struct fleet *fleet, sv wanted, bool has_origins,
                                             struct buf *buf);

#endif
