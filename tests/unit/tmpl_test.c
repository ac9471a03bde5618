/*
 * What template cases cannot show: refusals, positions, sharing.
 * (The language itself: tests/template. Secrets: tmpl_secrecy_test.c. Budgets: tmpl_limits_test.c.)
 */
#include "tmpl_fixture.h"

#include <pthread.h>

static void test_refusals(void **state)
{
	static const char *const calls[] = {
	    "env \"HOME\"",
	    "expandenv \"$HOME\"",
	    "getHostByName \"x\"",
	    "randAlpha 3",
	    "randAlphaNum 3",
	    "randAscii 3",
	    "randNumeric 3",
	    "randBytes 3",
	    "randInt 1 2",
	    "shuffle \"ab\"",
	    "uuidv4",
	    "bcrypt \"x\"",
	    "htpasswd \"a\" \"b\"",
	    "genPrivateKey \"rsa\"",
	    "genCA \"a\" 1",
	    "genSelfSignedCert \"a\" nil nil 1",
	    "encryptAES \"a\" \"b\"",
	    "dateInZone \"15:04\" 0 \"Europe/Berlin\"",
	    "date_in_zone \"15:04\" 0 \"GMT\"",
	    "htmlDateInZone 0 \"No/Such\"",
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(calls); i++) {
		char template[100];
		snprintf(template, sizeof(template), "{{ %s }}", calls[i]);
		assert_fails(template, TMPL_REFUSED, DIAG_TEMPLATE_REFUSED, "and is refused");
	}
	assert_fails("{{ merge (dict `m` (split `,` `a`)) (dict `m` (split `,` `a,b`)) }}",
	             TMPL_REFUSED, DIAG_TEMPLATE_REFUSED, "would change the data");
	assert_masked("{{ range list `UTC` `` `Local` }}{{ dateInZone `MST-0700` 0 . }} {{ end }}",
	              "UTC+0000 UTC+0000 UTC+0000 ");
	/* A branch that is not taken does no harm. */
	assert_masked("{{ if false }}{{ env \"HOME\" }}{{ end }}ok", "ok");
}

/* A secret in a message is not shown. */
static void test_messages_hold_no_secret(void **state)
{
	static const char *const templates[] = {
	    "{{ fail .secret }}",
	    "{{ range .secret }}{{ end }}",
	    "{{ eq (list .secret) (list .secret) }}",
	    "{{ fail (print \"x\" .secret) }}",
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(templates); i++) {
		struct fixture f;
		struct value v;
		set_up(&f);
		assert_int_equal(render(&f, templates[i], &v), STATUS_FAILED);
		assert_lacks(f.error.text, "s3cr3t");
		tear_down(&f);
	}
}

static void test_position_and_help(void **state)
{
	struct fixture f;
	sv manifest = SV("spec:\n  template: |\n    line one\n    {{ .clear.x }}\n");
	struct value text = value_string(SV("line one\n{{ .clear.x }}\n"));
	struct tmpl_source source = {SV("/etc/f"), &text};
	struct tmpl_set *set;

	(void)state;
	set_up(&f);
	text.origin = (struct origin){source_new(f.arena, SV("osp.yaml"), manifest, false), 18, 35,
	                              ORIGIN_LITERAL};
	struct text out = text_in(f.arena);
	assert_int_equal(tmpl_parse(f.arena, &f.sink, &tmpl_funcs_profile, &source, &set, NULL),
	                 STATUS_OK);
	assert_int_equal(tmpl_execute(f.arena, &f.sink, set, &f.data, NULL, &out, &f.error),
	                 STATUS_FAILED);
	assert_string_equal(arena_cstr(f.arena, f.error.text),
	                    "template: /etc/f:2:9: executing \"/etc/f\" at <.clear.x>: can't "
	                    "evaluate field x in type interface {}");
	assert_place(f.sink.diags.items[0]->at, "4:14");
	text.string = SV("{{ trimm .x }}");
	assert_int_equal(tmpl_parse(f.arena, &f.sink, &tmpl_funcs_profile, &source, &set, NULL),
	                 STATUS_FAILED);
	assert_contains(f.sink.diags.items[1]->help, "trim");
	tear_down(&f);
}

/* ---- the controller's procedure
 * ------------------------------------------------------------------ */

static void test_profile_keeps_taint(void **state)
{
	struct fixture f;
	struct value templates_text[] = {value_string(SV("token={{ .secret }}\n")),
	                                 value_string(SV("{{ \"{{\" }} `run` }}={{ .secret }}"))};
	struct value file_text = value_string(SV("A{{ template \"x\" }}|{{ template \"y\" }}\n"));
	struct tmpl_source templates[] = {{SV("y"), &templates_text[1]},
	                                  {SV("x"), &templates_text[0]}};
	struct tmpl_source file = {SV("/f"), &file_text};
	const struct tmpl_profile_texts texts = {.templates = {templates, 2}, .files = {&file, 1}};
	struct tmpl_profile *profile;
	struct tmpl_rendered *files;

	(void)state;
	set_up(&f);
	assert_int_equal(
	    tmpl_profile_parse(f.arena, &f.sink, &tmpl_funcs_profile, &texts, &profile, &f.error),
	    STATUS_OK);
	assert_int_equal(
	    tmpl_profile_render(f.arena, &f.sink, profile, &f.data, NULL, &files, &f.error),
	    STATUS_OK);
	assert_string_equal(masked(&f, &files[0].content), "A\ntoken=######|\nrun=######\n");
	tear_down(&f);
}

static void test_profile_error_prefixes(void **state)
{
	struct fixture f;
	struct value bad = value_string(SV("{{ nope }}"));
	struct value wrong = value_string(SV("{{ .clear.x }}"));
	struct value good = value_string(SV("ok"));
	struct tmpl_source sources[] = {{SV("a"), &bad}, {SV("b"), &wrong}, {SV("c"), &good}};
	const struct tmpl_profile_texts bad_template = {{&sources[0], 1}, {&sources[2], 1}};
	const struct tmpl_profile_texts bad_file = {.files = {&sources[0], 1}};
	const struct tmpl_profile_texts wrong_template = {{&sources[1], 1}, {&sources[2], 1}};
	struct tmpl_profile *profile;
	struct tmpl_rendered *files;

	(void)state;
	set_up(&f);
	assert_int_equal(tmpl_profile_parse(f.arena, &f.sink, &tmpl_funcs_profile, &bad_template,
	                                    &profile, &f.error),
	                 STATUS_FAILED);
	assert_string_equal(arena_cstr(f.arena, f.error.text),
	                    "failed to add OSP templates: failed to parse OSP template [a]: "
	                    "template: a:1: function \"nope\" not defined");
	assert_int_equal(tmpl_profile_parse(f.arena, &f.sink, &tmpl_funcs_profile, &bad_file,
	                                    &profile, &f.error),
	                 STATUS_FAILED);
	assert_string_equal(arena_cstr(f.arena, f.error.text),
	                    "failed to populate OSP file template: failed to parse OSP file [a] "
	                    "template: template: a:1: function \"nope\" not defined");
	assert_int_equal(tmpl_profile_parse(f.arena, &f.sink, &tmpl_funcs_profile, &wrong_template,
	                                    &profile, &f.error),
	                 STATUS_OK);
	assert_int_equal(
	    tmpl_profile_render(f.arena, &f.sink, profile, &f.data, NULL, &files, &f.error),
	    STATUS_FAILED);
	assert_true(sv_starts_with(f.error.text,
	                           SV("failed to add OSP templates: template: b:1:9: executing")));
	tear_down(&f);
}

/* Go gives a result; a wrong one would be worse than an error. */
static void test_colon_that_libyaml_does_not_read(void **state)
{
	(void)state;
	assert_fails("{{ fromYaml `{a:}` }}", TMPL_EXEC, DIAG_TEMPLATE_RUNTIME,
	             "a ':' right before one of");
	assert_fails("{{ fromYamlArray `[a:[b]]` }}", TMPL_EXEC, DIAG_TEMPLATE_RUNTIME,
	             "a ':' right before one of");
}

/* ---- sharing ----------------------------------------------------------------------------- */

struct worker {
	const struct tmpl_profile *profile;
	bool ok;
};

static void *render_many(void *argument)
{
	struct worker *worker = argument;

	worker->ok = true;
	for (int i = 0; i < 200; i++) {
		struct fixture f;
		struct tmpl_rendered *files;
		set_up(&f);
		worker->ok &= tmpl_profile_render(f.arena, &f.sink, worker->profile, &f.data, NULL,
		                                  &files, &f.error) == STATUS_OK &&
		              sv_eq(files[0].content.string, SV("<\ns3cr3t> {{"));
		tear_down(&f);
	}
	return NULL;
}

static void test_one_profile_many_threads(void **state)
{
	struct fixture f;
	struct value template_text = value_string(SV("{{ .secret }}"));
	struct value file_text = value_string(SV("<{{ template \"x\" }}> {{ \"{{\" }}"));
	struct tmpl_source template = {SV("x"), &template_text};
	struct tmpl_source file = {SV("/f"), &file_text};
	const struct tmpl_profile_texts texts = {.templates = {&template, 1}, .files = {&file, 1}};
	struct tmpl_profile *profile;
	struct worker workers[4];
	pthread_t threads[4];

	(void)state;
	set_up(&f);
	assert_int_equal(
	    tmpl_profile_parse(f.arena, &f.sink, &tmpl_funcs_profile, &texts, &profile, NULL),
	    STATUS_OK);
	for (size_t i = 0; i < COUNT_OF(threads); i++) {
		workers[i] = (struct worker){.profile = profile};
		assert_int_equal(pthread_create(&threads[i], NULL, render_many, &workers[i]), 0);
	}
	for (size_t i = 0; i < COUNT_OF(threads); i++) {
		pthread_join(threads[i], NULL);
		assert_true(workers[i].ok);
	}
	tear_down(&f);
}

static void test_now_is_given(void **state)
{
	struct fixture f;
	struct value v;

	(void)state;
	set_up(&f);
	f.options.now = 1700000000;
	assert_int_equal(render(&f, "{{ now }} {{ now | unixEpoch }}", &v), STATUS_OK);
	assert_string_equal(arena_cstr(f.arena, v.string),
	                    "2023-11-14 22:13:20 +0000 UTC 1700000000");
	tear_down(&f);
}

UNIT_TESTS(tmpl)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_refusals),
	    cmocka_unit_test(test_messages_hold_no_secret),
	    cmocka_unit_test(test_position_and_help),
	    cmocka_unit_test(test_profile_keeps_taint),
	    cmocka_unit_test(test_profile_error_prefixes),
	    cmocka_unit_test(test_colon_that_libyaml_does_not_read),
	    cmocka_unit_test(test_one_profile_many_threads),
	    cmocka_unit_test(test_now_is_given),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
