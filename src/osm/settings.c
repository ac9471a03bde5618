/*
 * The table of settings: the controller's flags that change the output, and osm-gen's own. Values
 * are checked as the controller checks its flags (docs/spec/containerd.md 2,
 * docs/spec/controller.md 6).
 */
#include "osm/settings.h"
#include "dialect/dialect.h"
#include "golang/golang.h"
#include "osm/machine.h"
#include "osm/osm.h"

static const struct setter_url proxy_url = {
    .schemes = (const char *const[]){"http", "https", "socks5", "socks5h", NULL},
    .problem = "must be a URL of http or https",
    .help = "write it as http://proxy.example.com:3128",
    .scheme_help = "write http:// before the host: apt refuses a proxy without it",
};

/* A password in the name of a registry would be written in clear text. */
#define NO_USER_IN_REGISTRY                                                                        \
	"name the registry alone, and put the credentials into the Secret of "                     \
	"nodeRegistryCredentialsSecret"

static enum status take_cluster_dns(const struct setter *s, const struct value *v, void *ret_list)
{
	struct setter_items items;
	struct value list = value_list_new(s->arena);
	enum status status = setter_take_list(s, v, true, &items);

	if (status != STATUS_OK)
		return status;
	VEC_EACH (item, &items) {
		struct ip ip;

		if (go_ip_parse(item->text.string, &ip))
			value_list_add(s->arena, &list, value_string(go_ip_format(s->arena, &ip)));
		else
			status =
			    setter_report(s, item->at, "not an IP address",
			                  "write addresses such as 10.10.10.10 or fd00::a, without "
			                  "prefix length, zone or leading zeros");
	}
	if (status == STATUS_OK)
		*(struct value *)ret_list = list;
	return status;
}

/* Turns {docker.io: [https://...]}, which only osm-gen.yaml allows, into REGISTRY=URL items. */
static enum status mirrors_of_map(const struct setter *s, const struct value *v,
                                  struct osm_mirrors *mirrors)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; i < value_count(v); i++) {
		const struct value_entry *entry = &v->map->entries[i];
		struct setter_items urls;

		struct value name = value_string(entry->key);

		if (setter_check_host(s, &name, origin_position(entry->key_origin),
		                      NO_USER_IN_REGISTRY) != STATUS_OK ||
		    setter_check_registry(s, &name, origin_position(entry->key_origin)) !=
		        STATUS_OK ||
		    setter_check_items(s, &entry->value, false, setter_check_url) != STATUS_OK ||
		    setter_take_list(s, &entry->value, false, &urls) != STATUS_OK) {
			status = STATUS_FAILED;
			continue;
		}
		VEC_EACH (url, &urls) {
			status |= osm_mirror_check_url(s, &url->text, url->at);
			VEC_PUSH(s->arena, mirrors,
			         (struct osm_mirror){entry->key,
			                             secrecy_taint_userinfo(s->arena, url->text,
			                                                    s->setting->name)});
		}
	}
	return status;
}

static enum status take_mirrors(const struct setter *s, const struct value *v, bool containerd,
                                struct osm_mirrors *ret_mirrors)
{
	struct osm_mirrors mirrors = {0};
	struct setter_items items;
	enum status status = STATUS_OK;

	if (containerd && value_is_map(v)) {
		status = mirrors_of_map(s, v, &mirrors);
	} else {
		if (setter_check_items(s, v, !containerd, osm_mirror_check) != STATUS_OK ||
		    setter_take_list(s, v, !containerd, &items) != STATUS_OK)
			return STATUS_FAILED;
		VEC_EACH (item, &items) {
			struct osm_mirror mirror;

			if (!containerd && sv_empty(item->text.string))
				continue;
			if (osm_mirror_parse(s, &item->text, item->at, containerd, &mirror) ==
			    STATUS_OK)
				VEC_PUSH(s->arena, &mirrors, mirror);
			else
				status = STATUS_FAILED;
		}
	}
	if (status != STATUS_OK)
		return STATUS_FAILED;
	*ret_mirrors = mirrors;
	return STATUS_OK;
}

static enum status take_registry_mirrors(const struct setter *s, const struct value *v,
                                         void *ret_mirrors)
{
	return take_mirrors(s, v, false, ret_mirrors);
}

static enum status take_containerd_mirrors(const struct setter *s, const struct value *v,
                                           void *ret_mirrors)
{
	return take_mirrors(s, v, true, ret_mirrors);
}

static enum status add_default(const struct setter *s, struct osm_default_profiles *defaults,
                               struct osm_default_profile given, struct position os_at)
{
	sv nearest = diag_nearest(given.os_name, osm_os_names, OSM_OS_COUNT);
	bool known = false;

	for (size_t i = 0; i < OSM_OS_COUNT; i++)
		known |= sv_eq(given.os_name, osm_os_names[i]);
	if (!known)
		return setter_report(s, os_at, "no such operating system",
		                     diag_meant(s->arena, nearest,
		                                "use ubuntu, flatcar, rhel, amzn2 or rockylinux"));
	if (!kube_name_valid(given.profile))
		return setter_report(s, given.at, "must be the name of a profile",
		                     "write the OperatingSystemProfile's metadata.name; leave the "
		                     "system out for the usual one");
	VEC_EACH (other, defaults) {
		if (sv_eq(other->os_name, given.os_name))
			return setter_report(s, os_at, "this operating system is named twice",
			                     "leave one of them out");
	}
	VEC_PUSH(s->arena, defaults, given);
	return STATUS_OK;
}

/* Reads {ubuntu: osp-acme}, or "ubuntu=osp-acme,rhel=osp-acme-rhel". */
static enum status take_default_profiles(const struct setter *s, const struct value *v,
                                         void *ret_defaults)
{
	struct osm_default_profiles defaults = {0};
	enum status status = STATUS_OK;

	for (size_t i = 0; value_is_map(v) && i < value_count(v); i++) {
		const struct value_entry *entry = &v->map->entries[i];
		struct osm_default_profile given = {entry->key, value_text(&entry->value),
		                                    value_position(&entry->value)};

		status |= add_default(s, &defaults, given, origin_position(entry->key_origin));
	}
	if (value_is_string(v) && !sv_empty(v->string)) {
		struct sv_splitter it = sv_split(v->string, ',');
		size_t offset = 0;
		sv part;

		while (sv_split_next(&it, &part)) {
			struct osm_default_profile given = {
			    .os_name = part, .at = setter_item_position(v, offset, part.len)};

			(void)sv_cut(part, SV("="), &given.os_name, &given.profile);
			status |= add_default(s, &defaults, given, given.at);
			offset += part.len + 1;
		}
	}
	if (!value_is_map(v) && !value_is_string(v) && !value_is_null(v))
		status = setter_report(s, value_position(v),
		                       "must be a map of operating systems to names of profiles",
		                       "write it as {ubuntu: osp-acme}");
	if (status != STATUS_OK)
		return STATUS_FAILED;
	*(struct osm_default_profiles *)ret_defaults = defaults;
	return STATUS_OK;
}

/* ---- the table ---------------------------------------------------------------------------- */

/* A row: flag, name in osm-gen.yaml, kind, member of struct osm_settings, help, and what it has of
 * the rest. */
#define SETTING(flag_text, name_text, of_kind, member, help_text, ...)                             \
	{                                                                                          \
		.flag = SV_INIT(flag_text), .name = SV_INIT(name_text), .kind = SETTING_##of_kind, \
		SETTING_MEMBER(osm_settings, member), .help = (help_text), __VA_ARGS__             \
	}
#define GIVEN(part) .given = offsetof(struct osm_settings, part)

/* clang-format off */
static const struct setting rows[] = {
	SETTING("bootstrap-token-service-account-name", "bootstrapTokenServiceAccountName", REFERENCE, token_service_account,
		"use the token of this ServiceAccount as bootstrap token",
		.controller = true, .example = "kube-system/node-bootstrapper"),
	SETTING("cluster-dns", "clusterDNS", LIST, cluster_dns,
		"addresses of the cluster's DNS servers",
		.controller = true, .initial = "10.10.10.10", .example = "[\"10.96.0.10\"]",
		.placeholder = "IP,...", .take = take_cluster_dns),
	SETTING("container-runtime", "containerRuntime", WORD, container_runtime,
		"container runtime; must be containerd",
		.controller = true, .initial = "containerd", .example = "containerd",
		.words = "containerd", .problem = "the only container runtime is containerd",
		.remedy = "remove the setting, or set it to containerd"),
	SETTING("device-ownership-from-security-context", "deviceOwnershipFromSecurityContext", BOOL, device_ownership,
		"let containerd set the owner of devices from the container's securityContext",
		.controller = true, .initial = "false", .example = "true"),
	SETTING("disable-default-osps", "disableDefaultOSPs", BOOL, disable_default_osps,
		"do not use the embedded profiles",
		.controller = true, .initial = "false", .example = "true"),
	SETTING("external-cloud-provider", "externalCloudProvider", BOOL, external_cloud_provider,
		"kubelets use an external cloud controller manager",
		.controller = true, .initial = "false", .example = "true"),
	SETTING("host-ca-bundle", "hostCABundle", BUNDLE, host_ca,
		"CA certificates that nodes trust besides those of their operating system",
		.controller = true, .example = "certificates/company.pem"),
	SETTING("initial-taints", "initialTaints", TEXT, initial_taints,
		"taints of new nodes, in the kubelet's syntax",
		.controller = true, .example = "gpu=true:NoSchedule",
		.placeholder = "TAINTS", .check = osm_check_taints),
	SETTING("kubernetes-ca-bundle", "kubernetesCABundle", BUNDLE, kubernetes_ca,
		"the cluster's CA (default: the one of cluster-info)",
		.controller = true, .example = "certificates/cluster.pem"),
	SETTING("namespace", "namespace", NAMESPACE, namespace,
		"namespace of OperatingSystemConfigs and profiles",
		.controller = true, .initial = "kube-system", .example = "kube-system"),
	SETTING("node-containerd-registry-mirrors", "nodeContainerdRegistryMirrors", REPEAT, containerd_mirrors,
		"mirror of a registry, for containerd; may be given many times",
		.controller = true, .may_be_sealed = true, .example = "{\"docker.io\": [\"https://mirror.example\"]}",
		.placeholder = "REGISTRY=URL", .take = take_containerd_mirrors),
	SETTING("node-http-proxy", "nodeHTTPProxy", URL, http_proxy,
		"HTTP and HTTPS proxy of the nodes",
		.controller = true, .may_be_sealed = true, .example = "http://proxy.example:3128",
		.url = &proxy_url),
	SETTING("node-insecure-registries", "nodeInsecureRegistries", LIST, insecure_registries,
		"registries whose certificates are not checked",
		.controller = true, .example = "[\"registry.example:5000\"]",
		.placeholder = "HOST,...", .may_be_empty = true, .user_remedy = NO_USER_IN_REGISTRY,
		.check = setter_check_registry),
	SETTING("node-kubelet-feature-gates", "nodeKubeletFeatureGates", SWITCHES, feature_gates,
		"feature gates of the kubelets",
		.controller = true, .initial = "RotateKubeletServerCertificate=true", .example = "{\"NodeSwap\": true}",
		.placeholder = "NAME=BOOL,...", .take = osm_take_feature_gates),
	SETTING("node-no-proxy", "nodeNoProxy", TEXT, no_proxy,
		"hosts and domains that nodes reach without the proxy",
		.controller = true, .may_be_sealed = true, .initial = ".svc,.cluster.local,localhost,127.0.0.1", .example = ".svc,.cluster.local,localhost,127.0.0.1,10.0.0.0/8",
		.placeholder = "HOSTS", .user_remedy = "write the hosts alone, without user and password",
		.check = osm_check_no_proxy),
	SETTING("node-registry-credentials-secret", "nodeRegistryCredentialsSecret", REFERENCE, registry_credentials_secret,
		"Secret with credentials of image registries",
		.controller = true, .example = "kube-system/registry-credentials"),
	SETTING("node-registry-mirrors", "nodeRegistryMirrors", LIST, registry_mirrors,
		"mirrors of registries; without REGISTRY, of docker.io",
		.controller = true, .may_be_sealed = true, .example = "[\"quay.io=https://mirror.example\"]",
		.placeholder = "[REGISTRY=]URL,...", .take = take_registry_mirrors),
	SETTING("override-bootstrap-kubelet-apiserver", SETTING_API_SERVER, URL, override_api_server,
		"URL of the API server for nodes, instead of the one of cluster-info",
		.controller = true, .may_be_sealed = true, .example = "https://api.example:6443",
		.url = &setter_url_of_server),
	SETTING("pause-image", "pauseImage", IMAGE, pause_image,
		"image of the pause container",
		.controller = true, .example = "registry.example/pause:3.10",
		.user_remedy = NO_USER_IN_REGISTRY),
	SETTING("default-profiles", "defaultProfiles", MAP, default_profiles,
		"profiles, by operating system, for MachineDeployments that do not name a profile",
		.example = "{\"ubuntu\": \"osp-acme\"}",
		.placeholder = "OS=PROFILE,...", .take = take_default_profiles),
	SETTING("empty-subscription", "emptySubscription", BOOL, empty_subscription,
		"on RHEL, write an empty rh_subscription if no subscription is given, as the controller does",
		.initial = "true", .example = "false"),
	SETTING("immutable-secrets", "immutableSecrets", BOOL, immutable_secrets,
		"mark generated Secrets immutable, as the controller does",
		.initial = "true", .example = "false"),
	SETTING("kubernetes-version", "kubernetesVersion", VERSION, kubernetes_version,
		"the version of the control plane, with which kubelets are compared; it changes no output",
		.example = "1.35.2", .known = &osm_kubernetes_known),
	SETTING("machine-deployments", "machineDeployments", WORD, writes_machines,
		"output: write the MachineDeployments into the output, too, to be applied after their Secrets",
		.initial = "input", .example = "output",
		.words = "input|output", .may_be_empty = true, .problem = "must be input or output",
		.remedy = "write output to have the MachineDeployments in the output, or input if somebody else applies them"),
	SETTING("osc", "osc", WORD, osc,
		"secrets in OperatingSystemConfigs: redacted, sealed (the whole object), or redacted with a sealed patch",
		.initial = "redacted", .example = "sealed",
		.words = "redacted|sealed|patch", .problem = "must be redacted, sealed or patch",
		.remedy = "use redacted for objects that can be reviewed, sealed for objects with their secrets, patch for both (with Flux 2.5 and newer)"),
	SETTING("provisioning", "provisioning", WORD, provisioning,
		"the provisioning configuration: whole, in a sealed Secret; or split, into that and a ConfigMap in the clear with the files that hold no secret",
		.initial = "whole", .example = "split",
		GIVEN(provisioning_given), .words = "whole|split", .may_be_empty = true, .problem = "must be whole or split",
		.remedy = "write split to have all files without secrets in a ConfigMap that reviewers and git can compare, or whole to have everything in the Secret"),
	SETTING("replicas", "replicas", WORD, replicas,
		"spec.replicas of MachineDeployments in the output: the manifest's, or left out for an autoscaler",
		.initial = "keep", .example = "omit",
		GIVEN(replicas_given), .words = "keep|omit", .may_be_empty = true, .problem = "must be keep or omit",
		.remedy = "write keep to apply the manifest's number of machines, or omit to leave the number to an autoscaler"),
	SETTING("revision-annotation", "revisionAnnotation", WORD, revision_pins,
		"if spec.template changes and the revision annotation does not: count up from it, or keep it (pin)",
		.initial = "count", .example = "pin",
		.words = "count|pin", .may_be_empty = true, .problem = "must be count or pin",
		.remedy = "write count, or pin where the annotation is always right"),
	SETTING("roll", "roll", WORD, roll,
		"with machineDeployments: output, replace machines when their profile, or any user-data that they would get, changes",
		.initial = "never", .example = "profile",
		GIVEN(roll_given), .words = "never|profile|user-data", .may_be_empty = true, .problem = "must be never, profile or user-data",
		.remedy = "write profile to replace machines when their profile changes, user-data when anything changes that they would get"),
	SETTING("roll-guard", "rollGuard", NUMBER, roll_guard,
		"how many machines may roll by the setting roll in one run without --allow-roll",
		.initial = "10", .example = "20",
		.placeholder = "MACHINES", .most = INT64_MAX, .problem = "must be a number of machines",
		.remedy = "write how many machines may roll in one run, such as 10"),
	SETTING("token-rotation", "tokenRotation", TEXT, token_rotation,
		"change it to derive new bootstrap tokens; daily, weekly or monthly: tokens that expire and are renewed, by the source commit's date",
		.example = "weekly",
		.check = setter_check_rotation),
	SETTING("unreadable-user-data", "unreadableUserData", WORD, unreadable_warns,
		"user-data that a machine cannot read (OSG7031) is an error; or a warning, where osm-gen reads it wrongly",
		.initial = "error", .example = "warning",
		.words = "error|warning", .may_be_empty = true, .problem = "must be error or warning",
		.remedy = "write error, or warning where osm-gen is wrong about what a machine can read"),
	SETTING("user-data-limits", "userDataLimits", LIMITS, user_data_limits,
		"maximum size of user-data, by provider, instead of the limit that osm-gen knows; 0: unlimited",
		.example = "{\"openstack\": 65535}"),
};
/* clang-format on */

const struct setting_table osm_settings_table = {rows, COUNT_OF(rows), sizeof(struct osm_settings)};
