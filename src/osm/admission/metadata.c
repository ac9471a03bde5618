/*
 * Checks names, labels and annotations as the API server does (apimachinery's ValidateObjectMeta,
 * docs/spec/controller.md 2.9).
 */
#include "osm/admission/admission.h"

enum {
	LABEL_MAX_BYTES = 63,
	ANNOTATIONS_MAX_BYTES = 256 * 1024, /* of all of them together, with their keys */
};

#define LABEL_HELP                                                                                 \
	"use letters, digits, -, _ and ., at most 63, a letter or digit at both ends; before the " \
	"name there may be a domain and a slash"

/* At most 63 letters, digits, -, _ and ., with a letter or digit at both ends. */
static bool is_label_name(sv name)
{
	if (name.len == 0 || name.len > LABEL_MAX_BYTES ||
	    !ascii_is_alphanumeric((unsigned char)name.ptr[0]) ||
	    !ascii_is_alphanumeric((unsigned char)name.ptr[name.len - 1]))
		return false;
	for (size_t i = 0; i < name.len; i++)
		if (!ascii_is_alphanumeric((unsigned char)name.ptr[i]) && name.ptr[i] != '-' &&
		    name.ptr[i] != '_' && name.ptr[i] != '.')
			return false;
	return true;
}

bool osm_label_key_valid(sv key)
{
	sv domain;
	sv name;

	if (!sv_cut(key, SV("/"), &domain, &name))
		return is_label_name(key);
	return kube_name_valid(domain) && is_label_name(name);
}

bool osm_label_value_valid(sv value)
{
	return value.len == 0 || is_label_name(value);
}

bool osm_annotation_key_valid(struct arena *arena, sv key)
{
	struct buf lower = buf_in(arena);

	for (size_t i = 0; i < key.len; i++)
		buf_add_char(&lower, ascii_lower(key.ptr[i]));
	return osm_label_key_valid(buf_sv(&lower));
}

/* ---- an object's metadata ---------------------------------------------------------------- */

struct check {
	struct arena *arena;
	struct sink *sink;
	bool failed;
};

static struct diag *refuse_metadata(struct check *c, struct position at, const char *what, sv name)
{
	c->failed = true;
	return diag_report(c->sink, DIAG_MD_METADATA, at, "%s \"%.*s\": the API server refuses it",
	                   what, SV_ARG(name));
}

static void check_labels(struct check *c, const struct value *labels)
{
	for (size_t i = 0; value_is_map(labels) && i < value_count(labels); i++) {
		const struct value_entry *entry = &labels->map->entries[i];

		if (!osm_label_key_valid(entry->key))
			diag_set_help(c->sink,
			              refuse_metadata(c, origin_position(entry->key_origin),
			                              "this is not a label's key:", entry->key),
			              LABEL_HELP);
		if (!osm_label_value_valid(value_text(&entry->value)))
			diag_set_help(
			    c->sink,
			    refuse_metadata(c, value_position(&entry->value),
			                    "the value is not one of a label:", entry->key),
			    "use at most 63 letters, digits, -, _ and ., with a letter "
			    "or digit at both ends");
	}
}

static void check_annotations(struct check *c, const struct value *annotations)
{
	size_t size = 0;

	for (size_t i = 0; value_is_map(annotations) && i < value_count(annotations); i++) {
		const struct value_entry *entry = &annotations->map->entries[i];

		size += entry->key.len + value_text(&entry->value).len;
		if (osm_annotation_key_valid(c->arena, entry->key))
			continue;
		diag_set_help(c->sink,
		              refuse_metadata(c, origin_position(entry->key_origin),
		                              "this is not an annotation's key:", entry->key),
		              LABEL_HELP);
	}
	if (size <= ANNOTATIONS_MAX_BYTES)
		return;
	c->failed = true;
	struct diag *diag =
	    diag_report(c->sink, DIAG_MD_METADATA, value_position(annotations),
	                "the annotations have %zu bytes: the API server takes at most %d", size,
	                ANNOTATIONS_MAX_BYTES);
	diag_set_help(c->sink, diag, "remove those that nothing reads");
}

/* GROUP/VERSION or VERSION, with a version. */
static bool names_version(sv api_version)
{
	sv group;
	sv version;

	if (!sv_cut(api_version, SV("/"), &group, &version))
		return api_version.len > 0;
	return version.len > 0 && sv_find_char(version, '/') == SV_NPOS;
}

static void check_owners(struct check *c, const struct value *owners)
{
	static const char *const names[] = {"kind", "name", "uid"};
	size_t controllers = 0;

	for (size_t i = 0; value_is_list(owners) && i < value_count(owners); i++) {
		const struct value *owner = value_item(owners, i);
		const struct value *is_controller = value_map_get(owner, SV("controller"));
		sv api_version = value_text(value_map_get(owner, SV("apiVersion")));
		bool is_complete = names_version(api_version);

		for (size_t k = 0; k < COUNT_OF(names); k++)
			is_complete &=
			    !sv_empty(value_text(value_map_get(owner, sv_from_cstr(names[k]))));
		/* An Event cannot be an owner. */
		bool is_event = sv_eq_cstr(api_version, "v1") &&
		                sv_eq_cstr(value_text(value_map_get(owner, SV("kind"))), "Event");
		controllers +=
		    is_controller && is_controller->type == &type_bool && is_controller->boolean;
		if (is_complete && !is_event && controllers < 2)
			continue;
		diag_set_help(c->sink,
		              refuse_metadata(c,
		                              value_position(value_is_null(owner) ? owners : owner),
		                              "this is not an owner, or a second controller, in",
		                              SV("ownerReferences")),
		              "remove ownerReferences: they are the cluster's, not the manifest's");
	}
}

static void check_finalizers(struct check *c, const struct value *finalizers)
{
	bool orphans = false;
	bool deletes = false;

	for (size_t i = 0; value_is_list(finalizers) && i < value_count(finalizers); i++) {
		const struct value *finalizer = value_item(finalizers, i);
		sv name = value_text(finalizer);

		orphans |= sv_eq_cstr(name, "orphan");
		deletes |= sv_eq_cstr(name, "foregroundDeletion");
		if (osm_label_key_valid(name) && !(orphans && deletes))
			continue;
		diag_set_help(c->sink,
		              refuse_metadata(
		                  c,
		                  value_position(value_is_null(finalizer) ? finalizers : finalizer),
		                  "this is not a finalizer, or not beside the others:", name),
		              "remove it: finalizers are the controllers', not the manifest's");
	}
}

/* Checks generateName, which may end with a dash since characters are appended to it. */
static void check_generate_name(struct check *c, const struct value *given)
{
	sv name = value_text(given);

	if (sv_empty(name))
		return;
	if (name.len > 1 && name.ptr[name.len - 1] == '-')
		name = ARENA_CONCAT(c->arena, sv_slice(name, 0, name.len - 1), SV("a"));
	if (!kube_name_valid(name))
		diag_set_help(c->sink,
		              refuse_metadata(c, value_position(given),
		                              "no name can begin with generateName",
		                              value_text(given)),
		              "remove it: the object has a name");
}

enum status osm_check_metadata(struct arena *arena, struct sink *sink, const struct value *metadata)
{
	struct check c = {.arena = arena, .sink = sink};

	check_labels(&c, value_map_get(metadata, SV("labels")));
	check_annotations(&c, value_map_get(metadata, SV("annotations")));
	check_owners(&c, value_map_get(metadata, SV("ownerReferences")));
	check_finalizers(&c, value_map_get(metadata, SV("finalizers")));
	check_generate_name(&c, value_map_get(metadata, SV("generateName")));
	return c.failed ? STATUS_FAILED : STATUS_OK;
}
