/*
 * Renders an OSC: reads it, makes the stage of its system, its user-data and status, and what the
 * flows of the cluster add.
 */
#include "codec/codec.h"
#include "gardener/agent/agent.h"
#include "gardener/cluster.h"

void gardener_check(struct arena *arena, struct sink *sink, const struct dialect_cluster *cluster,
                    const struct kube_object *unit, bool secrets_may_be_absent)
{
	const struct gardener_settings *settings = cluster->settings;
	struct gardener_osc osc;

	/* Mistakes are in the sink. */
	enum status status = gardener_osc_read(arena, sink, unit, settings->contract, &osc);
	status |= gardener_osc_validate(arena, sink, &osc, settings->contract);
	status |= gardener_flow_leave_out(arena, sink, settings, &osc);
	status |= gardener_osc_contents(arena, sink, cluster->objects, secrets_may_be_absent, &osc);
	(void)status;
}

static enum status read_unit(struct arena *arena, struct sink *sink,
                             const struct gardener_cluster *cluster,
                             const struct kube_object *object, struct gardener_osc *osc)
{
	enum gardener_contract contract = cluster->settings->contract;
	/* Do all steps even after a failure, so that one run reports all mistakes. */
	enum status status = gardener_osc_read(arena, sink, object, contract, osc);

	status |= gardener_osc_validate(arena, sink, osc, contract);
	status |= gardener_flow_leave_out(arena, sink, cluster->settings, osc);
	status |= gardener_osc_contents(arena, sink, cluster->objects,
	                                cluster->secrets_may_be_absent, osc);
	return status == STATUS_OK ? STATUS_OK : STATUS_FAILED;
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
	bool has_downloader;                      /* of the flow, before its own units */
};

/* Returns true if the OSC is a made one of the flow node-agent. */
static bool is_agents(const struct gardener_settings *settings, const struct kube_object *osc)
{
	return osc->made_of && settings->flow == GARDENER_FLOW_NODE_AGENT;
}

/* Adds the agent's parts to an OSC of its flow. Sets the tokens of a made one. */
static enum status extend(struct arena *arena, struct sink *sink, const struct dialect_job *job,
                          struct making *m)
{
	const struct gardener_cluster *cluster = job->loaded;
	const struct gardener_settings *settings = cluster->settings;
	bool is_made = is_agents(settings, m->osc.object);
	bool has_token = is_made && !settings->machine_tokens;

	if (!is_made && !gardener_agent_has(settings, m->osc.object))
		return STATUS_OK;
	/* A missing server was reported, once for the cluster. */
	if (!cluster->server)
		return STATUS_OK;
	if (has_token && gardener_flow_tokens(arena, sink, job, &m->agent_tokens) != STATUS_OK)
		return STATUS_FAILED;
	const struct gardener_agent_request request = {
	    .job = job,
	    .settings = settings,
	    .server = cluster->server,
	    .token = has_token ? &m->agent_tokens.now : NULL,
	};
	return gardener_agent_extend(arena, sink, &request, &m->osc);
}

/*
 * Adds the downloader to an OSC of purpose provision of its flow. `token` is that of a made one, or
 * null.
 */
static enum status extend_provision(struct arena *arena, struct sink *sink,
                                    const struct dialect_job *job, const struct value *token,
                                    struct making *m)
{
	const struct gardener_cluster *cluster = job->loaded;
	const struct kube_object *object = m->osc.object;
	struct gardener_flow_tokens tokens;

	if (m->osc.purpose != GARDENER_PROVISION ||
	    cluster->settings->flow != GARDENER_FLOW_DOWNLOADER ||
	    !gardener_flow_has_downloader(arena, &cluster->given, object))
		return STATUS_OK;
	/* A wrong server was reported. */
	if (!cluster->server && object->made_of)
		return STATUS_FAILED;
	if (!cluster->server) {
		struct diag *diag = diag_report(
		    sink, DIAG_GARDENER_FLOW, kube_object_position(object),
		    "the downloader in this OperatingSystemConfig is gardenlet's, and osm-gen "
		    "makes another one from ConfigMap kube-public/cluster-info, which is missing");
		diag_set_help(sink, diag,
		              "commit what `kubectl -n kube-public get configmap cluster-info -o "
		              "yaml` prints "
		              "for the cluster of the nodes, in the cluster's folder");
		return STATUS_FAILED;
	}
	if (!token && !cluster->settings->machine_tokens) {
		if (gardener_flow_tokens(arena, sink, job, &tokens) != STATUS_OK)
			return STATUS_FAILED;
		token = gardener_flow_first_token(&tokens);
	}
	gardener_flow_extend(arena, job->cluster, cluster->server, token, &m->osc);
	m->has_downloader = true;
	return STATUS_OK;
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

/* `token` is that of a made OSC of purpose provision; else null. */
static enum status make_artifacts(struct arena *arena, struct sink *sink,
                                  const struct dialect_job *job, const struct kube_object *object,
                                  const struct value *token, struct making *m)
{
	const struct gardener_cluster *cluster = job->loaded;
	const struct gardener_settings *settings = cluster->settings;

	*m = (struct making){0};
	if (read_unit(arena, sink, cluster, object, &m->osc) != STATUS_OK ||
	    extend(arena, sink, job, m) != STATUS_OK ||
	    extend_provision(arena, sink, job, token, m) != STATUS_OK ||
	    gardener_system_stage(arena, sink, job->unit->resolved, &m->osc, settings, job,
	                          &m->stage) != STATUS_OK ||
	    gardener_machine_make(arena, sink, &m->osc, &m->stage, settings, job, &m->machine) !=
	        STATUS_OK)
		return STATUS_FAILED;
	return gardener_status_make(arena, sink, &m->osc, &m->stage, &m->machine, job, &m->status);
}

/* Adds what nodes keep of the previous output, which only a newer contract's effect has. */
static enum status add_kept(struct arena *arena, struct sink *sink, const struct dialect_job *job,
                            const struct making *m, struct artifact *effect)
{
	const struct gardener_settings *settings = job->cluster->settings;
	const struct dialect_previous *previous = &job->previous;
	const struct kube_id id = gardener_effect_id(&m->osc);
	struct value before = {0};

	if (job->cluster->contract < 2 || !previous->find)
		return STATUS_OK;
	if (previous->find(arena, sink, previous->context, ARTIFACT_STATUS, &id, &before) !=
	    STATUS_OK)
		return STATUS_FAILED;
	if (!gardener_effect_is(value_map_get(&before, SV("spec")), GARDENER_RESTARTS_CHANGED,
	                        true))
		return STATUS_OK;
	const struct value kept =
	    gardener_kept_make(arena, &before, &effect->object, settings->removes);
	if (value_count(&kept) > 0)
		value_map_set(arena, value_map_get_mutable(&effect->object, SV("spec")),
		              SV(GARDENER_KEPT), kept);
	return STATUS_OK;
}

/* Sets where running nodes of a pool download from, which its execution script brings to them. */
static void set_server(struct arena *arena, const struct gardener_cluster *cluster,
                       const struct kube_object *osc, struct value *spec)
{
	const struct gardener_flow_server *server = cluster->server;

	if (!server || !gardener_flow_has_downloader(arena, &cluster->given, osc))
		return;
	value_map_set(arena, spec, SV(GARDENER_SERVER), server->url);
	value_map_set(arena, spec, SV(GARDENER_SERVER_CA),
	              value_string(digest_hex(arena, DIGEST_SHA256, server->ca.string)));
}

static enum status effect_of(struct arena *arena, struct sink *sink, const struct dialect_job *job,
                             const struct making *m, struct artifact *ret_effect)
{
	struct artifact effect = gardener_effect_make(arena, &m->osc, &m->stage, &m->machine,
	                                              value_map_get(&m->status, SV("status")));

	const struct gardener_settings *settings = job->cluster->settings;
	struct value *spec = value_map_get_mutable(&effect.object, SV("spec"));

	*ret_effect = effect;
	if (!gardener_flow_has(settings, m->osc.object))
		return STATUS_OK;
	value_map_set(arena, spec, SV(GARDENER_RESTARTS_CHANGED), value_bool(true));
	if (settings->restarts_all)
		value_map_set(arena, spec, SV(GARDENER_RESTARTS_ALL), value_bool(true));
	if (settings->removes)
		value_map_set(arena, spec, SV(GARDENER_REMOVES), value_bool(true));
	if (job->cluster->contract >= 2)
		set_server(arena, job->loaded, m->osc.object, spec);
	return add_kept(arena, sink, job, m, ret_effect);
}

/*
 * Returns the mark of the user-data without the flow's downloader: the execution script brings that
 * to running nodes, too.
 */
static enum status find_only_new(struct arena *arena, struct sink *sink,
                                 const struct dialect_job *job, const struct making *m,
                                 sv *ret_mark)
{
	const struct gardener_cluster *cluster = job->loaded;
	struct gardener_osc bare = m->osc;
	struct gardener_machine machine;

	bare.files = ARENA_ARRAY(arena, struct gardener_file, m->osc.file_count + 1);
	bare.file_count = 0;
	for (size_t i = 0; i < m->osc.file_count; i++)
		if (!gardener_flow_owns(m->osc.files[i].path.string))
			bare.files[bare.file_count++] = m->osc.files[i];
	/* The downloader's unit is the first one. */
	bare.units++;
	bare.unit_count--;
	if (gardener_machine_make(arena, sink, &bare, &m->stage, cluster->settings, job,
	                          &machine) != STATUS_OK)
		return STATUS_FAILED;
	*ret_mark = machine.user_data_mark;
	return STATUS_OK;
}

/*
 * Adds the user-data of new nodes, from an OSC that the repository lacks and that is not a unit of
 * its own (gardener_makes_provisions).
 */
static enum status add_provision(struct arena *arena, struct sink *sink,
                                 const struct dialect_job *job,
                                 const struct gardener_flow_request *flow,
                                 struct dialect_rendered *rendered)
{
	const struct gardener_cluster *cluster = job->loaded;
	struct artifacts *artifacts = &rendered->artifacts;
	const size_t first = artifacts->count;
	const struct kube_object *object = gardener_flow_provision(arena, flow->osc);
	struct making m;
	struct gardener_machine_request classes = {
	    .job = job, .osc = object, .machine = &m.machine};

	if (make_artifacts(arena, sink, job, object, gardener_flow_first_token(flow->tokens), &m) !=
	        STATUS_OK ||
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
	struct artifact effect;
	if (effect_of(arena, sink, job, &m, &effect) != STATUS_OK)
		return STATUS_FAILED;
	effect.role = ARTIFACT_REPORT;
	VEC_PUSH(arena, artifacts, effect);
	for (size_t i = first; i < artifacts->count; i++)
		artifacts->items[i].for_new_machines = true;
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
	    .server = gardener_flow_has_downloader(arena, &cluster->given, m->osc.object)
	                  ? cluster->server
	                  : NULL,
	};

	if (gardener_flow_check_osc(sink, &m->osc, &m->stage) != STATUS_OK ||
	    gardener_flow_tokens(arena, sink, job, &tokens) != STATUS_OK ||
	    gardener_flow_add(arena, sink, &flow, &rendered->artifacts) != STATUS_OK)
		return STATUS_FAILED;
	if (flow.server && !is_given && !cluster->makes_provisions)
		return add_provision(arena, sink, job, &flow, rendered);
	if (!flow.server && !is_given && !cluster->has_wrong_server)
		gardener_flow_warn_no_provision(sink, &m->osc);
	return STATUS_OK;
}

enum status gardener_render(struct arena *arena, struct sink *sink, const struct dialect_job *job,
                            struct dialect_rendered *ret_rendered)
{
	const struct gardener_cluster *cluster = job->loaded;
	const struct gardener_settings *settings = cluster->settings;
	const struct kube_object *object = job->unit->object;
	struct dialect_rendered rendered = {0};
	struct making m;

	if (make_artifacts(arena, sink, job, object, NULL, &m) != STATUS_OK)
		return STATUS_FAILED;
	if (m.stage.format)
		VEC_PUSH(arena, &rendered.artifacts,
		         gardener_result_make(arena, &m.osc, settings, &m.machine,
		                              value_map_get(&m.status, SV("status"))));
	struct gardener_machine_request classes = {job, object, &m.machine,
	                                           m.machine.user_data_mark};
	if (m.has_downloader &&
	    find_only_new(arena, sink, job, &m, &classes.only_new_mark) != STATUS_OK)
		return STATUS_FAILED;
	if (m.osc.purpose == GARDENER_PROVISION &&
	    gardener_machine_classes_add(arena, sink, &cluster->machines, &classes, &rendered) !=
	        STATUS_OK)
		return STATUS_FAILED;
	if (gardener_is_for_node_agent(settings, object))
		VEC_PUSH(arena, &rendered.artifacts,
		         gardener_node_agent_make(arena, &m.osc, &m.stage));
	if (gardener_flow_has(settings, object) || gardener_agent_has(settings, object))
		gardener_data_volume_check(sink, job->unit->resolved, &m.osc);
	if (gardener_flow_has(settings, object) &&
	    add_flow(arena, sink, job, &m, &rendered) != STATUS_OK)
		return STATUS_FAILED;
	add_agent(arena, settings, &m, &rendered.artifacts);
	/* The cluster has no made object whose status it would be. */
	if (!is_agents(settings, object))
		add_status(arena, m.status, &rendered.artifacts);
	struct artifact effect;
	if (effect_of(arena, sink, job, &m, &effect) != STATUS_OK)
		return STATUS_FAILED;
	VEC_PUSH(arena, &rendered.artifacts, effect);
	rendered.is_applied = m.osc.purpose == GARDENER_RECONCILE;
	if (job->wants_fetches) {
		if (object == job->cluster->units.items[0])
			gardener_report_not_inventoried(sink, object);
		gardener_fetches(arena, &m.osc, &rendered.fetches);
		if (is_agents(settings, object))
			gardener_agent_fetches(arena, settings, &rendered.fetches);
	}
	rendered.provider = SV(GARDENER_BUDGET);
	rendered.operating_system = m.osc.type.string;
	rendered.kubelet_version = settings->kubernetes_version;
	rendered.node = m.machine.node;
	*ret_rendered = rendered;
	return STATUS_OK;
}
