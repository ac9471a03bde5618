/*
 * The objects of the flow: the Secret that nodes download, its tokens, and RBAC.
 */
#include "gardener/flow/flow.h"
#include "codec/codec.h"

#define NAMESPACE "kube-system"
/* The prefix of a bootstrap token's user, whose name ends with the token's ID. */
#define TOKEN_USER "system:bootstrap:"
/* The prefix of the cluster's own ClusterRoles by which kube-controller-manager approves. */
#define APPROVE "system:certificates.k8s.io:certificatesigningrequests:"

enum status gardener_flow_check(struct sink *sink, const struct dialect_cluster *cluster)
{
	const struct gardener_settings *settings = cluster->settings;
	struct diag *diag;

	if (settings->flow != GARDENER_FLOW_DOWNLOADER || settings->contract == GARDENER_2021)
		return STATUS_OK;
	diag = diag_report(sink, DIAG_GARDENER_FLOW, settings->flow_given.at,
	                   "gardenerFlow: downloader is for gardenerContract: \"2021\" only");
	diag_set_help(sink, diag, "set gardenerContract: \"2021\", or gardenerFlow: none");
	return STATUS_FAILED;
}

/* ---- adding ------------------------------------------------------------------------------ */

static void add_flow_artifact(struct arena *arena, struct artifacts *artifacts,
                              enum artifact_role role, struct value object)
{
	VEC_PUSH(arena, artifacts,
	         artifact_of(object, ARTIFACT_WORKER, role,
	                     role == ARTIFACT_CREDENTIAL ? ARTIFACT_SEAL_DATA : ARTIFACT_CLEAR));
}

void gardener_flow_cluster_artifacts(struct arena *arena, sv joiners, struct artifacts *artifacts)
{
	const struct {
		sv name;
		sv role;
		sv group;
	} bindings[] = {
	    {SV("osm-gen-node-bootstrapper"), SV("system:node-bootstrapper"), joiners},
	    {SV("osm-gen-node-client"), SV(APPROVE "nodeclient"), joiners},
	    {SV("osm-gen-node-client-renewal"), SV(APPROVE "selfnodeclient"), SV("system:nodes")},
	};
	struct value annotations = gardener_applier_annotations(arena);

	for (size_t i = 0; i < COUNT_OF(bindings); i++) {
		const struct kube_subject subject = {bindings[i].group, .is_group = true};

		add_flow_artifact(arena, artifacts, ARTIFACT_SUPPORT,
		                  kube_binding_new(arena, &(struct kube_binding_request){
		                                              .name = bindings[i].name,
		                                              .role = bindings[i].role,
		                                              .annotations = &annotations,
		                                              .subjects = &subject,
		                                              .subject_count = 1}));
	}
}

/* ---- one OSC ----------------------------------------------------------------------------- */

enum status gardener_flow_check_osc(struct sink *sink, const struct gardener_osc *osc,
                                    const struct gardener_stage *stage)
{
	struct diag *diag;

	if (!osc->reload_path.type) {
		diag = diag_report(sink, DIAG_GARDENER_FLOW, kube_object_position(osc->object),
		                   "spec.reloadConfigFilePath is missing: gardenerFlow: downloader "
		                   "needs a path for the user-data that is applied");
		diag_set_help(sink, diag,
		              "set it to "
		              "/var/lib/cloud-config-downloader/downloads/cloud_config");
		return STATUS_FAILED;
	}
	if (stage->command.type)
		return STATUS_OK;
	diag = diag_report(sink, DIAG_GARDENER_FLOW, value_position(&osc->type),
	                   "the document of type \"%.*s\" has no command that applies user-data "
	                   "on a running node",
	                   SV_ARG(osc->type.string));
	diag_set_help(sink, diag, "set `command` in its " GARDENER_SYSTEM_KIND);
	return STATUS_FAILED;
}

void gardener_flow_warn_no_provision(struct sink *sink, const struct gardener_osc *osc)
{
	struct diag *diag =
	    diag_report(sink, DIAG_GARDENER_NO_PROVISION, kube_object_position(osc->object),
	                "the output has no user-data for new nodes of this pool");

	diag_set_help(
	    sink, diag,
	    "commit ConfigMap kube-public/cluster-info in the cluster's folder, from which "
	    "osm-gen makes it, or an OperatingSystemConfig of purpose provision");
}

static void add_token(struct arena *arena, struct artifacts *artifacts, sv name,
                      const struct value *token, sv groups, sv expiration)
{
	struct value annotations = gardener_applier_annotations(arena);
	const struct kube_token_request request = {
	    .token = token,
	    .owner = name,
	    .groups = groups,
	    .expiration = expiration,
	    .annotations = &annotations,
	};

	add_flow_artifact(arena, artifacts, ARTIFACT_CREDENTIAL,
	                  kube_token_secret_new(arena, &request));
}

void gardener_flow_add_tokens(struct arena *arena, sv name,
                              const struct gardener_flow_tokens *tokens,
                              struct artifacts *artifacts)
{
	if (!tokens->is_given)
		add_token(arena, artifacts, name, &tokens->now, tokens->groups, tokens->expiration);
	if (tokens->before.type)
		add_token(arena, artifacts, name, &tokens->before, tokens->groups,
		          tokens->expiration_before);
	if (tokens->join.type)
		add_token(arena, artifacts, name, &tokens->join, SV(GARDENER_FLOW_JOINERS),
		          tokens->expiration);
	if (tokens->join_before.type)
		add_token(arena, artifacts, name, &tokens->join_before, SV(GARDENER_FLOW_JOINERS),
		          tokens->expiration_before);
}

/*
 * Warns if the pool's nodes cannot download any more: of the tokens of the previous output, none is
 * valid in this one. Nodes fetch the next token with the last one.
 */
static enum status check_lost(struct arena *arena, struct sink *sink,
                              const struct gardener_flow_request *request)
{
	const struct dialect_previous *previous = &request->job->previous;
	const struct gardener_flow_tokens *tokens = request->tokens;
	const struct kube_id id = {SV("rbac.authorization.k8s.io/v1"), SV("RoleBinding"),
	                           SV(NAMESPACE), gardener_flow_name(arena, request->osc->object)};
	struct value binding = {0};
	size_t count = 0;

	if (!previous->find || secrecy_is_absent(&tokens->now))
		return STATUS_OK;
	if (previous->find(arena, sink, previous->context, ARTIFACT_WORKER, &id, &binding) !=
	    STATUS_OK)
		return STATUS_FAILED;
	const struct value *subjects = value_map_get(&binding, SV("subjects"));
	for (size_t i = 0; value_is_list(subjects) && i < value_count(subjects); i++) {
		sv name = value_text(value_map_get(value_item(subjects, i), SV("name")));

		if (!sv_starts_with(name, SV(TOKEN_USER)))
			continue;
		sv token = sv_from_offset(name, strlen(TOKEN_USER));
		if (sv_eq(token, kube_token_id(&tokens->now)) ||
		    (tokens->before.type && sv_eq(token, kube_token_id(&tokens->before))))
			return STATUS_OK;
		count++;
	}
	if (count == 0)
		return STATUS_OK;
	struct diag *diag = diag_report(
	    sink, DIAG_GARDENER_TOKEN_LOST, kube_object_position(request->osc->object),
	    "running nodes of this pool lose their token: every token of the previous output ends");
	diag_set_help(sink, diag,
	              "write the new token into " GARDENER_FLOW_FOLDER
	              "/credentials/bootstrap-token of each node, or replace the machines");
	return STATUS_OK;
}

/* Lets the pool's tokens, or with machines' own tokens each bootstrap token, read the Secret. */
static void add_reader(struct arena *arena, struct artifacts *artifacts,
                       const struct gardener_settings *settings, sv name,
                       const struct gardener_flow_tokens *tokens)
{
	const struct value *users[] = {&tokens->now, &tokens->before, &tokens->join,
	                               &tokens->join_before};
	struct value annotations = gardener_applier_annotations(arena);
	struct kube_subject subjects[1 + COUNT_OF(users)];
	size_t count = 0;

	if (settings->machine_tokens)
		subjects[count++] = (struct kube_subject){SV(KUBE_BOOTSTRAPPERS), .is_group = true};
	for (size_t i = 0; i < COUNT_OF(users); i++)
		if (users[i]->type)
			subjects[count++] = (struct kube_subject){
			    .name = ARENA_CONCAT(arena, SV(TOKEN_USER), kube_token_id(users[i]))};
	add_flow_artifact(
	    arena, artifacts, ARTIFACT_SUPPORT,
	    kube_secret_reader_role_new(arena, SV(NAMESPACE), name, &annotations, &name, 1));
	add_flow_artifact(
	    arena, artifacts, ARTIFACT_SUPPORT,
	    kube_binding_new(arena, &(struct kube_binding_request){.namespace = SV(NAMESPACE),
	                                                           .name = name,
	                                                           .role = name,
	                                                           .annotations = &annotations,
	                                                           .subjects = subjects,
	                                                           .subject_count = count}));
}

static enum status add_secret(struct arena *arena, struct sink *sink,
                              const struct gardener_flow_request *request,
                              struct artifacts *artifacts)
{
	const struct value script = gardener_flow_script(arena, request);
	struct value annotations = gardener_applier_annotations(arena);
	struct value labels = value_map_new(arena);
	struct value data = value_map_new(arena);
	struct value checksum = value_string(digest_hex(arena, DIGEST_SHA256, script.string));

	value_map_set(arena, &labels, SV("gardener.cloud/role"), value_string(SV("cloud-config")));
	if (request->job->cluster->contract >= 2)
		gardener_set_pool(arena, request->osc->object, &labels);
	/* The script holds a token, which nobody guesses: its digest confirms no guess. */
	if (request->job->cluster->contract >= 2 && !secrecy_is_absent(&request->tokens->now))
		value_map_set(arena, &annotations, SV(GARDENER_DOWNLOADED), checksum);
	else
		checksum.taint = taint_whole(arena, checksum.string.len, secrecy_find(&script));
	value_map_set(arena, &data, SV("checksum"), checksum);
	value_map_set(arena, &data, SV("cloud_config"), request->machine->user_data);
	value_map_set(arena, &data, SV("script"), script);
	const struct kube_secret_request secret_request = {
	    .namespace = SV(NAMESPACE),
	    .name = gardener_flow_name(arena, request->osc->object),
	    .labels = &labels,
	    .annotations = &annotations,
	    .data = &data,
	};
	VEC_PUSH(arena, artifacts,
	         gardener_node_secret(arena, &secret_request, SV("script"), &script));
	/* The limit is of all values together. */
	return userdata_check_secret(
	    sink, "execution script with its user-data",
	    ARENA_CONCAT(arena, script.string, request->machine->user_data.string),
	    request->job->round_lengths, kube_object_position(request->osc->object));
}

enum status gardener_flow_add(struct arena *arena, struct sink *sink,
                              const struct gardener_flow_request *request,
                              struct artifacts *artifacts)
{
	sv name = gardener_flow_name(arena, request->osc->object);
	const struct gardener_flow_tokens *tokens = request->tokens;

	if (check_lost(arena, sink, request) != STATUS_OK ||
	    add_secret(arena, sink, request, artifacts) != STATUS_OK)
		return STATUS_FAILED;
	gardener_flow_add_tokens(arena, name, tokens, artifacts);
	add_reader(arena, artifacts, request->settings, name, tokens);
	return STATUS_OK;
}
