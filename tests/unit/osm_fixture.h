/*
 * For the tests of kube and osm: manifests given as texts, read into objects.
 */
#ifndef OSM_GEN_TESTS_UNIT_OSM_FIXTURE_H
#define OSM_GEN_TESTS_UNIT_OSM_FIXTURE_H

#include "osm/internal.h"
#include "yaml/yaml.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

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
	osm_settings_init(f.arena, &f.settings);
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
	for (size_t i = 0; i < OSM_SETTING_COUNT; i++)
		if (sv_eq_cstr(osm_settings_table[i].name, name))
			return &osm_settings_table[i];
	return NULL;
}

/* The first document of a text. */
static inline struct value *fixture_yaml(struct fixture *f, const char *text)
{
	struct yml_documents documents = {0};
	const struct source *source = source_new(f->arena, SV("a.yaml"), sv_from_cstr(text), false);

	assert_int_equal(yml_parse(f->arena, &f->sink, source, &documents), STATUS_OK);
	assert_true(documents.count > 0);
	return &documents.items[0].root;
}

/* Adds every document of the text to the objects. */
static inline void fixture_add(struct fixture *f, const char *path, const char *text)
{
	struct yml_documents documents = {0};
	const struct source *source =
	    source_new(f->arena, sv_from_cstr(path), sv_from_cstr(text), false);

	if (!f->objects.arena)
		kube_objects_init(&f->objects, f->arena, NULL);
	assert_int_equal(yml_parse(f->arena, &f->sink, source, &documents), STATUS_OK);
	VEC_EACH (document, &documents) {
		struct kube_object *object = ARENA_NEW(f->arena, struct kube_object);

		assert_int_equal(
		    kube_object_read(f->arena, &f->sink, source, &document->root, object),
		    STATUS_OK);
		assert_null(kube_objects_add(&f->objects, object));
		VEC_PUSH(f->arena, &f->all, object);
	}
}

static inline void assert_sv(sv got, const char *want)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);

	assert_string_equal(arena_cstr(arena, got), want);
}

/* Exactly one diagnostic, with this code, place ("3:5") and text. */
static inline void assert_one_diag(const struct fixture *f, enum diag_code code, const char *place,
                                   const char *text)
{
	char got[32];

	assert_int_equal(f->sink.diags.count, 1);
	const struct diag *diag = f->sink.diags.items[0];
	struct line_column at = position_line_column(diag->at);
	assert_sv(diag->text, text);
	assert_int_equal(diag->code, code);
	snprintf(got, sizeof(got), "%zu:%zu", at.line, at.column);
	assert_string_equal(got, place);
	assert_true(diag->help.len > 0 || diag->notes.count > 0);
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
