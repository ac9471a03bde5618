/*
 * An osm-gen.yaml with encrypted members, which osm-gen does not decrypt. Its other members are
 * read all the same, so that one mistake gives one message.
 */
#include "fleet/internal.h"

struct value fleet_clear_settings(struct arena *arena, const struct value *v)
{
	struct value clear = value_is_list(v) ? value_list_new(arena) : value_map_new(arena);

	if (!value_is_list(v) && !value_is_map(v))
		return *v;
	clear.origin = v->origin;
	for (size_t i = 0; i < value_count(v); i++) {
		const struct value_entry *entry = value_is_map(v) ? &v->map->entries[i] : NULL;
		const struct value *item = entry ? &entry->value : value_item(v, i);

		if (seal_is_sealed_text(value_text(item)) ||
		    (entry && sv_eq_cstr(entry->key, "sops")))
			continue;
		if (entry)
			value_map_set_at(arena, &clear, entry->key, entry->key_origin,
			                 fleet_clear_settings(arena, item));
		else
			value_list_add(arena, &clear, fleet_clear_settings(arena, item));
	}
	return clear;
}

void fleet_report_sealed_settings(struct sink *sink, const struct fleet_file *file,
                                  const struct value *root)
{
	const struct value_entry *sops = value_map_find(root, SV("sops"));
	struct diag *diag =
	    diag_report(sink, DIAG_FLEET_SETTINGS_ENCRYPTED,
	                sops ? origin_position(sops->key_origin) : value_position(root),
	                "this " FLEET_SETTINGS_FILE
	                " is encrypted with SOPS, and osm-gen cannot read encrypted settings yet");

	diag_set_help(sink, diag,
	              "decrypt it (sops decrypt --in-place %.*s), and give a value that holds a "
	              "password, such as a proxy's address, on CI's command line or in its "
	              "environment: --node-http-proxy, or OSM_GEN_NODE_HTTP_PROXY (one value for "
	              "all clusters)",
	              SV_ARG(file->path));
}
