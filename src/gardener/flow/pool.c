/*
 * Decides which OperatingSystemConfigs are part of the flow, and how their pools are called.
 */
#include "gardener/flow/flow.h"

#define NAME_PREFIX "cloud-config-"

bool gardener_flow_has(const struct gardener_settings *settings, const struct kube_object *osc)
{
	sv purpose = value_text(value_path(osc->root, "spec.purpose"));

	return settings->flow == GARDENER_FLOW_DOWNLOADER && settings->contract == GARDENER_2021 &&
	       sv_eq(purpose, gardener_purpose_name(GARDENER_RECONCILE));
}

sv gardener_flow_name(struct arena *arena, const struct kube_object *osc)
{
	sv key = gardener_node_agent_key(osc);

	return sv_starts_with(key, SV(NAME_PREFIX)) ? key
	                                            : ARENA_CONCAT(arena, SV(NAME_PREFIX), key);
}

sv gardener_flow_provision_name(struct arena *arena, const struct kube_object *osc)
{
	return ARENA_CONCAT(arena, gardener_node_agent_key(osc), SV("-downloader"));
}

/* Returns the name without the first of the suffixes that it has. */
static sv without_suffix(sv name, const sv *suffixes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (sv_ends_with(name, suffixes[i]))
			return sv_slice(name, 0, name.len - suffixes[i].len);
	return name;
}

static sv without_prefix(sv name)
{
	return sv_starts_with(name, SV(NAME_PREFIX))
	           ? sv_slice(name, sizeof(NAME_PREFIX) - 1, name.len)
	           : name;
}

const struct kube_object *gardener_flow_given_provision(struct arena *arena,
                                                        const struct dialect_cluster *cluster,
                                                        const struct kube_object *osc)
{
	static const sv suffixes[] = {SV_INIT("-downloader"), SV_INIT("-provision"),
	                              SV_INIT("-init")};
	sv pool = without_prefix(gardener_flow_name(arena, osc));

	VEC_EACH (unit, &cluster->units) {
		sv purpose = value_text(value_path((*unit)->root, "spec.purpose"));
		sv name = without_suffix((*unit)->id.name, suffixes, COUNT_OF(suffixes));

		if (sv_eq(purpose, gardener_purpose_name(GARDENER_PROVISION)) &&
		    sv_eq((*unit)->id.namespace, osc->id.namespace) &&
		    sv_eq(without_prefix(name), pool))
			return *unit;
	}
	return NULL;
}
