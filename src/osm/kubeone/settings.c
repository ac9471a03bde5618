/*
 * The settings that KubeOne gives the controller, by its flags (docs/spec/kubeone.md 6).
 */
#include "osm/kubeone/internal.h"

#include "golang/golang.h"
#include "secrecy/secrecy.h"
#include "value/text.h"

#define NODE_LOCAL_DNS   "169.254.20.10"
#define REGISTRY_DEFAULT "registry.k8s.io"
/* In place of an encrypted URL that is not decrypted, where a query is added. */
#define ABSENT_URL  "https://absent.invalid"
#define CREDENTIALS "kube-system/kubeone-registry-credentials"
/* kubeadm's pause images: the one before 1.36, and the one since. */
#define PAUSE_BEFORE_36 "3.10.1"
#define PAUSE_SINCE_36  "3.10.2"

/* ---- helpers ------------------------------------------------------------------------------- */

/* Returns a string that is made of the value at `at`, or of a default. */
static struct value made_string(const struct kubeone *k, const struct value *at, sv text)
{
	struct origin_part *part = ARENA_NEW(k->arena, struct origin_part);

	return value_joined(k->arena, text, part, 1,
	                    at && at->origin.source ? at->origin : k->start);
}

static struct value made_bool(const struct kubeone *k, const struct value *at, bool b)
{
	struct value v = value_bool(b);

	v.origin = at && at->origin.source ? at->origin : k->start;
	return v;
}

static void add_text_or(const struct kubeone *k, struct text *text, const char *path,
                        const char *otherwise)
{
	const struct value *given = kubeone_at(k, path);

	if (sv_empty(value_text(given)))
		text_add(text, sv_from_cstr(otherwise));
	else
		text_add_value(text, given);
}

static sv text_or(const struct kubeone *k, const char *path, const char *otherwise)
{
	sv text = value_text(kubeone_at(k, path));

	return sv_empty(text) ? sv_from_cstr(otherwise) : text;
}

static void set_setting(const struct kubeone *k, struct value *settings, const char *name,
                        struct value v)
{
	value_map_set(k->arena, settings, sv_from_cstr(name), v);
}

/* ---- DNS and proxies ----------------------------------------------------------------------- */

static void add_dns(const struct kubeone *k, struct value *settings)
{
	const struct value *cache = kubeone_at(k, "features.nodeLocalDNS");
	const struct value *deploy = value_map_get(cache, SV("deploy"));
	const struct value *at = deploy ? deploy : cache;
	struct diag *diag;

	if (!cache || kubeone_is_true(deploy)) {
		set_setting(k, settings, "clusterDNS", made_string(k, at, SV(NODE_LOCAL_DNS)));
		return;
	}
	if (k->expansion->is_given(k->expansion->context, SV("clusterDNS")))
		return;
	diag = diag_report(k->sink, DIAG_KUBEONE_DNS, kubeone_place(k, at),
	                   "without nodeLocalDNS KubeOne does not give the controller the address "
	                   "of the cluster's DNS: kubelets get 10.10.10.10");
	diag_set_help(k->sink, diag,
	              "set clusterDNS in the Cluster's settings: the tenth address of "
	              "clusterNetwork.serviceSubnet, 10.96.0.10 by default");
}

static void add_proxy(const struct kubeone *k, struct value *settings)
{
	const struct value *http = kubeone_at(k, "proxy.http");
	const struct value *given = kubeone_at(k, "proxy.noProxy");
	bool has_proxy =
	    !sv_empty(value_text(http)) || !sv_empty(value_text(kubeone_at(k, "proxy.https")));
	struct text hosts = text_in(k->arena);

	if (!sv_empty(value_text(http)))
		set_setting(k, settings, "nodeHTTPProxy", *http);
	/* COMPAT: KubeOne sets its defaults twice, so that the first part is there twice. */
	for (int i = 0; has_proxy && i < 2; i++) {
		sv family = text_or(k, "clusterNetwork.ipFamily", "IPv4");
		bool is_ipv4 =
		    sv_starts_with(family, SV("IPv4")) || sv_ends_with(family, SV("IPv4"));

		text_add(&hosts,
		         i > 0 ? SV(",127.0.0.1/8,localhost,") : SV("127.0.0.1/8,localhost,"));
		add_text_or(k, &hosts, "clusterNetwork.serviceDomainName", "cluster.local");
		TEXT_ADD_LIT(&hosts, ",");
		add_text_or(k, &hosts, "clusterNetwork.podSubnet", is_ipv4 ? "10.244.0.0/16" : "");
		TEXT_ADD_LIT(&hosts, ",");
		add_text_or(k, &hosts, "clusterNetwork.serviceSubnet",
		            is_ipv4 ? "10.96.0.0/12" : "");
	}
	if (has_proxy && !sv_empty(value_text(given))) {
		TEXT_ADD_LIT(&hosts, ",");
		text_add_value(&hosts, given);
	}
	if (has_proxy) {
		struct value joined =
		    made_string(k, given ? given : kubeone_at(k, "proxy"), text_sv(&hosts));

		joined.taint = text_taint(k->arena, &hosts);
		set_setting(k, settings, "nodeNoProxy", joined);
	} else if (!sv_empty(value_text(given))) {
		set_setting(k, settings, "nodeNoProxy", *given);
	}
}

/* ---- images and registries ----------------------------------------------------------------- */

static void add_pause_image(const struct kubeone *k, struct value *settings)
{
	const struct value *registry = kubeone_at(k, "registryConfiguration.overwriteRegistry");
	sv name = text_or(k, "registryConfiguration.overwriteRegistry", REGISTRY_DEFAULT);
	struct semver version;
	sv error;

	if (!go_semver_parse(k->arena, k->version.string, &version, &error))
		return;
	set_setting(k, settings, "pauseImage",
	            made_string(k, sv_empty(value_text(registry)) ? &k->version : registry,
	                        ARENA_CONCAT(k->arena, name, SV("/pause:"),
	                                     version.minor >= 36 ? SV(PAUSE_SINCE_36)
	                                                         : SV(PAUSE_BEFORE_36))));
}

/* Returns the URL with the query kubermatic=override_path=true, and its parameters sorted. */
static sv with_override(const struct kubeone *k, sv text)
{
	struct url_query query;
	struct url url;
	sv error;

	/* The setting reports an unclear one, which this would write in another form. */
	if (secrecy_userinfo_is_unclear(text) || !go_url_parse(k->arena, text, &url, &error))
		return text;
	query = go_url_query_parse(k->arena, url.raw_query, NULL);
	VEC_PUSH(k->arena, &query,
	         (struct url_parameter){SV("kubermatic"), SV("override_path=true")});
	url.raw_query = go_url_query_encode(k->arena, &query);
	return go_url_format(k->arena, &url);
}

/* Returns the registries, sorted by their names. */
static const struct value_entry **sorted_registries(const struct kubeone *k, size_t *ret_count)
{
	const struct value *registries = kubeone_at(k, "containerRuntime.containerd.registries");
	const struct value_entry **entries =
	    ARENA_ARRAY(k->arena, const struct value_entry *, value_count(registries));

	*ret_count = value_count(registries);
	for (size_t i = 0; i < *ret_count; i++)
		entries[i] = &registries->map->entries[i];
	SORT_POINTERS_BY(entries, *ret_count, key);
	return entries;
}

/* Returns a mirror's URL, with the query of overridePath, as secret as it was. */
static struct value mirror_url(const struct kubeone *k, const struct value *mirror, bool overrides)
{
	const struct secret *given = taint_secret(mirror->taint);
	struct secret *secret;
	struct value url;

	if (!overrides)
		return *mirror;
	url = value_string(
	    with_override(k, secrecy_is_absent(mirror) ? SV(ABSENT_URL) : mirror->string));
	if (given) {
		secret = ARENA_NEW(k->arena, struct secret);
		*secret = *given;
		if (!secrecy_stands_in(given))
			secret->text = url.string;
		url = value_secret_string(k->arena, url.string, secret);
	}
	url.origin = mirror->origin;
	return url;
}

/* Sets the mirrors as a map of registries, in which URLs may be secret. */
static void add_secret_mirrors(const struct kubeone *k, struct value *settings)
{
	size_t count;
	const struct value_entry **entries = sorted_registries(k, &count);
	struct value map = value_map_new(k->arena);

	map.origin = k->start;
	for (size_t i = 0; i < count; i++) {
		const struct value *mirrors = value_map_get(&entries[i]->value, SV("mirrors"));
		bool overrides =
		    kubeone_is_true(value_map_get(&entries[i]->value, SV("overridePath")));
		struct value urls = value_list_new(k->arena);

		if (value_count(mirrors) == 0)
			continue;
		urls.origin = mirrors->origin;
		for (size_t j = 0; j < value_count(mirrors); j++)
			value_list_add(k->arena, &urls,
			               mirror_url(k, value_item(mirrors, j), overrides));
		value_map_set_at(k->arena, &map, entries[i]->key, entries[i]->key_origin, urls);
	}
	set_setting(k, settings, "nodeContainerdRegistryMirrors", map);
}

static void add_mirrors(const struct kubeone *k, struct value *settings)
{
	size_t count;
	const struct value_entry **entries = sorted_registries(k, &count);
	struct value list = value_list_new(k->arena);

	for (size_t i = 0; i < count; i++) {
		const struct value *mirrors = value_map_get(&entries[i]->value, SV("mirrors"));

		if (mirrors && secrecy_find(mirrors)) {
			add_secret_mirrors(k, settings);
			return;
		}
	}
	list.origin = k->start;
	for (size_t i = 0; i < count; i++) {
		const struct value *mirrors = value_map_get(&entries[i]->value, SV("mirrors"));
		bool overrides =
		    kubeone_is_true(value_map_get(&entries[i]->value, SV("overridePath")));

		for (size_t j = 0; j < value_count(mirrors); j++) {
			const struct value *mirror = value_item(mirrors, j);
			sv url = overrides ? with_override(k, mirror->string) : mirror->string;

			if (value_count(&list) == 0)
				list.origin = mirrors->origin;
			value_list_add(
			    k->arena, &list,
			    made_string(k, mirror,
			                ARENA_CONCAT(k->arena, entries[i]->key, SV("="), url)));
		}
	}
	if (value_count(&list) > 0)
		set_setting(k, settings, "nodeContainerdRegistryMirrors", list);
}

static void add_insecure(const struct kubeone *k, struct value *settings)
{
	const struct value *overwrite = kubeone_at(k, "registryConfiguration.overwriteRegistry");
	const struct value *insecure = kubeone_at(k, "registryConfiguration.insecureRegistry");
	size_t count;
	const struct value_entry **entries = sorted_registries(k, &count);
	struct value list = value_list_new(k->arena);

	for (size_t i = 0; i < count; i++) {
		const struct value *skip =
		    value_path(&entries[i]->value, "tlsConfig.insecureSkipVerify");

		if (!kubeone_is_true(skip))
			continue;
		if (value_count(&list) == 0)
			list.origin = skip->origin;
		value_list_add(k->arena, &list, made_string(k, skip, entries[i]->key));
	}
	/* COMPAT: it is a flag of its own, which replaces the other one. */
	if (kubeone_is_true(insecure) && overwrite) {
		list = value_list_new(k->arena);
		list.origin = insecure->origin;
		value_list_add(k->arena, &list, *overwrite);
	}
	if (value_count(&list) > 0)
		set_setting(k, settings, "nodeInsecureRegistries", list);
}

/* Returns true if one of the strings is not empty, and was not encrypted. */
static bool has_text(const struct value *map)
{
	for (size_t i = 0; i < value_count(map); i++)
		if (!sv_empty(value_text(&map->map->entries[i].value)) &&
		    !map->map->entries[i].value.taint)
			return true;
	return false;
}

static void add_credentials(const struct kubeone *k, struct value *settings)
{
	size_t count;
	const struct value_entry **entries = sorted_registries(k, &count);

	for (size_t i = 0; i < count; i++) {
		const struct value *auth = value_map_get(&entries[i]->value, SV("auth"));

		if (auth && !has_text(auth))
			set_setting(k, settings, "nodeRegistryCredentialsSecret",
			            made_string(k, auth, SV(CREDENTIALS)));
	}
}

void kubeone_check_credentials(const struct kubeone *k)
{
	size_t count;
	const struct value_entry **entries = sorted_registries(k, &count);

	for (size_t i = 0; i < count; i++) {
		const struct value_entry *auth = value_map_find(&entries[i]->value, SV("auth"));
		struct diag *diag;

		if (!auth || !has_text(&auth->value))
			continue;
		diag = diag_report(k->sink, DIAG_KUBEONE_CREDENTIALS,
		                   origin_position(auth->key_origin),
		                   "the credentials of the registry %.*s are in git in the clear",
		                   SV_ARG(entries[i]->key));
		diag_set_help(
		    k->sink, diag,
		    "move them to registriesAuth of KubeOne's credentials file, commit the "
		    "Secret " CREDENTIALS " encrypted with sops, and set "
		    "nodeRegistryCredentialsSecret: " CREDENTIALS
		    " in the Cluster's settings; then change the passwords");
	}
}

/* ---- the CA -------------------------------------------------------------------------------- */

static void add_ca_file(const struct kubeone *k, const struct value *file, struct value *settings)
{
	struct diag *diag;
	sv text;

	if (!sv_starts_with(file->string, SV("/")) &&
	    k->expansion->read_file(k->expansion->context, file, &text)) {
		if (!sv_empty(sv_trim_space(text)))
			set_setting(k, settings, "hostCABundle", made_string(k, file, text));
		return;
	}
	diag = diag_report(k->sink, DIAG_KUBEONE_CLUSTER, value_position(file),
	                   "the repository has no file %.*s beside the KubeOneCluster",
	                   SV_ARG(file->string));
	diag_set_help(k->sink, diag,
	              "commit the CA bundle, and name it relative to the folder of the manifest");
}

static void add_ca(const struct kubeone *k, struct value *settings)
{
	const struct value *file = kubeone_at(k, "certificateAuthority.file");
	const struct value *bundle = kubeone_at(k, "certificateAuthority.bundle");

	if (sv_empty(value_text(bundle)))
		bundle = kubeone_at(k, "caBundle");
	if (!sv_empty(value_text(file)))
		add_ca_file(k, file, settings);
	else if (!sv_empty(sv_trim_space(value_text(bundle))))
		set_setting(k, settings, "hostCABundle", *bundle);
}

/* ---- the API server ------------------------------------------------------------------------ */

struct value kubeone_server(const struct kubeone *k)
{
	const struct value *host = &k->endpoint;
	const struct value *port = kubeone_at(k, "apiEndpoint.port");
	int64_t number = port && value_is(port, KIND_INT64) ? port->integer : 0;

	if (sv_empty(value_text(host)) || host->taint || (port && port->taint))
		return (struct value){0};
	return made_string(k, host,
	                   arena_printf(k->arena, "https://%.*s:%lld", SV_ARG(host->string),
	                                number > 0 ? (long long)number : 6443LL));
}

/* ---- all ----------------------------------------------------------------------------------- */

struct value kubeone_settings(const struct kubeone *k)
{
	const struct value *ownership =
	    kubeone_at(k, "operatingSystemManager.enableNonRootDeviceOwnership");
	bool is_external =
	    !sv_eq(k->provider, SV("vmwareCloudDirector")) && !sv_eq(k->provider, SV("none"));
	struct value settings = value_map_new(k->arena);

	settings.origin = k->start;
	add_dns(k, &settings);
	set_setting(k, &settings, "namespace", made_string(k, NULL, SV("kube-system")));
	set_setting(k, &settings, "containerRuntime", made_string(k, NULL, SV("containerd")));
	add_pause_image(k, &settings);
	set_setting(k, &settings, "externalCloudProvider",
	            made_bool(k, kubeone_at(k, "cloudProvider"), is_external));
	add_ca(k, &settings);
	add_mirrors(k, &settings);
	add_credentials(k, &settings);
	add_insecure(k, &settings);
	add_proxy(k, &settings);
	if (kubeone_is_true(ownership))
		set_setting(k, &settings, "deviceOwnershipFromSecurityContext",
		            made_bool(k, ownership, true));
	return settings;
}
