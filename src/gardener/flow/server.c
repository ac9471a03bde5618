/*
 * Reads the address and the CA of the API server from the ConfigMap kube-public/cluster-info, as
 * Kubermatic's dialect does.
 */
#include "gardener/flow/flow.h"
#include "seal/seal.h"

#define INFO_NAMESPACE "kube-public"
#define INFO_NAME      "cluster-info"
#define INFO_KEY       "kubeconfig"

void gardener_flow_want(struct dialect_wants *wants)
{
	dialect_want(wants, SV("ConfigMap"), SV(INFO_NAMESPACE), SV(INFO_NAME));
}

bool gardener_flow_has_server(const struct dialect_cluster *cluster)
{
	return kube_objects_find(cluster->objects, SV("ConfigMap"), SV(INFO_NAMESPACE),
	                         SV(INFO_NAME)) ||
	       kube_objects_has_unread(cluster->objects, SV("ConfigMap"), SV(INFO_NAMESPACE),
	                               SV(INFO_NAME));
}

static struct gardener_flow_server *absent(struct arena *arena)
{
	struct gardener_flow_server *server = ARENA_NEW(arena, struct gardener_flow_server);
	const struct value text =
	    kube_absent_value(arena, SV(INFO_NAMESPACE), SV(INFO_NAME), SV(INFO_KEY));

	*server = (struct gardener_flow_server){text, text};
	return server;
}

/* Returns the reason for which a node cannot use the server, or null. */
static const char *problem_of(const struct kube_config *config)
{
	const struct kube_config_cluster *server = config->clusters;

	if (config->cluster_count != 1)
		return "it must have exactly one cluster";
	if (!sv_starts_with(value_text(&server->server), SV("https://")))
		return "its server must begin with https://";
	if (sv_empty(value_text(&server->certificate_authority_data)))
		return "it has no certificate-authority-data";
	if (secrecy_holds_private_key(server->certificate_authority_data.string))
		return "its certificate-authority-data holds a private key";
	if (server->insecure_skip_tls_verify)
		return "nodes do not download with insecure-skip-tls-verify";
	if (!sv_empty(value_text(&server->proxy_url)) ||
	    !sv_empty(value_text(&server->tls_server_name)))
		return "nodes do not download with proxy-url or tls-server-name";
	return NULL;
}

enum status gardener_flow_server_read(struct arena *arena, struct sink *sink,
                                      const struct dialect_cluster *cluster,
                                      bool secrets_may_be_absent,
                                      const struct gardener_flow_server **ret_server)
{
	const struct kube_object *object =
	    kube_objects_find(cluster->objects, SV("ConfigMap"), SV(INFO_NAMESPACE), SV(INFO_NAME));
	bool is_unread = !object && kube_objects_has_unread(cluster->objects, SV("ConfigMap"),
	                                                    SV(INFO_NAMESPACE), SV(INFO_NAME));
	struct gardener_flow_server *server;
	struct kube_config config;
	struct value text;

	*ret_server = NULL;
	if (secrets_may_be_absent && (is_unread || (object && seal_is_sealed(object->root)))) {
		*ret_server = absent(arena);
		return STATUS_OK;
	}
	/* The reason was reported when the file was read. */
	if (is_unread)
		return STATUS_FAILED;
	if (!object)
		return STATUS_OK;
	if (kube_config_map_value(arena, sink, object, SV(INFO_KEY), kube_object_position(object),
	                          &text) != STATUS_OK ||
	    kube_config_parse(arena, sink, &text, &config) != STATUS_OK)
		return STATUS_FAILED;
	const char *problem = problem_of(&config);
	if (problem) {
		struct diag *diag =
		    diag_report(sink, DIAG_CLUSTER_INFO, value_position(&text),
		                "nodes cannot use the kubeconfig of cluster-info: %s", problem);
		diag_set_help(sink, diag,
		              "commit what `kubectl -n kube-public get configmap cluster-info "
		              "-o yaml` prints, in the cluster's folder");
		return STATUS_FAILED;
	}
	server = ARENA_NEW(arena, struct gardener_flow_server);
	*server = (struct gardener_flow_server){
	    .url =
	        secrecy_taint_userinfo(arena, config.clusters[0].server, SV(INFO_NAME ":server")),
	    .ca = config.clusters[0].certificate_authority_data,
	};
	*ret_server = server;
	return STATUS_OK;
}
