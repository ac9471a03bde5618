/*
 * Where credentials stand in a MachineDeployment: under the names that its cloud gives them, and
 * under those that always mean one.
 */
#include "osm/internal.h"

struct value osm_taint_credentials(struct arena *arena, sv provider, const struct value *spec,
                                   sv prefix)
{
	const struct osm_provider *found = osm_provider_find(provider);

	return secrecy_taint_credentials(arena, spec, prefix, found ? found->secrets : NULL,
	                                 found ? found->secret_count : 0);
}

struct value osm_machine_credentials(struct arena *arena,
                                     const struct kube_object *machine_deployment)
{
	const struct kube_id *id = &machine_deployment->id;
	const struct value *config =
	    value_path(machine_deployment->root, "spec.template.spec.providerSpec.value");

	if (!value_is_map(config))
		return value_null();
	return osm_taint_credentials(
	    arena, value_text(go_json_member(config, SV("cloudProvider"))), config,
	    kube_secret_name(arena, id->namespace, id->name, SV("providerSpec")));
}
