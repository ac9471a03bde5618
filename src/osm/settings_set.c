/*
 * The table of settings: the controller's flags that change the output, and osm-gen's own. Values
 * are checked as the controller checks its flags (docs/spec/containerd.md 2,
 * docs/spec/controller.md 6).
 */
#include "dialect/dialect.h"
#include "golang/golang.h"
#include "osm/machine.h"
#include "osm/osm.h"
#include "osm/settings.h"

static struct osm_settings *own(const struct setter *s)
{
	return s->settings;
}

/* Defines a setter that takes the value as it is for a member. */
#define TAKES(function, take, member)                                                              \
	static enum status function(const struct setter *s, const struct value *v)                 \
	{                                                                                          \
		return take(s, v, &own(s)->member);                                                \
	}

TAKES(set_external, setter_take_bool, external_cloud_provider)
TAKES(set_disable_osps, setter_take_bool, disable_default_osps)
TAKES(set_device_ownership, setter_take_bool, device_ownership)
TAKES(set_empty_subscription, setter_take_bool, empty_subscription)
TAKES(set_immutable, setter_take_bool, immutable_secrets)
TAKES(set_initial_taints, osm_take_taints, initial_taints)
TAKES(set_feature_gates, osm_take_feature_gates, feature_gates)
TAKES(set_token_rotation, setter_take_rotation, token_rotation)
TAKES(set_override_api_server, setter_take_server, override_api_server)
TAKES(set_credentials_secret, setter_take_reference, registry_credentials_secret)
TAKES(set_token_account, setter_take_reference, token_service_account)
TAKES(set_kubernetes_ca, setter_take_bundle, kubernetes_ca)
TAKES(set_host_ca, setter_take_bundle, host_ca)
TAKES(set_user_data_limits, setter_take_limits, user_data_limits)

static enum status set_http_proxy(const struct setter *s, const struct value *v)
{
	static const char *const schemes[] = {"http", "https", "socks5", "socks5h", NULL};
	static const struct setter_url form = {
	    .schemes = schemes,
	    .problem = "must be a URL of http or https",
	    .help = "write it as http://proxy.example.com:3128",
	    .scheme_help = "write http:// before the host: apt refuses a proxy without it",
	};

	return setter_take_url(s, v, &form, &own(s)->http_proxy);
}

static enum status set_no_proxy(const struct setter *s, const struct value *v)
{
	if (setter_check_host(s, v, value_position(v),
	                      "write the hosts alone, without user and "
	                      "password") != STATUS_OK ||
	    setter_take_text(s, v, &own(s)->no_proxy) != STATUS_OK)
		return STATUS_FAILED;
	osm_check_no_proxy(s, v);
	return STATUS_OK;
}

/* Reports a password in the name of a registry, which is written in clear text. */
static enum status check_no_password(const struct setter *s, const struct value *name,
                                     struct position at)
{
	return setter_check_host(s, name, at,
	                         "name the registry alone, and put the credentials into the Secret "
	                         "of nodeRegistryCredentialsSecret");
}

static enum status check_registry(const struct setter *s, const struct value *name,
                                  struct position at)
{
	if (check_no_password(s, name, at) != STATUS_OK)
		return STATUS_FAILED;
	return setter_check_registry(s, name, at);
}

static enum status set_namespace(const struct setter *s, const struct value *v)
{
	struct value text;

	if (setter_take_text(s, v, &text) != STATUS_OK)
		return STATUS_FAILED;
	if (!kube_name_valid(text.string) || text.string.len > 63 ||
	    sv_find_char(text.string, '.') != SV_NPOS)
		return setter_report(
		    s, value_position(v), "must be the name of a namespace",
		    "use at most 63 of a-z, 0-9 and -, beginning and ending with a letter or "
		    "digit");
	own(s)->namespace = text.string;
	return STATUS_OK;
}

static enum status set_container_runtime(const struct setter *s, const struct value *v)
{
	struct value text;

	if (setter_take_text(s, v, &text) != STATUS_OK)
		return STATUS_FAILED;
	if (!sv_eq_cstr(text.string, "containerd"))
		return setter_report(s, value_position(v),
		                     "the only container runtime is containerd",
		                     "remove the setting, or set it to containerd");
	own(s)->container_runtime = text.string;
	return STATUS_OK;
}

static enum status set_cluster_dns(const struct setter *s, const struct value *v)
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
		own(s)->cluster_dns = list;
	return status;
}

static enum status set_pause_image(const struct setter *s, const struct value *v)
{
	sv text = value_text(v);
	size_t digest = sv_rfind_char(text, '@');
	struct value name = value_string(text);

	if (sv_starts_with(sv_from_offset(text, digest), SV("@sha")))
		name.string = sv_slice(text, 0, digest);
	if (check_no_password(s, &name, value_position(v)) != STATUS_OK)
		return STATUS_FAILED;
	return setter_take_image(s, v, &own(s)->pause_image);
}

static enum status set_insecure(const struct setter *s, const struct value *v)
{
	struct setter_items items;
	struct value list = value_list_new(s->arena);

	enum status status = STATUS_OK;

	/* First: the warning of a variable shows the line. */
	if (setter_check_items(s, v, true, check_no_password) != STATUS_OK ||
	    setter_take_list(s, v, true, &items) != STATUS_OK)
		return STATUS_FAILED;
	VEC_EACH (item, &items) {
		if (sv_empty(item->text.string))
			continue;
		status |= setter_check_registry(s, &item->text, item->at);
		value_list_add(s->arena, &list, item->text);
	}
	if (status != STATUS_OK)
		return STATUS_FAILED;
	own(s)->insecure_registries = list;
	return STATUS_OK;
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

		if (check_registry(s, &name, origin_position(entry->key_origin)) != STATUS_OK ||
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

static enum status set_mirrors(const struct setter *s, const struct value *v, bool containerd,
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

static enum status set_registry_mirrors(const struct setter *s, const struct value *v)
{
	return set_mirrors(s, v, false, &own(s)->registry_mirrors);
}

static enum status set_containerd_mirrors(const struct setter *s, const struct value *v)
{
	return set_mirrors(s, v, true, &own(s)->containerd_mirrors);
}

static enum status set_osc(const struct setter *s, const struct value *v)
{
	static const char *const words[] = {"redacted", "sealed", "patch"};
	static const struct setter_words taken = {
	    .words = words,
	    .count = COUNT_OF(words),
	    .problem = "must be redacted, sealed or patch",
	    .help = "use redacted for objects that can be reviewed, sealed for objects with their "
	            "secrets, patch for both (with Flux 2.5 and newer)",
	};
	size_t index;

	if (setter_take_word(s, v, &taken, &index) != STATUS_OK)
		return STATUS_FAILED;
	own(s)->osc = (enum osm_osc_form)index;
	return STATUS_OK;
}

/* Takes one of two words; an unset value is the first. Sets *ret_second if it is the second. */
static enum status take_either(const struct setter *s, const struct value *v,
                               const char *const words[2], const char *problem, const char *help,
                               bool *ret_second)
{
	const struct setter_words taken = {words, 2, problem, help, true};
	size_t index;

	if (setter_take_word(s, v, &taken, &index) != STATUS_OK)
		return STATUS_FAILED;
	*ret_second = index == 1;
	return STATUS_OK;
}

static enum status set_revision_annotation(const struct setter *s, const struct value *v)
{
	return take_either(s, v, (const char *const[]){"count", "pin"}, "must be count or pin",
	                   "write count, or pin where the annotation is always right",
	                   &own(s)->revision_pins);
}

static enum status set_machine_deployments(const struct setter *s, const struct value *v)
{
	return take_either(s, v, (const char *const[]){"input", "output"},
	                   "must be input or output",
	                   "write output to have the MachineDeployments in the output, or input if "
	                   "somebody else applies them",
	                   &own(s)->writes_machines);
}

static enum status set_replicas(const struct setter *s, const struct value *v)
{
	static const char *const words[] = {"", "keep", "omit"};
	static const struct setter_words taken = {
	    .words = words,
	    .count = COUNT_OF(words),
	    .problem = "must be keep or omit",
	    .help = "write keep to apply the manifest's number of machines, or omit to leave the "
	            "number to an autoscaler",
	    .takes_empty = true,
	};
	size_t index;

	if (setter_take_word(s, v, &taken, &index) != STATUS_OK)
		return STATUS_FAILED;
	own(s)->replicas = (enum osm_replicas)index;
	return STATUS_OK;
}

static enum status set_unreadable(const struct setter *s, const struct value *v)
{
	return take_either(
	    s, v, (const char *const[]){"error", "warning"}, "must be error or warning",
	    "write error, or warning where osm-gen is wrong about what a machine can read",
	    &own(s)->unreadable_warns);
}

static enum status set_roll(const struct setter *s, const struct value *v)
{
	static const char *const words[] = {"never", "profile", "user-data"};
	static const struct setter_words taken = {
	    .words = words,
	    .count = COUNT_OF(words),
	    .problem = "must be never, profile or user-data",
	    .help = "write profile to replace machines when their profile changes, user-data when "
	            "anything changes that they would get",
	    .takes_empty = true,
	};
	size_t index;

	if (setter_take_word(s, v, &taken, &index) != STATUS_OK)
		return STATUS_FAILED;
	own(s)->roll = (enum osm_roll)index;
	own(s)->roll_at = value_position(v);
	return STATUS_OK;
}

static enum status set_roll_guard(const struct setter *s, const struct value *v)
{
	int64_t number = -1;

	if (value_is(v, KIND_INT64))
		number = v->integer;
	else if (value_is_null(v))
		number = OSM_ROLL_GUARD;
	else if (value_is_string(v) && !sv_parse_int64(v->string, &number))
		number = -1;
	if (number < 0)
		return setter_report(s, value_position(v), "must be a number of machines",
		                     "write how many machines may roll in one run, such as 10");
	own(s)->roll_guard = number;
	return STATUS_OK;
}

/* ---- defaultProfiles --------------------------------------------------------------------- */

static enum status add_default(const struct setter *s, struct osm_default_profiles *defaults,
                               struct osm_default_profile given, struct position os_at)
{
	sv nearest = diag_nearest(given.os_name, osm_os_names, OSM_OS_COUNT);
	bool known = false;

	for (size_t i = 0; i < OSM_OS_COUNT; i++)
		known |= sv_eq(given.os_name, osm_os_names[i]);
	if (!known)
		return setter_report(
		    s, os_at, "no such operating system",
		    sv_empty(nearest)
		        ? "use ubuntu, flatcar, rhel, amzn2 or rockylinux"
		        : arena_cstr(s->arena, arena_printf(s->arena, "did you mean \"%.*s\"?",
		                                            SV_ARG(nearest))));
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
static enum status set_default_profiles(const struct setter *s, const struct value *v)
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
	own(s)->default_profiles = defaults;
	return STATUS_OK;
}

static enum status set_kubernetes_version(const struct setter *s, const struct value *v)
{
	return setter_take_version(s, v, &own(s)->kubernetes_version);
}

/* ---- the table ---------------------------------------------------------------------------- */

#define SETTING(flag_text, name_text, what, setter, place, help_text, from_controller,             \
                initial_text, example_text)                                                        \
	{                                                                                          \
		.flag = SV_INIT(flag_text), .name = SV_INIT(name_text), .kind = (what),            \
		.placeholder = (place), .help = (help_text), .controller = (from_controller),      \
		.initial = (initial_text), .example = (example_text), .set = (setter),             \
	}

/* A setting of the controller that may be sealed. */
#define SEALABLE(flag_text, name_text, what, setter, place, help_text, initial_text, example_text) \
	{                                                                                          \
		.flag = SV_INIT(flag_text), .name = SV_INIT(name_text), .kind = (what),            \
		.placeholder = (place), .help = (help_text), .controller = true,                   \
		.initial = (initial_text), .example = (example_text), .may_be_sealed = true,       \
		.set = (setter),                                                                   \
	}

/* clang-format off */
const struct setting osm_settings_table[OSM_SETTING_COUNT] = {
	SETTING("bootstrap-token-service-account-name", "bootstrapTokenServiceAccountName", SETTING_STRING, set_token_account, "NS/NAME",
		"use the token of this ServiceAccount as bootstrap token", true, NULL, "kube-system/node-bootstrapper"),
	SETTING("cluster-dns", "clusterDNS", SETTING_LIST, set_cluster_dns, "IP,...",
		"addresses of the cluster's DNS servers", true, "10.10.10.10", "[\"10.96.0.10\"]"),
	SETTING("container-runtime", "containerRuntime", SETTING_STRING, set_container_runtime, "containerd",
		"container runtime; must be containerd", true, "containerd", "containerd"),
	SETTING("device-ownership-from-security-context", "deviceOwnershipFromSecurityContext", SETTING_BOOL, set_device_ownership, NULL,
		"let containerd set the owner of devices from the container's securityContext", true, "false", "true"),
	SETTING("disable-default-osps", "disableDefaultOSPs", SETTING_BOOL, set_disable_osps, NULL,
		"do not use the embedded profiles", true, "false", "true"),
	SETTING("external-cloud-provider", "externalCloudProvider", SETTING_BOOL, set_external, NULL,
		"kubelets use an external cloud controller manager", true, "false", "true"),
	SETTING("host-ca-bundle", "hostCABundle", SETTING_FILE, set_host_ca, "FILE",
		"CA certificates that nodes trust besides those of their operating system", true, NULL, "certificates/company.pem"),
	SETTING("initial-taints", "initialTaints", SETTING_STRING, set_initial_taints, "TAINTS",
		"taints of new nodes, in the kubelet's syntax", true, NULL, "gpu=true:NoSchedule"),
	SETTING("kubernetes-ca-bundle", "kubernetesCABundle", SETTING_FILE, set_kubernetes_ca, "FILE",
		"the cluster's CA (default: the one of cluster-info)", true, NULL, "certificates/cluster.pem"),
	SETTING("namespace", "namespace", SETTING_STRING, set_namespace, "NAME",
		"namespace of OperatingSystemConfigs and profiles", true, "kube-system", "kube-system"),
	SEALABLE("node-containerd-registry-mirrors", "nodeContainerdRegistryMirrors", SETTING_REPEAT, set_containerd_mirrors, "REGISTRY=URL",
		"mirror of a registry, for containerd; may be given many times", NULL, "{\"docker.io\": [\"https://mirror.example\"]}"),
	SEALABLE("node-http-proxy", "nodeHTTPProxy", SETTING_STRING, set_http_proxy, "URL",
		"HTTP and HTTPS proxy of the nodes", NULL, "http://proxy.example:3128"),
	SETTING("node-insecure-registries", "nodeInsecureRegistries", SETTING_LIST, set_insecure, "HOST,...",
		"registries whose certificates are not checked", true, NULL, "[\"registry.example:5000\"]"),
	SETTING("node-kubelet-feature-gates", "nodeKubeletFeatureGates", SETTING_MAP, set_feature_gates, "NAME=BOOL,...",
		"feature gates of the kubelets", true, "RotateKubeletServerCertificate=true", "{\"NodeSwap\": true}"),
	SEALABLE("node-no-proxy", "nodeNoProxy", SETTING_STRING, set_no_proxy, "HOSTS",
		"hosts and domains that nodes reach without the proxy", ".svc,.cluster.local,localhost,127.0.0.1", ".svc,.cluster.local,localhost,127.0.0.1,10.0.0.0/8"),
	SETTING("node-registry-credentials-secret", "nodeRegistryCredentialsSecret", SETTING_STRING, set_credentials_secret, "NS/NAME",
		"Secret with credentials of image registries", true, NULL, "kube-system/registry-credentials"),
	SEALABLE("node-registry-mirrors", "nodeRegistryMirrors", SETTING_LIST, set_registry_mirrors, "[REGISTRY=]URL,...",
		"mirrors of registries; without REGISTRY, of docker.io", NULL, "[\"quay.io=https://mirror.example\"]"),
	SEALABLE("override-bootstrap-kubelet-apiserver", SETTING_API_SERVER, SETTING_STRING, set_override_api_server, "URL",
		"URL of the API server for nodes, instead of the one of cluster-info", NULL, "https://api.example:6443"),
	SETTING("pause-image", "pauseImage", SETTING_STRING, set_pause_image, "IMAGE",
		"image of the pause container", true, NULL, "registry.example/pause:3.10"),
	SETTING("default-profiles", "defaultProfiles", SETTING_MAP, set_default_profiles, "OS=PROFILE,...",
		"profiles, by operating system, for MachineDeployments that do not name a profile", false, NULL, "{\"ubuntu\": \"osp-acme\"}"),
	SETTING("empty-subscription", "emptySubscription", SETTING_BOOL, set_empty_subscription, NULL,
		"on RHEL, write an empty rh_subscription if no subscription is given, as the controller does", false, "true", "false"),
	SETTING("immutable-secrets", "immutableSecrets", SETTING_BOOL, set_immutable, NULL,
		"mark generated Secrets immutable, as the controller does", false, "true", "false"),
	SETTING("kubernetes-version", "kubernetesVersion", SETTING_STRING, set_kubernetes_version, "VERSION",
		"the version of the control plane, with which kubelets are compared; it changes no output", false, NULL, "1.35.2"),
	SETTING("machine-deployments", "machineDeployments", SETTING_STRING, set_machine_deployments, "input|output",
		"output: write the MachineDeployments into the output, too, to be applied after their Secrets", false, "input", "output"),
	SETTING("osc", "osc", SETTING_STRING, set_osc, "redacted|sealed|patch",
		"secrets in OperatingSystemConfigs: redacted, sealed (the whole object), or redacted with a sealed patch", false, "redacted", "sealed"),
	SETTING("replicas", "replicas", SETTING_STRING, set_replicas, "keep|omit",
		"spec.replicas of MachineDeployments in the output: the manifest's, or left out for an autoscaler", false, "keep", "omit"),
	SETTING("revision-annotation", "revisionAnnotation", SETTING_STRING, set_revision_annotation, "count|pin",
		"if spec.template changes and the revision annotation does not: count up from it, or keep it (pin)", false, "count", "pin"),
	SETTING("roll", "roll", SETTING_STRING, set_roll, "never|profile|user-data",
		"with machineDeployments: output, replace machines when their profile, or any user-data that they would get, changes", false, "never", "profile"),
	SETTING("roll-guard", "rollGuard", SETTING_NUMBER, set_roll_guard, "MACHINES",
		"how many machines may roll by the setting roll in one run without --allow-roll", false, "10", "20"),
	SETTING("token-rotation", "tokenRotation", SETTING_STRING, set_token_rotation, "TEXT",
		"change it to derive new bootstrap tokens; daily, weekly or monthly: tokens that expire and are renewed, by the source commit's date", false, NULL, "weekly"),
	SETTING("unreadable-user-data", "unreadableUserData", SETTING_STRING, set_unreadable, "error|warning",
		"user-data that a machine cannot read (OSG7031) is an error; or a warning, where osm-gen reads it wrongly", false, "error", "warning"),
	SETTING("user-data-limits", "userDataLimits", SETTING_MAP, set_user_data_limits, "PROVIDER=BYTES,...",
		"maximum size of user-data, by provider, instead of the limit that osm-gen knows; 0: unlimited", false, NULL, "{\"openstack\": 65535}"),
};

/* clang-format on */
