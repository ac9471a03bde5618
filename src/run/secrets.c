#include "run/stages.h"

/*
 * Every secret of the inputs, for the leak scan and for masking: also those that no template asks
 * for, and those that only another cluster's output may hold.
 */

static void add_objects(struct run *run, struct map *seen, const struct kube_objects *objects)
{
	struct arena *arena = run->secret_arena;
	struct sink unheard = sink_in(arena);
	struct kube_object_list secrets = kube_objects_of_kind(arena, objects, SV("Secret"));
	struct kube_object_list maps = kube_objects_of_kind(arena, objects, SV("ConfigMap"));

	VEC_EACH (secret, &secrets) {
		const struct kube_id *id = &(*secret)->id;
		/* Shared ones are met once for each cluster. */
		if (!map_put(seen, sv_from((const char *)secret, sizeof(*secret)), run))
			continue;
		struct kube_keys keys = kube_secret_keys(arena, *secret);

		for (size_t i = 0; i < keys.count; i++) {
			struct value text;

			if (kube_secret_value(arena, &unheard, *secret, keys.items[i], NOWHERE,
			                      &text) != STATUS_OK)
				continue;
			secret_inventory_add_data(
			    run->secrets,
			    kube_secret_name(arena, id->namespace, id->name, keys.items[i]),
			    keys.items[i], text.string);
		}
	}
	VEC_EACH (config_map, &maps) {
		const struct kube_id *id = &(*config_map)->id;
		const struct value *data = value_map_get((*config_map)->root, SV("data"));

		for (size_t i = 0; (*config_map)->confidential && i < value_count(data); i++) {
			const struct value_entry *entry = &data->map->entries[i];

			secret_inventory_add_data(
			    run->secrets,
			    kube_secret_name(arena, id->namespace, id->name, entry->key),
			    entry->key, value_text(&entry->value));
		}
	}
}

static void add_settings(struct secret_inventory *secrets, const struct osm_settings *settings)
{
	secret_inventory_add_value(secrets, &settings->http_proxy);
	secret_inventory_add_value(secrets, &settings->no_proxy);
	secret_inventory_add_value(secrets, &settings->override_api_server);
	VEC_EACH (mirror, &settings->registry_mirrors)
		secret_inventory_add_value(secrets, &mirror->url);
	VEC_EACH (mirror, &settings->containerd_mirrors)
		secret_inventory_add_value(secrets, &mirror->url);
}

void run_add_input_secrets(struct run *run)
{
	const struct run_key *identities = &run->request->identities;
	struct map seen = map_in(run->arena); /* objects */

	secret_inventory_add_lines(run->secrets, identities->name, identities->text);
	/*
	 * Only credentials: a user or a region may stand in the clear for other machines. What a
	 * machine does take from here its own output is scanned for.
	 */
	secret_inventory_add_variables(run->secrets, &run->environment);
	for (size_t i = 0; i < run->fleet.cluster_count; i++) {
		const struct fleet_cluster *cluster = &run->fleet.clusters[i];

		add_objects(run, &seen, cluster->objects);
		add_settings(run->secrets, &cluster->settings);
		for (size_t j = 0; j < cluster->machine_deployment_count; j++) {
			struct value config = osm_machine_credentials(
			    run->secret_arena, cluster->machine_deployments[j].object);

			secret_inventory_add_value(run->secrets, &config);
		}
	}
}
