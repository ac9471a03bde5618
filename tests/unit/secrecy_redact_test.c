/* Redaction, with the fingerprints that seal/ derives. */
#include "seal/seal.h"

#include "asserts.h"

#include <stdio.h>
#include <stdlib.h>

static const struct secret token = {.name = SV_INIT("ns/token:token"),
                                    .text = SV_INIT("abcdef.0123456789abcdef"),
                                    .high_entropy = true};
static const struct secret password = {.name = SV_INIT("ns/login:password"),
                                       .text = SV_INIT("p<ss'w\"rd & s\xc3\xbc\\ss+/?"),
                                       .high_entropy = false};

static struct arena *arena;

static int set_up(void **state)
{
	(void)state;
	arena = arena_new(ARENA_SECRET);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(arena);
	return 0;
}

static struct seal_root *root_of(uint8_t first)
{
	uint8_t seed[SEAL_SEED_SIZE] = {first, 1, 2};
	struct sink sink = sink_in(arena);
	struct seal_root *root;

	assert_int_equal(seal_root_parse(&sink, NOWHERE, seal_seed_format(arena, seed), &root),
	                 STATUS_OK);
	return root;
}

static sv redacted(const struct seal_root *root, const char *cluster, const struct value *v)
{
	struct seal_fingerprint_key key = {root, sv_from_cstr(cluster)};
	struct redaction redaction = seal_redaction(&key);
	struct buf buf = buf_in(arena);

	secrecy_redact(&buf, &redaction, v);
	return buf_sv(&buf);
}

static void test_redacted_equal(void **state)
{
	static const struct {
		const char *a, *b;
		bool equal;
	} cases[] = {
	    {"", "", true},
	    {"a", "a", true},
	    {"a", "b", false},
	    {"a", "", false},
	    {"a<sealed:x#0123456789>b", "a<sealed:x#abcdef0123>b", true},
	    {"a<sealed:x#0123456789>b", "a<sealed:x>b", true},
	    {"<sealed:x#0123456789>", "<sealed:y#0123456789>", false},
	    {"<sealed:x#0123456789>a", "<sealed:x#0123456789>b", false},
	    {"<sealed:x#0123456789><sealed:y>", "<sealed:x><sealed:y#0123456789>", true},
	    {"<sealed:x#0123456789><sealed:y>", "<sealed:x>", false},
	    {"<sealed:x#y>", "<sealed:x#z>", false},
	    {"<sealed:x#0123456789>", "<sealed:x#$(reboot) >", false},
	    {"<sealed:x#0123456789", "<sealed:x#9876543210", false},
	    {"<sealed:#0123456789>", "<sealed:>", true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		sv a = sv_from_cstr(cases[i].a);
		sv b = sv_from_cstr(cases[i].b);

		if (secrecy_redacted_equal(a, b) != cases[i].equal ||
		    secrecy_redacted_equal(b, a) != cases[i].equal)
			fail_msg("%s and %s", cases[i].a, cases[i].b);
	}
}

static void test_redaction(void **state)
{
	(void)state;
	SEAL_ROOT_AUTO root = root_of(0);
	SEAL_ROOT_AUTO other = root_of(1);
	const struct taint_span spans[] = {{4, 10, &token}, {10, 13, &password}};
	const struct taint taint = {.spans = spans, .count = 2};
	struct value v = value_string(SV("key=abcdefPWD;end"));
	struct value clear = value_string(SV("<plain>"));
	sv first;

	v.taint = &taint;
	first = redacted(root, "c", &v);
	assert_true(sv_starts_with(first, SV("key=<sealed:ns/token:token#")));
	assert_true(sv_ends_with(first, SV("><sealed:ns/login:password>;end")));
	assert_int_equal(first.len, strlen("key=<sealed:ns/token:token#0123456789>"
	                                   "<sealed:ns/login:password>;end"));
	assert_true(sv_eq(first, redacted(root, "c", &v)));
	assert_false(sv_eq(first, redacted(root, "d", &v)));
	assert_false(sv_eq(first, redacted(other, "c", &v)));
	assert_true(sv_eq_cstr(redacted(NULL, "c", &v),
	                       "key=<sealed:ns/token:token><sealed:ns/login:password>;end"));
	assert_true(sv_eq_cstr(redacted(root, "c", &clear), "<plain>"));

	/* What is derived hides all of its text, also where there is none. */
	const struct taint derived = {.spans = spans, .count = 2, .derived = &password};
	struct value hidden = v;
	hidden.taint = &derived;
	assert_true(sv_eq_cstr(redacted(root, "c", &hidden), "<sealed:ns/login:password>"));
	hidden = value_string(SV(""));
	hidden.taint = taint_derived(arena, 0, &password);
	assert_true(sv_eq_cstr(redacted(root, "c", &hidden), "<sealed:ns/login:password>"));
	assert_ptr_equal(secrecy_find(&hidden), &password);

	/* A tree: the copy holds no taint and none of the secret's bytes. */
	struct value map = value_map_new(arena);
	struct value list = value_list_new(arena);
	value_list_add(arena, &list, v);
	value_list_add(arena, &list, value_int(3));
	value_map_set(arena, &map, SV("list"), list);
	value_map_set(arena, &map, SV("clear"), clear);
	struct value number = value_int(4);
	number.taint = taint_derived(arena, 0, &password);
	value_map_set(arena, &map, SV("number"), number);
	struct seal_fingerprint_key key = {root, SV("c")};
	struct redaction redaction = seal_redaction(&key);
	struct value copy = secrecy_redact_all(arena, &redaction, &map);
	assert_int_equal(value_map_get(&copy, SV("number"))->integer, 4);
	assert_true(sv_eq(value_text(value_item(value_map_get(&copy, SV("list")), 0)), first));
	assert_int_equal(value_item(value_map_get(&copy, SV("list")), 1)->integer, 3);
	assert_true(sv_eq_cstr(value_text(value_map_get(&copy, SV("clear"))), "<plain>"));
	assert_non_null(secrecy_find(&map));
}

static void test_marks(void **state)
{
	static const struct {
		const char *text, *nameless;
		bool marked, derived;
	} cases[] = {
	    {"", "", false, false},
	    {"<sealed>", "<sealed>", false, false},
	    {"a<sealed:x>b", "a<sealed>b", true, false},
	    {"<sealed:x#0123456789><sealed:y>", "<sealed><sealed>", true, false},
	    {"a <sealed:derived/n/m:token#0123456789>", "a <sealed>", true, true},
	    {"<sealed:x", "<sealed:x", true, false},
	    {"derived/n/m:token", "derived/n/m:token", false, false},
	};

	(void)state;
	assert_true(sv_eq_cstr(secrecy_mark(arena, SV("ns/name:key")), "<sealed:ns/name:key>"));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		sv text = sv_from_cstr(cases[i].text);

		if (secrecy_has_mark(text) != cases[i].marked ||
		    secrecy_has_derived_mark(text) != cases[i].derived ||
		    !sv_eq_cstr(secrecy_without_names(arena, text), cases[i].nameless))
			fail_msg("%s", cases[i].text);
	}
}

/* Text of a profile that looks like a mark, alone, as a key, and around a secret. */
static void test_spelled_marks(void **state)
{
	static const struct {
		const char *text;
		bool spells, spells_in_definition, spells_in_report;
	} cases[] = {
	    {"", false, false, false},
	    {"<sealed>, sealed:, <sealed", false, false, false},
	    {"a <sealed:ns/name:key> b", true, false, true},
	    {"<sealed:x> <sealed:y#0123456789>", true, true, true},
	    {"<sealed:x#0123456789>", true, true, false},
	    {"<sealed:x#$(reboot) >", true, true, true},
	    {"<sealed:x>", true, false, false},
	    {"<sealed:x\n#0123456789>", true, true, true},
	    {"<sealed:derived/x>", true, true, true},
	    {"<sealed:x", true, true, true},
	};
	const struct taint_span span = {4, 10, &token};
	const struct taint taint = {.spans = &span, .count = 1};
	struct position at = NOWHERE;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct value v = value_string(sv_from_cstr(cases[i].text));
		struct value map = value_map_new(arena);

		value_map_set(arena, &map, SV("a"), v);
		if (secrecy_spells_mark(&map, SECRECY_SPELLS_NONE, NOWHERE, &at) !=
		        cases[i].spells ||
		    secrecy_spells_mark(&map, SECRECY_SPELLS_PLACEHOLDERS, NOWHERE, &at) !=
		        cases[i].spells_in_definition ||
		    secrecy_spells_mark(&map, SECRECY_SPELLS_WHOLE, NOWHERE, &at) !=
		        cases[i].spells_in_report)
			fail_msg("%s", cases[i].text);
	}
	struct value map = value_map_new(arena);
	value_map_set(arena, &map, SV("a <sealed"), value_string(SV("x#0123456789>")));
	assert_true(secrecy_spells_mark(&map, SECRECY_SPELLS_PLACEHOLDERS, NOWHERE, &at));
	struct value v = value_string(SV("key=abcdef<sealed:x#0123456789>"));
	v.taint = &taint;
	assert_true(secrecy_spells_mark(&v, SECRECY_SPELLS_NONE, NOWHERE, &at));
	v.string = SV("key=<sealed:x>");
	v.taint = taint_whole(arena, v.string.len, &token);
	assert_false(secrecy_spells_mark(&v, SECRECY_SPELLS_NONE, NOWHERE, &at));
	v.taint = taint_derived(arena, v.string.len, &token);
	assert_false(secrecy_spells_mark(&v, SECRECY_SPELLS_NONE, NOWHERE, &at));
}

UNIT_TESTS(secrecy_redact)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_redaction, set_up, tear_down),
	    cmocka_unit_test(test_redacted_equal),
	    cmocka_unit_test_setup_teardown(test_marks, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_spelled_marks, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
