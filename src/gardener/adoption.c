/*
 * Comparison with live clusters: the Secrets that gardenlet, an extension or an applier of the
 * output has put there for OSCs. OSCs themselves are inputs, and are not read from exports.
 */
#include "gardener/flow/flow.h"

#define RESULT_PREFIX "osc-result-"
#define RESULT_KEY    "cloud_config"
#define ROLE_LABEL    "gardener.cloud/role"

static sv label_of(const struct kube_object *object, const char *name)
{
	const struct value *labels = value_path(object->root, "metadata.labels");

	return value_text(value_map_get(labels, sv_from_cstr(name)));
}

/* Secrets that nodes download have a role as label, in each contract. */
static bool is_for_nodes(const struct kube_object *secret)
{
	sv role = label_of(secret, ROLE_LABEL);

	return sv_eq(secret->id.namespace, SV("kube-system")) &&
	       (sv_eq(role, SV("operating-system-config")) || sv_eq(role, SV("cloud-config")));
}

static bool is_result(const struct kube_object *secret)
{
	return sv_starts_with(secret->id.name, SV(RESULT_PREFIX)) &&
	       kube_secret_has(secret, SV(RESULT_KEY));
}

static enum dialect_secret_role secret_role(const struct kube_object *secret)
{
	return is_result(secret) || is_for_nodes(secret) ? DIALECT_SECRET_GENERATED
	                                                 : DIALECT_SECRET_INPUT;
}

static bool is_made_for(struct arena *arena, const struct kube_object *unit,
                        const struct kube_object *object)
{
	const struct gardener_osc osc = {.object = unit};
	sv name = object->id.name;

	if (!sv_eq(object->id.kind, SV("Secret")))
		return false;
	if (sv_eq(object->id.namespace, unit->id.namespace) &&
	    sv_eq(name, gardener_result_name(arena, &osc)))
		return true;
	return is_for_nodes(object) && (sv_eq(name, gardener_node_agent_key(unit)) ||
	                                sv_eq(name, gardener_flow_name(arena, unit)));
}

static const sv compared_annotations[] = {SV_INIT("checksum/data-script"),
                                          SV_INIT(GARDENER_SERIAL)};
static const sv own_annotations[] = {SV_INIT("osm-gen.dev/command"), SV_INIT("osm-gen.dev/units")};

const struct dialect_adoption gardener_adoption = {
    .secret_role = secret_role,
    .is_made_for = is_made_for,
    .compared_annotations = compared_annotations,
    .compared_annotation_count = COUNT_OF(compared_annotations),
    .own_annotations = own_annotations,
    .own_annotation_count = COUNT_OF(own_annotations),
    .hides_lines = true,
};
