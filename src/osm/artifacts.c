/*
 * Makes the Secrets that machines read, and the RBAC that allows it (docs/spec/controller.md 3, 5,
 * 8; docs/spec/output.md 4).
 */
#include "dialect/dialect.h"
#include "osm/cluster.h"
#include "osm/machine.h"
#include "osm/objects.h"
#include "osm/osm.h"
#include "userdata/userdata.h"
#include "value/text.h"

struct adder {
	struct arena *arena;
	const struct dialect_job *job;
	const struct osm_cluster *cluster;
	const struct osm_machine *machine;
	const struct osm_names *names;
	const struct dialect_config_maps *config_maps;
	struct artifacts *artifacts;
};

/* Returns the artifact, so that the caller can set more members. Valid until the next is added. */
static struct artifact *add(struct adder *a, enum artifact_role role, struct value object,
                            enum artifact_sealing sealing)
{
	enum artifact_side side = role == ARTIFACT_CONFIG ? ARTIFACT_MANAGEMENT : ARTIFACT_WORKER;

	VEC_PUSH(a->arena, a->artifacts, artifact_of(object, side, role, sealing));
	return &a->artifacts->items[a->artifacts->count - 1];
}

/* Returns the annotations of every object: Flux must not substitute ${...} in scripts. */
static struct value applier_annotations(struct arena *arena)
{
	struct value annotations = value_map_new(arena);

	value_map_set(arena, &annotations, SV(OSM_ANNOTATION_FLUX_SUBSTITUTE),
	              value_string(SV("disabled")));
	return annotations;
}

/*
 * Leaves the profile's version out: nothing reads it in a Secret, and with it each change of the
 * profile would seal stage 1 anew, which for itself seldom changes with provisioning: split.
 */
static struct value without_version(struct arena *arena, const struct value *annotations)
{
	struct value rest = value_map_new(arena);

	for (size_t i = 0; i < value_count(annotations); i++) {
		const struct value_entry *entry = &annotations->map->entries[i];

		if (!sv_eq(entry->key, SV(OSM_ANNOTATION_OSP_VERSION)))
			value_map_set(arena, &rest, entry->key, entry->value);
	}
	return rest;
}

static void add_cloud_config(struct adder *a, enum artifact_role role, sv name,
                             const struct value *text, size_t bytes, size_t limit)
{
	bool immutable = a->cluster->settings->immutable_secrets;
	bool is_split = !sv_empty(a->config_maps->now);
	struct value annotations = osm_controller_annotations(a->arena, a->job, a->machine);
	struct value data = value_map_new(a->arena);

	if (role == ARTIFACT_BOOTSTRAP && is_split)
		annotations = without_version(a->arena, &annotations);
	/*
	 * An immutable Secret must be deleted and created again to change it. Force mutable ones,
	 * too, since the cluster may still have the immutable one of an earlier output.
	 */
	value_map_set(a->arena, &annotations, SV(OSM_ANNOTATION_FLUX_FORCE),
	              value_string(SV("Enabled")));
	value_map_set(a->arena, &annotations, SV(OSM_ANNOTATION_FLUX_SUBSTITUTE),
	              value_string(SV("disabled")));
	value_map_set(a->arena, &data, SV("cloud-config"), *text);
	const struct kube_secret_request secret = {
	    .namespace = SV(OSM_SECRETS_NAMESPACE),
	    .name = name,
	    .type = SV("Opaque"),
	    .is_immutable = immutable,
	    .annotations = &annotations,
	    .data = &data,
	};
	struct artifact *artifact =
	    add(a, role, kube_secret_new(a->arena, &secret), ARTIFACT_SEAL_DATA);
	artifact->has_fixed_keys = true;
	/* Base64 that is encrypted takes a third more of git. */
	artifact->wants_string_data = is_split;
	artifact->user_data = *text;
	artifact->user_data_bytes = bytes;
	artifact->user_data_limit = limit;
}

/* Returns a Secret with one key and without a type, as the controller makes some of them. */
static void add_plain_secret(struct adder *a, sv name, sv key, const struct value *text)
{
	struct value annotations = applier_annotations(a->arena);
	struct value data = value_map_new(a->arena);

	value_map_set(a->arena, &data, key, *text);
	const struct kube_secret_request secret = {
	    .namespace = SV(OSM_SECRETS_NAMESPACE),
	    .name = name,
	    .annotations = &annotations,
	    .data = &data,
	};
	add(a, ARTIFACT_CREDENTIAL, kube_secret_new(a->arena, &secret), ARTIFACT_SEAL_DATA)
	    ->has_fixed_keys = true;
}

/*
 * Adds the script with which an edge machine fetches its configuration (docs/spec/controller.md 8).
 */
static void add_edge_script(struct adder *a, const struct value *token)
{
	sv name = a->names->bootstrap_secret;
	struct text text = text_in(a->arena);

	TEXT_ADD_LIT(&text, "apt-get update -y\napt-get install jq -y\n"
	                    "curl -s -k -v --header 'Authorization: Bearer ");
	text_add_value(&text, token);
	TEXT_ADD_LIT(&text, "' ");
	text_add_value(&text, &a->cluster->server_url);
	TEXT_ADD_LIT(&text, "/api/v1/namespaces/" OSM_SECRETS_NAMESPACE "/secrets/");
	text_add(&text, name);
	TEXT_ADD_LIT(&text, " | jq '.data[\"cloud-config\"]' -r| base64 -d > "
	                    "/etc/cloud/cloud.cfg.d/");
	text_add(&text, name);
	TEXT_ADD_LIT(&text, ".cfg \ncloud-init --file /etc/cloud/cloud.cfg.d/");
	text_add(&text, name);
	TEXT_ADD_LIT(&text, ".cfg init\nsystemctl enable bootstrap.service\n"
	                    "systemctl restart bootstrap.service\n");
	struct value script = text_value(a->arena, &text);
	add_plain_secret(a, a->names->edge_script_secret, SV("fetch-bootstrap-script"), &script);
}

/*
 * A derived token gets its own Secret. `expiration`, which the API server and its token cleaner
 * honour, only where tokenRotation has periods: no run reads a clock, and the date of a
 * commit can limit a token only if a later commit brings the next one. The key comes and goes with
 * that setting, so the keys are not fixed.
 */
static void add_token_secret(struct adder *a, const struct value *token, sv expiration)
{
	struct value annotations = applier_annotations(a->arena);
	struct value labels = value_map_new(a->arena);

	value_map_set(a->arena, &labels, SV(OSM_TOKEN_LABEL), value_string(a->names->key));
	const struct kube_token_request request = {
	    .token = token,
	    .owner = a->names->key,
	    .groups = SV("system:bootstrappers:machine-controller:default-node-token"),
	    .expiration = expiration,
	    .labels = &labels,
	    .annotations = &annotations,
	};
	add(a, ARTIFACT_CREDENTIAL, kube_token_secret_new(a->arena, &request), ARTIFACT_SEAL_DATA);
}

/* Adds the Role: with a getter token, whose own Role allows all Secrets, for ConfigMaps only. */
static void add_role(struct adder *a, const struct value *annotations, bool reads_secrets)
{
	const struct osm_names *names = a->names;
	const sv secrets[] = {names->bootstrap_secret, names->kubeconfig_secret,
	                      names->provisioning_secret};
	const sv config_maps[] = {a->config_maps->now, a->config_maps->before};
	const size_t config_map_count =
	    sv_empty(config_maps[0]) ? 0 : 1 + !sv_empty(config_maps[1]);
	struct kube_rule rules[2];
	size_t count = 0;

	if (reads_secrets)
		rules[count++] =
		    (struct kube_rule){"", "secrets", "get", secrets, COUNT_OF(secrets)};
	if (config_map_count > 0)
		rules[count++] =
		    (struct kube_rule){"", "configmaps", "get", config_maps, config_map_count};
	add(a, ARTIFACT_SUPPORT,
	    kube_role_new(a->arena,
	                  &(struct kube_role_request){.namespace = SV(OSM_SECRETS_NAMESPACE),
	                                              .name = names->role,
	                                              .annotations = annotations,
	                                              .rules = rules,
	                                              .rule_count = count}),
	    ARTIFACT_CLEAR);
}

static void add_role_binding(struct adder *a, const struct value *annotations,
                             const struct kube_subject *subjects, size_t count)
{
	add(a, ARTIFACT_SUPPORT,
	    kube_binding_new(a->arena,
	                     &(struct kube_binding_request){.namespace = SV(OSM_SECRETS_NAMESPACE),
	                                                    .name = a->names->role,
	                                                    .role = a->names->role,
	                                                    .annotations = annotations,
	                                                    .subjects = subjects,
	                                                    .subject_count = count}),
	    ARTIFACT_CLEAR);
}

/* Lets the getter token's ServiceAccount, which is in the namespace, read the ConfigMaps. */
static void add_getter_reader(struct adder *a)
{
	struct value annotations = applier_annotations(a->arena);
	const struct kube_subject accounts = {
	    .name = SV("system:serviceaccounts:" OSM_SECRETS_NAMESPACE), .is_group = true};

	add_role(a, &annotations, false);
	add_role_binding(a, &annotations, &accounts, 1);
}

/*
 * Lets the bootstrap token's user read this MachineDeployment's Secrets and ConfigMaps, and nothing
 * else.
 */
static void add_reader(struct adder *a, const struct value *token, const struct value *before,
                       enum osm_token_from from)
{
	struct value annotations = applier_annotations(a->arena);
	struct kube_subject users[2] = {
	    {.name = ARENA_CONCAT(a->arena, SV("system:bootstrap:"), kube_token_id(token))}};
	size_t user_count = 1;

	if (from == OSM_TOKEN_ACCOUNT) {
		const struct setter_reference *account =
		    &a->cluster->settings->token_service_account;

		users[0].name = ARENA_CONCAT(a->arena, SV("system:serviceaccount:"),
		                             account->namespace, SV(":"), account->name);
	}
	if (before)
		users[user_count++].name =
		    ARENA_CONCAT(a->arena, SV("system:bootstrap:"), kube_token_id(before));
	add_role(a, &annotations, true);
	add_role_binding(a, &annotations, users, user_count);
}

static enum artifact_sealing osc_sealing(enum osm_osc_form form)
{
	switch (form) {
	case OSM_OSC_REDACTED:
		return ARTIFACT_CLEAR;
	case OSM_OSC_SEALED:
		return ARTIFACT_SEAL_SECRETS;
	case OSM_OSC_PATCH:
		return ARTIFACT_SEAL_PATCH;
	}
	BUG("form of an OperatingSystemConfig");
}

void osm_add_artifacts(struct arena *arena, const struct dialect_job *job,
                       const struct osm_machine *machine, const struct osm_names *names,
                       const struct osm_contents *contents, struct artifacts *artifacts)
{
	const struct osm_cluster *cluster = osm_job_cluster(job);
	struct adder a = {arena, job, cluster, machine, names, &contents->config_maps, artifacts};
	enum osm_token_from token_from = contents->token_from;
	const struct value *token = &contents->token;
	const struct value *getter = &cluster->getter_token;

	add(&a, ARTIFACT_CONFIG, contents->osc, osc_sealing(cluster->settings->osc));
	add_cloud_config(&a, ARTIFACT_BOOTSTRAP, names->bootstrap_secret, &contents->bootstrap,
	                 contents->bootstrap_bytes, contents->budget_bytes);
	add_cloud_config(&a, ARTIFACT_PROVISIONING, names->provisioning_secret,
	                 &contents->provisioning, contents->provisioning_bytes,
	                 USERDATA_SECRET_BYTES);
	if (!sv_empty(contents->split.name))
		add(&a, ARTIFACT_CONFIG_MAP, contents->split.config_map, ARTIFACT_CLEAR);
	add_plain_secret(&a, names->kubeconfig_secret, SV("kubeconfig"),
	                 &contents->kubelet_kubeconfig);
	if (sv_eq_cstr(machine->config.cloud_provider.string, "edge"))
		add_edge_script(&a, getter->type ? getter : token);
	/* Machines that were started just before a new period hold the token of the last one. */
	const struct value *before =
	    token_from == OSM_TOKEN_DERIVED && job->token_before.type &&
	            !sv_eq(kube_token_id(&job->token_before), kube_token_id(token))
	        ? &job->token_before
	        : NULL;
	const struct dialect_periods periods =
	    dialect_periods_of(arena, cluster->settings->token_rotation, job->now);
	if (token_from == OSM_TOKEN_DERIVED)
		add_token_secret(&a, token, periods.now.expiration);
	if (before)
		add_token_secret(&a, before, periods.before.expiration);
	if (!getter->type)
		add_reader(&a, token, before, token_from);
	else if (!sv_empty(contents->config_maps.now))
		add_getter_reader(&a);
	if (cluster->settings->writes_machines)
		add(&a, ARTIFACT_MACHINES, osm_output_machine(arena, job, machine),
		    ARTIFACT_SEAL_SECRETS)
		    ->print = SV(OSM_UNIT_OPTION);
}
