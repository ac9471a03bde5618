/*
 * Makes MachineClasses of machine-controller-manager from templates of the repository, and sets
 * them in its MachineDeployments (docs/spec/gardener.md 8). machine-controller-manager compares
 * names of classes only: the name has a digest of what new machines alone read.
 */
#include "codec/codec.h"
#include "gardener/flow/flow.h"
#include "json/json.h"

#define GROUP      "machine.sapcloud.io"
#define CLASS_KIND "MachineClass"
#define SET_KIND   "MachineDeployment"
/* An annotation of a template: the OSC of purpose provision whose user-data its machines get. */
#define CLASS_OF "osm-gen.dev/operating-system-config"
/* A label of a class and its Secret: the template's name. */
#define CLASS_LABEL "osm-gen.dev/machine-class"

enum { DIGEST_CHARACTERS = 10, LONGEST_LABEL = 63 };

static bool is_of_group(const struct kube_object *object)
{
	return sv_starts_with(object->id.api_version, SV(GROUP "/"));
}

static const struct value *class_of(const struct kube_object *object)
{
	const struct value *annotations = value_path(object->root, "metadata.annotations");

	return value_map_get(annotations, SV(CLASS_OF));
}

bool gardener_is_machine_object(const struct kube_object *object)
{
	if (sv_eq(object->id.kind, SV(CLASS_KIND)))
		return is_of_group(object) && value_is_string(class_of(object));
	return sv_eq(object->id.kind, SV(SET_KIND)) && is_of_group(object);
}

static struct kube_object_list find(struct arena *arena, const struct dialect_cluster *cluster,
                                    sv kind)
{
	struct kube_object_list all = kube_objects_of_kind(arena, cluster->objects, kind);
	struct kube_object_list found = {0};

	VEC_EACH (object, &all)
		if (gardener_is_machine_object(*object))
			VEC_PUSH(arena, &found, *object);
	return found;
}

static bool is_template_of(const struct kube_object *object, const struct kube_object *osc)
{
	return sv_eq(object->id.namespace, osc->id.namespace) &&
	       sv_eq(value_text(class_of(object)), osc->id.name);
}

/* ---- checks ------------------------------------------------------------------------------ */

/* Returns true if there is such an OSC, or the flow makes it. */
static bool has_osc(struct arena *arena, const struct dialect_cluster *cluster,
                    const struct kube_object *template)
{
	sv name = value_text(class_of(template));

	VEC_EACH (unit, &cluster->units) {
		sv purpose = value_text(value_path((*unit)->root, "spec.purpose"));

		if (!sv_eq((*unit)->id.namespace, template->id.namespace))
			continue;
		if (sv_eq((*unit)->id.name, name) &&
		    sv_eq(purpose, gardener_purpose_name(GARDENER_PROVISION)))
			return true;
		if (gardener_flow_has(cluster->settings, *unit) &&
		    sv_eq(gardener_flow_provision_name(arena, *unit), name))
			return true;
	}
	return false;
}

enum status gardener_machine_classes_check(struct arena *arena, struct sink *sink,
                                           const struct dialect_cluster *cluster)
{
	struct kube_object_list templates = find(arena, cluster, SV(CLASS_KIND));
	enum status status = STATUS_OK;

	VEC_EACH (template, &templates) {
		if (has_osc(arena, cluster, *template))
			continue;
		sink->object = kube_object_describe(arena, *template);
		struct diag *diag = diag_report(
		    sink, DIAG_OBJECT_MISSING, value_position(class_of(*template)),
		    "there is no OperatingSystemConfig %.*s/%.*s of purpose provision",
		    SV_ARG((*template)->id.namespace), SV_ARG(value_text(class_of(*template))));
		diag_set_help(sink, diag,
		              "name one in the annotation " CLASS_OF
		              "; with gardenerFlow: downloader it is the pool's name with "
		              "-downloader in the place of -original");
		sink->object = SV("");
		status = STATUS_FAILED;
	}
	return status;
}

/* ---- names ------------------------------------------------------------------------------- */

static void add_member(struct buf *buf, const struct kube_object *template, const char *name)
{
	const struct value *v = value_map_get(template->root, sv_from_cstr(name));

	buf_printf(buf, "%s=", name);
	if (v)
		json_emit(buf, v, JSON_GO);
	BUF_ADD_LIT(buf, "\n");
}

/* Returns the name of the class: another template or other user-data has another name. */
static sv name_of(struct arena *arena, const struct kube_object *template, sv user_data_mark)
{
	struct buf buf = buf_in(arena);

	add_member(&buf, template, "provider");
	add_member(&buf, template, "providerSpec");
	add_member(&buf, template, "nodeTemplate");
	buf_add(&buf, user_data_mark);
	sv digest = digest_hex(arena, DIGEST_SHA256, buf_sv(&buf));
	return ARENA_CONCAT(arena, template->id.name, SV("-"),
	                    sv_slice(digest, 0, DIGEST_CHARACTERS));
}

/* ---- objects ----------------------------------------------------------------------------- */

/* Sets what keeps an object that left the output: machines may need it still. */
static struct value kept_annotations(struct arena *arena, const struct kube_object *from)
{
	const struct value *given = value_path(from->root, "metadata.annotations");
	struct value annotations = gardener_applier_annotations(arena);

	for (size_t i = 0; value_is_map(given) && i < value_count(given); i++) {
		sv key = given->map->entries[i].key;

		if (!sv_eq(key, SV(CLASS_OF)) &&
		    !sv_eq(key, SV("kubectl.kubernetes.io/last-applied-configuration")))
			value_map_set(arena, &annotations, key, given->map->entries[i].value);
	}
	value_map_set(arena, &annotations, SV("kustomize.toolkit.fluxcd.io/prune"),
	              value_string(SV("disabled")));
	value_map_set(arena, &annotations, SV("argocd.argoproj.io/sync-options"),
	              value_string(SV("Prune=false")));
	return annotations;
}

static struct value labels_of(struct arena *arena, const struct kube_object *from, bool is_class)
{
	const struct value *given = value_path(from->root, "metadata.labels");
	struct value labels = value_is_map(given) ? value_copy(arena, given) : value_map_new(arena);

	if (is_class && from->id.name.len <= LONGEST_LABEL)
		value_map_set(arena, &labels, SV(CLASS_LABEL), value_string(from->id.name));
	return labels;
}

/* Returns a copy of the object under a name, without what the API server adds. */
static struct value renamed(struct arena *arena, const struct kube_object *from, sv name,
                            bool is_class)
{
	static const sv left_out[] = {SV_INIT("apiVersion"), SV_INIT("kind"), SV_INIT("metadata"),
	                              SV_INIT("status")};
	struct value annotations = kept_annotations(arena, from);
	struct value labels = labels_of(arena, from, is_class);
	struct kube_id id = from->id;

	id.name = name;
	struct value object = kube_object_new(arena, &id, &labels, &annotations);
	for (size_t i = 0; i < value_count(from->root); i++) {
		const struct value_entry *entry = &from->root->map->entries[i];

		if (!sv_is_among(entry->key, left_out, COUNT_OF(left_out)))
			value_map_set(arena, &object, entry->key, value_copy(arena, &entry->value));
	}
	return object;
}

static struct value secret_reference(struct arena *arena, sv namespace, sv name)
{
	struct value reference = value_map_new(arena);

	value_map_set(arena, &reference, SV("name"), value_string(name));
	value_map_set(arena, &reference, SV("namespace"), value_string(namespace));
	return reference;
}

static void add_object(struct arena *arena, struct artifacts *artifacts, struct value object)
{
	VEC_PUSH(arena, artifacts,
	         ((struct artifact){
	             .side = ARTIFACT_MANAGEMENT,
	             .role = ARTIFACT_SUPPORT,
	             .sealing = ARTIFACT_CLEAR,
	             .id = kube_id_of(&object),
	             .object = object,
	         }));
}

/* Adds the class. Its own Secret has user-data, so that the cloud's credentials are in another. */
static void add_class(struct arena *arena, struct artifacts *artifacts,
                      const struct kube_object *template, sv name)
{
	const struct value *credentials = value_map_get(template->root, SV("credentialsSecretRef"));
	struct value object = renamed(arena, template, name, true);

	if (!credentials)
		credentials = value_map_get(template->root, SV("secretRef"));
	if (credentials)
		value_map_set(arena, &object, SV("credentialsSecretRef"),
		              value_copy(arena, credentials));
	value_map_set(arena, &object, SV("secretRef"),
	              secret_reference(arena, template->id.namespace, name));
	add_object(arena, artifacts, object);
}

static void add_secret(struct arena *arena, struct artifacts *artifacts,
                       const struct kube_object *template, sv name,
                       const struct gardener_machine *machine)
{
	struct value annotations = kept_annotations(arena, template);
	struct value labels = labels_of(arena, template, true);
	struct value data = value_map_new(arena);

	value_map_set(arena, &data, SV("userData"), machine->user_data);
	const struct kube_secret_request request = {
	    .namespace = template->id.namespace,
	    .name = name,
	    .type = SV("Opaque"),
	    .labels = &labels,
	    .annotations = &annotations,
	    .data = &data,
	};
	struct value secret = kube_secret_new(arena, &request);
	VEC_PUSH(arena, artifacts,
	         ((struct artifact){
	             .print = SV("machine-class"),
	             .side = ARTIFACT_MANAGEMENT,
	             .role = ARTIFACT_BOOTSTRAP,
	             .sealing = ARTIFACT_SEAL_DATA,
	             .id = kube_id_of(&secret),
	             .object = secret,
	             .user_data = machine->user_data,
	             .user_data_bytes = machine->user_data_bytes,
	             .user_data_limit = machine->user_data_limit,
	         }));
}

/* Adds the MachineDeployments of the template, with the class in its place. */
static void add_deployments(struct arena *arena, const struct dialect_cluster *cluster,
                            const struct kube_object *template, sv name,
                            struct artifacts *artifacts)
{
	struct kube_object_list deployments = find(arena, cluster, SV(SET_KIND));

	VEC_EACH (deployment, &deployments) {
		const struct value *class =
		    value_path((*deployment)->root, "spec.template.spec.class.name");

		if (!sv_eq((*deployment)->id.namespace, template->id.namespace) ||
		    !sv_eq(value_text(class), template->id.name))
			continue;
		struct value object = renamed(arena, *deployment, (*deployment)->id.name, false);
		struct value *at = &object;
		static const char *const path[] = {"spec", "template", "spec", "class"};
		for (size_t i = 0; i < COUNT_OF(path); i++)
			at = value_map_get_mutable(at, sv_from_cstr(path[i]));
		value_map_set(arena, at, SV("name"), value_string(name));
		add_object(arena, artifacts, object);
	}
}

void gardener_machine_classes_add(struct arena *arena, const struct dialect_cluster *cluster,
                                  const struct kube_object *osc,
                                  const struct gardener_machine *machine, sv only_new_mark,
                                  struct artifacts *artifacts)
{
	struct kube_object_list templates = find(arena, cluster, SV(CLASS_KIND));

	VEC_EACH (template, &templates) {
		if (!is_template_of(*template, osc))
			continue;
		sv name = name_of(arena, *template, only_new_mark);
		add_class(arena, artifacts, *template, name);
		add_secret(arena, artifacts, *template, name, machine);
		add_deployments(arena, cluster, *template, name, artifacts);
	}
}
