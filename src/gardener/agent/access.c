/*
 * Gives gardener-node-agent its rights in the cluster. Its group is the same on all nodes, so that
 * RBAC gives each agent the rights that any of them needs. The admission policy limits what they
 * change.
 */
#include "gardener/agent/agent.h"

#define NAMESPACE "kube-system"
/* The organization of the certificates that agents ask for. */
#define GROUP "gardener.cloud:node-agents"
#define NAME  "osm-gen-node-agent"

static enum status report_agent_setting(struct sink *sink, const struct gardener_settings *settings,
                                        const char *problem, const char *help)
{
	struct diag *diag = diag_report(sink, DIAG_GARDENER_FLOW, settings->flow_given.at,
	                                "gardenerFlow: node-agent %s", problem);

	diag_set_help(sink, diag, "%s", help);
	return STATUS_FAILED;
}

enum status gardener_agent_check(struct sink *sink, const struct dialect_cluster *cluster)
{
	const struct gardener_settings *settings = cluster->settings;
	const struct gardener_agent_program *agent = &settings->agent;
	bool has_sum = !sv_empty(agent->sums.amd64) || !sv_empty(agent->sums.arm64);
	bool has_url = !sv_empty(agent->url.string);

	if (settings->flow != GARDENER_FLOW_NODE_AGENT)
		return STATUS_OK;
	if (settings->contract != GARDENER_CURRENT)
		return report_agent_setting(
		    sink, settings, "is for gardenerContract: current only",
		    "set gardenerContract: current, or gardenerFlow: downloader");
	if (sv_empty(settings->kubernetes_version))
		return report_agent_setting(
		    sink, settings, "needs gardenerKubernetesVersion",
		    "set it to the version of the kubelets: the agent does not start "
		    "without it");
	if (!sv_empty(value_text(&agent->registry_ca)) && cluster->contract < 2)
		return report_agent_setting(
		    sink, settings, "has gardenerRegistryCA, which needs output contract 2",
		    "set contract: 2 in the Fleet's spec (osm-gen upgrade)");
	if (has_url && !has_sum)
		return report_agent_setting(
		    sink, settings, "needs the checksum of gardenerNodeAgentURL's file",
		    "set gardenerNodeAgentSHA256: amd64=SHA256, for each architecture of "
		    "the nodes");
	if (has_sum && !has_url)
		return report_agent_setting(
		    sink, settings, "has gardenerNodeAgentSHA256, but no gardenerNodeAgentURL",
		    "set gardenerNodeAgentURL; an image is pinned by its digest, "
		    "gardenerNodeAgentImage: IMAGE@sha256:DIGEST");
	return STATUS_OK;
}

static void add_access_object(struct arena *arena, struct artifacts *artifacts, struct value object)
{
	VEC_PUSH(arena, artifacts,
	         artifact_of(object, ARTIFACT_WORKER, ARTIFACT_SUPPORT, ARTIFACT_CLEAR));
}

/* Adds a Role, or a ClusterRole without a namespace, and its binding to the agents' group. */
static void add_role(struct arena *arena, struct artifacts *artifacts,
                     struct kube_role_request request)
{
	const struct kube_subject subject = {SV(GROUP), .is_group = true};
	struct value annotations = gardener_applier_annotations(arena);
	const struct kube_binding_request binding = {
	    .namespace = request.namespace,
	    .name = request.name,
	    .role = request.name,
	    .annotations = &annotations,
	    .subjects = &subject,
	    .subject_count = 1,
	};

	request.annotations = &annotations;
	add_access_object(arena, artifacts, kube_role_new(arena, &request));
	add_access_object(arena, artifacts, kube_binding_new(arena, &binding));
}

sv gardener_agent_keys(struct arena *arena, const struct dialect_cluster *cluster)
{
	struct buf keys = buf_in(arena);

	VEC_EACH (unit, &cluster->units)
		if (gardener_agent_has(cluster->settings, *unit))
			buf_printf(&keys, "%s%.*s", keys.len > 0 ? " " : "",
			           SV_ARG(gardener_node_agent_key(*unit)));
	return buf_sv(&keys);
}

void gardener_agent_cluster_artifacts(struct arena *arena, const struct gardener_settings *settings,
                                      sv keys, struct artifacts *artifacts)
{
	static const struct kube_rule cluster_rules[] = {
	    {"", "nodes", "get,list,watch,patch,update", NULL, 0},
	    {"", "nodes/status", "patch,update", NULL, 0},
	    {"", "pods", "get,list,watch,delete", NULL, 0},
	    {",events.k8s.io", "events", "create,patch", NULL, 0},
	    {"certificates.k8s.io", "certificatesigningrequests", "create,get", NULL, 0},
	};
	static const struct kube_rule namespace_rules[] = {
	    {"coordination.k8s.io", "leases", "get,list,watch,create,update", NULL, 0},
	};

	gardener_flow_cluster_artifacts(arena, SV(KUBE_BOOTSTRAPPERS), artifacts);
	add_role(arena, artifacts,
	         (struct kube_role_request){.name = SV(NAME),
	                                    .rules = cluster_rules,
	                                    .rule_count = COUNT_OF(cluster_rules)});
	add_role(arena, artifacts,
	         (struct kube_role_request){.namespace = SV(NAMESPACE),
	                                    .name = SV(NAME),
	                                    .rules = namespace_rules,
	                                    .rule_count = COUNT_OF(namespace_rules)});
	gardener_agent_add_policy(arena, settings, keys, artifacts);
}

void gardener_agent_add_role(struct arena *arena, const struct kube_object *osc,
                             struct artifacts *artifacts)
{
	const sv key = gardener_node_agent_key(osc);
	const struct kube_rule rule = {"", "secrets", "get,list,watch", &key, 1};

	add_role(arena, artifacts,
	         (struct kube_role_request){
	             .namespace = SV(NAMESPACE), .name = key, .rules = &rule, .rule_count = 1});
}
