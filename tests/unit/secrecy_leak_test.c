/* The leak scan. */
#include "codec/codec.h"
#include "golang/golang.h"
#include "secrecy/secrecy.h"
#include "json/json.h"

#include "asserts.h"

#include <stdlib.h>

static const struct secret token = {.name = SV_INIT("ns/token:token"),
                                    .text = SV_INIT("abcdef.0123456789abcdef"),
                                    .high_entropy = true};
static const struct secret password = {.name = SV_INIT("ns/login:password"),
                                       .text = SV_INIT("p<ss'w\"rd & s\xc3\xbc\\ss+/?"),
                                       .high_entropy = false};
/* Go writes "\\a" and "\\x7f" where JSON writes other escapes. */
static const struct secret bell = {.name = SV_INIT("ns/login:bell"),
                                   .text = SV_INIT("bell\aand\x7f"
                                                   "deleted"),
                                   .high_entropy = false};
static const struct secret pem = {
    .name = SV_INIT("ns/key:tls.key"),
    .text = SV_INIT("-----BEGIN PRIVATE KEY-----\n"
                    "a \"line\" that's \\quoted\n"
                    "and rings the \"bell\" \a\n"
                    "MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n"
                    "shortline\n"
                    "-----END PRIVATE KEY-----\n"),
    .high_entropy = true};

static struct arena *arena;
static struct leak_scanner *scanner;

static int set_up(void **state)
{
	(void)state;
	arena = arena_new(ARENA_SECRET);
	scanner = leak_scanner_new(arena, NULL);
	assert_true(leak_scanner_add(arena, scanner, &token));
	assert_true(leak_scanner_add(arena, scanner, &password));
	assert_true(leak_scanner_add(arena, scanner, &bell));
	assert_true(leak_scanner_add(arena, scanner, &pem));
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(arena);
	return 0;
}

/* Looks for `form` between clear bytes at every offset of a few. */
static void assert_found(sv form, const struct secret *secret)
{
	struct leak leak;

	for (size_t before = 0; before < 20; before++) {
		struct buf text = buf_in(arena);

		buf_add_repeat(&text, '#', before);
		buf_add(&text, form);
		BUF_ADD_LIT(&text, "#");
		if (!leak_scanner_find(scanner, buf_sv(&text), 0, NULL, &leak))
			fail_msg("not found: %.*s", SV_ARG(form));
		assert_ptr_equal(leak.secret, secret);
		assert_true(leak.offset >= before && leak.offset < before + 4);
	}
	/* At the very end of the text, too. */
	assert_true(leak_scanner_find(scanner, form, 0, NULL, &leak));
}

static sv json_text(sv text, unsigned flags)
{
	struct buf buf = buf_in(arena);

	json_emit_string(&buf, text, flags);
	return buf_sv(&buf);
}

static void test_forms(void **state)
{
	(void)state;
	const struct secret *secrets[] = {&token, &password, &bell};

	for (size_t i = 0; i < COUNT_OF(secrets); i++) {
		const struct secret *secret = secrets[i];
		struct buf data_url = buf_in(arena);

		data_url_add(&data_url, secret->text);
		assert_found(secret->text, secret);
		for (size_t before = 0; before < 7; before++) {
			struct buf text = buf_in(arena);
			sv inner;

			buf_add_repeat(&text, '$', before);
			buf_add(&text, secret->text);
			BUF_ADD_LIT(&text, "...");
			for (int kind = BASE64_STD; kind <= BASE64_URL_RAW; kind++) {
				struct leak leak;

				inner = base64_encode(arena, (enum base64_kind)kind, buf_sv(&text));
				assert_true(leak_scanner_find(scanner, inner, 0, NULL, &leak));
				assert_ptr_equal(leak.secret, secret);
			}
			inner = base64_encode(arena, BASE64_STD, buf_sv(&text));
			for (size_t outer = 0; outer < 4; outer++) {
				struct buf twice = buf_in(arena);
				struct leak leak;

				buf_add_repeat(&twice, '$', outer);
				buf_add(&twice, inner);
				assert_true(leak_scanner_find(
				    scanner, base64_encode(arena, BASE64_STD, buf_sv(&twice)), 0,
				    NULL, &leak));
			}
		}
		assert_found(go_url_query_escape(arena, secret->text), secret);
		assert_found(go_url_path_escape(arena, secret->text), secret);
		assert_found(sv_from_offset(buf_sv(&data_url), 6), secret);
		assert_found(sv_trim(json_text(secret->text, 0), "\""), secret);
		assert_found(sv_trim(json_text(secret->text, JSON_GO), "\""), secret);
		assert_found(sv_trim(go_strconv_quote(arena, secret->text), "\""), secret);
	}
	assert_found(SV("p<ss'\\''w\"rd & s\xc3\xbc\\ss+/?"), &password);
	/* Indented elsewhere, line by line; the marks of PEM alone are nobody's. */
	assert_found(SV("MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC"), &pem);
	assert_found(SV("a \"line\" that's \\quoted"), &pem);
	assert_found(SV("a \\\"line\\\" that's \\\\quoted"), &pem);   /* as JSON and YAML have it */
	assert_found(SV("and rings the \\\"bell\\\" \\a"), &pem);     /* YAML */
	assert_found(SV("and rings the \\\"bell\\\" \\u0007"), &pem); /* JSON */
	assert_found(SV("a \"line\" that''s \\quoted"), &pem);
	struct leak leak;
	assert_false(leak_scanner_find(scanner, SV("-----BEGIN PRIVATE KEY-----\nshortline\n"), 0,
	                               NULL, &leak));
}

/* The short escapes of YAML 1.2, section 5.7, which JSON and Go do not have. */
static void test_escapes_of_yaml(void **state)
{
	(void)state;
	static const struct secret odd = {
	    .name = SV_INIT("ns/login:odd"),
	    .text =
	        SV_INIT("tab\tbell\abs\bvt\vff\fcr\resc\x1b"
	                "quote\"back\\nel\xc2\x85nbsp\xc2\xa0ls\xe2\x80\xa8ps\xe2\x80\xa9soh\x01"
	                "del\x7f"),
	    .high_entropy = false};
	static const struct secret nul = {.name = SV_INIT("ns/login:nul"),
	                                  .text = SV_INIT("nothing\0here"),
	                                  .high_entropy = false};

	assert_true(leak_scanner_add(arena, scanner, &odd));
	assert_true(leak_scanner_add(arena, scanner, &nul));
	assert_found(
	    SV("tab\\tbell\\abs\\bvt\\vff\\fcr\\resc\\equote\\\"back\\\\nel\\Nnbsp\\_ls\\Lps"
	       "\\Psoh\\x01del\\x7F"),
	    &odd);
	assert_found(SV("nothing\\0here"), &nul);
}

/* A secret with a byte that is no UTF-8 is another text where it was stored as JSON. */
static void test_stored_as_json(void **state)
{
	static const struct secret latin1 = {.name = SV_INIT("ns/latin:password"),
	                                     .text = SV_INIT("pass\xFCword-of-it\xE2\x82"),
	                                     .high_entropy = false};
	const sv stored = SV("pass\xEF\xBF\xBDword-of-it\xEF\xBF\xBD\xEF\xBF\xBD");
	struct leak leak;

	(void)state;
	assert_true(leak_scanner_add(arena, scanner, &latin1));
	assert_found(latin1.text, &latin1);
	assert_found(stored, &latin1);
	assert_true(
	    leak_scanner_find(scanner, base64_encode(arena, BASE64_STD, stored), 0, NULL, &leak));
}

static void test_no_false_alarm(void **state)
{
	(void)state;
	struct leak leak;
	size_t size = 1 << 20;
	char *text = arena_alloc_text(arena, size);
	uint64_t noise = 1;

	for (size_t i = 0; i < size; i++) {
		noise = noise * 6364136223846793005u + 1442695040888963407u;
		text[i] = (char)(noise >> 56);
	}
	assert_false(leak_scanner_find(scanner, sv_from(text, size), 0, NULL, &leak));
	assert_false(leak_scanner_find(scanner, SV("abcdef.0123456789abcde"), 0, NULL, &leak));
	assert_false(leak_scanner_find(scanner, SV("abcdef.0123456789abcdeF"), 0, NULL, &leak));
	assert_false(leak_scanner_find(scanner, (sv){0}, 0, NULL, &leak));
	assert_false(leak_scanner_find(scanner, SV("1234567"), 0, NULL, &leak));
}

/* Makes a secret of a number: of letters and digits, with signs, with white space. */
static sv many_text(size_t kind, size_t number)
{
	if (kind == 0)
		return arena_printf(arena, "sharedprefix%zuend", number);
	if (kind == 1)
		return arena_printf(arena, "sharedprefix-%zu-end", number);
	return arena_printf(arena, "the shared words of %zu to its end", number);
}

static void test_many_secrets(void **state)
{
	(void)state;
	struct leak_scanner *child = leak_scanner_new(arena, scanner);
	enum { COUNT = 1000, KINDS = 3 };
	struct secret *secrets = ARENA_ARRAY(arena, struct secret, KINDS * COUNT);
	struct buf text = buf_in(arena);
	size_t from = 0;
	struct leak leak;

	/* Those of one kind come after another, so that the table has to make room for each. */
	for (size_t i = 0; i < KINDS * COUNT; i++) {
		/* All begin alike: the table must distinguish them behind their first bytes. */
		secrets[i].text = many_text(i / COUNT, i * 7919);
		secrets[i].name = arena_printf(arena, "s%zu", i);
		assert_true(leak_scanner_add(arena, child, &secrets[i]));
		buf_add(&text, secrets[i].text);
		buf_add_char(&text, '\n');
	}
	for (size_t i = 0; i < KINDS * COUNT; i++) {
		assert_true(leak_scanner_find(child, buf_sv(&text), from, NULL, &leak));
		assert_ptr_equal(leak.secret, &secrets[i]);
		from = leak.offset + 1;
	}
	assert_false(leak_scanner_find(child, buf_sv(&text), from, NULL, &leak));
	/* The parent's are found too, and only its own by the parent. */
	assert_true(leak_scanner_find(child, token.text, 0, NULL, &leak));
	assert_false(leak_scanner_find(scanner, buf_sv(&text), 0, NULL, &leak));
}

/* Secrets that differ at their ends alone, or in one place of a long text. */
static void test_alike_secrets(void **state)
{
	enum { COUNT = 5000 };
	(void)state;
	struct sink sink = sink_in(arena);
	const struct leak_place nowhere = {0};
	struct leak_scanner *child = leak_scanner_new(arena, NULL);
	struct secret *secrets = ARENA_ARRAY(arena, struct secret, COUNT);
	struct buf common = buf_in(arena);
	struct buf text = buf_in(arena);
	struct leak leak;

	buf_add_repeat(&common, 'k', 120);
	for (size_t i = 0; i < COUNT; i++) {
		secrets[i].text =
		    i % 2 ? arena_printf(arena, "%.*s%06zu", SV_ARG(buf_sv(&common)), i)
		          : arena_printf(arena, "%.*s%06zu%.*s", (int)(i % 100), common.ptr, i,
		                         (int)(120 - i % 100), common.ptr);
		secrets[i].name = arena_printf(arena, "s%zu", i);
		assert_true(leak_scanner_add(arena, child, &secrets[i]));
	}
	for (size_t i = 0; i < 100; i++)
		buf_add(&text, buf_sv(&common));
	/* A text of what they share takes no more than its length; without any, nothing is over. */
	assert_int_equal(leak_scanner_check_within(&sink, child, SV("f"), buf_sv(&text), &nowhere,
	                                           text.len * 64),
	                 STATUS_OK);
	for (size_t i = 0; i < COUNT; i += 249) {
		assert_true(leak_scanner_find(child, secrets[i].text, 0, NULL, &leak));
		assert_ptr_equal(leak.secret, &secrets[i]);
	}
	assert_int_equal(leak_scanner_check_within(&sink, child, SV("f"), buf_sv(&text), &nowhere,
	                                           text.len / 64),
	                 STATUS_FAILED);
	assert_diag_count(&sink, 1);
	assert_int_equal(sink.diags.items[0]->code, DIAG_SECRET_SCAN_LIMIT);
}

/* No more than some are reported of one file. */
static void test_many_leaks(void **state)
{
	enum { COUNT = 100 };
	(void)state;
	struct sink sink = sink_in(arena);
	const struct leak_place nowhere = {0};
	struct leak_scanner *child = leak_scanner_new(arena, NULL);
	struct secret secrets[COUNT] = {0};
	struct buf text = buf_in(arena);

	for (size_t i = 0; i < COUNT; i++) {
		secrets[i].text = arena_printf(arena, "secret-number-%zu-", i);
		secrets[i].name = arena_printf(arena, "s%zu", i);
		assert_true(leak_scanner_add(arena, child, &secrets[i]));
		buf_add(&text, secrets[i].text);
	}
	assert_int_equal(leak_scanner_check(&sink, child, SV("f"), buf_sv(&text), &nowhere),
	                 STATUS_FAILED);
	assert_diag_count(&sink, 20);
}

/* A ciphertext is known by its place: one byte more or less of it decides, not how it looks. */
static void test_ciphertexts(void **state)
{
	(void)state;
	static const char look[] = "data: ENC[AES256_GCM,data:";
	sv text = ARENA_CONCAT(arena, sv_from_cstr(look), token.text,
	                       SV(",iv:AAAA,tag:BBBB]\nkey: "), token.text, SV("\n"));
	size_t start = sizeof(look) - 1, end = start + token.text.len;
	size_t again = end + sizeof(",iv:AAAA,tag:BBBB]\nkey: ") - 1;
	const struct {
		struct ciphertext spans[2];
		size_t count;
		bool is_leak;
	} cases[] = {
	    {.count = 0, .is_leak = true},
	    {{{start, end}}, 1, true}, /* the one in the clear */
	    {{{start, end}, {again, again + token.text.len}}, 2, false},
	    {{{again, again + token.text.len}}, 1, true}, /* the one that looks sealed */
	    {{{0, start}, {end, text.len}}, 2, true},
	    {{{0, start}, {start, end}}, 2, true},
	    {{{0, text.len}}, 1, false},
	    {{{start, start}, {again, again}}, 2, true}, /* empty ones at its beginning */
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct sink sink = sink_in(arena);
		struct ciphertexts spans = {0};
		const struct leak_place place = {.ciphertexts = &spans};

		for (size_t j = 0; j < cases[i].count; j++)
			VEC_PUSH(arena, &spans, cases[i].spans[j]);
		assert_int_equal(leak_scanner_check(&sink, scanner, SV("f"), text, &place),
		                 cases[i].is_leak ? STATUS_FAILED : STATUS_OK);
		assert_diag_count(&sink, cases[i].is_leak ? 1 : 0);
	}
}

static void assert_masked_text(const struct secret_mask *mask, const char *text,
                               const char *expected)
{
	assert_string_equal(arena_cstr(arena, secret_mask_apply(arena, mask, sv_from_cstr(text))),
	                    expected);
}

/* Texts that begin with one another, and lines: the longest one counts. */
static void test_masks(void **state)
{
	static const struct secret nested[] = {
	    {.name = SV_INIT("a"), .text = SV_INIT("abcdef")},
	    {.name = SV_INIT("b"), .text = SV_INIT("abcd")},
	    {.name = SV_INIT("c"), .text = SV_INIT("abcdefgh")},
	    {.name = SV_INIT("d"), .text = SV_INIT("abcdxxxx")},
	    {.name = SV_INIT("e"), .text = SV_INIT("abcd")},
	    {.name = SV_INIT("f"), .text = SV_INIT("fghijklm")},
	    {.name = SV_INIT("g"), .text = SV_INIT("line one!\nline two!\n-----\n")},
	    {.name = SV_INIT("h"), .text = SV_INIT("abc")},
	    {.name = SV_INIT("i"), .text = SV_INIT("wxyy")},
	    {.name = SV_INIT("j"), .text = SV_INIT("wxyz")},
	};
	const struct secret *secrets[COUNT_OF(nested)];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(nested); i++)
		secrets[i] = &nested[i];
	const struct secret_mask *mask = secret_mask_new(arena, secrets, COUNT_OF(nested));
	assert_masked_text(mask, "abc abcd abcde", "abc *** ***e");
	assert_masked_text(mask, "abcdefg abcdefgh", "***g ***");
	assert_masked_text(mask, "abcdefghijklmn", "***n");
	assert_masked_text(mask, "abcdxxxabcdxxxx", "***xxx***");
	assert_masked_text(mask, "wxyx wxyy wxyz wxy{", "wxyx *** *** wxy{");
	assert_masked_text(mask, "a line two! -----", "a *** -----");
	assert_masked_text(secret_mask_new(arena, NULL, 0), "abcd", "abcd");
}

static void test_reports(void **state)
{
	(void)state;
	struct sink sink = sink_in(arena);
	const struct leak_place nowhere = {0};
	struct secret little = {
	    .name = SV_INIT("l"), .text = SV_INIT(" 1234567\n"), .high_entropy = false};
	sv text = ARENA_CONCAT(arena, SV("x: "), token.text, SV("\ny: "), token.text, SV("\nz: "),
	                       base64_encode(arena, BASE64_STD, password.text));

	assert_false(leak_scanner_add(arena, scanner, &little));
	assert_int_equal(
	    leak_scanner_check(&sink, scanner, SV("c/osc.yaml"), SV("clean"), &nowhere), STATUS_OK);
	assert_int_equal(leak_scanner_check(&sink, scanner, SV("c/osc.yaml"), text, &nowhere),
	                 STATUS_FAILED);
	assert_diag_count(&sink, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct diag *diag = sink.diags.items[i];

		assert_int_equal(diag->code, DIAG_SECRET_LEAK);
		assert_contains(diag->text, "c/osc.yaml");
		assert_false(sv_contains(diag->text, token.text));
	}
	assert_contains(sink.diags.items[0]->text, "ns/token:token in clear, at byte 3");
	assert_contains(sink.diags.items[1]->text, "ns/login:password in base64");
}

UNIT_TESTS(secrecy_leak)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_forms, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_escapes_of_yaml, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_stored_as_json, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_no_false_alarm, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_many_secrets, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_alike_secrets, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_many_leaks, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_ciphertexts, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_masks, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_reports, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
