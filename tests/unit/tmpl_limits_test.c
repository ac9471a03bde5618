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

enum { MANY_NAMES = 4000 };

/* Each of many names is found. */
static void test_many_names(void **state)
{
	struct fixture f;
	struct value v;
	struct buf buf;

	(void)state;
	set_up(&f);
	buf = buf_in(f.arena);
	for (int i = 0; i < MANY_NAMES; i++)
		buf_printf(&buf, "{{ define \"d%d\" }}x{{ end }}{{ $v%d := 1 }}", i, i);
	for (int i = 0; i < MANY_NAMES; i++)
		buf_printf(&buf, "{{ if $v%d }}{{ end }}{{ template \"d%d\" }}", i, i);
	buf_add_char(&buf, '\0');
	f.options.limits.steps *= 100;
	f.options.limits.memory_bytes *= 4;
	assert_int_equal(render(&f, buf.ptr, &v), STATUS_OK);
	assert_int_equal(v.string.len, MANY_NAMES);
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

/* ---- what is charged ------------------------------------------------------------------------- */

/* The steps that a template takes; whether it ends is another matter. */
static uint64_t steps_of(const char *template, enum tmpl_failure *ret_failure)
{
	struct quota steps = {.option = "max-steps", .what = "steps", .max = UINT64_MAX};
	struct fixture f;
	struct value v;

	set_up(&f);
	f.options.total_steps = &steps;
	if (render(&f, template, &v) != STATUS_OK)
		*ret_failure = f.error.failure;
	tear_down(&f);
	return steps.used;
}

struct charge {
	const char *before; /* what the call works on */
	const char *call;
	uint64_t least;
};

/* Each function by the shape that it took the longest for, a charged step. */
static void assert_charges(const struct charge *charges, size_t count)
{
	uint64_t before = 0;

	for (size_t i = 0; i < count; i++) {
		ARENA_AUTO arena = arena_new(ARENA_PLAIN);
		enum tmpl_failure failure = TMPL_PARSE;
		sv whole = arena_printf(arena, "%s%s", charges[i].before, charges[i].call);

		if (i == 0 || strcmp(charges[i].before, charges[i - 1].before) != 0)
			before = steps_of(charges[i].before, &failure);
		uint64_t after = steps_of(arena_cstr(arena, whole), &failure);

		if (failure != TMPL_PARSE)
			fail_msg("%s: fails", charges[i].call);
		if (after - before < charges[i].least)
			fail_msg("%s: %llu steps", charges[i].call,
			         (unsigned long long)(after - before));
	}
}
#define ASSERT_CHARGES(charges) assert_charges((charges), COUNT_OF(charges))

#define MAP                                                                                        \
	"{{ $m := dict }}{{ range $i := until 1000 }}{{ $_ := set $m (toString (mod (mul $i "      \
	"7919) 1009)) 1 }}{{ end }}"
#define LONG_KEYS                                                                                  \
	"{{ $k := repeat 1000 `k` }}{{ $l := dict }}{{ range $i := until 500 }}"                   \
	"{{ $_ := set $l (print $k $i) 1 }}{{ end }}"

static void test_charges_of_maps(void **state)
{
	static const struct charge charges[] = {
	    {MAP, "{{ if keys $m }}{{ end }}", 4000},
	    {MAP, "{{ if values $m }}{{ end }}", 4000},
	    {MAP, "{{ range $m }}{{ break }}{{ end }}", 4000},
	    {MAP, "{{ if print $m }}{{ end }}", 4000},
	    {MAP, "{{ if toJson $m }}{{ end }}", 8000},
	    {MAP, "{{ if toYaml $m }}{{ end }}", 4000},
	    {MAP, "{{ if omit $m `a` }}{{ end }}", 2000},
	    {MAP, "{{ $_ := unset $m `1` }}", 2000},
	    {MAP, "{{ if deepCopy $m }}{{ end }}", 3000},
	    {MAP, "{{ if merge (dict) $m }}{{ end }}", 3000},
	    /* Secrets are looked for among the members. */
	    {MAP, "{{ if kindOf $m }}{{ end }}", 250},
	    {LONG_KEYS, "{{ if keys $l }}{{ end }}", 60000},
	    {LONG_KEYS, "{{ if omit $l `a` }}{{ end }}", 30000},
	    {LONG_KEYS, "{{ if deepCopy $l }}{{ end }}", 30000},
	    {LONG_KEYS, "{{ if merge (dict) $l }}{{ end }}", 30000},
	    {LONG_KEYS "{{ $o := deepCopy $l }}", "{{ if deepEqual $l $o }}{{ end }}", 30000},
	};

	(void)state;
	ASSERT_CHARGES(charges);
}

#define CHARACTERS "{{ $s := repeat 10000 `aB` }}"

static void test_charges_of_texts(void **state)
{
	static const struct charge charges[] = {
	    {CHARACTERS, "{{ if snakecase $s }}{{ end }}", 20000},
	    {CHARACTERS, "{{ if kebabcase $s }}{{ end }}", 20000},
	    {CHARACTERS, "{{ if camelcase $s }}{{ end }}", 20000},
	    {CHARACTERS, "{{ if swapcase $s }}{{ end }}", 5000},
	    {CHARACTERS, "{{ if upper $s }}{{ end }}", 5000},
	    {CHARACTERS, "{{ if quote $s }}{{ end }}", 5000},
	    {CHARACTERS, "{{ if js $s }}{{ end }}", 10000},
	    {CHARACTERS, "{{ if toJson $s }}{{ end }}", 10000},
	    {CHARACTERS, "{{ if replace `B` `b` $s }}{{ end }}", 10000},
	    {"{{ $s := repeat 10000 \"\\xff\" }}", "{{ if regexMatch `a` $s }}{{ end }}", 10000},
	    {"", "{{ if printf `%.1000f` 1e300 }}{{ end }}", 150},
	    {"", "{{ if printf `%.1000g` 1.5 }}{{ end }}", 150},
	    {"", "{{ if printf `%.1000d` 1 }}{{ end }}", 120},
	    {"", "{{ if print 1e300 1e300 }}{{ end }}", 64},
	    {"", "{{ if print now now }}{{ end }}", 64},
	    {"", "{{ if deepEqual now now }}{{ end }}", 16},
	    {"", "{{ if divf 1e300 3e300 }}{{ end }}", 64},
	    {"", "{{ if list 1 2 3 4 5 6 7 8 9 10 }}{{ end }}", 6},
	    {"", "{{ if fromYamlArray `[2001-01-01, 2001-01-01]` }}{{ end }}", 200},
	    {"{{ $d := repeat 100 \"- a\\n\" }}", "{{ if fromYamlArray $d }}{{ end }}", 1000},
	    /* Memory that is made is charged, whatever it is for. */
	    {"{{ $l := until 1000 }}", "{{ if chunk 1 $l }}{{ end }}", 3000},
	    {"{{ $s := repeat 100000 `a` }}", "{{ $s }}", 1500},
	};

	(void)state;
	ASSERT_CHARGES(charges);
}

/* ---- secrets ----------------------------------------------------------------------------- */

/* How much work was done on a secret, by its bytes or by what was made of it, shows little. */
static void test_work_on_secrets(void **state)
{
	static const char *const templates[] = {
	    "{{ $n := atoi .pin }}{{ range 1000000 }}{{ $_ := repeat $n `abc` | sha256sum }}{{ end "
	    "}}",
	    "{{ $n := mul (atoi .pin) 100000 | int }}{{ $_ := repeat $n `a` | sha256sum }}",
	    "{{ $s := .secret }}{{ range 1000000 }}{{ $_ := b64enc $s }}{{ end }}",
	    "{{ $s := trunc 3 .secret }}{{ range 1000000 }}{{ $s }}{{ end }}",
	    "{{ $s := .secret }}{{ range 1000000 }}{{ $_ := contains `a` $s }}{{ end }}",
	    "{{ $s := .secret }}{{ range 1000000 }}{{ $_ := until (len $s) }}{{ end }}",
	    "{{ $d := dict }}{{ range $i := until 500 }}{{ $_ := set $d (toString $i) 1 }}{{ end }}"
	    "{{ $_ := set $d .secret 1 }}{{ range 1000 }}{{ $_ := keys $d }}{{ end }}",
	};
	const struct tmpl_limits limits = tmpl_options_default().limits;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(templates); i++) {
		enum tmpl_failure failure = TMPL_PARSE;
		uint64_t steps = steps_of(templates[i], &failure);

		assert_int_equal(failure, TMPL_SECRET);
		/* A loop without a call takes a few steps for each of those. */
		if (steps > 8 * limits.secret_steps)
			fail_msg("%s: %llu steps", templates[i], (unsigned long long)steps);
	}
	/* Work that is the same whatever the secret is. */
	assert_masked("{{ derivePassword 1 `long` .secret `b` `c` | len | gt 100 }}", "<all>");
	assert_masked("{{ range 1000 }}{{ $_ := print $.secret }}{{ end }}", "");
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

UNIT_TESTS(tmpl_limits)
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
	    cmocka_unit_test(test_charges_of_maps),
	    cmocka_unit_test(test_charges_of_texts),
	    cmocka_unit_test(test_work_on_secrets),
	    cmocka_unit_test(test_messages_are_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
