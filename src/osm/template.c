/*
 * Normalises spec.template as machine-controller compares it: only members that its types have,
 * without empty ones. Machine-controller makes a new MachineSet if the results differ, and only
 * then (docs/spec/output.md 3.1).
 */
#include "golang/golang.h"
#include "osm/machine.h"
#include "osm/osm.h"
#include "value/text.h"

#include "secrecy/secrecy.h"
#include "json/json.h"

enum form {
	FORM_PLAIN,   /* a string or a number; its zero value equals absent */
	FORM_POINTER, /* kept as written, unless null */
	FORM_LABELS,  /* a map of strings; empty strings are kept */
	FORM_LIST,    /* items have `fields`, or any value */
	FORM_STRUCT,
};

struct field {
	sv name;
	enum form form;
	const struct field *fields;
	size_t count;
};

static const struct field metadata_fields[] = {
    {SV_INIT("name"), FORM_PLAIN, NULL, 0},
    {SV_INIT("generateName"), FORM_PLAIN, NULL, 0},
    {SV_INIT("namespace"), FORM_PLAIN, NULL, 0},
    {SV_INIT("selfLink"), FORM_PLAIN, NULL, 0},
    {SV_INIT("uid"), FORM_PLAIN, NULL, 0},
    {SV_INIT("resourceVersion"), FORM_PLAIN, NULL, 0},
    {SV_INIT("generation"), FORM_PLAIN, NULL, 0},
    {SV_INIT("creationTimestamp"), FORM_POINTER, NULL, 0},
    {SV_INIT("deletionTimestamp"), FORM_POINTER, NULL, 0},
    {SV_INIT("deletionGracePeriodSeconds"), FORM_POINTER, NULL, 0},
    {SV_INIT("labels"), FORM_LABELS, NULL, 0},
    {SV_INIT("annotations"), FORM_LABELS, NULL, 0},
    {SV_INIT("ownerReferences"), FORM_LIST, NULL, 0},
    {SV_INIT("finalizers"), FORM_LIST, NULL, 0},
    {SV_INIT("managedFields"), FORM_LIST, NULL, 0},
};
static const struct field taint_fields[] = {
    {SV_INIT("key"), FORM_PLAIN, NULL, 0},
    {SV_INIT("value"), FORM_PLAIN, NULL, 0},
    {SV_INIT("effect"), FORM_PLAIN, NULL, 0},
    {SV_INIT("timeAdded"), FORM_POINTER, NULL, 0},
};
static const struct field provider_fields[] = {
    {SV_INIT("value"), FORM_POINTER, NULL, 0},
    {SV_INIT("valueFrom"), FORM_POINTER, NULL, 0},
};
static const struct field version_fields[] = {
    {SV_INIT("kubelet"), FORM_PLAIN, NULL, 0},
    {SV_INIT("controlPlane"), FORM_PLAIN, NULL, 0},
};
static const struct field spec_fields[] = {
    {SV_INIT("metadata"), FORM_STRUCT, metadata_fields, COUNT_OF(metadata_fields)},
    {SV_INIT("taints"), FORM_LIST, taint_fields, COUNT_OF(taint_fields)},
    {SV_INIT("providerSpec"), FORM_STRUCT, provider_fields, COUNT_OF(provider_fields)},
    {SV_INIT("versions"), FORM_STRUCT, version_fields, COUNT_OF(version_fields)},
    {SV_INIT("configSource"), FORM_POINTER, NULL, 0},
    {SV_INIT("providerID"), FORM_POINTER, NULL, 0},
};
static const struct field template_fields[] = {
    {SV_INIT("metadata"), FORM_STRUCT, metadata_fields, COUNT_OF(metadata_fields)},
    {SV_INIT("spec"), FORM_STRUCT, spec_fields, COUNT_OF(spec_fields)},
};

/* CIRCLE: lists and structs hold each other. */
static struct value read_struct(struct arena *arena, const struct value *from,
                                const struct field *fields, size_t count);

static bool is_zero(const struct value *v)
{
	return value_is_null(v) || (value_is_string(v) && sv_empty(v->string) && !v->taint) ||
	       (v->type == &type_int64 && v->integer == 0);
}

static bool is_empty(const struct value *v)
{
	return value_is_null(v) || ((value_is_map(v) || value_is_list(v)) && value_count(v) == 0);
}

static struct value read_list(struct arena *arena, const struct value *from,
                              const struct field *field)
{
	struct value list = value_list_new(arena);

	for (size_t i = 0; i < value_count(from); i++) {
		const struct value *item = value_item(from, i);

		value_list_add(arena, &list,
		               field->fields && value_is_map(item)
		                   ? read_struct(arena, item, field->fields, field->count)
		                   : *item);
	}
	return list;
}

/* Copies a field. A value of a wrong type is ignored here, and reported by machine.c. */
static void read_field(struct arena *arena, const struct value *from, const struct field *field,
                       struct value *to)
{
	struct value v = *from;
	bool is_none = false;

	switch (field->form) {
	case FORM_PLAIN:
		is_none = is_zero(from);
		break;
	case FORM_POINTER:
		is_none = value_is_null(from);
		break;
	case FORM_LABELS:
		is_none = is_empty(from);
		break;
	case FORM_LIST:
		is_none = is_empty(from);
		if (value_is_list(from))
			v = read_list(arena, from, field);
		break;
	case FORM_STRUCT:
		if (value_is_map(from))
			v = read_struct(arena, from, field->fields, field->count);
		is_none = is_empty(&v);
		break;
	}
	if (!is_none)
		value_map_set(arena, to, field->name, v);
}

static struct value read_struct(struct arena *arena, const struct value *from,
                                const struct field *fields, size_t count)
{
	struct value to = value_map_new(arena);

	for (size_t i = 0; i < count; i++) {
		const struct value *given = go_json_member(from, fields[i].name);

		if (given)
			read_field(arena, given, &fields[i], &to);
	}
	return to;
}

/* Removes the label that machine-controller adds to a MachineSet's machines. */
static struct value without_hash(struct arena *arena, const struct value *template)
{
	struct value read =
	    read_struct(arena, template, template_fields, COUNT_OF(template_fields));
	const struct value *metadata = value_map_get(&read, SV("metadata"));
	const struct value *labels = value_map_get(metadata, SV("labels"));
	struct value kept = value_map_new(arena);
	struct value changed;

	if (!value_is_map(labels) || !value_map_get(labels, SV("machine-template-hash")))
		return read;
	for (size_t i = 0; i < value_count(labels); i++) {
		const struct value_entry *entry = &labels->map->entries[i];

		if (!sv_eq(entry->key, SV("machine-template-hash")))
			value_map_set(arena, &kept, entry->key, entry->value);
	}
	changed = value_copy(arena, metadata);
	value_map_set(arena, &changed, SV("labels"), kept);
	changed = read_struct(arena, &changed, metadata_fields, COUNT_OF(metadata_fields));
	value_map_set(arena, &read, SV("metadata"), changed);
	return read_struct(arena, &read, template_fields, COUNT_OF(template_fields));
}

static struct value template_text(struct arena *arena, const struct kube_object *machine_deployment,
                                  const struct value *shown)
{
	const struct value *template = value_path(machine_deployment->root, "spec.template");
	const struct value *config = value_path(template, "spec.providerSpec.value");
	struct buf json = buf_in(arena);

	if (template)
		json_emit(&json, shown, JSON_GO);
	struct value text = value_string(buf_sv(&json));
	const struct secret *secret = secrecy_find(template);
	if (!secret && config) {
		/* Taint the whole value, since credentials may be outside of cloudProviderSpec. */
		struct value tainted = osm_taint_credentials(
		    arena, value_text(go_json_member(config, SV("cloudProvider"))), config,
		    kube_secret_name(arena, machine_deployment->id.namespace,
		                     machine_deployment->id.name, SV("providerSpec")));

		secret = secrecy_find(&tainted);
	}
	text.taint = taint_whole(arena, text.string.len, secret);
	return text;
}

struct value osm_template_text(struct arena *arena, const struct kube_object *machine_deployment)
{
	const struct value *template = value_path(machine_deployment->root, "spec.template");

	if (!value_is_map(template))
		return template_text(arena, machine_deployment, template);
	struct value read = without_hash(arena, template);
	return template_text(arena, machine_deployment, &read);
}

struct value osm_template_text_as_written(struct arena *arena,
                                          const struct kube_object *machine_deployment)
{
	return template_text(arena, machine_deployment,
	                     value_path(machine_deployment->root, "spec.template"));
}
