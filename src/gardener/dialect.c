/*
 * Gardener's dialect: the table (struct dialect) through which the rest of the program uses
 * gardener/.
 */
#include "gardener/agent/agent.h"
#include "gardener/embedded.h"
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

	if (!gardener_flow_has(settings, unit) &&
	    (!gardener_agent_is_made(unit) || settings->machine_tokens))
		return false;
	gardener_flow_token(arena, cluster, unit, now, ret_token);
	return true;
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

/* ---- clusters ---------------------------------------------------------------------------- */

struct gardener_cluster {
	const struct gardener_settings *settings;
	const struct kube_objects *objects;
	const struct gardener_flow_server *server; /* may be null with gardenerFlow: downloader */
	bool has_wrong_server;                     /* which was reported */
	sv agent_keys;                             /* gardener_agent_keys */
	struct gardener_flow_given given;
	struct gardener_machines machines;
	bool secrets_may_be_absent;
};

static bool is_for_node_agent(const struct gardener_settings *settings,
                              const struct kube_object *osc)
{
	sv purpose = value_text(value_path(osc->root, "spec.purpose"));

	if (gardener_agent_has(settings, osc))
		return true;
	return settings->node_agent_secrets && settings->contract == GARDENER_CURRENT &&
	       sv_eq(purpose, gardener_purpose_name(GARDENER_RECONCILE));
}

/* Returns the name of the OSC's Secret for nodes, or "" if it has none. */
static sv node_secret(struct arena *arena, const struct gardener_settings *settings,
                      const struct kube_object *osc)
{
	if (is_for_node_agent(settings, osc))
		return gardener_node_agent_key(osc);
	return gardener_flow_has(settings, osc) ? gardener_flow_name(arena, osc) : SV("");
}

/* A cluster's Secrets for nodes share one namespace: fails if two have one name. */
static enum status check_keys(struct arena *arena, struct sink *sink,
                              const struct dialect_cluster *cluster)
{
	struct map keys = map_in(arena);
	enum status status = STATUS_OK;

	VEC_EACH (unit, &cluster->units) {
		sv key = node_secret(arena, cluster->settings, *unit);
		const struct kube_object *const *other = map_get(&keys, key);

		if (sv_empty(key))
			continue;
		if (!other) {
			const struct kube_object **kept =
			    ARENA_NEW(arena, const struct kube_object *);

			*kept = *unit;
			map_put(&keys, key, kept);
			continue;
		}
		sink->object = kube_object_describe(arena, *unit);
		struct diag *diag = diag_report(
		    sink, DIAG_GARDENER_KEY, kube_object_position(*unit),
		    "two OperatingSystemConfigs write Secret kube-system/%.*s", SV_ARG(key));
		diag_add_note(sink, diag, kube_object_position(*other), "the other one");
		diag_set_help(sink, diag,
		              "rename one of them: the Secret's name is theirs without -original; "
		              "or give each its own Cluster");
		sink->object = SV("");
		status = STATUS_FAILED;
	}
	return status;
}

/* Warns, once for a cluster, if nothing of its reconcile OSCs but a status is written. */
static void check_is_applied(struct arena *arena, struct sink *sink,
                             const struct dialect_cluster *cluster)
{
	const struct gardener_settings *settings = cluster->settings;
	const struct kube_object *first = NULL;
	size_t count = 0;

	if (settings->has_node_agent_secrets || settings->contract != GARDENER_CURRENT ||
	    settings->flow == GARDENER_FLOW_NODE_AGENT)
		return;
	VEC_EACH (unit, &cluster->units) {
		sv purpose = value_text(value_path((*unit)->root, "spec.purpose"));

		if (!sv_eq(purpose, gardener_purpose_name(GARDENER_RECONCILE)))
			continue;
		first = first ? first : *unit;
		count++;
	}
	if (count == 0)
		return;
	sink->object = kube_object_describe(arena, first);
	struct diag *diag =
	    diag_report(sink, DIAG_GARDENER_NOT_APPLIED, kube_object_position(first),
	                "the output has only the status of %zu OperatingSystemConfig%s of purpose "
	                "reconcile: no node gets their files and units from it",
	                count, count == 1 ? "" : "s");
	diag_set_help(sink, diag,
	              "set gardenerNodeAgentSecrets: true for nodes with gardener-node-agent, or "
	              "false to state that gardenlet writes their Secrets");
	sink->object = SV("");
}

static enum status load(struct arena *secret_arena, struct sink *sink,
                        const struct dialect_cluster *cluster, const struct dialect_load *options,
                        const void **ret_loaded)
{
	struct gardener_cluster *loaded = ARENA_NEW(secret_arena, struct gardener_cluster);

	*loaded = (struct gardener_cluster){
	    .settings = cluster->settings,
	    .objects = cluster->objects,
	    .agent_keys = gardener_agent_keys(secret_arena, cluster),
	    .given = gardener_flow_find_given(secret_arena, cluster),
	    .machines = gardener_find_machines(secret_arena, cluster),
	    .secrets_may_be_absent = options->secrets_may_be_absent,
	};
	*ret_loaded = loaded;
	check_is_applied(secret_arena, sink, cluster);
	enum status status = gardener_flow_check(sink, cluster);
	if (loaded->settings->flow == GARDENER_FLOW_DOWNLOADER &&
	    gardener_flow_server_read(secret_arena, sink, cluster, options->secrets_may_be_absent,
	                              &loaded->server) != STATUS_OK) {
		loaded->has_wrong_server = true;
		status = STATUS_FAILED;
	}
	status |= gardener_agent_check(sink, cluster);
	if (status == STATUS_OK && loaded->settings->flow == GARDENER_FLOW_NODE_AGENT)
		status |= gardener_agent_server_read(
		    secret_arena, sink, cluster, options->secrets_may_be_absent, &loaded->server);
	status |= check_keys(secret_arena, sink, cluster);
	status |= gardener_machine_classes_check(secret_arena, sink, cluster, &loaded->machines);
	return status == STATUS_OK ? STATUS_OK : STATUS_FAILED;
}

/* ---- rendering --------------------------------------------------------------------------- */

static void check(struct arena *arena, struct sink *sink, const struct dialect_cluster *cluster,
                  const struct kube_object *unit, bool secrets_may_be_absent)
{
	const struct gardener_settings *settings = cluster->settings;
	struct gardener_osc osc;

	/* Mistakes are in the sink. */
	enum status status = gardener_osc_read(arena, sink, unit, settings->contract, &osc);
	status |= gardener_osc_validate(arena, sink, &osc, settings->contract);
	status |= gardener_osc_contents(arena, sink, cluster->objects, secrets_may_be_absent, &osc);
	(void)status;
}

static enum status read(struct arena *arena, struct sink *sink,
                        const struct gardener_cluster *cluster, const struct kube_object *object,
                        struct gardener_osc *osc)
{
	enum gardener_contract contract = cluster->settings->contract;
	/* Do all steps even after a failure, so that one run reports all mistakes. */
	enum status status = gardener_osc_read(arena, sink, object, contract, osc);

	status |= gardener_osc_validate(arena, sink, osc, contract);
	status |= gardener_osc_contents(arena, sink, cluster->objects,
	                                cluster->secrets_may_be_absent, osc);
	return status == STATUS_OK ? STATUS_OK : STATUS_FAILED;
}

/* Counts the machines that classes start, if the unit writes these. */
static int64_t machines(struct arena *arena, const void *loaded, const struct kube_object *unit)
{
	const struct gardener_cluster *cluster = loaded;
	sv purpose = value_text(value_path(unit->root, "spec.purpose"));
	sv osc = unit->id.name;

	if (!sv_eq(purpose, gardener_purpose_name(GARDENER_PROVISION))) {
		if (!gardener_flow_has(cluster->settings, unit) ||
		    gardener_flow_given_provision(arena, &cluster->given, unit))
			return -1;
		osc = gardener_flow_provision_name(arena, unit);
	}
	return gardener_machine_replicas(arena, &cluster->machines, unit->id.namespace, osc);
}

static void cluster_artifacts(struct arena *arena, const void *loaded, struct artifacts *artifacts)
{
	const struct gardener_cluster *cluster = loaded;

	switch (cluster->settings->flow) {
	case GARDENER_FLOW_NONE:
		break;
	case GARDENER_FLOW_DOWNLOADER:
		gardener_flow_cluster_artifacts(arena, artifacts);
		break;
	case GARDENER_FLOW_NODE_AGENT:
		gardener_agent_cluster_artifacts(arena, cluster->settings, cluster->agent_keys,
		                                 artifacts);
		break;
	}
}

static void add_status(struct arena *arena, struct value object, struct artifacts *artifacts)
{
	struct artifact artifact =
	    artifact_of(object, ARTIFACT_STATUS, ARTIFACT_REPORT, ARTIFACT_CLEAR);

	artifact.print = SV("status");
	VEC_PUSH(arena, artifacts, artifact);
}

/* An OSC and what is made of it. */
struct making {
	struct gardener_osc osc;
	struct gardener_stage stage;
	struct gardener_machine machine;
	struct value status;                      /* an object */
	struct gardener_flow_tokens agent_tokens; /* of a made OSC of the flow node-agent */
};

/* Adds the agent's parts to an OSC of its flow. Sets the tokens of a made one. */
static enum status extend(struct arena *arena, struct sink *sink, const struct dialect_job *job,
                          struct making *m)
{
	const struct gardener_cluster *cluster = job->loaded;
	const struct gardener_settings *settings = cluster->settings;
	bool is_made = gardener_agent_is_made(m->osc.object);
	bool has_token = is_made && !settings->machine_tokens;

	if (!is_made && !gardener_agent_has(settings, m->osc.object))
		return STATUS_OK;
	/* A missing server was reported, once for the cluster. */
	if (!cluster->server)
		return STATUS_OK;
	if (has_token &&
	    gardener_flow_tokens(arena, sink, job, &cluster->given, cluster->secrets_may_be_absent,
	                         &m->agent_tokens) != STATUS_OK)
		return STATUS_FAILED;
	const struct gardener_agent_request request = {
	    .job = job,
	    .settings = settings,
	    .server = cluster->server,
	    .token = has_token ? &m->agent_tokens.now : NULL,
	};
	return gardener_agent_extend(arena, sink, &request, &m->osc);
}

/* Adds what the agent's flow has besides user-data and the Secret with osc.yaml. */
static void add_agent(struct arena *arena, const struct gardener_settings *settings,
                      const struct making *m, struct artifacts *artifacts)
{
	const struct kube_object *osc = m->osc.object;

	if (m->agent_tokens.now.type)
		gardener_flow_add_tokens(arena, gardener_flow_token_name(arena, settings, osc),
		                         &m->agent_tokens, artifacts);
	if (gardener_agent_has(settings, osc))
		gardener_agent_add_role(arena, osc, artifacts);
}

static enum status make(struct arena *arena, struct sink *sink, const struct dialect_job *job,
                        const struct kube_object *object, struct making *m)
{
	const struct gardener_cluster *cluster = job->loaded;
	const struct gardener_settings *settings = cluster->settings;

	*m = (struct making){0};
	if (read(arena, sink, cluster, object, &m->osc) != STATUS_OK ||
	    extend(arena, sink, job, m) != STATUS_OK ||
	    gardener_system_stage(arena, sink, job->unit->resolved, &m->osc, settings, job,
	                          &m->stage) != STATUS_OK ||
	    gardener_machine_make(arena, sink, &m->osc, &m->stage, settings, job, &m->machine) !=
	        STATUS_OK)
		return STATUS_FAILED;
	return gardener_status_make(arena, sink, &m->osc, &m->stage, &m->machine, job, &m->status);
}

static struct artifact effect_of(struct arena *arena, const struct dialect_job *job,
                                 const struct making *m)
{
	struct artifact effect = gardener_effect_make(arena, &m->osc, &m->stage, &m->machine,
	                                              value_map_get(&m->status, SV("status")));

	if (gardener_flow_has(job->cluster->settings, m->osc.object))
		value_map_set(arena, value_map_get_mutable(&effect.object, SV("spec")),
		              SV(GARDENER_RESTARTS_CHANGED), value_bool(true));
	return effect;
}

/*
 * Returns the mark of the user-data without the OSC's own files and units: the execution script
 * brings these to running nodes, too.
 */
static enum status find_only_new(struct arena *arena, struct sink *sink,
                                 const struct dialect_job *job, const struct making *m,
                                 sv *ret_mark)
{
	const struct gardener_cluster *cluster = job->loaded;
	struct gardener_osc bare = m->osc;
	struct gardener_machine machine;

	bare.file_count = 0;
	bare.unit_count = 0;
	if (gardener_machine_make(arena, sink, &bare, &m->stage, cluster->settings, job,
	                          &machine) != STATUS_OK)
		return STATUS_FAILED;
	*ret_mark = machine.user_data_mark;
	return STATUS_OK;
}

/* Adds the user-data of new nodes, from an OSC that the repository lacks. */
static enum status add_provision(struct arena *arena, struct sink *sink,
                                 const struct dialect_job *job,
                                 const struct gardener_flow_request *flow,
                                 struct dialect_rendered *rendered)
{
	const struct gardener_cluster *cluster = job->loaded;
	struct artifacts *artifacts = &rendered->artifacts;
	const struct kube_object *object = gardener_flow_provision(
	    arena, job->cluster, flow->osc, flow->server, &flow->tokens->now);
	struct making m;
	struct gardener_machine_request classes = {
	    .job = job, .osc = object, .machine = &m.machine};

	if (make(arena, sink, job, object, &m) != STATUS_OK ||
	    find_only_new(arena, sink, job, &m, &classes.only_new_mark) != STATUS_OK ||
	    gardener_machine_classes_add(arena, sink, &cluster->machines, &classes, rendered) !=
	        STATUS_OK)
		return STATUS_FAILED;
	struct artifact result = gardener_result_make(arena, &m.osc, flow->settings, &m.machine,
	                                              value_map_get(&m.status, SV("status")));
	result.print = SV("provision");
	VEC_PUSH(arena, artifacts, result);
	add_status(arena, m.status, artifacts);
	/* The config of the unit, by which its class is decided, is the effect of its own OSC. */
	struct artifact effect = effect_of(arena, job, &m);
	effect.role = ARTIFACT_REPORT;
	VEC_PUSH(arena, artifacts, effect);
	return STATUS_OK;
}

static enum status add_flow(struct arena *arena, struct sink *sink, const struct dialect_job *job,
                            const struct making *m, struct dialect_rendered *rendered)
{
	const struct gardener_cluster *cluster = job->loaded;
	const bool is_given =
	    gardener_flow_given_provision(arena, &cluster->given, m->osc.object) != NULL;
	struct gardener_flow_tokens tokens;
	const struct gardener_flow_request flow = {
	    .osc = &m->osc,
	    .stage = &m->stage,
	    .machine = &m->machine,
	    .settings = cluster->settings,
	    .job = job,
	    .status = value_map_get(&m->status, SV("status")),
	    .tokens = &tokens,
	    .server = is_given ? NULL : cluster->server,
	};

	if (gardener_flow_check_osc(sink, &m->osc, &m->stage) != STATUS_OK ||
	    gardener_flow_tokens(arena, sink, job, &cluster->given, cluster->secrets_may_be_absent,
	                         &tokens) != STATUS_OK ||
	    gardener_flow_add(arena, sink, &flow, &rendered->artifacts) != STATUS_OK)
		return STATUS_FAILED;
	if (flow.server)
		return add_provision(arena, sink, job, &flow, rendered);
	if (!is_given && !cluster->has_wrong_server)
		gardener_flow_warn_no_provision(sink, &m->osc);
	return STATUS_OK;
}

static enum status render(struct arena *arena, struct sink *sink, const struct dialect_job *job,
                          struct dialect_rendered *ret_rendered)
{
	const struct gardener_cluster *cluster = job->loaded;
	const struct gardener_settings *settings = cluster->settings;
	const struct kube_object *object = job->unit->object;
	struct dialect_rendered rendered = {0};
	struct making m;

	if (make(arena, sink, job, object, &m) != STATUS_OK)
		return STATUS_FAILED;
	if (m.stage.format)
		VEC_PUSH(arena, &rendered.artifacts,
		         gardener_result_make(arena, &m.osc, settings, &m.machine,
		                              value_map_get(&m.status, SV("status"))));
	const struct gardener_machine_request classes = {job, object, &m.machine,
	                                                 m.machine.user_data_mark};
	if (m.osc.purpose == GARDENER_PROVISION &&
	    gardener_machine_classes_add(arena, sink, &cluster->machines, &classes, &rendered) !=
	        STATUS_OK)
		return STATUS_FAILED;
	if (is_for_node_agent(settings, object))
		VEC_PUSH(arena, &rendered.artifacts,
		         gardener_node_agent_make(arena, &m.osc, &m.stage));
	if (gardener_flow_has(settings, object) &&
	    add_flow(arena, sink, job, &m, &rendered) != STATUS_OK)
		return STATUS_FAILED;
	add_agent(arena, settings, &m, &rendered.artifacts);
	/* The cluster has no made object whose status it would be. */
	if (!gardener_agent_is_made(object))
		add_status(arena, m.status, &rendered.artifacts);
	const struct artifact effect = effect_of(arena, job, &m);
	VEC_PUSH(arena, &rendered.artifacts, effect);
	rendered.is_applied = m.osc.purpose == GARDENER_RECONCILE;
	rendered.has_given_secrets = secrecy_find(&effect.object) != NULL;
	if (job->wants_fetches) {
		if (object == job->cluster->units.items[0])
			gardener_report_not_inventoried(sink, object);
		gardener_fetches(arena, &m.osc, &rendered.fetches);
		if (gardener_agent_is_made(object))
			gardener_agent_fetches(arena, settings, &rendered.fetches);
	}
	rendered.provider = SV(GARDENER_BUDGET);
	rendered.operating_system = m.osc.type.string;
	rendered.kubelet_version = settings->kubernetes_version;
	rendered.node = m.machine.node;
	*ret_rendered = rendered;
	return STATUS_OK;
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
    .settings = gardener_settings_table,
    .setting_count = GARDENER_SETTING_COUNT,
    .unit_option = SV_INIT("operating-system-config"),
    .prints = prints,
    .print_count = COUNT_OF(prints),
    .settings_new = gardener_settings_new,
    .settings_set = setting_set,
    .has_budget = has_budget,
    .meant_budget = meant_budget,
    .derive = gardener_agent_derive,
    .want = want,
    .wants = wants,
    .begin = begin,
    .resolve = resolve,
    .load = load,
    .names_by_prefix = true,
    .describe = gardener_describe,
    .applied = gardener_applied,
    .artifacts = cluster_artifacts,
    .machines = machines,
    .token = token,
    .embedded = embedded,
    .public_texts = public_texts,
    .render = render,
    .adoption = &gardener_adoption,
    .check = check,
};
