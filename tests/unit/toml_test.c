/*
 * toml: the library's own results and errors, and limits.
 */
#include "toml/toml.h"
#include "json/json.h"

#include "asserts.h"

#include <stdio.h>

#include "toml_cases.h"

/* Decoded and encoded again, or the errors, as the library has them. */
static void test_library(void **state UNUSED)
{
	for (size_t i = 0; i < COUNT_OF(toml_cases); i++) {
		ARENA_AUTO arena = arena_new(ARENA_PLAIN);
		struct buf buf = buf_in(arena);
		struct value value;
		sv error;

		if (!toml_decode(arena, sv_from(toml_cases[i].text, toml_cases[i].len), &value,
		                 &error)) {
			BUF_ADD_LIT(&buf, "ERR ");
			buf_add(&buf, error);
		} else {
			assert_true(toml_encode(&buf, &value, &error));
		}
		assert_sv(buf_sv(&buf), toml_cases[i].result);
	}
}

static void test_types(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct value v;
	sv error;

	assert_true(toml_decode(arena,
	                        SV("i = 1\nf = 1.0\nb = true\ns = 'x'\nd = 2020-01-02 03:04:05z\n"
	                           "a = [1]\n[t]\n[[u]]\nx = 1\n[[u]]\n"),
	                        &v, &error));
	assert_ptr_equal(v.type, &type_any_map);
	assert_ptr_equal(value_path(&v, "i")->type, &type_int64);
	assert_ptr_equal(value_path(&v, "f")->type, &type_float64);
	assert_ptr_equal(value_path(&v, "b")->type, &type_bool);
	assert_ptr_equal(value_path(&v, "s")->type, &type_string);
	assert_ptr_equal(value_path(&v, "d")->type, &toml_type_time);
	assert_sv(value_path(&v, "d")->string, "2020-01-02T03:04:05Z");
	assert_ptr_equal(value_path(&v, "a")->type, &type_any_list);
	assert_ptr_equal(value_path(&v, "t")->type, &type_any_map);
	assert_ptr_equal(value_path(&v, "u")->type, &toml_type_tables);
	assert_int_equal(value_count(value_path(&v, "u")), 2);
}

/* The library's output for data that come from JSON. */
static void assert_encodes(const char *json, const char *want)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct buf buf = buf_in(arena);
	struct value value;
	sv error;

	BUF_ADD_LIT(&buf, "# ");
	assert_true(json_decode(arena, sv_from_cstr(json), &value, &error));
	if (toml_encode(&buf, &value, &error)) {
		assert_sv(sv_from_offset(buf_sv(&buf), 2), want);
	} else {
		assert_sv(error, want);
		assert_int_equal(buf.len, 2);
	}
}

static void test_encode(void **state UNUSED)
{
	assert_encodes("{\"a\":{\"b\":1}}", "[a]\n  b = 1.0\n");
	assert_encodes("[1,2]", "[1.0, 2.0]");
	assert_encodes("\"x\"", "\"x\"");
	assert_encodes("{}", "");
	assert_encodes("{\"a\":[]}", "a = []\n");
	assert_encodes("{\"a\":null,\"b\":1e21}", "b = 1e+21\n");
	assert_encodes("{\"a\":[1,null]}", "toml: cannot encode array with nil element");
	assert_encodes("[{\"a\":1}]", "toml: top-level values must be Go maps or structs");
	assert_encodes("{\"a\":[[{\"b\":1,\"c\":null}]]}", "a = [[{b = 1.0, }]]\n");
	assert_encodes("{\"z\":1,\"a\":[{\"b\":[{\"c\":1}],\"d\":2}],\"b c\":{\"\":{}}}",
	               "z = 1.0\n\n[[a]]\n  d = 2.0\n\n  [[a.b]]\n    c = 1.0\n\n"
	               "[\"b c\"]\n  [\"b c\".\"\"]\n");
}

static void test_encode_go_types(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct buf buf = buf_in(arena);
	struct value map = value_map_new(arena);
	struct value pointed = value_string(SV("p"));
	sv error;

	value_map_set(arena, &map, SV("i"), value_int(1));
	value_map_set(arena, &map, SV("p"),
	              (struct value){.type = &type_string_ptr, .target = &pointed});
	value_map_set(arena, &map, SV("n"), (struct value){.type = &type_string_ptr});
	value_map_set(arena, &map, SV("y"),
	              (struct value){.type = &type_bytes, .string = SV("hi")});
	value_map_set(arena, &map, SV("l"), (struct value){.type = &type_any_list});
	assert_true(toml_encode(&buf, &map, &error));
	assert_sv(buf_sv(&buf), "i = 1\np = \"p\"\ny = [104, 105]\n");

	map.type = &type_any_key_map;
	assert_false(toml_encode(&buf, &map, &error));
	assert_sv(error, "toml: cannot encode a map with non-string key type");
}

static void test_depth(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct buf text = buf_in(arena);
	struct value value;
	sv error;

	BUF_ADD_LIT(&text, "a = ");
	buf_add_repeat(&text, '[', 100000);
	assert_false(toml_decode(arena, buf_sv(&text), &value, &error));
	assert_sv(error, "toml: line 1 (last key \"a\"): values are nested too deeply");
	/* Header names nest, too. */
	text.len = 0;
	buf_add_char(&text, '[');
	for (int i = 0; i < 5000; i++)
		BUF_ADD_LIT(&text, "a.");
	BUF_ADD_LIT(&text, "a]\n");
	assert_false(toml_decode(arena, buf_sv(&text), &value, &error));
}

UNIT_TESTS(toml)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_library), cmocka_unit_test(test_types),
	    cmocka_unit_test(test_encode),  cmocka_unit_test(test_encode_go_types),
	    cmocka_unit_test(test_depth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
