/*
 * Makes the MachineDeployment of the output (setting machineDeployments): the manifest without the
 * fields that the cluster owns, and with annotations that keep appliers from deleting it.
 */
#include "dialect/dialect.h"
#include "osm/cluster.h"
#include "osm/machine.h"
#include "osm/objects.h"
#include "osm/osm.h"
#include "osm/sorted.h"

/* A member of metadata that the API server sets. It refuses some of them in an applied object. */
static const sv server_metadata[] = {
    SV_INIT("creationTimestamp"),
    SV_INIT("deletionGracePeriodSeconds"),
    SV_INIT("deletionTimestamp"),
    SV_INIT("generateName"),
    SV_INIT("generation"),
    SV_INIT("managedFields"),
    SV_INIT("resourceVersion"),
    SV_INIT("selfLink"),
    SV_INIT("uid"),
};

/*
 * Annotations that are left out: machine-controller counts the first one in the cluster, and
 * kubectl keeps a copy of the object, with its credentials, in the second.
 */
static const sv cluster_annotations[] = {
    SV_INIT(OSM_ANNOTATION_MACHINES_REVISION),
    SV_INIT("kubectl.kubernetes.io/last-applied-configuration"),
};

/* Annotations that are set, for every applier: the object must outlive a change of the applier. */
static const struct {
	sv key;
	const char *text;
} applier_annotations[] = {
    {SV_INIT(OSM_ANNOTATION_ARGOCD_OPTIONS), "Prune=confirm,Delete=confirm"},
    /* After the Secrets, if one Application has both. */
    {SV_INIT("argocd.argoproj.io/sync-wave"), "1"},
    {SV_INIT(OSM_ANNOTATION_FLUX_PRUNE), "disabled"},
    {SV_INIT(OSM_ANNOTATION_FLUX_SUBSTITUTE), "disabled"},
};

/*
 * Annotations of appliers that people set in manifests, and that neither delete nor claim an
 * object. All others are left out (kube_is_of_applier).
 */
static const sv harmless_annotations[] = {
    SV_INIT(OSM_ANNOTATION_FLUX_POLICY),
    SV_INIT("kustomize.toolkit.fluxcd.io/reconcile"),
    SV_INIT("argocd.argoproj.io/compare-options"),
};

/*
 * Sets how appliers treat spec.replicas of others. Flux takes over what somebody has set with
 * kubectl, unless it merges, and then removes the field, since the output lacks it. Argo CD removes
 * a field that it has applied before, unless it applies on the server, where managers count.
 */
static void leave_replicas(struct arena *arena, struct value *annotations)
{
	value_map_set(arena, annotations, SV(OSM_ANNOTATION_ARGOCD_OPTIONS),
	              value_string(SV("Prune=confirm,Delete=confirm,ServerSideApply=true")));
	if (!value_map_get(annotations, SV(OSM_ANNOTATION_FLUX_POLICY)))
		value_map_set(arena, annotations, SV(OSM_ANNOTATION_FLUX_POLICY),
		              value_string(SV("Merge")));
}

struct value osm_output_annotations(struct arena *arena, const struct osm_settings *settings,
                                    const struct value *given)
{
	struct value annotations = value_map_new(arena);

	for (size_t i = 0; value_is_map(given) && i < value_count(given); i++) {
		const struct value_entry *entry = &given->map->entries[i];

		if (!sv_is_among(entry->key, cluster_annotations, COUNT_OF(cluster_annotations)) &&
		    (!kube_is_of_applier(entry->key) ||
		     sv_is_among(entry->key, harmless_annotations, COUNT_OF(harmless_annotations))))
			value_map_set_at(arena, &annotations, entry->key, entry->key_origin,
			                 entry->value);
	}
	for (size_t i = 0; i < COUNT_OF(applier_annotations); i++)
		value_map_set(arena, &annotations, applier_annotations[i].key,
		              value_string(sv_from_cstr(applier_annotations[i].text)));
	if (settings->replicas == OSM_REPLICAS_OMIT)
		leave_replicas(arena, &annotations);
	return osm_sorted(arena, &annotations);
}

/* Returns a copy of the map at `key` in `parent`, or an empty one. */
static struct value map_at(struct arena *arena, const struct value *parent, sv key)
{
	const struct value *found = value_map_get(parent, key);

	return value_is_map(found) ? value_copy(arena, found) : value_map_new(arena);
}

/* Sets the annotation in spec.template of a MachineDeployment, unless `value` is empty. */
static void set_roll(struct arena *arena, struct value *root, sv value)
{
	struct value spec = map_at(arena, root, SV("spec"));
	struct value template = map_at(arena, &spec, SV("template"));
	struct value metadata = map_at(arena, &template, SV("metadata"));
	struct value annotations = map_at(arena, &metadata, SV("annotations"));

	if (sv_empty(value))
		return;
	value_map_set(arena, &annotations, SV(OSM_ANNOTATION_ROLL_DIGEST), value_string(value));
	value_map_set(arena, &metadata, SV("annotations"), annotations);
	value_map_set(arena, &template, SV("metadata"), metadata);
	value_map_set(arena, &spec, SV("template"), template);
	value_map_set(arena, root, SV("spec"), spec);
}

struct value osm_with_roll(struct arena *arena, const struct kube_object *machine_deployment,
                           sv value)
{
	struct value root = value_copy(arena, machine_deployment->root);

	set_roll(arena, &root, value);
	return root;
}

sv osm_roll_value(const struct value *machine_deployment)
{
	return value_text(
	    value_map_get(value_path(machine_deployment, "spec.template.metadata.annotations"),
	                  SV(OSM_ANNOTATION_ROLL_DIGEST)));
}

/* Returns the labels without those of appliers, which find by them what they delete. */
static struct value without_labels_of_appliers(struct arena *arena, const struct value *labels)
{
	struct value kept = value_map_new(arena);

	for (size_t i = 0; value_is_map(labels) && i < value_count(labels); i++) {
		const struct value_entry *entry = &labels->map->entries[i];

		if (!kube_is_of_applier(entry->key))
			value_map_set_at(arena, &kept, entry->key, entry->key_origin, entry->value);
	}
	if (value_count(&kept) == value_count(labels))
		return *labels;
	kept.origin = labels->origin;
	return kept;
}

static struct value output_metadata(struct arena *arena, const struct osm_settings *settings,
                                    const struct kube_object *object)
{
	const struct value *given = value_map_get(object->root, SV("metadata"));
	struct value metadata = value_map_new(arena);

	for (size_t i = 0; value_is_map(given) && i < value_count(given); i++) {
		const struct value_entry *entry = &given->map->entries[i];

		if (!sv_is_among(entry->key, server_metadata, COUNT_OF(server_metadata)))
			value_map_set_at(arena, &metadata, entry->key, entry->key_origin,
			                 sv_eq(entry->key, SV("labels"))
			                     ? without_labels_of_appliers(arena, &entry->value)
			                     : entry->value);
	}
	value_map_set(arena, &metadata, SV("name"), value_string(object->id.name));
	value_map_set(arena, &metadata, SV("namespace"), value_string(object->id.namespace));
	value_map_set(
	    arena, &metadata, SV("annotations"),
	    osm_output_annotations(arena, settings, value_map_get(given, SV("annotations"))));
	return osm_sorted(arena, &metadata);
}

/*
 * Hides names that are equal to a credential, which is done in the cloudProviderSpec that the
 * machine was read with.
 */
static void hide_names(struct arena *arena, const struct osm_machine *machine, struct value *root)
{
	static const char *const path[] = {"spec", "template", "spec", "providerSpec", "value"};
	struct value *config = root;

	for (size_t i = 0; i < COUNT_OF(path) && config; i++)
		config = value_map_get_mutable(config, sv_from_cstr(path[i]));
	if (config && value_is_map(value_map_get(config, SV("cloudProviderSpec"))))
		value_map_set(arena, config, SV("cloudProviderSpec"), machine->provider_spec);
}

struct value osm_output_machine(struct arena *arena, const struct dialect_job *job,
                                const struct osm_machine *machine)
{
	const struct osm_settings *settings = osm_job_cluster(job)->settings;
	const struct kube_object *object = job->unit->object;
	struct value root = osm_machine_manifest(arena, object);
	struct value made = value_map_new(arena);
	struct value spec = value_map_new(arena);

	hide_names(arena, machine, &root);
	set_roll(arena, &root, job->roll);
	const struct value *given = value_map_get(&root, SV("spec"));
	for (size_t i = 0; value_is_map(given) && i < value_count(given); i++) {
		const struct value_entry *entry = &given->map->entries[i];

		if (settings->replicas != OSM_REPLICAS_OMIT || !sv_eq(entry->key, SV("replicas")))
			value_map_set_at(arena, &spec, entry->key, entry->key_origin, entry->value);
	}
	value_map_set(arena, &made, SV("apiVersion"), value_string(object->id.api_version));
	value_map_set(arena, &made, SV("kind"), value_string(object->id.kind));
	value_map_set(arena, &made, SV("metadata"), output_metadata(arena, settings, object));
	value_map_set(arena, &made, SV("spec"), osm_sorted(arena, &spec));
	return made;
}

/* ---- replicas ------------------------------------------------------------------------------ */

/* Returns an annotation of the cluster autoscaler, or null. */
static const struct value_entry *find_autoscaler(const struct value *annotations)
{
	for (size_t i = 0; value_is_map(annotations) && i < value_count(annotations); i++) {
		const struct value_entry *entry = &annotations->map->entries[i];

		/* Its group differs: the one that CAPI_GROUP gives the autoscaler. */
		if (sv_ends_with(entry->key, SV("/cluster-api-autoscaler-node-group-min-size")) ||
		    sv_ends_with(entry->key, SV("/cluster-api-autoscaler-node-group-max-size")))
			return entry;
	}
	return NULL;
}

enum status osm_check_replicas(struct sink *sink, const struct osm_settings *settings,
                               const struct kube_object *machine_deployment)
{
	const struct value_entry *found =
	    find_autoscaler(value_path(machine_deployment->root, "metadata.annotations"));
	struct diag *diag;

	if (!settings->writes_machines || settings->replicas_given.is_given || !found)
		return STATUS_OK;
	diag = diag_report(sink, DIAG_MD_REPLICAS, origin_position(found->key_origin),
	                   "an autoscaler may count the machines (annotation %.*s), and the output "
	                   "would count them, too",
	                   SV_ARG(found->key));
	diag_set_help(
	    sink, diag,
	    "set replicas: omit, and the output leaves spec.replicas to the autoscaler; or "
	    "replicas: keep, and the manifest's number is applied");
	return STATUS_FAILED;
}
