/*
 * Finds the address and the CA of a cluster's API server, which nodes trust.
 */
#include "gardener/agent/agent.h"

static bool is_set(const struct value *text)
{
	return !sv_empty(value_text(text));
}

enum status gardener_agent_server_read(struct arena *arena, struct sink *sink,
                                       const struct dialect_cluster *cluster,
                                       bool secrets_may_be_absent,
                                       const struct gardener_flow_server **ret_server)
{
	const struct gardener_settings *settings = cluster->settings;
	struct gardener_flow_server *server = ARENA_NEW(arena, struct gardener_flow_server);
	const struct gardener_flow_server *found = NULL;

	*ret_server = NULL;
	if ((!is_set(&settings->server) || !is_set(&settings->ca)) &&
	    gardener_flow_server_read(arena, sink, cluster, secrets_may_be_absent, &found) !=
	        STATUS_OK)
		return STATUS_FAILED;
	*server = found ? *found : (struct gardener_flow_server){settings->server, settings->ca};
	if (is_set(&settings->server))
		server->url = settings->server;
	if (is_set(&settings->ca))
		server->ca = settings->ca;
	if (is_set(&server->url) && is_set(&server->ca)) {
		*ret_server = server;
		return STATUS_OK;
	}
	struct diag *diag = diag_report(
	    sink, DIAG_CLUSTER_INFO, settings->flow_given.at,
	    "ConfigMap kube-public/cluster-info is not among the manifests of cluster \"%.*s\"",
	    SV_ARG(cluster->name));
	diag_set_help(sink, diag,
	              "commit what `kubectl -n kube-public get configmap cluster-info -o yaml` "
	              "prints, in the cluster's folder; or set overrideBootstrapKubeletAPIServer "
	              "and kubernetesCABundle");
	return STATUS_FAILED;
}
