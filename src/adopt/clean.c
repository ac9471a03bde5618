/*
 * Copies manifests for git. Only fields that osm-gen or a controller reads are taken. The others
 * (those of the API server, copies of the whole object that tools keep) may contain anything.
 */
#include "adopt/internal.h"

#include "golang/golang.h"

/* ---- fields ------------------------------------------------------------------------------ */

static const struct dialect_field metadata[] = {DIALECT_FIELD("name"), DIALECT_FIELD("namespace"),
                                                DIALECT_FIELD("labels"),
                                                DIALECT_FIELD("annotations")};
static const struct dialect_field secret[] = {
    DIALECT_FIELD("apiVersion"), DIALECT_FIELD("kind"), DIALECT_FIELD_OF("metadata", metadata),
    DIALECT_FIELD("type"),       DIALECT_FIELD("data"), DIALECT_FIELD("stringData"),
    DIALECT_FIELD("immutable")};
static const struct dialect_field config_map[] = {DIALECT_FIELD("apiVersion"),
                                                  DIALECT_FIELD("kind"),
                                                  DIALECT_FIELD_OF("metadata", metadata),
                                                  DIALECT_FIELD("data"),
                                                  DIALECT_FIELD("binaryData"),
                                                  DIALECT_FIELD("immutable")};
static const struct dialect_field account_secret[] = {DIALECT_FIELD("name")};
static const struct dialect_field service_account[] = {
    DIALECT_FIELD("apiVersion"), DIALECT_FIELD("kind"), DIALECT_FIELD_OF("metadata", metadata),
    DIALECT_FIELD_OF("secrets", account_secret)};

static const struct dialect_field kinds[] = {
    DIALECT_FIELD_OF("Secret", secret),
    DIALECT_FIELD_OF("ConfigMap", config_map),
    DIALECT_FIELD_OF("ServiceAccount", service_account),
};

static const struct dialect_field *find_dialect_field(const struct dialect_field *fields,
                                                      size_t count, sv name)
{
	for (size_t i = 0; i < count; i++)
		if (go_json_key_is(name, sv_from_cstr(fields[i].name)))
			return &fields[i];
	return NULL;
}

/* ---- annotations and labels -------------------------------------------------------------- */

/* Annotations that osm-gen reads for every dialect. */
static const struct dialect_mark annotations_read[] = {
    {"Secret", SV_INIT("osm-gen.dev/*")},
    {"Secret", SV_INIT("kubernetes.io/service-account.name")},
    {"ConfigMap", SV_INIT("osm-gen.dev/*")},
};
/*
 * Beginnings of labels by which tools find objects that they made, besides those of appliers
 * (kube_is_of_applier). Labels of people are kept.
 */
static const sv labels_of_tools[] = {
    SV_INIT("app.kubernetes.io/managed-by"),
    SV_INIT("velero.io/"),
    SV_INIT("olm."),
    SV_INIT("operators.coreos.com/"),
    SV_INIT("machine-template-hash"),
};
/* Beginnings of annotations that Kubernetes keeps for itself; they are left out silently. */
static const sv bookkeeping[] = {
    SV_INIT("kubernetes.io/service-account.uid"),
    SV_INIT("deployment.kubernetes.io/"),
};

static bool starts_with_any(sv name, const sv *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (sv_starts_with(name, list[i]))
			return true;
	return false;
}

static bool is_listed(const struct dialect_mark *list, size_t count, sv kind, sv name)
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

/* Returns true for at most 63 letters, digits, "-", "_" and ".", the rule of Kubernetes. */
static bool is_label_value(sv value)
{
	for (size_t i = 0; i < value.len; i++)
		if (!ascii_is_alphanumeric((uint8_t)value.ptr[i]) &&
		    (value.ptr[i] == '\0' || !strchr("-_.", value.ptr[i])))
			return false;
	return value.len <= 63;
}

struct cleaning {
	struct arena *arena;
	const struct kube_object *object;
	bool is_ours;                       /* a unit or a definition of a dialect */
	const struct dialect_field *fields; /* of its kind; null to take all */
	size_t field_count;
	struct adopt_leaving *leaving; /* may be null */
};

static bool is_bookkeeping(sv name)
{
	size_t count;
	const struct dialect *const *all = dialects(&count);

	if (starts_with_any(name, bookkeeping, COUNT_OF(bookkeeping)))
		return true;
	for (size_t i = 0; i < count; i++)
		if (all[i]->adoption && starts_with_any(name, all[i]->adoption->bookkeeping,
		                                        all[i]->adoption->bookkeeping_count))
			return true;
	return false;
}

static bool is_annotation_read(const struct cleaning *c, sv name)
{
	sv kind = c->object->id.kind;
	size_t count;
	const struct dialect *const *all = dialects(&count);

	if ((c->is_ours && sv_starts_with(name, SV("osm-gen.dev/"))) ||
	    is_listed(annotations_read, COUNT_OF(annotations_read), kind, name))
		return true;
	for (size_t i = 0; i < count; i++)
		if (all[i]->adoption && is_listed(all[i]->adoption->annotations,
		                                  all[i]->adoption->annotation_count, kind, name))
			return true;
	return false;
}

static bool is_label_read(const struct cleaning *c, sv name)
{
	size_t count;
	const struct dialect *const *all = dialects(&count);

	for (size_t i = 0; i < count; i++)
		if (all[i]->adoption &&
		    is_listed(all[i]->adoption->labels, all[i]->adoption->label_count,
		              c->object->id.kind, name))
			return true;
	return false;
}

static void leave(const struct cleaning *c, const char *what, sv name, const char *why)
{
	if (!c->leaving)
		return;
	/* The name may be a secret, too. */
	if (secrecy_look_at(name, SECRECY_FIELD).look != SECRECY_LOOKS_PLAIN)
		name = SV("***");
	adopt_leave(c->leaving, c->object,
	            ARENA_CONCAT(c->arena, sv_from_cstr(what), SV(" "), name), why);
}

/* A password is recognized by its name. */
static bool looks_plain(const struct value_entry *entry)
{
	return secrecy_look_at_named(entry->key, value_text(&entry->value), SECRECY_FIELD).look ==
	           SECRECY_LOOKS_PLAIN &&
	       secrecy_look_at(entry->key, SECRECY_FIELD).look == SECRECY_LOOKS_PLAIN;
}

static enum secrecy_step copy_annotation(const struct cleaning *c, const struct value_entry *entry)
{
	if (is_bookkeeping(entry->key))
		return SECRECY_OMIT;
	if (!is_annotation_read(c, entry->key)) {
		leave(
		    c, "annotation", entry->key,
		    "neither osm-gen nor machine-controller reads it, and its content is unknown");
		return SECRECY_OMIT;
	}
	if (value_is_string(&entry->value) && looks_plain(entry))
		return SECRECY_INTO;
	leave(c, "annotation", entry->key, "its value looks like a secret");
	return SECRECY_OMIT;
}

static enum secrecy_step copy_label(const struct cleaning *c, const struct value_entry *entry)
{
	if (is_label_read(c, entry->key))
		return SECRECY_INTO;
	if (!c->is_ours || kube_is_of_applier(entry->key) ||
	    starts_with_any(entry->key, labels_of_tools, COUNT_OF(labels_of_tools))) {
		leave(c, "label", entry->key, "no object that osm-gen reads uses it");
		return SECRECY_OMIT;
	}
	if (value_is_string(&entry->value) && is_label_value(entry->value.string) &&
	    looks_plain(entry))
		return SECRECY_INTO;
	leave(c, "label", entry->key, "it looks like a secret");
	return SECRECY_OMIT;
}

/* ---- objects ----------------------------------------------------------------------------- */

/* Returns true for fields that every export has, and that need no line in the report. */
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

	const struct secrecy_place *top = place;

	while (top->depth > 1)
		top = top->parent;
	if (place->depth == 1 || (top->entry && sv_eq(top->entry->key, SV("status"))))
		return top->entry && sv_eq(top->entry->key, SV("status"));
	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (sv_eq(key, names[i]))
			return true;
	return false;
}

/*
 * Returns the field of a place, or null if it is not taken. *ret_all: everything below the place is
 * taken, too.
 */
static const struct dialect_field *part_of(const struct cleaning *c,
                                           const struct secrecy_place *place, bool *ret_all)
{
	const struct dialect_field *above;

	*ret_all = false;
	if (!place->parent || place->depth == 0)
		return NULL;
	if (place->depth == 1 && place->entry)
		return find_dialect_field(c->fields, c->field_count, place->entry->key);
	above = part_of(c, place->parent, ret_all);
	if (!above || *ret_all || !place->entry)
		return above;
	if (!above->fields) {
		*ret_all = true;
		return above;
	}
	return find_dialect_field(above->fields, above->count, place->entry->key);
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
	/* kubectl writes creationTimestamp: null into every metadata. */
	if (sv_eq(key, SV("creationTimestamp")) && value_is_null(place->value))
		return SECRECY_OMIT;
	if (place->depth == 3 && parent->entry && parent->parent->entry &&
	    sv_eq(parent->parent->entry->key, SV("metadata"))) {
		if (sv_eq(parent->entry->key, SV("annotations")))
			return copy_annotation(c, place->entry);
		if (sv_eq(parent->entry->key, SV("labels")))
			return copy_label(c, place->entry);
	}
	if (!c->fields || part_of(c, place, &all))
		return SECRECY_INTO;
	if (!is_of_server(place, key))
		leave(c, "field", secrecy_path(c->arena, place), "it has no effect on machines");
	return SECRECY_OMIT;
}

/* Omits Kubernetes' signatures of cluster-info, which change with every bootstrap token. */
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

/* Omits maps of metadata that are empty now. */
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

static void leave_finalizers(const struct cleaning *c)
{
	const struct value *finalizers = value_path(c->object->root, "metadata.finalizers");

	for (size_t i = 0; value_is_list(finalizers) && i < value_count(finalizers); i++)
		leave(c, "finalizer", value_text(value_item(finalizers, i)),
		      "the live object keeps it: appliers leave finalizers to others");
}

struct value adopt_clean(struct arena *arena, struct adopt_leaving *leaving,
                         const struct kube_object *object)
{
	const struct dialect_field *kind =
	    find_dialect_field(kinds, COUNT_OF(kinds), object->id.kind);
	const struct dialect_live_kind *own = adopt_kind_of(&object->id).row;
	struct cleaning cleaning = {
	    .arena = arena,
	    .object = object,
	    .is_ours = own && own->fields,
	    .fields = own    ? own->fields
	              : kind ? kind->fields
	                     : NULL,
	    .field_count = own    ? own->field_count
	                   : kind ? kind->count
	                          : 0,
	    .leaving = leaving,
	};
	struct value copy = secrecy_copy(arena, object->root, copy_part, &cleaning);

	leave_finalizers(&cleaning);
	if (adopt_is_kind(object, "ConfigMap"))
		copy = secrecy_copy(arena, &copy, copy_unsigned, NULL);
	copy = secrecy_copy(arena, &copy, copy_filled, NULL);
	/* Twice: template.metadata may have had empty annotations only. */
	return secrecy_copy(arena, &copy, copy_filled, NULL);
}
