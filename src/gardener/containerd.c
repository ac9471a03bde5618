/*
 * Checks criConfig of contract current, from which gardener-node-agent makes the configuration of
 * containerd (docs/spec/gardener.md 1.5).
 */
#include "gardener/internal.h"
#include "golang/golang.h"

#define PORT_MAX 65535

struct judge {
	struct arena *arena;
	struct sink *sink;
	bool failed;
};

static void refuse_containerd(struct judge *j, struct position at, const char *problem,
                              const char *help)
{
	struct diag *diag = diag_report(j->sink, DIAG_GARDENER_CONTAINERD, at, "%s", problem);

	diag_set_help(j->sink, diag, "%s", help);
	j->failed = true;
}

/* Returns 0 for other types, which osc_shape.c has reported. */
static size_t count_of(const struct value *list)
{
	return value_is_list(list) ? value_count(list) : 0;
}

/* ---- registries -------------------------------------------------------------------------- */

/* Returns true for HOST or HOST:PORT; digits after the last colon are a port. */
static bool is_host_port(sv text)
{
	size_t colon = sv_rfind_char(text, ':');
	sv port = {0};
	int64_t number;

	if (colon != SV_NPOS)
		port = sv_from_offset(text, colon + 1);
	if (!sv_empty(port) && ascii_is_digit(port.ptr[0]) && sv_parse_int64(port, &number)) {
		if (port.ptr[0] == '0' || number > PORT_MAX)
			return false;
		text = sv_slice(text, 0, colon);
	}
	return kube_name_valid(text);
}

static void check_upstream(struct judge *j, struct map *seen, const struct value *upstream)
{
	sv text = value_text(upstream);
	const struct value *first = map_get(seen, text);
	struct diag *diag;

	if (sv_empty(text))
		return;
	if (first) {
		diag = diag_report(j->sink, DIAG_GARDENER_TWICE, value_position(upstream),
		                   "two registries have the upstream \"%.*s\"", SV_ARG(text));
		diag_add_note(j->sink, diag, value_position(first), "the other one is here");
		diag_set_help(j->sink, diag, "put the hosts of both below one of them");
		j->failed = true;
		return;
	}
	map_put(seen, text, (void *)upstream);
	if (!sv_eq(text, SV("_default")) && !is_host_port(text))
		refuse_containerd(
		    j, value_position(upstream), "the upstream is not a host",
		    "write HOST or HOST:PORT, without https:// and without a path; or _default "
		    "for all others");
}

static void check_server(struct judge *j, const struct value *server)
{
	struct url url;
	sv error;

	if (!value_is_string(server))
		return;
	if (!go_url_parse(j->arena, server->string, &url, &error))
		refuse_containerd(j, value_position(server), "the server is not a URL",
		                  "write https://HOST[:PORT]");
	else if (!sv_eq(url.scheme, SV("http")) && !sv_eq(url.scheme, SV("https")))
		refuse_containerd(j, value_position(server),
		                  "the server is not an http or https URL",
		                  "write https://HOST[:PORT]");
	else if (sv_empty(url.host))
		refuse_containerd(j, value_position(server), "the server's URL names no host",
		                  "write https://HOST[:PORT]");
}

static void check_host(struct judge *j, const struct value *host)
{
	const struct value *text = value_map_get(host, SV("url"));
	struct url url;
	sv error;

	if (!sv_empty(value_text(text)) &&
	    (!go_url_parse(j->arena, text->string, &url, &error) || sv_empty(url.host)))
		refuse_containerd(j, value_position(text), "the url names no host",
		                  "write https://HOST[:PORT]");
}

static void check_registry(struct judge *j, struct map *upstreams, const struct value *registry)
{
	const struct value *hosts = value_map_get(registry, SV("hosts"));

	check_upstream(j, upstreams, value_map_get(registry, SV("upstream")));
	check_server(j, value_map_get(registry, SV("server")));
	for (size_t i = 0; i < count_of(hosts); i++)
		check_host(j, value_item(hosts, i));
}

/* ---- plugins ----------------------------------------------------------------------------- */

static void check_plugin(struct judge *j, const struct value *plugin)
{
	const struct value *operation = value_map_get(plugin, SV("op"));
	const struct value_entry *values = value_map_find(plugin, SV("values"));

	if (values && !value_is_null(&values->value) && sv_eq(value_text(operation), SV("remove")))
		refuse_containerd(j, origin_position(values->key_origin),
		                  "a plugin that is removed has no values",
		                  "remove values, or write op: add");
}

enum status gardener_containerd_validate(struct arena *arena, struct sink *sink,
                                         const struct gardener_osc *osc)
{
	struct judge j = {arena, sink, false};
	const struct value_entry *entry = value_map_find(osc->cri, SV("containerd"));
	const struct value *containerd = entry ? &entry->value : NULL;
	const struct value *registries = value_map_get(containerd, SV("registries"));
	const struct value *plugins = value_map_get(containerd, SV("plugins"));
	struct map upstreams = map_in(arena);

	if (!value_is_null(containerd) && osc->purpose == GARDENER_PROVISION) {
		refuse_containerd(&j, origin_position(entry->key_origin),
		                  "containerd's settings are not for purpose provision",
		                  "move them to the OperatingSystemConfig of purpose reconcile");
		return STATUS_FAILED;
	}
	for (size_t i = 0; i < count_of(registries); i++)
		check_registry(&j, &upstreams, value_item(registries, i));
	for (size_t i = 0; i < count_of(plugins); i++)
		check_plugin(&j, value_item(plugins, i));
	return j.failed ? STATUS_FAILED : STATUS_OK;
}
