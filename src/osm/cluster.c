/*
 * Loads the objects that all MachineDeployments of a cluster share, once for each cluster.
 */
#include "osm/data.h"
#include "osm/unfilled.h"
#include "seal/seal.h"
#include "userdata/userdata.h"

struct loader {
	struct arena *arena;
	struct sink *sink;
	const struct osm_cluster_input *input;
	struct osm_cluster *cluster;
};

/* Sets placeholders for a cluster-info that stays encrypted. */
static void stand_in_cluster_info(struct loader *l)
{
	struct kube_config_cluster *cluster = ARENA_NEW(l->arena, struct kube_config_cluster);
	struct value absent =
	    kube_absent_value(l->arena, SV("kube-public"), SV("cluster-info"), SV("kubeconfig"));

	*cluster = (struct kube_config_cluster){
	    .server = absent,
	    .certificate_authority_data = absent,
	};
	if (!sv_empty(l->input->settings->override_api_server.string))
		cluster->server = l->input->settings->override_api_server;
	l->cluster->cluster_info = (struct kube_config){
	    .clusters = cluster,
	    .cluster_count = 1,
	    .api_version = SV("v1"),
	    .kind = SV("Config"),
	};
	l->cluster->server_url = cluster->server;
}

/* Taints user and password of a URL of cluster-info. Fails if their end is unclear. */
static enum status take_url(struct loader *l, const char *member, struct value *url)
{
	struct diag *diag;

	if (url->taint || !secrecy_userinfo_is_unclear(value_text(url))) {
		*url = secrecy_taint_userinfo(l->arena, *url,
		                              arena_printf(l->arena, "cluster-info:%s", member));
		return STATUS_OK;
	}
	diag = diag_report(l->sink, DIAG_CLUSTER_INFO,
	                   position_without_line(l->sink->arena, value_position(url)),
	                   "%s of cluster-info has @, but is not a URL that user and password can "
	                   "be read from",
	                   member);
	diag_set_help(l->sink, diag,
	              "write SCHEME://USER:PASSWORD@HOST:PORT, and write characters of user and "
	              "password other than letters, digits and -._~ as %%XX, such as %%2F for /");
	return STATUS_FAILED;
}

static enum status load_cluster_info(struct loader *l)
{
	const struct kube_object *object = kube_objects_cluster_info(l->input->objects);
	bool is_unread = !object && kube_objects_has_unread(l->input->objects, SV("ConfigMap"),
	                                                    SV("kube-public"), SV("cluster-info"));
	struct kube_config *config = &l->cluster->cluster_info;
	enum status status = STATUS_OK;
	struct value text;

	if (l->input->secrets_may_be_absent &&
	    (is_unread || (object && seal_is_sealed(object->root)))) {
		stand_in_cluster_info(l);
		return STATUS_OK;
	}
	/* The reason was reported when the file was read. */
	if (is_unread)
		return STATUS_FAILED;
	if (!object) {
		struct diag *diag = diag_report(l->sink, DIAG_CLUSTER_INFO, l->input->at,
		                                "ConfigMap kube-public/cluster-info is not among "
		                                "the manifests of cluster \"%.*s\"",
		                                SV_ARG(l->input->name));
		diag_set_help(l->sink, diag,
		              "commit what `kubectl -n kube-public get configmap cluster-info "
		              "-o yaml` prints, in the cluster's folder");
		return STATUS_FAILED;
	}
	if (kube_config_map_value(l->arena, l->sink, object, SV("kubeconfig"),
	                          kube_object_position(object), &text) != STATUS_OK ||
	    kube_config_parse(l->arena, l->sink, &text, config) != STATUS_OK)
		return STATUS_FAILED;
	if (config->cluster_count != 1) {
		struct diag *diag = diag_report(l->sink, DIAG_CLUSTER_INFO, value_position(&text),
		                                "the kubeconfig of cluster-info has %zu clusters",
		                                config->cluster_count);
		diag_set_help(l->sink, diag,
		              "keep exactly one: the controller picks any of several by chance");
		return STATUS_FAILED;
	}
	for (size_t i = 0; i < config->cluster_count; i++) {
		struct kube_config_cluster *cluster = &config->clusters[i];

		osm_check_variables(l->sink, &cluster->server);
		if (!sv_empty(l->input->settings->override_api_server.string))
			cluster->server = l->input->settings->override_api_server;
		status |= take_url(l, "server", &cluster->server);
		status |= take_url(l, "proxy-url", &cluster->proxy_url);
	}
	if (status != STATUS_OK)
		return STATUS_FAILED;
	l->cluster->server_url =
	    config->clusters[0].server.type ? config->clusters[0].server : value_string(SV(""));
	return STATUS_OK;
}

static enum status load_ca(struct loader *l)
{
	const struct kube_config *config = &l->cluster->cluster_info;

	if (!sv_empty(l->input->settings->kubernetes_ca.string)) {
		l->cluster->kubernetes_ca = l->input->settings->kubernetes_ca;
		return STATUS_OK;
	}
	if (config->cluster_count > 0 &&
	    !sv_empty(value_text(&config->clusters[0].certificate_authority_data))) {
		l->cluster->kubernetes_ca = config->clusters[0].certificate_authority_data;
		if (!secrecy_holds_private_key(l->cluster->kubernetes_ca.string))
			return STATUS_OK;
		struct diag *diag = diag_report(
		    l->sink, DIAG_CA_BUNDLE, config->at.source ? config->at : l->input->at,
		    "certificate-authority-data of cluster-info holds a private key");
		diag_set_help(l->sink, diag,
		              "remove the key, since the CA goes to every machine in the clear; "
		              "and treat the key as known to others");
		return STATUS_FAILED;
	}
	/* A missing cluster-info was reported, and that is enough. */
	if (config->cluster_count == 0)
		return STATUS_FAILED;
	struct diag *diag =
	    diag_report(l->sink, DIAG_CA_BUNDLE, l->input->at,
	                "the cluster's CA is missing: neither kubernetesCABundle nor "
	                "certificate-authority-data of cluster-info is set");
	diag_set_help(l->sink, diag, "set kubernetesCABundle to a file with the cluster's CA");
	return STATUS_FAILED;
}

static enum status load_getter_token(struct loader *l)
{
	const struct kube_object *object = kube_objects_find(
	    l->input->objects, SV("Secret"), SV(OSM_SECRETS_NAMESPACE), SV(OSM_GETTER_TOKEN));

	/* If the token could not be decrypted, fail instead of using another one. */
	if (!object)
		return kube_objects_is_failed(l->input->objects, SV("Secret"),
		                              SV(OSM_SECRETS_NAMESPACE), SV(OSM_GETTER_TOKEN))
		           ? STATUS_FAILED
		           : STATUS_OK;
	if (osm_secret_is_unfilled(object, SV("token"))) {
		osm_warn_unfilled(l->arena, l->sink, object,
		                  "osm-gen derives a token for each MachineDeployment");
		return STATUS_OK;
	}
	if (l->input->secrets_may_be_absent && !osm_secret_is_usable(object, SV("token")) &&
	    osm_secret_may_have(object, SV("token"))) {
		l->cluster->getter_token =
		    kube_absent_value(l->arena, object->id.namespace, object->id.name, SV("token"));
		return STATUS_OK;
	}
	return kube_secret_value(l->arena, l->sink, object, SV("token"),
	                         kube_object_position(object), &l->cluster->getter_token);
}

static enum status load_credentials(struct loader *l, struct osm_registry_credentials *credentials)
{
	const struct setter_reference *reference = &l->input->settings->registry_credentials_secret;
	sv namespace = reference->namespace;
	sv name = reference->name;

	if (sv_empty(name))
		return STATUS_OK;
	const struct kube_object *object =
	    kube_objects_find(l->input->objects, SV("Secret"), namespace, name);
	struct position at = value_position(&reference->text);
	if (!at.source)
		at = l->input->at;
	if (l->input->secrets_may_be_absent &&
	    (object
	         ? seal_is_sealed(object->root)
	         : kube_secret_may_come(l->arena, l->sink, l->input->objects, namespace, name, at)))
		return STATUS_OK;
	if (!object && kube_objects_is_failed(l->input->objects, SV("Secret"), namespace, name))
		return STATUS_FAILED;
	if (!object) {
		struct diag *diag = diag_report(l->sink, DIAG_OBJECT_MISSING, at,
		                                "Secret %.*s/%.*s with registry credentials is not "
		                                "among the manifests",
		                                SV_ARG(namespace), SV_ARG(name));
		kube_objects_help_missing(
		    l->arena, l->sink, diag, l->input->objects,
		    &(struct kube_id){.kind = SV("Secret"), .namespace = namespace, .name = name});
		return STATUS_FAILED;
	}
	return osm_registry_credentials_read(l->arena, l->sink, object,
	                                     value_position(&reference->text), credentials);
}

static enum status load_account_token(struct loader *l)
{
	const struct setter_reference *reference = &l->input->settings->token_service_account;

	if (sv_empty(reference->name))
		return STATUS_OK;
	return osm_account_token(l->arena, l->sink, l->input->objects, reference,
	                         l->input->secrets_may_be_absent, &l->cluster->account_token);
}

enum status osm_cluster_load(struct arena *arena, struct sink *sink,
                             const struct osm_cluster_input *input,
                             const struct osm_cluster **ret_cluster)
{
	struct loader l = {arena, sink, input, ARENA_NEW(arena, struct osm_cluster)};
	struct osm_registry_credentials credentials = {0};

	*l.cluster = (struct osm_cluster){
	    .name = input->name,
	    .settings = input->settings,
	    .objects = input->objects,
	    .secrets_may_be_absent = input->secrets_may_be_absent,
	    .environment = input->environment,
	    .given_tokens = map_in(arena),
	    .read_texts = ARENA_NEW(arena, struct userdata_read_texts),
	};
	{
		DIAG_SCOPE(sink, sink->object, input->name);
		enum status status = load_cluster_info(&l);
		status |= load_ca(&l);
		status |= load_getter_token(&l);
		status |= load_account_token(&l);
		status |= load_credentials(&l, &credentials);
		if (status != STATUS_OK)
			return STATUS_FAILED;
	}
	osm_collect_given_tokens(arena, sink, input->objects, &l.cluster->given_tokens);
	l.cluster->containerd_config = osm_containerd_config(arena, input->settings, &credentials);
	l.cluster->hosts_files = osm_containerd_hosts(arena, input->settings);
	l.cluster->cluster_dns = osm_data_ips(arena, &input->settings->cluster_dns);
	*ret_cluster = l.cluster;
	return STATUS_OK;
}

void osm_cluster_artifacts(struct arena *arena, const struct osm_cluster *cluster,
                           struct artifacts *artifacts)
{
	struct value annotations = value_map_new(arena);

	if (cluster->getter_token.type)
		return;
	value_map_set(arena, &annotations, SV(OSM_ANNOTATION_FLUX_SUBSTITUTE),
	              value_string(SV("disabled")));
	/* Pruning the namespace would delete Secrets that nodes still need. */
	value_map_set(arena, &annotations, SV(OSM_ANNOTATION_FLUX_PRUNE),
	              value_string(SV("disabled")));
	struct value object = kube_namespace_new(arena, SV(OSM_SECRETS_NAMESPACE), &annotations);
	VEC_PUSH(arena, artifacts,
	         artifact_of(object, ARTIFACT_WORKER, ARTIFACT_SUPPORT, ARTIFACT_CLEAR));
}
