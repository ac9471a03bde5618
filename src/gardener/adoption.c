/*
 * Live clusters, for adopt, compare and observe: the Secrets that gardenlet, an extension or an
 * applier of the output has put there for OSCs. adoption_unit.c has the OSCs themselves.
 */
#include "gardener/flow/flow.h"

#define RESULT_PREFIX "osc-result-"
#define RESULT_KEY    "cloud_config"
/* An annotation of Nodes: the digest of the Secret that they have applied. */
#define APPLIED "checksum/cloud-config-data"
/* A label of Gardener's Nodes: the name of the Secret that gardener-node-agent applies. */
#define AGENT_SECRET_LABEL "worker.gardener.cloud/gardener-node-agent-secret-name"

/* Secrets that nodes download have a role, in each contract. */
static bool is_for_nodes(const struct kube_object *object)
{
	sv role = gardener_node_role(object);

	return sv_eq(role, SV(GARDENER_AGENT_ROLE)) || sv_eq(role, SV("cloud-config"));
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

/*
 * A Node of the downloader's flow names its Secret; of others the label of the agent's Secret or of
 * the pool does.
 */
static bool is_for_node(const struct kube_id *secret, const struct value *labels,
                        const struct kube_object *node)
{
	const struct value *annotations = value_path(node->root, "metadata.annotations");
	const struct value *node_labels = value_path(node->root, "metadata.labels");
	const sv names[] = {
	    value_text(value_map_get(annotations, SV(GARDENER_FLOW_TOKEN_LABEL))),
	    value_text(value_map_get(node_labels, SV(AGENT_SECRET_LABEL))),
	};

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (!sv_empty(names[i]))
			return sv_eq(names[i], secret->name);
	sv pool = value_text(value_map_get(labels, SV(GARDENER_POOL)));
	return !sv_empty(pool) &&
	       sv_eq(pool, value_text(value_map_get(node_labels, SV(GARDENER_POOL))));
}

static enum dialect_node_state applied(const struct kube_id *secret, const struct value *metadata,
                                       const struct kube_object *node)
{
	const struct value *committed =
	    value_map_get(value_map_get(metadata, SV("annotations")), SV(GARDENER_DOWNLOADED));
	const struct value *annotations = value_path(node->root, "metadata.annotations");

	if (!value_is_string(committed) || value_path(node->root, "metadata.deletionTimestamp") ||
	    !is_for_node(secret, value_map_get(metadata, SV("labels")), node))
		return DIALECT_NODE_OTHER;
	return sv_eq(committed->string, value_text(value_map_get(annotations, SV(APPLIED))))
	           ? DIALECT_NODE_APPLIED
	           : DIALECT_NODE_WAITING;
}

static const struct dialect_mark annotations[] = {{GARDENER_KIND, SV_INIT(GARDENER_SERIAL)}};
/* Requests to controllers, and their times. */
static const sv bookkeeping[] = {SV_INIT("gardener.cloud/")};
static const sv free_maps[] = {SV_INIT("providerConfig"), SV_INIT("values")};
static const sv compared_annotations[] = {SV_INIT(GARDENER_DOWNLOADED), SV_INIT(GARDENER_SERIAL)};
static const sv own_annotations[] = {SV_INIT("osm-gen.dev/command"), SV_INIT("osm-gen.dev/units")};
static const sv compared_status[] = {SV_INIT("cloudConfig"),    SV_INIT("command"),
                                     SV_INIT("units"),          SV_INIT("extensionFiles"),
                                     SV_INIT("extensionUnits"), SV_INIT("inPlaceUpdates")};

static const char *const ignored[] = {
    "conditions, errors, and the last operation in the status of an OperatingSystemConfig",
    "files of an OperatingSystemConfig that are equal, but in a Secret in git and in the object "
    "itself in the cluster",
};

const struct dialect_adoption gardener_adoption = {
    .kinds = gardener_live_kinds,
    .kind_count = GARDENER_LIVE_KIND_COUNT,
    .annotations = annotations,
    .annotation_count = COUNT_OF(annotations),
    .bookkeeping = bookkeeping,
    .bookkeeping_count = COUNT_OF(bookkeeping),
    .free_maps = free_maps,
    .free_map_count = COUNT_OF(free_maps),
    .move_files = gardener_move_files,
    .find_settings = gardener_adopt_settings,
    .begin = gardener_adopt_begin,
    .decide_unit = gardener_adopt_unit,
    .secret_role = secret_role,
    .is_made_for = is_made_for,
    .likeness = gardener_likeness,
    .compared_status = compared_status,
    .compared_status_count = COUNT_OF(compared_status),
    .compared_annotations = compared_annotations,
    .compared_annotation_count = COUNT_OF(compared_annotations),
    .own_annotations = own_annotations,
    .own_annotation_count = COUNT_OF(own_annotations),
    .applied = applied,
    .hides_lines = true,
    .hidden_member = SV_INIT("inline"),
    .ignored = ignored,
    .ignored_count = COUNT_OF(ignored),
};
