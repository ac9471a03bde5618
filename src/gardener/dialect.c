/*
 * Gardener's dialect: the table (struct dialect) through which the rest of the program uses
 * gardener/.
 */
#include "gardener/agent/agent.h"
#include "gardener/cluster.h"
#include "gardener/flow/flow.h"
#include "gardener/internal.h"

static const struct dialect_kind kinds[] = {
    /* Kubermatic's kind of the same name is an output of its dialect. */
    {SV_INIT(GARDENER_KIND), SV_INIT(GARDENER_API_GROUP), SV_INIT("v1alpha1"),
     .part = DIALECT_UNIT},
    {SV_INIT(GARDENER_SYSTEM_KIND), SV_INIT("osm-gen.dev"), SV_INIT("v1alpha1"),
     .part = DIALECT_DEFINITION, .is_unique = true},
    {SV_INIT("Secret"), SV_INIT(""), SV_INIT("v1"), .part = DIALECT_LOOKUP},
    {SV_INIT("ConfigMap"), SV_INIT(""), SV_INIT("v1"), .part = DIALECT_LOOKUP},
    {SV_INIT("MachineClass"), SV_INIT("machine.sapcloud.io"), SV_INIT("v1alpha1"),
     .part = DIALECT_LOOKUP},
    {SV_INIT("MachineDeployment"), SV_INIT("machine.sapcloud.io"), SV_INIT("v1alpha1"),
     .part = DIALECT_LOOKUP},
};

/* Other kinds of Gardener's group, which osm-gen does not read. */
static const sv other_kinds[] = {
    SV_INIT("BackupBucket"),
    SV_INIT("BackupEntry"),
    SV_INIT("Bastion"),
    SV_INIT("Cluster"),
    SV_INIT("ContainerRuntime"),
    SV_INIT("ControlPlane"),
    SV_INIT("DNSRecord"),
    SV_INIT("Extension"),
    SV_INIT("Infrastructure"),
    SV_INIT("Network"),
    SV_INIT("SelfHostedShootExposure"),
    SV_INIT("Worker"),
};

static bool has_budget(sv name)
{
	return sv_eq(name, SV(GARDENER_BUDGET));
}

static sv meant_budget(struct arena *arena, sv name)
{
	static const sv names[] = {SV_INIT(GARDENER_BUDGET)};

	(void)arena;
	return diag_nearest(name, names, COUNT_OF(names));
}

static void want(const struct dialect_cluster *cluster, struct dialect_wants *wants)
{
	const struct gardener_settings *settings = cluster->settings;

	VEC_EACH (unit, &cluster->units)
		gardener_osc_want(*unit, wants);
	if (settings->flow != GARDENER_FLOW_NONE && cluster->units.count > 0)
		gardener_flow_want(wants);
}

static bool wants(const struct dialect_cluster *cluster, const struct kube_object *object)
{
	const struct gardener_settings *settings = cluster->settings;

	return gardener_is_machine_object(object) ||
	       (settings->flow != GARDENER_FLOW_NONE && kube_secret_may_be_token(object));
}

static bool token(struct arena *arena, const struct dialect_cluster *cluster,
                  const struct kube_object *unit, int64_t now, struct dialect_token *ret_token)
{
	const struct gardener_settings *settings = cluster->settings;

	bool is_replaced =
	    settings->flow == GARDENER_FLOW_DOWNLOADER && gardener_flow_is_gardenlets(arena, unit);

	if (!gardener_flow_has(settings, unit) &&
	    ((!is_replaced && !unit->made_of) || settings->machine_tokens))
		return false;
	gardener_flow_token(arena, cluster, unit, now, ret_token);
	return true;
}

/* A pool has user-data for new nodes only if it is known where they download from. */
static bool lacks(const struct dialect_cluster *cluster, const struct kube_object *unit UNUSED)
{
	const struct gardener_settings *settings = cluster->settings;

	return settings->flow == GARDENER_FLOW_DOWNLOADER && !gardener_flow_has_server(cluster);
}

static void *begin(struct arena *arena, struct sink *sink, const struct dialect_input *input)
{
	return gardener_choice_new(arena, sink, input);
}

static void resolve(struct arena *arena, struct sink *sink, void *state, size_t cluster,
                    struct dialect_unit *unit)
{
	gardener_choose(arena, sink, state, cluster, unit);
}

/* ---- changes ----------------------------------------------------------------------------- */

static sv member_of_spec(struct arena *arena UNUSED, sv path)
{
	return path;
}

/* Adds the members that Gardener lets nobody change. The rest is in the effect on nodes. */
static void template_changes(struct arena *arena, const struct kube_object *before,
                             const struct kube_object *now, struct dialect_differences *fields)
{
	static const struct {
		const char *name;
		const char *refusal;
	} members[] = {
	    {"type", "Gardener refuses this on a live object, and running nodes keep their "
	             "operating system: give the new pool another name"},
	    {"purpose", "Gardener refuses this on a live object: give the new one another name"},
	};
	const struct dialect_comparison c = {.arena = arena, .name = member_of_spec, .to = fields};

	for (size_t i = 0; i < COUNT_OF(members); i++) {
		sv member = sv_from_cstr(members[i].name);
		size_t from = fields->count;
		struct value was = value_map_new(arena);
		struct value is = value_map_new(arena);
		const struct value *old = value_map_get(value_path(before->root, "spec"), member);
		const struct value *new = value_map_get(value_path(now->root, "spec"), member);

		if (!old || !new)
			continue;
		value_map_set(arena, &was, member, *old);
		value_map_set(arena, &is, member, *new);
		dialect_compare(&c, &was, &is);
		for (size_t j = from; j < fields->count; j++)
			fields->items[j].refusal = sv_from_cstr(members[i].refusal);
	}
}

/* ---- documents --------------------------------------------------------------------------- */

/* Returns a line such as "Gardener, contract 2021: ubuntu ubuntu-pro". */
static sv summary(struct arena *arena, const struct gardener_system *system)
{
	size_t count;
	const sv *types = gardener_system_types(system, &count);
	struct buf buf = buf_in(arena);

	buf_printf(&buf, "Gardener, contract %.*s:",
	           SV_ARG(gardener_contract_name(gardener_system_contract(system))));
	for (size_t i = 0; i < count; i++)
		buf_printf(&buf, " %.*s", SV_ARG(types[i]));
	return buf_sv(&buf);
}

/* Returns the documents of embedded systems, whose strings appear in clear in the status. */
static struct secrecy_public public_texts(struct arena *arena)
{
	sv *texts = ARENA_ARRAY(arena, sv, gardener_embedded_file_count);

	for (size_t i = 0; i < gardener_embedded_file_count; i++)
		texts[i] = dialect_text_open(arena, &gardener_embedded_files[i]);
	return (struct secrecy_public){texts, gardener_embedded_file_count};
}

static enum status embedded(struct arena *arena, struct sink *sink, unsigned contract,
                            struct dialect_embedded_list *ret_list)
{
	struct gardener_systems systems = {0};

	if (gardener_system_embedded(arena, sink, contract, &systems) != STATUS_OK)
		return STATUS_FAILED;
	VEC_EACH (system, &systems) {
		const struct value version = gardener_system_version(*system);

		VEC_PUSH(arena, ret_list,
		         ((struct dialect_embedded){
		             .name = gardener_system_name(*system),
		             .version = value_text(&version),
		             .summary = summary(arena, *system),
		             .text = gardener_system_object(*system)->source->text,
		         }));
	}
	return STATUS_OK;
}

/* ---- the table --------------------------------------------------------------------------- */

static const sv prints[] = {SV_INIT("user-data"), SV_INIT("status"),    SV_INIT("node-agent"),
                            SV_INIT("script"),    SV_INIT("provision"), SV_INIT("effect")};

extern const struct dialect gardener_dialect;

const struct dialect gardener_dialect = {
    .name = SV_INIT("gardener"),
    .kinds = kinds,
    .kind_count = COUNT_OF(kinds),
    .other_kinds = other_kinds,
    .other_kind_count = COUNT_OF(other_kinds),
    .settings = &gardener_settings_table,
    .unit_option = SV_INIT("operating-system-config"),
    .unit_file = {SV_INIT(GARDENER_KIND), ARTIFACT_STATUS, ARTIFACT_REPORT},
    .prints = prints,
    .print_count = COUNT_OF(prints),
    .list_schemas = gardener_list_schemas,
    .has_budget = has_budget,
    .meant_budget = meant_budget,
    .derive = gardener_derive,
    .lacks = lacks,
    .want = want,
    .wants = wants,
    .begin = begin,
    .resolve = resolve,
    .load = gardener_cluster_load,
    .names_by_prefix = true,
    .describe = gardener_describe,
    .applied = gardener_applied,
    .template_changes = template_changes,
    .artifacts = gardener_cluster_artifacts,
    .machines = gardener_cluster_machines,
    .token = token,
    .embedded = embedded,
    .public_texts = public_texts,
    .render = gardener_render,
    .adoption = &gardener_adoption,
    .check = gardener_check,
};
