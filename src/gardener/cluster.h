/*
 * A cluster as its OSCs are rendered with it, and the functions of struct dialect that render.
 */
#ifndef OSM_GEN_GARDENER_CLUSTER_H
#define OSM_GEN_GARDENER_CLUSTER_H

#include "gardener/flow/flow.h"
#include "gardener/internal.h"

struct gardener_cluster {
	const struct gardener_settings *settings;
	const struct kube_objects *objects;
	const struct gardener_flow_server *server; /* may be null with gardenerFlow: downloader */
	bool has_wrong_server;                     /* which was reported */
	sv agent_keys;                             /* gardener_agent_keys */
	struct gardener_flow_given given;
	struct gardener_machines machines;
	unsigned contract; /* the output contract */
	bool secrets_may_be_absent;
	bool makes_provisions; /* gardener_makes_provisions */
};

/* derive.c: a member of struct dialect. */
void gardener_derive(struct arena *arena, const struct dialect_cluster *cluster,
                     struct kube_object_list *ret_units);
/* Returns true if the OSCs of purpose provision that the cluster's flow makes are units. */
bool gardener_makes_provisions(const struct dialect_cluster *cluster);

/* Returns true if the output has a Secret of gardener-node-agent for the OSC. */
bool gardener_is_for_node_agent(const struct gardener_settings *settings,
                                const struct kube_object *osc);

/* The functions of struct dialect. */
enum status gardener_cluster_load(struct arena *secret_arena, struct sink *sink,
                                  const struct dialect_cluster *cluster,
                                  const struct dialect_load *options, const void **ret_loaded);
/* Counts the machines that classes start, if the unit writes these. */
int64_t gardener_cluster_machines(struct arena *arena, const void *loaded,
                                  const struct kube_object *unit);
void gardener_cluster_artifacts(struct arena *arena, const void *loaded,
                                struct artifacts *artifacts);

/* render.c: renders an OSC. */
enum status gardener_render(struct arena *arena, struct sink *sink, const struct dialect_job *job,
                            struct dialect_rendered *ret_rendered);
/* Reports the mistakes of an OSC that cannot be rendered. */
void gardener_check(struct arena *arena, struct sink *sink, const struct dialect_cluster *cluster,
                    const struct kube_object *unit, bool secrets_may_be_absent);

#endif
