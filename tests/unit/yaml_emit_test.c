/*
 * yaml: what is written, and that it reads back to the same.
 */
#include "yaml/yaml.h"
#include "json/json.h"

#include "dice.h"
#include "texts.h"

#include <stdio.h>

#include "yaml_sigs_cases.h"

static const struct yml_format plain_format = {0};
static const struct yml_format sops_format = {.quote_all_strings = true};

static void assert_emits(const char *json, struct yml_format format, const char *want)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct value value = json_value_of(arena, sv_from_cstr(json));
	struct buf buf = buf_in(arena);

	yml_emit(&buf, &value, format);
	assert_sv(buf_sv(&buf), want);
}

/* The value as written reads back to itself. */
static void assert_survives(struct arena *arena, const struct value *value,
                            struct yml_format format)
{
	struct buf buf = buf_in(arena);

	yml_emit(&buf, value, format);
	struct yml_documents documents = yaml_documents_of(arena, SV("out.yaml"), buf_sv(&buf));
	assert_int_equal(documents.count, 1);
	assert_true(value_equal(&documents.items[0].root, value));
}

static void test_layout(void **state UNUSED)
{
	assert_emits("{\"b\":1,\"a\":{\"x\":[1,{\"y\":null,\"z\":[]},[true,[2]],{}],\"w\":{}}}",
	             plain_format,
	             "b: 1\n"
	             "a:\n"
	             "  x:\n"
	             "  - 1\n"
	             "  - \"y\": null\n"
	             "    z: []\n"
	             "  - - true\n"
	             "    - - 2\n"
	             "  - {}\n"
	             "  w: {}\n");
	assert_emits("[]", plain_format, "[]\n");
	assert_emits("{}", plain_format, "{}\n");
	assert_emits("[1.5,-0.25,1e21,123456789.5,9223372036854775808]", plain_format,
	             "- 1.5\n- -0.25\n- 1e+21\n- 1.234567895e+08\n- 9223372036854775808\n");
}

static void test_blocks(void **state UNUSED)
{
	assert_emits("{\"a\":\"x\\ny\\n\",\"b\":\"x\\n\\n  "
	             "y\",\"c\":\"x\\n\\n\",\"d\":[\"x\\ny\\n\",{\"e\":\"x\\n\"}]}",
	             plain_format,
	             "a: |\n  x\n  y\n"
	             "b: |-\n  x\n\n    y\n"
	             "c: |+\n  x\n\n"
	             "d:\n- |\n  x\n  y\n- e: |\n    x\n");
	/* A first line that is indented itself, or empty: the indentation is said. */
	assert_emits("[\"  x\\ny\\n\",\"\\nx\\n\"]", plain_format,
	             "- |2\n    x\n  y\n- |2\n\n  x\n");
	/* Spaces at line ends, and tabs inside, a block can carry. */
	assert_emits("[\"x \\n\\ty\\n\"]", plain_format, "- |\n  x \n  \ty\n");
	/* What appliers' writers would break, and what no block carries. */
	assert_emits(
	    "[\"\\tx\\ny\",\"\\n\\n x\\n\",\"\\n\",\"x\\n \",\"x\\r\\ny\",\"x\\n\\u0007\"]",
	    plain_format,
	    "- \"\\tx\\ny\"\n- \"\\n\\n x\\n\"\n- \"\\n\"\n- \"x\\n \"\n- \"x\\r\\ny\"\n- "
	    "\"x\\n\\a\"\n");
	assert_emits("\"a\\nb\"", plain_format, "|-\n  a\n  b\n");
}

static void test_quotes(void **state UNUSED)
{
	static const char *const strings[] = {
	    "",
	    "y",
	    "N",
	    "yes",
	    "On",
	    "oFF",
	    "TRUE",
	    "null",
	    "~",
	    "nil",
	    ".inf",
	    "-.INF",
	    ".nan",
	    "<<",
	    "=",
	    "0",
	    "1",
	    "-1",
	    "+1",
	    "0755",
	    "0o17",
	    "0x1F",
	    "0b1",
	    "1_000",
	    "1e3",
	    "1.",
	    ".5",
	    "1.5e-3",
	    ".",
	    "+",
	    "1,000",
	    "12:30",
	    "1:2:3.4",
	    "2020-01-01",
	    "2020-01-01T00:00:00Z",
	    "2020-1",
	    " a",
	    "a ",
	    "a: b",
	    "a:",
	    "a #b",
	    "#a",
	    "- a",
	    "-",
	    "---",
	    "--- a",
	    "...",
	    "? a",
	    ": a",
	    "?a",
	    ":a",
	    "[a",
	    "]",
	    "{a",
	    "}",
	    ",a",
	    "&a",
	    "*a",
	    "!a",
	    "|",
	    ">",
	    "'a",
	    "\"a",
	    "%a",
	    "@a",
	    "`a",
	    "a\tb",
	    "0123456789012345678901234567890",
	    "1__0",
	    "1e",
	    "0x",
	    "-0x1",
	    "\xC2\xA0",
	    ("\xEF\xBB\xBF"
	     "a"),
	};
	static const char *const clear[] = {
	    "a",
	    "v1.2.3",
	    "10.0.0.1",
	    "10.0.0.0/16",
	    "-a",
	    "--flag=x",
	    "a:b",
	    "a#b",
	    "a'b",
	    "a\"b",
	    "https://x:6443",
	    "a, b",
	    "a [b] {c}",
	    "$(x)",
	    "/etc/x",
	    "ENC[AES256_GCM,data:x]",
	    "_a",
	    "\xC3\xA9",
	    "\xF0\x9F\x98\x80",
	    "1.2.3",
	    "12ab",
	    "0700-x",
	    "1a",
	    "yesterday",
	    "~a",
	    "=a",
	    "<a",
	    "a\\b",
	    "<sealed:x#0123>",
	    "==",
	    "20m",
	    "1.31.0",
	    "_1",
	};
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);

	for (size_t i = 0; i < COUNT_OF(strings) + COUNT_OF(clear); i++) {
		bool is_clear = i >= COUNT_OF(strings);
		struct value value = value_string(
		    sv_from_cstr(is_clear ? clear[i - COUNT_OF(strings)] : strings[i]));
		struct buf buf = buf_in(arena);

		yml_emit(&buf, &value, plain_format);
		assert_int_equal(buf.ptr[0] == '"', !is_clear);
		assert_survives(arena, &value, plain_format);
		buf.len = 0;
		yml_emit(&buf, &value, sops_format);
		assert_int_equal(buf.ptr[0], '"');
	}
	assert_emits("[\"\\\"\\\\\\u0000\\u001b\\u0085\\u2028\\ufeff\\u007f\"]", plain_format,
	             "- \"\\\"\\\\\\x00\\e\\x85\\u2028\\uFEFF\\x7F\"\n");
}

static void test_quote_all(void **state UNUSED)
{
	assert_emits("{\"a\":\"x\",\"b\":1,\"c\":true,\"d\":null,\"e\":\"x\\ny\\n\",\"f\":[\"\"]}",
	             sops_format, "a: \"x\"\nb: 1\nc: true\nd: null\ne: |\n  x\n  y\nf:\n- \"\"\n");
}

static void test_not_utf8(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct buf buf = buf_in(arena);
	struct value value = value_string(SV("a\xFF\nb"));

	yml_emit(&buf, &value, plain_format);
	assert_sv(buf_sv(&buf), "\"a\xEF\xBF\xBD\\nb\"\n");
	buf.len = 0;
	yml_emit_sigs(&buf, &value);
	assert_sv(buf_sv(&buf), "|-\n  a\xEF\xBF\xBD\n  b\n");
}

static void test_keys(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct value map = value_map_new(arena);
	struct buf key = buf_in(arena);

	assert_emits("{\"y\":1,\"1\":2,\"a b\":3,\"\":4,\"a\\nb\":5,\"#\":6,\"a: b\":7}",
	             plain_format,
	             "\"y\": 1\n\"1\": 2\na b: 3\n\"\": 4\n\"a\\nb\": 5\n\"#\": 6\n\"a: b\": 7\n");
	/* Readers look for the colon within 1024 characters. */
	buf_add_repeat(&key, 'k', 5000);
	struct value inner = value_map_new(arena);
	struct value list = value_list_new(arena);
	value_list_add(arena, &list, value_string(SV("x\ny\n")));
	value_map_set(arena, &inner, buf_sv(&key), list);
	value_map_set(arena, &map, buf_sv(&key), inner);
	value_map_set(arena, &map, SV("a"), inner);
	assert_survives(arena, &map, plain_format);
}

/* ---- generated trees --------------------------------------------------------------------- */

static sv random_text(struct dice *dice, struct arena *arena)
{
	static const char *const parts[] = {
	    "a",        "b ",
	    " c",       "\n",
	    "\n\n",     "\t",
	    ":",        ": ",
	    " #",       "- ",
	    "\"",       "'",
	    "\\",       "{",
	    "[",        "%",
	    "\xC3\xA9", "\xE2\x80\xA8",
	    "\xC2\x85", "\xF0\x9F\x98\x80",
	    "\x07",     "\r",
	    "0",        "1",
	    ".",        "e",
	    "_",        "-",
	    "+",        "yes",
	    "null",     "2020-01-01",
	    "  ",       "word ",
	};
	struct buf buf = buf_in(arena);

	for (unsigned i = roll(dice, 8); i > 0; i--)
		buf_add_cstr(&buf, parts[roll(dice, COUNT_OF(parts))]);
	return buf_sv(&buf);
}

static struct value random_value(struct dice *dice, struct arena *arena, unsigned depth)
{
	struct value v;

	switch (roll(dice, depth > 0 ? 10 : 7)) {
	case 0:
		return value_null();
	case 1:
		return value_bool(roll(dice, 2));
	case 2:
		return (struct value){.type = &type_int64,
		                      .integer = (int64_t)roll(dice, 1000) - 500};
	case 7:
		v = value_list_new(arena);
		for (unsigned i = roll(dice, 4); i > 0; i--)
			value_list_add(arena, &v, random_value(dice, arena, depth - 1));
		return v;
	case 8:
	case 9:
		v = value_map_new(arena);
		for (unsigned i = roll(dice, 4); i > 0; i--)
			value_map_set(arena, &v, random_text(dice, arena),
			              random_value(dice, arena, depth - 1));
		return v;
	default:
		return value_string(random_text(dice, arena));
	}
}

static void test_generated(void **state UNUSED)
{
	struct dice dice = {11};
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);

	for (unsigned i = 0; i < 3000; i++) {
		struct value value = random_value(&dice, arena, 4);

		assert_survives(arena, &value, i % 2 ? sops_format : plain_format);
		arena_reset(arena);
	}
}

static void test_member_offset(void **state UNUSED)
{
	static const struct {
		const char *json;
		const char *want; /* from the member `spec` on; null if there is none */
	} cases[] = {
	    {"{\"a\": 1, \"spec\": {\"b\": 2}, \"z\": 3}", "spec:\n  b: 2\nz: 3\n"},
	    {"{\"spec\": 1}", "spec: 1\n"},
	    {"{\"spec\": {}}", "spec: {}\n"},
	    {"{\"a\": \"x\\nspec:\\n y\\n\", \"spec\": [{\"spec\": 1}]}", "spec:\n- spec: 1\n"},
	    {"{\"a\": {\"spec\": 1}}", NULL},
	    {"{\"a\": [{\"spec\": 1}]}", NULL},
	    {"{\"spec:x\": 1, \"specs\": 2}", NULL},
	    {"{}", NULL},
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		ARENA_AUTO arena = arena_new(ARENA_PLAIN);
		struct value value = json_value_of(arena, sv_from_cstr(cases[i].json));
		struct buf buf = buf_in(arena);

		BUF_ADD_LIT(&buf, "# spec:\n");
		yml_emit(&buf, &value, plain_format);
		size_t at = yml_member_offset(buf_sv(&buf), SV("spec"));
		assert_int_equal(at == SV_NPOS, cases[i].want == NULL);
		if (cases[i].want)
			assert_sv(sv_from_offset(buf_sv(&buf), at), cases[i].want);
	}
}

/* ---- as sigs.k8s.io/yaml ----------------------------------------------------------------- */

static void test_sigs(void **state UNUSED)
{
	for (size_t i = 0; i < COUNT_OF(sigs_cases); i++) {
		ARENA_AUTO arena = arena_new(ARENA_PLAIN);
		struct value value =
		    json_value_of(arena, sv_from(sigs_cases[i].json, sigs_cases[i].json_len));
		struct buf buf = buf_in(arena);

		yml_emit_sigs(&buf, &value);
		assert_sv(buf_sv(&buf), sigs_cases[i].yaml);
	}
}

UNIT_TESTS(yaml_emit)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_layout),        cmocka_unit_test(test_blocks),
	    cmocka_unit_test(test_quotes),        cmocka_unit_test(test_quote_all),
	    cmocka_unit_test(test_not_utf8),      cmocka_unit_test(test_keys),
	    cmocka_unit_test(test_generated),     cmocka_unit_test(test_sigs),
	    cmocka_unit_test(test_member_offset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
