/*
 * osm/kubeone: a KubeOneCluster as an input (docs/spec/kubeone.md). KubeOne makes
 * MachineDeployments of its dynamicWorkers and of Terraform's output, and starts the controller
 * with flags that follow from the rest of it. This room makes the same MachineDeployments and
 * settings.
 *
 *   expand.c     the order of the steps
 *   report.c     positions, help and copies that they share
 *   fields.c     the members of each map of a KubeOneCluster
 *   decode.c     checks names and types of members, as KubeOne's strict decoder does
 *   secrets.c    reports encrypted values where output would show them
 *   terraform.c  the members of Terraform's output, which it reads and merges
 *   merge.c      the members of cloudProviderSpecs, which it merges for one worker set
 *   check.c      the rules for worker sets, versions and providers
 *   rules.c      the rules for the rest of the manifest
 *   machine.c    makes the MachineDeployment of a worker set
 *   settings.c   makes the settings
 */
#ifndef OSM_GEN_OSM_KUBEONE_KUBEONE_H
#define OSM_GEN_OSM_KUBEONE_KUBEONE_H

#include "dialect/dialect.h"

#define OSM_KUBEONE_KIND  "KubeOneCluster"
#define OSM_KUBEONE_GROUP "kubeone.k8c.io"

/*
 * Expands a KubeOneCluster (struct dialect, expand). Reports what every release of KubeOne refuses,
 * and warns of what some releases refuse. After a mistake *ret_expanded has what could be made.
 */
void osm_kubeone_expand(struct arena *arena, struct sink *sink,
                        const struct dialect_expansion *expansion,
                        struct dialect_expanded *ret_expanded);

#endif
