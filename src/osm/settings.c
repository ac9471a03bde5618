/*
 * The settings: the controller's flags that shape output, and osm-gen's own
 * (docs/spec/controller.md 6). One table; how each value is checked is in settings_set.c.
 */
#include "osm/internal.h"

#define SETTING(flag_text, name_text, what, place, help_text, from_controller, initial_text)       \
	{                                                                                          \
		.flag = SV_INIT(flag_text), .name = SV_INIT(name_text), .kind = (what),            \
		.placeholder = (place), .help = (help_text), .controller = (from_controller),      \
		.initial = (initial_text),                                                         \
	}

/* clang-format off */
const struct setting osm_settings_table[OSM_SETTING_COUNT] = {
	SETTING("bootstrap-token-service-account-name", "bootstrapTokenServiceAccountName", SETTING_STRING, "NS/NAME",
		"take bootstrap tokens from this ServiceAccount's token Secret", true, NULL),
	SETTING("cluster-dns", "clusterDNS", SETTING_LIST, "IP,...",
		"addresses of the cluster's DNS", true, "10.10.10.10"),
	SETTING("container-runtime", "containerRuntime", SETTING_STRING, "containerd",
		"container runtime; only containerd", true, "containerd"),
	SETTING("device-ownership-from-security-context", "deviceOwnershipFromSecurityContext", SETTING_BOOL, NULL,
		"let containerd give devices to a container's own user", true, "false"),
	SETTING("disable-default-osps", "disableDefaultOSPs", SETTING_BOOL, NULL,
		"hide the profiles inside the program", true, "false"),
	SETTING("external-cloud-provider", "externalCloudProvider", SETTING_BOOL, NULL,
		"kubelets run with an external cloud controller", true, "false"),
	SETTING("host-ca-bundle", "hostCABundle", SETTING_FILE, "FILE",
		"certificates that nodes trust besides their own", true, NULL),
	SETTING("initial-taints", "initialTaints", SETTING_STRING, "TAINTS",
		"taints of new nodes, as the kubelet takes them", true, NULL),
	SETTING("kubernetes-ca-bundle", "kubernetesCABundle", SETTING_FILE, "FILE",
		"the cluster's CA; else that of cluster-info", true, NULL),
	SETTING("namespace", "namespace", SETTING_STRING, "NAME",
		"namespace of OperatingSystemConfigs and profiles", true, "kube-system"),
	SETTING("node-containerd-registry-mirrors", "nodeContainerdRegistryMirrors", SETTING_REPEAT, "REGISTRY=URL",
		"a registry's mirror for containerd; may be given many times", true, NULL),
	SETTING("node-http-proxy", "nodeHTTPProxy", SETTING_STRING, "URL",
		"proxy for the nodes", true, NULL),
	SETTING("node-insecure-registries", "nodeInsecureRegistries", SETTING_LIST, "HOST,...",
		"registries whose certificates are not checked", true, NULL),
	SETTING("node-kubelet-feature-gates", "nodeKubeletFeatureGates", SETTING_MAP, "NAME=BOOL,...",
		"feature gates of the kubelets", true, "RotateKubeletServerCertificate=true"),
	SETTING("node-no-proxy", "nodeNoProxy", SETTING_STRING, "HOSTS",
		"what nodes reach without the proxy", true, ".svc,.cluster.local,localhost,127.0.0.1"),
	SETTING("node-registry-credentials-secret", "nodeRegistryCredentialsSecret", SETTING_STRING, "NS/NAME",
		"Secret with credentials for registries", true, NULL),
	SETTING("node-registry-mirrors", "nodeRegistryMirrors", SETTING_LIST, "[REGISTRY=]URL,...",
		"mirrors, of docker.io unless they name a registry", true, NULL),
	SETTING("override-bootstrap-kubelet-apiserver", "overrideBootstrapKubeletAPIServer", SETTING_STRING, "URL",
		"API server for nodes, instead of cluster-info's", true, NULL),
	SETTING("pause-image", "pauseImage", SETTING_STRING, "IMAGE",
		"image of the pause container", true, NULL),
	SETTING("default-profiles", "defaultProfiles", SETTING_MAP, "OS=PROFILE,...",
		"profiles of MachineDeployments that name none, by operating system", false, NULL),
	SETTING("empty-subscription", "emptySubscription", SETTING_BOOL, NULL,
		"on RHEL, an empty rh_subscription where none is given, as the controller does", false, "true"),
	SETTING("immutable-secrets", "immutableSecrets", SETTING_BOOL, NULL,
		"mark generated Secrets immutable, as the controller does", false, "true"),
	SETTING("osc", "osc", SETTING_STRING, "redacted|sealed|patch",
		"OperatingSystemConfigs: redacted, sealed with their true text, or redacted with a sealed patch", false, "redacted"),
	SETTING("revision-annotation", "revisionAnnotation", SETTING_STRING, "count|pin",
		"when spec.template changes and the revision annotation does not: count on, or keep to it", false, "count"),
	SETTING("token-rotation", "tokenRotation", SETTING_STRING, "TEXT",
		"change it to get new derived bootstrap tokens; daily, weekly or monthly: new ones with the source commit's date, which expire", false, NULL),
	SETTING("user-data-limits", "userDataLimits", SETTING_MAP, "PROVIDER=BYTES,...",
		"what a provider takes of user-data, where it is not what osm-gen knows; 0: any amount", false, NULL),
};

/* clang-format on */

void osm_settings_init(struct arena *arena, struct osm_settings *settings)
{
	const struct value empty = value_string(SV(""));
	struct value gates = value_map_new(arena);
	struct value dns = value_list_new(arena);

	gates.type = &type_bool_map;
	value_map_set(arena, &gates, SV("RotateKubeletServerCertificate"), value_bool(true));
	value_list_add(arena, &dns, value_string(SV("10.10.10.10")));
	*settings = (struct osm_settings){
	    .namespace = SV("kube-system"),
	    .container_runtime = SV("containerd"),
	    .cluster_dns = dns,
	    .pause_image = empty,
	    .initial_taints = empty,
	    .http_proxy = empty,
	    .no_proxy = value_string(SV(".svc,.cluster.local,localhost,127.0.0.1")),
	    .feature_gates = gates,
	    .insecure_registries = value_list_new(arena),
	    .registry_credentials_secret = empty,
	    .override_api_server = empty,
	    .token_service_account = empty,
	    .kubernetes_ca = empty,
	    .host_ca = empty,
	    .osc = OSM_OSC_REDACTED,
	    .empty_subscription = true,
	    .immutable_secrets = true,
	    .user_data_limits = value_map_new(arena),
	};
}
