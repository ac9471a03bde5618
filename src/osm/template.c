/*
 * Normalises spec.template as machine-controller compares it: only members that its types have,
 * without empty ones. Machine-controller makes a new MachineSet if the results differ, and only
 * then (docs/spec/output.md 3.1).
 */
#include "golang/golang.h"
#include "osm/machine.h"
#include "osm/osm.h"
#include "shape/shape.h"
#include "value/text.h"

#include "secrecy/secrecy.h"
#include "json/json.h"

/* A pointer, which is kept as written unless it is null. Other zero values equal absent ones. */
enum { TEMPLATE_POINTER = SHAPE_OWN };
#define POINTER(key) SHAPE_ROW(key, ANY, ONE, NULL, .flags = TEMPLATE_POINTER)
#define LIST(key)    SHAPE_ROW(key, ANY, LIST, NULL)

SHAPE_TABLE(meta_shape, "ObjectMeta", ROW_TEXT("name", NULL), ROW_TEXT("generateName", NULL),
            ROW_TEXT("namespace", NULL), ROW_TEXT("selfLink", NULL), ROW_TEXT("uid", NULL),
            ROW_TEXT("resourceVersion", NULL), ROW_INT("generation", NULL),
            POINTER("creationTimestamp"), POINTER("deletionTimestamp"),
            POINTER("deletionGracePeriodSeconds"), ROW_TEXT_DICT("labels", NULL),
            ROW_TEXT_DICT("annotations", NULL), LIST("ownerReferences"), LIST("finalizers"),
            LIST("managedFields"));
SHAPE_TABLE(taint_shape, "Taint", ROW_TEXT("key", NULL), ROW_TEXT("value", NULL),
            ROW_TEXT("effect", NULL), POINTER("timeAdded"));
SHAPE_TABLE(provider_spec_shape, "ProviderSpec", POINTER("value"), POINTER("valueFrom"));
SHAPE_TABLE(versions_shape, "MachineVersionInfo", ROW_TEXT("kubelet", NULL),
            ROW_TEXT("controlPlane", NULL));
SHAPE_TABLE(machine_spec_shape, "MachineSpec", ROW_MAP("metadata", meta_shape, NULL),
            ROW_MAPS("taints", taint_shape, NULL),
            ROW_MAP("providerSpec", provider_spec_shape, NULL),
            ROW_MAP("versions", versions_shape, NULL), POINTER("configSource"),
            POINTER("providerID"));
SHAPE_TABLE(template_shape, "MachineTemplateSpec", ROW_MAP("metadata", meta_shape, NULL),
            ROW_MAP("spec", machine_spec_shape, NULL));

/* CIRCLE: lists and structs hold each other. */
static struct value read_struct(struct arena *arena, const struct value *from,
                                const struct shape *shape);

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
                              const struct shape *items)
{
	struct value list = value_list_new(arena);

	for (size_t i = 0; i < value_count(from); i++) {
		const struct value *item = value_item(from, i);

		value_list_add(arena, &list,
		               items && value_is_map(item) ? read_struct(arena, item, items)
		                                           : *item);
	}
	return list;
}

/* Copies a field. A value of a wrong type is ignored here, and reported by machine.c. */
static void read_field(struct arena *arena, const struct value *from,
                       const struct shape_member *field, struct value *to)
{
	struct value v = *from;
	bool is_none;

	if (field->form == SHAPE_LIST && value_is_list(from))
		v = read_list(arena, from, field->of);
	else if (field->form == SHAPE_ONE && field->of && value_is_map(from))
		v = read_struct(arena, from, field->of);
	if (field->flags & TEMPLATE_POINTER)
		is_none = value_is_null(from);
	else
		is_none = field->form == SHAPE_ONE && !field->of ? is_zero(from) : is_empty(&v);
	if (!is_none)
		value_map_set(arena, to, sv_from_cstr(field->name), v);
}

static struct value read_struct(struct arena *arena, const struct value *from,
                                const struct shape *shape)
{
	struct value to = value_map_new(arena);

	for (size_t i = 0; i < shape->count; i++) {
		const struct shape_member *field = &shape->members[i];
		const struct value *given = go_json_member(from, sv_from_cstr(field->name));

		if (given)
			read_field(arena, given, field, &to);
	}
	return to;
}

/* Removes the label that machine-controller adds to a MachineSet's machines. */
static struct value without_hash(struct arena *arena, const struct value *template)
{
	struct value read = read_struct(arena, template, &template_shape);
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
	changed = read_struct(arena, &changed, &meta_shape);
	value_map_set(arena, &read, SV("metadata"), changed);
	return read_struct(arena, &read, &template_shape);
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
