/*
 * Adoption and comparison of live clusters in which Kubermatic's controllers run: which objects
 * they make, which of them git keeps, and how those are compared (dialect/adoption.h).
 */
#include "osm/adoption.h"
#include "dialect/dialect.h"
#include "osm/machine.h"
#include "osm/objects.h"
#include "osm/osm.h"

#include "golang/golang.h"

#define CREDENTIALS_MEMBER "cloudProviderSpec"

static sv annotation_of(const struct kube_object *object, const char *name)
{
	const struct value *annotations = value_path(object->root, "metadata.annotations");

	return value_text(value_map_get(annotations, sv_from_cstr(name)));
}

/* ---- the controller ---------------------------------------------------------------------- */

static bool runs_controller(const struct value *container)
{
	const struct value *command = value_map_get(container, SV("command"));
	sv name = value_text(value_map_get(container, SV("name")));
	sv image = value_text(value_map_get(container, SV("image")));
	sv program = value_count(command) > 0 && value_is_list(command)
	                 ? value_text(value_item(command, 0))
	                 : SV("");

	if (sv_contains(name, SV("webhook")) || sv_contains(program, SV("webhook")))
		return false;
	return sv_contains(program, SV("osm-controller")) ||
	       sv_contains(image, SV("operating-system-manager")) ||
	       sv_eq(name, SV("operating-system-manager"));
}

static const struct value *controller(const struct kube_object *deployment)
{
	const struct value *containers =
	    value_path(deployment->root, "spec.template.spec.containers");

	if (sv_contains(deployment->id.name, SV("webhook")))
		return NULL;
	for (size_t i = 0; value_is_list(containers) && i < value_count(containers); i++)
		if (runs_controller(value_item(containers, i)))
			return value_item(containers, i);
	return NULL;
}

static const sv switches[] = {SV_INIT("leader-elect"), SV_INIT("log-debug")};

/* ---- credentials ------------------------------------------------------------------------- */

/* Returns true for members that machine-controller's provider types have as plain strings. */
static bool is_plain_text(sv key)
{
	static const sv maps[] = {
	    SV_INIT("tags"),       SV_INIT("labels"),          SV_INIT("annotations"),
	    SV_INIT("metadata"),   SV_INIT("categories"),      SV_INIT("vmTemplateExtra"),
	    SV_INIT("driverSpec"), SV_INIT("hardwareRef"),     SV_INIT("dnsConfig"),
	    SV_INIT("imagePlan"),  SV_INIT("instancetype"),    SV_INIT("preference"),
	    SV_INIT("affinity"),   SV_INIT("securityProfile"), SV_INIT("imageReference"),
	};
	static const sv texts[] = {
	    SV_INIT("dataDiskSKU"),      SV_INIT("osDiskSKU"),          SV_INIT("publicIPSKU"),
	    SV_INIT("diskBusType"),      SV_INIT("placementPolicy"),    SV_INIT("sizingPolicy"),
	    SV_INIT("storageProfile"),   SV_INIT("cpuPerformanceType"), SV_INIT("securityType"),
	    SV_INIT("evictionStrategy"), SV_INIT("ipAllocationMode"),
	};

	for (size_t i = 0; i < COUNT_OF(maps); i++)
		if (go_json_key_is(key, maps[i]))
			return true;
	for (size_t i = 0; i < COUNT_OF(texts); i++)
		if (go_json_key_is(key, texts[i]))
			return true;
	return false;
}

/* machine-controller looks up references below cloudProviderSpec only. */
static bool may_refer(const struct secrecy_place *place)
{
	const struct secrecy_place *top = place;

	if (!place->entry)
		return false;
	for (; top->depth > 1; top = top->parent)
		if (!top->entry || is_plain_text(top->entry->key))
			return false;
	return go_json_key_is(top->entry->key, SV(CREDENTIALS_MEMBER));
}

/* ---- profiles ---------------------------------------------------------------------------- */

struct adopting {
	const struct dialect_cluster *cluster;
	struct osm_profiles embedded; /* empty with disableDefaultOSPs */
};

static enum status begin(struct arena *arena, struct sink *sink,
                         const struct dialect_cluster *cluster, const void **ret_state)
{
	const struct osm_settings *settings = cluster->settings;
	struct adopting *state = ARENA_NEW(arena, struct adopting);

	*state = (struct adopting){.cluster = cluster};
	*ret_state = state;
	if (settings->disable_default_osps)
		return STATUS_OK;
	return osm_profile_embedded(arena, sink, cluster->contract, &state->embedded);
}

static const struct osm_profile *find_embedded(const struct adopting *state, sv name)
{
	VEC_EACH (profile, &state->embedded) {
		if (sv_eq((*profile)->name, name))
			return *profile;
	}
	return NULL;
}

/* Returns true if a MachineDeployment names the profile with its namespace. */
static bool is_asked_for(const struct adopting *state, const struct kube_object *profile)
{
	VEC_EACH (unit, &state->cluster->units) {
		if (sv_eq(annotation_of(*unit, OSM_ANNOTATION_PROFILE), profile->id.name) &&
		    sv_eq(annotation_of(*unit, OSM_ANNOTATION_PROFILE_NAMESPACE),
		          profile->id.namespace))
			return true;
	}
	return false;
}

static bool is_named(const struct adopting *state, sv profile)
{
	VEC_EACH (unit, &state->cluster->units) {
		if (sv_eq(annotation_of(*unit, OSM_ANNOTATION_PROFILE), profile))
			return true;
	}
	return false;
}

static sv passes_over(struct arena *arena, const void *state, const struct kube_object *definition)
{
	const struct adopting *adopting = state;
	const struct osm_settings *settings = adopting->cluster->settings;

	if (sv_eq(definition->id.namespace, settings->namespace) ||
	    is_asked_for(adopting, definition))
		return SV("");
	return arena_printf(arena, "the controller reads only profiles in namespace %.*s",
	                    SV_ARG(settings->namespace));
}

/* A profile that an older schema accepted, such as one for CentOS, would stop every run. */
static bool is_leftover(struct arena *arena, const struct adopting *state,
                        const struct kube_object *definition, struct value *manifest)
{
	struct sink ignored = sink_in(arena);
	struct kube_object cleaned = *definition;
	struct osm_profile *profile;

	cleaned.root = manifest;
	return !is_named(state, definition->id.name) &&
	       osm_profile_load(arena, &ignored, &cleaned, &profile) != STATUS_OK;
}

static void decide(struct arena *arena, const void *state, const struct kube_object *definition,
                   struct value *manifest, struct dialect_decision *ret_decision)
{
	const struct osm_profile *same = find_embedded(state, definition->id.name);
	struct dialect_decision decision = {0};
	struct dialect_change change = {0};
	sv clouds;
	bool is_cut = osm_profile_drop_gone(arena, manifest, &clouds);
	const struct value *spec = value_map_get(manifest, SV("spec"));

	if (same &&
	    !osm_profile_spec_changed(arena, spec, value_map_get(same->object->root, SV("spec")),
	                              false, &change)) {
		decision.why = SV("it equals the profile embedded in osm-gen");
	} else if (is_leftover(arena, state, definition, manifest)) {
		decision.why = SV(
		    "the current schema of profiles refuses it, and no MachineDeployment names it");
	} else {
		decision.is_taken = true;
		if (same)
			decision.why = arena_printf(
			    arena, "it differs from the profile embedded in osm-gen, first in %.*s",
			    SV_ARG(change.path));
		if (is_cut) {
			decision.dropped =
			    ARENA_CONCAT(arena, clouds, SV(" in supportedCloudProviders"));
			decision.dropped_why =
			    SV("the current schema of profiles does not have them; the version "
			       "stays, since machines get the same user-data");
		}
	}
	*ret_decision = decision;
}

/* ---- Secrets ----------------------------------------------------------------------------- */

static sv token_key(const struct kube_object *secret)
{
	const struct value *labels = value_path(secret->root, "metadata.labels");

	return value_text(value_map_get(labels, SV(OSM_TOKEN_LABEL)));
}

static bool is_token(const struct kube_object *secret)
{
	return sv_eq(kube_secret_type(secret), SV("bootstrap.kubernetes.io/token"));
}

/*
 * The kubeconfig's Secret has no annotation, and its MachineDeployment may be gone or missing in
 * the exports, so the ending of its name is all there is.
 */
static bool is_generated(const struct kube_object *secret)
{
	return sv_eq(secret->id.namespace, SV(OSM_SECRETS_NAMESPACE)) &&
	       (!sv_empty(annotation_of(secret, OSM_ANNOTATION_REVISION)) ||
	        !sv_empty(annotation_of(secret, OSM_ANNOTATION_HASH)) ||
	        osm_is_kubeconfig_name(secret->id.name));
}

static enum dialect_secret_role secret_role(const struct kube_object *secret)
{
	if (is_generated(secret))
		return DIALECT_SECRET_GENERATED;
	if (!is_token(secret))
		return DIALECT_SECRET_INPUT;
	/* kubeadm's tokens have no label. */
	return sv_empty(token_key(secret)) ? DIALECT_SECRET_FOREIGN : DIALECT_SECRET_TOKEN;
}

static bool is_token_of(struct arena *arena, const struct kube_object *unit,
                        const struct kube_object *secret)
{
	return is_token(secret) &&
	       sv_eq(token_key(secret), osm_machine_key(arena, unit->id.namespace, unit->id.name));
}

static struct kube_id kubeconfig(struct arena *arena, const struct kube_object *unit)
{
	return (struct kube_id){
	    .api_version = SV("v1"),
	    .kind = SV("Secret"),
	    .namespace = SV(OSM_SECRETS_NAMESPACE),
	    .name = osm_names_of(arena, unit->id.namespace, unit->id.name).kubeconfig_secret,
	};
}

static bool is_made_for(struct arena *arena, const struct kube_object *unit,
                        const struct kube_object *object)
{
	const struct osm_names names = osm_names_of(arena, unit->id.namespace, unit->id.name);
	const sv made[] = {names.osc, names.bootstrap_secret, names.provisioning_secret,
	                   names.kubeconfig_secret, names.edge_script_secret};

	for (size_t i = 0; i < COUNT_OF(made); i++)
		if (sv_eq(object->id.name, made[i]))
			return true;
	return sv_eq(token_key(object), names.key);
}

/* ---- comparing --------------------------------------------------------------------------- */

/* The API server fills the schema's defaults into live profiles. */
static enum dialect_match compare(struct arena *arena, const struct value *ours,
                                  const struct kube_object *live, sv *ret_place)
{
	struct dialect_change change;

	if (!sv_eq(live->id.kind, SV("OperatingSystemProfile")))
		return DIALECT_MATCH_MEMBERS;
	if (!osm_profile_spec_changed(arena, value_map_get(ours, SV("spec")),
	                              value_map_get(live->root, SV("spec")), true, &change))
		return DIALECT_MATCH_EQUAL;
	*ret_place = change.path;
	return DIALECT_MATCH_DIFFERS;
}

static const sv compared_annotations[] = {SV_INIT(OSM_ANNOTATION_REVISION),
                                          SV_INIT(OSM_ANNOTATION_OSP_VERSION)};
static const sv own_annotations[] = {SV_INIT(OSM_ANNOTATION_HASH)};

static const char *const ignored[] = {
    "the annotation k8c.io/mdannotations-hash: live objects have annotations that manifests in git "
    "lack, and the reverse",
    "bootstrap tokens that the controller made: user-data and kubeconfigs are compared with the "
    "live token filled in",
    "expiration and description of such a token's Secret",
    "credentials that are equal, but in a Secret in git and in the object itself in the cluster",
};

/* ---- the table --------------------------------------------------------------------------- */

/* Label of a bootstrap token, by which it belongs to its MachineDeployment. */
static const struct dialect_mark labels[] = {{"Secret", SV_INIT(OSM_TOKEN_LABEL)}};

static const sv bookkeeping[] = {
    SV_INIT("machinedeployment.clusters.k8s.io/"),
    SV_INIT("machineset.clusters.k8s.io/"),
    SV_INIT(OSM_ANNOTATION_REVISION),
    SV_INIT(OSM_ANNOTATION_HASH),
    SV_INIT(OSM_ANNOTATION_OSP_VERSION),
};

static const sv free_maps[] = {SV_INIT("rh_subscription"), SV_INIT("operatingSystemSpec"),
                               SV_INIT(CREDENTIALS_MEMBER)};

const struct dialect_adoption osm_adoption = {
    .kinds = osm_live_kinds,
    .kind_count = OSM_LIVE_KIND_COUNT,
    .annotations = osm_live_annotations,
    .annotation_count = OSM_LIVE_ANNOTATION_COUNT,
    .labels = labels,
    .label_count = COUNT_OF(labels),
    .bookkeeping = bookkeeping,
    .bookkeeping_count = COUNT_OF(bookkeeping),
    .free_maps = free_maps,
    .free_map_count = COUNT_OF(free_maps),
    .credentials_path = "spec.template.spec.providerSpec.value",
    .credentials_prefix = SV_INIT(CREDENTIALS_MEMBER "."),
    .may_refer = may_refer,
    .controller = controller,
    .switches = switches,
    .switch_count = COUNT_OF(switches),
    .begin = begin,
    .passes_over = passes_over,
    .decide = decide,
    .secret_role = secret_role,
    .is_token_of = is_token_of,
    .kubeconfig = kubeconfig,
    .is_made_for = is_made_for,
    .compare = compare,
    .compared_annotations = compared_annotations,
    .compared_annotation_count = COUNT_OF(compared_annotations),
    .own_annotations = own_annotations,
    .own_annotation_count = COUNT_OF(own_annotations),
    .object_revision = SV_INIT(OSM_ANNOTATION_REVISION),
    .ignored = ignored,
    .ignored_count = COUNT_OF(ignored),
};
