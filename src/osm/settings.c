/*
 * The table of settings: the controller's flags that change the output, and osm-gen's own
 * (docs/spec/controller.md 6). settings_set.c checks their values.
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
		"use the token of this ServiceAccount as bootstrap token", true, NULL),
	SETTING("cluster-dns", "clusterDNS", SETTING_LIST, "IP,...",
		"addresses of the cluster's DNS servers", true, "10.10.10.10"),
	SETTING("container-runtime", "containerRuntime", SETTING_STRING, "containerd",
		"container runtime; must be containerd", true, "containerd"),
	SETTING("device-ownership-from-security-context", "deviceOwnershipFromSecurityContext", SETTING_BOOL, NULL,
		"let containerd set the owner of devices from the container's securityContext", true, "false"),
	SETTING("disable-default-osps", "disableDefaultOSPs", SETTING_BOOL, NULL,
		"do not use the embedded profiles", true, "false"),
	SETTING("external-cloud-provider", "externalCloudProvider", SETTING_BOOL, NULL,
		"kubelets use an external cloud controller manager", true, "false"),
	SETTING("host-ca-bundle", "hostCABundle", SETTING_FILE, "FILE",
		"CA certificates that nodes trust besides those of their operating system", true, NULL),
	SETTING("initial-taints", "initialTaints", SETTING_STRING, "TAINTS",
		"taints of new nodes, in the kubelet's syntax", true, NULL),
	SETTING("kubernetes-ca-bundle", "kubernetesCABundle", SETTING_FILE, "FILE",
		"the cluster's CA (default: the one of cluster-info)", true, NULL),
	SETTING("namespace", "namespace", SETTING_STRING, "NAME",
		"namespace of OperatingSystemConfigs and profiles", true, "kube-system"),
	SETTING("node-containerd-registry-mirrors", "nodeContainerdRegistryMirrors", SETTING_REPEAT, "REGISTRY=URL",
		"mirror of a registry, for containerd; may be given many times", true, NULL),
	SETTING("node-http-proxy", "nodeHTTPProxy", SETTING_STRING, "URL",
		"HTTP and HTTPS proxy of the nodes", true, NULL),
	SETTING("node-insecure-registries", "nodeInsecureRegistries", SETTING_LIST, "HOST,...",
		"registries whose certificates are not checked", true, NULL),
	SETTING("node-kubelet-feature-gates", "nodeKubeletFeatureGates", SETTING_MAP, "NAME=BOOL,...",
		"feature gates of the kubelets", true, "RotateKubeletServerCertificate=true"),
	SETTING("node-no-proxy", "nodeNoProxy", SETTING_STRING, "HOSTS",
		"hosts and domains that nodes reach without the proxy", true, ".svc,.cluster.local,localhost,127.0.0.1"),
	SETTING("node-registry-credentials-secret", "nodeRegistryCredentialsSecret", SETTING_STRING, "NS/NAME",
		"Secret with credentials of image registries", true, NULL),
	SETTING("node-registry-mirrors", "nodeRegistryMirrors", SETTING_LIST, "[REGISTRY=]URL,...",
		"mirrors of registries; without REGISTRY, of docker.io", true, NULL),
	SETTING("override-bootstrap-kubelet-apiserver", "overrideBootstrapKubeletAPIServer", SETTING_STRING, "URL",
		"URL of the API server for nodes, instead of the one of cluster-info", true, NULL),
	SETTING("pause-image", "pauseImage", SETTING_STRING, "IMAGE",
		"image of the pause container", true, NULL),
	SETTING("default-profiles", "defaultProfiles", SETTING_MAP, "OS=PROFILE,...",
		"profiles, by operating system, for MachineDeployments that do not name a profile", false, NULL),
	SETTING("empty-subscription", "emptySubscription", SETTING_BOOL, NULL,
		"on RHEL, write an empty rh_subscription if no subscription is given, as the controller does", false, "true"),
	SETTING("immutable-secrets", "immutableSecrets", SETTING_BOOL, NULL,
		"mark generated Secrets immutable, as the controller does", false, "true"),
	SETTING("osc", "osc", SETTING_STRING, "redacted|sealed|patch",
		"secrets in OperatingSystemConfigs: redacted, sealed (the whole object), or redacted with a sealed patch", false, "redacted"),
	SETTING("revision-annotation", "revisionAnnotation", SETTING_STRING, "count|pin",
		"if spec.template changes and the revision annotation does not: count up from it, or keep it (pin)", false, "count"),
	SETTING("token-rotation", "tokenRotation", SETTING_STRING, "TEXT",
		"change it to derive new bootstrap tokens; daily, weekly or monthly: tokens that expire and are renewed, by the source commit's date", false, NULL),
	SETTING("user-data-limits", "userDataLimits", SETTING_MAP, "PROVIDER=BYTES,...",
		"maximum size of user-data, by provider, instead of the limit that osm-gen knows; 0: unlimited", false, NULL),
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
	    .registry_credentials_secret = {.text = empty},
	    .override_api_server = empty,
	    .token_service_account = {.text = empty},
	    .kubernetes_ca = empty,
	    .host_ca = empty,
	    .osc = OSM_OSC_REDACTED,
	    .empty_subscription = true,
	    .immutable_secrets = true,
	    .user_data_limits = value_map_new(arena),
	};
}
