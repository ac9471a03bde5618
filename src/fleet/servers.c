/*
 * Finds clusters that are copies of each other: two with one API server, and folders with a Cluster
 * of another name.
 */
#include "fleet/internal.h"
#include "golang/golang.h"

/* ---- API servers ------------------------------------------------------------------------- */

/* A cluster that names an API server, and where. */
struct served {
	const struct fleet_cluster *cluster;
	struct position at;
};
VEC_TYPE(served_list, struct served);

struct servers {
	struct arena *arena;
	struct arena *secret_arena;
	struct map by_key; /* struct served_list */
	VEC(struct served_list *) lists;
};

/* Returns the form of a URL that is equal for equal servers, or an empty string. */
static sv server_key(struct arena *arena, const struct value *url)
{
	struct url parsed;
	sv error;

	if (!value_is_string(url) || secrecy_is_absent(url) ||
	    !go_url_parse(arena, url->string, &parsed, &error) || sv_empty(parsed.host))
		return SV("");
	sv port = go_url_port(&parsed);
	sv host = arena_lower_ascii(arena, sv_trim_right(go_url_hostname(&parsed), "."));
	return arena_printf(arena, "%.*s:%.*s/%.*s", SV_ARG(host),
	                    SV_ARG(sv_empty(port) ? SV("443") : port),
	                    SV_ARG(sv_trim(parsed.path, "/")));
}

static void add_server(struct servers *s, const struct fleet_cluster *cluster,
                       const struct value *url, struct position at)
{
	sv key = server_key(s->secret_arena, url);
	struct served_list *list = map_get(&s->by_key, key);

	if (sv_empty(key))
		return;
	if (!list) {
		list = ARENA_NEW(s->arena, struct served_list);
		map_put(&s->by_key, key, list);
		VEC_PUSH(s->arena, &s->lists, list);
	}
	/* cluster-info and a KubeOneCluster of one cluster name the same server. */
	if (list->count == 0 || list->items[list->count - 1].cluster != cluster)
		VEC_PUSH(s->arena, list, (struct served){cluster, at});
}

/* Returns the place of a string in a longer one, such as a kubeconfig in cluster-info. */
static struct position place_in(const struct value *text, sv part)
{
	size_t offset = sv_find(text->string, part);
	struct position at = value_text_position(text, offset == SV_NPOS ? 0 : offset);

	if (at.source && offset != SV_NPOS)
		at.length = part.len;
	return at;
}

/* Adds what nodes use: the setting, else cluster-info, if that is not encrypted. */
static void add_cluster(struct servers *s, const struct fleet_cluster *cluster)
{
	const struct value *given = value_map_get(&cluster->given, SV(SETTING_API_SERVER));
	const struct kube_object *object =
	    cluster->unit_count > 0 ? kube_objects_cluster_info(cluster->objects) : NULL;
	const struct value *text = NULL;
	struct sink unused = sink_in(s->secret_arena); /* the dialect reports its mistakes */
	struct kube_config config;

	if (object && !seal_is_sealed(object->root))
		text = value_path(object->root, "data.kubeconfig");
	if (!sv_empty(value_text(given)))
		add_server(s, cluster, given, value_position(given));
	else if (value_is_string(text) &&
	         kube_config_parse(s->secret_arena, &unused, text, &config) == STATUS_OK &&
	         config.cluster_count == 1)
		add_server(s, cluster, &config.clusters[0].server,
		           place_in(text, value_text(&config.clusters[0].server)));
	add_server(s, cluster, &cluster->made_server, value_position(&cluster->made_server));
}

/*
 * Returns true if the clusters share a server on purpose: all have the setting, or one of two has
 * it. Of three clusters each must have it.
 */
static bool is_meant(const struct served_list *list)
{
	size_t agree = 0;

	VEC_EACH (served, list)
		agree += served->cluster->shares_api_server;
	return agree == list->count || (list->count == 2 && agree == 1);
}

static void report_list(struct sink *sink, const struct served_list *list)
{
	const struct served *first = &list->items[0];

	/* The one to compare with: one that does not share it, where there is any. */
	VEC_EACH (served, list)
		if (first->cluster->shares_api_server && !served->cluster->shares_api_server)
			first = served;
	VEC_EACH (served, list) {
		if (served == first || (served->cluster->shares_api_server &&
		                        !first->cluster->shares_api_server && list->count > 2))
			continue;
		struct diag *diag =
		    diag_report(sink, DIAG_FLEET_SAME_SERVER, served->at,
		                "clusters %.*s and %.*s have the same API server: machines of one "
		                "would join the other",
		                SV_ARG(first->cluster->name), SV_ARG(served->cluster->name));
		diag_add_note(sink, diag, first->at, "the API server of cluster %.*s",
		              SV_ARG(first->cluster->name));
		diag_set_help(sink, diag,
		              "give each cluster its own cluster-info or apiEndpoint; if both are "
		              "meant for one API server, set sharedAPIServer: true in their "
		              "settings");
	}
}

/* ---- folders ----------------------------------------------------------------------------- */

/* Cuts a part off the beginning of *text, and the - or . after it. */
static bool cut_part(sv *text, sv part)
{
	if (!sv_starts_with(*text, part))
		return false;
	sv rest = sv_from_offset(*text, part.len);
	if (!sv_empty(rest) && !ascii_is_any(rest.ptr[0], "-."))
		return false;
	*text = sv_from_offset(rest, sv_empty(rest) ? 0 : 1);
	return true;
}

/* Returns true for a name that is some parts of the path, forwards or backwards from the end. */
static bool folder_has_name(sv folder, sv name)
{
	sv backwards = name;
	sv parts = folder;

	while (!sv_empty(parts)) {
		sv part = sv_after_last(parts, '/');
		struct sv_splitter from_here;
		sv forwards = name;
		sv next;

		if (!sv_empty(backwards) && !cut_part(&backwards, part))
			backwards = name;
		if (sv_empty(backwards) || sv_eq(part, name))
			return true;
		size_t start = parts.len - part.len;
		from_here = sv_split(sv_from_offset(folder, start), '/');
		while (sv_split_next(&from_here, &next) && cut_part(&forwards, next))
			if (sv_empty(forwards))
				return true;
		parts = os_folder_of(parts);
	}
	return false;
}

static void check_folder(struct sink *sink, const struct fleet_cluster *cluster)
{
	if (sv_empty(cluster->scope) || !kube_name_valid(cluster->name) ||
	    folder_has_name(cluster->scope, cluster->name))
		return;
	struct diag *diag = diag_report(sink, DIAG_FLEET_FOLDER_NAME, cluster->at,
	                                "the folder %.*s has the Cluster %.*s",
	                                SV_ARG(cluster->scope), SV_ARG(cluster->name));
	diag_set_help(sink, diag,
	              "name both alike: the output and the tokens follow metadata.name, not the "
	              "folder");
}

/* ---- all --------------------------------------------------------------------------------- */

void fleet_check_servers(struct arena *arena, struct arena *secret_arena, struct sink *sink,
                         const struct fleet *fleet)
{
	struct servers servers = {.arena = arena, .secret_arena = secret_arena};

	servers.by_key = map_in(secret_arena);
	for (size_t i = 0; i < fleet->cluster_count; i++) {
		check_folder(sink, &fleet->clusters[i]);
		if (fleet->cluster_count > 1)
			add_cluster(&servers, &fleet->clusters[i]);
	}
	VEC_EACH (list, &servers.lists)
		if (!is_meant(*list))
			report_list(sink, *list);
}
