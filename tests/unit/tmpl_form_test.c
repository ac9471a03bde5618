/*
 * tmpl: forms of the program, whose strings are escaped where an action prints them.
 */
#include "tmpl/tmpl.h"

#include "asserts.h"

/* Puts a string in brackets, with the bytes that were there before it. */
static void escape(struct text *out, sv printed, const void *context)
{
	text_add(out, SV("["));
	text_add(out, printed);
	text_add(out, SV("]"));
	*(size_t *)(uintptr_t)context += 1;
}

static enum status render(struct arena *arena, struct sink *sink, const char *template,
                          size_t *escaped, sv *ret_text)
{
	struct value text = value_string(sv_from_cstr(template));
	struct tmpl_source source = {SV("form"), &text};
	struct tmpl_options options = tmpl_options_default();
	struct text out = text_in(arena);
	struct tmpl_set *set;
	struct value list = value_list_new(arena);
	const struct value data =
	    VALUE_MAP(arena, {"name", value_string(SV("a<b"))}, {"class", tmpl_word(SV("ROLL"))},
	              {"size", value_int(1234567)}, {"one", value_int(1)}, {"none", value_int(-1)},
	              {"yes", value_bool(true)}, {"list", list}, {"left out", VALUE_INVALID},
	              {"text", value_string(SV("x\ny"))});

	options.escape = escape;
	options.escape_context = escaped;
	if (tmpl_parse(arena, sink, &tmpl_funcs_form, &source, &set, NULL) != STATUS_OK)
		return STATUS_FAILED;
	enum status status = tmpl_execute(arena, sink, set, &data, &options, &out, NULL);
	*ret_text = text_sv(&out);
	return status;
}

static void escapes_what_may_hold_markup(void **state UNUSED)
{
	static const struct {
		const char *template;
		const char *text;
		size_t escaped;
	} cases[] = {
	    {"<{{ .name }}>", "<[a<b]>", 1},
	    {"{{ .class }} {{ .size }} {{ .yes }}", "ROLL 1234567 true", 0},
	    {"{{ print .class }}{{ printf \"%s\" .name }}", "[ROLL][a<b]", 2},
	    {"{{ range list .name .class }}{{ . }}{{ end }}", "[a<b]ROLL", 1},
	    {"{{ .list }}", "[[]]", 1},
	    {"{{ $x := .name }}{{ $x }}", "[a<b]", 1},
	    {"{{ define \"d\" }}{{ .name }}{{ end }}{{ template \"d\" . }}", "[a<b]", 1},
	    {"{{ number .size }} {{ number .none }}", "1,234,567 0", 0},
	    {"{{ count .one \"unit\" \"units\" }}, {{ count .size \"unit\" \"units\" }}",
	     "1 unit, 1,234,567 units", 0},
	    {"{{ count .one .name .name }}", "[1 a<b]", 1},
	    {"{{ range lines .text }}{{ . }};{{ end }}", "[x];[y];", 2},
	    {"{{ cut 2 .name }} {{ cut 3 .name }}", "[a<...] [a<b]", 2},
	    {"abc{{ written }}", "abc3", 0},
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		ARENA_AUTO arena = arena_new(ARENA_PLAIN);
		struct sink sink = sink_in(arena);
		size_t escaped = 0;
		sv text = {0};

		assert_int_equal(render(arena, &sink, cases[i].template, &escaped, &text),
		                 STATUS_OK);
		assert_sv(text, cases[i].text);
		assert_int_equal(escaped, cases[i].escaped);
	}
}

/* A name with a letter missing prints no "<no value>". */
static void fails_on_what_is_not_there(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct sink sink = sink_in(arena);
	size_t escaped = 0;
	sv text = {0};

	assert_int_equal(render(arena, &sink, "{{ .nam }}", &escaped, &text), STATUS_FAILED);
	assert_diag_count(&sink, 1);
	assert_int_equal(render(arena, &sink, "{{ with .nam }}{{ . }}{{ end }}", &escaped, &text),
	                 STATUS_OK);
	assert_int_equal(escaped, 0);
}

UNIT_TESTS(tmpl_form)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(escapes_what_may_hold_markup),
	    cmocka_unit_test(fails_on_what_is_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
