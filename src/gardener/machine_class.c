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

static sv class_name_of(const struct value *deployment)
{
	return value_text(value_path(deployment, "spec.template.spec.class.name"));
}

static sv class_object_key(struct arena *arena, sv namespace, sv name)
{
	return ARENA_CONCAT(arena, namespace, SV("/"), name);
}

/* Adds an object to the list that the map has for a name in the object's namespace. */
static void add_by(struct arena *arena, struct map *lists, sv name,
                   const struct kube_object *object)
{
	sv key = class_object_key(arena, object->id.namespace, name);
	struct kube_object_list *list = map_get(lists, key);

	if (!list) {
		list = ARENA_NEW(arena, struct kube_object_list);
		*list = (struct kube_object_list){0};
		map_put(lists, key, list);
	}
	VEC_PUSH(arena, list, object);
}

struct gardener_machines gardener_find_machines(struct arena *arena,
                                                const struct dialect_cluster *cluster)
{
	struct kube_object_list classes =
	    kube_objects_of_kind(arena, cluster->objects, SV(CLASS_KIND));
	struct kube_object_list deployments =
	    kube_objects_of_kind(arena, cluster->objects, SV(SET_KIND));
	struct gardener_machines machines = {.by_osc = map_in(arena), .by_class = map_in(arena)};

	VEC_EACH (template, &classes)
		if (gardener_is_machine_object(*template)) {
			VEC_PUSH(arena, &machines.templates, *template);
			add_by(arena, &machines.by_osc, value_text(class_of(*template)), *template);
		}
	VEC_EACH (deployment, &deployments)
		if (gardener_is_machine_object(*deployment))
			add_by(arena, &machines.by_class, class_name_of((*deployment)->root),
			       *deployment);
	return machines;
}

/* Returns the objects of a name; none if the map has no list of it. */
static struct kube_object_list list_of(struct arena *arena, const struct map *lists, sv namespace,
                                       sv name)
{
	const struct kube_object_list *list =
	    map_get(lists, class_object_key(arena, namespace, name));

	return list ? *list : (struct kube_object_list){0};
}

/* Returns the MachineDeployments of a template. */
static struct kube_object_list deployments_of(struct arena *arena,
                                              const struct gardener_machines *machines,
                                              const struct kube_object *template)
{
	return list_of(arena, &machines->by_class, template->id.namespace, template->id.name);
}

/* ---- checks ------------------------------------------------------------------------------ */

/* Returns the OSCs of purpose provision, also those that the flow makes, by their names. */
static struct map provisions_of(struct arena *arena, const struct dialect_cluster *cluster)
{
	struct map provisions = map_in(arena);

	VEC_EACH (unit, &cluster->units) {
		sv purpose = value_text(value_path((*unit)->root, "spec.purpose"));
		sv name = {0};

		if (sv_eq(purpose, gardener_purpose_name(GARDENER_PROVISION)))
			name = (*unit)->id.name;
		else if (gardener_flow_has(cluster->settings, *unit))
			name = gardener_flow_provision_name(arena, *unit);
		if (!sv_empty(name))
			add_by(arena, &provisions, name, *unit);
	}
	return provisions;
}

/*
 * Fails if the object was encrypted: the output shows it in the clear, with marks in place of
 * secrets, and the digest in a class's name would confirm guesses of them.
 */
static enum status check_is_clear(struct arena *arena, struct sink *sink,
                                  const struct kube_object *object)
{
	if (!object->confidential)
		return STATUS_OK;
	DIAG_SCOPE(sink, kube_object_describe(arena, object), sink->cluster);
	struct diag *diag = diag_report(sink, DIAG_FLEET_ENCRYPTED, kube_object_position(object),
	                                "a %.*s is encrypted", SV_ARG(object->id.kind));
	diag_set_help(sink, diag,
	              "decrypt it, and keep its credentials in an encrypted Secret that "
	              "credentialsSecretRef names");
	return STATUS_FAILED;
}

enum status gardener_machine_classes_check(struct arena *arena, struct sink *sink,
                                           const struct dialect_cluster *cluster,
                                           const struct gardener_machines *machines)
{
	struct map provisions = provisions_of(arena, cluster);
	enum status status = STATUS_OK;

	VEC_EACH (template, &machines->templates) {
		struct kube_object_list deployments = deployments_of(arena, machines, *template);
		sv osc = value_text(class_of(*template));

		status |= check_is_clear(arena, sink, *template);
		VEC_EACH (deployment, &deployments)
			status |= check_is_clear(arena, sink, *deployment);
		if (map_get(&provisions, class_object_key(arena, (*template)->id.namespace, osc)))
			continue;
		DIAG_SCOPE(sink, kube_object_describe(arena, *template), sink->cluster);
		struct diag *diag =
		    diag_report(sink, DIAG_OBJECT_MISSING, value_position(class_of(*template)),
		                "there is no OperatingSystemConfig %.*s/%.*s of purpose provision",
		                SV_ARG((*template)->id.namespace), SV_ARG(osc));
		diag_set_help(sink, diag,
		              "name one in the annotation " CLASS_OF
		              "; with gardenerFlow: downloader it is the pool's name with "
		              "-downloader in the place of -original");
		status = STATUS_FAILED;
	}
	return status == STATUS_OK ? STATUS_OK : STATUS_FAILED;
}

/* ---- names ------------------------------------------------------------------------------- */

static void add_member(struct buf *buf, const struct value *class, const char *name)
{
	const struct value *v = value_map_get(class, sv_from_cstr(name));

	buf_printf(buf, "%s=", name);
	if (v)
		json_emit(buf, v, JSON_GO);
	BUF_ADD_LIT(buf, "\n");
}

/* Returns the members of a template, or of a class, whose change replaces machines. */
static sv members_of(struct arena *arena, const struct value *class)
{
	struct buf buf = buf_in(arena);

	add_member(&buf, class, "provider");
	add_member(&buf, class, "providerSpec");
	add_member(&buf, class, "nodeTemplate");
	return buf_sv(&buf);
}

/* Returns the name of the class: another template or other user-data has another name. */
static sv class_name(struct arena *arena, const struct kube_object *template, sv user_data_mark)
{
	sv members = members_of(arena, template->root);
	sv digest = digest_hex(arena, DIGEST_SHA256, ARENA_CONCAT(arena, members, user_data_mark));
	return ARENA_CONCAT(arena, template->id.name, SV("-"),
	                    sv_slice(digest, 0, DIGEST_CHARACTERS));
}

/* ---- the previous output ----------------------------------------------------------------- */

/* Why machines are replaced: a set of these. */
#define REASON_TEMPLATE  1u
#define REASON_USER_DATA 2u
#define REASON_CLASS     4u /* the MachineDeployment had a class of another template */

/* A template, and the classes that its MachineDeployments had. */
struct comparison {
	const struct kube_object *template;
	sv name; /* of the class; that of the previous output if the seed would tell them apart */
	/* The name has a keyed digest, whose key is made of the seed, and no seed is given. */
	bool is_without_seed;
	bool is_unknown;
	unsigned reasons;
	sv changes; /* of the template, in words */
};

/*
 * Returns true if the class, which may be missing, is one of the template: by its label, or, if the
 * template's name is too long for a label, by the form of its own name.
 */
static bool is_class_of(struct arena *arena, const struct kube_object *template,
                        const struct value *class)
{
	const struct value *labels = value_path(class, "metadata.labels");
	sv name = value_text(value_path(class, "metadata.name"));

	if (template->id.name.len <= LONGEST_LABEL)
		return sv_eq(value_text(value_map_get(labels, SV(CLASS_LABEL))), template->id.name);
	return name.len == template->id.name.len + 1 + DIGEST_CHARACTERS &&
	       sv_starts_with(name, ARENA_CONCAT(arena, template->id.name, SV("-")));
}

static enum status find_before(struct arena *arena, struct sink *sink,
                               const struct dialect_job *job, const struct kube_id *id,
                               struct value *ret_object)
{
	*ret_object = (struct value){0};
	if (!job->previous.find)
		return STATUS_OK;
	return job->previous.find(arena, sink, job->previous.context, ARTIFACT_MANAGEMENT, id,
	                          ret_object);
}

/* ---- changes of a template --------------------------------------------------------------- */

struct changes {
	struct buf buf;
	size_t count;
};

enum { CHANGES_SHOWN = 3, CHANGE_LEN_MAX = 40, CHANGE_DEPTH_MAX = 8 };

static sv value_shown(struct arena *arena, const struct value *value)
{
	struct buf buf = buf_in(arena);

	if (!value)
		return SV("none");
	if (value->type == &type_string)
		return value->string;
	json_emit(&buf, value, JSON_GO);
	return buf_sv(&buf);
}

static void add_one_change(struct changes *changes, sv name, const struct value *before,
                           const struct value *now)
{
	struct arena *arena = changes->buf.arena;
	sv was = value_shown(arena, before);
	sv is = value_shown(arena, now);

	/* In a run without the seed, marks of secrets have no fingerprint. */
	if (before && now && secrecy_redacted_equal(was, is))
		return;
	if (changes->count++ >= CHANGES_SHOWN)
		return;
	buf_add_item(&changes->buf, name);
	if (was.len > CHANGE_LEN_MAX || is.len > CHANGE_LEN_MAX || secrecy_has_mark(was) ||
	    secrecy_has_mark(is) || (before && before->taint) || (now && now->taint))
		BUF_ADD_LIT(&changes->buf, " changed");
	else
		buf_printf(&changes->buf, " %.*s -> %.*s", SV_ARG(was), SV_ARG(is));
}

/* Adds the members that differ; a map's members in its place. */
static void add_changes(struct changes *changes, const struct value *before,
                        const struct value *now, unsigned depth)
{
	for (size_t side = 0; side < 2; side++) {
		const struct value *own = side == 0 ? now : before;

		for (size_t i = 0; i < value_count(own); i++) {
			sv key = own->map->entries[i].key;
			const struct value *was = value_map_get(before, key);
			const struct value *is = value_map_get(now, key);

			if ((side == 1 && is) || (was && is && value_equal(was, is)))
				continue;
			if (was && is && value_is_map(was) && value_is_map(is) &&
			    depth < CHANGE_DEPTH_MAX)
				add_changes(changes, was, is, depth + 1);
			else
				add_one_change(changes, key, was, is);
		}
	}
}

/* Returns "imageName ubuntu-22.04 -> ubuntu-24.04": what replaces machines, by the last key. */
static sv describe_changes(struct arena *arena, const struct value *before, const struct value *now)
{
	static const char *const members[] = {"provider", "providerSpec", "nodeTemplate"};
	struct changes changes = {.buf = buf_in(arena)};

	for (size_t i = 0; i < COUNT_OF(members); i++) {
		sv key = sv_from_cstr(members[i]);
		const struct value *was = value_map_get(before, key);
		const struct value *is = value_map_get(now, key);

		if (value_is_map(was) && value_is_map(is))
			add_changes(&changes, was, is, 0);
		else if ((was || is) && !(was && is && value_equal(was, is)))
			add_one_change(&changes, key, was, is);
	}
	if (changes.count > CHANGES_SHOWN)
		buf_printf(&changes.buf, " and %zu more", changes.count - CHANGES_SHOWN);
	return buf_sv(&changes.buf);
}

/* Compares the class of a MachineDeployment with that of the previous output. */
static enum status compare_class(struct arena *arena, struct sink *sink,
                                 const struct dialect_job *job,
                                 const struct kube_object *deployment, struct comparison *c)
{
	struct kube_id id = c->template->id;
	struct value before;
	struct value class;

	if (find_before(arena, sink, job, &deployment->id, &before) != STATUS_OK)
		return STATUS_FAILED;
	sv name = class_name_of(&before);
	if (sv_empty(name) || sv_eq(name, c->name)) {
		c->is_unknown |= !sv_empty(name) && c->is_without_seed;
		return STATUS_OK;
	}
	id.name = name;
	if (find_before(arena, sink, job, &id, &class) != STATUS_OK)
		return STATUS_FAILED;
	if (!is_class_of(arena, c->template, &class)) {
		c->reasons |= REASON_CLASS;
		return STATUS_OK;
	}
	struct value now = secrecy_redact_all(arena, job->redaction, c->template->root);
	sv members = members_of(arena, &class);
	sv members_now = members_of(arena, &now);
	if (!(c->is_without_seed ? secrecy_redacted_equal(members, members_now)
	                         : sv_eq(members, members_now))) {
		c->reasons |= REASON_TEMPLATE;
		c->changes = describe_changes(arena, &class, &now);
	} else if (c->is_without_seed) {
		c->is_unknown = true;
		c->name = name;
	} else {
		c->reasons |= REASON_USER_DATA;
	}
	return STATUS_OK;
}

/* Returns the reasons in words, with the changes of the template. */
static sv name_reasons(struct arena *arena, unsigned reasons, sv changes)
{
	static const struct {
		unsigned bit;
		const char *words;
	} names[] = {
	    {REASON_TEMPLATE, "template of the MachineClass changed"},
	    {REASON_USER_DATA, "user-data that only new machines read changed"},
	    {REASON_CLASS, "MachineDeployment has another MachineClass"},
	};
	struct buf buf = buf_in(arena);

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (reasons & names[i].bit)
			buf_add_item(&buf, sv_from_cstr(names[i].words));
	if (!sv_empty(changes))
		buf_printf(&buf, ": %.*s", SV_ARG(changes));
	return buf_sv(&buf);
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
	         artifact_of(object, ARTIFACT_MANAGEMENT, ARTIFACT_SUPPORT, ARTIFACT_CLEAR));
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
	VEC_PUSH(arena, artifacts,
	         gardener_machine_secret(arena, &request, SV("machine-class"), ARTIFACT_BOOTSTRAP,
	                                 machine));
}

/* Adds the MachineDeployments of a template, with the class in its place. */
static void add_deployments(struct arena *arena, const struct kube_object_list *deployments,
                            sv name, struct artifacts *artifacts)
{
	VEC_EACH (deployment, deployments) {
		struct value object = renamed(arena, *deployment, (*deployment)->id.name, false);
		struct value *at = &object;
		static const char *const path[] = {"spec", "template", "spec", "class"};
		for (size_t i = 0; i < COUNT_OF(path); i++)
			at = value_map_get_mutable(at, sv_from_cstr(path[i]));
		value_map_set(arena, at, SV("name"), value_string(name));
		add_object(arena, artifacts, object);
	}
}

enum status gardener_machine_classes_add(struct arena *arena, struct sink *sink,
                                         const struct gardener_machines *machines,
                                         const struct gardener_machine_request *request,
                                         struct dialect_rendered *rendered)
{
	const struct dialect_job *job = request->job;
	const struct kube_id *osc = &request->osc->id;
	struct kube_object_list templates =
	    list_of(arena, &machines->by_osc, osc->namespace, osc->name);
	unsigned reasons = 0;
	sv changes = {0};

	VEC_EACH (template, &templates) {
		struct kube_object_list deployments = deployments_of(arena, machines, *template);
		struct comparison comparison = {
		    .template = *template,
		    .name = class_name(arena, *template, request->only_new_mark),
		    .is_without_seed = secrecy_has_mark(request->only_new_mark) &&
		                       (!job->redaction || !job->redaction->fingerprint),
		};

		VEC_EACH (deployment, &deployments)
			if (compare_class(arena, sink, job, *deployment, &comparison) != STATUS_OK)
				return STATUS_FAILED;
		if (comparison.is_unknown && rendered->replacement == DIALECT_REPLACES_NONE)
			rendered->replacement = DIALECT_REPLACES_UNKNOWN;
		reasons |= comparison.reasons;
		changes = sv_empty(changes) ? comparison.changes : changes;
		add_class(arena, &rendered->artifacts, *template, comparison.name);
		add_secret(arena, &rendered->artifacts, *template, comparison.name,
		           request->machine);
		add_deployments(arena, &deployments, comparison.name, &rendered->artifacts);
	}
	if (reasons) {
		rendered->replacement = DIALECT_REPLACES_MACHINES;
		rendered->reason = name_reasons(arena, reasons, changes);
	}
	return STATUS_OK;
}

/* ---- machines ---------------------------------------------------------------------------- */

int64_t gardener_machine_replicas(struct arena *arena, const struct gardener_machines *machines,
                                  sv namespace, sv osc)
{
	struct kube_object_list templates = list_of(arena, &machines->by_osc, namespace, osc);
	int64_t count = -1;

	VEC_EACH (template, &templates) {
		struct kube_object_list deployments = deployments_of(arena, machines, *template);

		VEC_EACH (deployment, &deployments) {
			int64_t replicas = kube_replicas((*deployment)->root);

			/* Without the number an autoscaler sets it. */
			if (replicas < 0)
				return -1;
			count = (count < 0 ? 0 : count) + replicas;
		}
	}
	return count;
}
