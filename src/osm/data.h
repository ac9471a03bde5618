/*
 * Private to osm/: the data of templates.
 */
#ifndef OSM_GEN_OSM_DATA_H
#define OSM_GEN_OSM_DATA_H

#include "osm/cluster.h"
#include "osm/machine.h"
#include "osm/osm.h"

/*
 * The data of templates (docs/spec/templates.md 2), as far as it depends on the MachineDeployment.
 */
struct osm_data {
	sv kube_version;
	struct value bootstrap_kubeconfig;
	bool in_tree_ccm;
	struct value cloud_config;
	struct value provider_name;
	const struct osm_network *network;
	bool external_cloud_provider;
	const struct osm_kubelet *kubelet;
	const struct osm_system *system;
	sv os_name;
	struct value token;
	sv secret_name;
	sv kubeconfig_secret_name;
};
/* Returns the data of templates, a pointer to the Go type resources.filesData. */
struct value osm_data_value(struct arena *arena, const struct osm_cluster *cluster,
                            const struct osm_data *data);
/* Returns addresses as a list of the Go type net.IP. */
struct value osm_data_ips(struct arena *arena, const struct value *texts);

#endif
