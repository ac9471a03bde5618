/*
 * Kubeconfigs, as client-go's clientcmd reads them and sigs.k8s.io/yaml writes them
 * (docs/spec/controller.md 5.1).
 */
#include "codec/codec.h"
#include "kube/kube.h"
#include "secrecy/secrecy.h"
#include "yaml/yaml.h"
#include "json/json.h"

struct reader {
	struct arena *arena;
	struct sink *sink;
	const struct value *text; /* the kubeconfig, in a string of a manifest */
	bool failed;
	size_t mistakes; /* strings with characters that cannot be written */
	size_t places;   /* calls of place() that searched a position */
};

/*
 * Finding a position costs a scan of the string. After MOST_PLACES mistakes report the string's own
 * position.
 */
enum { MOST_PLACES = 200 };

/*
 * Returns the position of a node in the manifest: nodes of the embedded document have positions in
 * a source of its own, which people do not see.
 */
static struct position place(struct reader *r, const struct value *node)
{
	if (!node || !node->origin.source || r->places++ >= MOST_PLACES)
		return value_position(r->text);
	return value_text_position(r->text, node->origin.offset);
}

static void report_with_help(struct reader *r, const struct value *node, const char *what,
                             const char *wanted, const char *help)
{
	struct diag *diag = diag_report(r->sink, DIAG_KUBECONFIG, place(r, node),
	                                "%s of a kubeconfig must be %s", what, wanted);

	if (value_is(node, KIND_BOOL))
		diag_set_help(r->sink, diag,
		              "YAML reads y, n, yes, no, on and off as booleans: use quotes");
	else
		diag_set_help(r->sink, diag, "%s", help);
	r->failed = true;
}

static void report_type(struct reader *r, const struct value *node, const char *what,
                        const char *wanted)
{
	report_with_help(r, node, what, wanted, "copy what `kubectl config view --raw` prints");
}

/* Returns a string, or VALUE_INVALID if it is missing; it is tainted if the kubeconfig is. */
static struct value read_string(struct reader *r, const struct value *map, sv key, const char *what)
{
	const struct value *v = value_map_get(map, key);

	if (value_is_null(v))
		return VALUE_INVALID;
	if (!value_is_string(v)) {
		report_type(r, v, what, "a string");
		return VALUE_INVALID;
	}
	struct value string = value_string(v->string);
	string.taint = taint_whole(r->arena, v->string.len, secrecy_find(r->text));
	return string;
}

static bool read_bool(struct reader *r, const struct value *map, sv key, const char *what)
{
	const struct value *v = value_map_get(map, key);

	if (value_is_null(v))
		return false;
	if (!value_is(v, KIND_BOOL)) {
		report_type(r, v, what, "true or false");
		return false;
	}
	return v->boolean;
}

static struct value read_bytes(struct reader *r, const struct value *map, sv key, const char *what)
{
	struct value string = read_string(r, map, key, what);
	size_t error_at;
	sv bytes;

	if (!string.type)
		return string;
	if (!base64_decode(r->arena, BASE64_STD, string.string, &bytes, &error_at)) {
		report_with_help(r, value_map_get(map, key), what, "base64",
		                 "encode it with `base64 -w0`");
		return VALUE_INVALID;
	}
	const struct secret *secret = secrecy_find(&string);
	string.string = bytes;
	string.taint = taint_whole(r->arena, bytes.len, secret);
	return string;
}

/* Returns the number of items of a list, which must be maps whose `name` is a string. */
static size_t read_list(struct reader *r, const struct value *root, sv key, const char *what,
                        const struct value **ret_list)
{
	const struct value *list = value_map_get(root, key);

	*ret_list = list;
	if (value_is_null(list))
		return 0;
	if (!value_is_list(list)) {
		report_type(r, list, what, "a list");
		return 0;
	}
	for (size_t i = 0; i < value_count(list); i++) {
		const struct value *item = value_item(list, i);

		if (!value_is_map(item) && !value_is_null(item))
			report_type(r, item, what, "a list of maps");
		else
			read_string(r, item, SV("name"), what);
	}
	return value_count(list);
}

static const struct value *read_inner(struct reader *r, const struct value *item, sv key,
                                      const char *what)
{
	const struct value *inner = value_map_get(item, key);

	if (!value_is_null(inner) && !value_is_map(inner)) {
		report_type(r, inner, what, "a map");
		return NULL;
	}
	return inner;
}

/* ---- the kept members -------------------------------------------------------------------- */

/*
 * COMPAT: clientcmd writes JSON, which is then converted to YAML. JSON leaves these characters as
 * they are, and YAML allows none of them. YAML reads U+0085 as a line break, which a key must not
 * have.
 */
static bool is_writable(sv s, bool is_key)
{
	size_t width;

	for (size_t at = 0; at < s.len; at += width) {
		uint32_t rune = utf8_decode(sv_from_offset(s, at), &width);

		if ((rune == 0x85 && is_key) || (rune >= 0x7F && rune <= 0x9F && rune != 0x85) ||
		    rune == 0xFFFE || rune == 0xFFFF)
			return false;
	}
	return true;
}

/* Each position is searched from the string's beginning; more mistakes help nobody at once. */
enum { MOST_MISTAKES = 50 };

static void report_text(struct reader *r, struct position at, bool is_key)
{
	struct diag *diag = diag_report(r->sink, DIAG_KUBECONFIG, at,
	                                "%s of the kubeconfig has a control character, which the "
	                                "controller cannot write as YAML",
	                                is_key ? "a key" : "a string");
	diag_set_help(r->sink, diag, "remove the character: a DEL, or one from U+0080 to U+009F");
	r->mistakes++;
	r->failed = true;
}

/* The decoder bounds the depth. */
static void check_texts(struct reader *r, const struct value *v)
{
	if (r->mistakes >= MOST_MISTAKES)
		return;
	if (value_is_string(v) && !is_writable(v->string, false))
		report_text(r, place(r, v), false);
	for (size_t i = 0; value_is_list(v) && i < value_count(v); i++)
		check_texts(r, value_item(v, i));
	for (size_t i = 0; value_is_map(v) && i < value_count(v); i++) {
		const struct value_entry *entry = &v->map->entries[i];

		if (!is_writable(entry->key, true))
			report_text(r, value_text_position(r->text, entry->key_origin.offset),
			            true);
		check_texts(r, &entry->value);
	}
}

static int compare_names(const void *a, const void *b, void *context)
{
	const struct value *left = a;
	const struct value *right = b;

	(void)context;
	return sv_cmp(value_text(value_map_get(left, SV("name"))),
	              value_text(value_map_get(right, SV("name"))));
}

/*
 * Adds an extension with its name and any content, as clientcmd does; a null one may be followed by
 * another of that name. `numbers` has the place of each extension in the list, plus 1, by name.
 */
static void add_extension(struct reader *r, const struct value *item, struct value *extensions,
                          struct map *numbers)
{
	struct value name = read_string(r, item, SV("name"), "the name of an extension");
	const struct value *given = value_map_get(item, SV("extension"));
	struct value extension = value_map_new(r->arena);
	size_t number = (size_t)(uintptr_t)map_get(numbers, value_text(&name));
	struct value *other = number ? value_item_mutable(extensions, number - 1) : NULL;

	if (other && !value_is_null(value_map_get(other, SV("extension")))) {
		struct diag *diag = diag_report(r->sink, DIAG_KUBECONFIG, place(r, item),
		                                "the kubeconfig has two extensions named \"%.*s\"",
		                                SV_ARG(value_text(&name)));
		diag_set_help(r->sink, diag, "keep one of them");
		r->failed = true;
		return;
	}
	check_texts(r, value_map_get(item, SV("name")));
	check_texts(r, given);
	value_map_set(r->arena, &extension, SV("extension"), given ? *given : value_null());
	value_map_set(r->arena, &extension, SV("name"), value_string(value_text(&name)));
	if (other)
		*other = extension;
	else
		value_list_add(r->arena, extensions, extension);
	if (!other)
		map_put(numbers, value_text(&name), (void *)(uintptr_t)value_count(extensions));
}

static struct value read_extensions(struct reader *r, const struct value *map)
{
	struct value extensions = value_list_new(r->arena);
	struct map numbers = map_in(r->arena);
	const struct value *list = value_map_get(map, SV("extensions"));

	if (!value_is_null(list) && !value_is_list(list))
		report_type(r, list, "extensions", "a list");
	for (size_t i = 0; value_is_list(list) && i < value_count(list); i++) {
		const struct value *item = value_item(list, i);

		if (value_is_map(item) || value_is_null(item))
			add_extension(r, item, &extensions, &numbers);
		else
			report_type(r, item, "extensions", "a list of maps");
	}
	sort_stable(extensions.list->items, extensions.list->count, sizeof(struct value),
	            compare_names, NULL);
	return extensions;
}

static void read_clusters(struct reader *r, const struct value *root, struct kube_config *config)
{
	const struct value *list;
	size_t count = read_list(r, root, SV("clusters"), "clusters", &list);

	config->clusters = ARENA_ARRAY(r->arena, struct kube_config_cluster, count + 1);
	for (size_t i = 0; i < count; i++) {
		const struct value *item = value_item(list, i);
		const struct value *inner = read_inner(r, item, SV("cluster"), "cluster");
		struct kube_config_cluster *cluster = &config->clusters[config->cluster_count++];

		cluster->name = value_text(value_map_get(item, SV("name")));
		cluster->certificate_authority =
		    read_string(r, inner, SV("certificate-authority"), "certificate-authority");
		cluster->certificate_authority_data = read_bytes(
		    r, inner, SV("certificate-authority-data"), "certificate-authority-data");
		cluster->proxy_url = read_string(r, inner, SV("proxy-url"), "proxy-url");
		cluster->server = read_string(r, inner, SV("server"), "server");
		cluster->tls_server_name =
		    read_string(r, inner, SV("tls-server-name"), "tls-server-name");
		cluster->disable_compression =
		    read_bool(r, inner, SV("disable-compression"), "disable-compression");
		cluster->insecure_skip_tls_verify =
		    read_bool(r, inner, SV("insecure-skip-tls-verify"), "insecure-skip-tls-verify");
		cluster->extensions = read_extensions(r, inner);
		check_texts(r, value_map_get(inner, SV("certificate-authority")));
		check_texts(r, value_map_get(inner, SV("proxy-url")));
		check_texts(r, value_map_get(inner, SV("server")));
		check_texts(r, value_map_get(inner, SV("tls-server-name")));
		for (size_t k = 0; k < i; k++) {
			if (!sv_eq(config->clusters[k].name, cluster->name))
				continue;
			struct diag *diag =
			    diag_report(r->sink, DIAG_KUBECONFIG, place(r, item),
			                "the kubeconfig has two clusters named \"%.*s\"",
			                SV_ARG(cluster->name));
			diag_set_help(r->sink, diag, "keep one of them");
			r->failed = true;
		}
	}
}

/* Users and contexts are checked since clientcmd refuses a kubeconfig with a wrong type in them. */
static void check_users_and_contexts(struct reader *r, const struct value *root)
{
	static const char *const texts[] = {
	    "client-certificate", "client-key", "token", "tokenFile",
	    "username",           "password",   "act-as"};
	static const char *const bytes[] = {"client-certificate-data", "client-key-data"};
	static const char *const context_texts[] = {"cluster", "user", "namespace"};
	const struct value *list;
	size_t count = read_list(r, root, SV("users"), "users", &list);

	for (size_t i = 0; i < count; i++) {
		const struct value *user = read_inner(r, value_item(list, i), SV("user"), "user");

		for (size_t k = 0; k < COUNT_OF(texts); k++)
			read_string(r, user, sv_from_cstr(texts[k]), texts[k]);
		for (size_t k = 0; k < COUNT_OF(bytes); k++)
			read_bytes(r, user, sv_from_cstr(bytes[k]), bytes[k]);
	}
	count = read_list(r, root, SV("contexts"), "contexts", &list);
	for (size_t i = 0; i < count; i++) {
		const struct value *context =
		    read_inner(r, value_item(list, i), SV("context"), "context");

		for (size_t k = 0; k < COUNT_OF(context_texts); k++)
			read_string(r, context, sv_from_cstr(context_texts[k]), context_texts[k]);
	}
}

/* The bytes that take as long to read as one value, for the quota: libyaml reads 10 MB/s of
 * comments. */
enum { BYTES_PER_VALUE = 32 };

/* Parses the kubeconfig; reports the parser's diagnostics at their place in the manifest. */
static enum status parse_text(struct reader *r, struct value *ret_root)
{
	const struct source *manifest = r->text->origin.source;
	struct quota *values = manifest ? manifest->values : NULL;
	/* Many clusters may share the kubeconfig, and each of them parses it. */
	if (!quota_take(values, r->text->string.len / BYTES_PER_VALUE)) {
		quota_report(r->sink, values);
		return STATUS_FAILED;
	}
	struct sink inner = sink_in(r->sink->arena);
	struct source *source = source_new(r->arena, SV("kubeconfig"), r->text->string,
	                                   manifest && manifest->confidential);
	struct yml_documents documents = {0};

	source->values = values;
	enum status status = yml_parse(r->arena, &inner, source, &documents);

	for (size_t i = 0; i < inner.diags.count && i < MOST_MISTAKES; i++) {
		struct diag *const *diag = &inner.diags.items[i];
		struct diag *report = diag_report(
		    r->sink, (*diag)->code,
		    value_text_position(r->text,
		                        (*diag)->at.offset == SV_NPOS ? 0 : (*diag)->at.offset),
		    "in the kubeconfig: %.*s", SV_ARG((*diag)->text));
		if (!sv_empty((*diag)->help))
			diag_set_help(r->sink, report, "%.*s", SV_ARG((*diag)->help));
	}
	if (status != STATUS_OK)
		return STATUS_FAILED;
	if (documents.count == 0 || !value_is_map(&documents.items[0].root)) {
		struct diag *diag = diag_report(r->sink, DIAG_KUBECONFIG, value_position(r->text),
		                                "the kubeconfig is empty or not a map");
		diag_set_help(r->sink, diag, "copy what `kubectl config view --raw` prints");
		return STATUS_FAILED;
	}
	*ret_root = documents.items[0].root;
	return STATUS_OK;
}

enum status kube_config_parse(struct arena *arena, struct sink *sink, const struct value *text,
                              struct kube_config *ret_config)
{
	struct reader r = {.arena = arena, .sink = sink, .text = text};
	struct kube_config config = {.at = value_position(text)};
	struct value root;

	if (parse_text(&r, &root) != STATUS_OK)
		return STATUS_FAILED;
	struct value version = read_string(&r, &root, SV("apiVersion"), "apiVersion");
	struct value kind = read_string(&r, &root, SV("kind"), "kind");

	config.api_version = sv_empty(value_text(&version)) ? SV("v1") : version.string;
	config.kind = sv_empty(value_text(&kind)) ? SV("Config") : kind.string;
	if (!r.failed &&
	    (!sv_eq(config.api_version, SV("v1")) || !sv_eq(config.kind, SV("Config")))) {
		struct diag *diag =
		    diag_report(sink, DIAG_KUBECONFIG, place(&r, value_map_get(&root, SV("kind"))),
		                "this is a %.*s of %.*s, not a kubeconfig", SV_ARG(config.kind),
		                SV_ARG(config.api_version));
		diag_set_help(sink, diag, "set kind: Config and apiVersion: v1");
		r.failed = true;
	}
	read_clusters(&r, &root, &config);
	check_users_and_contexts(&r, &root);
	read_string(&r, &root, SV("current-context"), "current-context");
	const struct value *preferences = read_inner(&r, &root, SV("preferences"), "preferences");
	config.preferences_colors = read_bool(&r, preferences, SV("colors"), "colors");
	config.preferences_extensions = read_extensions(&r, preferences);
	config.extensions = read_extensions(&r, &root);
	if (r.failed)
		return STATUS_FAILED;
	*ret_config = config;
	return STATUS_OK;
}

static void set_string(struct arena *arena, struct value *map, sv key, const struct value *string)
{
	if (!sv_empty(value_text(string)))
		value_map_set(arena, map, key, value_string(string->string));
}

static void set_extensions(struct arena *arena, struct value *map, const struct value *extensions)
{
	if (value_count(extensions) > 0)
		value_map_set(arena, map, SV("extensions"), *extensions);
}

static struct value make_cluster(struct arena *arena, const struct kube_config_cluster *cluster,
                                 sv name)
{
	struct value inner = value_map_new(arena);
	struct value item = value_map_new(arena);

	set_string(arena, &inner, SV("certificate-authority"), &cluster->certificate_authority);
	if (!sv_empty(value_text(&cluster->certificate_authority_data)))
		value_map_set(arena, &inner, SV("certificate-authority-data"),
		              value_string(base64_encode(
		                  arena, BASE64_STD, cluster->certificate_authority_data.string)));
	if (cluster->disable_compression)
		value_map_set(arena, &inner, SV("disable-compression"), value_bool(true));
	set_extensions(arena, &inner, &cluster->extensions);
	if (cluster->insecure_skip_tls_verify)
		value_map_set(arena, &inner, SV("insecure-skip-tls-verify"), value_bool(true));
	set_string(arena, &inner, SV("proxy-url"), &cluster->proxy_url);
	value_map_set(arena, &inner, SV("server"), value_string(value_text(&cluster->server)));
	set_string(arena, &inner, SV("tls-server-name"), &cluster->tls_server_name);
	value_map_set(arena, &item, SV("cluster"), inner);
	value_map_set(arena, &item, SV("name"), value_string(name));
	return item;
}

static struct value list_of(struct arena *arena, struct value item)
{
	struct value list = value_list_new(arena);

	value_list_add(arena, &list, item);
	return list;
}

/* {`key`: inner, name: c} */
static struct value make_named(struct arena *arena, sv key, struct value inner)
{
	struct value item = value_map_new(arena);

	value_map_set(arena, &item, key, inner);
	value_map_set(arena, &item, SV("name"), value_string(SV("c")));
	return item;
}

/* Taints every occurrence of the token in the emitted string, or all of it if it has none. */
static struct value taint_emitted(struct arena *arena, sv emitted, const struct value *token)
{
	const struct secret *secret = secrecy_find(token);
	struct text text = text_in(arena);
	size_t found;

	if (!secret || sv_find(emitted, token->string) == SV_NPOS) {
		text_add_secret(&text, emitted, secret);
		return text_value(arena, &text);
	}
	while (token->string.len > 0 && (found = sv_find(emitted, token->string)) != SV_NPOS) {
		text_add(&text, sv_slice(emitted, 0, found));
		text_add_secret(&text, token->string, secret);
		emitted = sv_from_offset(emitted, found + token->string.len);
	}
	text_add(&text, emitted);
	return text_value(arena, &text);
}

static bool is_printable_ascii(sv s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] < ' ' || s.ptr[i] > '~')
			return false;
	return true;
}

static bool has_extensions(const struct kube_config *config)
{
	size_t count =
	    value_count(&config->extensions) + value_count(&config->preferences_extensions);

	for (size_t i = 0; i < config->cluster_count; i++)
		count += value_count(&config->clusters[i].extensions);
	return count > 0;
}

/*
 * COMPAT: sigs.k8s.io/yaml reads clientcmd's JSON with a parser of YAML, which folds U+0085, for
 * example. This only matters for strings that are not ASCII, and for the order of keys in
 * extensions.
 */
static enum status emit(struct arena *arena, struct sink *sink, const struct kube_config *config,
                        const struct value *root, sv *ret_text)
{
	struct buf json = buf_in(arena);
	struct buf out = buf_in(arena);
	struct sink inner = sink_in(arena);
	struct yml_documents documents = {0};

	json_emit(&json, root, JSON_GO);
	if (has_extensions(config) || !is_printable_ascii(buf_sv(&json))) {
		const struct source *source =
		    source_new(arena, SV("kubeconfig"), buf_sv(&json), true);

		if (yml_parse(arena, &inner, source, &documents) != STATUS_OK) {
			struct diag *diag = diag_report(
			    sink, DIAG_KUBECONFIG, config->at,
			    "the controller cannot write the kubelet's kubeconfig: the token, the "
			    "server's address or an extension cannot be written as YAML");
			diag_set_help(sink, diag,
			              "remove control characters there, and keys of more "
			              "than 1000 characters");
			return STATUS_FAILED;
		}
		root = &documents.items[0].root;
	}
	yml_emit_sigs(&out, root);
	*ret_text = buf_sv(&out);
	return STATUS_OK;
}

static struct value make_clusters(struct arena *arena, const struct kube_config *config)
{
	struct value clusters = value_list_new(arena);

	for (size_t i = 0; i < config->cluster_count; i++)
		value_list_add(arena, &clusters,
		               make_cluster(arena, &config->clusters[i],
		                            i == 0 ? SV("c") : config->clusters[i].name));
	sort_stable(clusters.list->items, clusters.list->count, sizeof(struct value), compare_names,
	            NULL);
	return clusters;
}

static struct value make_preferences(struct arena *arena, const struct kube_config *config)
{
	struct value preferences = value_map_new(arena);

	if (config->preferences_colors)
		value_map_set(arena, &preferences, SV("colors"), value_bool(true));
	set_extensions(arena, &preferences, &config->preferences_extensions);
	return preferences;
}

enum status kube_config_bootstrap(struct arena *arena, struct sink *sink,
                                  const struct kube_config *config, const struct value *token,
                                  struct value *ret_text)
{
	struct value root = value_map_new(arena);
	struct value context = value_map_new(arena);
	struct value user = value_map_new(arena);
	struct value preferences = make_preferences(arena, config);
	sv text;

	value_map_set(arena, &context, SV("cluster"), value_string(SV("c")));
	value_map_set(arena, &context, SV("user"), value_string(SV("c")));
	set_string(arena, &user, SV("token"), token);
	value_map_set(arena, &root, SV("apiVersion"), value_string(SV("v1")));
	value_map_set(arena, &root, SV("clusters"), make_clusters(arena, config));
	value_map_set(arena, &root, SV("contexts"),
	              list_of(arena, make_named(arena, SV("context"), context)));
	value_map_set(arena, &root, SV("current-context"), value_string(SV("c")));
	set_extensions(arena, &root, &config->extensions);
	value_map_set(arena, &root, SV("kind"), value_string(SV("Config")));
	if (value_count(&preferences) > 0)
		value_map_set(arena, &root, SV("preferences"), preferences);
	value_map_set(arena, &root, SV("users"),
	              list_of(arena, make_named(arena, SV("user"), user)));
	if (emit(arena, sink, config, &root, &text) != STATUS_OK)
		return STATUS_FAILED;

	/* If the cluster-info is confidential or a URL has a password, all of the kubeconfig is
	 * secret. */
	const struct secret *secret = secrecy_find(&config->clusters[0].server);
	if (!secret)
		secret = secrecy_find(&config->clusters[0].proxy_url);
	*ret_text =
	    secret ? value_secret_string(arena, text, secret) : taint_emitted(arena, text, token);
	return STATUS_OK;
}
