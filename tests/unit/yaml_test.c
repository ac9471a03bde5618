/*
 * yaml: what is read, with positions, and what is refused.
 */
#include "value/pack.h"
#include "yaml/yaml.h"
#include "json/json.h"

#include "asserts.h"

#include <stdio.h>

/* One text, read. */
struct reading {
	struct arena *arena;
	struct sink sink;
	struct yml_documents documents;
	enum status status;
};

static void read_text(struct reading *r, sv text)
{
	r->arena = arena_new(ARENA_PLAIN);
	r->sink = sink_in(r->arena);
	r->documents = (struct yml_documents){0};
	const struct source *source = source_new(r->arena, SV("a.yaml"), text, false);
	r->status = yml_parse(r->arena, &r->sink, source, &r->documents);
}

static void end(struct reading *r)
{
	arena_free(r->arena);
}

/* The documents as JSON, one behind the other; "error" when the text is refused. */
static void assert_json(const char *text, const char *want)
{
	struct reading r;

	read_text(&r, sv_from_cstr(text));
	struct buf buf = buf_in(r.arena);
	if (r.status)
		BUF_ADD_LIT(&buf, "error");
	for (size_t i = 0; i < r.documents.count; i++) {
		if (i > 0)
			buf_add_char(&buf, ' ');
		json_emit(&buf, &r.documents.items[i].root, 0);
	}
	assert_sv(buf_sv(&buf), want);
	assert_int_equal(r.status == STATUS_FAILED, r.sink.error_count > 0);
	end(&r);
}

/* Exactly one diagnostic, at line:column. */
static void assert_error(sv text, enum diag_code code, const char *place, const char *says)
{
	struct reading r;

	read_text(&r, text);
	assert_int_equal(r.status, STATUS_FAILED);
	assert_one_diag(&r.sink, code, place, says);
	end(&r);
}

/* ---- scalars ----------------------------------------------------------------------------- */

struct scalar {
	const char *written;
	const char *json;
};

/* docs/spec/controller.md 2.1: what sigs.k8s.io/yaml makes of plain scalars. Results are the real
 * library's. */
static const struct scalar scalars[] = {
    {"y", "true"},
    {"Y", "true"},
    {"n", "false"},
    {"N", "false"},
    {"yes", "true"},
    {"Yes", "true"},
    {"YES", "true"},
    {"no", "false"},
    {"No", "false"},
    {"NO", "false"},
    {"on", "true"},
    {"On", "true"},
    {"ON", "true"},
    {"off", "false"},
    {"Off", "false"},
    {"OFF", "false"},
    {"true", "true"},
    {"True", "true"},
    {"TRUE", "true"},
    {"false", "false"},
    {"False", "false"},
    {"FALSE", "false"},
    {"yEs", "\"yEs\""},
    {"~", "null"},
    {"null", "null"},
    {"Null", "null"},
    {"NULL", "null"},
    {"", "null"},
    {"nUll", "\"nUll\""},
    {"0755", "493"},
    {"0644", "420"},
    {"-0755", "-493"},
    {"0o17", "15"},
    {"0b11", "3"},
    {"0x1F", "31"},
    {"0X1f", "31"},
    {"-0x1F", "-31"},
    {"0b-11", "-3"},
    {"0888", "888"},
    {"08", "8"},
    {"1_000", "1000"},
    {"1_", "1"},
    {"_1", "\"_1\""},
    {"1e3", "1000"},
    {"12e03", "12000"},
    {"+1", "1"},
    {"-0", "0"},
    {"-0.0", "0"},
    {"1.", "1"},
    {".5", "0.5"},
    {"1_0.5", "10.5"},
    {".5_0", "0.5"},
    {"._5", "\"._5\""},
    {".5_", "\".5_\""},
    {"1e-7", "1e-7"},
    {"1e21", "1e+21"},
    {"1e400", "\"1e400\""},
    {"0x", "\"0x\""},
    {".", "\".\""},
    {"-", "error"},
    {"12:30", "\"12:30\""},
    {"1,000", "\"1,000\""},
    {"0.1.2", "\"0.1.2\""},
    {"=", "\"=\""},
    {"2020-01-01", "\"2020-01-01\""},
    {"2020-01-01T00:00:00Z", "\"2020-01-01T00:00:00Z\""},
    {".inf", "error"},
    {"-.INF", "error"},
    {".nan", "error"},
    {".iNf", "\".iNf\""},
    {"9223372036854775807", "9223372036854775807"},
    {"9223372036854775808", "9223372036854775808"},
    {"18446744073709551615", "18446744073709551615"},
    {"18446744073709551616", "18446744073709552000"},
    {"-9223372036854775808", "-9223372036854775808"},
    {"-9223372036854775809", "-9223372036854776000"},
    {"!!str 5", "\"5\""},
    {"! x", "\"x\""},
    {"! 5", "\"5\""},
    {"!foo 5", "\"5\""},
    {"!!int \"5\"", "5"},
    {"!!float 5", "5"},
    {"!!int x", "error"},
    {"!!bool yes", "true"},
    {"!!bool 1", "error"},
    {"!!null x", "error"},
    {"!!binary aGk=", "\"hi\""},
    {"!!binary /w==", "\"\xEF\xBF\xBD\""},
    {"!!binary \"?\"", "error"},
    {"\"yes\"", "\"yes\""},
    {"'0755'", "\"0755\""},
    {"!!timestamp 2020-1-2", "\"2020-1-2\""},
    {"!!timestamp x", "error"},
};

static void test_scalars(void **state UNUSED)
{
	char text[128];
	char want[128];

	for (size_t i = 0; i < COUNT_OF(scalars); i++) {
		bool is_error = strcmp(scalars[i].json, "error") == 0;

		snprintf(text, sizeof(text), "a: %s\n", scalars[i].written);
		snprintf(want, sizeof(want), is_error ? "error" : "{\"a\":%s}", scalars[i].json);
		assert_json(text, want);
	}
}

static void test_keys(void **state UNUSED)
{
	assert_json("1: a\n0x10: b\ntrue: c\noff: d\n1.5: e\n1e6: f\n.inf: g\n2020-01-01: h\n"
	            "!!binary aGk=: i\n",
	            "{\"1\":\"a\",\"16\":\"b\",\"true\":\"c\",\"false\":\"d\",\"1.5\":\"e\","
	            "\"1e+06\":\"f\",\".inf\":\"g\",\"2020-01-01\":\"h\",\"hi\":\"i\"}");
	assert_json("? a\n: b\n&x k: 1\n*x : 2\n", "error"); /* the alias is the key k again */
	assert_json("&x k: 1\nl: *x\n", "{\"k\":1,\"l\":\"k\"}");
	assert_error(SV("~: 1\n"), DIAG_YAML_VALUE, "1:1", "null cannot be a key");
	assert_error(SV("a:\n  [x]: 1\n"), DIAG_YAML_VALUE, "2:3", "a list cannot be a key");
	assert_error(SV("9223372036854775808: 1\n"), DIAG_YAML_VALUE, "1:1",
	             "a number above 2^63-1 cannot be a key");
	/* A template that lacks its quotes. */
	assert_error(SV("a: {{ .X }}\n"), DIAG_YAML_VALUE, "1:5", "a mapping cannot be a key");
}

/* ---- structure --------------------------------------------------------------------------- */

static void test_documents(void **state UNUSED)
{
	struct reading r;

	assert_json("", "");
	assert_json("# nothing\n", "");
	assert_json("---\n---\na: 1\n...\n---\n- b\n", "null {\"a\":1} [\"b\"]");
	assert_json("\xEF\xBB\xBF"
	            "a: 1\n",
	            "{\"a\":1}");
	assert_json("a: 1\r\nb: |\r\n  x\r\n  y\r\n", "{\"a\":1,\"b\":\"x\\ny\\n\"}");
	assert_json("{\"a\": [1, \"\\u00e9\\/\"]}", "{\"a\":[1,\"\xC3\xA9/\"]}");

	read_text(&r, SV("# c\na: 1\n---\nb: 2\n"));
	assert_int_equal(r.documents.count, 2);
	assert_int_equal(position_line_column(r.documents.items[0].at).line, 2);
	assert_int_equal(position_line_column(r.documents.items[1].at).line, 4);
	end(&r);
}

static void test_merge(void **state UNUSED)
{
	assert_json("a: &x {p: 1, q: 2}\nb:\n  <<: *x\n  q: 3\n",
	            "{\"a\":{\"p\":1,\"q\":2},\"b\":{\"p\":1,\"q\":3}}");
	/* yaml.v2 merges where it stands: over what is before it. */
	assert_json("a: &x {q: 2}\nb:\n  q: 3\n  <<: *x\n", "{\"a\":{\"q\":2},\"b\":{\"q\":2}}");
	assert_json("a: &x {p: 1, q: 1}\nb: &y {p: 2}\nc:\n  <<: [*y, *x]\n",
	            "{\"a\":{\"p\":1,\"q\":1},\"b\":{\"p\":2},\"c\":{\"p\":2,\"q\":1}}");
	assert_json("\"<<\": 1\n", "{\"<<\":1}");
	assert_error(SV("a: &x [1]\nb:\n  <<: *x\n"), DIAG_YAML_VALUE, "1:7",
	             "`<<` takes a mapping, or a list of mappings");
	assert_error(SV("<<: 1\n"), DIAG_YAML_VALUE, "1:5",
	             "`<<` takes a mapping, or a list of mappings");
}

static void test_aliases(void **state UNUSED)
{
	struct reading r;

	assert_json("a: &x [1, {b: 2}]\nc: *x\n", "{\"a\":[1,{\"b\":2}],\"c\":[1,{\"b\":2}]}");
	assert_json("a: &x 1\nb: &x 2\nc: *x\n", "{\"a\":1,\"b\":2,\"c\":2}");
	assert_json("a: &x 1\n---\nb: *x\n", "error");
	assert_error(SV("a: *nobody\n"), DIAG_YAML_VALUE, "1:4",
	             "there is no anchor for this alias before it");
	assert_error(SV("a: &x [*x]\n"), DIAG_YAML_VALUE, "1:8",
	             "the anchor of this alias would hold itself");

	/* What an alias stands for is a copy, and knows where it was written. */
	read_text(&r, SV("a: &x {k: v}\nb: *x\n"));
	struct value *root = &r.documents.items[0].root;
	value_map_set(r.arena, value_map_get_mutable(root, SV("b")), SV("k"),
	              value_string(SV("w")));
	assert_sv(value_text(value_path(root, "a.k")), "v");
	assert_int_equal(value_map_get(root, SV("b"))->origin.offset, 6);
	end(&r);
}

/* ---- origins ----------------------------------------------------------------------------- */

/* The node under path is written so, in that style. */
static void assert_written(const struct value *root, const char *path, const char *written,
                           enum origin_style style)
{
	const struct value *v = value_path(root, path);

	assert_non_null(v);
	assert_int_equal(v->origin.style, style);
	assert_sv(sv_slice(v->origin.source->text, v->origin.offset,
	                   (size_t)v->origin.offset + v->origin.length),
	          written);
}

static void test_origins(void **state UNUSED)
{
	struct reading r;

	read_text(&r, SV("\xEF\xBB\xBF# \xC3\xBC\xE2\x82\xAC\n"
	                 "\xC3\xA9: plain text # c\n"
	                 "m: one\n   two\n"
	                 "s: &a !!str 'it''s'\n"
	                 "d: \"x\\ny\"\n"
	                 "l: !!str |-  # c\n  a\n\n  b\n\n"
	                 "f: >\n  a\n  b\n"
	                 "map:\n  k: 1\n  n:\n\n# c\n"
	                 "list:\n- 1\n- x: \xC3\xA9\n  y: [ 1, 2 ] \n\n"
	                 "e:\n"
	                 "fm: {a: 1} \n"));
	assert_int_equal(r.status, STATUS_OK);
	const struct value *root = &r.documents.items[0].root;
	assert_written(root, "\xC3\xA9", "plain text", ORIGIN_EXACT);
	assert_written(root, "m", "one\n   two", ORIGIN_PLAIN);
	assert_written(root, "s", "'it''s'", ORIGIN_SINGLE_QUOTED);
	assert_written(root, "d", "\"x\\ny\"", ORIGIN_DOUBLE_QUOTED);
	assert_written(root, "l", "|-  # c\n  a\n\n  b\n\n", ORIGIN_LITERAL);
	assert_written(root, "f", ">\n  a\n  b\n", ORIGIN_FOLDED);
	assert_written(root, "map", "k: 1\n  n:", ORIGIN_EXACT);
	assert_written(root, "list", "- 1\n- x: \xC3\xA9\n  y: [ 1, 2 ]", ORIGIN_EXACT);
	assert_written(root, "fm", "{a: 1}", ORIGIN_EXACT);
	assert_written(root, "e", "", ORIGIN_EXACT);
	assert_int_equal(value_map_find(root, SV("\xC3\xA9"))->key_origin.offset, 11);
	assert_int_equal(value_map_find(root, SV("m"))->key_origin.length, 1);
	end(&r);
}

/* Characters before a node shift it by their bytes, not by one each. */
static void test_many_characters(void **state UNUSED)
{
	struct reading r;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct buf text = buf_in(arena);

	for (size_t i = 0; i < 1000; i++)
		buf_printf(&text, "k%zu: \xE2\x82\xAC\xC3\xA9\xF0\x9F\x98\x80 x%zu\n", i, i);
	read_text(&r, buf_sv(&text));
	assert_int_equal(r.status, STATUS_OK);
	const struct value *root = &r.documents.items[0].root;
	assert_int_equal(value_count(root), 1000);
	for (size_t i = 0; i < 1000; i++) {
		const struct value_entry *entry = &root->map->entries[i];
		struct line_column at = position_line_column(value_position(&entry->value));

		assert_int_equal(at.line, i + 1);
		assert_int_equal(at.column, entry->key.len + 3);
		assert_int_equal(entry->value.origin.style, ORIGIN_EXACT);
	}
	end(&r);
}

/* ---- mistakes ---------------------------------------------------------------------------- */

static void test_syntax(void **state UNUSED)
{
	enum diag_code code = DIAG_YAML_SYNTAX;

	assert_error(SV("a: b\nc\nd: e\n"), code, "2:1", "expected `:` after this key");
	assert_error(SV("a: b: c\n"), code, "1:5", "a `:` is not allowed here");
	assert_error(SV("\xC3\xA9: \xC3\xA9: c\n"), code, "1:7", "a `:` is not allowed here");
	assert_error(SV("a: - b\n"), code, "1:4", "a list item is not allowed here");
	assert_error(SV("a:\n\tb: 1\n"), code, "2:1", "a tab is not allowed in the indentation");
	assert_error(SV("a: @b\n"), code, "1:4", "a value cannot start with `@`");
	assert_error(SV("a: `b`\n"), code, "1:4", "a value cannot start with ```");
	assert_error(SV("a: 1\n b: 2\n"), code, "2:3", "a `:` is not allowed here");
	assert_error(SV("a:\n    b: 1\n  c: 2\n"), code, "3:3",
	             "this does not fit the mapping around it");
	assert_error(SV("a:\n  - 1\n  b: 2\n"), code, "3:3",
	             "this does not fit the list around it");
	assert_error(SV("a: \"x\" y\n"), code, "1:8", "this does not fit the mapping around it");
	assert_error(SV("a: [1, 2\nb: 3\n"), code, "2:2", "expected `,` or `]`");
	assert_error(SV("a: {b: 1\nc: 3\n"), code, "2:2", "expected `,` or `}`");
	assert_error(SV("a: ]\n"), code, "1:4", "a value is missing here");
	assert_error(SV("a: \"x\nb: 1\n"), code, "1:4", "this quote is never closed");
	assert_error(SV("a: 'x\n---\nb: 1\n"), code, "1:4",
	             "this quote is not closed before the document ends");
	assert_error(SV("a: \"\\d\"\n"), code, "1:5", "unknown escape in a double-quoted text");
	assert_error(SV("a: \"\\xZZ\"\n"), code, "1:7",
	             "expected hexadecimal digits after the escape");
	assert_error(SV("a: |x\n  b\n"), code, "1:5", "text on the line of the block's `|` or `>`");
	assert_error(SV("a: |0\n  b\n"), code, "1:5", "the indentation of a block must be 1 to 9");
	assert_error(SV("a: *\n"), code, "1:4", "`*` starts an alias, and no name follows");
	assert_error(SV("a: !x!y z\n"), code, "1:4", "unknown tag handle");
	assert_error(SV("a: 1\n---\nb: [\n---\nc: ]\n"), code, "4:1", "a value is missing here");
	assert_error(SV("%YAML 3.0\n---\na: 1\n"), code, "1:1", "unknown version of YAML");
}

static void test_encoding(void **state UNUSED)
{
	enum diag_code code = DIAG_YAML_ENCODING;

	assert_error(SV("a: 1\nb: \xFFx\n"), code, "2:4", "byte 0xFF is not UTF-8");
	assert_error(SV("a: \xC3"), code, "1:4", "byte 0xC3 is not UTF-8");
	assert_error(SV("a: \x07\n"), code, "1:4", "the character U+0007 is not allowed in YAML");
	assert_error(SV("a: \x7F\n"), code, "1:4", "the character U+007F is not allowed in YAML");
	assert_error(SV("a: b\0c\n"), code, "1:5", "the character U+0000 is not allowed in YAML");
	assert_error(SV("a: \xC2\x80\n"), code, "1:4",
	             "the character U+0080 is not allowed in YAML");
	assert_error(SV("\xFF\xFE"
	                "a\0"),
	             code, "0:0", "the file is UTF-16 or UTF-32, not UTF-8");
	assert_error(SV("\0a\0:"), code, "0:0", "the file is UTF-16 or UTF-32, not UTF-8");
}

static void test_duplicates(void **state UNUSED)
{
	struct reading r;

	assert_error(SV("a: 1\nb: 2\na: 3\n"), DIAG_YAML_DUPLICATE_KEY, "3:1",
	             "key \"a\" is given twice");
	assert_error(SV("1: a\n\"1\": b\n"), DIAG_YAML_DUPLICATE_KEY, "2:1",
	             "key \"1\" is given twice");
	assert_error(SV("yes: a\non: b\n"), DIAG_YAML_DUPLICATE_KEY, "2:1",
	             "key \"true\" is given twice");
	assert_error(SV("x: &x {p: 1}\nb:\n  <<: *x\n  p: 1\n  p: 2\n"), DIAG_YAML_DUPLICATE_KEY,
	             "5:3", "key \"p\" is given twice");

	/* All of them, in all documents, each with its first place. */
	read_text(&r, SV("a: 1\na: {b: 1, b: 2}\n---\nc: .inf\nc: 1\n"));
	assert_int_equal(r.status, STATUS_FAILED);
	assert_diag_count(&r.sink, 4);
	const struct diag *first = r.sink.diags.items[1];
	assert_int_equal(first->code, DIAG_YAML_DUPLICATE_KEY);
	assert_int_equal(first->notes.count, 1);
	assert_int_equal(position_line_column(first->notes.items[0].at).line, 1);
	end(&r);
}

static void test_limits(void **state UNUSED)
{
	struct reading r;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct buf text = buf_in(arena);

	buf_add_repeat(&text, '[', YML_MAX_DEPTH - 1);
	buf_add_repeat(&text, ']', YML_MAX_DEPTH - 1);
	read_text(&r, buf_sv(&text));
	assert_int_equal(r.status, STATUS_OK);
	end(&r);

	text.len = 0;
	buf_add_repeat(&text, '[', 100000);
	read_text(&r, buf_sv(&text));
	assert_int_equal(r.status, STATUS_FAILED);
	assert_diag_count(&r.sink, 1);
	assert_int_equal(r.sink.diags.items[0]->code, DIAG_YAML_LIMIT);
	end(&r);

	/* A billion laughs. */
	text.len = 0;
	BUF_ADD_LIT(&text, "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
	for (int i = 1; i < 10; i++) {
		buf_printf(&text, "a%d: &a%d [", i, i);
		for (int k = 0; k < 10; k++)
			buf_printf(&text, "%s*a%d", k ? ", " : "", i - 1);
		BUF_ADD_LIT(&text, "]\n");
	}
	read_text(&r, buf_sv(&text));
	assert_int_equal(r.status, STATUS_FAILED);
	assert_int_equal(r.sink.diags.items[0]->code, DIAG_YAML_LIMIT);
	end(&r);

	/* Depth grows through aliases, too. */
	text.len = 0;
	BUF_ADD_LIT(&text, "a0: &a0 x\n");
	for (int i = 1; i < 200; i++)
		buf_printf(&text, "a%d: &a%d [*a%d]\n", i, i, i - 1);
	read_text(&r, buf_sv(&text));
	assert_int_equal(r.status, STATUS_FAILED);
	assert_int_equal(r.sink.diags.items[0]->code, DIAG_YAML_LIMIT);
	end(&r);
}

/* ---- packed values ----------------------------------------------------------------------- */

static void assert_same_origin(struct origin a, struct origin b)
{
	assert_ptr_equal(a.source, b.source);
	assert_int_equal(a.offset, b.offset);
	assert_int_equal(a.length, b.length);
	assert_int_equal(a.style, b.style);
}

static void assert_same(const struct value *a, const struct value *b)
{
	assert_ptr_equal(a->type, b->type);
	assert_true(value_equal(a, b));
	assert_same_origin(a->origin, b->origin);
	for (size_t i = 0; value_is_list(a) && i < value_count(a); i++)
		assert_same(value_item(a, i), value_item(b, i));
	for (size_t i = 0; value_is_map(a) && i < value_count(a); i++) {
		const struct value_entry *left = &a->map->entries[i];
		const struct value_entry *right = &b->map->entries[i];

		assert_true(sv_eq(left->key, right->key));
		assert_same_origin(left->key_origin, right->key_origin);
		assert_ptr_equal(value_map_find(b, left->key), right);
		assert_same(&left->value, &right->value);
	}
}

static void test_packed(void **state)
{
	static const char *const texts[] = {
	    "{a: [1, -1, 0, 18446744073709551615, -9223372036854775808, 1.5, 0644, true, no, null, "
	    "~]}",
	    "'a b': \"c\"\n\"d\\n\": 'it''s'\ne: plain\n  over two lines\nf: \"\"\ng: ''\nh:\n",
	    "a: |\n  one\n  two\nb: >-\n  three\n  four\n1: {}\ntrue: []\n",
	    "a: &x {b: [1, {c: d}]}\ne: *x\nf: {<<: *x, g: *x}\n",
	    "a: {b: 1, c: 2, d: 3, e: 4, f: 5, g: 6, h: 7, i: 8, j: 9, k: 10, l: 11, m: 12, n: 13}",
	    "\xEF\xBB\xBF"
	    "a: \xC3\xA4\n",
	    "a\0:\0 \0"
	    "b\0",
	    "text",
	    "- - - -1\n- x: !!str 1\n",
	};
	struct reading r;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		read_text(&r, sv_from_cstr(texts[i]));
		assert_int_equal(r.status, STATUS_OK);
		const struct value *root = &r.documents.items[0].root;
		struct buf buf = buf_in(r.arena);
		BUF_ADD_LIT(&buf, "before");
		assert_true(value_pack(&buf, root->origin.source, root));
		/* The packed bytes are all that is needed. */
		ARENA_AUTO packed = arena_new(ARENA_PLAIN);
		sv bytes = arena_dup(packed, sv_from_offset(buf_sv(&buf), strlen("before")));
		const struct value copy = value_unpack(packed, root->origin.source, bytes.ptr);
		assert_same(root, &copy);
		end(&r);
	}
}

/* What no parser makes of the source is refused, and leaves no bytes. */
static void test_not_packed(void **state)
{
	static const struct secret secret = {
	    .name = SV_INIT("s"), .text = SV_INIT("hunter2"), .high_entropy = false};
	struct reading r;

	(void)state;
	read_text(&r, SV("a: {b: [c]}\n"));
	const struct value *root = &r.documents.items[0].root;
	struct value tainted = value_copy(r.arena, root);
	struct value made = value_copy(r.arena, root);
	struct value shifted = value_copy(r.arena, root);
	struct buf buf = buf_in(r.arena);
	struct value *item = value_item_mutable(
	    value_map_get_mutable(value_map_get_mutable(&tainted, SV("a")), SV("b")), 0);

	item->taint = taint_whole(r.arena, item->string.len, &secret);
	value_map_set(r.arena, value_map_get_mutable(&made, SV("a")), SV("d"), value_int(1));
	value_map_get_mutable(value_map_get_mutable(&shifted, SV("a")), SV("b"))->list_from = 1;
	assert_false(value_pack(&buf, root->origin.source, &tainted));
	assert_false(value_pack(&buf, root->origin.source, &made));
	assert_false(value_pack(&buf, root->origin.source, &shifted));
	assert_false(value_pack(&buf, NULL, root));
	assert_int_equal(buf.len, 0);
	assert_true(value_pack(&buf, root->origin.source, root));
	end(&r);
}

UNIT_TESTS(yaml)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_packed),          cmocka_unit_test(test_not_packed),
	    cmocka_unit_test(test_scalars),         cmocka_unit_test(test_keys),
	    cmocka_unit_test(test_documents),       cmocka_unit_test(test_merge),
	    cmocka_unit_test(test_aliases),         cmocka_unit_test(test_origins),
	    cmocka_unit_test(test_many_characters), cmocka_unit_test(test_syntax),
	    cmocka_unit_test(test_encoding),        cmocka_unit_test(test_duplicates),
	    cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
