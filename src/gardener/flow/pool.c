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

sv gardener_flow_name(struct arena *arena, const struct kube_object *osc)
{
	sv key = gardener_node_agent_key(osc);

	return sv_starts_with(key, SV(GARDENER_FLOW_PREFIX))
	           ? key
	           : ARENA_CONCAT(arena, SV(GARDENER_FLOW_PREFIX), key);
}

sv gardener_flow_provision_name(struct arena *arena, const struct kube_object *osc)
{
	return ARENA_CONCAT(arena, gardener_node_agent_key(osc), SV("-downloader"));
}
