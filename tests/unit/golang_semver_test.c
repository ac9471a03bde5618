/* Versions and constraints; the truth table was made with Masterminds/semver v3.4.0. */
#include "golang/golang.h"

#include "asserts.h"

static const char *const versions[] = {
    "1.33.0", "1.33.1", "1.34.0", "1.35.2", "1.35.9", "1.32.9",      "2.0.0",
    "0.2.3",  "0.2.9",  "0.3.0",  "0.0.3",  "0.0.4",  "1.33.0-rc.1", "1.33.1+k3s1",
};

/* Letter n stands for versions[n - 'a']. */
static const struct {
	const char *constraint;
	const char *allowed;
} table[] = {
    {"~1.33", "abn"},
    {"~1.33.0", "abn"},
    {"=1.33", "abn"},
    {"1.33", "abn"},
    {"1.33.x", "abn"},
    {"^1.33", "abcden"},
    {"^0.2.3", "hi"},
    {"^0.0.3", "k"},
    {"^0", "hijkl"},
    {"^0.0", "kl"},
    {">=1.33 <1.35", "abcn"},
    {">=1.33, <1.35", "abcn"},
    {"1.33 - 1.35", "abcden"},
    {"1.33.1 - 1.35.2", "bcdn"},
    {"!=1.33", "cdefghijkl"},
    {"!=1.33.1", "acdefghijkl"},
    {">1.33", "cdeg"},
    {">1.33.0", "bcdegn"},
    {"<=1.33", "abfhijkln"},
    {"=<1.33", "abfhijkln"},
    {"<=1.33.0", "afhijkl"},
    {"<1.33", "fhijkl"},
    {">=1.33", "abcdegn"},
    {"=>1.33", "abcdegn"},
    {"~>1.33.2", ""},
    {"*", "abcdefghijkln"},
    {"~*", "abcdefghijkln"},
    {">*", "abcdefghijkln"},
    {"~0.0.0", "abcdefghijkln"},
    {"^*", ""},
    {"<*", ""},
    {">= 1.29", "abcdefgn"},
    {">=1.29-0", "abcdefgmn"},
    {"~1.33.0-rc.1", "abmn"},
    {"1.33 || 1.35", "abden"},
    {"~1", "abcdefn"},
    {"^1", "abcdefn"},
    {"<2.x", "abcdefhijkln"},
    {">1.x", "g"},
    {">=1.x", "abcdefgn"},
    {"!=1.x", "ghijkl"},
    /* Accidents of the library's expressions. */
    {"1.33|", NULL},
    {"1 2", ""},
    {"v1.33", "abn"},
    {"> v1.33", "cdeg"},
    {"1.33 - 1.34 || 2", "abcgn"},
};

static void test_truth_table(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);

	for (size_t i = 0; i < COUNT_OF(table); i++) {
		struct semver_constraints *constraints;
		char allowed[COUNT_OF(versions) + 1] = "";
		size_t count = 0;
		sv error;
		bool parsed = go_semver_constraints_parse(arena, sv_from_cstr(table[i].constraint),
		                                          &constraints, &error);

		assert_int_equal(parsed, table[i].allowed != NULL);
		if (!parsed)
			continue;
		for (size_t j = 0; j < COUNT_OF(versions); j++) {
			struct semver version;

			assert_true(
			    go_semver_parse(arena, sv_from_cstr(versions[j]), &version, &error));
			if (go_semver_constraints_check(constraints, &version))
				allowed[count++] = (char)('a' + j);
		}
		assert_string_equal(allowed, table[i].allowed);
	}
}

static void test_rejected_constraints(void **state)
{
	(void)state;
	static const struct {
		const char *constraint;
		const char *error;
	} bad[] = {
	    {"", "improper constraint: "},
	    {"1.33.", "improper constraint: 1.33."},
	    {"foo", "improper constraint: foo"},
	    {"1.2.3.4", "improper constraint: 1.2.3.4"},
	    {">>1", "improper constraint: >>1"},
	    {">1 foo", "improper constraint: >1 foo"},
	    {"1,2,", "improper constraint: 1,2,"},
	    {"1.33.0 ||", "improper constraint: "},
	    {">=1.2.3 - 2", "improper constraint: >=>= 1.2.3, <= 2 "},
	    {"1.2.3 || foo", "improper constraint:  foo"},
	    {"1.2.xx", "constraint parser error"},
	};
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);

	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		struct semver_constraints *constraints;
		sv error = {0};

		assert_false(go_semver_constraints_parse(arena, sv_from_cstr(bad[i].constraint),
		                                         &constraints, &error));
		assert_sv(error, bad[i].error);
	}
}

static void test_versions(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		const char *loose;  /* what it prints, or null */
		const char *strict; /* likewise */
	} cases[] = {
	    {"1.31", "1.31.0", NULL},
	    {"v1.31.0", "1.31.0", NULL},
	    {"1.31.0", "1.31.0", "1.31.0"},
	    {"01.031.0", "1.31.0", NULL},
	    {"v1.31.0-rc.1+k3s1", "1.31.0-rc.1+k3s1", NULL},
	    {"1.31.0-rc.1+k3s1", "1.31.0-rc.1+k3s1", "1.31.0-rc.1+k3s1"},
	    {"1+m", "1.0.0+m", NULL},
	    {"V1.31", NULL, NULL},
	    {" 1.31", NULL, NULL},
	    {"1.2.3.4", NULL, NULL},
	    {"", NULL, NULL},
	    {"latest", NULL, NULL},
	    {"1.x", NULL, NULL},
	    {"1.2.3-01", NULL, NULL},
	    {"1.2.3-", NULL, NULL},
	    {"18446744073709551616", NULL, NULL},
	    {"1.2.3-18446744073709551616", "1.2.3-18446744073709551616",
	     "1.2.3-18446744073709551616"},
	};
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		sv text = sv_from_cstr(cases[i].text);
		struct semver version;
		sv error = {0};

		assert_int_equal(go_semver_parse(arena, text, &version, &error),
		                 cases[i].loose != NULL);
		if (cases[i].loose)
			assert_sv(go_semver_format(arena, &version), cases[i].loose);
		else
			assert_true(error.len > 0);
		assert_int_equal(go_semver_parse_strict(arena, text, &version, &error),
		                 cases[i].strict != NULL);
		if (cases[i].strict)
			assert_sv(go_semver_format(arena, &version), cases[i].strict);
	}
	sv error;
	struct semver version;
	assert_false(go_semver_parse(arena, SV("1.2.3-01"), &version, &error));
	assert_sv(error, "version segment starts with 0");
}

static void test_precedence(void **state)
{
	(void)state;
	/* semver.org, section 11 */
	static const char *const ordered[] = {
	    "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta",
	    "1.0.0-beta",  "1.0.0-beta.2",  "1.0.0-beta.11",
	    "1.0.0-rc.1",  "1.0.0",         "1.0.1",
	    "1.1.0",       "2.0.0",
	};
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);

	for (size_t i = 0; i < COUNT_OF(ordered); i++) {
		for (size_t j = 0; j < COUNT_OF(ordered); j++) {
			struct semver a;
			struct semver b;
			sv error;

			assert_true(go_semver_parse(arena, sv_from_cstr(ordered[i]), &a, &error));
			assert_true(go_semver_parse(arena, sv_from_cstr(ordered[j]), &b, &error));
			int order = go_semver_compare(&a, &b);
			assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
		}
	}
}

UNIT_TESTS(golang_semver)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_truth_table),
	    cmocka_unit_test(test_rejected_constraints),
	    cmocka_unit_test(test_versions),
	    cmocka_unit_test(test_precedence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
