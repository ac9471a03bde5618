/*
 * Renders containerd's hosts.toml files, one for each registry (docs/spec/containerd.md 3), the
 * same for all nodes of a cluster.
 */
#include "dialect/dialect.h"
#include "golang/golang.h"
#include "osm/cluster.h"
#include "osm/osm.h"
#include "value/text.h"

#define CERTS_DIR "/etc/containerd/certs.d/"

struct endpoint {
	sv url;
	struct value text; /* url with its taint */
	bool override_path;
};

struct registry {
	sv name;
	VEC(struct endpoint) endpoints;
	bool insecure;
};
VEC_TYPE(registries, struct registry);

static struct registry *registry_of(struct arena *arena, struct registries *registries, sv name)
{
	VEC_EACH (registry, registries) {
		if (sv_eq(registry->name, name))
			return registry;
	}
	VEC_PUSH(arena, registries, (struct registry){.name = name});
	return &registries->items[registries->count - 1];
}

/*
 * A mirror's URL without its `kubermatic` parameter, which holds options in a query string of its
 * own. Without that parameter, or when the URL cannot be parsed, it is used as written.
 */
static struct endpoint make_endpoint(struct arena *arena, const struct value *mirror)
{
	struct endpoint endpoint = {.url = mirror->string, .text = *mirror};
	struct url url;
	sv error;

	if (!go_url_parse(arena, mirror->string, &url, &error))
		return endpoint;
	struct url_query query = go_url_query_parse(arena, url.raw_query, NULL);
	const struct url_parameter *options = go_url_query_get(&query, SV("kubermatic"));
	if (!options)
		return endpoint;
	sv inner;
	if (go_url_query_unescape(arena, options->value, &inner, &error)) {
		struct url_query settings = go_url_query_parse(arena, inner, NULL);
		const struct url_parameter *option =
		    go_url_query_get(&settings, SV("override_path"));

		if (option &&
		    !go_strconv_parse_bool(arena, option->value, &endpoint.override_path, &error))
			endpoint.override_path = false;
	}
	go_url_query_delete(&query, SV("kubermatic"));
	url.raw_query = go_url_query_encode(arena, &query);
	endpoint.url = go_url_format(arena, &url);
	endpoint.text = value_string(endpoint.url);
	endpoint.text.taint = taint_whole(arena, endpoint.url.len, secrecy_find(mirror));
	return endpoint;
}

static void add_mirrors(struct arena *arena, struct registries *registries,
                        const struct osm_mirrors *mirrors, size_t *given)
{
	VEC_EACH (mirror, mirrors) {
		struct registry *registry = registry_of(arena, registries, mirror->registry);
		size_t index = (size_t)(registry - registries->items);

		/* The first mirror replaces docker.io's own endpoint. */
		if (index == 0 && (*given)++ == 0)
			registry->endpoints.count = 0;
		VEC_PUSH(arena, &registry->endpoints, make_endpoint(arena, &mirror->url));
	}
}

static struct registries collect(struct arena *arena, const struct osm_settings *settings)
{
	struct registries registries = {0};
	struct registry *docker = registry_of(arena, &registries, SV("docker.io"));
	const struct value own = value_string(SV("https://registry-1.docker.io"));
	size_t given = 0;

	VEC_PUSH(arena, &docker->endpoints, (struct endpoint){.url = own.string, .text = own});
	add_mirrors(arena, &registries, &settings->containerd_mirrors, &given);
	add_mirrors(arena, &registries, &settings->registry_mirrors, &given);
	for (size_t i = 0; i < value_count(&settings->insecure_registries); i++)
		registry_of(arena, &registries,
		            value_text(value_item(&settings->insecure_registries, i)))
		    ->insecure = true;
	return registries;
}

static sv directory_of(sv registry)
{
	if (sv_eq_cstr(registry, "*"))
		return SV("_default");
	return sv_slice(registry, 0, sv_find_char(registry, '/'));
}

static sv server_of(sv registry)
{
	sv directory = directory_of(registry);

	if (sv_eq_cstr(directory, "docker.io"))
		return SV("https://registry-1.docker.io");
	if (sv_eq_cstr(directory, "_default"))
		return SV("");
	return registry;
}

static void add_host(struct text *text, const struct endpoint *endpoint, bool insecure)
{
	TEXT_ADD_LIT(text, "[host.");
	if (secrecy_find(&endpoint->text))
		osm_toml_add_string(text, &endpoint->text);
	else
		osm_toml_add_key(text, endpoint->url);
	TEXT_ADD_LIT(text, "]\ncapabilities = [\"pull\", \"resolve\"]\n");
	if (insecure)
		TEXT_ADD_LIT(text, "skip_verify = true\n");
	if (endpoint->override_path)
		TEXT_ADD_LIT(text, "override_path = true\n");
}

static struct value make_text(struct arena *arena, const struct registry *registry)
{
	struct text text = text_in(arena);
	struct value server = value_string(server_of(registry->name));
	size_t count = registry->endpoints.count;
	struct endpoint *sorted = ARENA_ARRAY(arena, struct endpoint, count + 1);

	if (!sv_empty(server.string)) {
		TEXT_ADD_LIT(&text, "server = ");
		osm_toml_add_string(&text, &server);
		TEXT_ADD_LIT(&text, "\n\n");
	}
	if (count == 0) {
		sorted[0] = (struct endpoint){.url = server.string, .text = server};
		count = 1;
	} else {
		memcpy(sorted, registry->endpoints.items, count * sizeof(*sorted));
		SORT_BY(sorted, count, url);
	}
	for (size_t i = 0; i < count; i++) {
		/* If URLs are equal, the last one's settings win. */
		if (i + 1 < count && sv_eq(sorted[i].url, sorted[i + 1].url))
			continue;
		add_host(&text, &sorted[i], registry->insecure);
	}
	return text_value(arena, &text);
}

struct osm_hosts_files osm_containerd_hosts(struct arena *arena,
                                            const struct osm_settings *settings)
{
	struct registries registries = collect(arena, settings);
	struct osm_hosts_files files = {0};

	/* If registries share a folder, the last one in byte order wins. */
	SORT_BY(registries.items, registries.count, name);
	VEC_EACH (registry, &registries) {
		if (registry->endpoints.count == 0 && !registry->insecure)
			continue;
		struct osm_hosts_file file = {
		    .path = ARENA_CONCAT(arena, SV(CERTS_DIR), directory_of(registry->name),
		                         SV("/hosts.toml")),
		    .text = make_text(arena, registry),
		};
		bool replaced = false;

		VEC_EACH (known, &files) {
			if (sv_eq(known->path, file.path)) {
				*known = file;
				replaced = true;
			}
		}
		if (!replaced)
			VEC_PUSH(arena, &files, file);
	}
	sort_stable(files.items, files.count, sizeof(*files.items), sort_compare_sv, NULL);
	return files;
}
