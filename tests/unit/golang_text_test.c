/* Quoting, numbers, durations. */
#include "golang/golang.h"

#include "asserts.h"

static void test_quote(void **state)
{
	(void)state;
	static const struct {
		sv text;
		const char *quoted;
	} pairs[] = {
	    {SV_INIT("plain"), "\"plain\""},
	    {SV_INIT("a\"b\\c"), "\"a\\\"b\\\\c\""},
	    {SV_INIT("\a\b\f\n\r\t\v"), "\"\\a\\b\\f\\n\\r\\t\\v\""},
	    {SV_INIT("\x00\x1f\x7f"), "\"\\x00\\x1f\\x7f\""},
	    {SV_INIT("\xff\xc3"), "\"\\xff\\xc3\""},
	    {SV_INIT("\xc3\xa9\xe2\x80\xa8\xc2\xa0"), "\"\xc3\xa9\\u2028\\u00a0\""},
	    {SV_INIT("\xf0\x9f\x98\x80\xf3\xb0\x80\x80"), "\"\xf0\x9f\x98\x80\\U000f0000\""},
	};
	static const char *const bad[] = {"",          "\"",     "a",       "\"a",
	                                  "\"\n\"",    "\"\"\"", "\"\\\"",  "\"\\x4\"",
	                                  "\"\\'\"",   "'ab'",   "\"\\/\"", "\"\\ud83d\\ude00\"",
	                                  "\"\\400\"", "`a`b`"};
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	sv text;

	for (size_t i = 0; i < COUNT_OF(pairs); i++) {
		assert_sv(go_strconv_quote(arena, pairs[i].text), pairs[i].quoted);
		if (!utf8_valid(pairs[i].text))
			continue;
		assert_true(go_strconv_unquote(arena, sv_from_cstr(pairs[i].quoted), &text));
		assert_true(sv_eq(text, pairs[i].text));
	}
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		assert_false(go_strconv_unquote(arena, sv_from_cstr(bad[i]), &text));
	assert_true(go_strconv_unquote(arena, SV("`a\\n\r\n`"), &text));
	assert_sv(text, "a\\n\n");
	assert_true(go_strconv_unquote(arena, SV("'\\''"), &text));
	assert_sv(text, "'");
	assert_true(go_strconv_unquote(arena, SV("\"\\101\\xff\\u00e9\""), &text));
	assert_sv(text, "A\xff\xc3\xa9");
}

static void test_numbers(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	int64_t number = 0;
	uint64_t natural = 0;
	bool flag = false;
	sv error = {0};

	assert_true(go_strconv_parse_int(arena, SV("+5"), 32, &number, &error));
	assert_int_equal(number, 5);
	assert_true(go_strconv_parse_int(arena, SV("-2147483648"), 32, &number, &error));
	assert_int_equal(number, INT32_MIN);
	assert_true(go_strconv_parse_int(arena, SV("-9223372036854775808"), 64, &number, &error));
	assert_true(number == INT64_MIN);
	assert_false(go_strconv_parse_int(arena, SV("2147483648"), 32, &number, &error));
	assert_sv(error, "strconv.ParseInt: parsing \"2147483648\": value out of range");
	assert_false(go_strconv_parse_int(arena, SV(" 1"), 32, &number, &error));
	assert_sv(error, "strconv.ParseInt: parsing \" 1\": invalid syntax");
	assert_false(go_strconv_parse_uint(arena, SV("+1"), 64, &natural, &error));
	assert_true(go_strconv_parse_uint(arena, SV("18446744073709551615"), 64, &natural, &error));
	assert_true(natural == UINT64_MAX);
	assert_false(
	    go_strconv_parse_uint(arena, SV("18446744073709551616"), 64, &natural, &error));
	assert_true(go_strconv_parse_bool(arena, SV("T"), &flag, &error) && flag);
	assert_true(go_strconv_parse_bool(arena, SV("False"), &flag, &error) && !flag);
	assert_false(go_strconv_parse_bool(arena, SV("yes"), &flag, &error));
	assert_sv(error, "strconv.ParseBool: parsing \"yes\": invalid syntax");
}

static void test_durations(void **state)
{
	(void)state;
	/* docs/spec/controller.md 4.2 */
	static const struct {
		const char *text;
		const char *canonical;
	} good[] = {
	    {"90s", "1m30s"},
	    {"1h", "1h0m0s"},
	    {"1500ms", "1.5s"},
	    {"0", "0s"},
	    {"250\xc2\xb5s", "250\xc2\xb5s"},
	    {"250us", "250\xc2\xb5s"},
	    {"1h30m", "1h30m0s"},
	    {"1.5h", "1h30m0s"},
	    {"-1s", "-1s"},
	    {"+.5m", "30s"},
	    {"1h1ns", "1h0m0.000000001s"},
	    {"2562047h47m16.854775807s", "2562047h47m16.854775807s"},
	    {"-2562047h47m16.854775808s", "-2562047h47m16.854775808s"},
	};
	static const struct {
		const char *text;
		const char *error;
	} bad[] = {
	    {"", "time: invalid duration \"\""},
	    {"1", "time: missing unit in duration \"1\""},
	    {"1d", "time: unknown unit \"d\" in duration \"1d\""},
	    {"h", "time: invalid duration \"h\""},
	    {".s", "time: invalid duration \".s\""},
	    {"9223372036854775808ns", "time: invalid duration \"9223372036854775808ns\""},
	    {"1\xc3\xa9", "time: unknown unit \"\\xc3\\xa9\" in duration \"1\\xc3\\xa9\""},
	};
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	int64_t nanoseconds;
	sv error;

	for (size_t i = 0; i < COUNT_OF(good); i++) {
		assert_true(
		    go_duration_parse(arena, sv_from_cstr(good[i].text), &nanoseconds, &error));
		assert_sv(go_duration_format(arena, nanoseconds), good[i].canonical);
	}
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		assert_false(
		    go_duration_parse(arena, sv_from_cstr(bad[i].text), &nanoseconds, &error));
		assert_sv(error, bad[i].error);
	}
}

UNIT_TESTS(golang_text)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_quote),
	    cmocka_unit_test(test_numbers),
	    cmocka_unit_test(test_durations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
