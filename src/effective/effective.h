/*
 * effective: the result of settings and profiles that several files and flags decide together, and
 * where each part of it comes from.
 *
 *   settings.c  settings, sealing and limits of a cluster or of the fleet
 *   print.c     these as a tree of values, which reports print
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

/*
 * Returns the settings of a cluster as a tree, in the sections that JSON has (docs/spec/reports.md
 * 1). With `has_rows` it has rows of name, value, from and at, all of them strings. `cluster` may
 * be null for the fleet's own.
 */
struct value effective_tree(struct arena *arena, const struct fleet_cluster *cluster,
                            struct effectives all, bool has_rows);

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
