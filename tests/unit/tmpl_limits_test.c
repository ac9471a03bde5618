/*
 * Budgets of templates: work that a call makes out of large arguments is charged, whatever its
 * result. Each template here took seconds to hours, or memory without end, when it was not.
 */
#include "tmpl_fixture.h"

static void assert_limits(const char *const *templates, size_t count)
{
	for (size_t i = 0; i < count; i++)
		assert_fails(templates[i], TMPL_LIMIT, DIAG_TEMPLATE_LIMIT, "");
}
#define ASSERT_LIMITS(templates) assert_limits((templates), COUNT_OF(templates))

static void test_each_budget(void **state)
{
	(void)state;
	assert_fails("{{ range 10000000000 }}{{ end }}", TMPL_LIMIT, DIAG_TEMPLATE_LIMIT, "steps");
	assert_fails("{{ range 1000000 }}{{ print \"0123456789\" }}{{ end }}", TMPL_LIMIT,
	             DIAG_TEMPLATE_LIMIT, "output");
	assert_fails("{{ repeat 1000000000 \"x\" }}", TMPL_LIMIT, DIAG_TEMPLATE_LIMIT, "memory");
	assert_fails("{{ until 1000000000000 }}", TMPL_LIMIT, DIAG_TEMPLATE_LIMIT, "steps");
	assert_fails("{{ seq 1000000000000 }}", TMPL_LIMIT, DIAG_TEMPLATE_LIMIT, "steps");
	assert_fails("{{ indent 2000000000 \"x\" }}", TMPL_LIMIT, DIAG_TEMPLATE_LIMIT, "memory");
	assert_fails("{{ regexMatch (repeat 100000 `(\\pL|x)`) `a` }}", TMPL_LIMIT,
	             DIAG_TEMPLATE_LIMIT, "steps");
	assert_fails("{{ regexMatch `((\\pL\\pN\\pS\\pP){30}){30}` `a` }}", TMPL_LIMIT,
	             DIAG_TEMPLATE_LIMIT, "8 MiB");
	assert_fails("{{ regexFindAll `a.*b|a` (repeat 100000 `a`) -1 }}", TMPL_LIMIT,
	             DIAG_TEMPLATE_LIMIT, "steps");
	assert_fails("{{ regexReplaceAll `[ab]*a[ab]{900}c` (repeat 1000000 `ab`) `` }}",
	             TMPL_LIMIT, DIAG_TEMPLATE_LIMIT, "steps");
	assert_fails("{{ $d := dict }}{{ $_ := set $d \"d\" $d }}{{ $d }}", TMPL_LIMIT,
	             DIAG_TEMPLATE_LIMIT, "deeply");
	assert_fails("{{ $d := dict }}{{ $_ := set $d \"d\" $d }}{{ toJson $d }}", TMPL_LIMIT,
	             DIAG_TEMPLATE_LIMIT, "deeply");
	assert_fails("{{ define \"a\" }}{{ template \"a\" }}{{ end }}{{ template \"a\" }}",
	             TMPL_EXEC, DIAG_TEMPLATE_RUNTIME, "exceeded maximum template depth (100000)");
	assert_fails("{{ define \"a\" }}{{ range 9 }}{{ template \"a\" }}{{ end }}{{ end }}"
	             "{{ template \"a\" }}",
	             TMPL_EXEC, DIAG_TEMPLATE_RUNTIME, "exceeded maximum template depth");
	assert_fails("{{ $l := list 1 }}{{ range 40 }}{{ $l = list $l $l }}{{ end }}{{ $l }}",
	             TMPL_LIMIT, DIAG_TEMPLATE_LIMIT, "more than");
	assert_fails("{{ $s := \"ab\" }}{{ range 40 }}{{ $s = print $s $s }}{{ end }}", TMPL_LIMIT,
	             DIAG_TEMPLATE_LIMIT, "more than");
	assert_fails("{{ printf \"%999999d%999999d%999999d\" 1 1 1 | repeat 100 }}", TMPL_LIMIT,
	             DIAG_TEMPLATE_LIMIT, "memory");
	assert_fails("{{ define \"a\" }}{{ template \"b\" }}{{ template \"b\" }}{{ end }}"
	             "{{ define \"b\" }}{{ template \"c\" }}{{ template \"c\" }}{{ end }}"
	             "{{ define \"c\" }}{{ range 1000 }}{{ range 1000 }}{{ end }}{{ end }}{{ end }}"
	             "{{ template \"a\" }}",
	             TMPL_LIMIT, DIAG_TEMPLATE_LIMIT, "steps");
}

#define LARGE      "{{ $s := repeat 500000 `ab` }}"
#define LOOP(body) "{{ range 1000000 }}" body "{{ end }}"

/* Small results, but a long text is read for each. */
static void test_texts(void **state)
{
	static const char *const templates[] = {
	    LARGE LOOP("{{ if contains `zz` $s }}{{ end }}"),
	    LARGE LOOP("{{ if sha256sum $s }}{{ end }}"),
	    LARGE LOOP("{{ if hasPrefix $s $s }}{{ end }}"),
	    LARGE LOOP("{{ if eq $s $s }}{{ end }}"),
	    LARGE LOOP("{{ if atoi $s }}{{ end }}"),
	    LARGE LOOP("{{ if float64 $s }}{{ end }}"),
	    LARGE LOOP("{{ if printf `%.1s` $s }}{{ end }}"),
	    LARGE LOOP("{{ if toDate $s `x` }}{{ end }}"),
	    LARGE LOOP("{{ if durationRound $s }}{{ end }}"),
	    LARGE LOOP("{{ if fromJsonArray $s }}{{ end }}"),
	    LARGE LOOP("{{ if fromYamlArray $s }}{{ end }}"),
	    "{{ $s := repeat 1000000 ` ` }}" LOOP("{{ if trim $s }}{{ end }}"),
	    "{{ trimAll (repeat 100000 `b`) (repeat 100000 `b`) }}",
	    "{{ $v := semver (print `1.2.3-` (repeat 100000 `a.`) `a`) }}" LOOP(
	        "{{ if $v.Equal $v }}{{ end }}"),
	    ("{{ semverCompare (repeat 1000 `1 - 2 `) `1.2.3` }}{{ semverCompare (repeat 10000 ` "
	     "`) "
	     "`1` }}"),
	    "{{ derivePassword 1 `long` `a` (repeat 1000000 `b`) `c` }}",
	    "{{ $k := repeat 3000 `-----BEGIN X-----\n` | b64enc }}{{ buildCustomCert $k $k }}",
	};

	(void)state;
	ASSERT_LIMITS(templates);
}

/* What a call makes of its arguments does not outgrow the memory before anybody looks. */
static void test_results_that_grow(void **state)
{
	static const char *const templates[] = {
	    "{{ $s := repeat 3000000 `ab` }}{{ len (js (repeat 7 $s)) }}",
	    "{{ len (quote (repeat 15000000 `\x01`)) }}",
	    "{{ len (printf `%# x` (repeat 15000000 `a`)) }}",
	    "{{ len (upper (repeat 15000000 `a`)) }}",
	    "{{ len (replace `` (repeat 1000 `b`) (repeat 100000 `a`)) }}",
	    "{{ len (split `,` (repeat 150000 `,`)) }}",
	    "{{ len (fromJsonArray (print `[` (repeat 200000 `0,`) `0]`)) }}",
	    "{{ len (fromYamlArray (print `[` (repeat 200000 `0,`) `0]`)) }}",
	    "{{ len (fromToml (print `a=[` (repeat 200000 `0,`) `0]`)) }}",
	    "{{ regexReplaceAll `(?s).*` (repeat 1000000 `x`) (repeat 100 `$0`) }}",
	};

	(void)state;
	ASSERT_LIMITS(templates);
}

/* Depth times width: every line of an encoded value is indented. */
#define NESTED(value, depth)                                                                       \
	"{{ $x := " value " }}{{ range " depth " }}{{ $x = dict `a` $x }}{{ end }}"

static void test_nested_values(void **state)
{
	static const char *const templates[] = {
	    NESTED("until 10000", "1500") "{{ len (toYaml $x) }}",
	    NESTED("until 10000", "1500") "{{ len (toPrettyJson $x) }}",
	    NESTED("repeat 10000 `a\n`", "1500") "{{ len (toYaml $x) }}",
	    "{{ $x := list now }}{{ range 1000 }}{{ $x = list (until 100) $x }}{{ end }}"
	    "{{ len (toYaml $x) }}",
	    "{{ $x := dict }}{{ $_ := set $x `a` $x }}{{ $y := dict }}{{ $_ := set $y `a` $y }}"
	    "{{ deepEqual $x $y }}",
	    "{{ $x := list }}{{ $y := list }}{{ range 100000 }}{{ $x = list $x }}{{ $y = list $y }}"
	    "{{ end }}{{ deepEqual $x $y }}",
	    "{{ $m := dict }}{{ range $i := until 300 }}{{ $_ := set $m (toString $i) $m }}{{ end "
	    "}}"
	    "{{ toJson $m }}",
	    "{{ $l := until 100000 }}" LOOP("{{ if len $l }}{{ end }}"),
	};

	(void)state;
	ASSERT_LIMITS(templates);
	assert_masked("{{ $x := list 1 }}{{ range 40 }}{{ $x = list $x $x }}{{ end }}{{ $y := $x }}"
	              "{{ $x = list 1 }}{{ $z := list $x $x }}{{ deepEqual $z (list $x $x) }}",
	              "true");
}

static void test_many_comparisons(void **state)
{
	static const char *const templates[] = {
	    "{{ $s := repeat 100000 `x` }}{{ $l := list $s $s }}{{ range 8 }}"
	    "{{ $l = concat $l $l }}{{ end }}{{ len (sortAlpha $l) }}",
	    "{{ $s := repeat 100000 `x` }}{{ $l := list }}{{ range 100 }}"
	    "{{ $l = append $l (print $s .) }}{{ end }}{{ len (uniq $l) }}{{ len (uniq $l) }}",
	    "{{ len (uniq (until 3000)) }}",
	    "{{ printf (repeat 100000 `%[`) 1 }}",
	};

	(void)state;
	assert_limits(templates, COUNT_OF(templates) - 1);
	/* This one is made cheap. */
	struct fixture f;
	struct value v;
	set_up(&f);
	assert_int_equal(render(&f, templates[COUNT_OF(templates) - 1], &v), STATUS_OK);
	tear_down(&f);
}

static void test_regular_expressions(void **state)
{
	static const char *const templates[] = {
	    "{{ regexMatch (print `[` (repeat 5000 `[:`)) `x` }}",
	    "{{ regexMatch (print `(?i)` (repeat 2000 `\\pL|`)) `x` }}",
	    "{{ regexReplaceAll (repeat 300 `(a)?`) (repeat 4000 `a`) `$1` }}",
	    "{{ regexReplaceAll `x` (repeat 1000 `x`) (repeat 100000 `$9`) }}",
	};

	(void)state;
	ASSERT_LIMITS(templates);
}

/* ---- long texts of templates ------------------------------------------------------------- */

static void add_many(struct buf *buf, const char *text, int count)
{
	for (int i = 0; i < count; i++)
		buf_add_cstr(buf, text);
}

static void assert_long_fails(const char *before, const char *part, int count, const char *behind)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct buf buf = buf_in(arena);

	buf_add_cstr(&buf, before);
	add_many(&buf, part, count);
	buf_add_cstr(&buf, behind);
	buf_add_char(&buf, '\0');
	assert_fails(buf.ptr, TMPL_LIMIT, DIAG_TEMPLATE_LIMIT, "steps");
}

/* Each round of these loops walks a long way in the template itself. */
static void test_long_actions(void **state)
{
	(void)state;
	assert_long_fails("{{ range 10000000 }}{{ if or", " 0", 10000, " }}{{ end }}{{ end }}");
	assert_long_fails("{{ $x := dict }}{{ range 10000000 }}{{ if $x", ".a", 10000,
	                  " }}{{ end }}{{ end }}");
	assert_long_fails("{{ $first := 1 }}", "{{ $x := 1 }}", 10000,
	                  "{{ range 10000000 }}{{ if $first }}{{ end }}{{ end }}");
	assert_long_fails("{{ $m := dict }}{{ range $i := until 5000 }}"
	                  "{{ $_ := set $m (toString $i) 1 }}{{ end }}{{ $m = omit $m",
	                  " `x`", 10000, " }}");
}

static void test_deep_nesting_is_refused_by_the_parser(void **state)
{
	struct fixture f;
	struct value v;
	struct buf buf;

	(void)state;
	set_up(&f);
	buf = buf_in(f.arena);
	BUF_ADD_LIT(&buf, "{{ ");
	buf_add_repeat(&buf, '(', 200000);
	buf_add_char(&buf, '\0');
	assert_int_equal(render(&f, buf.ptr, &v), STATUS_FAILED);
	assert_contains(f.error.text, "max expression depth exceeded");
	buf.len = 0;
	add_many(&buf, "{{if 1}}", 100000);
	buf_add_char(&buf, '\0');
	assert_int_equal(render(&f, buf.ptr, &v), STATUS_FAILED);
	assert_contains(f.error.text, "max expression depth exceeded");
	tear_down(&f);
}

/* Looking names up does not take longer where there are many: this takes seconds otherwise. */
static void test_many_names(void **state)
{
	struct fixture f;
	struct value v;
	struct buf buf;

	(void)state;
	set_up(&f);
	buf = buf_in(f.arena);
	for (int i = 0; i < 50000; i++)
		buf_printf(&buf, "{{ define \"d%d\" }}x{{ end }}{{ $v%d := 1 }}", i, i);
	for (int i = 0; i < 50000; i++)
		buf_printf(&buf, "{{ if $v%d }}{{ end }}{{ template \"d%d\" }}", i, i);
	buf_add_char(&buf, '\0');
	f.options.limits.steps *= 100;
	assert_int_equal(render(&f, buf.ptr, &v), STATUS_OK);
	assert_int_equal(v.string.len, 50000);
	tear_down(&f);
}

/* ---- profiles ---------------------------------------------------------------------------- */

static struct tmpl_source source_of(struct arena *arena, const char *name, const char *text)
{
	struct value *v = ARENA_NEW(arena, struct value);

	*v = value_string(sv_from_cstr(text));
	return (struct tmpl_source){sv_from_cstr(name), v};
}

static void assert_profile_fails(const char *template, const char *file, size_t file_count,
                                 const char *part)
{
	struct fixture f;
	struct tmpl_source files[20];
	struct tmpl_rendered *rendered;
	struct tmpl_profile *profile;

	set_up(&f);
	f.options.limits.steps = 4000000;
	f.options.limits.memory_bytes = 16 << 20;
	struct tmpl_source source = source_of(f.arena, "t", template);
	for (size_t i = 0; i < file_count; i++)
		files[i] = source_of(f.arena, "f", file);
	const struct tmpl_profile_texts texts = {.templates = {&source, 1},
	                                         .files = {files, file_count}};
	assert_int_equal(
	    tmpl_profile_parse(f.arena, &f.sink, &tmpl_funcs_profile, &texts, &profile, &f.error),
	    STATUS_OK);
	assert_int_equal(tmpl_profile_render(f.arena, &f.sink, profile, &f.data, &f.options,
	                                     &rendered, &f.error),
	                 STATUS_FAILED);
	assert_int_equal(f.error.failure, TMPL_LIMIT);
	assert_diag_count(&f.sink, 1);
	if (!sv_contains(f.error.text, sv_from_cstr(part)))
		fail_msg("%.*s", SV_ARG(f.error.text));
	tear_down(&f);
}

/* The budgets are those of the render: a profile has any number of files. */
static void test_budget_of_a_profile(void **state)
{
	(void)state;
	assert_profile_fails("",
	                     "{{ $s := repeat 20000 `ab` }}{{ range 100 }}{{ if contains `zz` $s }}"
	                     "{{ end }}{{ end }}",
	                     20, "steps");
	assert_profile_fails("", "{{ $x := repeat 1000000 `x` }}{{ $y := 1 }}", 20, "memory");
	assert_profile_fails("{{ repeat 100000 `{{.}}` }}", "{{ template `t` }}", 1,
	                     "more to parse than there is memory for");
}

/* ---- messages ---------------------------------------------------------------------------- */

static void test_messages_are_short(void **state)
{
	struct fixture f;
	struct value v;

	(void)state;
	set_up(&f);
	assert_int_equal(render(&f, "{{ range repeat 1000000 `é` }}{{ end }}", &v), STATUS_FAILED);
	assert_in_range(f.sink.diags.items[0]->text.len, 1000, 5000);
	assert_true(utf8_valid(f.sink.diags.items[0]->text));
	assert_true(sv_ends_with(f.sink.diags.items[0]->text, SV("...")));
	tear_down(&f);
	/* The loop is named, not what stands in it. */
	assert_fails("{{ range $i := 99999999 }}{{ end }}", TMPL_LIMIT, DIAG_TEMPLATE_LIMIT,
	             "at <$i := 99999999>: more than");
	assert_fails("{{ range 1000 }}{{ if 1 }}{{ range 1000 }}{{ if 1 }}a\nb{{ end }}{{ end }}"
	             "{{ end }}{{ end }}",
	             TMPL_LIMIT, DIAG_TEMPLATE_LIMIT, ": more than");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_each_budget),
	    cmocka_unit_test(test_texts),
	    cmocka_unit_test(test_results_that_grow),
	    cmocka_unit_test(test_nested_values),
	    cmocka_unit_test(test_many_comparisons),
	    cmocka_unit_test(test_regular_expressions),
	    cmocka_unit_test(test_long_actions),
	    cmocka_unit_test(test_deep_nesting_is_refused_by_the_parser),
	    cmocka_unit_test(test_many_names),
	    cmocka_unit_test(test_budget_of_a_profile),
	    cmocka_unit_test(test_messages_are_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
