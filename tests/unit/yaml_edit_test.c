/* Members set in text: at their place, in its style, and nothing else. */
#include "asserts.h"

#include "yaml/yaml.h"

static const sv path[] = {SV_INIT("a"), SV_INIT("b"), SV_INIT("c")};

static struct yml_edit edit_of(sv scalar, sv text)
{
	return (struct yml_edit){.item = YML_NO_ITEM,
	                         .path = path,
	                         .path_count = COUNT_OF(path),
	                         .scalar = scalar,
	                         .value = value_string(text)};
}

static void test_styles(void **state)
{
	static const struct {
		const char *before;
		const char *after;
	} rows[] = {
	    {"a:\n  b:\n    c: x\n", "a:\n  b:\n    c: \"7\"\n"},
	    {"a:\n  b:\n    c: 'x' # why\n", "a:\n  b:\n    c: '7' # why\n"},
	    {"a:\n  b:\n    c:\n", "a:\n  b:\n    c: \"7\"\n"},
	    {"a:\n  b:\n    d: 1\n", "a:\n  b:\n    c: \"7\"\n    d: 1\n"},
	    {"a:\n    b:\n        # of d\n        d: 1\n",
	     "a:\n    b:\n        c: \"7\"\n        # of d\n        d: 1\n"},
	    {"a:\n    d: 1\n", "a:\n    b:\n        c: \"7\"\n    d: 1\n"},
	    {"a:\n", "a:\n  b:\n    c: \"7\"\n"},
	    {"a: ~ # later\n", "a: {b: {c: \"7\"}} # later\n"},
	    {"a: {}", "a: {b: {c: \"7\"}}"},
	    {"a: {b: , d: 1}", "a: {b: {c: \"7\"} , d: 1}"},
	    {"a: {b: {d: 1}}\r\n", "a: {b: {c: \"7\", d: 1}}\r\n"},
	    {"a: {\n  b: {\n    d: 1\n  }\n}\n", "a: {\n  b: {\n    c: \"7\",\n    d: 1\n  }\n}\n"},
	    {"{\"a\": {\"b\": null}}", "{\"a\": {\"b\": {\"c\": \"7\"}}}"},
	    {"a:\r\n  d: 1", "a:\r\n  b:\r\n    c: \"7\"\r\n  d: 1"},
	    {"a:\n  - 1\n---\na: {}\n", NULL},       /* a list; the second document is not it */
	    {"a: &x {b: {}}\nd: *x\n", NULL},        /* d would change, too */
	    {"a: &x\n  b: {}\nd: {<<: *x}\n", NULL}, /* likewise */
	    {"x: &x {c: 1}\na: {b: *x}\n", NULL},    /* an alias */
	    {"a: text\n", NULL},
	    {"a: {b: {c: {}}}\n", NULL},
	};
	const struct yml_edit edit = edit_of(SV("\"7\""), SV("7"));

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		ARENA_AUTO arena = arena_new(ARENA_PLAIN);
		sv text = SV("");
		size_t failed = 9;
		bool done =
		    yml_set_members(arena, sv_from_cstr(rows[i].before), &edit, 1, &text, &failed);

		if (done != (rows[i].after != NULL))
			fail_msg("%s: %s", done ? "taken" : "refused", rows[i].before);
		if (done)
			assert_sv(text, rows[i].after);
		else
			assert_int_equal(failed, 0);
	}
}

static void test_several(void **state)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct yml_edit edits[3];
	size_t failed = 9;
	sv text;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(edits); i++)
		edits[i] = edit_of(SV("'7'"), SV("7"));
	edits[0].document = 1;
	edits[0].item = 1;
	edits[1].document = 1;
	edits[1].item = 0;
	assert_true(yml_set_members(
	    arena, SV("a: 1\n---\nitems:\n- a:\n    d: 1\n- x: 1\n  a: {}\n---\na: {b: {c: 1}}\n"),
	    edits, 2, &text, &failed));
	assert_sv(text, "a: 1\n---\nitems:\n- a:\n    b:\n      c: '7'\n    d: 1\n- x: 1\n  a: {b: "
	                "{c: '7'}}\n---\na: {b: {c: 1}}\n");
	/* The third is of a document that is not there. */
	edits[2].document = 5;
	assert_false(yml_set_members(arena, SV("---\n---\nitems: [{a: {}}, {a: {}}]\n"), edits, 3,
	                             &text, &failed));
	assert_int_equal(failed, 2);
}

UNIT_TESTS(yaml_edit)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_styles),
	    cmocka_unit_test(test_several),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
