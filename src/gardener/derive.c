/*
 * Makes an OperatingSystemConfig of purpose provision for each one of purpose reconcile, unless a
 * manifest has it. Its files and units are added when it is rendered (agent/node.c,
 * flow/provision.c).
 */
#include "gardener/agent/agent.h"
#include "gardener/cluster.h"

bool gardener_agent_has(const struct gardener_settings *settings, const struct kube_object *osc)
{
	sv purpose = value_text(value_path(osc->root, "spec.purpose"));

	return settings->flow == GARDENER_FLOW_NODE_AGENT &&
	       settings->contract == GARDENER_CURRENT &&
	       sv_eq(purpose, gardener_purpose_name(GARDENER_RECONCILE));
}

static sv derived_key(struct arena *arena, const struct kube_object *osc, sv name)
{
	return ARENA_CONCAT(arena, osc->id.namespace, SV("/"), name);
}

/*
 * Copies a member, with its position, if the map has it. The copy outlives the other OSC, whose
 * memory is freed once it is rendered.
 */
static void copy(struct arena *arena, const struct value *from, const char *key, struct value *to)
{
	const struct value *given = value_map_get(from, sv_from_cstr(key));

	if (given)
		value_map_set(arena, to, sv_from_cstr(key), value_copy(arena, given));
}

/* Returns the metadata; mistakes are reported at the name of the other OSC. */
static struct value metadata_of(struct arena *arena, const struct kube_object *osc, sv name)
{
	const struct value *given = value_path(osc->root, "metadata.name");
	struct value metadata = value_map_new(arena);
	struct value text = value_string(name);

	if (given)
		text.origin = given->origin;
	value_map_set(arena, &metadata, SV("name"), text);
	value_map_set(arena, &metadata, SV("namespace"), value_string(osc->id.namespace));
	return metadata;
}

static bool has_agent_unit(const struct value *spec)
{
	const struct value *units = value_map_get(spec, SV("units"));

	for (size_t i = 0; i < value_count(units); i++)
		if (sv_eq(value_text(value_map_get(value_item(units, i), SV("name"))),
		          SV(GARDENER_AGENT_UNIT)))
			return true;
	return false;
}

/* Copies the agent's configuration of an OSC that has the agent's unit itself, as dumped ones do.
 */
static void copy_config(struct arena *arena, const struct value *from, struct value *spec)
{
	const struct value *files = value_map_get(from, SV("files"));
	struct value copies = value_list_new(arena);

	for (size_t i = 0; i < value_count(files) && has_agent_unit(from); i++) {
		const struct value *file = value_item(files, i);
		sv path = value_text(value_map_get(file, SV("path")));

		if (sv_starts_with(path, SV(GARDENER_AGENT_CONFIG)) ||
		    sv_eq(path, SV(GARDENER_AGENT_CA)))
			value_list_add(arena, &copies, value_copy(arena, file));
	}
	if (value_count(&copies) > 0)
		value_map_set(arena, spec, SV("files"), copies);
}

static struct value spec_of(struct arena *arena, const struct kube_object *osc)
{
	const struct value *given = value_map_get(osc->root, SV("spec"));
	const struct value *cri = value_map_get(given, SV("criConfig"));
	struct value spec = value_map_new(arena);
	struct value own_cri = value_map_new(arena);

	if (!cri)
		cri = value_map_get(given, SV("cri"));
	copy(arena, given, "type", &spec);
	value_map_set(arena, &spec, SV("purpose"),
	              value_string(gardener_purpose_name(GARDENER_PROVISION)));
	copy(arena, given, "providerConfig", &spec);
	/* containerd's settings are for the agent. */
	copy(arena, cri, "name", &own_cri);
	copy(arena, cri, "cgroupDriver", &own_cri);
	if (value_count(&own_cri) > 0)
		value_map_set(arena, &spec, SV("criConfig"), own_cri);
	copy_config(arena, given, &spec);
	return spec;
}

static const struct kube_object *make_derived(struct arena *arena, const struct kube_object *osc,
                                              sv name)
{
	struct kube_object *made = ARENA_NEW(arena, struct kube_object);
	struct value *root = ARENA_NEW(arena, struct value);

	*root = value_map_new(arena);
	root->origin = osc->root->origin;
	value_map_set(arena, root, SV("apiVersion"), value_string(SV(GARDENER_API_VERSION)));
	value_map_set(arena, root, SV("kind"), value_string(SV(GARDENER_KIND)));
	value_map_set(arena, root, SV("metadata"), metadata_of(arena, osc, name));
	value_map_set(arena, root, SV("spec"), spec_of(arena, osc));
	*made = (struct kube_object){
	    .id = {SV(GARDENER_API_VERSION), SV(GARDENER_KIND), osc->id.namespace, name},
	    .root = root,
	    .at = osc->at,
	    .source = osc->source,
	    .confidential = osc->confidential,
	    .made_of = osc,
	};
	return made;
}

void gardener_derive(struct arena *arena, const struct dialect_cluster *cluster,
                     struct kube_object_list *ret_units)
{
	const struct gardener_settings *settings = cluster->settings;
	const bool is_agent = settings->flow == GARDENER_FLOW_NODE_AGENT;
	struct set given = set_in(arena);

	if (!gardener_makes_provisions(cluster))
		return;
	const struct gardener_flow_given pools = gardener_flow_find_provisions(arena, cluster);
	VEC_EACH (unit, &cluster->units)
		set_add(&given, derived_key(arena, *unit, (*unit)->id.name));
	VEC_EACH (unit, &cluster->units) {
		const struct kube_object *osc = *unit;
		bool is_part = is_agent ? gardener_agent_has(settings, osc)
		                        : gardener_flow_has(settings, osc) &&
		                              !gardener_flow_given_provision(arena, &pools, osc);
		sv name = ARENA_CONCAT(arena, gardener_node_agent_key(osc),
		                       is_agent ? SV("-init") : SV(GARDENER_FLOW_SUFFIX));

		if (!is_part || set_has(&given, derived_key(arena, osc, name)) ||
		    !value_is_null(value_path(osc->root, "metadata.deletionTimestamp")))
			continue;
		VEC_PUSH(arena, ret_units, make_derived(arena, osc, name));
	}
}

bool gardener_makes_provisions(const struct dialect_cluster *cluster)
{
	const struct gardener_settings *settings = cluster->settings;

	switch (settings->flow) {
	case GARDENER_FLOW_NONE:
		return false;
	case GARDENER_FLOW_DOWNLOADER:
		return cluster->contract >= 2;
	case GARDENER_FLOW_NODE_AGENT:
		return true;
	}
	BUG("flow");
}
