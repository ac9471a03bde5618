/* What looks like a secret, also packed, and what does not. */
#include "codec/codec.h"
#include "secrecy/internal.h"
#include "secrecy_fixture.h"

static void assert_look(enum secrecy_look want, sv text, enum secrecy_text_kind kind)
{
	struct secrecy_finding found = secrecy_look_at(text, kind);

	if (found.look != want)
		fail_msg("%.*s: look %d (%s), want %d", SV_ARG(text), (int)found.look,
		         found.what ? found.what : "nothing", (int)want);
}

/* TEST-ONLY, all of them. */
static const char *const secrets[] = {
    "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJ0ZXN0In0.c2lnbmF0dXJl",
    "abcdef.0123456789abcdef",
    "the token abcdef.0123456789abcdef, of last week",
    "ghp_q7Rk2Vx9Lm4Tz8Wc5Nf3Bd6Hs1Jg0Yp5Aa",
    "AKIAIOSFODNN7EXAMPLE",
    "q7Rk2Vx9Lm4Tz8Wc5Nf3Bd6Hs1Jg0Yp",
    "x-q7Rk2Vx9Lm4Tz8Wc5Nf3Bd6Hs1Jg0Yp-y",
    "Authorization: Bearer opensesame12",
    "bearer: opensesame",
    "Basic cm9ib3Q6c3ByaW5nMTIz",
    "https://robot:spring@proxy.example.com:3128",
    "Server=db;Password=spring;Timeout=5",
    "{\"clientSecret\": \"spring\"}",
    "{\\\"clientSecret\\\": \\\"spring\\\"}",
    "--token spring12",
    "env:\n- name: DB_PASSWORD\n  value: spring\n",
    "$6$rounds=4096$salt$0123456789abcdefghijklmnopqrstuvwxyz",
    "0123456789abcdef0123456789abcdef",
    "password%3A%20spring",
};

static void secrets_are_recognized(void **state UNUSED)
{
	for (size_t i = 0; i < COUNT_OF(secrets); i++)
		assert_look(SECRECY_LOOKS_SECRET, sv_from_cstr(secrets[i]), SECRECY_FIELD);
}

static void secrets_are_recognized_when_packed(void **state UNUSED)
{
	for (size_t i = 0; i < COUNT_OF(secrets); i++) {
		sv text = ARENA_CONCAT(arena, SV("see "), sv_from_cstr(secrets[i]), SV(" here"));

		for (size_t depth = 0; depth < 4; depth++) {
			text = base64_encode(arena, depth % 2 ? BASE64_URL_RAW : BASE64_STD, text);
			assert_look(SECRECY_LOOKS_SECRET, text, SECRECY_FIELD);
			assert_look(SECRECY_LOOKS_SECRET,
			            ARENA_CONCAT(arena, SV("a/"), text, SV("\nb")), SECRECY_FIELD);
		}
	}
	/* gzip of "password: TEST-ONLY-spring1\n", in base64. */
	assert_look(SECRECY_LOOKS_SECRET,
	            SV("H4sIAAAAAAACAytILC4uzy9KsVIIcQ0O0fX384nULS4oysxLN+QCACDY0bEcAAAA"),
	            SECRECY_PROGRAM);
}

static sv hexadecimal(sv text, sv before_each, const char digits[17])
{
	struct buf out = buf_in(arena);

	for (size_t i = 0; i < text.len; i++) {
		uint8_t byte = (uint8_t)text.ptr[i];

		buf_add(&out, before_each);
		buf_add_char(&out, digits[byte >> 4]);
		buf_add_char(&out, digits[byte & 15]);
	}
	return buf_sv(&out);
}

/* Each byte as two hexadecimal digits, with a percent sign and without. */
static void secrets_are_recognized_in_hexadecimal(void **state UNUSED)
{
	static const char *const digits[] = {"0123456789abcdef", "0123456789ABCDEF"};
	static const sv texts[] = {SV_INIT("password: spring12jklmnoz"),
	                           SV_INIT("{\"clientSecret\": \"spring\"}")};

	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		for (size_t k = 0; k < COUNT_OF(digits); k++) {
			assert_look(SECRECY_LOOKS_SECRET, hexadecimal(texts[i], SV("%"), digits[k]),
			            SECRECY_IDENTIFIER);
			assert_look(SECRECY_LOOKS_SECRET, hexadecimal(texts[i], SV(""), digits[k]),
			            SECRECY_IDENTIFIER);
		}
	}
}

/* One DER sequence, and nothing else: X.690, 8.1. */
static void one_sequence_of_der(void **state UNUSED)
{
	static const struct {
		sv head;
		size_t filled; /* bytes after it */
		bool is_der;
	} cases[] = {
	    {SV_INIT("\x30\x02"), 2, true},
	    {SV_INIT("\x30\x03"), 2, false},
	    {SV_INIT("\x30\x01"), 2, false},
	    {SV_INIT("\x31\x02"), 2, false},
	    {SV_INIT("\x30\x7f"), 127, true},
	    {SV_INIT("\x30\x81\x80"), 128, true},
	    {SV_INIT("\x30\x81\x80"), 129, false},
	    {SV_INIT("\x30\x81\x80"), 127, false},
	    {SV_INIT("\x30\x82\x01\x02"), 258, true},
	    {SV_INIT("\x30\x82\x02\x01"), 258, false},
	    {SV_INIT("\x30\x80"), 126, false},
	    {SV_INIT("\x30\x83\x01\x00\x02"), 65538, true},
	    {SV_INIT("\x30\x82\x01"), 0, false},
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct buf der = buf_in(arena);

		buf_add(&der, cases[i].head);
		buf_add_repeat(&der, '\x05', cases[i].filled);
		if (secrecy_is_der(buf_sv(&der)) != cases[i].is_der)
			fail_msg("case %zu", i);
	}
}

static void values_are_recognized_by_their_name(void **state UNUSED)
{
	static const struct {
		sv name;
		sv text;
		enum secrecy_look want;
	} cases[] = {
	    {SV("password"), SV("spring12"), SECRECY_LOOKS_SECRET},
	    {SV("example.com/db.password"), SV("spring12"), SECRECY_LOOKS_SECRET},
	    {SV("password"), SV("{\"note\": \"spring12\"}"), SECRECY_LOOKS_SECRET},
	    {SV("password"), SV("\"spring12\""), SECRECY_LOOKS_SECRET},
	    {SV("password"), SV("{{ .Token }}"), SECRECY_LOOKS_PLAIN},
	    {SV("password"), SV(" "), SECRECY_LOOKS_PLAIN},
	    {SV("passwordRef"), SV("spring12"), SECRECY_LOOKS_PLAIN},
	    {SV("tier"), SV("spring12"), SECRECY_LOOKS_PLAIN},
	    {SV("tier"), SV("password: spring12"), SECRECY_LOOKS_SECRET},
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct secrecy_finding found =
		    secrecy_look_at_named(cases[i].name, cases[i].text, SECRECY_FIELD);

		if (found.look != cases[i].want)
			fail_msg("%.*s: %.*s: look %d", SV_ARG(cases[i].name),
			         SV_ARG(cases[i].text), (int)found.look);
	}
}

static void private_keys_are_recognized(void **state UNUSED)
{
	static const char *const keys[] = {
	    "-----BEGIN RSA PRIVATE KEY-----\nMIIBOgIBAAJBTESTONLY",
	    "-----BEGIN OPENSSH PRIVATE KEY-----",
	    "-----BEGIN PGP PRIVATE KEY BLOCK-----",
	    "AGE-SECRET-KEY-1TESTONLY",
	    "PuTTY-User-Key-File-3: ssh-ed25519",
	    "b3BlbnNzaC1rZXktdjEAAAAABG5vbmU=",
	    "MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC",
	    "LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0tCg==",
	};

	for (size_t i = 0; i < COUNT_OF(keys); i++)
		assert_look(SECRECY_LOOKS_PRIVATE_KEY, sv_from_cstr(keys[i]), SECRECY_FIELD);
	assert_look(SECRECY_LOOKS_PLAIN, SV("grep -q 'BEGIN PRIVATE KEY-----' /etc/x || exit 1"),
	            SECRECY_PROGRAM);
}

static void public_texts_are_none(void **state UNUSED)
{
	static const char *const texts[] = {
	    "",
	    "fsn1",
	    "kube-system-workers-5d8f9-x7k2p",
	    "registry.example.com/image@sha256:" /* NOLINT(bugprone-suspicious-missing-comma) */
	    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
	    "/subscriptions/12c28aa7-604d-47e9-83fb-5f1d1f1837b3/resourceGroups/Production",
	    "age1f0g29682n697tgt6xrx2sf30fw96xxysxgajs2eddjsr8e4c4s7slsenmk",
	    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJq2v0RrN3bQW1nQ6cC0yqk6yqzqLx2w0vXcY0zvH7mE "
	    "ops@example.com",
	    "https://proxy.example.com:3128",
	    "ami-0abcdef1234567890",
	    "containerRuntimeEndpoint",
	    "2025-11-02T08:00:01Z",
	    "password: {{ .Password }}",
	    "gpgkey=https://packages.example.com/yum/doc/rpm-package-key.gpg",
	    "memory.available<100Mi",
	};

	for (size_t i = 0; i < COUNT_OF(texts); i++)
		assert_look(SECRECY_LOOKS_PLAIN, sv_from_cstr(texts[i]), SECRECY_FIELD);
	assert_look(SECRECY_LOOKS_PLAIN, SV("0123456789abcdef0123456789abcdef"),
	            SECRECY_IDENTIFIER);
	assert_look(SECRECY_LOOKS_PLAIN, SV("vsw-gw8i3x5w7y9d2k4m6n8p1"), SECRECY_IDENTIFIER);
}

/* A public key's frame proves nothing: what is in it must be one. */
static void frames_are_opened(void **state UNUSED)
{
	assert_look(SECRECY_LOOKS_SECRET,
	            SV("-----BEGIN CERTIFICATE-----\ncGFzc3dvcmQ6IHNwcmluZw==\n"
	               "-----END CERTIFICATE-----\n"),
	            SECRECY_FIELD);
	assert_look(SECRECY_LOOKS_SECRET,
	            SV("ssh-ed25519 q7Rk2Vx9Lm4Tz8Wc5Nf3Bd6Hs1Jg0Yp ops@example.com"),
	            SECRECY_FIELD);
}

/* A bomb ends the search, and counts as a finding. */
static void what_is_packed_too_deep_is_found(void **state UNUSED)
{
	sv text = SV("plain words, and nothing else");

	for (size_t i = 0; i < 12; i++)
		text = base64_encode(arena, BASE64_STD, text);
	assert_int_not_equal(secrecy_look_at(text, SECRECY_IDENTIFIER).look, SECRECY_LOOKS_PLAIN);
}

static void messages_are_masked(void **state UNUSED)
{
	sv text = secrecy_mask_looks(
	    arena, SV("Secret kube-system/abcdef.0123456789abcdef: \"Bearer opensesame12\" is no "
	              "name, but ghp_q7Rk2Vx9Lm4Tz8Wc5Nf3Bd6Hs1Jg0Yp5Aa"));

	assert_true(sv_eq(text, SV("Secret *** *** is no name, but ***")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(secrets_are_recognized, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(secrets_are_recognized_when_packed, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(secrets_are_recognized_in_hexadecimal, set_up,
	                                    tear_down),
	    cmocka_unit_test_setup_teardown(one_sequence_of_der, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(values_are_recognized_by_their_name, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(private_keys_are_recognized, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(public_texts_are_none, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(frames_are_opened, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(what_is_packed_too_deep_is_found, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(messages_are_masked, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
