/*
 * For the tests of kube and osm: manifests given as texts, read into objects.
 */
#ifndef OSM_GEN_TESTS_UNIT_OSM_FIXTURE_H
#define OSM_GEN_TESTS_UNIT_OSM_FIXTURE_H

#include "dialect/dialect.h"
#include "osm/osm.h"
#include "osm/settings.h"
#include "value/text.h"

#include "texts.h"

#include <stdio.h>

struct fixture {
	struct arena *arena;
	struct sink sink;
	struct kube_objects objects;
	struct osm_settings settings;
	VEC(struct kube_object *) all; /* in the order given */
};

static inline struct fixture fixture_new(void)
{
	struct fixture f = {.arena = arena_new(ARENA_SECRET)};

	f.sink = sink_in(f.arena);
	f.settings = *(const struct osm_settings *)settings_new(f.arena, &osm_settings_table, NULL);
	return f;
}

static inline void fixture_free(struct fixture *f)
{
	arena_free(f->arena);
}
#define FIXTURE_AUTO CLEANUP(fixture_free) struct fixture

/* Null when there is none of that name. */
static inline const struct setting *fixture_setting(const char *name)
{
	for (size_t i = 0; i < osm_settings_table.count; i++)
		if (sv_eq_cstr(osm_settings_table.rows[i].name, name))
			return &osm_settings_table.rows[i];
	return NULL;
}

/* The first document of a text. */
static inline struct value *fixture_yaml(struct fixture *f, const char *text)
{
	struct value *value = ARENA_NEW(f->arena, struct value);

	*value = yaml_value_of(f->arena, sv_from_cstr(text));
	return value;
}

/* Adds every document of the text to the objects. */
static inline void fixture_add(struct fixture *f, const char *path, const char *text)
{
	struct yml_documents documents =
	    yaml_documents_of(f->arena, sv_from_cstr(path), sv_from_cstr(text));

	if (!f->objects.arena)
		kube_objects_init(f->arena, &f->objects, NULL);
	VEC_EACH (document, &documents) {
		struct kube_object *object = ARENA_NEW(f->arena, struct kube_object);

		assert_int_equal(kube_object_read(f->arena, &f->sink, document->root.origin.source,
		                                  &document->root, object),
		                 STATUS_OK);
		assert_null(kube_objects_add(&f->objects, object));
		VEC_PUSH(f->arena, &f->all, object);
	}
	kube_objects_complete(&f->objects);
}

/* The secret bytes of a string, one behind the other, as "[...]" in the text. */
static inline sv show_taint(struct arena *arena, const struct value *string)
{
	struct buf out = buf_in(arena);
	size_t at = 0;

	for (size_t i = 0; string->taint && i < string->taint->count; i++) {
		struct taint_span span = string->taint->spans[i];

		buf_add(&out, sv_slice(string->string, at, span.start));
		BUF_ADD_LIT(&out, "[");
		buf_add(&out, sv_slice(string->string, span.start, span.end));
		BUF_ADD_LIT(&out, "]");
		at = span.end;
	}
	buf_add(&out, sv_from_offset(string->string, at));
	return buf_sv(&out);
}

#endif
