/*
 * shape: what a reader reports, what it takes, and the JSON Schema of a table.
 */
#include "shape/shape.h"
#include "yaml/yaml.h"
#include "json/json.h"

#include "asserts.h"

enum { OLD = SHAPE_OWN };

static const struct shape_member reference_members[] = {
    {.name = "name", .flags = SHAPE_FILLED},
    {.name = "key", .pattern = "^[a-z]+$"},
    {.name = "kind", .flags = SHAPE_FILLED, .choices = "Secret|ConfigMap"},
};
static const struct shape reference = SHAPE("Reference", reference_members);

static const struct shape_member item_members[] = {
    {.name = "path", .flags = SHAPE_REQUIRED},
    {.name = "mode", .type = SHAPE_INT32, .most = 511},
};
static const struct shape item = SHAPE("Item", item_members);

static const struct shape_member size_member = {
    .name = "size", .type = SHAPE_INT, .flags = SHAPE_NULLABLE};
static const struct shape sizes = {.name = "Sizes", .others = &size_member};
static sv colors(struct arena *arena UNUSED)
{
	return SV("red|green");
}

static const struct shape_member root_members[] = {
    {.name = "name", .flags = SHAPE_FILLED, .help = "its name"},
    {.name = "kind", .choices = "big|small", .initial = "small", .help = "how large it is"},
    {.name = "token", .of = &reference, .flags = SHAPE_SECRET},
    {.name = "items", .type = SHAPE_MAP, .form = SHAPE_LIST, .of = &item},
    {.name = "labels", .form = SHAPE_DICT},
    {.name = "lists", .form = SHAPE_LISTS},
    {.name = "dicts", .form = SHAPE_DICTS},
    {.name = "hosts", .form = SHAPE_LIST, .flags = SHAPE_NOT_EMPTY},
    {.name = "color", .choices_of = colors},
    {.name = "limit", .type = SHAPE_INT64_OR_TEXT},
    {.name = "groups", .form = SHAPE_DICT_LISTS},
    {.name = "count", .type = SHAPE_INT},
    {.name = "least", .type = SHAPE_INT, .least = 1, .most = INT64_MAX},
    {.name = "size", .type = SHAPE_UINT},
    {.name = "ratio", .type = SHAPE_FLOAT},
    {.name = "since", .type = SHAPE_TIME},
    {.name = "wait", .type = SHAPE_DURATION},
    {.name = "data", .type = SHAPE_BASE64},
    {.name = "surge", .type = SHAPE_INT_OR_TEXT, .pattern = "^[0-9]+%?$"},
    {.name = "version", .type = SHAPE_INT_OR_TEXT, .choices = "2021|new"},
    {.name = "share", .type = SHAPE_INT_OR_TEXT, .most = 100, .pattern = "%$"},
    {.name = "price", .type = SHAPE_SCALAR, .of = &reference},
    {.name = "enable", .type = SHAPE_BOOL},
    {.name = "free", .type = SHAPE_ANY},
    {.name = "sizes", .type = SHAPE_MAP, .of = &sizes},
    {.name = "before", .flags = OLD},
};
static const struct shape root = SHAPE("Root", root_members);

/* Writes a line for each problem: kind, place, and what the member must be. */
static void note(struct shape_reader *r, const struct shape_problem *problem)
{
	static const char *const kinds[] = {"unknown", "elsewhere", "type",  "negative", "large",
	                                    "choice",  "bounds",    "empty", "missing"};
	sv place = shape_place_text(r->arena, problem->place);

	buf_printf(r->context, "%s %.*s", kinds[problem->kind], SV_ARG(place));
	if (problem->entry)
		buf_printf(r->context, " %.*s %.*s", SV_ARG(problem->entry->key),
		           SV_ARG(shape_nearest(r->arena, problem->shape, problem->entry->key, 0)));
	if (problem->kind == SHAPE_WRONG_TYPE)
		buf_printf(r->context, ": %.*s",
		           SV_ARG(shape_wanted(r->arena, problem->member, problem->is_item)));
	buf_add(r->context, SV("\n"));
}

static struct value yaml(struct arena *arena, const char *text)
{
	struct sink sink = sink_in(arena);
	struct yml_documents documents = {0};
	const struct source *source = source_new(arena, SV("a.yaml"), sv_from_cstr(text), false);

	assert_int_equal(yml_parse(arena, &sink, source, &documents), STATUS_OK);
	return documents.items[0].root;
}

static sv problems_of(struct arena *arena, unsigned options, const char *text)
{
	struct buf buf = buf_in(arena);
	struct shape_reader reader = {
	    .arena = arena, .options = options, .absent = OLD, .report = note, .context = &buf};
	struct value given = yaml(arena, text);
	enum status status = shape_check(&reader, &root, NULL, &given);

	assert_int_equal(status == STATUS_OK, buf_sv(&buf).len == 0);
	return buf_sv(&buf);
}

static void right_values_pass(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);

	assert_sv(
	    problems_of(
	        arena, 0,
	        "name: a\nkind: big\ntoken: {name: t, kind: Secret}\nitems: [{path: /a, "
	        "mode: 420}, null]\n"
	        "labels: {a: b}\nlists: [[a], []]\ncount: -1\nsize: 18446744073709551615\n"
	        "ratio: 1\nsince: '2026-01-31T12:00:00Z'\nwait: 1h30m\ndata: YQ==\n"
	        "surge: 25%\nversion: 2021\nshare: 100\nenable: true\nfree: [1]\nsizes: {a: 1}\n"
	        "dicts: {a: {b: c}, d: null}\ncolor: red\nlimit: 4294967296\nprice: 5\n"
	        "groups: {a: [b]}\nleast: 1\n"),
	    "");
	assert_sv(problems_of(arena, 0, "name: a\nversion: '2021'\nshare: 101%\n"), "");
	assert_sv(problems_of(arena, 0, "name: a\nprice: {name: b, kind: Secret}\n"), "");
	assert_sv(problems_of(arena, 0, "name: a\nkind: null\nitems: null\nfree: null\n"), "");
	assert_sv(
	    problems_of(arena, SHAPE_WHOLE_FLOATS | SHAPE_FOLDS_CASE, "name: a\nCount: 3.0\n"), "");
}

static void each_problem_is_told(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);

	assert_sv(problems_of(arena, 0, "nam: a\nbefore: b\n"),
	          "unknown  nam name\nelsewhere  before before\nmissing name\n");
	assert_sv(problems_of(arena, 0, "name: ''\nkind: huge\n"), "empty name\nchoice kind\n");
	assert_sv(problems_of(arena, 0, "name: a\ntoken: {nam: x, kind: ''}\n"),
	          "unknown token nam name\nempty token.kind\nmissing token.name\n");
	assert_sv(problems_of(arena, 0,
	                      "name: a\nitems: [{path: /a, mode: 512}, {mode: 4294967296}, 5]\n"),
	          "bounds items[0].mode\nlarge items[1].mode\nmissing items[1].path\ntype "
	          "items[2]: a map\n");
	assert_sv(problems_of(arena, 0, "name: a\nsize: -1\ncount: 18446744073709551615\n"),
	          "negative size\nlarge count\n");
	assert_sv(problems_of(arena, 0, "name: a\ngroups: {a: b, b: [c]}\n"),
	          "type groups.a: a list of strings\n");
	assert_sv(
	    problems_of(arena, 0, "name: 1\nlabels: {a: 1}\nlists: [a]\n"),
	    "type name: a string\ntype labels.a: a string\ntype lists[0]: a list of strings\n");
	assert_sv(problems_of(arena, 0, "name: a\nitems: {}\nlabels: []\nlists: a\n"),
	          "type items: a list of maps\ntype labels: a map of strings\n"
	          "type lists: a list of lists of strings\n");
	assert_sv(
	    problems_of(arena, 0,
	                "name: a\nsince: today\nwait: 5\ndata: '*'\nenable: 'true'\ncount: 3.5\n"),
	    "type since: a time as RFC 3339 has it\ntype wait: a duration, such as 10m or 1h30m\n"
	    "type data: base64\ntype enable: true or false\ntype count: a whole number\n");
	assert_sv(problems_of(arena, 0, "name: a\nsizes: {a: b}\n"),
	          "type sizes.a: a whole number\n");
	assert_sv(problems_of(arena, 0, "name: a\nversion: 2022\nshare: 101\n"),
	          "choice version\nbounds share\n");
	assert_sv(problems_of(arena, 0, "name: a\nversion: old\nshare: true\n"),
	          "choice version\ntype share: a whole number or a percentage\n");
	assert_sv(
	    problems_of(arena, SHAPE_REFUSES_NULLS, "name: a\nitems: [null]\nlabels: {a: null}\n"),
	    "type items[0]: a map\ntype labels.a: a string\n");
	assert_sv(
	    problems_of(arena, SHAPE_TABLE_ORDER,
	                "enable: 1\nlabels: []\nitems: [{mode: a}]\nunknown: 1\nbefore: a\n"),
	    "unknown  unknown \nelsewhere  before before\nmissing name\nmissing items[0].path\n"
	    "type items[0].mode: a whole number of 32 bits\ntype labels: a map of strings\n"
	    "type enable: true or false\n");
	assert_sv(
	    problems_of(arena, 0, "name: a\ndicts: {a: b, c: {d: e}}\ncolor: blue\nlimit: 1.5\n"),
	    "type dicts.a: a map of strings\nchoice color\n"
	    "type limit: a number or a string\n");
	assert_sv(problems_of(arena, 0, "name: a\nhosts: []\n"), "empty hosts\n");
	assert_sv(problems_of(arena, 0, "name: a\nhosts: ['']\n"), "");
	assert_sv(problems_of(arena, 0, "name: a\ndicts: []\n"),
	          "type dicts: a map of maps of strings\n");
	assert_sv(problems_of(arena, 0, "name: a\nprice: [1]\n"), "type price: a string\n");
	assert_sv(problems_of(arena, 0, "[]\n"), "type : a map\n");
}

/* Lists and choices are the owner's; maps with a shape are not. */
static void an_outline_is_checked_alone(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct buf buf = buf_in(arena);
	struct shape_reader reader = {
	    .arena = arena, .options = SHAPE_OUTLINE, .report = note, .context = &buf};
	struct value given = yaml(arena, "name: a\nkind: huge\nitems: [5]\nlabels: {a: [1]}\n"
	                                 "groups: {a: 1}\ntoken: {nam: x}\nlists: {}\nleast: 0\n");
	struct value taken = shape_take(&reader, &root, NULL, &given);
	struct buf json = buf_in(arena);

	json_emit(&json, &taken, 0);
	assert_sv(buf_sv(&buf), "unknown token nam name\nmissing token.name\nmissing token.kind\n"
	                        "type lists: a list of lists of strings\nbounds least\n");
	assert_sv(buf_sv(&json), "{\"name\":\"a\",\"kind\":\"huge\",\"items\":[5],"
	                         "\"labels\":{\"a\":[1]},\"groups\":{\"a\":1},\"token\":{}}");
}

/* As encoding/json has it: the last of the keys in the order of JSON wins, a null item is a zero.
 */
static void what_is_right_is_taken(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct buf buf = buf_in(arena);
	struct shape_reader reader = {
	    .arena = arena, .options = SHAPE_FOLDS_CASE, .report = note, .context = &buf};
	struct value given = yaml(
	    arena,
	    "name: b\nNAME: a\nlabels: {x: null, b: 1}\nitems: [null, {path: p}]\nenable: 3\n");
	struct value taken = shape_take(&reader, &root, NULL, &given);
	struct buf json = buf_in(arena);

	json_emit(&json, &taken, 0);
	assert_sv(buf_sv(&buf), "type enable: true or false\ntype labels.b: a string\n");
	assert_sv(buf_sv(&json),
	          "{\"name\":\"b\",\"items\":[{},{\"path\":\"p\"}],\"labels\":{\"x\":\"\"}}");
}

static void nulls_are_pruned_or_refused(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	const char *text = "name: a\nlabels: {x: null, k: z}\nitems: [null]\n";
	struct buf buf = buf_in(arena);
	struct shape_reader reader = {
	    .arena = arena, .options = SHAPE_PRUNES_NULLS, .report = note, .context = &buf};
	struct value given = yaml(arena, text);
	struct value taken = shape_take(&reader, &root, NULL, &given);

	json_emit(&buf, &taken, 0);
	assert_sv(buf_sv(&buf), "type items[0]: a map\n"
	                        "{\"name\":\"a\",\"labels\":{\"k\":\"z\"},\"items\":[]}");
	assert_sv(problems_of(arena, SHAPE_REFUSES_NULLS, text),
	          "type labels.x: a string\ntype items[0]: a map\n");
	const struct value *labels = NULL;
	for (unsigned options = 0; options <= SHAPE_REFUSES_NULLS; options += SHAPE_REFUSES_NULLS) {
		struct value schema =
		    shape_json_schema(arena, &root, &(struct shape_schema){.options = options});

		labels = value_path(&schema, "properties.labels.additionalProperties.type");
		assert_int_equal(value_is_list(labels), options == 0);
	}
}

static bool is_hidden(const struct value *string)
{
	return sv_eq(string->string, SV("hidden"));
}

static void owners_leave_checks_out(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct buf buf = buf_in(arena);
	struct shape_reader reader = {.arena = arena,
	                              .options = SHAPE_TYPES_ALONE,
	                              .report = note,
	                              .is_unknown = is_hidden,
	                              .context = &buf};
	struct value given =
	    yaml(arena, "kind: huge\nitems: [{mode: 512}]\nwait: hidden\ndata: hidden\n"
	                "since: other\ncount: hidden\nlists: [[null, a], null]\n");
	struct value taken = shape_take(&reader, &root, NULL, &given);
	struct buf json = buf_in(arena);

	json_emit(&json, &taken, 0);
	assert_sv(buf_sv(&buf),
	          "type since: a time as RFC 3339 has it\ntype count: a whole number\n");
	assert_sv(buf_sv(&json),
	          "{\"kind\":\"huge\",\"items\":[{\"mode\":512}],\"wait\":\"hidden\",\"data\":"
	          "\"hidden\",\"lists\":[[\"\",\"a\"],[]]}");
}

static void a_schema_has_every_member(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct value schema =
	    shape_json_schema(arena, &root, &(struct shape_schema){.title = "Root", .absent = OLD});
	const struct value *properties = value_map_get(&schema, SV("properties"));
	struct buf json = buf_in(arena);

	assert_int_equal(value_count(properties), COUNT_OF(root_members) - 1);
	json_emit(&json, value_map_get(properties, SV("kind")), 0);
	assert_sv(buf_sv(&json),
	          "{\"type\":[\"string\",\"null\"],\"enum\":[\"big\",\"small\",null],"
	          "\"description\":\"how large it is (default small)\"}");
	json.len = 0;
	json_emit(&json, value_map_get(properties, SV("version")), 0);
	assert_sv(buf_sv(&json), "{\"type\":[\"integer\",\"string\",\"null\"],"
	                         "\"enum\":[2021,\"2021\",\"new\",null]}");
	json.len = 0;
	json_emit(&json, value_map_get(properties, SV("share")), 0);
	assert_sv(buf_sv(&json), "{\"type\":[\"integer\",\"string\",\"null\"],\"minimum\":0,"
	                         "\"maximum\":100,\"pattern\":\"%$\"}");
	json.len = 0;
	json_emit(&json, value_map_get(properties, SV("hosts")), 0);
	assert_sv(buf_sv(&json), "{\"type\":[\"array\",\"null\"],\"items\":{\"type\":[\"string\","
	                         "\"null\"]},\"minItems\":1}");
	json.len = 0;
	json_emit(&json, value_map_get(properties, SV("token")), 0);
	assert_sv(buf_sv(&json),
	          "{\"anyOf\":[{\"type\":\"string\"},{\"$ref\":\"#/definitions/Reference\"}"
	          ",{\"type\":\"null\"}]}");
	json.len = 0;
	json_emit(&json, value_map_get(properties, SV("groups")), 0);
	json_emit(&json, value_map_get(properties, SV("least")), 0);
	assert_sv(buf_sv(&json),
	          "{\"type\":[\"object\",\"null\"],\"additionalProperties\":"
	          "{\"type\":[\"array\",\"null\"],\"items\":{\"type\":[\"string\",\"null\"]}}}"
	          "{\"type\":[\"integer\",\"null\"],\"minimum\":1}");
	json.len = 0;
	json_emit(&json, value_path(&schema, "definitions.Item"), 0);
	assert_sv(buf_sv(&json),
	          "{\"type\":\"object\",\"properties\":{\"path\":{\"type\":\"string\"},"
	          "\"mode\":{\"type\":[\"integer\",\"null\"],\"minimum\":0,\"maximum\":511}},"
	          "\"required\":[\"path\"],\"additionalProperties\":false}");
	json.len = 0;
	json_emit(&json, value_map_get(properties, SV("lists")), 0);
	assert_sv(buf_sv(&json),
	          "{\"type\":[\"array\",\"null\"],\"items\":{\"type\":[\"array\",\"null\"],"
	          "\"items\":{\"type\":[\"string\",\"null\"]}}}");
	json.len = 0;
	json_emit(&json, value_map_get(properties, SV("price")), 0);
	assert_sv(buf_sv(&json), "{\"anyOf\":[{\"type\":[\"string\",\"number\",\"boolean\"]},"
	                         "{\"$ref\":\"#/definitions/Reference\"},{\"type\":\"null\"}]}");
	json.len = 0;
	json_emit(&json, value_map_get(properties, SV("labels")), 0);
	assert_sv(buf_sv(&json), "{\"type\":[\"object\",\"null\"],\"additionalProperties\":"
	                         "{\"type\":[\"string\",\"null\"]}}");
	json.len = 0;
	json_emit(&json, value_map_get(properties, SV("surge")), 0);
	assert_sv(buf_sv(&json),
	          "{\"type\":[\"integer\",\"string\",\"null\"],\"pattern\":\"^[0-9]+%?$\"}");
}

static void an_encrypted_document_is_not_checked(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct value schema = shape_json_schema(
	    arena, &reference, &(struct shape_schema){.title = "Root", .may_be_encrypted = true});
	struct buf json = buf_in(arena);

	json_emit(&json, &schema, 0);
	assert_sv(buf_sv(&json),
	          "{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"title\":\"Root\","
	          "\"type\":\"object\",\"if\":{\"required\":[\"sops\"]},\"else\":{\"type\":"
	          "\"object\",\"properties\":"
	          "{\"name\":{\"type\":\"string\",\"minLength\":1},\"key\":{\"type\":"
	          "[\"string\",\"null\"],\"pattern\":\"^[a-z]+$\"},\"kind\":{\"type\":\"string\","
	          "\"enum\":[\"Secret\",\"ConfigMap\"],\"minLength\":1}},\"required\":[\"name\","
	          "\"kind\"],"
	          "\"additionalProperties\":false}}");
}

static void an_output_may_get_more_members(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct value schema =
	    shape_json_schema(arena, &root, &(struct shape_schema){.is_output = true});
	struct buf json = buf_in(arena);

	assert_null(value_map_get(&schema, SV("additionalProperties")));
	json_emit(&json, value_path(&schema, "definitions.Sizes"), 0);
	assert_sv(buf_sv(&json), "{\"type\":\"object\",\"properties\":{},"
	                         "\"additionalProperties\":{\"type\":[\"integer\",\"null\"]}}");
}

static void a_schema_takes_names_in_any_case(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct value definitions = value_map_new(arena);
	struct value schema = shape_map_schema(
	    arena, &item, &(struct shape_schema){.options = SHAPE_FOLDS_CASE}, &definitions);
	struct buf json = buf_in(arena);

	json_emit(&json, value_map_get(&schema, SV("patternProperties")), 0);
	assert_sv(buf_sv(&json), "{\"^([pP][aA][tT][hH]|[mM][oO][dD][eE])$\":true}");
}

UNIT_TESTS(shape)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(right_values_pass),
	    cmocka_unit_test(each_problem_is_told),
	    cmocka_unit_test(what_is_right_is_taken),
	    cmocka_unit_test(nulls_are_pruned_or_refused),
	    cmocka_unit_test(owners_leave_checks_out),
	    cmocka_unit_test(an_outline_is_checked_alone),
	    cmocka_unit_test(a_schema_has_every_member),
	    cmocka_unit_test(an_output_may_get_more_members),
	    cmocka_unit_test(an_encrypted_document_is_not_checked),
	    cmocka_unit_test(a_schema_takes_names_in_any_case),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
