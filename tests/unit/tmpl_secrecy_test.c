/*
 * Secrecy survives templates: what is printed of a secret keeps its place, what a function makes of
 * one is secret, and no error quotes one.
 */
#include "tmpl_fixture.h"

/* TEST ONLY: a certificate, a key, a text encrypted under the secret, all base64. */
#define TEST_ONLY_CERTIFICATE                                                                      \
	"LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJmakNDQVNXZ0F3SUJBZ0lVTTk2T3dod2NmYWpqRlZRYmE2" \
	"aVZoVGptSGtFd0NnWUlLb1pJemowRUF3SXcKRkRFU01CQUdBMVVFQXd3SlZFVlRWQ0JQVGt4Wk1DQVhEVEkyTVRF" \
	"eU1ERTVNRGd5TlZvWUR6SXhNRGt3TVRBNQpNVGt3T0RJMVdqQVVNUkl3RUFZRFZRUUREQWxVUlZOVUlFOU9URmt3" \
	"V1RBVEJnY3Foa2pPUFFJQkJnZ3Foa2pPClBRTUJCd05DQUFTQUFtYytGWXNhL1JQb2VXMGhqMURpUmxHRm5vZERM" \
	"S3Nvd2JmQmZtKzA3dm10anErN0dLd3IKNTlaSTNLY09JRThHbDZIa05pK29CVXNGY3p2WWszMG5vMU13VVRBZEJn" \
	"TlZIUTRFRmdRVWRsalY2dXJuOEViRAp1ZUV1elNjanRraWFmUG93SHdZRFZSMGpCQmd3Rm9BVWRsalY2dXJuOEVi" \
	"RHVlRXV6U2NqdGtpYWZQb3dEd1lEClZSMFRBUUgvQkFVd0F3RUIvekFLQmdncWhrak9QUVFEQWdOSEFEQkVBaUI2" \
	"YzVHUDNuZm1xSE5pa3dTc1FVRUEKRnpXU29mK1JpSjlRNmRBajVZUFI4UUlnSDZSVStHRnYxUWtDOWM0eVgwTVVJ" \
	"MzFIR0NnYk9QNTVQQThGYWlXbwpOdkk9Ci0tLS0tRU5EIENFUlRJRklDQVRFLS0tLS0K"
#define TEST_ONLY_KEY                                                                              \
	"LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0tCk1DNENBUUF3QlFZREsyVndCQ0lFSU15a0l6LzJaY0puRHR5UllQ" \
	"Z1BTNVA2S0lkOWZMS2xOU0NhRmVCdHpYWEMKLS0tLS1FTkQgUFJJVkFURSBLRVktLS0tLQo="
#define TEST_ONLY_SEALED "AAAAAAAAAAAAAAAAAAAAAGpRsiVyFDim6EaouYNeoNY="

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

/* One-to-one images are secret as a whole, and stand in a clear text by themselves. */
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
 * A long clear text that is looked for in a text with secrets: what is found has no byte of one, or
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
	/* Found between secrets it is there, whatever they are. */
	assert_masked("{{ contains \"password = s3\""
	              " (printf \"password = %s password = s3 \" .secret) }}",
	              "true");
	/* Short ones, secrets alone, and what is secret itself make something of the secret. */
	assert_masked("{{ printf \"a %s\" .secret | replace \"version = 3\" \"\" }}", "<all>");
	assert_masked("{{ .secret | replace \"nothing of that\" \"\" }}", "<all>");
	assert_masked("{{ printf \"a %s\" .secret | replace \"nothing of that\" .pin }}", "<all>");
	assert_masked("{{ printf \"a %s\" .secret | replace (print \"nothing of\" .pin) \"\" }}",
	              "<all>");
	assert_masked("{{ printf \"a %s\" (upper .secret) | replace \"nothing of that\" \"\" }}",
	              "<all>");
}

/* What else is made of a secret hides the text that it stands in, whatever its length. */
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

/* Each is refused where it stands, whatever the secret is. */
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

/* Whether a whole value is empty may be asked. */
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

/* One text, and no place. */
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
		assert_string_equal(
		    arena_cstr(f.arena, f.error.text),
		    "a template fails, and whether it does depends on what a secret "
		    "is");
		assert_diag_count(&f.sink, 1);
		assert_null(f.sink.diags.items[0]->at.source);
		assert_int_equal(f.sink.diags.items[0]->code, DIAG_TEMPLATE_SECRET);
		tear_down(&f);
	}
}

/* ---- methods ----------------------------------------------------------------------------- */

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

/* ---- every function ---------------------------------------------------------------------- */

/* A secret argument for each kind of parameter. */
static void add_secrets(struct fixture *f)
{
	static const struct {
		sv name;
		sv text;
	} more[] = {
	    {SV_INIT("year"), SV_INIT("2020")},
	    {SV_INIT("hours"), SV_INIT("1h")},
	    {SV_INIT("few"), SV_INIT("3")},
	    {SV_INIT("version"), SV_INIT("1.2.3")},
	    {SV_INIT("sealed"), SV_INIT(TEST_ONLY_SEALED)},
	    {SV_INIT("certificate"), SV_INIT(TEST_ONLY_CERTIFICATE)},
	    {SV_INIT("key"), SV_INIT(TEST_ONLY_KEY)},
	};

	for (size_t i = 0; i < COUNT_OF(more); i++)
		value_map_set(f->arena, &f->data, more[i].name,
		              value_secret_string(f->arena, more[i].text, &the_secret));
}

/* By name. call: a call whose result depends on a secret; or why there is none. */
static const struct function {
	sv name;
	const char *call;
	const char *why_not;
} functions[] = {
    {SV_INIT("abbrev"), "abbrev 5 .secret", NULL},
    {SV_INIT("abbrevboth"), "abbrevboth 1 5 .secret", NULL},
    {SV_INIT("add"), "add .pin 1", NULL},
    {SV_INIT("add1"), "add1 .pin", NULL},
    {SV_INIT("add1f"), "add1f .pin", NULL},
    {SV_INIT("addf"), "addf .pin 1", NULL},
    {SV_INIT("adler32sum"), "adler32sum .secret", NULL},
    {SV_INIT("ago"), "ago (toDate \"2006\" .year)", NULL},
    {SV_INIT("all"), "all (trunc 2 .secret) 1", NULL},
    {SV_INIT("and"), "and 1 .secret", NULL},
    {SV_INIT("any"), "any (trunc 2 .secret)", NULL},
    {SV_INIT("append"), "append (list) .secret", NULL},
    {SV_INIT("atoi"), "atoi .pin", NULL},
    {SV_INIT("b32dec"), "b32dec (b32enc .secret)", NULL},
    {SV_INIT("b32enc"), "b32enc .secret", NULL},
    {SV_INIT("b64dec"), "b64dec (b64enc .secret)", NULL},
    {SV_INIT("b64enc"), "b64enc .secret", NULL},
    {SV_INIT("base"), "base .secret", NULL},
    {SV_INIT("bcrypt"), NULL, "refused"},
    {SV_INIT("biggest"), "biggest 1 .pin", NULL},
    {SV_INIT("buildCustomCert"), "buildCustomCert .certificate .key", NULL},
    {SV_INIT("call"), NULL, "calls a function, and no data hold one"},
    {SV_INIT("camelcase"), "camelcase .secret", NULL},
    {SV_INIT("cat"), "cat \"a\" .secret", NULL},
    {SV_INIT("ceil"), "ceil .pin", NULL},
    {SV_INIT("chunk"), "chunk 1 (list .secret)", NULL},
    {SV_INIT("clean"), "clean .secret", NULL},
    {SV_INIT("coalesce"), "coalesce 0 .secret", NULL},
    {SV_INIT("compact"), "compact (list .secret)", NULL},
    {SV_INIT("concat"), "concat (list .secret)", NULL},
    {SV_INIT("contains"), "contains \"3\" .secret", NULL},
    {SV_INIT("date"), "date .secret 0", NULL},
    {SV_INIT("dateInZone"), "dateInZone .secret 0 \"UTC\"", NULL},
    {SV_INIT("dateModify"), "dateModify .hours now", NULL},
    {SV_INIT("date_in_zone"), "date_in_zone .secret 0 \"UTC\"", NULL},
    {SV_INIT("date_modify"), "date_modify .hours now", NULL},
    {SV_INIT("decryptAES"), "decryptAES .secret .sealed", NULL},
    {SV_INIT("deepCopy"), "deepCopy .", NULL},
    {SV_INIT("deepEqual"), "deepEqual .secret 1", NULL},
    {SV_INIT("default"), "default .secret \"\"", NULL},
    {SV_INIT("derivePassword"), "derivePassword 1 \"pin\" .secret \"u\" \"s\"", NULL},
    {SV_INIT("dict"), "dict .secret 1", NULL},
    {SV_INIT("dig"), "dig \"secret\" \"x\" .", NULL},
    {SV_INIT("dir"), "dir (print .secret \"/x\")", NULL},
    {SV_INIT("div"), "div .pin 2", NULL},
    {SV_INIT("divf"), "divf .pin 2", NULL},
    {SV_INIT("duration"), "duration .pin", NULL},
    {SV_INIT("durationRound"), "durationRound .hours", NULL},
    {SV_INIT("empty"), "empty (trunc 2 .secret)", NULL},
    {SV_INIT("encryptAES"), NULL, "refused"},
    {SV_INIT("env"), NULL, "refused"},
    {SV_INIT("eq"), "eq .secret \"a\"", NULL},
    {SV_INIT("expandenv"), NULL, "refused"},
    {SV_INIT("ext"), "ext (print \"a.\" .secret)", NULL},
    {SV_INIT("fail"), NULL, "gives an error: test_error_texts_hide_secrets"},
    {SV_INIT("first"), "first (list .secret)", NULL},
    {SV_INIT("float64"), "float64 .pin", NULL},
    {SV_INIT("floor"), "floor .pin", NULL},
    {SV_INIT("fromJson"), "fromJson (toJson (dict \"a\" .secret))", NULL},
    {SV_INIT("fromJsonArray"), "fromJsonArray (toJson (list .secret))", NULL},
    {SV_INIT("fromToml"), "fromToml (toToml (dict \"a\" .secret))", NULL},
    {SV_INIT("fromYaml"), "fromYaml (print \"a: \" .secret)", NULL},
    {SV_INIT("fromYamlArray"), "fromYamlArray (print \"- \" .secret)", NULL},
    {SV_INIT("ge"), "ge .secret \"a\"", NULL},
    {SV_INIT("genCA"), NULL, "refused"},
    {SV_INIT("genCAWithKey"), NULL, "refused"},
    {SV_INIT("genPrivateKey"), NULL, "refused"},
    {SV_INIT("genSelfSignedCert"), NULL, "refused"},
    {SV_INIT("genSelfSignedCertWithKey"), NULL, "refused"},
    {SV_INIT("genSignedCert"), NULL, "refused"},
    {SV_INIT("genSignedCertWithKey"), NULL, "refused"},
    {SV_INIT("get"), "get . \"secret\"", NULL},
    {SV_INIT("getHostByName"), NULL, "refused"},
    {SV_INIT("gt"), "gt .secret \"a\"", NULL},
    {SV_INIT("has"), "has .secret (list 1)", NULL},
    {SV_INIT("hasKey"), "hasKey (dict) .secret", NULL},
    {SV_INIT("hasPrefix"), "hasPrefix \"s\" .secret", NULL},
    {SV_INIT("hasSuffix"), "hasSuffix \"s\" .secret", NULL},
    {SV_INIT("hello"), NULL, "takes no argument"},
    {SV_INIT("html"), "html .secret", NULL},
    {SV_INIT("htmlDate"), "htmlDate (toDate \"2006\" .year)", NULL},
    {SV_INIT("htmlDateInZone"), "htmlDateInZone (toDate \"2006\" .year) \"UTC\"", NULL},
    {SV_INIT("htpasswd"), NULL, "refused"},
    {SV_INIT("indent"), "indent 1 .secret", NULL},
    {SV_INIT("index"), "index . \"secret\"", NULL},
    {SV_INIT("initial"), "initial (list .secret 1)", NULL},
    {SV_INIT("initials"), "initials .secret", NULL},
    {SV_INIT("int"), "int .pin", NULL},
    {SV_INIT("int64"), "int64 .pin", NULL},
    {SV_INIT("isAbs"), "isAbs .secret", NULL},
    {SV_INIT("join"), "join \",\" (list .secret)", NULL},
    {SV_INIT("js"), "js .secret", NULL},
    {SV_INIT("kebabcase"), "kebabcase .secret", NULL},
    {SV_INIT("keys"), "keys (dict .secret 1)", NULL},
    {SV_INIT("kindIs"), "kindIs \"string\" .secret", NULL},
    {SV_INIT("kindOf"), "kindOf .secret", NULL},
    {SV_INIT("last"), "last (list .secret)", NULL},
    {SV_INIT("le"), "le .secret \"a\"", NULL},
    {SV_INIT("len"), "len .secret", NULL},
    {SV_INIT("list"), "list .secret", NULL},
    {SV_INIT("lower"), "lower .secret", NULL},
    {SV_INIT("lt"), "lt .secret \"a\"", NULL},
    {SV_INIT("max"), "max 1 .pin", NULL},
    {SV_INIT("maxf"), "maxf 1 .pin", NULL},
    {SV_INIT("merge"), "merge (dict) .", NULL},
    {SV_INIT("mergeOverwrite"), "mergeOverwrite (dict) .", NULL},
    {SV_INIT("min"), "min 1 .pin", NULL},
    {SV_INIT("minf"), "minf 1 .pin", NULL},
    {SV_INIT("mod"), "mod .pin 7", NULL},
    {SV_INIT("mul"), "mul .pin 2", NULL},
    {SV_INIT("mulf"), "mulf .pin 2", NULL},
    {SV_INIT("mustAppend"), "mustAppend (list) .secret", NULL},
    {SV_INIT("mustChunk"), "mustChunk 1 (list .secret)", NULL},
    {SV_INIT("mustCompact"), "mustCompact (list .secret)", NULL},
    {SV_INIT("mustDateModify"), "mustDateModify .hours now", NULL},
    {SV_INIT("mustDeepCopy"), "mustDeepCopy .", NULL},
    {SV_INIT("mustFirst"), "mustFirst (list .secret)", NULL},
    {SV_INIT("mustFromJson"), "mustFromJson (toJson .secret)", NULL},
    {SV_INIT("mustHas"), "mustHas .secret (list 1)", NULL},
    {SV_INIT("mustInitial"), "mustInitial (list .secret 1)", NULL},
    {SV_INIT("mustLast"), "mustLast (list .secret)", NULL},
    {SV_INIT("mustMerge"), "mustMerge (dict) .", NULL},
    {SV_INIT("mustMergeOverwrite"), "mustMergeOverwrite (dict) .", NULL},
    {SV_INIT("mustPrepend"), "mustPrepend (list) .secret", NULL},
    {SV_INIT("mustPush"), "mustPush (list) .secret", NULL},
    {SV_INIT("mustRegexFind"), "mustRegexFind \"c.\" .secret", NULL},
    {SV_INIT("mustRegexFindAll"), "mustRegexFindAll \".\" .secret -1", NULL},
    {SV_INIT("mustRegexMatch"), "mustRegexMatch \".\" .secret", NULL},
    {SV_INIT("mustRegexReplaceAll"), "mustRegexReplaceAll \"c\" .secret \"k\"", NULL},
    {SV_INIT("mustRegexReplaceAllLiteral"), "mustRegexReplaceAllLiteral \"c\" .secret \"k\"", NULL},
    {SV_INIT("mustRegexSplit"), "mustRegexSplit \"3\" .secret -1", NULL},
    {SV_INIT("mustRest"), "mustRest (list 1 .secret)", NULL},
    {SV_INIT("mustReverse"), "mustReverse (list .secret)", NULL},
    {SV_INIT("mustSlice"), "mustSlice (list .secret) 0", NULL},
    {SV_INIT("mustToDate"), "mustToDate \"2006\" .year", NULL},
    {SV_INIT("mustToJson"), "mustToJson .secret", NULL},
    {SV_INIT("mustToPrettyJson"), "mustToPrettyJson .", NULL},
    {SV_INIT("mustToRawJson"), "mustToRawJson (list .secret)", NULL},
    {SV_INIT("mustUniq"), "mustUniq (list .secret)", NULL},
    {SV_INIT("mustWithout"), "mustWithout (list .secret) 1", NULL},
    {SV_INIT("must_date_modify"), "must_date_modify .hours now", NULL},
    {SV_INIT("ne"), "ne .secret \"a\"", NULL},
    {SV_INIT("nindent"), "nindent 1 .secret", NULL},
    {SV_INIT("nospace"), "nospace .secret", NULL},
    {SV_INIT("not"), "not (trunc 2 .secret)", NULL},
    {SV_INIT("now"), NULL, "takes no argument"},
    {SV_INIT("omit"), "omit . \"clear\"", NULL},
    {SV_INIT("or"), "or 0 .secret", NULL},
    {SV_INIT("osBase"), "osBase .secret", NULL},
    {SV_INIT("osClean"), "osClean .secret", NULL},
    {SV_INIT("osDir"), "osDir (print .secret \"/x\")", NULL},
    {SV_INIT("osExt"), "osExt (print \"a.\" .secret)", NULL},
    {SV_INIT("osIsAbs"), "osIsAbs .secret", NULL},
    {SV_INIT("pick"), "pick . \"secret\"", NULL},
    {SV_INIT("pluck"), "pluck \"secret\" .", NULL},
    {SV_INIT("plural"), "plural .secret \"b\" 1", NULL},
    {SV_INIT("prepend"), "prepend (list) .secret", NULL},
    {SV_INIT("print"), "print .secret", NULL},
    {SV_INIT("printf"), "printf \"%q\" .secret", NULL},
    {SV_INIT("println"), "println .secret", NULL},
    {SV_INIT("push"), "push (list) .secret", NULL},
    {SV_INIT("quote"), "quote .secret", NULL},
    {SV_INIT("randAlpha"), NULL, "refused"},
    {SV_INIT("randAlphaNum"), NULL, "refused"},
    {SV_INIT("randAscii"), NULL, "refused"},
    {SV_INIT("randBytes"), NULL, "refused"},
    {SV_INIT("randInt"), NULL, "refused"},
    {SV_INIT("randNumeric"), NULL, "refused"},
    {SV_INIT("regexFind"), "regexFind \"c.\" .secret", NULL},
    {SV_INIT("regexFindAll"), "regexFindAll \".\" .secret -1", NULL},
    {SV_INIT("regexMatch"), "regexMatch \".\" .secret", NULL},
    {SV_INIT("regexQuoteMeta"), "regexQuoteMeta .secret", NULL},
    {SV_INIT("regexReplaceAll"), "regexReplaceAll \"a\" \"banana\" .secret", NULL},
    {SV_INIT("regexReplaceAllLiteral"), "regexReplaceAllLiteral \"c\" .secret \"k\"", NULL},
    {SV_INIT("regexSplit"), "regexSplit \"3\" .secret -1", NULL},
    {SV_INIT("repeat"), "repeat 2 .secret", NULL},
    {SV_INIT("replace"), "replace \"a\" .secret \"banana\"", NULL},
    {SV_INIT("rest"), "rest (list 1 .secret)", NULL},
    {SV_INIT("reverse"), "reverse (list .secret)", NULL},
    {SV_INIT("round"), "round .pin 1", NULL},
    {SV_INIT("semver"), "semver .version", NULL},
    {SV_INIT("semverCompare"), "semverCompare \">1\" .version", NULL},
    {SV_INIT("seq"), "seq (int .few)", NULL},
    {SV_INIT("set"), "set (dict) .secret 1", NULL},
    {SV_INIT("sha1sum"), "sha1sum .secret", NULL},
    {SV_INIT("sha256sum"), "sha256sum .secret", NULL},
    {SV_INIT("sha512sum"), "sha512sum .secret", NULL},
    {SV_INIT("shuffle"), NULL, "refused"},
    {SV_INIT("slice"), "slice (list .secret) 0", NULL},
    {SV_INIT("snakecase"), "snakecase .secret", NULL},
    {SV_INIT("sortAlpha"), "sortAlpha (list .secret \"a\")", NULL},
    {SV_INIT("split"), "split \"3\" .secret", NULL},
    {SV_INIT("splitList"), "splitList \"3\" .secret", NULL},
    {SV_INIT("splitn"), "splitn \"3\" 2 .secret", NULL},
    {SV_INIT("squote"), "squote .secret", NULL},
    {SV_INIT("sub"), "sub .pin 1", NULL},
    {SV_INIT("subf"), "subf .pin 1", NULL},
    {SV_INIT("substr"), "substr 1 3 .secret", NULL},
    {SV_INIT("swapcase"), "swapcase .secret", NULL},
    {SV_INIT("ternary"), "ternary .secret 1 true", NULL},
    {SV_INIT("title"), "title .secret", NULL},
    {SV_INIT("toDate"), "toDate \"2006\" .year", NULL},
    {SV_INIT("toDecimal"), "toDecimal .pin", NULL},
    {SV_INIT("toJson"), "toJson .secret", NULL},
    {SV_INIT("toPrettyJson"), "toPrettyJson .", NULL},
    {SV_INIT("toRawJson"), "toRawJson (list .secret)", NULL},
    {SV_INIT("toString"), "toString .secret", NULL},
    {SV_INIT("toStrings"), "toStrings (list .secret)", NULL},
    {SV_INIT("toToml"), "toToml (dict \"a\" .secret)", NULL},
    {SV_INIT("toYaml"), "toYaml .secret", NULL},
    {SV_INIT("trim"), "trim .secret", NULL},
    {SV_INIT("trimAll"), "trimAll \"x\" .secret", NULL},
    {SV_INIT("trimPrefix"), "trimPrefix \"x\" .secret", NULL},
    {SV_INIT("trimSuffix"), "trimSuffix \"x\" .secret", NULL},
    {SV_INIT("trimall"), "trimall \"x\" .secret", NULL},
    {SV_INIT("trunc"), "trunc 2 .secret", NULL},
    {SV_INIT("tuple"), "tuple .secret", NULL},
    {SV_INIT("typeIs"), "typeIs \"string\" .secret", NULL},
    {SV_INIT("typeIsLike"), "typeIsLike \"string\" .secret", NULL},
    {SV_INIT("typeOf"), "typeOf .secret", NULL},
    {SV_INIT("uniq"), "uniq (list .secret)", NULL},
    {SV_INIT("unixEpoch"), "unixEpoch (toDate \"2006\" .year)", NULL},
    {SV_INIT("unset"), "unset . \"clear\"", NULL},
    {SV_INIT("until"), "until (int .few)", NULL},
    {SV_INIT("untilStep"), "untilStep 0 (int .few) 1", NULL},
    {SV_INIT("untitle"), "untitle .secret", NULL},
    {SV_INIT("upper"), "upper .secret", NULL},
    {SV_INIT("urlJoin"), "urlJoin (dict \"host\" .secret)", NULL},
    {SV_INIT("urlParse"), "urlParse (print \"http://\" .secret)", NULL},
    {SV_INIT("urlquery"), "urlquery .secret", NULL},
    {SV_INIT("uuidv4"), NULL, "refused"},
    {SV_INIT("values"), "values .", NULL},
    {SV_INIT("without"), "without (list .secret) 1", NULL},
    {SV_INIT("wrap"), "wrap 2 .secret", NULL},
    {SV_INIT("wrapWith"), "wrapWith 2 .secret \"abcdef\"", NULL},
};

static const struct function *function_find(sv name)
{
	for (size_t i = 0; i < COUNT_OF(functions); i++)
		if (sv_eq(functions[i].name, name))
			return &functions[i];
	fail_msg("no call of %.*s with a secret in the table", SV_ARG(name));
	return NULL;
}

static void check_function(const struct function *function)
{
	struct fixture f;
	struct value v = VALUE_INVALID;

	set_up(&f);
	add_secrets(&f);
	const char *template =
	    arena_cstr(f.arena, arena_printf(f.arena, "{{ %s }}", function->call));
	if (render(&f, template, &v) != STATUS_OK)
		fail_msg("%s: %.*s", function->call, SV_ARG(f.error.text));
	if (!v.taint)
		fail_msg("%s: no taint in %.*s", function->call, SV_ARG(v.string));
	assert_ptr_equal(v.taint->spans[0].secret, &the_secret);
	tear_down(&f);
}

static void test_every_function_of_a_secret_is_secret(void **state)
{
	struct arena *arena = arena_new(ARENA_PLAIN);
	size_t count;
	const sv *names = tmpl_funcs_names(arena, &tmpl_funcs_profile, &count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		const struct function *function = function_find(names[i]);
		if (function->call)
			check_function(function);
	}
	arena_free(arena);
}

/* ---- every argument of every function ---------------------------------------------------- */

/* Calls without secrets, of functions whose call above is not one without its secret. */
static const struct {
	sv name;
	const char *call;
} clear_calls[] = {
    {SV_INIT("any"), "any .secret 1"},
    {SV_INIT("append"), "append (list 1) .secret"},
    {SV_INIT("biggest"), "biggest 1 .pin 3"},
    {SV_INIT("get"), "get (dict \"secret\" 1) \"secret\""},
    {SV_INIT("index"), "index (list (list 1 2) 3) 0 1"},
    {SV_INIT("printf"), "printf \"%*d %s\" 3 4 .secret"},
    {SV_INIT("set"), "set (dict) .secret 1"},
    {SV_INIT("slice"), "slice (list 1 2 3) 0 2"},
    {SV_INIT("mustSlice"), "mustSlice (list 1 2 3) 0 2"},
    {SV_INIT("or"), "or 0 \"\" .secret"},
    {SV_INIT("and"), "and 1 1 .secret"},
};

static const char *clear_call(const struct function *function)
{
	for (size_t i = 0; i < COUNT_OF(clear_calls); i++)
		if (sv_eq(clear_calls[i].name, function->name))
			return clear_calls[i].call;
	return function->call;
}

/* Where the i-th argument of a call stands, its name not counted; false: there are fewer. */
static bool find_argument(sv call, size_t i, size_t *ret_start, size_t *ret_end)
{
	size_t at = 0;

	for (size_t number = 0;; number++) {
		bool quoted = false;
		int depth = 0;
		size_t start = at;

		for (; at < call.len && (quoted || depth > 0 || call.ptr[at] != ' '); at++) {
			quoted ^= call.ptr[at] == '"';
			depth += quoted ? 0 : (call.ptr[at] == '(') - (call.ptr[at] == ')');
		}
		if (number == i + 1) {
			*ret_start = start;
			*ret_end = at;
			return true;
		}
		if (at >= call.len)
			return false;
		at++;
	}
}

/* The call runs on clear data; $.yes is true, and derived from the secret. */
static enum status render_clear(struct fixture *f, sv call, struct value *ret_value)
{
	struct value yes = value_bool(true);

	set_up(f);
	struct value outer = value_map_new(f->arena);
	add_secrets(f);
	for (size_t i = 0; i < value_count(&f->data); i++)
		f->data.map->entries[i].value.taint = NULL;
	yes.taint = taint_derived(f->arena, 1, &the_secret);
	value_map_set(f->arena, &outer, SV("in"), f->data);
	value_map_set(f->arena, &outer, SV("yes"), yes);
	f->data = outer;
	return render(
	    f,
	    arena_cstr(f->arena,
	               arena_printf(f->arena, "{{ with .in }}{{ %.*s }}{{ end }}", SV_ARG(call))),
	    ret_value);
}

/* Returns how many arguments were looked at. */
static size_t check_arguments(sv call)
{
	struct fixture f;
	struct value v = VALUE_INVALID;
	size_t start;
	size_t end;
	size_t i = 0;

	if (render_clear(&f, call, &v) != STATUS_OK)
		fail_msg("%.*s: %.*s", SV_ARG(call), SV_ARG(f.error.text));
	if (v.taint)
		fail_msg("%.*s: secret without a secret", SV_ARG(call));
	tear_down(&f);
	for (; find_argument(call, i, &start, &end); i++) {
		struct arena *arena = arena_new(ARENA_PLAIN);
		sv argument = sv_slice(call, start, end);
		sv tainted = arena_printf(arena, "%.*s(ternary %.*s %.*s $.yes)%.*s", (int)start,
		                          call.ptr, SV_ARG(argument), SV_ARG(argument),
		                          SV_ARG(sv_from_offset(call, end)));

		if (render_clear(&f, tainted, &v) != STATUS_OK) {
			if (f.error.failure != TMPL_DECIDES && f.error.failure != TMPL_SECRET)
				fail_msg("%.*s: %.*s", SV_ARG(tainted), SV_ARG(f.error.text));
		} else if (!taint_derived_from(v.taint)) {
			fail_msg("%.*s: %.*s is clear", SV_ARG(tainted), SV_ARG(v.string));
		}
		tear_down(&f);
		arena_free(arena);
	}
	return i;
}

static void test_every_argument_counts(void **state)
{
	size_t count = 0;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(functions); i++)
		if (functions[i].call)
			count += check_arguments(sv_from_cstr(clear_call(&functions[i])));
	assert_true(count > 300);
}

/* ---- errors ------------------------------------------------------------------------------ */

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

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_taint_of_spans),
	    cmocka_unit_test(test_images),
	    cmocka_unit_test(test_search_around_secrets),
	    cmocka_unit_test(test_derived),
	    cmocka_unit_test(test_decisions),
	    cmocka_unit_test(test_truth_of_whole_values),
	    cmocka_unit_test(test_failures_by_secrets),
	    cmocka_unit_test(test_every_argument_counts),
	    cmocka_unit_test(test_methods_of_secrets),
	    cmocka_unit_test(test_every_function_of_a_secret_is_secret),
	    cmocka_unit_test(test_error_texts_hide_secrets),
	    cmocka_unit_test(test_errors_in_secret_templates_hide_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
