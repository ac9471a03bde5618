/*
 * The defaults of the settings.
 */
#include "osm/settings.h"
#include "osm/osm.h"

void osm_settings_init(struct arena *arena, struct osm_settings *settings)
{
	const struct value empty = value_string(SV(""));
	struct value gates = value_map_new(arena);
	struct value dns = value_list_new(arena);

	gates.type = &type_bool_map;
	value_map_set(arena, &gates, SV("RotateKubeletServerCertificate"), value_bool(true));
	value_list_add(arena, &dns, value_string(SV("10.10.10.10")));
	*settings = (struct osm_settings){
	    .namespace = SV("kube-system"),
	    .container_runtime = SV("containerd"),
	    .cluster_dns = dns,
	    .pause_image = empty,
	    .initial_taints = empty,
	    .http_proxy = empty,
	    .no_proxy = value_string(SV(".svc,.cluster.local,localhost,127.0.0.1")),
	    .feature_gates = gates,
	    .insecure_registries = value_list_new(arena),
	    .registry_credentials_secret = {.text = empty},
	    .override_api_server = empty,
	    .token_service_account = {.text = empty},
	    .kubernetes_ca = empty,
	    .host_ca = empty,
	    .osc = OSM_OSC_REDACTED,
	    .empty_subscription = true,
	    .immutable_secrets = true,
	    .roll_guard = OSM_ROLL_GUARD,
	    .user_data_limits = value_map_new(arena),
	    .kubernetes_version = empty,
	};
}
