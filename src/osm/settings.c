/*
 * The settings: the controller's flags that shape output, and osm-gen's own (osm.md 12.1).
 *
 * One table; each row's setter checks as the controller's flag would.
 */
#include "osm/internal.h"

struct setter {
	struct arena *arena;
	struct sink *sink;
	struct osm_settings *settings;
	const struct osm_setting *setting;
};

static enum status report(const struct setter *s, struct position at, const char *problem,
                          const char *help)
{
	struct diag *diag = diag_report(s->sink, DIAG_SETTING_VALUE, at, "%.*s: %s",
	                                SV_ARG(s->setting->name), problem);

	if (help)
		diag_set_help(s->sink, diag, "%s", help);
	return STATUS_FAILED;
}

/* Where an item of a comma list stands: as precise as its scalar lets it be. */
static struct position item_position(const struct value *v, size_t offset, size_t len)
{
	struct position at = value_text_position(v, offset);

	if (at.source && v->origin.style == ORIGIN_EXACT && len > 0)
		at.length = len;
	return at;
}

static enum status take_string(const struct setter *s, const struct value *v, struct value *ret)
{
	if (value_is_null(v)) {
		*ret = value_string(SV(""));
		return STATUS_OK;
	}
	if (!value_is_string(v))
		return report(s, value_position(v), "must be a text",
		              "put it in quotes when it looks like a number or a boolean");
	*ret = *v;
	return STATUS_OK;
}

static enum status take_bool(const struct setter *s, const struct value *v, bool *ret)
{
	sv error;

	if (value_is(v, KIND_BOOL)) {
		*ret = v->boolean;
		return STATUS_OK;
	}
	if (value_is_string(v) && strconv_parse_bool(s->arena, v->string, ret, &error))
		return STATUS_OK;
	return report(s, value_position(v), "must be true or false", NULL);
}

struct item {
	struct value text; /* trimmed */
	struct position at;
};
VEC_TYPE(items, struct item);

static void add_item(const struct setter *s, struct items *items, const struct value *v, sv part,
                     size_t offset, bool trim)
{
	struct value text = *v;
	sv trimmed = trim ? sv_trim_space(part) : part;

	if (trimmed.len > 0)
		offset += (size_t)(trimmed.ptr - part.ptr);
	text.string = trimmed;
	text.taint = taint_slice(s->arena, v->taint, offset, offset + trimmed.len);
	VEC_PUSH(s->arena, items, (struct item){text, item_position(v, offset, trimmed.len)});
}

/* A list of texts, or one text with commas between; items trimmed, empty ones kept. */
static enum status take_list(const struct setter *s, const struct value *v, bool split,
                             struct items *ret_items)
{
	struct items items = {0};
	enum status status = STATUS_OK;

	if (value_is_string(v)) {
		struct sv_splitter it = sv_split(v->string, ',');
		size_t offset = 0;
		sv part;

		if (!split)
			add_item(s, &items, v, v->string, 0, false);
		while (split && sv_split_next(&it, &part)) {
			add_item(s, &items, v, part, offset, true);
			offset += part.len + 1;
		}
	} else if (value_is_list(v)) {
		for (size_t i = 0; i < value_count(v); i++) {
			const struct value *item = value_item(v, i);

			if (value_is_string(item))
				add_item(s, &items, item, item->string, 0, split);
			else
				status |=
				    report(s, value_position(item), "items must be texts", NULL);
		}
	} else if (!value_is_null(v)) {
		return report(s, value_position(v), "must be a list of texts", NULL);
	}
	*ret_items = items;
	return status == STATUS_OK ? STATUS_OK : STATUS_FAILED;
}

/* ---- setters, one a kind of value ---------------------------------------------------------- */

static enum status set_namespace(const struct setter *s, const struct value *v)
{
	struct value text;

	if (take_string(s, v, &text) != STATUS_OK)
		return STATUS_FAILED;
	if (!kube_name_valid(text.string) || text.string.len > 63 ||
	    sv_find_char(text.string, '.') != SV_NPOS)
		return report(s, value_position(v), "must be the name of a namespace", NULL);
	s->settings->namespace = text.string;
	return STATUS_OK;
}

static enum status set_container_runtime(const struct setter *s, const struct value *v)
{
	struct value text;

	if (take_string(s, v, &text) != STATUS_OK)
		return STATUS_FAILED;
	if (!sv_eq_cstr(text.string, "containerd"))
		return report(s, value_position(v), "the only container runtime is containerd",
		              NULL);
	s->settings->container_runtime = text.string;
	return STATUS_OK;
}

static enum status set_external(const struct setter *s, const struct value *v)
{
	return take_bool(s, v, &s->settings->external_cloud_provider);
}

static enum status set_disable_osps(const struct setter *s, const struct value *v)
{
	return take_bool(s, v, &s->settings->disable_default_osps);
}

static enum status set_device_ownership(const struct setter *s, const struct value *v)
{
	return take_bool(s, v, &s->settings->device_ownership);
}

static enum status set_immutable(const struct setter *s, const struct value *v)
{
	return take_bool(s, v, &s->settings->immutable_secrets);
}

static enum status set_cluster_dns(const struct setter *s, const struct value *v)
{
	struct items items;
	struct value list = value_list_new(s->arena);
	enum status status = take_list(s, v, true, &items);

	if (status != STATUS_OK)
		return status;
	VEC_EACH (item, &items) {
		struct ip ip;

		if (ip_parse(item->text.string, &ip))
			value_list_add(s->arena, &list, value_string(ip_format(s->arena, &ip)));
		else
			status = report(s, item->at, "not an IP address",
			                "write addresses such as 10.10.10.10 or fd00::a, without "
			                "prefix length, zone or leading zeros");
	}
	if (status == STATUS_OK)
		s->settings->cluster_dns = list;
	return status;
}

static enum status set_pause_image(const struct setter *s, const struct value *v)
{
	return take_string(s, v, &s->settings->pause_image);
}

static enum status set_initial_taints(const struct setter *s, const struct value *v)
{
	return take_string(s, v, &s->settings->initial_taints);
}

static enum status set_url(const struct setter *s, const struct value *v, struct value *ret)
{
	struct value text;

	if (take_string(s, v, &text) != STATUS_OK)
		return STATUS_FAILED;
	*ret = osm_taint_userinfo(s->arena, text, s->setting->name);
	return STATUS_OK;
}

static enum status set_http_proxy(const struct setter *s, const struct value *v)
{
	return set_url(s, v, &s->settings->http_proxy);
}

static enum status set_no_proxy(const struct setter *s, const struct value *v)
{
	return take_string(s, v, &s->settings->no_proxy);
}

static enum status set_override_api_server(const struct setter *s, const struct value *v)
{
	return set_url(s, v, &s->settings->override_api_server);
}

/* "A=true": exactly one =, nothing trimmed. */
static enum status add_gate(const struct setter *s, struct value *gates, const struct value *text,
                            sv part, struct position at)
{
	sv name;
	sv word;
	bool on;
	sv error;
	(void)text;

	if (!sv_cut(part, SV("="), &name, &word) || sv_find_char(word, '=') != SV_NPOS)
		return report(s, at, "a feature gate must be NAME=true or NAME=false", NULL);
	if (!strconv_parse_bool(s->arena, word, &on, &error))
		return report(s, at, "a feature gate is true or false", NULL);
	value_map_set(s->arena, gates, name, value_bool(on));
	return STATUS_OK;
}

static enum status set_feature_gates(const struct setter *s, const struct value *v)
{
	struct value gates = value_map_new(s->arena);
	enum status status = STATUS_OK;

	gates.type = &type_bool_map;
	if (value_is_map(v)) {
		for (size_t i = 0; i < value_count(v); i++) {
			const struct value_entry *entry = &v->map->entries[i];
			bool on = false;

			status |= take_bool(s, &entry->value, &on);
			value_map_set(s->arena, &gates, entry->key, value_bool(on));
		}
	} else if (value_is_string(v)) {
		struct sv_splitter it = sv_split(v->string, ',');
		size_t offset = 0;
		sv part;

		while (sv_split_next(&it, &part)) {
			status |= add_gate(s, &gates, v, part, item_position(v, offset, part.len));
			offset += part.len + 1;
		}
	} else if (!value_is_null(v)) {
		status = report(s, value_position(v), "must be a map of true and false", NULL);
	}
	if (status != STATUS_OK)
		return STATUS_FAILED;
	/* The controller adds this one whenever it is not given. */
	if (!value_map_get(&gates, SV("RotateKubeletServerCertificate")))
		value_map_set(s->arena, &gates, SV("RotateKubeletServerCertificate"),
		              value_bool(true));
	s->settings->feature_gates = gates;
	return STATUS_OK;
}

static enum status set_insecure(const struct setter *s, const struct value *v)
{
	struct items items;
	struct value list = value_list_new(s->arena);

	if (take_list(s, v, true, &items) != STATUS_OK)
		return STATUS_FAILED;
	VEC_EACH (item, &items) {
		if (!sv_empty(item->text.string))
			value_list_add(s->arena, &list, item->text);
	}
	s->settings->insecure_registries = list;
	return STATUS_OK;
}

/* {docker.io: [https://...]} as REGISTRY=URL items: a form of ours, for osm-gen.yaml. */
static enum status mirrors_of_map(const struct setter *s, const struct value *v,
                                  struct osm_mirrors *mirrors)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; i < value_count(v); i++) {
		const struct value_entry *entry = &v->map->entries[i];
		struct items urls;

		if (take_list(s, &entry->value, false, &urls) != STATUS_OK) {
			status = STATUS_FAILED;
			continue;
		}
		VEC_EACH (url, &urls) {
			VEC_PUSH(
			    s->arena, mirrors,
			    (struct osm_mirror){entry->key, osm_taint_userinfo(s->arena, url->text,
			                                                       s->setting->name)});
		}
	}
	return status;
}

static enum status set_mirrors(const struct setter *s, const struct value *v, bool containerd,
                               struct osm_mirrors *ret_mirrors)
{
	struct osm_mirrors mirrors = {0};
	struct items items;
	enum status status = STATUS_OK;

	if (containerd && value_is_map(v)) {
		status = mirrors_of_map(s, v, &mirrors);
	} else {
		if (take_list(s, v, !containerd, &items) != STATUS_OK)
			return STATUS_FAILED;
		VEC_EACH (item, &items) {
			struct osm_mirror mirror;

			if (!containerd && sv_empty(item->text.string))
				continue;
			if (osm_mirror_parse(s->arena, s->sink, s->setting->name, &item->text,
			                     item->at, containerd, &mirror) == STATUS_OK)
				VEC_PUSH(s->arena, &mirrors, mirror);
			else
				status = STATUS_FAILED;
		}
	}
	if (status == STATUS_OK)
		*ret_mirrors = mirrors;
	return status;
}

static enum status set_registry_mirrors(const struct setter *s, const struct value *v)
{
	return set_mirrors(s, v, false, &s->settings->registry_mirrors);
}

static enum status set_containerd_mirrors(const struct setter *s, const struct value *v)
{
	return set_mirrors(s, v, true, &s->settings->containerd_mirrors);
}

static enum status take_reference(const struct setter *s, const struct value *v, struct value *ret)
{
	struct value text;
	sv namespace;
	sv name;

	if (take_string(s, v, &text) != STATUS_OK)
		return STATUS_FAILED;
	if (!sv_empty(text.string) &&
	    (!sv_cut(text.string, SV("/"), &namespace, &name) || sv_empty(namespace) ||
	     sv_empty(name) || sv_find_char(name, '/') != SV_NPOS))
		return report(s, value_position(v), "must be NAMESPACE/NAME", NULL);
	*ret = text;
	return STATUS_OK;
}

static enum status set_credentials_secret(const struct setter *s, const struct value *v)
{
	return take_reference(s, v, &s->settings->registry_credentials_secret);
}

static enum status set_token_account(const struct setter *s, const struct value *v)
{
	return take_reference(s, v, &s->settings->token_service_account);
}

/* At least one PEM block that holds what can be a certificate: base64 of a DER sequence. */
static bool holds_certificate(struct arena *arena, sv text)
{
	const sv begin = SV("-----BEGIN CERTIFICATE-----");
	const sv end = SV("-----END CERTIFICATE-----");
	size_t from;

	while ((from = sv_find(text, begin)) != SV_NPOS) {
		text = sv_from_offset(text, from + begin.len);
		size_t to = sv_find(text, end);
		size_t error_at;
		sv der;

		if (to == SV_NPOS)
			return false;
		if (base64_decode(arena, BASE64_STD, sv_trim_space(sv_slice(text, 0, to)), &der,
		                  &error_at) &&
		    der.len > 4 && (uint8_t)der.ptr[0] == 0x30)
			return true;
		text = sv_from_offset(text, to + end.len);
	}
	return false;
}

static enum status take_bundle(const struct setter *s, const struct value *v, struct value *ret)
{
	struct value text;

	if (take_string(s, v, &text) != STATUS_OK)
		return STATUS_FAILED;
	if (!sv_empty(text.string) && !holds_certificate(s->arena, text.string)) {
		struct diag *diag =
		    diag_report(s->sink, DIAG_CA_BUNDLE, value_position(v),
		                "%.*s holds no certificate", SV_ARG(s->setting->name));
		diag_set_help(s->sink, diag,
		              "give a file with at least one PEM block "
		              "\"-----BEGIN CERTIFICATE-----\"");
		return STATUS_FAILED;
	}
	*ret = text;
	return STATUS_OK;
}

static enum status set_kubernetes_ca(const struct setter *s, const struct value *v)
{
	return take_bundle(s, v, &s->settings->kubernetes_ca);
}

static enum status set_host_ca(const struct setter *s, const struct value *v)
{
	return take_bundle(s, v, &s->settings->host_ca);
}

static enum status set_osc(const struct setter *s, const struct value *v)
{
	struct value text;

	if (take_string(s, v, &text) != STATUS_OK)
		return STATUS_FAILED;
	if (sv_eq_cstr(text.string, "sealed"))
		s->settings->osc = OSM_OSC_SEALED;
	else if (sv_eq_cstr(text.string, "redacted"))
		s->settings->osc = OSM_OSC_REDACTED;
	else
		return report(s, value_position(v), "must be redacted or sealed", NULL);
	return STATUS_OK;
}

static enum status set_token_rotation(const struct setter *s, const struct value *v)
{
	struct value text;

	if (take_string(s, v, &text) != STATUS_OK)
		return STATUS_FAILED;
	s->settings->token_rotation = text.string;
	return STATUS_OK;
}

/* ---- the table ------------------------------------------------------------------------------ */

#define SETTING(flag_text, name_text, what, place, help_text, from_controller, initial_text)       \
	{                                                                                          \
		.flag = SV_INIT(flag_text), .name = SV_INIT(name_text), .kind = (what),            \
		.placeholder = (place), .help = (help_text), .controller = (from_controller),      \
		.initial = (initial_text),                                                         \
	}

/* clang-format off */
static const struct osm_setting settings_table[] = {
	SETTING("bootstrap-token-service-account-name", "bootstrapTokenServiceAccountName", OSM_SETTING_STRING, "NS/NAME",
		"take bootstrap tokens from this ServiceAccount's token Secret", true, NULL),
	SETTING("cluster-dns", "clusterDNS", OSM_SETTING_LIST, "IP,...",
		"addresses of the cluster's DNS", true, "10.10.10.10"),
	SETTING("container-runtime", "containerRuntime", OSM_SETTING_STRING, "NAME",
		"container runtime; only containerd", true, "containerd"),
	SETTING("device-ownership-from-security-context", "deviceOwnershipFromSecurityContext", OSM_SETTING_BOOL, NULL,
		"let containerd give devices to a container's own user", true, "false"),
	SETTING("disable-default-osps", "disableDefaultOSPs", OSM_SETTING_BOOL, NULL,
		"hide the profiles inside the program", true, "false"),
	SETTING("external-cloud-provider", "externalCloudProvider", OSM_SETTING_BOOL, NULL,
		"kubelets run with an external cloud controller", true, "false"),
	SETTING("host-ca-bundle", "hostCABundle", OSM_SETTING_FILE, "FILE",
		"certificates that nodes trust besides their own", true, NULL),
	SETTING("initial-taints", "initialTaints", OSM_SETTING_STRING, "TAINTS",
		"taints of new nodes, as the kubelet takes them", true, NULL),
	SETTING("kubernetes-ca-bundle", "kubernetesCABundle", OSM_SETTING_FILE, "FILE",
		"the cluster's CA; else that of cluster-info", true, NULL),
	SETTING("namespace", "namespace", OSM_SETTING_STRING, "NAME",
		"namespace of OperatingSystemConfigs and profiles", true, "kube-system"),
	SETTING("node-containerd-registry-mirrors", "nodeContainerdRegistryMirrors", OSM_SETTING_REPEAT, "REGISTRY=URL",
		"a registry's mirror for containerd; may be given many times", true, NULL),
	SETTING("node-http-proxy", "nodeHTTPProxy", OSM_SETTING_STRING, "URL",
		"proxy for the nodes", true, NULL),
	SETTING("node-insecure-registries", "nodeInsecureRegistries", OSM_SETTING_LIST, "HOST,...",
		"registries whose certificates are not checked", true, NULL),
	SETTING("node-kubelet-feature-gates", "nodeKubeletFeatureGates", OSM_SETTING_MAP, "NAME=BOOL,...",
		"feature gates of the kubelets", true, "RotateKubeletServerCertificate=true"),
	SETTING("node-no-proxy", "nodeNoProxy", OSM_SETTING_STRING, "HOSTS",
		"what nodes reach without the proxy", true, ".svc,.cluster.local,localhost,127.0.0.1"),
	SETTING("node-registry-credentials-secret", "nodeRegistryCredentialsSecret", OSM_SETTING_STRING, "NS/NAME",
		"Secret with credentials for registries", true, NULL),
	SETTING("node-registry-mirrors", "nodeRegistryMirrors", OSM_SETTING_LIST, "[REGISTRY=]URL,...",
		"mirrors, of docker.io unless they name a registry", true, NULL),
	SETTING("override-bootstrap-kubelet-apiserver", "overrideBootstrapKubeletAPIServer", OSM_SETTING_STRING, "URL",
		"API server for nodes, instead of cluster-info's", true, NULL),
	SETTING("pause-image", "pauseImage", OSM_SETTING_STRING, "IMAGE",
		"image of the pause container", true, NULL),
	SETTING("immutable-secrets", "immutableSecrets", OSM_SETTING_BOOL, NULL,
		"mark generated Secrets immutable, as the controller does", false, "true"),
	SETTING("osc", "osc", OSM_SETTING_STRING, "FORM",
		"OperatingSystemConfigs: redacted, or sealed with their true text", false, "redacted"),
	SETTING("token-rotation", "tokenRotation", OSM_SETTING_STRING, "TEXT",
		"change it to get new derived bootstrap tokens", false, NULL),
};

static enum status (*const setters[])(const struct setter *, const struct value *) = {
	set_token_account, set_cluster_dns, set_container_runtime, set_device_ownership, set_disable_osps, set_external,
	set_host_ca, set_initial_taints, set_kubernetes_ca, set_namespace, set_containerd_mirrors, set_http_proxy,
	set_insecure, set_feature_gates, set_no_proxy, set_credentials_secret, set_registry_mirrors,
	set_override_api_server, set_pause_image, set_immutable, set_osc, set_token_rotation,
};
/* clang-format on */
_Static_assert(COUNT_OF(settings_table) == COUNT_OF(setters), "one setter a setting");

const struct osm_setting *osm_setting_table(size_t *ret_count)
{
	*ret_count = COUNT_OF(settings_table);
	return settings_table;
}

const struct osm_setting *osm_setting_by_name(sv name)
{
	for (size_t i = 0; i < COUNT_OF(settings_table); i++) {
		if (sv_eq(settings_table[i].name, name))
			return &settings_table[i];
	}
	return NULL;
}

const struct osm_setting *osm_setting_by_flag(sv flag)
{
	for (size_t i = 0; i < COUNT_OF(settings_table); i++) {
		if (sv_eq(settings_table[i].flag, flag))
			return &settings_table[i];
	}
	return NULL;
}

sv osm_setting_nearest(sv name)
{
	sv names[COUNT_OF(settings_table)];

	for (size_t i = 0; i < COUNT_OF(settings_table); i++) {
		names[i] = settings_table[i].name;
		if (sv_eq_fold_ascii(name, settings_table[i].name) ||
		    sv_eq_fold_ascii(name, settings_table[i].flag))
			return settings_table[i].name;
	}
	return diag_nearest(name, names, COUNT_OF(names));
}

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
	    .immutable_secrets = true,
	};
}

enum status osm_settings_set(struct arena *arena, struct sink *sink, struct osm_settings *settings,
                             const struct osm_setting *setting, const struct value *value)
{
	const struct setter s = {arena, sink, settings, setting};
	size_t index = (size_t)(setting - settings_table);

	BUG_ON(index >= COUNT_OF(setters));
	return setters[index](&s, value);
}

bool osm_setting_names_file(const struct osm_setting *setting, const struct value *value)
{
	return setting->kind == OSM_SETTING_FILE && value_is_string(value) &&
	       value->string.len > 0 && sv_find_char(value->string, '\n') == SV_NPOS;
}
