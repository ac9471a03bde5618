/*
 * For the tests of tmpl: a template rendered with data that hold secrets.
 */
#ifndef OSM_GEN_TESTS_UNIT_TMPL_FIXTURE_H
#define OSM_GEN_TESTS_UNIT_TMPL_FIXTURE_H

#include "tmpl/tmpl.h"

#include "asserts.h"

static const struct secret the_secret = {
    .name = SV_INIT("kube-system/token:value"), .text = SV_INIT("s3cr3t"), .high_entropy = true};

struct fixture {
	struct arena *arena;
	struct sink sink;
	struct value data;
	struct tmpl_options options;
	struct tmpl_error error;
};

static inline void set_up(struct fixture *f)
{
	*f = (struct fixture){.arena = arena_new(ARENA_PLAIN), .options = tmpl_options_default()};
	f->sink = sink_in(f->arena);
	f->data = value_map_new(f->arena);
	value_map_set(f->arena, &f->data, SV("secret"),
	              value_secret_string(f->arena, SV("s3cr3t"), &the_secret));
	value_map_set(f->arena, &f->data, SV("pin"),
	              value_secret_string(f->arena, SV("1234"), &the_secret));
	value_map_set(f->arena, &f->data, SV("clear"), value_string(SV("clear")));
}

static inline void tear_down(struct fixture *f)
{
	arena_free(f->arena);
}

static inline enum status render(struct fixture *f, const char *template, struct value *ret_value)
{
	struct value text = value_string(sv_from_cstr(template));
	struct tmpl_source source = {SV("t"), &text};
	struct text out = text_in(f->arena);
	struct tmpl_set *set;

	if (tmpl_parse(f->arena, &f->sink, &tmpl_funcs_profile, &source, &set, &f->error) !=
	    STATUS_OK)
		return STATUS_FAILED;
	enum status status =
	    tmpl_execute(f->arena, &f->sink, set, &f->data, &f->options, &out, &f->error);
	*ret_value = text_value(f->arena, &out);
	return status;
}

/* The tainted bytes of a string as '#', the others as they are; "<all>" where it is hidden whole.
 */
static inline const char *masked(struct fixture *f, const struct value *v)
{
	char *text = arena_cstr(f->arena, v->string);

	if (taint_derived_from(v->taint))
		return "<all>";
	for (size_t i = 0; v->taint && i < v->taint->count; i++)
		memset(text + v->taint->spans[i].start, '#',
		       v->taint->spans[i].end - v->taint->spans[i].start);
	return text;
}

static inline void assert_masked(const char *template, const char *expected)
{
	struct fixture f;
	struct value v = VALUE_INVALID;

	set_up(&f);
	assert_int_equal(render(&f, template, &v), STATUS_OK);
	assert_string_equal(masked(&f, &v), expected);
	tear_down(&f);
}

/* With budgets that a sanitizer can afford. */
static inline void assert_fails(const char *template, enum tmpl_failure failure,
                                enum diag_code code, const char *part)
{
	struct fixture f;
	struct value v = VALUE_INVALID;

	set_up(&f);
	f.options.limits.output_bytes = 1 << 20;
	f.options.limits.memory_bytes = 64 << 20;
	f.options.limits.steps = 1000000;
	if (render(&f, template, &v) == STATUS_OK)
		fail_msg("%s: no failure", template);
	if (!sv_contains(f.error.text, sv_from_cstr(part)))
		fail_msg("%s: %.*s", template, SV_ARG(f.error.text));
	assert_int_equal(f.error.failure, failure);
	assert_diag_count(&f.sink, 1);
	assert_int_equal(f.sink.diags.items[0]->code, code);
	tear_down(&f);
}

#endif
