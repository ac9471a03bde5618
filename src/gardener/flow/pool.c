/*
 * Decides which OperatingSystemConfigs are part of the flow, and how their pools are called.
 */
#include "gardener/flow/flow.h"

bool gardener_flow_has(const struct gardener_settings *settings, const struct kube_object *osc)
{
	sv purpose = value_text(value_path(osc->root, "spec.purpose"));

	return settings->flow == GARDENER_FLOW_DOWNLOADER && settings->contract == GARDENER_2021 &&
	       sv_eq(purpose, gardener_purpose_name(GARDENER_RECONCILE));
}

/* Returns the name of an OSC of purpose provision without its suffix. */
static sv provision_key(const struct kube_object *osc)
{
	static const sv suffixes[] = {SV_INIT(GARDENER_FLOW_SUFFIX), SV_INIT("-provision"),
	                              SV_INIT("-init")};
	sv name = osc->id.name;

	for (size_t i = 0; i < COUNT_OF(suffixes); i++)
		if (sv_ends_with(name, suffixes[i]))
			return sv_slice(name, 0, name.len - suffixes[i].len);
	return name;
}

sv gardener_flow_name(struct arena *arena, const struct kube_object *osc)
{
	sv purpose = value_text(value_path(osc->root, "spec.purpose"));
	sv key = sv_eq(purpose, gardener_purpose_name(GARDENER_PROVISION))
	             ? provision_key(osc)
	             : gardener_node_agent_key(osc);

	return sv_starts_with(key, SV(GARDENER_FLOW_PREFIX))
	           ? key
	           : ARENA_CONCAT(arena, SV(GARDENER_FLOW_PREFIX), key);
}

sv gardener_flow_provision_name(struct arena *arena, const struct kube_object *osc)
{
	return ARENA_CONCAT(arena, gardener_node_agent_key(osc), SV(GARDENER_FLOW_SUFFIX));
}
