/*
 * The Go types of the data of templates (docs/spec/templates.md 2). Private to osm/.
 */
#ifndef OSM_GEN_OSM_DATA_TYPES_H
#define OSM_GEN_OSM_DATA_TYPES_H

#include "value/type.h"

extern const struct type osm_type_files_data;     /* resources.filesData */
extern const struct type osm_type_files_data_ptr; /* *resources.filesData */
extern const struct type osm_type_kubelet;        /* resources.kubeletConfig, embedded */
extern const struct type osm_type_systems;        /* resources.operatingSystemConfig, embedded */
extern const struct type osm_type_bootstrap;      /* resources.bootstrapConfig, embedded */
extern const struct type osm_type_provider_name;  /* a named string */
extern const struct type osm_type_ip_family;      /* a named string */
extern const struct type osm_type_utility;        /* flatcar.ProvisioningUtility, a named string */
extern const struct type osm_type_network;        /* providerconfig.NetworkConfig */
extern const struct type osm_type_network_ptr;
extern const struct type osm_type_dns;
extern const struct type osm_type_ips;
extern const struct type osm_type_duration; /* metav1.Duration */
extern const struct type osm_type_duration_ptr;
extern const struct type osm_type_amzn2;
extern const struct type osm_type_flatcar;
extern const struct type osm_type_rhel;
extern const struct type osm_type_ubuntu;
extern const struct type osm_type_rocky_linux;

/* Fields of osm_type_files_data, in the order of the Go declaration. */
enum osm_files_data_field {
	DATA_KUBE_VERSION,
	DATA_KUBELET_CONFIGURATION,
	DATA_KUBELET_SYSTEMD_UNIT,
	DATA_BOOTSTRAP_KUBECONFIG,
	DATA_IN_TREE_CCM_AVAILABLE,
	DATA_CNI_VERSION,
	DATA_CLUSTER_DNS_IPS,
	DATA_KUBERNETES_CA_CERT,
	DATA_HOST_CA_CERT,
	DATA_SERVER_ADDRESS,
	DATA_CLOUD_CONFIG,
	DATA_CONTAINER_RUNTIME,
	DATA_CLOUD_PROVIDER_NAME,
	DATA_NETWORK_CONFIG,
	DATA_EXTERNAL_CLOUD_PROVIDER,
	DATA_INITIAL_TAINTS,
	DATA_HTTP_PROXY,
	DATA_NO_PROXY,
	DATA_CONTAINER_RUNTIME_CONFIG,
	DATA_CONTAINER_RUNTIME_AUTH_CONFIG,
	DATA_KUBELET_FEATURE_GATES,
	DATA_RH_SUBSCRIPTION,
	DATA_NETWORK_IP_FAMILY,
	DATA_PAUSE_IMAGE,
	DATA_KUBELET_CONFIG,
	DATA_OPERATING_SYSTEM_CONFIG,
	DATA_BOOTSTRAP_CONFIG,
	DATA_FIELD_COUNT,
};

enum osm_kubelet_field {
	KUBELET_KUBE_RESERVED,
	KUBELET_SYSTEM_RESERVED,
	KUBELET_EVICTION_HARD,
	KUBELET_MAX_PODS,
	KUBELET_CONTAINER_LOG_MAX_SIZE,
	KUBELET_CONTAINER_LOG_MAX_FILES,
	KUBELET_IMAGE_GC_HIGH,
	KUBELET_IMAGE_GC_LOW,
	KUBELET_IMAGE_MINIMUM_GC_AGE,
	KUBELET_IMAGE_MAXIMUM_GC_AGE,
	KUBELET_FIELD_COUNT,
};

enum osm_systems_field {
	SYSTEMS_AMZN2,
	SYSTEMS_FLATCAR,
	SYSTEMS_RHEL,
	SYSTEMS_UBUNTU,
	SYSTEMS_ROCKY_LINUX,
	SYSTEMS_FIELD_COUNT,
};

enum osm_flatcar_field {
	FLATCAR_DISABLE_AUTO_UPDATE,
	FLATCAR_DISABLE_LOCKSMITHD,
	FLATCAR_DISABLE_UPDATE_ENGINE,
	FLATCAR_PROVISIONING_UTILITY,
};

enum osm_rhel_field {
	RHEL_DIST_UPGRADE_ON_BOOT,
	RHEL_SUBSCRIPTION_USER,
	RHEL_SUBSCRIPTION_PASSWORD,
	RHEL_OFFLINE_TOKEN,
	RHEL_ATTACH_SUBSCRIPTION,
	RHEL_USE_SATELLITE,
	RHEL_SATELLITE_SERVER,
	RHEL_ORGANIZATION,
	RHEL_ACTIVATION_KEY,
};

enum osm_bootstrap_field {
	BOOTSTRAP_TOKEN,
	BOOTSTRAP_SERVER_URL,
	BOOTSTRAP_SECRET_NAME,
	BOOTSTRAP_KUBECONFIG_SECRET_NAME,
	BOOTSTRAP_FIELD_COUNT,
};

enum osm_network_field {
	NETWORK_CIDR,
	NETWORK_GATEWAY,
	NETWORK_DNS,
	NETWORK_IP_FAMILY,
	NETWORK_FIELD_COUNT,
};

#endif
