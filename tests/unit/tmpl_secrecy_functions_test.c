/*
 * Each function of the templates gives a secret if one of its arguments is, whichever it is.
 */
#include "tmpl_fixture.h"

/* TEST ONLY: a certificate, a key, a string encrypted with the secret, all base64. */
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

/* For each function a call whose result depends on a secret, or the reason for having none. */
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

/* Calls on clear data, for functions whose call above only works with a secret. */
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

/* Finds the i-th argument of a call, after the function's name. Returns false if it has fewer. */
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

/* Runs the call on clear data; $.yes is true, and derived from the secret. */
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

UNIT_TESTS(tmpl_secrecy_functions)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_every_function_of_a_secret_is_secret),
	    cmocka_unit_test(test_every_argument_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
