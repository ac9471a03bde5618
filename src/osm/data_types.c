/*
 * Descriptors of the Go types of a profile's template data. They decide how values print, compare
 * and are passed to functions (docs/spec/templates.md 2, 2.2), not how they are stored.
 */
#include "osm/data_types.h"

#include "dialect/dialect.h"
#include "golang/golang.h"
#include "tmpl/tmpl.h"

#define FIELD(field_name, field_type)                                                              \
	{                                                                                          \
		.name = SV_INIT(field_name), .type = (field_type), .exported = true                \
	}
#define FIELD_JSON(field_name, field_type, json_name)                                              \
	{                                                                                          \
		.name = SV_INIT(field_name), .type = (field_type), .exported = true,               \
		.json = (json_name)                                                                \
	}
#define FIELD_OMIT(field_name, field_type, json_name)                                              \
	{                                                                                          \
		.name = SV_INIT(field_name), .type = (field_type), .exported = true,               \
		.json = (json_name), .json_omitempty = true                                        \
	}
#define EMBEDDED(field_name, field_type)                                                           \
	{                                                                                          \
		.name = SV_INIT(field_name), .type = (field_type), .embedded = true,               \
		.json_inline = true                                                                \
	}
#define STRUCT(variable, type_name, table)                                                         \
	const struct type variable = {.kind = KIND_STRUCT,                                         \
	                              .name = SV_INIT(type_name),                                  \
	                              .fields = (table),                                           \
	                              .field_count = COUNT_OF(table)}
#define POINTER(variable, type_name, target)                                                       \
	const struct type variable = {                                                             \
	    .kind = KIND_POINTER, .name = SV_INIT(type_name), .elem = (target)}
#define METHODS(table) .methods = (table), .method_count = COUNT_OF(table)

/* ---- named strings ----------------------------------------------------------------------- */

const struct type osm_type_provider_name = {.kind = KIND_STRING,
                                            .name = SV_INIT("v1alpha1.CloudProvider")};

static bool is_dual_stack(sv family)
{
	return sv_eq(family, SV("IPv4+IPv6")) || sv_eq(family, SV("IPv6+IPv4"));
}

static enum status family_is_dual_stack(struct tmpl_call *call)
{
	return tmpl_return_bool(call, is_dual_stack(call->receiver->string));
}

/* No family stands for IPv4. */
static enum status family_has_ipv4(struct tmpl_call *call)
{
	sv family = call->receiver->string;

	return tmpl_return_bool(call, sv_empty(family) || sv_eq(family, SV("IPv4")) ||
	                                  is_dual_stack(family));
}

static enum status family_has_ipv6(struct tmpl_call *call)
{
	sv family = call->receiver->string;

	return tmpl_return_bool(call, sv_eq(family, SV("IPv6")) || is_dual_stack(family));
}

static const struct type_method family_methods[] = {
    {"HasIPv4", ">b", family_has_ipv4},
    {"HasIPv6", ">b", family_has_ipv6},
    {"IsDualstack", ">b", family_is_dual_stack},
};
const struct type osm_type_ip_family = {
    .kind = KIND_STRING, .name = SV_INIT("net.IPFamily"), METHODS(family_methods)};
const struct type osm_type_utility = {.kind = KIND_STRING,
                                      .name = SV_INIT("flatcar.ProvisioningUtility")};

/* ---- addresses --------------------------------------------------------------------------- */

const struct type osm_type_ips = {
    .kind = KIND_SLICE, .name = SV_INIT("[]net.IP"), .elem = &type_ip};

/* ---- durations --------------------------------------------------------------------------- */

static int64_t nanoseconds_of(const struct value *v)
{
	return value_is(v, KIND_POINTER) ? nanoseconds_of(v->target) : v->fields[0].integer;
}

/* COMPAT: the generated String method of the API type's pointer hides that of the time inside. */
static sv duration_to_string(struct arena *arena, const struct value *v)
{
	if (!v->target)
		return SV("nil");
	return arena_printf(arena, "&Duration{Duration:%.*s,}",
	                    SV_ARG(go_duration_format(arena, nanoseconds_of(v))));
}

static sv duration_to_json(struct arena *arena, const struct value *v)
{
	return go_duration_format(arena, nanoseconds_of(v));
}

/* The methods of the embedded time.Duration are promoted. */
static const struct type_method duration_pointer_methods[] = {
    {"String", ">s", tmpl_method_string},
};
static const struct type_field duration_fields[] = {
    {
        .name = SV_INIT("Duration"),
        .type = &type_duration,
        .embedded = true,
        .exported = true,
        .json_inline = true,
    },
};
const struct type osm_type_duration = {.kind = KIND_STRUCT,
                                       .name = SV_INIT("v1.Duration"),
                                       .fields = duration_fields,
                                       .field_count = COUNT_OF(duration_fields),
                                       .to_json = duration_to_json};
const struct type osm_type_duration_ptr = {.kind = KIND_POINTER,
                                           .name = SV_INIT("*v1.Duration"),
                                           .elem = &osm_type_duration,
                                           METHODS(duration_pointer_methods),
                                           .to_string = duration_to_string};

/* ---- network ----------------------------------------------------------------------------- */

static const struct type_field dns_fields[] = {
    FIELD_JSON("Servers", &type_string_list, "servers"),
};
STRUCT(osm_type_dns, "providerconfig.DNSConfig", dns_fields);

static const struct type_field network_fields[] = {
    [NETWORK_CIDR] = FIELD_JSON("CIDR", &type_string, "cidr"),
    [NETWORK_GATEWAY] = FIELD_JSON("Gateway", &type_string, "gateway"),
    [NETWORK_DNS] = FIELD_JSON("DNS", &osm_type_dns, "dns"),
    [NETWORK_IP_FAMILY] = FIELD_OMIT("IPFamily", &osm_type_ip_family, "ipFamily"),
};
STRUCT(osm_type_network, "providerconfig.NetworkConfig", network_fields);

/* Both methods take a nil pointer. */
static enum status network_is_static(struct tmpl_call *call)
{
	const struct value *network = call->receiver->target;

	return tmpl_return_bool(call,
	                        network && (network->fields[NETWORK_CIDR].string.len > 0 ||
	                                    network->fields[NETWORK_GATEWAY].string.len > 0 ||
	                                    value_count(&network->fields[NETWORK_DNS].fields[0])));
}

static enum status network_ip_family(struct tmpl_call *call)
{
	const struct value *network = call->receiver->target;
	struct value family = {.type = &osm_type_ip_family};

	return tmpl_return(call, network ? network->fields[NETWORK_IP_FAMILY] : family);
}

static const struct type_method network_methods[] = {
    {"IsStaticIPConfig", ">b", network_is_static},
    {"GetIPFamily", ">v", network_ip_family},
};
const struct type osm_type_network_ptr = {.kind = KIND_POINTER,
                                          .name = SV_INIT("*providerconfig.NetworkConfig"),
                                          .elem = &osm_type_network,
                                          METHODS(network_methods)};

/* ---- operating systems ------------------------------------------------------------------- */

static const struct type_field upgrade_fields[] = {
    FIELD_JSON("DistUpgradeOnBoot", &type_bool, "distUpgradeOnBoot"),
};
STRUCT(osm_type_amzn2, "amzn2.Config", upgrade_fields);
STRUCT(osm_type_ubuntu, "ubuntu.Config", upgrade_fields);
STRUCT(osm_type_rocky_linux, "rockylinux.Config", upgrade_fields);

static const struct type_field flatcar_fields[] = {
    [FLATCAR_DISABLE_AUTO_UPDATE] =
        FIELD_JSON("DisableAutoUpdate", &type_bool, "disableAutoUpdate"),
    [FLATCAR_DISABLE_LOCKSMITHD] = FIELD_JSON("DisableLocksmithD", &type_bool, "disableLocksmithD"),
    [FLATCAR_DISABLE_UPDATE_ENGINE] =
        FIELD_JSON("DisableUpdateEngine", &type_bool, "disableUpdateEngine"),
    [FLATCAR_PROVISIONING_UTILITY] =
        FIELD_OMIT("ProvisioningUtility", &osm_type_utility, "provisioningUtility"),
};
STRUCT(osm_type_flatcar, "flatcar.Config", flatcar_fields);

static const struct type_field rhel_fields[] = {
    [RHEL_DIST_UPGRADE_ON_BOOT] = FIELD_JSON("DistUpgradeOnBoot", &type_bool, "distUpgradeOnBoot"),
    [RHEL_SUBSCRIPTION_USER] =
        FIELD_OMIT("RHELSubscriptionManagerUser", &type_string, "rhelSubscriptionManagerUser"),
    [RHEL_SUBSCRIPTION_PASSWORD] = FIELD_OMIT("RHELSubscriptionManagerPassword", &type_string,
                                              "rhelSubscriptionManagerPassword"),
    [RHEL_OFFLINE_TOKEN] = FIELD_OMIT("RHSMOfflineToken", &type_string, "rhsmOfflineToken"),
    [RHEL_ATTACH_SUBSCRIPTION] = FIELD_JSON("AttachSubscription", &type_bool, "attachSubscription"),
    [RHEL_USE_SATELLITE] =
        FIELD_JSON("RHELUseSatelliteServer", &type_bool, "rhelUseSatelliteServer"),
    [RHEL_SATELLITE_SERVER] =
        FIELD_JSON("RHELSatelliteServer", &type_string, "rhelSatelliteServer"),
    [RHEL_ORGANIZATION] = FIELD_JSON("RHELOrganizationName", &type_string, "rhelOrganizationName"),
    [RHEL_ACTIVATION_KEY] = FIELD_JSON("RHELActivationKey", &type_string, "rhelActivationKey"),
};
STRUCT(osm_type_rhel, "rhel.Config", rhel_fields);

static const struct type_field systems_fields[] = {
    [SYSTEMS_AMZN2] = FIELD("AmazonLinuxConfig", &osm_type_amzn2),
    [SYSTEMS_FLATCAR] = FIELD("FlatcarConfig", &osm_type_flatcar),
    [SYSTEMS_RHEL] = FIELD("RhelConfig", &osm_type_rhel),
    [SYSTEMS_UBUNTU] = FIELD("UbuntuConfig", &osm_type_ubuntu),
    [SYSTEMS_ROCKY_LINUX] = FIELD("RockyLinuxConfig", &osm_type_rocky_linux),
};
STRUCT(osm_type_systems, "resources.operatingSystemConfig", systems_fields);

/* ---- the whole --------------------------------------------------------------------------- */

static const struct type_field kubelet_fields[] = {
    [KUBELET_KUBE_RESERVED] = FIELD("KubeReserved", &type_string_map_ptr),
    [KUBELET_SYSTEM_RESERVED] = FIELD("SystemReserved", &type_string_map_ptr),
    [KUBELET_EVICTION_HARD] = FIELD("EvictionHard", &type_string_map_ptr),
    [KUBELET_MAX_PODS] = FIELD("MaxPods", &type_int32_ptr),
    [KUBELET_CONTAINER_LOG_MAX_SIZE] = FIELD("ContainerLogMaxSize", &type_string_ptr),
    [KUBELET_CONTAINER_LOG_MAX_FILES] = FIELD("ContainerLogMaxFiles", &type_string_ptr),
    [KUBELET_IMAGE_GC_HIGH] = FIELD("ImageGCHighThresholdPercent", &type_int32_ptr),
    [KUBELET_IMAGE_GC_LOW] = FIELD("ImageGCLowThresholdPercent", &type_int32_ptr),
    [KUBELET_IMAGE_MINIMUM_GC_AGE] = FIELD("ImageMinimumGCAge", &osm_type_duration_ptr),
    [KUBELET_IMAGE_MAXIMUM_GC_AGE] = FIELD("ImageMaximumGCAge", &osm_type_duration_ptr),
};
STRUCT(osm_type_kubelet, "resources.kubeletConfig", kubelet_fields);

static const struct type_field bootstrap_fields[] = {
    [BOOTSTRAP_TOKEN] = FIELD("Token", &type_string),
    [BOOTSTRAP_SERVER_URL] = FIELD("ServerURL", &type_string),
    [BOOTSTRAP_SECRET_NAME] = FIELD("SecretName", &type_string),
    [BOOTSTRAP_KUBECONFIG_SECRET_NAME] = FIELD("BootstrapKubeconfigSecretName", &type_string),
};
STRUCT(osm_type_bootstrap, "resources.bootstrapConfig", bootstrap_fields);

static const struct type_field files_data_fields[] = {
    [DATA_KUBE_VERSION] = FIELD("KubeVersion", &type_string),
    [DATA_KUBELET_CONFIGURATION] = FIELD("KubeletConfiguration", &type_string),
    [DATA_KUBELET_SYSTEMD_UNIT] = FIELD("KubeletSystemdUnit", &type_string),
    [DATA_BOOTSTRAP_KUBECONFIG] = FIELD("BootstrapKubeconfig", &type_string),
    [DATA_IN_TREE_CCM_AVAILABLE] = FIELD("InTreeCCMAvailable", &type_bool),
    [DATA_CNI_VERSION] = FIELD("CNIVersion", &type_string),
    [DATA_CLUSTER_DNS_IPS] = FIELD("ClusterDNSIPs", &osm_type_ips),
    [DATA_KUBERNETES_CA_CERT] = FIELD("KubernetesCACert", &type_string),
    [DATA_HOST_CA_CERT] = FIELD("HostCACert", &type_string),
    [DATA_SERVER_ADDRESS] = FIELD("ServerAddress", &type_string),
    [DATA_CLOUD_CONFIG] = FIELD("CloudConfig", &type_string),
    [DATA_CONTAINER_RUNTIME] = FIELD("ContainerRuntime", &type_string),
    [DATA_CLOUD_PROVIDER_NAME] = FIELD("CloudProviderName", &osm_type_provider_name),
    [DATA_NETWORK_CONFIG] = FIELD("NetworkConfig", &osm_type_network_ptr),
    [DATA_EXTERNAL_CLOUD_PROVIDER] = FIELD("ExternalCloudProvider", &type_bool),
    [DATA_INITIAL_TAINTS] = FIELD("InitialTaints", &type_string),
    [DATA_HTTP_PROXY] = FIELD("HTTPProxy", &type_string_ptr),
    [DATA_NO_PROXY] = FIELD("NoProxy", &type_string_ptr),
    [DATA_CONTAINER_RUNTIME_CONFIG] = FIELD("ContainerRuntimeConfig", &type_string),
    [DATA_CONTAINER_RUNTIME_AUTH_CONFIG] = FIELD("ContainerRuntimeAuthConfig", &type_string),
    [DATA_KUBELET_FEATURE_GATES] = FIELD("KubeletFeatureGates", &type_bool_map),
    [DATA_RH_SUBSCRIPTION] = FIELD("RHSubscription", &type_string_map),
    [DATA_NETWORK_IP_FAMILY] = FIELD("NetworkIPFamily", &type_string),
    [DATA_PAUSE_IMAGE] = FIELD("PauseImage", &type_string),
    [DATA_KUBELET_CONFIG] = EMBEDDED("kubeletConfig", &osm_type_kubelet),
    [DATA_OPERATING_SYSTEM_CONFIG] = EMBEDDED("operatingSystemConfig", &osm_type_systems),
    [DATA_BOOTSTRAP_CONFIG] = EMBEDDED("bootstrapConfig", &osm_type_bootstrap),
};
STRUCT(osm_type_files_data, "resources.filesData", files_data_fields);
POINTER(osm_type_files_data_ptr, "*resources.filesData", &osm_type_files_data);
