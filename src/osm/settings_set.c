/*
 * Sets a setting. Checks its value like the controller's flag does (docs/spec/containerd.md 2,
 * docs/spec/controller.md 6).
 */
#include "osm/internal.h"

static struct osm_settings *own(const struct setter *s)
{
	return s->settings;
}

/* Reports a password in a name of a registry or image, which is written in clear text. */
static enum status refuse_userinfo(const struct setter *s, const struct value *text,
                                   struct position at)
{
	struct value tainted = secrecy_taint_userinfo(s->arena, *text, s->setting->name);

	if (!tainted.taint)
		return STATUS_OK;
	return setter_report(s, at, "user and password are not allowed here",
	                     "name the registry alone, and put the credentials into the Secret of "
	                     "nodeRegistryCredentialsSecret");
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

static enum status set_external(const struct setter *s, const struct value *v)
{
	return setter_take_bool(s, v, &own(s)->external_cloud_provider);
}

static enum status set_disable_osps(const struct setter *s, const struct value *v)
{
	return setter_take_bool(s, v, &own(s)->disable_default_osps);
}

static enum status set_device_ownership(const struct setter *s, const struct value *v)
{
	return setter_take_bool(s, v, &own(s)->device_ownership);
}

static enum status set_empty_subscription(const struct setter *s, const struct value *v)
{
	return setter_take_bool(s, v, &own(s)->empty_subscription);
}

static enum status set_immutable(const struct setter *s, const struct value *v)
{
	return setter_take_bool(s, v, &own(s)->immutable_secrets);
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
	struct value text;

	if (setter_take_text(s, v, &text) != STATUS_OK ||
	    refuse_userinfo(s, &text, value_position(v)) != STATUS_OK)
		return STATUS_FAILED;
	own(s)->pause_image = text;
	return STATUS_OK;
}

static enum status set_initial_taints(const struct setter *s, const struct value *v)
{
	return setter_take_text(s, v, &own(s)->initial_taints);
}

static enum status set_http_proxy(const struct setter *s, const struct value *v)
{
	return setter_take_url(s, v, &own(s)->http_proxy);
}

static enum status set_no_proxy(const struct setter *s, const struct value *v)
{
	return setter_take_url(s, v, &own(s)->no_proxy);
}

static enum status set_override_api_server(const struct setter *s, const struct value *v)
{
	return setter_take_url(s, v, &own(s)->override_api_server);
}

/* Parses "A=true", with exactly one "=" and nothing trimmed. */
static enum status add_gate(const struct setter *s, struct value *gates, const struct value *text,
                            sv part, struct position at)
{
	sv name;
	sv word;
	bool on;
	sv error;
	(void)text;

	if (!sv_cut(part, SV("="), &name, &word) || sv_find_char(word, '=') != SV_NPOS)
		return setter_report(s, at, "a feature gate must be NAME=true or NAME=false",
		                     "write one = in each, and commas without spaces between them");
	if (!go_strconv_parse_bool(s->arena, word, &on, &error))
		return setter_report(s, at, "a feature gate is true or false",
		                     "write it as NAME=true or NAME=false");
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

			status |= setter_take_bool(s, &entry->value, &on);
			value_map_set(s->arena, &gates, entry->key, value_bool(on));
		}
	} else if (value_is_string(v)) {
		struct sv_splitter it = sv_split(v->string, ',');
		size_t offset = 0;
		sv part;

		while (sv_split_next(&it, &part)) {
			status |=
			    add_gate(s, &gates, v, part, setter_item_position(v, offset, part.len));
			offset += part.len + 1;
		}
	} else if (!value_is_null(v)) {
		status = setter_report(s, value_position(v), "must be a map of true and false",
		                       "write it as {NodeSwap: true}");
	}
	if (status != STATUS_OK)
		return STATUS_FAILED;
	/* The controller adds this one whenever it is not given. */
	if (!value_map_get(&gates, SV("RotateKubeletServerCertificate")))
		value_map_set(s->arena, &gates, SV("RotateKubeletServerCertificate"),
		              value_bool(true));
	own(s)->feature_gates = gates;
	return STATUS_OK;
}

static enum status set_insecure(const struct setter *s, const struct value *v)
{
	struct setter_items items;
	struct value list = value_list_new(s->arena);
	enum status status = STATUS_OK;

	if (setter_take_list(s, v, true, &items) != STATUS_OK)
		return STATUS_FAILED;
	VEC_EACH (item, &items) {
		status |= refuse_userinfo(s, &item->text, item->at);
		if (!sv_empty(item->text.string))
			value_list_add(s->arena, &list, item->text);
	}
	if (status == STATUS_OK)
		own(s)->insecure_registries = list;
	return status == STATUS_OK ? STATUS_OK : STATUS_FAILED;
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

		if (refuse_userinfo(s, &name, origin_position(entry->key_origin)) != STATUS_OK ||
		    setter_take_list(s, &entry->value, false, &urls) != STATUS_OK) {
			status = STATUS_FAILED;
			continue;
		}
		VEC_EACH (url, &urls) {
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
		if (setter_take_list(s, v, !containerd, &items) != STATUS_OK)
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
	return set_mirrors(s, v, false, &own(s)->registry_mirrors);
}

static enum status set_containerd_mirrors(const struct setter *s, const struct value *v)
{
	return set_mirrors(s, v, true, &own(s)->containerd_mirrors);
}

static enum status set_credentials_secret(const struct setter *s, const struct value *v)
{
	return setter_take_reference(s, v, &own(s)->registry_credentials_secret);
}

static enum status set_token_account(const struct setter *s, const struct value *v)
{
	return setter_take_reference(s, v, &own(s)->token_service_account);
}

static enum status set_kubernetes_ca(const struct setter *s, const struct value *v)
{
	return setter_take_bundle(s, v, &own(s)->kubernetes_ca);
}

static enum status set_host_ca(const struct setter *s, const struct value *v)
{
	return setter_take_bundle(s, v, &own(s)->host_ca);
}

static enum status set_osc(const struct setter *s, const struct value *v)
{
	struct value text;

	if (setter_take_text(s, v, &text) != STATUS_OK)
		return STATUS_FAILED;
	if (sv_eq_cstr(text.string, "sealed"))
		own(s)->osc = OSM_OSC_SEALED;
	else if (sv_eq_cstr(text.string, "redacted"))
		own(s)->osc = OSM_OSC_REDACTED;
	else if (sv_eq_cstr(text.string, "patch"))
		own(s)->osc = OSM_OSC_PATCH;
	else
		return setter_report(
		    s, value_position(v), "must be redacted, sealed or patch",
		    "use redacted for objects that can be reviewed, sealed for objects with their "
		    "secrets, patch for both (with Flux 2.5 and newer)");
	return STATUS_OK;
}

static enum status set_revision_annotation(const struct setter *s, const struct value *v)
{
	struct value text;

	if (setter_take_text(s, v, &text) != STATUS_OK)
		return STATUS_FAILED;
	if (!sv_empty(text.string) && !sv_eq_cstr(text.string, "count") &&
	    !sv_eq_cstr(text.string, "pin"))
		return setter_report(s, value_position(v), "must be count or pin",
		                     "write count, or pin where the annotation is always right");
	own(s)->revision_pins = sv_eq_cstr(text.string, "pin");
	return STATUS_OK;
}

static enum status set_token_rotation(const struct setter *s, const struct value *v)
{
	struct value text;

	if (setter_take_text(s, v, &text) != STATUS_OK)
		return STATUS_FAILED;
	own(s)->token_rotation = text.string;
	return STATUS_OK;
}

static enum status set_user_data_limits(const struct setter *s, const struct value *v)
{
	return setter_take_limits(s, v, &own(s)->user_data_limits);
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

/* ---- which setting is set how ------------------------------------------------------------ */

static const struct {
	sv name;
	enum status (*set)(const struct setter *, const struct value *);
} setters[] = {
    {SV_INIT("bootstrapTokenServiceAccountName"), set_token_account},
    {SV_INIT("clusterDNS"), set_cluster_dns},
    {SV_INIT("containerRuntime"), set_container_runtime},
    {SV_INIT("deviceOwnershipFromSecurityContext"), set_device_ownership},
    {SV_INIT("disableDefaultOSPs"), set_disable_osps},
    {SV_INIT("externalCloudProvider"), set_external},
    {SV_INIT("hostCABundle"), set_host_ca},
    {SV_INIT("initialTaints"), set_initial_taints},
    {SV_INIT("kubernetesCABundle"), set_kubernetes_ca},
    {SV_INIT("namespace"), set_namespace},
    {SV_INIT("nodeContainerdRegistryMirrors"), set_containerd_mirrors},
    {SV_INIT("nodeHTTPProxy"), set_http_proxy},
    {SV_INIT("nodeInsecureRegistries"), set_insecure},
    {SV_INIT("nodeKubeletFeatureGates"), set_feature_gates},
    {SV_INIT("nodeNoProxy"), set_no_proxy},
    {SV_INIT("nodeRegistryCredentialsSecret"), set_credentials_secret},
    {SV_INIT("nodeRegistryMirrors"), set_registry_mirrors},
    {SV_INIT("overrideBootstrapKubeletAPIServer"), set_override_api_server},
    {SV_INIT("pauseImage"), set_pause_image},
    {SV_INIT("defaultProfiles"), set_default_profiles},
    {SV_INIT("emptySubscription"), set_empty_subscription},
    {SV_INIT("immutableSecrets"), set_immutable},
    {SV_INIT("osc"), set_osc},
    {SV_INIT("revisionAnnotation"), set_revision_annotation},
    {SV_INIT("tokenRotation"), set_token_rotation},
    {SV_INIT("userDataLimits"), set_user_data_limits},
};

enum status osm_settings_set(struct arena *arena, struct sink *sink, struct osm_settings *settings,
                             const struct setting *setting, const struct value *value)
{
	const struct setter s = {arena, sink, settings, setting};

	for (size_t i = 0; i < COUNT_OF(setters); i++) {
		if (sv_eq(setters[i].name, setting->name))
			return setters[i].set(&s, value);
	}
	BUG("a setting that nothing sets");
}
