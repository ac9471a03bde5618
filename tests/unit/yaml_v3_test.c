/* yaml.v3, as templates' toYaml and fromYaml have it. */
#include "yaml/yaml.h"

#include "asserts.h"

#include <stdio.h>

#include "yaml_v3_cases.h"

/* Decoded and encoded again, as the library does both. */
static void test_library(void **state UNUSED)
{
	for (size_t i = 0; i < COUNT_OF(v3_cases); i++) {
		ARENA_AUTO arena = arena_new(ARENA_PLAIN);
		struct buf buf = buf_in(arena);
		struct value value;
		sv error;

		if (!yml_decode_v3(arena, sv_from_cstr(v3_cases[i].text), v3_cases[i].wants_list,
		                   &value, &error)) {
			BUF_ADD_LIT(&buf, "ERR ");
			buf_add(&buf, error);
			buf_add_char(&buf, '\n');
		}
		assert_true(yml_emit_v3(&buf, &value, &error));
		assert_sv(buf_sv(&buf), v3_cases[i].result);
	}
}

static void test_types(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct value v;
	sv error;

	assert_true(yml_decode_v3(arena,
	                          SV("i: 1\nu: 9223372036854775808\nf: 1.0\nb: true\ny: yes\n"
	                             "t: 2020-01-02T03:04:05.5+02:00\nm: {a: 1}\nk: {1: 2}\n"),
	                          false, &v, &error));
	assert_ptr_equal(v.type, &type_any_map);
	assert_ptr_equal(value_path(&v, "i")->type, &type_int);
	assert_ptr_equal(value_path(&v, "u")->type, &type_uint64);
	assert_ptr_equal(value_path(&v, "f")->type, &type_float64);
	assert_ptr_equal(value_path(&v, "b")->type, &type_bool);
	assert_ptr_equal(value_path(&v, "y")->type, &type_string);
	assert_ptr_equal(value_path(&v, "t")->type, &yml_type_time);
	assert_sv(value_path(&v, "t")->string, "2020-01-02 03:04:05.5 +0200 +0200");
	assert_ptr_equal(value_path(&v, "m")->type, &type_any_map);
	assert_ptr_equal(value_path(&v, "k")->type, &type_any_key_map);
	assert_ptr_equal(value_path(&v, "k")->map->entries[0].typed_key->type, &type_int);
}

/* Go types: structs by their fields' names, bytes as numbers, nil pointers as null. */
static void test_go_types(void **state UNUSED)
{
	static const struct type_field fields[] = {
	    {.name = SV_INIT("IPFamily"), .type = &type_string, .exported = true},
	    {.name = SV_INIT("hidden"), .type = &type_string},
	    {.name = SV_INIT("Other"), .type = &type_string_ptr, .exported = true, .yaml = "oth"},
	    {.name = SV_INIT("Raw"), .type = &type_bytes, .exported = true},
	    {.name = SV_INIT("None"), .type = &type_string_list, .exported = true},
	};
	static const struct type type = {
	    .kind = KIND_STRUCT, .fields = fields, .field_count = COUNT_OF(fields)};
	static const struct type_field embedding[] = {
	    {.name = SV_INIT("inner"), .type = &type, .embedded = true},
	};
	static const struct type outer = {
	    .kind = KIND_STRUCT, .fields = embedding, .field_count = 1};
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct value values[] = {
	    value_string(SV("IPv4+IPv6")), value_string(SV("x")),
	    {.type = &type_string_ptr},    {.type = &type_bytes, .string = SV("hi")},
	    {.type = &type_string_list},
	};
	struct value v = {.type = &type, .fields = values};
	struct value o = {.type = &outer, .fields = &v};
	struct buf buf = buf_in(arena);
	sv error;

	assert_true(yml_emit_v3(&buf, &v, &error));
	assert_sv(buf_sv(&buf),
	          "ipfamily: IPv4+IPv6\noth: null\nraw:\n    - 104\n    - 105\nnone: []\n");
	buf.len = 0;
	assert_false(yml_emit_v3(&buf, &o, &error));
	assert_true(sv_starts_with(error, SV("reflect.Value.Interface: ")));
	assert_int_equal(buf.len, 0);
	v = value_string(SV("\xFF\xFE"));
	assert_true(yml_emit_v3(&buf, &v, &error));
	assert_sv(buf_sv(&buf), "!!binary //4=\n");
}

static void test_limits(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct buf text = buf_in(arena);
	struct value v;
	sv error;

	buf_add_repeat(&text, '[', 100000);
	assert_false(yml_decode_v3(arena, buf_sv(&text), true, &v, &error));
	assert_sv(error, "yaml: exceeded max depth of 100");

	text.len = 0;
	BUF_ADD_LIT(&text, "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
	for (int i = 1; i < 10; i++) {
		buf_printf(&text, "a%d: &a%d [", i, i);
		for (int k = 0; k < 10; k++)
			buf_printf(&text, "%s*a%d", k ? ", " : "", i - 1);
		BUF_ADD_LIT(&text, "]\n");
	}
	assert_false(yml_decode_v3(arena, buf_sv(&text), false, &v, &error));
	assert_sv(error, "yaml: document contains excessive aliasing");
}

UNIT_TESTS(yaml_v3)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_library),
	    cmocka_unit_test(test_types),
	    cmocka_unit_test(test_go_types),
	    cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
