/*
 * Delivery: checks the settings against the output, and writes the Flux Kustomizations and Argo CD
 * ApplicationSets that apply it. tree/delivery.h makes these objects.
 */
#ifndef OSM_GEN_RUN_CLUSTERS_DELIVERY_H
#define OSM_GEN_RUN_CLUSTERS_DELIVERY_H

#include "run/clusters/completion.h"

static inline bool run_is_self_managed(const struct fleet_cluster *cluster)
{
	return sv_eq(cluster->management_cluster, SV(FLEET_OWN_MANAGEMENT));
}

/* Returns true if the output has the Namespace, should objects of the management side need it. */
bool run_makes_namespace(const struct fleet_cluster *cluster, sv namespace);
/* Adds the Namespaces of the management side, if the settings ask for them. */
MUST_CHECK enum status run_add_namespaces(struct run_completion *c);
/*
 * Puts the applier's objects: one a folder for Flux, one a cluster for Argo CD. Without the seed
 * they are only compared.
 */
MUST_CHECK enum status run_put_delivery(struct run_completion *c);
/*
 * Puts the kustomizations that list the clusters of each management cluster. Call it after
 * run_put_delivery of all clusters.
 */
MUST_CHECK enum status run_put_delivery_lists(const struct run_env *env, const struct plan *plan,
                                              struct run_writer *writer,
                                              struct run_rendered *rendered);

/*
 * delivery_change.c: adds the fields of an object of the applier that differ from those of the
 * previous output to run_rendered.delivery. Without the seed those are left out that depend on what
 * is sealed.
 */
MUST_CHECK enum status run_compare_delivery(struct run_completion *c, const struct value *object);

#endif
