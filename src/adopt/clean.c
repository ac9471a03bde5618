/*
 * Manifests as git is to hold them. Only fields that somebody reads are taken: what else a live
 * object carries (the API server's own, copies that tools keep of the whole object) may hold
 * anything.
 */
#include "adopt/internal.h"

#include "golang/golang.h"

/* ---- fields ------------------------------------------------------------------------------ */

/* Without parts: with all that is inside of it. Of a list the parts are those of its items. */
struct part {
	const char *name;
	const struct part *parts;
	size_t count;
};

#define ALL(name)                                                                                  \
	{                                                                                          \
		(name), NULL, 0                                                                    \
	}
#define SOME(name, array)                                                                          \
	{                                                                                          \
		(name), (array), COUNT_OF(array)                                                   \
	}

static const struct part metadata[] = {ALL("name"), ALL("namespace"), ALL("labels"),
                                       ALL("annotations")};

/* What decides whether machines are replaced: machine-controller compares all of it. */
static const struct part template_metadata[] = {
    ALL("name"),          ALL("generateName"),
    ALL("namespace"),     ALL("selfLink"),
    ALL("uid"),           ALL("resourceVersion"),
    ALL("generation"),    ALL("creationTimestamp"),
    ALL("labels"),        ALL("deletionTimestamp"),
    ALL("annotations"),   ALL("deletionGracePeriodSeconds"),
    ALL("finalizers"),    ALL("ownerReferences"),
    ALL("managedFields"),
};
static const struct part taint[] = {ALL("key"), ALL("value"), ALL("effect"), ALL("timeAdded")};
static const struct part provider_spec[] = {ALL("value"), ALL("valueFrom")};
static const struct part versions[] = {ALL("kubelet"), ALL("controlPlane")};
static const struct part machine_spec[] = {
    SOME("metadata", template_metadata), SOME("taints", taint), SOME("providerSpec", provider_spec),
    SOME("versions", versions),          ALL("configSource"),   ALL("providerID"),
};
static const struct part template[] = {SOME("metadata", template_metadata),
                                       SOME("spec", machine_spec)};
static const struct part expression[] = {ALL("key"), ALL("operator"), ALL("values")};
static const struct part selector[] = {ALL("matchLabels"), SOME("matchExpressions", expression)};
static const struct part rolling_update[] = {ALL("maxSurge"), ALL("maxUnavailable")};
static const struct part strategy[] = {ALL("type"), SOME("rollingUpdate", rolling_update)};
static const struct part deployment_spec[] = {
    ALL("replicas"),
    SOME("selector", selector),
    SOME("template", template),
    SOME("strategy", strategy),
    ALL("minReadySeconds"),
    ALL("revisionHistoryLimit"),
    ALL("paused"),
    ALL("progressDeadlineSeconds"),
};
static const struct part machine_deployment[] = {
    ALL("apiVersion"), ALL("kind"), SOME("metadata", metadata), SOME("spec", deployment_spec)};

static const struct part inline_content[] = {ALL("encoding"), ALL("data")};
static const struct part content[] = {SOME("inline", inline_content)};
static const struct part file[] = {ALL("path"), ALL("permissions"), SOME("content", content)};
static const struct part runtime[] = {ALL("name"), SOME("files", file), ALL("templates")};
static const struct part drop_in[] = {ALL("name"), ALL("content")};
static const struct part unit[] = {ALL("name"), ALL("enable"), ALL("mask"), ALL("content"),
                                   SOME("dropIns", drop_in)};
static const struct part modules[] = {ALL("bootcmd"), ALL("rh_subscription"), ALL("runcmd"),
                                      ALL("yum_repos"), ALL("yum_repo_dir")};
static const struct part config[] = {
    SOME("supportedContainerRuntimes", runtime),
    ALL("templates"),
    SOME("units", unit),
    SOME("files", file),
    SOME("modules", modules),
};
static const struct part provider[] = {ALL("name"), ALL("spec")};
static const struct part profile_spec[] = {
    ALL("osName"),
    ALL("osVersion"),
    ALL("version"),
    ALL("provisioningUtility"),
    SOME("supportedCloudProviders", provider),
    SOME("bootstrapConfig", config),
    SOME("provisioningConfig", config),
};
static const struct part profile[] = {ALL("apiVersion"), ALL("kind"), SOME("metadata", metadata),
                                      SOME("spec", profile_spec)};

static const struct part secret[] = {ALL("apiVersion"), ALL("kind"), SOME("metadata", metadata),
                                     ALL("type"),       ALL("data"), ALL("stringData"),
                                     ALL("immutable")};
static const struct part config_map[] = {ALL("apiVersion"),          ALL("kind"),
                                         SOME("metadata", metadata), ALL("data"),
                                         ALL("binaryData"),          ALL("immutable")};
static const struct part account_secret[] = {ALL("name")};
static const struct part service_account[] = {
    ALL("apiVersion"), ALL("kind"), SOME("metadata", metadata), SOME("secrets", account_secret)};

static const struct part kinds[] = {
    SOME("MachineDeployment", machine_deployment),
    SOME("OperatingSystemProfile", profile),
    SOME("Secret", secret),
    SOME("ConfigMap", config_map),
    SOME("ServiceAccount", service_account),
};

static const struct part *find_part(const struct part *parts, size_t count, sv name)
{
	for (size_t i = 0; i < count; i++)
		if (go_json_key_is(name, sv_from_cstr(parts[i].name)))
			return &parts[i];
	return NULL;
}

/* ---- annotations and labels -------------------------------------------------------------- */

struct mark {
	const char *kind; /* of the object */
	sv name;          /* or its beginning, up to "*" */
};

/* Read by osm-gen, the controller, machine-controller or the autoscaler. */
static const struct mark annotations_read[] = {
    {"MachineDeployment", SV_INIT("k8c.io/operating-system-profile")},
    {"MachineDeployment", SV_INIT("k8c.io/operating-system-profile-namespace")},
    {"MachineDeployment", SV_INIT("v1.kubelet-config.machine-controller.kubermatic.io*")},
    {"MachineDeployment", SV_INIT("machine-controller.kubermatic.io/*")},
    {"MachineDeployment", SV_INIT("cluster.k8s.io/cluster-api-autoscaler-node-group-*")},
    {"MachineDeployment", SV_INIT("cluster.x-k8s.io/cluster-api-autoscaler-node-group-*")},
    {"MachineDeployment", SV_INIT("capacity.cluster-autoscaler.kubernetes.io/*")},
    {"MachineDeployment", SV_INIT("osm-gen.dev/*")},
    {"OperatingSystemProfile", SV_INIT("osm-gen.dev/*")},
    {"Secret", SV_INIT("osm-gen.dev/*")},
    {"Secret", SV_INIT("kubernetes.io/service-account.name")},
    {"ConfigMap", SV_INIT("osm-gen.dev/*")},
};
static const struct mark labels_read[] = {
    {"Secret", SV_INIT("machinedeployment.k8s.io/name")},
};
/* Labels by which tools find what they applied; of others those of people are kept. */
static const sv labels_of_tools[] = {
    SV_INIT("kapp.k14s.io/"),
    SV_INIT("objectset.rio.cattle.io/"),
    SV_INIT("cattle.io/"),
    SV_INIT("field.cattle.io/"),
    SV_INIT("helm.sh/"),
    SV_INIT("helm.toolkit.fluxcd.io/"),
    SV_INIT("kustomize.toolkit.fluxcd.io/"),
    SV_INIT("argocd.argoproj.io/"),
    SV_INIT("app.kubernetes.io/managed-by"),
    SV_INIT("applyset.kubernetes.io/"),
    SV_INIT("config.k8s.io/"),
    SV_INIT("velero.io/"),
    SV_INIT("olm."),
    SV_INIT("operators.coreos.com/"),
    SV_INIT("machine-template-hash"),
};
/* What the API server and the controllers keep for themselves: nobody needs to hear of it. */
static const sv bookkeeping[] = {
    SV_INIT("kubernetes.io/service-account.uid"),
    SV_INIT("machinedeployment.clusters.k8s.io/"),
    SV_INIT("machineset.clusters.k8s.io/"),
    SV_INIT("deployment.kubernetes.io/"),
    SV_INIT("k8c.io/machine-deployment-revision"),
    SV_INIT("k8c.io/mdannotations-hash"),
    SV_INIT("k8c.io/osp-version"),
};

static bool starts_with_any(sv name, const sv *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (sv_starts_with(name, list[i]))
			return true;
	return false;
}

static bool is_read(const struct mark *list, size_t count, sv kind, sv name)
{
	for (size_t i = 0; i < count; i++) {
		sv listed = list[i].name;
		bool is_start = sv_ends_with(listed, SV("*"));

		if (sv_eq_cstr(kind, list[i].kind) &&
		    (is_start ? sv_starts_with(name, sv_slice(listed, 0, listed.len - 1))
		              : sv_eq(name, listed)))
			return true;
	}
	return false;
}

/* At most 63 letters, digits, "-", "_" and ".", as Kubernetes has it. */
static bool is_label_value(sv value)
{
	for (size_t i = 0; i < value.len; i++)
		if (!ascii_is_alphanumeric((uint8_t)value.ptr[i]) &&
		    (value.ptr[i] == '\0' || !strchr("-_.", value.ptr[i])))
			return false;
	return value.len <= 63;
}

static bool has_own_labels(sv kind)
{
	return sv_eq(kind, SV("MachineDeployment")) || sv_eq(kind, SV("OperatingSystemProfile"));
}

struct cleaning {
	struct arena *arena;
	const struct kube_object *object;
	const struct part *parts; /* of its kind; null: all are taken */
	size_t part_count;
	struct adopt_leaving *leaving; /* or null */
};

static void leave(const struct cleaning *c, const char *what, sv name, const char *why)
{
	if (!c->leaving)
		return;
	/* The name itself may be the secret. */
	if (secrecy_look_at(name, SECRECY_FIELD).look != SECRECY_LOOKS_PLAIN)
		name = SV("***");
	adopt_leave(c->leaving, ARENA_CONCAT(c->arena, sv_from_cstr(what), SV(" "), name), why);
}

/* "NAME: "VALUE"", so that a password is recognized by its name. */
static bool looks_plain(const struct cleaning *c, const struct value_entry *entry)
{
	sv name = sv_after_last(entry->key, '/');
	sv text = ARENA_CONCAT(c->arena, name, SV(": \""), value_text(&entry->value), SV("\""));

	return secrecy_look_at(text, SECRECY_FIELD).look == SECRECY_LOOKS_PLAIN &&
	       secrecy_look_at(entry->key, SECRECY_FIELD).look == SECRECY_LOOKS_PLAIN;
}

static enum secrecy_step copy_annotation(const struct cleaning *c, const struct value_entry *entry)
{
	if (starts_with_any(entry->key, bookkeeping, COUNT_OF(bookkeeping)))
		return SECRECY_OMIT;
	if (!is_read(annotations_read, COUNT_OF(annotations_read), c->object->id.kind,
	             entry->key)) {
		leave(c, "annotation", entry->key,
		      "neither osm-gen nor machine-controller reads it, and it may hold anything");
		return SECRECY_OMIT;
	}
	if (value_is_string(&entry->value) && looks_plain(c, entry))
		return SECRECY_INTO;
	leave(c, "annotation", entry->key, "its value looks like a secret");
	return SECRECY_OMIT;
}

static enum secrecy_step copy_label(const struct cleaning *c, const struct value_entry *entry)
{
	sv kind = c->object->id.kind;

	if (is_read(labels_read, COUNT_OF(labels_read), kind, entry->key))
		return SECRECY_INTO;
	if (!has_own_labels(kind) ||
	    starts_with_any(entry->key, labels_of_tools, COUNT_OF(labels_of_tools))) {
		leave(c, "label", entry->key, "nothing that osm-gen reads asks for it");
		return SECRECY_OMIT;
	}
	if (value_is_string(&entry->value) && is_label_value(entry->value.string) &&
	    looks_plain(c, entry))
		return SECRECY_INTO;
	leave(c, "label", entry->key, "it looks like a secret");
	return SECRECY_OMIT;
}

/* ---- objects ----------------------------------------------------------------------------- */

/* What every export has, and nobody misses. */
static bool is_of_server(const struct secrecy_place *place, sv key)
{
	static const sv names[] = {
	    SV_INIT("managedFields"),     SV_INIT("uid"),
	    SV_INIT("resourceVersion"),   SV_INIT("generation"),
	    SV_INIT("selfLink"),          SV_INIT("generateName"),
	    SV_INIT("creationTimestamp"), SV_INIT("finalizers"),
	    SV_INIT("ownerReferences"),   SV_INIT("deletionTimestamp"),
	    SV_INIT("clusterName"),       SV_INIT("deletionGracePeriodSeconds"),
	};

	if (place->depth == 1)
		return sv_eq(key, SV("status"));
	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (sv_eq(key, names[i]))
			return true;
	return false;
}

/* The part that a place is; null: nobody reads it. *ret_all: all below is taken. */
static const struct part *part_of(const struct cleaning *c, const struct secrecy_place *place,
                                  bool *ret_all)
{
	const struct part *above;

	*ret_all = false;
	if (!place->parent || place->depth == 0)
		return NULL;
	if (place->depth == 1 && place->entry)
		return find_part(c->parts, c->part_count, place->entry->key);
	above = part_of(c, place->parent, ret_all);
	if (!above || *ret_all || !place->entry)
		return above;
	if (!above->parts) {
		*ret_all = true;
		return above;
	}
	return find_part(above->parts, above->count, place->entry->key);
}

static enum secrecy_step copy_part(void *context, struct secrecy_place *place,
                                   struct value *ret_copy)
{
	const struct cleaning *c = context;
	const struct secrecy_place *parent = place->parent;
	bool all;

	(void)ret_copy;
	if (!place->entry)
		return SECRECY_INTO;
	sv key = place->entry->key;
	/* kubectl writes it as null wherever there is metadata inside. */
	if (sv_eq(key, SV("creationTimestamp")) && value_is_null(place->value))
		return SECRECY_OMIT;
	if (place->depth == 3 && parent->entry && parent->parent->entry &&
	    sv_eq(parent->parent->entry->key, SV("metadata"))) {
		if (sv_eq(parent->entry->key, SV("annotations")))
			return copy_annotation(c, place->entry);
		if (sv_eq(parent->entry->key, SV("labels")))
			return copy_label(c, place->entry);
	}
	if (!c->parts || part_of(c, place, &all))
		return SECRECY_INTO;
	if (!is_of_server(place, key))
		leave(c, "field", secrecy_path(c->arena, place), "it has no effect on machines");
	return SECRECY_OMIT;
}

/* Kubernetes' own signatures of cluster-info, one a bootstrap token, change all the time. */
static enum secrecy_step copy_unsigned(void *context, struct secrecy_place *place,
                                       struct value *ret_copy)
{
	(void)context;
	(void)ret_copy;
	return place->depth == 2 && place->entry &&
	               sv_starts_with(place->entry->key, SV("jws-kubeconfig-"))
	           ? SECRECY_OMIT
	           : SECRECY_INTO;
}

/* {} left where everything was taken out. */
static enum secrecy_step copy_filled(void *context, struct secrecy_place *place,
                                     struct value *ret_copy)
{
	(void)context;
	(void)ret_copy;
	bool is_metadata = place->entry && (sv_eq(place->entry->key, SV("annotations")) ||
	                                    sv_eq(place->entry->key, SV("labels")) ||
	                                    sv_eq(place->entry->key, SV("metadata")));

	return is_metadata && value_is_map(place->value) && value_count(place->value) == 0
	           ? SECRECY_OMIT
	           : SECRECY_INTO;
}

struct value adopt_clean(struct arena *arena, struct adopt_leaving *leaving,
                         const struct kube_object *object)
{
	const struct part *kind = find_part(kinds, COUNT_OF(kinds), object->id.kind);
	struct cleaning cleaning = {
	    .arena = arena,
	    .object = object,
	    .parts = kind ? kind->parts : NULL,
	    .part_count = kind ? kind->count : 0,
	    .leaving = leaving,
	};
	struct value copy = secrecy_copy(arena, object->root, copy_part, &cleaning);

	if (adopt_is_kind(object, "ConfigMap"))
		copy = secrecy_copy(arena, &copy, copy_unsigned, NULL);
	copy = secrecy_copy(arena, &copy, copy_filled, NULL);
	/* Twice: template.metadata may have held empty annotations only. */
	return secrecy_copy(arena, &copy, copy_filled, NULL);
}
