/*
 * What is a variable of Flux's postBuild and envsubst, and what is not.
 */
#include "kube/kube.h"

#include "asserts.h"

static void assert_found(const char *text, const char *expected)
{
	size_t length;
	size_t at;

	assert_true(kube_variable_find(sv_from_cstr(text), 0, &at, &length));
	assert_sv(sv_slice(sv_from_cstr(text), at, at + length), expected);
}

static void test_found(void **state)
{
	(void)state;
	assert_found("${NAME}", "${NAME}");
	assert_found("a-${_n1}-b", "${_n1}");
	assert_found("${} ${1} ${A} ${B}", "${A}");
}

static void test_forms(void **state)
{
	static const char *const forms[] = {"${A:-b}", "${A:=b}", "${A-b}",   "${A:?b}", "${A:+b}",
	                                    "${A#b}",  "${A%%b}", "${A/b/c}", "${A^^}",  "${A,,}"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(forms); i++)
		assert_found(forms[i], forms[i]);
}

static void test_none(void **state)
{
	static const char *const texts[] = {"",       "$A",        "$(A)",  "${}",   "${1}", "${A",
	                                    "${A b}", "${A:-b\n}", "$ {A}", "{{A}}", "${",   "$"};
	size_t length;
	size_t at;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(texts); i++)
		assert_false(kube_variable_find(sv_from_cstr(texts[i]), 0, &at, &length));
	assert_false(kube_variable_find(SV("${A\0b}"), 0, &at, &length));
}

static void test_second(void **state)
{
	sv text = SV("${A} ${B}");
	size_t length;
	size_t at;

	(void)state;
	assert_true(kube_variable_find(text, 4, &at, &length));
	assert_int_equal(at, 5);
	assert_int_equal(length, 4);
}

UNIT_TESTS(kube_variable)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_found),
	    cmocka_unit_test(test_forms),
	    cmocka_unit_test(test_none),
	    cmocka_unit_test(test_second),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
