/*
 * Kubermatic's dialect: the table of functions through which the program calls osm/.
 */
#include "osm/adoption.h"
#include "osm/cloud.h"
#include "osm/embedded.h"
#include "osm/extension/extension.h"
#include "osm/kubeone/kubeone.h"
#include "osm/settings.h"
#include "osm/split.h"

#define REFERENCE_PLACE "spec.template.spec.providerSpec.value"

/* ---- kinds ------------------------------------------------------------------------------- */

static const struct dialect_kind kinds[] = {
    {SV_INIT("OperatingSystemProfile"), SV_INIT(OSM_API_GROUP), SV_INIT("v1alpha1"),
     .part = DIALECT_DEFINITION, .is_unique = true},
    {SV_INIT("CustomOperatingSystemProfile"), SV_INIT(OSM_API_GROUP), SV_INIT("v1alpha1"),
     .part = DIALECT_DEFINITION, .is_unique = true},
    {SV_INIT(OSM_EXTENSION_KIND), SV_INIT("osm-gen.dev"), SV_INIT("v1alpha1"),
     .part = DIALECT_DEFINITION, .is_unique = true,
     .converted_group = SV_INIT("kubermatic.k8c.io")},
    /* Cluster API has MachineDeployments, too. */
    {SV_INIT("MachineDeployment"), SV_INIT(OSM_MACHINE_API_GROUP), SV_INIT("v1alpha1"),
     .part = DIALECT_UNIT, .other_group = SV_INIT("cluster.x-k8s.io"),
     .other_system = "Cluster API"},
    {SV_INIT(OSM_KUBEONE_KIND), SV_INIT(OSM_KUBEONE_GROUP), SV_INIT("v1beta2"),
     .part = DIALECT_EXPANDED, .former_group = SV_INIT("kubeone.io")},
    {SV_INIT(OSM_KUBEONE_KIND), SV_INIT(OSM_KUBEONE_GROUP), SV_INIT("v1beta3"),
     .part = DIALECT_EXPANDED},
    {SV_INIT("Secret"), SV_INIT(""), SV_INIT("v1"), .part = DIALECT_LOOKUP},
    {SV_INIT("ConfigMap"), SV_INIT(""), SV_INIT("v1"), .part = DIALECT_LOOKUP},
    /* Only for its list of Secrets. RoleBindings contain the word, too, so `member` is needed. */
    {SV_INIT("ServiceAccount"), SV_INIT(""), SV_INIT("v1"), .part = DIALECT_LOOKUP,
     .member = SV_INIT("secrets")},
};

static const sv other_kinds[] = {
    SV_INIT("OperatingSystemConfig"), SV_INIT("Machine"), SV_INIT("MachineSet"),
    SV_INIT("MachineClass"),          SV_INIT("Cluster"),
};

/* KKP: an annotation has a cluster's first machines. */
#define KKP_MAKER(kind)                                                                            \
	{                                                                                          \
		SV_INIT(kind), SV_INIT("kubermatic.k8c.io"), "metadata.annotations",               \
		    SV_INIT("kubermatic.io/initial-machinedeployment-request"),                    \
		    SV_INIT("MachineDeployment"),                                                  \
		    "its annotation kubermatic.io/initial-machinedeployment-request",              \
		    "export them from the user cluster (kubectl get "                              \
		    "machinedeployments.cluster.k8s.io -A -o yaml, then osm-gen adopt) and "       \
		    "commit "                                                                      \
		    "them in the cluster's folder; if ",                                           \
		    " is not meant for osm-gen, name it in .osm-gen-ignore"                        \
	}
static const struct dialect_maker makers[] = {
    KKP_MAKER("Cluster"),
    KKP_MAKER("ClusterTemplate"),
};

/* machine-controller's providerSpec, in a manifest whose apiVersion is another system's. */
static const struct dialect_stray strays[] = {
    {SV_INIT("MachineDeployment"), "spec.template.spec.providerSpec.value.cloudProvider"},
    {SV_INIT("MachineSet"), "spec.template.spec.providerSpec.value.cloudProvider"},
    {SV_INIT("Machine"), "spec.providerSpec.value.cloudProvider"},
};

/* ---- settings ---------------------------------------------------------------------------- */

static bool has_budget(sv name)
{
	return osm_provider_find(name) != NULL;
}

static struct value settings_secrets(struct arena *arena, const void *settings)
{
	const struct osm_settings *from = settings;
	struct value list = value_list_new(arena);

	value_list_add(arena, &list, from->http_proxy);
	value_list_add(arena, &list, from->no_proxy);
	value_list_add(arena, &list, from->override_api_server);
	VEC_EACH (mirror, &from->registry_mirrors)
		value_list_add(arena, &list, mirror->url);
	VEC_EACH (mirror, &from->containerd_mirrors)
		value_list_add(arena, &list, mirror->url);
	return list;
}

static bool revision_pins(const void *settings)
{
	return ((const struct osm_settings *)settings)->revision_pins;
}

static bool writes_unit(const void *settings)
{
	return ((const struct osm_settings *)settings)->writes_machines;
}

/* ---- lookups ----------------------------------------------------------------------------- */

/* Adds the objects of every secretKeyRef and configMapKeyRef in `v`. */
static void want_references(struct dialect_wants *wants, const struct value *v)
{
	if (value_is_list(v)) {
		for (size_t i = 0; i < value_count(v); i++)
			want_references(wants, value_item(v, i));
		return;
	}
	if (!value_is_map(v))
		return;
	for (size_t i = 0; i < value_count(v); i++) {
		const struct value_entry *entry = &v->map->entries[i];
		bool secret = go_json_key_is(entry->key, SV("secretKeyRef"));

		if (secret || go_json_key_is(entry->key, SV("configMapKeyRef")))
			dialect_want(wants, secret ? SV("Secret") : SV("ConfigMap"),
			             value_text(go_json_member(&entry->value, SV("namespace"))),
			             value_text(go_json_member(&entry->value, SV("name"))));
		else
			want_references(wants, &entry->value);
	}
}

/* Adds the Secrets whose values become files of extensions. */
static void want_extensions(struct dialect_wants *wants, const struct kube_object_list *objects)
{
	VEC_EACH (object, objects)
		if (sv_eq((*object)->id.kind, SV(OSM_EXTENSION_KIND)))
			want_references(wants, value_map_get((*object)->root, SV("spec")));
}

static void want(const struct dialect_cluster *cluster, struct dialect_wants *wants)
{
	const struct osm_settings *settings = cluster->settings;
	const struct setter_reference *credentials = &settings->registry_credentials_secret;
	const struct setter_reference *account = &settings->token_service_account;

	dialect_want(wants, SV("Secret"), SV(OSM_SECRETS_NAMESPACE), SV(OSM_GETTER_TOKEN));
	dialect_want(wants, SV("ConfigMap"), SV("kube-public"), SV("cluster-info"));
	if (!sv_empty(credentials->name))
		dialect_want(wants, SV("Secret"), credentials->namespace, credentials->name);
	if (!sv_empty(account->name))
		dialect_want(wants, SV("ServiceAccount"), account->namespace, account->name);
	VEC_EACH (unit, &cluster->units)
		want_references(wants, value_path((*unit)->root, REFERENCE_PLACE));
	want_extensions(wants, &cluster->definitions);
	if (cluster->shared)
		want_extensions(wants, cluster->shared);
}

/* Adds the Secrets that the ServiceAccount of the settings lists, which need no annotation. */
static void want_listed(const struct dialect_cluster *cluster, const struct kube_object *object,
                        struct dialect_wants *wants)
{
	const struct osm_settings *settings = cluster->settings;
	const struct setter_reference *account = &settings->token_service_account;

	/* Each cluster is asked about each object: the cheapest question first. */
	if (sv_empty(account->name) || !sv_eq(object->id.kind, SV("ServiceAccount")) ||
	    !sv_eq(object->id.namespace, account->namespace) ||
	    !sv_eq(object->id.name, account->name))
		return;
	const struct value *listed = value_map_get(object->root, SV("secrets"));
	for (size_t i = 0; value_is_list(listed) && i < value_count(listed); i++)
		dialect_want(wants, SV("Secret"), account->namespace,
		             value_text(value_map_get(value_item(listed, i), SV("name"))));
}

static bool wants(const struct dialect_cluster *cluster, const struct kube_object *object)
{
	const struct osm_settings *settings = cluster->settings;

	return kube_secret_may_be_token(object) ||
	       osm_is_account_secret_of(object, &settings->token_service_account);
}

/* ---- clusters and units ------------------------------------------------------------------ */

static void *begin(struct arena *arena, struct sink *sink, const struct dialect_input *input)
{
	return osm_choice_new(arena, sink, input);
}

static void resolve(struct arena *arena, struct sink *sink, void *state, size_t cluster,
                    struct dialect_unit *unit)
{
	osm_choose(arena, sink, state, cluster, unit);
}

static enum status check_roll(struct sink *sink, const struct dialect_cluster *cluster)
{
	const struct osm_settings *settings = cluster->settings;
	struct diag *diag;

	if (settings->roll == OSM_ROLL_NEVER || settings->writes_machines)
		return STATUS_OK;
	diag = diag_report(sink, DIAG_ROLL_INPUT, settings->roll_given.at,
	                   "roll needs the MachineDeployments of cluster %.*s in the output",
	                   SV_ARG(cluster->name));
	diag_set_help(sink, diag,
	              "set machineDeployments: output, too, or mark manifests with `osm-gen roll`");
	return STATUS_FAILED;
}

/* Fails (DIAG_PROVISIONING_SPLIT) if another setting rules provisioning: split out. */
static enum status check_provisioning_split(struct sink *sink,
                                            const struct dialect_cluster *cluster)
{
	const struct osm_settings *settings = cluster->settings;
	const char *problem = NULL;
	const char *help = NULL;
	struct diag *diag;

	if (settings->provisioning != OSM_PROVISIONING_SPLIT)
		return STATUS_OK;
	if (cluster->contract < 2) {
		problem = "needs output contract 2, whose profiles read ConfigMaps";
		help = "set contract: 2 in the Fleet (`osm-gen upgrade` does), or provisioning: "
		       "whole";
	} else if (settings->osc == OSM_OSC_SEALED) {
		problem = "is for nodes of this output, and osc: sealed for the controller, which "
		          "would write whole Secrets over it";
		help = "set osc: redacted or patch, or provisioning: whole";
	}
	if (!problem)
		return STATUS_OK;
	diag =
	    diag_report(sink, DIAG_PROVISIONING_SPLIT, settings->provisioning_given.at,
	                "provisioning: split of cluster %.*s %s", SV_ARG(cluster->name), problem);
	diag_set_help(sink, diag, "%s", help);
	return STATUS_FAILED;
}

static enum status load(struct arena *secret_arena, struct sink *sink,
                        const struct dialect_cluster *cluster, const struct dialect_load *options,
                        const void **ret_loaded)
{
	struct osm_cluster_input input = {
	    .name = cluster->name,
	    .settings = cluster->settings,
	    .objects = cluster->objects,
	    .at = cluster->at.source ? cluster->at : kube_object_position(cluster->units.items[0]),
	    .secrets_may_be_absent = options->secrets_may_be_absent,
	    .environment = options->environment,
	};
	const struct osm_cluster *loaded = NULL;

	enum status status = osm_cluster_load(secret_arena, sink, &input, &loaded);
	*ret_loaded = loaded;
	status |= osm_check_names(sink, cluster->units.items, cluster->units.count);
	osm_check_skew(secret_arena, sink, cluster);
	osm_check_feature_gates(secret_arena, sink, cluster);
	status |= check_roll(sink, cluster);
	status |= check_provisioning_split(sink, cluster);
	if (loaded)
		osm_check_proxy(secret_arena, sink, loaded);
	return status == STATUS_OK ? STATUS_OK : STATUS_FAILED;
}

static sv control_plane(const struct dialect_cluster *cluster)
{
	return value_text(osm_control_plane(cluster));
}

static void cluster_artifacts(struct arena *arena, const void *loaded, struct artifacts *artifacts)
{
	osm_cluster_artifacts(arena, loaded, artifacts);
}

static struct kube_id config_id(struct arena *arena, const struct dialect_cluster *cluster,
                                const struct kube_object *unit)
{
	const struct osm_settings *settings = cluster->settings;

	return (struct kube_id){
	    .api_version = SV(OSM_API_VERSION),
	    .kind = SV("OperatingSystemConfig"),
	    .namespace = settings->namespace,
	    .name = osm_names_of(arena, unit->id.namespace, unit->id.name).osc,
	};
}

static bool token(struct arena *arena, const struct dialect_cluster *cluster,
                  const struct kube_object *unit, int64_t now, struct dialect_token *ret_token)
{
	const struct osm_settings *settings = cluster->settings;
	const struct dialect_periods periods =
	    dialect_periods_of(arena, settings->token_rotation, now);

	*ret_token = (struct dialect_token){
	    .key = osm_machine_key(arena, unit->id.namespace, unit->id.name),
	    .rotation = periods.now.rotation,
	    .rotation_before = periods.before.rotation,
	};
	return true;
}

/* ---- profiles ---------------------------------------------------------------------------- */

static struct artifact definition_artifact(struct arena *arena,
                                           const struct dialect_cluster *cluster,
                                           const struct dialect_definition *definition)
{
	const struct osm_settings *settings = cluster->settings;
	const struct osm_definition *own = (const struct osm_definition *)definition;
	sv where = definition->object->id.namespace;

	if (definition->is_embedded || sv_empty(where))
		where = settings->namespace;
	return artifact_of(osm_profile_object(arena, own->profile, where), ARTIFACT_MANAGEMENT,
	                   ARTIFACT_SUPPORT, ARTIFACT_CLEAR);
}

static bool definition_changed(struct arena *arena, const struct value *before,
                               const struct value *now, bool one_seed,
                               struct dialect_change *ret_change)
{
	const struct value *spec_before = value_map_get(before, SV("spec"));
	const struct value *spec_now = value_map_get(now, SV("spec"));

	return sv_eq(value_text(value_map_get(spec_before, SV("version"))),
	             value_text(value_map_get(spec_now, SV("version")))) &&
	       osm_profile_spec_changed(arena, spec_before, spec_now, one_seed, ret_change);
}

/* "ubuntu 24.04: aws azure ..." */
static sv summary(struct arena *arena, const struct osm_profile *profile)
{
	struct buf buf = buf_in(arena);

	buf_printf(&buf, "%.*s %.*s:", SV_ARG(value_text(&profile->os_name)),
	           SV_ARG(value_text(&profile->os_version)));
	for (size_t i = 0; i < value_count(profile->supported_providers); i++)
		buf_printf(&buf, " %.*s",
		           SV_ARG(value_text(value_map_get(
		               value_item(profile->supported_providers, i), SV("name")))));
	return buf_sv(&buf);
}

/* Returns the profile of profiles/NAME.yaml with comments, which only the newest contract has. */
static const struct dialect_text *find_commented(sv path, unsigned contract)
{
	sv name = sv_from_offset(path, SV("profiles/").len);

	for (size_t i = 0; contract == dialect_contract_newest() && i < osm_commented_file_count;
	     i++) {
		sv commented = sv_from_cstr(osm_commented_files[i].path);

		if (sv_eq(name, sv_from_offset(commented, SV("profiles/commented/").len)))
			return &osm_commented_files[i];
	}
	return NULL;
}

static enum status embedded(struct arena *arena, struct sink *sink, unsigned contract,
                            struct dialect_embedded_list *ret_list)
{
	struct osm_profiles profiles = {0};

	if (osm_profile_embedded(arena, sink, contract, &profiles) != STATUS_OK)
		return STATUS_FAILED;
	VEC_EACH (profile, &profiles)
		VEC_PUSH(
		    arena, ret_list,
		    (struct dialect_embedded){
		        .name = (*profile)->name,
		        .version = value_text(&(*profile)->version),
		        .summary = summary(arena, *profile),
		        .text = (*profile)->object->source->text,
		        .commented = find_commented((*profile)->object->source->path, contract),
		    });
	return STATUS_OK;
}

/* ---- rendering --------------------------------------------------------------------------- */

static enum status render(struct arena *arena, struct sink *sink, const struct dialect_job *job,
                          struct dialect_rendered *ret_rendered)
{
	struct dialect_rendered rendered;

	/* Call both even if the first fails, so that one run reports everything. */
	enum status status = osm_machine_admit(arena, sink, job->unit->object);
	status |= osm_check_replicas(sink, osm_job_cluster(job)->settings, job->unit->object);
	status |= osm_render(arena, sink, job, &rendered);
	if (status != STATUS_OK)
		return STATUS_FAILED;
	*ret_rendered = rendered;
	return STATUS_OK;
}

static void check(struct arena *arena, struct sink *sink, const struct dialect_cluster *cluster,
                  const struct kube_object *unit, bool secrets_may_be_absent)
{
	(void)cluster;
	(void)secrets_may_be_absent;
	/* Called for their diagnostics only. */
	(void)!osm_machine_admit(arena, sink, unit);
	osm_check_machine(arena, sink, unit);
}

static const sv prints[] = {SV_INIT("osc"), SV_INIT("bootstrap"), SV_INIT("provisioning"),
                            SV_INIT("configmap"), SV_INIT(OSM_UNIT_OPTION)};

/* Annotations that change only because something else does; left out of comparisons. */
static const sv own_annotations[] = {
    SV_INIT(OSM_ANNOTATION_HASH),
    SV_INIT(OSM_ANNOTATION_REVISION),
    SV_INIT(OSM_ANNOTATION_TEMPLATE_DIGEST),
    /* A MachineDeployment has them by the setting replicas. */
    SV_INIT(OSM_ANNOTATION_ARGOCD_OPTIONS),
    SV_INIT(OSM_ANNOTATION_FLUX_POLICY),
};

/* ---- the table --------------------------------------------------------------------------- */

static const struct dialect_document documents[] = {
    {OSM_EXTENSION_KIND, &osm_extension_shape},
};

extern const struct dialect osm_dialect;

const struct dialect osm_dialect = {
    .name = SV_INIT("osm"),
    .program = SV_INIT("operating-system-manager"),
    .program_version = SV_INIT("v1.11.0"),
    .kinds = kinds,
    .kind_count = COUNT_OF(kinds),
    .other_kinds = other_kinds,
    .other_kind_count = COUNT_OF(other_kinds),
    .lets_units_go = true,
    .makers = makers,
    .maker_count = COUNT_OF(makers),
    .strays = strays,
    .stray_count = COUNT_OF(strays),
    .documents = documents,
    .document_count = COUNT_OF(documents),
    .settings = &osm_settings_table,
    .variables = osm_variables,
    .variable_count = OSM_VARIABLE_COUNT,
    .revision_annotation = SV_INIT(OSM_ANNOTATION_MACHINES_REVISION),
    .unit_option = SV_INIT(OSM_UNIT_OPTION),
    .prints = prints,
    .print_count = COUNT_OF(prints),
    .has_budget = has_budget,
    .meant_budget = osm_provider_meant,
    .settings_secrets = settings_secrets,
    .list_schemas = osm_list_schemas,
    .expand = osm_kubeone_expand,
    .want = want,
    .want_listed = want_listed,
    .wants = wants,
    .begin = begin,
    .resolve = resolve,
    .load = load,
    .artifacts = cluster_artifacts,
    .definition_artifact = definition_artifact,
    .definition_changed = definition_changed,
    .describe = osm_describe,
    .config_map_prefix = SV_INIT(OSM_CONFIG_MAP_PREFIX),
    .config_map_read = osm_split_read,
    .own_annotations = own_annotations,
    .own_annotation_count = COUNT_OF(own_annotations),
    .embedded = embedded,
    .template_text = osm_template_text,
    .template_changes = osm_template_changes,
    .template_text_before = osm_template_text_as_written,
    .replicas = osm_machine_replicas,
    .pace = osm_machine_pace,
    .control_plane = control_plane,
    .version_at = osm_machine_version_at,
    .revision_pins = revision_pins,
    .writes_unit = writes_unit,
    .roll = osm_roll_setting,
    .roll_text = osm_roll_text,
    .with_roll = osm_with_roll,
    .roll_value = osm_roll_value,
    .config_id = config_id,
    .unit_file = {SV_INIT("OperatingSystemConfig"), ARTIFACT_MANAGEMENT, ARTIFACT_CONFIG},
    .token = token,
    .credentials = osm_machine_credentials,
    .manifest = osm_machine_manifest,
    .public_texts = osm_public_texts,
    .render = render,
    .check = check,
    .convert = osm_extension_convert,
    .adoption = &osm_adoption,
};
