/* Documents: what jansson reads and writes, to the byte. */
#include "json/json.h"

#include "asserts.h"

static void assert_text(sv got, sv want)
{
	if (!sv_eq(got, want))
		fail_msg("\"%.*s\", not \"%.*s\"", SV_ARG(got), SV_ARG(want));
}

static void assert_written(struct arena *arena, const struct json_t *root, sv want)
{
	struct buf buf = buf_in(arena);

	json_doc_write(&buf, root);
	assert_text(buf_sv(&buf), want);
}

static void test_write(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	JSON_DOC_AUTO root = json_doc_map();
	struct json_t *list = json_doc_list();

	json_doc_add_text(list, SV("a"));
	json_doc_add(list, json_doc_map());
	json_doc_set_text(root, "z", (sv){0});
	json_doc_set_text_if(root, "left out", SV(""));
	json_doc_set_text_if(root, "a", SV("b"));
	json_doc_set_size(root, "none", 0);
	json_doc_set_size(root, "most", INT64_MAX);
	json_doc_set(root, "empty", json_doc_list());
	json_doc_set(root, "list", list);
	assert_written(arena, root,
	               SV("{\n  \"z\": \"\",\n  \"a\": \"b\",\n"
	                  "  \"none\": 0,\n  \"most\": 9223372036854775807,\n  \"empty\": [],\n"
	                  "  \"list\": [\n    \"a\",\n    {}\n  ]\n}\n"));
}

static void test_write_texts(void **state UNUSED)
{
	static const struct {
		sv text;
		sv written;
	} cases[] = {
	    {SV_INIT("\"\\/<>&"), SV_INIT("\"\\\"\\\\/<>&\"")},
	    {SV_INIT("\b\f\n\r\t"), SV_INIT("\"\\b\\f\\n\\r\\t\"")},
	    {SV_INIT("\0"), SV_INIT("\"\\u0000\"")},
	    {SV_INIT("a\x1b[1m\x0b\x1f\x7f"), SV_INIT("\"a\\u001b[1m\\u000b\\u001f\x7f\"")},
	    {SV_INIT("\\U001B\\u001B"), SV_INIT("\"\\\\U001B\\\\u001B\"")},
	    {SV_INIT("\xC3\xA9\xE2\x80\xA8\xF0\x9F\x98\x80"),
	     SV_INIT("\"\xC3\xA9\xE2\x80\xA8\xF0\x9F\x98\x80\"")},
	    /* Latin-1, half a character, a surrogate, an overlong form */
	    {SV_INIT("Gr\xF6\xDF"
	             "e"),
	     SV_INIT("\"Gr\xEF\xBF\xBD\xEF\xBF\xBD"
	             "e\"")},
	    {SV_INIT("\xE2\x82"), SV_INIT("\"\xEF\xBF\xBD\xEF\xBF\xBD\"")},
	    {SV_INIT("\xED\xA0\x80"), SV_INIT("\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"")},
	    {SV_INIT("\xC0\x80"), SV_INIT("\"\xEF\xBF\xBD\xEF\xBF\xBD\"")},
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		ARENA_AUTO arena = arena_new(ARENA_PLAIN);
		JSON_DOC_AUTO root = json_doc_list();

		json_doc_add_text(root, cases[i].text);
		assert_written(arena, root,
		               ARENA_CONCAT(arena, SV("[\n  "), cases[i].written, SV("\n]\n")));
	}
}

struct reading {
	struct arena *arena;
	struct sink sink;
	struct json_t *root;
	enum status status;
};

static void read_text(struct reading *r, sv text)
{
	r->arena = arena_new(ARENA_PLAIN);
	r->sink = sink_in(r->arena);
	r->root = NULL;
	const struct source *source = source_new(r->arena, SV("a.json"), text, false);
	r->status = json_doc_read(&r->sink, source, &r->root);
}

static void end(struct reading *r)
{
	json_doc_free(r->root);
	arena_free(r->arena);
}

static void test_read(void **state UNUSED)
{
	struct reading r;

	read_text(&r, SV("\xEF\xBB\xBF{\"n\": -7, \"real\": 1.5, \"t\": \"\\u00e9\\u0000x\",\n"
	                 " \"null\": null, \"l\": [1, {\"k\": \"v\"}]}\n"));
	assert_int_equal(r.status, STATUS_OK);
	const struct json_t *list = json_doc_get(r.root, "l");
	assert_int_equal(json_doc_integer(json_doc_get(r.root, "n")), -7);
	assert_int_equal(json_doc_integer(json_doc_get(r.root, "real")), 0);
	assert_text(json_doc_text(json_doc_get(r.root, "t")), SV("\xC3\xA9\0x"));
	assert_true(json_doc_is_list(list));
	assert_int_equal(json_doc_count(list), 2);
	assert_text(json_doc_text(json_doc_get(json_doc_item(list, 1), "k")), SV("v"));
	/* What is not there, and what is something else. */
	assert_null(json_doc_get(r.root, "k"));
	assert_null(json_doc_get(list, "k"));
	assert_null(json_doc_get(NULL, "k"));
	assert_int_equal(json_doc_count(r.root), 0);
	assert_int_equal(json_doc_text(list).len, 0);
	assert_int_equal(json_doc_text(NULL).len, 0);
	assert_int_equal(json_doc_integer(NULL), 0);
	end(&r);
}

static void assert_error(sv text, enum diag_code code, size_t line, size_t column, const char *says)
{
	struct reading r;

	read_text(&r, text);
	assert_int_equal(r.status, STATUS_FAILED);
	assert_int_equal(r.sink.diags.count, 1);
	const struct diag *diag = r.sink.diags.items[0];
	assert_int_equal(diag->code, code);
	assert_text(diag->text, sv_from_cstr(says));
	assert_true(diag->help.len > 0);
	assert_int_equal(position_line_column(diag->at).line, line);
	assert_int_equal(position_line_column(diag->at).column, column);
	end(&r);
}

static void test_mistakes(void **state UNUSED)
{
	enum diag_code code = DIAG_JSON_SYNTAX;

	assert_error(SV(""), code, 1, 1, "the text ends too early");
	assert_error(SV("{\"a\": [1,"), code, 1, 10, "the text ends too early");
	assert_error(SV("{\n  \"a\": \"b"), code, 2, 10, "the text ends too early");
	assert_error(SV("5"), code, 1, 1, "'[' or '{' expected");
	assert_error(SV("{\n  \"a\": x\n}"), code, 2, 8, "invalid token");
	assert_error(SV("\xEF\xBB\xBF{a: 1}"), code, 1, 5, "string or '}' expected");
	assert_error(SV("{\"a\" 1}"), code, 1, 6, "':' expected");
	assert_error(SV("[1 2]"), code, 1, 4, "']' expected");
	assert_error(SV("[\"a\nb\"]"), code, 1, 3, "unexpected newline");
	assert_error(SV("[\"a\tb\"]"), code, 1, 3, "control character 0x9");
	assert_error(SV("{} {}"), code, 1, 4, "end of file expected");
	assert_error(SV("[\"\xFF\"]"), code, 1, 3, "this is not UTF-8");
	assert_error(SV("[\n<<<<<<< ours\n1\n=======\n2\n>>>>>>> theirs\n]"), DIAG_CONFLICT_MARKER,
	             2, 1, "a conflict marker: this file's merge is not finished");
	assert_error(SV("[18446744073709551616]"), DIAG_JSON_LIMIT, 1, 21,
	             "the number is too large");
	assert_error(SV("[1e999]"), DIAG_JSON_LIMIT, 1, 6, "the number is too large");
}

static void assert_twice(sv text, const char *key, size_t column)
{
	struct reading r;

	read_text(&r, text);
	assert_int_equal(r.sink.diags.count, 1);
	struct position at = r.sink.diags.items[0]->at;
	assert_int_equal(r.sink.diags.items[0]->code, DIAG_JSON_DUPLICATE_KEY);
	assert_int_equal(position_line_column(at).column, column);
	assert_text(sv_slice(text, at.offset, at.offset + at.length), sv_from_cstr(key));
	end(&r);
}

static void test_duplicates(void **state UNUSED)
{
	assert_twice(SV("{\"a\": 1, \"b\": {\"c\": 1,\n \"c\": 2}, \"a\": 3}"), "\"c\"", 2);
	assert_twice(SV("{\"\": 1,\"\":2}"), "\"\"", 8);
	assert_twice(SV("{\"\\\"\\\\\":1, \"\\\"\\\\\" : 2}"), "\"\\\"\\\\\"", 12);
	assert_twice(
	    SV("{\"a key of more than twenty bytes\":1,\"a key of more than twenty bytes\":2}"),
	    "\"a key of more than twenty bytes\"", 38);
}

static void test_depth(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct buf text = buf_in(arena);

	buf_add_repeat(&text, '[', 100000);
	assert_error(buf_sv(&text), DIAG_JSON_LIMIT, 1, 2049,
	             "lists and objects are nested too deeply");
}

UNIT_TESTS(json_document)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_write),      cmocka_unit_test(test_write_texts),
	    cmocka_unit_test(test_read),       cmocka_unit_test(test_mistakes),
	    cmocka_unit_test(test_duplicates), cmocka_unit_test(test_depth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
