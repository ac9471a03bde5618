/* What looks like a secret, also packed, and what does not. */
#include "codec/codec.h"
#include "secrecy/internal.h"
#include "secrecy_fixture.h"

#include "asserts.h"

#include <stdlib.h>

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
    "abcdef.0123456789abcde%66",
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
	/* In the base64 of URLs a "-" is a letter. */
	assert_look(SECRECY_LOOKS_SECRET,
	            base64_encode(arena, BASE64_URL_RAW, SV("password: s~ring12")), SECRECY_FIELD);
	/* A long text is opened once, not from each of its bytes on. */
	struct buf words = buf_in(arena);
	for (unsigned i = 0; i < 2000; i++)
		buf_printf(&words, "it is line %u of many\n", i);
	assert_look(SECRECY_LOOKS_PLAIN, base64_encode(arena, BASE64_STD, buf_sv(&words)),
	            SECRECY_FIELD);
	/* A place is one in the text, which a layer does not have. */
	assert_int_equal(secrecy_look_at(SV("see password: spring12"), SECRECY_FIELD).offset, 4);
	assert_int_equal(
	    secrecy_look_at(base64_encode(arena, BASE64_STD, SV("see password: spring12")),
	                    SECRECY_FIELD)
	        .offset,
	    0);
	/* What an escape gives is no part of another one. */
	assert_look(SECRECY_LOOKS_SECRET, SV("pass%77ord%3A%20spring"), SECRECY_FIELD);
	assert_look(SECRECY_LOOKS_SECRET, SV("pass\\u0077ord: spring"), SECRECY_FIELD);
	assert_look(SECRECY_LOOKS_PLAIN, SV("pass%0077ord%3A%20spring"), SECRECY_FIELD);
	/* gzip of "password: TEST-ONLY-spring1\n", in base64. */
	assert_look(SECRECY_LOOKS_SECRET,
	            SV("H4sIAAAAAAACAytILC4uzy9KsVIIcQ0O0fX384nULS4oysxLN+QCACDY0bEcAAAA"),
	            SECRECY_PROGRAM);
}

/* Of texts without anything after the last byte. */
static void looks_at_nothing_behind_a_text(void **state UNUSED)
{
	for (size_t i = 0; i < COUNT_OF(secrets); i++)
		for (size_t size = 1; size <= strlen(secrets[i]); size++) {
			char *exact = malloc(size);
			sv text = sv_from(exact, size);

			memcpy(exact, secrets[i], size);
			assert_true(secrecy_mask_looks(arena, text).len > 0);
			if (size == strlen(secrets[i]))
				assert_look(SECRECY_LOOKS_SECRET, text, SECRECY_FIELD);
			free(exact);
		}
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

static void escapes_have_hexadecimal_digits(void **state UNUSED)
{
	assert_look(SECRECY_LOOKS_SECRET, SV("%70assword: spring12"), SECRECY_FIELD);
	assert_look(SECRECY_LOOKS_PLAIN, SV("%6gassword: spring12"), SECRECY_FIELD);
	assert_look(SECRECY_LOOKS_PLAIN, SV("abcdef.0123456789abcde%6"), SECRECY_FIELD);
}

static void add_ssh_part(struct buf *blob, sv part)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		buf_add_char(blob, (char)(part.len >> shift));
	buf_add(blob, part);
}

/* A public key of SSH, with parts as long as its length field can say (RFC 4251, 5). */
static void public_keys_of_any_length(void **state UNUSED)
{
	static const size_t sizes[] = {32, 255, 256, 257, 513, 65535, 65536, 65793};

	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		struct buf blob = buf_in(arena);
		struct buf number = buf_in(arena);

		for (size_t k = 0; k < sizes[i]; k++)
			buf_add_char(&number, (char)(k * 167 + (k >> 3) * 41 + 7));
		add_ssh_part(&blob, SV("ssh-rsa"));
		add_ssh_part(&blob, SV("\x01\x00\x01"));
		add_ssh_part(&blob, buf_sv(&number));
		sv key = ARENA_CONCAT(arena, SV("ssh-rsa "),
		                      base64_encode(arena, BASE64_STD, buf_sv(&blob)));
		assert_look(SECRECY_LOOKS_PLAIN, key, SECRECY_FIELD);
		/* The last part is a byte too short. */
		key = ARENA_CONCAT(
		    arena, SV("ssh-rsa "),
		    base64_encode(arena, BASE64_STD, sv_slice(buf_sv(&blob), 0, blob.len - 1)));
		assert_look(SECRECY_LOOKS_SECRET, key, SECRECY_FIELD);
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
	/* Its length would be after the last byte. */
	char *cut = malloc(4);

	memcpy(cut, "\x30\x83\x01\x00", 4);
	assert_false(secrecy_is_der(sv_from(cut, 4)));
	free(cut);
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

/* ---- where each shape begins and ends ---------------------------------------------------- */

struct shape {
	const char *text;
	const char *what; /* null: plain */
};

static void assert_shapes(const struct shape *shapes, size_t count, enum secrecy_text_kind kind)
{
	size_t mistakes = 0;

	for (size_t i = 0; i < count; i++) {
		const char *found = secrecy_look_at(sv_from_cstr(shapes[i].text), kind).what;

		if (strcmp(found ? found : "plain", shapes[i].what ? shapes[i].what : "plain") == 0)
			continue;
		print_error("%s: %s\n", shapes[i].text, found ? found : "plain");
		mistakes++;
	}
	assert_int_equal(mistakes, 0);
}

/* The shortest token of each vendor is found by its first letters alone; one letter less is a name.
 */
static void tokens_of_vendors(void **state UNUSED)
{
	static const struct {
		const char *prefix;
		size_t least;
		const char *vendor;
	} cases[] = {
	    {"ghp_", 30, "GitHub"},     {"gho_", 30, "GitHub"},
	    {"ghu_", 30, "GitHub"},     {"ghs_", 30, "GitHub"},
	    {"ghr_", 30, "GitHub"},     {"github_pat_", 30, "GitHub"},
	    {"glpat-", 20, "GitLab"},   {"gldt-", 20, "GitLab"},
	    {"glrt-", 20, "GitLab"},    {"xoxb-", 20, "Slack"},
	    {"xoxp-", 20, "Slack"},     {"xapp-", 20, "Slack"},
	    {"hvs.", 20, "Vault"},      {"dckr_pat_", 20, "Docker Hub"},
	    {"hvb.", 20, "Vault"},      {"npm_", 30, "npm"},
	    {"pypi-", 30, "PyPI"},      {"dop_v1_", 30, "DigitalOcean"},
	    {"AIza", 35, "Google"},     {"ya29.", 20, "Google"},
	    {"sk_live_", 20, "Stripe"}, {"rk_live_", 20, "Stripe"},
	    {"SG.", 40, "SendGrid"},    {"AKIA", 20, "AWS"},
	    {"ASIA", 20, "AWS"},
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		for (size_t size = cases[i].least - 1; size <= cases[i].least; size++) {
			struct buf token = buf_in(arena);

			buf_add_cstr(&token, "see/");
			buf_add_cstr(&token, cases[i].prefix);
			buf_add_repeat(&token, 'x', size - strlen(cases[i].prefix));
			const char *found = secrecy_look_at(buf_sv(&token), SECRECY_FIELD).what;

			if (size < cases[i].least ? found != NULL
			                          : !found || !strstr(found, cases[i].vendor))
				fail_msg("%.*s: %s", SV_ARG(buf_sv(&token)),
				         found ? found : "plain");
		}
	}
}

#define RANDOM_20 "q7Rk2Vx9Lm4Tz8Wc5Nf3"
#define HEX_32    "0123456789abcdef0123456789abcdef"

static void random_words(void **state UNUSED)
{
	static const char word[] = "a random word";
	static const char hex[] = "a long hexadecimal number";
	static const char token[] = "a bootstrap token";
	static const char jwt[] = "a JSON Web Token";
	static const struct shape shapes[] = {
	    {RANDOM_20, word},
	    {"q7Rk2Vx9Lm4Tz8Wc5Nf", NULL},
	    /* Twenty characters of five units: letters of one case, or digits, in a row. */
	    {"abcd1234efgh5678ijkl", word},
	    {"abcd1234efgh56789ijklm", NULL},
	    {"abcdefghijklmnopqrst", NULL},
	    {HEX_32, hex},
	    {"0123456789abcdef0123456789abcde", NULL},
	    {"00112233445566778899001122334455", NULL},
	    /* Signs between the characters of a word of all kinds. */
	    {"aB1-cD2-eF3-gH4-iJ5-kL6-mN7-oP8-qR9-sT0-uV", word},
	    {"aB1-cD2-eF3-gH4-iJ5-kL6-mN7-oP8-qR9-sT0-u", NULL},
	    {"aB1.cD2-eF3-gH4-iJ5-kL6-mN7-oP8-qR9-sT0-uV", NULL},
	    {"Aaaaa1-Bbbbb2-Ccccc3-Ddddd4-Eeeee5-Fffff6", word},
	    {"Aaaaa1-Bbbbb2-Ccccc3-Ddddd4-Eeeee5-Ffffff6", NULL},
	    {"abcdef.0123456789abcdef", token},
	    {"abcdef.0123456789abcdef-x", token},
	    {"abcdef.0123456789abcde", NULL},
	    {"abcdef.0123456789abcdefg", NULL},
	    {"abcdef-0123456789abcdef", NULL},
	    {"Abcdef.0123456789abcdef", NULL},
	    {"abcdef.0123456789abcdeF", NULL},
	    {"system.abcdefghijklmnop", NULL},
	    {"n0d3s1.abcdefghijklmnop", NULL},
	    {"eyJhbGciOiJI.e3.c2ln", jwt},
	    {"eyJhbGciOiJ.e3.c2ln", NULL},
	    {"eyJhbGciOiJI.e.c2ln", NULL},
	    {"eyJhbGciOiJI.e3.c2l", NULL},
	    {"exJhbGciOiJI.e3.c2ln", NULL},
	};
	static const struct shape identifiers[] = {
	    {HEX_32, NULL},
	    {RANDOM_20, word},
	    {"q7rk2vx9lm4tz8wc5nf3", NULL},
	};

	assert_shapes(shapes, COUNT_OF(shapes), SECRECY_FIELD);
	assert_shapes(identifiers, COUNT_OF(identifiers), SECRECY_IDENTIFIER);
}

/* Random-looking strings that everybody may know, and what only resembles them. */
static void public_words(void **state UNUSED)
{
	static const char word[] = "a random word";
	static const struct shape shapes[] = {
	    {"12C28aa7-604D-47e9-83Fb-5f1D1f1837B3", NULL},
	    {"12C28aa76-04D-47e9-83Fb-5f1D1f1837B3", word},
	    {"12C28aa7-604D-47e9-83Fb-5f1D1f1837B3a", word},
	    {"x12C28aa7-604D-47e9-83Fb-5f1D1f1837B3", word},
	    {"sha256:" RANDOM_20 "+/=", NULL},
	    {"sha512:" RANDOM_20, NULL},
	    {"sha1:" RANDOM_20, NULL},
	    {"sha256-" RANDOM_20, NULL},
	    {"sha512-" RANDOM_20, NULL},
	    {"md5:" RANDOM_20, NULL},
	    {"MD5:" RANDOM_20, NULL},
	    {"SHA256:" RANDOM_20, NULL},
	    {"sha257:" RANDOM_20, word},
	    {"xsha256:" RANDOM_20, word},
	    {"age1f0g29682n697tgt6xrx2sf30fw96xxysxgajs2eddjsr8e4c4s7slsenmk", NULL},
	    {"age1f0g29682n697tgt6xrx2sf30fw96xxysxgajs2eddjsr8e4c4s7slsenm", word},
	    {"age2f0g29682n697tgt6xrx2sf30fw96xxysxgajs2eddjsr8e4c4s7slsenmk", word},
	};

	assert_shapes(shapes, COUNT_OF(shapes), SECRECY_FIELD);
	/* A post-quantum recipient has 1959 characters; with others no word is public. */
	struct buf recipient = buf_in(arena);
	buf_add(&recipient, SV("age1pq1"));
	while (recipient.len < 1960)
		buf_add(&recipient, SV("q9z8x7w6v5u4t3s2r0"));
	for (size_t len = 1958; len <= 1960; len++) {
		struct shape shape = {arena_cstr(arena, sv_slice(buf_sv(&recipient), 0, len)),
		                      len == 1959 ? NULL : word};

		assert_shapes(&shape, 1, SECRECY_FIELD);
	}
}

/* "TYPE BASE64" with these bytes in base64. */
static enum secrecy_look look_at_ssh_key(const char *type, sv blob)
{
	sv key = base64_encode(arena, BASE64_STD, blob);

	return secrecy_look_at(ARENA_CONCAT(arena, sv_from_cstr(type), SV(" "), key), SECRECY_FIELD)
	    .look;
}

/* The parts of an SSH key, each after its length, fill it; the first one is its type. */
static void keys_of_ssh(void **state UNUSED)
{
	/* In base64 it looks random: it is found as soon as the key is not one. */
	char rest[36] = "\0\0\0\x20";

	for (size_t i = 4; i < sizeof(rest); i++)
		rest[i] = (char)(0x80 | i * 37);
	sv fine = ARENA_CONCAT(arena, SV("\0\0\0\x0bssh-ed25519"), sv_from(rest, 36));

	assert_int_equal(look_at_ssh_key("ssh-ed25519", fine), SECRECY_LOOKS_PLAIN);
	assert_int_equal(look_at_ssh_key("ssh-ed25518", fine), SECRECY_LOOKS_SECRET);
	assert_int_equal(look_at_ssh_key("xsh-ed25519", fine), SECRECY_LOOKS_SECRET);
	for (size_t size = 1; size <= 12; size++)
		assert_int_equal(look_at_ssh_key("ssh-ed25519", sv_slice(fine, 0, fine.len - size)),
		                 SECRECY_LOOKS_SECRET);
	assert_int_equal(look_at_ssh_key("ssh-ed25519", ARENA_CONCAT(arena, fine, SV("abc"))),
	                 SECRECY_LOOKS_SECRET);
	/* The type alone, and a length in its first byte that leads out of the key. */
	assert_int_equal(look_at_ssh_key("ssh-ed25519", sv_slice(fine, 0, 15)),
	                 SECRECY_LOOKS_SECRET);
	assert_int_equal(
	    look_at_ssh_key("ssh-ed25519", ARENA_CONCAT(arena, fine, SV("\x80\0\0\0"))),
	    SECRECY_LOOKS_SECRET);
	static const struct {
		const char *type;
		sv head;
	} kinds[] = {
	    {"ecdsa-sha2-nistp256", SV_INIT("\0\0\0\x13"
	                                    "ecdsa-sha2-nistp256")},
	    {"sk-ssh-ed25519@openssh.com", SV_INIT("\0\0\0\x1a"
	                                           "sk-ssh-ed25519@openssh.com")},
	};
	for (size_t i = 0; i < COUNT_OF(kinds); i++)
		assert_int_equal(look_at_ssh_key(kinds[i].type, ARENA_CONCAT(arena, kinds[i].head,
		                                                             sv_from(rest, 36))),
		                 SECRECY_LOOKS_PLAIN);
}

#define LABEL_62 "A LABEL OF MANY WORDS, OF WHICH NOBODY KNOWS WHAT THEY MEAN HE"

/* Blocks of certificates and public keys are public with what DER puts into them. */
static void public_blocks(void **state UNUSED)
{
	/* A sequence of one octet string. */
	char der[36] = "\x30\x22\x04\x20";
	static const struct {
		const char *begin;
		const char *end;
		enum secrecy_look want;
	} cases[] = {
	    {"CERTIFICATE", "CERTIFICATE", SECRECY_LOOKS_PLAIN},
	    {"PUBLIC KEY", "PUBLIC KEY", SECRECY_LOOKS_PLAIN},
	    {"CERTIFICATE", "CERTIFICATES", SECRECY_LOOKS_SECRET},
	    {"CERTIFICATE", "PUBLIC KEY", SECRECY_LOOKS_SECRET},
	    {"PRIVATE LETTER", "PRIVATE LETTER", SECRECY_LOOKS_SECRET},
	    /* 64 bytes are a label, 65 are none. */
	    {LABEL_62 "64", LABEL_62 "64", SECRECY_LOOKS_PLAIN},
	    {LABEL_62 "-65", LABEL_62 "-65", SECRECY_LOOKS_SECRET},
	};
	static const char pgp[] = "-----BEGIN PGP PUBLIC KEY BLOCK-----\nVersion: 1\n\n" RANDOM_20
	                          "\n=q7Rk\n-----END PGP PUBLIC KEY BLOCK-----\n";

	for (size_t i = 4; i < sizeof(der); i++)
		der[i] = (char)(0x80 | i * 37);
	sv body = base64_encode(arena, BASE64_STD, sv_from(der, sizeof(der)));

	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_look(cases[i].want,
		            arena_printf(arena, "-----BEGIN %s-----\n%.*s\n-----END %s-----\n",
		                         cases[i].begin, SV_ARG(body), cases[i].end),
		            SECRECY_FIELD);
	assert_look(SECRECY_LOOKS_PLAIN, sv_from_cstr(pgp), SECRECY_FIELD);
	assert_look(SECRECY_LOOKS_SECRET, ARENA_CONCAT(arena, sv_from_cstr(pgp), SV(RANDOM_20)),
	            SECRECY_FIELD);
}

/* A script that looks for the mark of a private key has none, unless a key follows the mark. */
static void keys_in_scripts(void **state UNUSED)
{
	static const char mark[] = "grep 'BEGIN PRIVATE KEY-----' ";
	static const struct {
		sv rest;
		enum secrecy_look want;
	} cases[] = {
	    {SV_INIT(""), SECRECY_LOOKS_PLAIN},
	    {SV_INIT("abcdefghijklmnopqrs"), SECRECY_LOOKS_PLAIN},
	    {SV_INIT("abcdefghijklmnopqrst"), SECRECY_LOOKS_PRIVATE_KEY},
	    {SV_INIT("a b c\nabcdefghi+/jklmnopqr=\n"), SECRECY_LOOKS_PRIVATE_KEY},
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_look(cases[i].want, ARENA_CONCAT(arena, sv_from_cstr(mark), cases[i].rest),
		            SECRECY_PROGRAM);
}

/* Encoded words are not random; those of one word, or of no characters, may be. */
static void encoded_words(void **state UNUSED)
{
	static const struct {
		sv bytes;
		enum secrecy_look want;
	} cases[] = {
	    {SV_INIT("plain words and no more"), SECRECY_LOOKS_PLAIN},
	    {SV_INIT("plain\nwords\nand no\tmore"), SECRECY_LOOKS_PLAIN},
	    {SV_INIT("{plain:words,and:nothing}"), SECRECY_LOOKS_PLAIN},
	    {SV_INIT("plainwordsandnothingelse"), SECRECY_LOOKS_SECRET},
	    {SV_INIT("plain words \x01nd no more"), SECRECY_LOOKS_SECRET},
	    {SV_INIT("plain words \x7fnd no more"), SECRECY_LOOKS_SECRET},
	    {SV_INIT("\xffplain words and no more"), SECRECY_LOOKS_SECRET},
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_look(cases[i].want, base64_encode(arena, BASE64_STD_RAW, cases[i].bytes),
		            SECRECY_FIELD);
}

static void values_after_names(void **state UNUSED)
{
	static const char named[] = "a value after a credential's name";
	static const char http[] = "a token or password of HTTP";
	static const char url[] = "user and password of a URL";
	static const char hash[] = "the hash of a password";
	static const struct shape fields[] = {
	    {"password: spri", named},
	    {"password: spr", NULL},
	    {"password: none", NULL},
	    {"password: null", NULL},
	    {"password: true", NULL},
	    {"password: false", NULL},
	    {"password: disabled", NULL},
	    {"password: enabled", NULL},
	    {"password: nones", named},
	    {"password: ${PASSWORD}", NULL},
	    {"password: <password>", NULL},
	    {"password: ********", NULL},
	    {"password: /etc/password", NULL},
	    {"token: https://example.com", NULL},
	    {"password := 'two words'", named},
	    {"password = 'x' spring12", NULL},
	    {"db.password: spring12", named},
	    {"-password spring12", named},
	    {"password spring12", NULL},
	    {"name: PASSWORD, value: spring12", named},
	    {"name: PASSWORD = x, value: spring12", NULL},
	    {"name: PASSWORD                                            value: spring12", NULL},
	    {"Bearer spring12", http},
	    {"Bearer spring1", NULL},
	    {"Bearer springtime", NULL},
	    {"Basic Basic spring12", http},
	    {"Token token=spring12", http},
	    {"BEARER spring12", http},
	    {"https://u:p@example.com", url},
	    {"$6$abcdefghijklmnopqrstu", hash},
	    {"$6$abcdefghijklmnopqrst", NULL},
	    {"$1$abcdefghijklmnopqrstu", hash},
	    {"$5$abcdefghijklmnopqrstu", hash},
	    {"$y$abcdefghijklmnopqrstu", hash},
	    {"$7$abcdefghijklmnopqrstu", hash},
	    {"$gy$abcdefghijklmnopqrst", hash},
	    {"$2a$abcdefghijklmnopqrst", hash},
	    {"$2b$abcdefghijklmnopqrst", hash},
	    {"$2y$abcdefghijklmnopqrst", hash},
	    {"$apr1$abcdefghijklmnopqr", hash},
	    {"$argon2id$v=19$m=65536,t", hash},
	    {"$8$abcdefghijklmnopqrstuvw", NULL},
	};
	static const struct shape programs[] = {
	    {"password=spring12", named},        {"password=spring1", NULL},
	    {"password=springtime", NULL},       {"password=read(spring12)", NULL},
	    {"password=words[spring12]", NULL},  {"Bearer spring123456", http},
	    {"Bearer spring12345", NULL},        {"https://u:p@example.com", url},
	    {"https://u@example.com", NULL},     {"u:p@example.com", NULL},
	    {"https://$u:$p@example.com", NULL}, {"https://[u:p@example.com", NULL},
	};

	assert_shapes(fields, COUNT_OF(fields), SECRECY_FIELD);
	assert_shapes(programs, COUNT_OF(programs), SECRECY_PROGRAM);
}

#define DIGEST "0a1b2c3d4e5f6a7b0a1b2c3d4e5f6a7b0a1b2c3d4e5f6a7b0a1b2c3d4e5f6a7b"

/* Lines that no manifest makes public. */
static void lines_of_credentials(void **state UNUSED)
{
	static const struct {
		const char *line;
		bool is_credential;
	} cases[] = {
	    {"password: x", true},
	    {"  \"password\" : \"x\",", true},
	    {"PASSWORD=x", true},
	    {"password:", false},
	    {"password: |", false},
	    {"password: {", false},
	    {"--token x", true},
	    {"token x", false},
	    {"--token", false},
	    {"psk=x", true},
	    {"auth: x", true},
	    {"_auth = x", true},
	    {"pat: x", true},
	    {"then pin: 1", true},
	    {"spin: 1", false},
	    /* Changes between kinds of characters: every fourth with digits, two of five without.
	     */
	    {"aaa111aaa111aaaa", true},
	    {"aaaa1111aaaa1111", false},
	    {"aaa111aaa111aaa", false},
	    {"aaBBaaBBaaBBaaBB", true},
	    {"aaaBBBaaBBaaBBaa", false},
	    {"see aaa111aaa111aaaa, then", true},
	    /* Every second one where signs are among them. */
	    {"aaa-11-aaa-11-aa", true},
	    {"aaaa-111-aaaa-11", false},
	    {"aa-bb-aa-bb-aa-bb", false},
	    {"aB-cD_eF+gH/iJ=k1", true},
	    {"aB-cD_eF+gH/iJ=kL", false},
	    {"image@sha256:" DIGEST, false},
	    {"image@sha257:" DIGEST, true},
	    {"image@sha256:a" DIGEST, true},
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++)
		if (secrecy_is_credential_line(sv_from_cstr(cases[i].line)) !=
		    cases[i].is_credential)
			fail_msg("%s", cases[i].line);
}

/* A wrapped string is found whether its lines begin with the first or with another word. */
static void wrapped_strings(void **state UNUSED)
{
	static const char path[] = "/usr/share/applications/something/or/other";
	sv packed =
	    base64_encode(arena, BASE64_STD, SV("a note for you and password: spring12jklm of us"));
	sv wrapped =
	    ARENA_CONCAT(arena, sv_slice(packed, 0, 28), SV("\n"), sv_from_offset(packed, 28));

	assert_look(SECRECY_LOOKS_PLAIN, sv_slice(packed, 0, 28), SECRECY_FIELD);
	assert_look(SECRECY_LOOKS_PLAIN, sv_from_offset(packed, 28), SECRECY_FIELD);
	assert_look(SECRECY_LOOKS_PLAIN, sv_from_cstr(path), SECRECY_FIELD);
	assert_look(SECRECY_LOOKS_SECRET, wrapped, SECRECY_FIELD);
	assert_look(SECRECY_LOOKS_SECRET,
	            ARENA_CONCAT(arena, sv_from_cstr(path), SV("\n"), wrapped), SECRECY_FIELD);
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

UNIT_TESTS(secrecy_look)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(secrets_are_recognized, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(secrets_are_recognized_when_packed, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(looks_at_nothing_behind_a_text, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(secrets_are_recognized_in_hexadecimal, set_up,
	                                    tear_down),
	    cmocka_unit_test_setup_teardown(escapes_have_hexadecimal_digits, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(public_keys_of_any_length, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(one_sequence_of_der, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(values_are_recognized_by_their_name, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(private_keys_are_recognized, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(public_texts_are_none, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(frames_are_opened, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(what_is_packed_too_deep_is_found, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(messages_are_masked, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(tokens_of_vendors, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(random_words, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(public_words, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(keys_of_ssh, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(lines_of_credentials, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(wrapped_strings, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(public_blocks, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(keys_in_scripts, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(encoded_words, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(values_after_names, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
