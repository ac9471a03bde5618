/*
 * Makes the OSC of purpose provision of a pool: the downloader with its unit, the address and CA of
 * the API server, and the first token. In Gardener v1.24 gardenlet makes it.
 */
#include "gardener/flow/flow.h"

/* ---- the object -------------------------------------------------------------------------- */

const struct kube_object *gardener_flow_provision(struct arena *arena,
                                                  const struct gardener_osc *osc)
{
	const struct kube_object *original = osc->object;
	struct kube_object *object = ARENA_NEW(arena, struct kube_object);
	struct value *root = ARENA_NEW(arena, struct value);
	struct value spec = value_map_new(arena);
	struct kube_id id = original->id;

	id.name = gardener_flow_provision_name(arena, original);
	gardener_set(arena, &spec, "type", osc->type);
	gardener_set(arena, &spec, "purpose",
	             value_string(gardener_purpose_name(GARDENER_PROVISION)));
	if (osc->provider_config)
		gardener_set(arena, &spec, "providerConfig", *osc->provider_config);
	if (osc->cri)
		gardener_set(arena, &spec, "criConfig", *osc->cri);
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

/* ---- files and unit ---------------------------------------------------------------------- */

enum { DOWNLOADER_FILES = 4 };

static struct gardener_file downloader_file(const char *path, int mode, struct value content)
{
	return (struct gardener_file){
	    .path = value_string(sv_from_cstr(path)),
	    .mode = mode,
	    .content = content,
	};
}

void gardener_flow_extend(struct arena *arena, const struct dialect_cluster *cluster,
                          const struct gardener_flow_server *server, const struct value *token,
                          struct gardener_osc *osc)
{
	const struct gardener_settings *settings = cluster->settings;
	struct gardener_file *files =
	    ARENA_ARRAY(arena, struct gardener_file, osc->file_count + DOWNLOADER_FILES);
	struct gardener_unit *units = ARENA_ARRAY(arena, struct gardener_unit, osc->unit_count + 1);
	/* Sends the placeholder of machine-controller-manager as it is. */
	const struct value first =
	    settings->machine_tokens ? value_string(SV(GARDENER_FLOW_PLACEHOLDER)) : *token;

	files[0] = downloader_file(GARDENER_FLOW_CREDENTIALS "/server", 0644, server->url);
	files[1] = downloader_file(GARDENER_FLOW_CREDENTIALS "/ca.crt", 0644, server->ca);
	files[2] = downloader_file(GARDENER_FLOW_CREDENTIALS "/bootstrap-token", 0600, first);
	files[2].is_transparent = settings->machine_tokens;
	files[3] = downloader_file(GARDENER_FLOW_PROGRAM, 0755,
	                           gardener_flow_downloader(arena, cluster, osc->object));
	for (size_t i = 0; i < osc->file_count; i++)
		files[DOWNLOADER_FILES + i] = osc->files[i];
	units[0] = (struct gardener_unit){
	    .name = value_string(SV(GARDENER_FLOW_UNIT)),
	    .command = value_string(SV("start")),
	    .enable = NODE_ENABLE_YES,
	    .content = value_string(gardener_flow_unit(arena, osc->cri_name)),
	};
	for (size_t i = 0; i < osc->unit_count; i++)
		units[1 + i] = osc->units[i];
	osc->files = files;
	osc->file_count += DOWNLOADER_FILES;
	osc->units = units;
	osc->unit_count++;
}
