/*
 * yaml/python.c: plain scalars and small documents as PyYAML 6.0.3's safe loader reads them
 * (python3 -c 'import yaml; yaml.safe_load(...)').
 */
#include "yaml/yaml.h"

#include "asserts.h"

static const struct {
	const char *text;
	enum yml_python kind;
	bool prints_same;
} scalars[] = {
    {"word", YML_PYTHON_STRING, true},
    {"1e3", YML_PYTHON_STRING, true},
    {"08", YML_PYTHON_STRING, true},
    {"0o17", YML_PYTHON_STRING, true},
    {"y", YML_PYTHON_STRING, true},
    {"1.2.3", YML_PYTHON_STRING, true},
    {"-.nan", YML_PYTHON_STRING, true},
    {"12:60", YML_PYTHON_STRING, true},
    {"2024-1-2", YML_PYTHON_STRING, true},
    {"17", YML_PYTHON_INT, true},
    {"-17", YML_PYTHON_INT, true},
    {"123456789012345678901", YML_PYTHON_INT, true},
    {"+17", YML_PYTHON_INT, false},
    {"-0", YML_PYTHON_INT, false},
    {"0123", YML_PYTHON_INT, false},
    {"1_000", YML_PYTHON_INT, false},
    {"0x1f", YML_PYTHON_INT, false},
    {"0b11", YML_PYTHON_INT, false},
    {"12:30", YML_PYTHON_INT, false},
    {"0x_", YML_PYTHON_REFUSED, false},
    {"0b__", YML_PYTHON_REFUSED, false},
    {"1.5", YML_PYTHON_FLOAT, true},
    {"1.50", YML_PYTHON_FLOAT, false},
    {"1.", YML_PYTHON_FLOAT, false},
    {".5", YML_PYTHON_FLOAT, false},
    {"0.00001", YML_PYTHON_FLOAT, false},
    {"1.0e+3", YML_PYTHON_FLOAT, false},
    {"1:30.5", YML_PYTHON_FLOAT, false},
    {"-.inf", YML_PYTHON_FLOAT, false},
    {".NaN", YML_PYTHON_FLOAT, false},
    {"yes", YML_PYTHON_BOOL, false},
    {"off", YML_PYTHON_BOOL, false},
    {"true", YML_PYTHON_BOOL, false},
    {"True", YML_PYTHON_BOOL, true},
    {"", YML_PYTHON_NULL, false},
    {"~", YML_PYTHON_NULL, false},
    {"NULL", YML_PYTHON_NULL, false},
    {"2024-01-02", YML_PYTHON_TIME, true},
    {"2024-01-02 03:04:05", YML_PYTHON_TIME, true},
    {"2024-01-02T03:04:05Z", YML_PYTHON_TIME, false},
    {"2024-1-2 3:04:05", YML_PYTHON_TIME, false},
    {"2024-13-02", YML_PYTHON_REFUSED, false},
    {"2023-02-29", YML_PYTHON_REFUSED, false},
    {"2024-01-02 25:00:00", YML_PYTHON_REFUSED, false},
    {"2024-01-02 01:00:00 +24", YML_PYTHON_REFUSED, false},
    {"=", YML_PYTHON_REFUSED, false},
    {"<<", YML_PYTHON_REFUSED, false},
};

static void test_scalars(void **state UNUSED)
{
	for (size_t i = 0; i < COUNT_OF(scalars); i++) {
		bool prints_same;
		enum yml_python kind =
		    yml_python_scalar(sv_from_cstr(scalars[i].text), &prints_same);

		if (kind != scalars[i].kind)
			fail_msg("%s: %d", scalars[i].text, (int)kind);
		if (kind != YML_PYTHON_REFUSED && kind != YML_PYTHON_NULL &&
		    prints_same != scalars[i].prints_same)
			fail_msg("%s: prints the same: %d", scalars[i].text, prints_same);
	}
}

static void test_nodes(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct yml_python_nodes nodes = {0};

	assert_true(yml_python_read(arena, SV("k:\n- \"017\"\n- [a, 017]\n"), &nodes));
	assert_int_equal(nodes.count, 7);
	assert_int_equal(nodes.items[0].kind, YML_PYTHON_MAP);
	assert_int_equal(nodes.items[3].kind, YML_PYTHON_STRING);
	assert_true(nodes.items[3].is_quoted);
	assert_int_equal(nodes.items[3].depth, 2);
	assert_int_equal(nodes.items[6].kind, YML_PYTHON_INT);
	assert_int_equal(nodes.items[6].depth, 3);
}

static void test_refused(void **state UNUSED)
{
	static const char *const texts[] = {
	    "a: b: c\n",   "a: *b\n",    "a: {{ b }}\n", "a: !tag b\n", "a: [=]\n",
	    "a\n---\nb\n", "a: 'b' c\n", "[a] b\n",      "a: \x01\n",   "a: 2024-02-30\n",
	};

	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		ARENA_AUTO arena = arena_new(ARENA_PLAIN);
		struct yml_python_nodes nodes = {0};

		if (yml_python_read(arena, sv_from_cstr(texts[i]), &nodes))
			fail_msg("read: %s", texts[i]);
	}
}

UNIT_TESTS(yaml_python)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_scalars),
	    cmocka_unit_test(test_nodes),
	    cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
