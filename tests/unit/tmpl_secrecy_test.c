/*
 * Secrecy survives templates: what is printed of a secret keeps its place, and no error quotes one.
 */
#include "tmpl_fixture.h"

static void test_taint_of_spans(void **state)
{
	(void)state;
	assert_masked("a {{ .secret }} b", "a ###### b");
	assert_masked("{{ .clear }}{{ .secret }}{{ .secret }}", "clear############");
	assert_masked("{{ printf \"<%s|%s>\" .clear .secret }}", "<clear|######>");
	assert_masked("{{ print .secret 1 }}{{ println .clear }}", "######1clear\n");
	assert_masked("{{ list .clear .secret }}", "[clear ######]");
	assert_masked("{{ . }}", "map[clear:clear pin:#### secret:######]");
	assert_masked("{{ printf \"a\\n%s\" .secret | indent 2 }}", "  a\n  ######");
	assert_masked("{{ join \",\" (list .clear .secret) }}", "clear,######");
	assert_masked("{{ define \"x\" }}<{{ . }}>{{ end }}{{ template \"x\" .secret }}",
	              "<######>");
	assert_masked("{{ $x := .secret }}{{ with $x }}{{ . }}{{ end }}", "######");
	assert_masked("{{ .nope | default .secret }}{{ coalesce \"\" .secret }}", "############");
	assert_masked("{{ range $k, $v := dict \"k\" .secret }}{{ $k }}={{ $v }}{{ end }}",
	              "k=######");
	assert_masked("{{ cat \"a\" .secret }}", "a ######");
	assert_masked("{{ range list .secret .clear }}[{{ . }}]{{ end }}", "[######][clear]");
	assert_masked("{{ get . \"secret\" }} {{ index . \"clear\" }}", "###### clear");
	assert_masked("{{ first (list .clear .secret) }}", "clear");
	assert_masked("{{ ternary .secret .clear true }}", "######");
}

/* A one-to-one image of a secret is secret as a whole; the clear text around it is not. */
static void test_images(void **state)
{
	(void)state;
	assert_masked("a={{ .secret | quote }};", "a=########;");
	assert_masked("a={{ .secret | b64enc }};", "a=########;");
	assert_masked("a={{ print .clear .secret | b64enc }};", "a=################;");
	assert_masked("a={{ toJson .secret }};", "a=########;");
	assert_masked("a={{ printf \"%q\" .secret }};", "a=########;");
	assert_masked("{{ nindent 2 .secret }};", "\n  ######;");
}

/*
 * A long clear pattern is searched in a string with secrets: a match has no byte of a secret, or
 * the call fails.
 */
static void test_search_around_secrets(void **state)
{
	(void)state;
	assert_masked("{{ printf \"version = 3\\npassword = %s\\nversion = 3\\n\" .secret"
	              " | replace \"version = 3\\n\" \"v2\\n\" }}",
	              "v2\npassword = ######\nv2\n");
	assert_masked("{{ printf \"password = %s; %s\" .secret .pin"
	              " | replace \"nothing of that\" \"x\" }}",
	              "password = ######; ####");
	assert_masked("{{ if contains \"runtime = runc\" (printf \"runtime = runc %s\" .secret) }}"
	              "yes{{ end }}",
	              "yes");
	assert_masked("{{ contains \"runtime = crun\" (printf \"runtime = runc %s\" .secret) }}",
	              "false");
	/* A match between secrets does not depend on them. */
	assert_masked("{{ contains \"password = s3\""
	              " (printf \"password = %s password = s3 \" .secret) }}",
	              "true");
	/* Short or secret patterns, and strings that are nothing but a secret, give derived
	 * results. */
	assert_masked("{{ printf \"a %s\" .secret | replace \"version = 3\" \"\" }}", "<all>");
	assert_masked("{{ .secret | replace \"nothing of that\" \"\" }}", "<all>");
	assert_masked("{{ printf \"a %s\" .secret | replace \"nothing of that\" .pin }}", "<all>");
	assert_masked("{{ printf \"a %s\" .secret | replace (print \"nothing of\" .pin) \"\" }}",
	              "<all>");
	assert_masked("{{ printf \"a %s\" (upper .secret) | replace \"nothing of that\" \"\" }}",
	              "<all>");
}

/* Any other function of a secret makes the whole output secret, whatever its length. */
static void test_derived(void **state)
{
	static const char *const templates[] = {
	    "a{{ trunc 2 .secret }}",
	    "a{{ substr 1 3 .secret }}",
	    "a{{ substr 1 1 .secret }}",
	    "a{{ len .secret }}",
	    "a{{ regexFind \"x\" .secret }}",
	    "a{{ regexFindAll \"x\" .secret -1 | first }}",
	    "a{{ regexFindAll \"x\" .secret -1 | len }}",
	    "a{{ (fromJson .secret).nope }}",
	    "a{{ (fromJson .secret).nope.more }}",
	    "a{{ get (dict \"s\" \"c\") .secret }}",
	    "a{{ index (dict \"s\" \"c\") .secret }}",
	    "a{{ dig .secret \"c\" (dict) }}",
	    "a{{ pick (dict \"s\" \"c\") .secret }}",
	    "a{{ omit (dict \"s\" \"c\") .secret }}",
	    "a{{ pluck .secret (dict \"s\" \"c\") }}",
	    "a{{ ternary \"b\" \"c\" (eq .secret \"s\") }}",
	    "a{{ without (list \"s\" \"t\") .secret }}",
	    "a{{ sortAlpha (list .secret .pin) }}",
	    "a{{ sortAlpha (list .secret .pin) | first }}",
	    "{{ $l := toStrings (list .secret .pin) }}{{ $_ := sortAlpha $l }}a{{ index $l 0 }}",
	    "{{ $d := dict }}{{ $_ := set $d .secret 1 }}{{ $d | deepCopy | keys }}",
	    "{{ $d := dict \"s\" 1 }}{{ $_ := unset $d .secret }}a{{ $d }}",
	    "{{ $d := dict \"s\" 1 }}{{ $_ := merge $d (dict .secret 1) }}a{{ $d }}",
	    "{{ $l := list .secret }}{{ range until 400 }}{{ $l = list $l }}{{ end }}{{ $l | "
	    "toJson "
	    "| sha256sum }}",
	    "{{ $a := dict }}{{ $b := dict }}{{ $_ := ternary $a $b (eq .secret \"s\") }}a{{ $b }}",
	    ("{{ $a := dict }}{{ $b := dict }}{{ $_ := set (ternary $a $b (eq .secret \"s\")) "
	     "\"k\" 1 }}a{{ $a }}"),
	    "a{{ default \"c\" (trunc 0 .secret) }}",
	    "a{{ coalesce (trunc 0 .secret) \"c\" }}",
	    "a{{ not (eq .secret \"s\") }}",
	    "a{{ eq .secret .pin }}",
	    "a{{ printf \"%8s\" .secret }}",
	    "a{{ printf \"%.2s\" .secret }}",
	    "a{{ printf \"%.2q\" .secret }}",
	    "a{{ printf (print \"%\" .secret) }}",
	    "a{{ printf \"%*d\" (int .pin | mod 1239) 1 }}",
	    "a{{ printf \"%[2]*[1]d\" 1 (int .pin) }}",
	    "a{{ repeat (len .secret) \"b\" }}",
	    "a{{ until (len .secret) }}",
	    "a{{ seq (len .secret) }}",
	    "a{{ index .secret 0 }}",
	    "a{{ index (list .secret) 0 1 }}",
	    "a{{ slice (list 1 2 3 4 5 6 7) (len .secret) }}",
	    "a{{ index (list 1 2 3 4 5 6 7) (len .secret) }}",
	    "a{{ date .secret 0 }}",
	    "a{{ typeOf .secret }}",
	    "a{{ dict .secret 1 }}",
	    "a{{ split \"3\" .secret }}",
	    "a{{ (split \"3\" .secret)._0 }}",
	    "a{{ (split \"3\" .secret)._9 }}",
	    "a{{ urlParse (print \"http://\" .secret) }}",
	    "{{ $d := dict \"k\" (trunc 1 .secret) }}a{{ $d.k }}{{ $d.nope }}",
	    "{{ define \"x\" }}{{ . }}{{ end }}a{{ template \"x\" trunc 0 .secret }}",
	    "a{{ (now).Format .secret }}",
	    "a{{ or \"\" (trunc 0 .secret) }}",
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(templates); i++) {
		struct fixture f;
		struct value v = VALUE_INVALID;

		set_up(&f);
		if (render(&f, templates[i], &v) != STATUS_OK)
			fail_msg("%s: %.*s", templates[i], SV_ARG(f.error.text));
		if (!taint_derived_from(v.taint))
			fail_msg("%s: %s", templates[i], masked(&f, &v));
		tear_down(&f);
	}
}

/* Each is refused at its position, whatever the secret is. */
static void test_decisions(void **state)
{
	static const char *const templates[] = {
	    "{{ if eq .secret `a` }}{{ end }}",
	    "{{ if len .secret }}{{ end }}",
	    "{{ if trunc 1 .secret }}{{ end }}",
	    "{{ if contains `a` .secret }}{{ end }}",
	    "{{ if .x }}{{ else if eq .secret `a` }}{{ end }}",
	    "{{ if not (eq .secret `a`) }}{{ end }}",
	    "{{ if eq .secret .pin }}{{ end }}",
	    "{{ if eq .secret `` .clear }}{{ end }}",
	    "{{ with trunc 0 .secret }}{{ end }}",
	    "{{ with regexFind `a` .secret }}{{ end }}",
	    "{{ if first (regexFindAll `a` .secret -1) }}{{ end }}",
	    "{{ if regexFindAll `a` .secret -1 }}{{ end }}",
	    "{{ if (fromJson .secret).a }}{{ end }}",
	    "{{ range splitList `` .secret }}{{ end }}",
	    "{{ range $i, $x := splitList `` .secret }}{{ end }}",
	    "{{ range until (len .secret) }}{{ end }}",
	    "{{ range len .secret }}{{ end }}",
	    "{{ range mod .pin 3 }}{{ end }}",
	    "{{ range dict .secret 1 }}{{ end }}",
	    "{{ range $k, $v := (fromYaml (print `a: ` .pin)) }}{{ end }}",
	    "{{ range untilStep 0 (int .pin) 1 }}{{ break }}{{ end }}",
	    "{{ $x := and (eq .secret `a`) 1 }}",
	    "{{ $x := or (trunc 0 .secret) 1 }}",
	    "{{ $x := 1 | and (eq .secret `a`) }}",
	    "{{ $d := dict }}{{ $_ := set $d .secret 1 }}{{ if $d }}{{ end }}",
	    "{{ if (now).IsZero | ternary 1 (len .secret) }}{{ end }}",
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(templates); i++)
		assert_fails(templates[i], TMPL_DECIDES, DIAG_TEMPLATE_DECIDES,
		             "the template decides by the secret kube-system/token:value");
}

/* A template may test if a whole value is empty. */
static void test_truth_of_whole_values(void **state)
{
	(void)state;
	assert_masked("{{ if .secret }}yes{{ end }}", "yes");
	assert_masked("{{ if and .secret .clear }}yes{{ end }}", "yes");
	assert_masked("{{ if or .nope .secret }}yes{{ end }}", "yes");
	assert_masked("{{ if not .secret }}no{{ else }}yes{{ end }}", "yes");
	assert_masked("{{ if ne .secret \"\" }}yes{{ end }}", "yes");
	assert_masked("{{ if and .secret (ne .secret `\"\"`) }}yes{{ end }}", "yes");
	assert_masked("{{ empty .secret }} {{ all .secret 1 }} {{ any .secret }}",
	              "false true true");
	assert_masked("{{ with and .clear .secret }}{{ . }}{{ end }}", "######");
	assert_masked("{{ if list .secret }}yes{{ end }}", "yes");
}

/* All of them give one message, without a position. */
static void test_failures_by_secrets(void **state)
{
	static const char *const templates[] = {
	    "{{ fail .secret }}",
	    "{{ semver .secret }}",
	    "{{ index (list 1) (len .secret) }}",
	    "{{ index .secret 99 }}",
	    "{{ mustRegexFind (print `(` .secret) `x` }}",
	    "{{ (mustFromJson (print `[` .pin `]`)).x }}",
	    "{{ (mustFromJson .pin).x }}",
	    "{{ trunc 1 .secret | and 1 | index (list 1) }}",
	    "{{ add (len .secret) 1 | upper }}",
	    "{{ repeat (mul (len .secret) 100000000 | int) `x` }}",
	    "{{ $x := trunc 1 .secret }}{{ range until 100000 }}{{ repeat 100 `x` }}{{ end }}",
	    "{{ print `password is ` .secret ` ` | replace `password is s` `` }}",
	    "{{ print `a ` .secret ` is a word.` | replace `t is a word.` `` }}",
	    "{{ print `a token: ` .secret .pin ` ` | contains `: s3cr3t1234` }}",
	    "{{ print `a ` .secret .secret | contains `s3cr3ts3cr3t` }}",
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(templates); i++) {
		struct fixture f;
		struct value v = VALUE_INVALID;

		set_up(&f);
		f.options.limits.output_bytes = 1 << 20;
		f.options.limits.memory_bytes = 64 << 20;
		f.options.limits.steps = 1000000;
		if (render(&f, templates[i], &v) == STATUS_OK)
			fail_msg("%s: no failure", templates[i]);
		assert_int_equal(f.error.failure, TMPL_SECRET);
		assert_string_equal(arena_cstr(f.arena, f.error.text),
		                    "a template fails, and whether it fails depends on a secret");
		assert_diag_count(&f.sink, 1);
		assert_null(f.sink.diags.items[0]->at.source);
		assert_int_equal(f.sink.diags.items[0]->code, DIAG_TEMPLATE_SECRET);
		tear_down(&f);
	}
}

/* Where .ip has all its bits set, and .four is a secret of as many bytes. */
static void assert_method_masked(const char *template, const char *expected)
{
	struct fixture f;
	struct value ip = {.type = &type_ip};
	struct value v = VALUE_INVALID;

	set_up(&f);
	ip.string = SV("\xff\xff\xff\xff");
	value_map_set(f.arena, &f.data, SV("ip"), ip);
	value_map_set(f.arena, &f.data, SV("four"),
	              value_secret_string(f.arena, SV("abcd"), &the_secret));
	assert_int_equal(render(&f, template, &v), STATUS_OK);
	assert_string_equal(masked(&f, &v), expected);
	tear_down(&f);
}

static void test_methods_of_secrets(void **state)
{
	(void)state;
	assert_method_masked("{{ .ip }}", "255.255.255.255");
	assert_method_masked("{{ .ip.Mask ((now).AppendFormat nil .four) }}", "<all>");
	assert_method_masked("{{ (.ip.Mask ((now).AppendFormat nil .four)).String }}", "<all>");
	assert_method_masked("{{ .ip.Equal ((now).AppendFormat nil .four) }}", "<all>");
	assert_method_masked("{{ (now).Format .four }}", "<all>");
	assert_method_masked("{{ slice ((now).AppendFormat nil .four) 2 }}", "<all>");
	assert_method_masked("{{ (semver \"1.2.3\").SetPrerelease .four }}", "<all>");
	assert_method_masked("{{ ((semver \"1\").SetMetadata .four).Metadata }}", "<all>");
	assert_method_masked("{{ ((semver \"1\").SetMetadata .four).Major }}", "<all>");
	assert_method_masked("{{ .four | (now).Format }}", "<all>");
	assert_method_masked("{{ ((now).AddDate 0 0 (int .pin)).Year }}", "<all>");
}

static void assert_error_hides_secret(const struct fixture *f, const char *input)
{
	const struct diag *diag = f->sink.diags.items[0];

	if (sv_contains(f->error.text, SV("s3cr3t")) || sv_contains(diag->text, SV("s3cr3t")) ||
	    sv_contains(diag->help, SV("s3cr3t")))
		fail_msg("%s: %.*s", input, SV_ARG(f->error.text));
}

static void test_error_texts_hide_secrets(void **state)
{
	static const char *const templates[] = {
	    "{{ fail .secret }}",
	    "{{ fail (printf \"no %s\" .secret) }}",
	    "{{ mustToDate \"2006\" .secret }}",
	    "{{ mustRegexFind (print \"(\" .secret) \"x\" }}",
	    "{{ mustFromJson .secret }}",
	    "{{ semver .secret }}",
	    "{{ semverCompare .secret \"1.2.3\" }}",
	    "{{ mustDateModify .secret now }}",
	    "{{ urlParse (print \"://\" .secret) }}",
	    "{{ index (dict) .secret 1 }}",
	    "{{ index .secret .secret }}",
	    "{{ lt .secret 1 }}",
	    "{{ .secret.field }}",
	    "{{ template .secret }}",
	    "{{ range .secret }}{{ end }}",
	    "{{ .secret | call }}",
	    "{{ (semver \"1\").SetPrerelease (print .secret \"!\") }}",
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(templates); i++) {
		struct fixture f;
		struct value v = VALUE_INVALID;

		set_up(&f);
		if (render(&f, templates[i], &v) == STATUS_OK)
			fail_msg("%s: no error", templates[i]);
		assert_error_hides_secret(&f, templates[i]);
		tear_down(&f);
	}
}

/* A secret that holds template text is run, as upstream does, and not quoted. */
static void test_errors_in_secret_templates_hide_them(void **state)
{
	static const char *const secrets[] = {
	    "{{ s3cr3t }}",
	    "{{ .clear.s3cr3t.x }}",
	    "{{ fail `s3cr3t` }}",
	    "{{ block `s3cr3t` . }}{{ .clear.x.y }}{{ end }}",
	    "{{ \"s3cr3t }}",
	    "s3cr3t {{ end }}",
	    "s3cr3t {{ index 1 `s3cr3t` }}",
	};
	struct value template_text = value_string(SV("{{ .secret }}"));
	struct value file_text = value_string(SV("{{ template \"x\" . }}"));
	struct tmpl_source template = {SV("x"), &template_text};
	struct tmpl_source file = {SV("/f"), &file_text};
	const struct tmpl_profile_texts texts = {.templates = {&template, 1}, .files = {&file, 1}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(secrets); i++) {
		struct fixture f;
		struct tmpl_profile *profile;
		struct tmpl_rendered *files;

		set_up(&f);
		value_map_set(f.arena, &f.data, SV("secret"),
		              value_secret_string(f.arena, sv_from_cstr(secrets[i]), &the_secret));
		assert_int_equal(tmpl_profile_parse(f.arena, &f.sink, &tmpl_funcs_profile, &texts,
		                                    &profile, NULL),
		                 STATUS_OK);
		if (tmpl_profile_render(f.arena, &f.sink, profile, &f.data, NULL, &files,
		                        &f.error) == STATUS_OK)
			fail_msg("%s: no error", secrets[i]);
		assert_error_hides_secret(&f, secrets[i]);
		tear_down(&f);
	}
}

UNIT_TESTS(tmpl_secrecy)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_taint_of_spans),
	    cmocka_unit_test(test_images),
	    cmocka_unit_test(test_search_around_secrets),
	    cmocka_unit_test(test_derived),
	    cmocka_unit_test(test_decisions),
	    cmocka_unit_test(test_truth_of_whole_values),
	    cmocka_unit_test(test_failures_by_secrets),
	    cmocka_unit_test(test_methods_of_secrets),
	    cmocka_unit_test(test_error_texts_hide_secrets),
	    cmocka_unit_test(test_errors_in_secret_templates_hide_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
