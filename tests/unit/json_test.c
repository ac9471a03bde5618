/*
 * json: what is read, what is refused and where, and what is written.
 */
#include "json/json.h"

#include "asserts.h"

#include <stdio.h>

struct reading {
	struct arena *arena;
	struct sink sink;
	struct value value;
	enum status status;
};

static void read_text(struct reading *r, sv text)
{
	r->arena = arena_new(ARENA_PLAIN);
	r->sink = sink_in(r->arena);
	r->value = VALUE_INVALID;
	const struct source *source = source_new(r->arena, SV("a.json"), text, false);
	r->status = json_parse(r->arena, &r->sink, source, &r->value);
}

static void end(struct reading *r)
{
	arena_free(r->arena);
}

/* Read as a manifest and written again. */
static void assert_becomes(const char *text, unsigned flags, const char *want)
{
	struct reading r;

	read_text(&r, sv_from_cstr(text));
	assert_int_equal(r.status, STATUS_OK);
	struct buf buf = buf_in(r.arena);
	json_emit(&buf, &r.value, flags);
	assert_sv(buf_sv(&buf), want);
	end(&r);
}

static void assert_error(sv text, enum diag_code code, const char *place, const char *says)
{
	struct reading r;

	read_text(&r, text);
	assert_int_equal(r.status, STATUS_FAILED);
	assert_one_diag(&r.sink, code, place, says);
	end(&r);
}

static void test_read(void **state UNUSED)
{
	assert_becomes(" { \"b\" : [ 1 , -2.5e-1, true,false , null ], \"a\":{} } \n", 0,
	               "{\"b\":[1,-0.25,true,false,null],\"a\":{}}");
	assert_becomes("\xEF\xBB\xBF[]", 0, "[]");
	assert_becomes("\"\\u00e9\\ud83d\\ude00\\/\\\"\\\\\"", 0,
	               "\"\xC3\xA9\xF0\x9F\x98\x80/\\\"\\\\\"");
	/* Halves of pairs, and bytes that are not UTF-8, as Go has it. */
	assert_becomes("\"\\ud800\\ud800\\udc00\\udc00x\xFF\"", 0,
	               "\"\xEF\xBF\xBD\xF0\x90\x80\x80\xEF\xBF\xBDx\xEF\xBF\xBD\"");
}

static void test_numbers(void **state UNUSED)
{
	struct reading r;

	read_text(&r,
	          SV("[1, -1, 9223372036854775808, 1e3, 1.5, 1e300, -0, 18446744073709551616]"));
	assert_int_equal(r.status, STATUS_OK);
	assert_ptr_equal(value_item(&r.value, 0)->type, &type_int64);
	assert_int_equal(value_item(&r.value, 1)->integer, -1);
	assert_ptr_equal(value_item(&r.value, 2)->type, &type_uint64);
	assert_ptr_equal(value_item(&r.value, 3)->type, &type_int64);
	assert_int_equal(value_item(&r.value, 3)->integer, 1000);
	assert_ptr_equal(value_item(&r.value, 4)->type, &type_float64);
	assert_ptr_equal(value_item(&r.value, 5)->type, &type_float64);
	assert_ptr_equal(value_item(&r.value, 6)->type, &type_int64);
	assert_ptr_equal(value_item(&r.value, 7)->type, &type_float64);
	end(&r);
}

static void test_origins(void **state UNUSED)
{
	struct reading r;

	read_text(&r, SV("{\n  \"\xC3\xA9\": \"x\\ny\",\n  \"l\": [1, {\"k\": null}]\n}\n"));
	assert_int_equal(r.status, STATUS_OK);
	assert_int_equal(r.value.origin.offset, 0);
	assert_int_equal(r.value.origin.length, 43);
	const struct value_entry *first = &r.value.map->entries[0];
	assert_int_equal(first->key_origin.offset, 4);
	assert_int_equal(first->key_origin.length, 4);
	assert_int_equal(first->value.origin.offset, 10);
	assert_int_equal(first->value.origin.length, 6);
	assert_int_equal(first->value.origin.style, ORIGIN_DOUBLE_QUOTED);
	const struct value *k =
	    value_map_get(value_item(value_map_get(&r.value, SV("l")), 1), SV("k"));
	assert_place(value_position(k), "3:18");
	end(&r);
}

static void test_mistakes(void **state UNUSED)
{
	enum diag_code code = DIAG_JSON_SYNTAX;

	assert_error(SV(""), code, "1:1", "the text ends too early: expected a value");
	assert_error(SV("{\n  \"a\": x\n}"), code, "2:8", "expected a value");
	assert_error(SV("{a: 1}"), code, "1:2", "expected a key in double quotes");
	assert_error(SV("{\"a\": 1,}"), code, "1:9", "expected a key in double quotes");
	assert_error(SV("{\"a\" 1}"), code, "1:6", "expected `:` after the key");
	assert_error(SV("{\"a\": 1 \"b\": 2}"), code, "1:9", "expected `,` or `}`");
	assert_error(SV("[1 2]"), code, "1:4", "expected `,` or `]`");
	assert_error(SV("[1,]"), code, "1:4", "expected a value");
	assert_error(SV("\"a\nb\""), code, "1:3", "a string cannot hold this character unescaped");
	assert_error(SV("\"\\d\""), code, "1:3", "unknown escape");
	assert_error(SV("\"\\u12x4\""), code, "1:6", "expected four hexadecimal digits after \\u");
	assert_error(SV("-x"), code, "1:2", "expected a digit");
	assert_error(SV("1.x"), code, "1:3", "expected a digit after the point");
	assert_error(SV("1ex"), code, "1:3", "expected a digit in the exponent");
	assert_error(SV("01"), code, "1:2", "text after the end of the value");
	assert_error(SV("truf"), code, "1:4", "expected true, false or null");
	assert_error(SV("{} // c"), code, "1:4", "text after the end of the value");
	assert_error(SV("{\"a\": [1"), code, "1:9", "the text ends too early: expected `,` or `]`");
	assert_error(SV("[1e999]"), DIAG_JSON_LIMIT, "1:2", "the number is too large");
}

static void test_duplicates(void **state UNUSED)
{
	struct reading r;
	sv text = SV("{\"a\": 1, \"b\": {\"c\": 1,\n \"c\": 2}, \"a\": 3}");

	read_text(&r, text);
	assert_int_equal(r.status, STATUS_FAILED);
	assert_diag_count(&r.sink, 2);
	const struct diag *diag = r.sink.diags.items[0];
	assert_int_equal(diag->code, DIAG_JSON_DUPLICATE_KEY);
	assert_int_equal(position_line_column(diag->at).line, 2);
	assert_int_equal(diag->notes.count, 1);
	assert_int_equal(position_line_column(diag->notes.items[0].at).line, 1);
	end(&r);
}

static void test_depth(void **state UNUSED)
{
	struct reading r;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct buf text = buf_in(arena);

	buf_add_repeat(&text, '[', JSON_MAX_DEPTH);
	buf_add_repeat(&text, ']', JSON_MAX_DEPTH);
	read_text(&r, buf_sv(&text));
	assert_int_equal(r.status, STATUS_OK);
	end(&r);
	text.len = 0;
	buf_add_repeat(&text, '[', 100000);
	read_text(&r, buf_sv(&text));
	assert_int_equal(r.status, STATUS_FAILED);
	assert_int_equal(r.sink.diags.items[0]->code, DIAG_JSON_LIMIT);
	end(&r);
}

/* Results of encoding/json (Go 1.26). */
static void test_decode(void **state UNUSED)
{
	static const struct {
		sv text;
		const char *result; /* JSON, or the error */
	} cases[] = {
	    {SV_INIT("{\"a\":1,\"a\":[1.5]}"), "{\"a\":[1.5]}"},
	    {SV_INIT("x"), "invalid character 'x' looking for beginning of value"},
	    {SV_INIT("{x"), "invalid character 'x' looking for beginning of object key string"},
	    {SV_INIT("{\"a\"x"), "invalid character 'x' after object key"},
	    {SV_INIT("{\"a\":1x"), "invalid character 'x' after object key:value pair"},
	    {SV_INIT("[1x"), "invalid character 'x' after array element"},
	    {SV_INIT("\"\n\""), "invalid character '\\n' in string literal"},
	    {SV_INIT("\"\\'\""), "invalid character '\\'' in string escape code"},
	    {SV_INIT("\"\\u\"\""), "invalid character '\"' in \\u hexadecimal character escape"},
	    {SV_INIT("-\xC3"), "invalid character '\xC3\x83' in numeric literal"},
	    {SV_INIT("1.\x7F"), "invalid character '\\x7f' after decimal point in numeric literal"},
	    {SV_INIT("1e\x80"), "invalid character '\\u0080' in exponent of numeric literal"},
	    {SV_INIT("nulx"), "invalid character 'x' in literal null (expecting 'l')"},
	    {SV_INIT("1 2"), "invalid character '2' after top-level value"},
	    {SV_INIT(""), "unexpected end of JSON input"},
	    {SV_INIT("[1,"), "unexpected end of JSON input"},
	    {SV_INIT("tr"), "invalid character ' ' in literal true (expecting 'u')"},
	    {SV_INIT("[1e400]"),
	     "json: cannot unmarshal number 1e400 into Go value of type float64"},
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		ARENA_AUTO arena = arena_new(ARENA_PLAIN);
		struct buf buf = buf_in(arena);
		struct value value;
		sv error;

		if (json_decode(arena, cases[i].text, &value, &error)) {
			json_emit(&buf, &value, JSON_GO);
			assert_sv(buf_sv(&buf), cases[i].result);
		} else {
			assert_sv(error, cases[i].result);
		}
	}
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct value value;
	sv error;
	assert_true(json_decode(arena, SV("5"), &value, &error));
	assert_ptr_equal(value.type, &type_float64);
}

static void test_emit(void **state UNUSED)
{
	const char *text =
	    "{\"b\":\"<&>\\u2028\\u0001\\b\x7F\",\"a\":[1,[],{}],\"B\":{\"x\":null}}";

	assert_becomes(text, 0,
	               "{\"b\":\"<&>\\u2028\\u0001\\b\x7F\",\"a\":[1,[],{}],\"B\":{\"x\":null}}");
	assert_becomes(text, JSON_GO,
	               "{\"B\":{\"x\":null},\"a\":[1,[],{}],"
	               "\"b\":\"\\u003c\\u0026\\u003e\\u2028\\u0001\\b\x7F\"}");
	assert_becomes(
	    text, JSON_PRETTY | JSON_SORTED,
	    "{\n  \"B\": {\n    \"x\": null\n  },\n  \"a\": [\n    1,\n    [],\n    {}\n  ],\n"
	    "  \"b\": \"<&>\\u2028\\u0001\\b\x7F\"\n}");
	assert_becomes("[1e20,1e21,1.5e21,1e-6,1e-7,-1.25e-9,0.1,100,1e-10,123456789.125]", 0,
	               "[100000000000000000000,1e+21,1.5e+21,0.000001,1e-7,-1.25e-9,0.1,100,1e-10,"
	               "123456789.125]");
}

/* Structs by their JSON names. */
static void test_emit_struct(void **state UNUSED)
{
	static const struct type_field inner_fields[] = {
	    {.name = SV_INIT("Deep"), .type = &type_string, .exported = true, .json = "deep"},
	};
	static const struct type inner = {
	    .kind = KIND_STRUCT, .fields = inner_fields, .field_count = 1};
	static const struct type_field fields[] = {
	    {.name = SV_INIT("Name"), .type = &type_string, .exported = true},
	    {.name = SV_INIT("Left"), .type = &type_string, .exported = true, .json = "-"},
	    {.name = SV_INIT("Empty"),
	     .type = &type_int,
	     .exported = true,
	     .json = "empty",
	     .json_omitempty = true},
	    {.name = SV_INIT("hidden"), .type = &type_int},
	    {.name = SV_INIT("Inner"),
	     .type = &inner,
	     .exported = true,
	     .embedded = true,
	     .json_inline = true},
	    {.name = SV_INIT("Raw"), .type = &type_bytes, .exported = true, .json = "raw"},
	    {.name = SV_INIT("Nil"), .type = &type_string_ptr, .exported = true, .json = "nil"},
	};
	static const struct type type = {
	    .kind = KIND_STRUCT, .fields = fields, .field_count = COUNT_OF(fields)};
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct value deep = value_string(SV("d"));
	struct value values[] = {
	    value_string(SV("n")),
	    value_string(SV("l")),
	    value_int(0),
	    value_int(1),
	    {.type = &inner, .fields = &deep},
	    {.type = &type_bytes, .string = SV("hi")},
	    {.type = &type_string_ptr},
	};
	struct value v = {.type = &type, .fields = values};
	struct buf buf = buf_in(arena);

	json_emit(&buf, &v, 0);
	assert_sv(buf_sv(&buf), "{\"Name\":\"n\",\"deep\":\"d\",\"raw\":\"aGk=\",\"nil\":null}");
}

UNIT_TESTS(json)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_read),        cmocka_unit_test(test_numbers),
	    cmocka_unit_test(test_origins),     cmocka_unit_test(test_mistakes),
	    cmocka_unit_test(test_duplicates),  cmocka_unit_test(test_depth),
	    cmocka_unit_test(test_decode),      cmocka_unit_test(test_emit),
	    cmocka_unit_test(test_emit_struct),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
