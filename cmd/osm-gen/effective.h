/*
 * effective: what osm-gen.yaml and the flags come to, and where each of it stands.
 */
#ifndef OSM_GEN_CMD_EFFECTIVE_H
#define OSM_GEN_CMD_EFFECTIVE_H

#include "commands.h"
#include "fleet/fleet.h"

struct effective {
	const char *section; /* the map of osm-gen.yaml's spec that it stands in: "sealing" */
	sv name;
	struct value value; /* as it may be shown: what is secret is masked; null: not set */
	const char *from;   /* "flag", "cluster", "fleet", "rule" (.sops.yaml's), "default" */
	sv at;              /* file and line, or the flag; empty: the default */
};
VEC_TYPE(effectives, struct effective);

/* Of one cluster: the settings, then its sealing. */
struct effectives effective_of_cluster(struct context *context, const struct fleet *fleet,
                                       const struct fleet_cluster *cluster);
/* What the fleet has once: sealing, commit, limits, removalGuard. */
struct effectives effective_of_fleet(struct context *context, const struct fleet *fleet);

/* FILE:LINE; empty: nowhere. */
sv effective_place(struct arena *arena, struct position at);

#endif
