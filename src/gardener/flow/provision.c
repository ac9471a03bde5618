/*
 * Makes the OSC of purpose provision of a pool: the downloader with its unit, the address and CA of
 * the API server, and the first token. In Gardener v1.24 gardenlet makes it.
 */
#include "gardener/flow/flow.h"

#define CREDENTIALS GARDENER_FLOW_FOLDER "/credentials"
#define PLACEHOLDER "<<BOOTSTRAP_TOKEN>>"

/* ---- the object -------------------------------------------------------------------------- */

static void add_provision_file(struct arena *arena, struct value *files, const char *path, int mode,
                               struct value content)
{
	struct value permissions = value_int(mode);
	struct value file = value_map_new(arena);

	/* Give the number the type that a YAML reader gives it. */
	permissions.type = &type_int64;
	gardener_set(arena, &file, "path", value_string(sv_from_cstr(path)));
	gardener_set(arena, &file, "permissions", permissions);
	gardener_set(arena, &file, "content", content);
	value_list_add(arena, files, file);
}

/* Sends what machine-controller-manager fills in as it is. */
static struct value token_content(struct arena *arena, const struct gardener_settings *settings,
                                  const struct value *token)
{
	struct value content;

	if (!settings->machine_tokens)
		return gardener_inline(arena, *token, SV(""));
	content = gardener_inline(arena, value_string(SV(PLACEHOLDER)), SV(""));
	gardener_set(arena, &content, "transmitUnencoded", value_bool(true));
	return content;
}

static struct value units_of(struct arena *arena, sv cri_name)
{
	struct value units = value_list_new(arena);
	struct value unit = value_map_new(arena);

	gardener_set(arena, &unit, "name", value_string(SV(GARDENER_FLOW_UNIT)));
	gardener_set(arena, &unit, "command", value_string(SV("start")));
	gardener_set(arena, &unit, "enable", value_bool(true));
	gardener_set(arena, &unit, "content", value_string(gardener_flow_unit(arena, cri_name)));
	value_list_add(arena, &units, unit);
	return units;
}

const struct kube_object *gardener_flow_provision(struct arena *arena,
                                                  const struct dialect_cluster *cluster,
                                                  const struct gardener_osc *osc,
                                                  const struct gardener_flow_server *server,
                                                  const struct value *token)
{
	const struct kube_object *original = osc->object;
	struct kube_object *object = ARENA_NEW(arena, struct kube_object);
	struct value *root = ARENA_NEW(arena, struct value);
	struct value files = value_list_new(arena);
	struct value spec = value_map_new(arena);
	struct kube_id id = original->id;

	id.name = gardener_flow_provision_name(arena, original);
	add_provision_file(arena, &files, CREDENTIALS "/server", 0644,
	                   gardener_inline(arena, server->url, SV("")));
	add_provision_file(arena, &files, CREDENTIALS "/ca.crt", 0644,
	                   gardener_inline(arena, server->ca, SV("")));
	add_provision_file(arena, &files, CREDENTIALS "/bootstrap-token", 0600,
	                   token_content(arena, cluster->settings, token));
	add_provision_file(
	    arena, &files, GARDENER_FLOW_PROGRAM, 0755,
	    gardener_inline(arena, gardener_flow_downloader(arena, cluster, original), SV("")));
	gardener_set(arena, &spec, "type", osc->type);
	gardener_set(arena, &spec, "purpose",
	             value_string(gardener_purpose_name(GARDENER_PROVISION)));
	if (osc->provider_config)
		gardener_set(arena, &spec, "providerConfig", *osc->provider_config);
	if (osc->cri)
		gardener_set(arena, &spec, "criConfig", *osc->cri);
	gardener_set(arena, &spec, "units", units_of(arena, osc->cri_name));
	gardener_set(arena, &spec, "files", files);
	*root = kube_object_new(arena, &id, NULL, NULL);
	gardener_set(arena, root, "spec", spec);
	/* Mistakes that it shares with the original are reported there. */
	struct value *name =
	    value_map_get_mutable(value_map_get_mutable(root, SV("metadata")), SV("name"));
	name->origin = value_path(original->root, "metadata.name")->origin;
	*object = (struct kube_object){
	    .id = id,
	    .root = root,
	    .source = original->source,
	    .has_no_credential = true,
	};
	return object;
}
