/* What counts as a secret, and marking it. */
#include "secrecy_fixture.h"
#include "yaml/yaml.h"

#include "asserts.h"

static void names_that_mean_a_credential(void **state UNUSED)
{
	static const char *const secret[] = {
	    "password",
	    "db-password",
	    "OS_PASSWORD",
	    "api-key",
	    "secretAccessKey",
	    "clientSecret",
	    "token",
	    "kubeconfig",
	    "pass",
	    "PW",
	    "tls_key_pem",
	    "Authorization",
	    "GOOGLE_SERVICE_ACCOUNT",
	    "tokens",
	    ".dockerconfigjson",
	};
	static const char *const clear[] = {
	    "secretName",     "secretRef", "tokenURL", "sshPublicKeys", "ssh-key",   "user",
	    "passwordPolicy", "keyboard",  "bypass",   "region",        "token_ttl", "",
	};

	for (size_t i = 0; i < COUNT_OF(secret); i++)
		if (!secrecy_names_credential(sv_from_cstr(secret[i])))
			fail_msg("%s", secret[i]);
	for (size_t i = 0; i < COUNT_OF(clear); i++)
		if (secrecy_names_credential(sv_from_cstr(clear[i])))
			fail_msg("%s", clear[i]);
}

static void urls_and_keys(void **state UNUSED)
{
	assert_true(secrecy_holds_userinfo(SV("see https://u:p@host/x")));
	assert_true(secrecy_holds_userinfo(SV("u:p@host")));
	assert_false(secrecy_holds_userinfo(SV("https://host/x@y")));
	assert_false(secrecy_holds_userinfo(SV("registry/image@sha256:0123")));
	assert_false(secrecy_holds_userinfo(SV("mail: bot@example.com")));
	/* A password without a scheme follows a blank or a quote, but not a slash. */
	assert_true(secrecy_holds_userinfo(SV("/ u:p@host")));
	assert_false(secrecy_holds_userinfo(SV("x/u:p@host")));
	assert_false(secrecy_holds_userinfo(SV("/u:p@host")));
	assert_true(secrecy_holds_private_key(SV("a\n-----BEGIN EC PRIVATE KEY-----\n")));
	assert_true(secrecy_holds_private_key(SV("AGE-SECRET-KEY-1QQ")));
	assert_true(secrecy_holds_private_key(SV("OSMGEN-SEED-1QQ")));
	assert_false(secrecy_holds_private_key(SV("-----BEGIN CERTIFICATE-----")));
}

/* Made for this test; its key was thrown away. */
#define TEST_CERTIFICATE                                                                           \
	"-----BEGIN CERTIFICATE-----\n"                                                            \
	"MIIBdTCCARugAwIBAgIUdb7UukPt8qWSZZJ4vsee/VvGIXkwCgYIKoZIzj0EAwIw\n"                       \
	"DzENMAsGA1UEAwwEdGVzdDAgFw0yNjExMjAxNjQzMTZaGA8yMTI2MTAyNzE2NDMx\n"                       \
	"NlowDzENMAsGA1UEAwwEdGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABFQW\n"                       \
	"wyS1dBDDr4oh+DxYyPorTAAIkB+D1csQy8mGAjlHXpH4f1+IKbkWG9L3m7GGkEz1\n"                       \
	"1hxtfcqc/ka5L2mcdNajUzBRMB0GA1UdDgQWBBTdho+Aam9aFlWL8xize5aQz+mH\n"                       \
	"hzAfBgNVHSMEGDAWgBTdho+Aam9aFlWL8xize5aQz+mHhzAPBgNVHRMBAf8EBTAD\n"                       \
	"AQH/MAoGCCqGSM49BAMCA0gAMEUCIQCYzW0HQOHe3LpsNX9jxK1a/NQjXLJSw60P\n"                       \
	"O8cubdaCIgIgYspyzFxxW7d621VWsBxBN1uitiwLTK7EmTs/6UPvXHw=\n"                               \
	"-----END CERTIFICATE-----\n"

static void certificates_alone(void **state UNUSED)
{
	sv one = SV(TEST_CERTIFICATE);
	sv key = SV("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");

	assert_true(secrecy_is_certificates(arena, one));
	assert_true(secrecy_is_certificates(arena, ARENA_CONCAT(arena, SV("\n"), one, one)));
	assert_false(secrecy_is_certificates(arena, SV("")));
	assert_false(secrecy_is_certificates(arena, ARENA_CONCAT(arena, one, key)));
	assert_false(secrecy_is_certificates(arena, ARENA_CONCAT(arena, key, one)));
	assert_false(secrecy_is_certificates(arena, ARENA_CONCAT(arena, one, SV("password"))));
	assert_false(secrecy_is_certificates(
	    arena, ARENA_CONCAT(arena,
	                        SV("-----BEGIN CERTIFICATE-----\npass word!\n"
	                           "-----END CERTIFICATE-----\n"),
	                        one)));
	assert_false(secrecy_is_certificates(
	    arena, SV("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")));
	assert_false(secrecy_is_certificates(arena, SV("-----BEGIN CERTIFICATE-----\nAAAA")));
}

static void urls_with_unclear_passwords(void **state)
{
	static const char *const clear[] = {
	    "",
	    "http://proxy:3128",
	    "http://u:p@proxy:3128",
	    "http://u:p%2Fw%40x@proxy",
	    "http://token@proxy/path",
	    "http://u:p@w@proxy",
	    "u:p@proxy:3128",
	    "https://mirror/a%40b",
	};
	static const char *const unclear[] = {
	    "http://u:p/w@proxy",  "http://u:9/w@proxy", "http://u:p w@proxy",
	    "http://u:p\"w@proxy", "http://u:p'w@proxy", "http://u:p,w@proxy",
	    "http://u:p?w@proxy",  "http://u:p#w@proxy", "http://u:p%w@proxy",
	    "http://u:p\\w@proxy", "http:/u:p@proxy",    "http:u:p@proxy",
	    "//u:p@proxy",         "http://u:p@w/x@h",   "http://u:p@proxy/a@b",
	    "http://u:p@",         "http://@proxy",      "token@proxy",
	    "u:p@sha.example",     "u:\xc3\xbc@proxy",   "http://u:p@h o",
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(clear); i++)
		assert_false(secrecy_userinfo_is_unclear(sv_from_cstr(clear[i])));
	for (size_t i = 0; i < COUNT_OF(unclear); i++)
		assert_true(secrecy_userinfo_is_unclear(sv_from_cstr(unclear[i])));
}

static void users_and_passwords_are_masked(void **state UNUSED)
{
	static const struct {
		const char *text;
		const char *masked;
	} cases[] = {
	    {"https://bot:word@forge.example/x.git", "https://***@forge.example/x.git"},
	    {"https://ghp_0123@forge.example/x.git", "https://***@forge.example/x.git"},
	    {"https://bot:w@rd@forge.example/x", "https://***@forge.example/x"},
	    {"https://:word@[::1]:8080/x", "https://***@[::1]:8080/x"},
	    {"fatal: unable to access 'https://a:b@c/': from ssh://d@e/f\n",
	     "fatal: unable to access 'https://***@c/': from ssh://***@e/f\n"},
	    {"git@forge.example:x.git", "git@forge.example:x.git"},
	    {"https://forge.example/x@y", "https://forge.example/x@y"},
	    {"origin", "origin"},
	    {"", ""},
	};
	ARENA_AUTO texts = arena_new(ARENA_PLAIN);

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		sv masked = secrecy_mask_userinfo(texts, sv_from_cstr(cases[i].text));

		if (!sv_eq_cstr(masked, cases[i].masked))
			fail_msg("%s: %.*s", cases[i].text, SV_ARG(masked));
	}
}

static void random_tokens(void **state UNUSED)
{
	assert_true(secrecy_is_random(SV("abcdef.0123456789abcdef")));
	assert_false(secrecy_is_random(SV("test.test")));
	assert_false(secrecy_is_random(SV("abcdef.0123456789ABCDEF")));
	assert_true(secrecy_is_random(SV("0123456789abcdef0123456789abcdef")));
	assert_false(secrecy_is_random(SV("correct horse battery staple correct horse")));
	assert_true(secrecy_is_random(
	    SV("eyJhbGciOiJSUzI1NiIsImtpZCI6IiJ9.eyJpc3MiOiJrdWJlcm5ldGVzL3NlcnZpY2VhY2NvdW50In0."
	       "c2lnbmF0dXJlLXNpZ25hdHVyZS1zaWduYXR1cmUtc2ln")));
}

static void words_of_public_texts(void **state UNUSED)
{
	const sv texts[] = {SV("kind: Machine"), SV("cloud-init runs v1.2 of it")};
	const struct secrecy_public public = {texts, COUNT_OF(texts)};

	assert_true(secrecy_is_public_word(&public, SV("Machine")));
	assert_true(secrecy_is_public_word(&public, SV("cloud-init")));
	assert_false(secrecy_is_public_word(&public, SV("hunter")));
	/* A digit or a blank makes it a text like any other. */
	assert_false(secrecy_is_public_word(&public, SV("v1.2")));
	assert_false(secrecy_is_public_word(&public, SV("runs v")));
	assert_false(secrecy_is_public_word(&(struct secrecy_public){0}, SV("Machine")));
}

static void manifests_that_do_not_parse(void **state UNUSED)
{
	static const struct {
		const char *text;
		bool may_hold;
		bool mentions;
	} cases[] = {
	    {"password: hunter2", true, true},
	    {"\"password\" : hunter2", true, true},
	    {"password: {{ .Password }}", false, true},
	    {"name: DB_PASSWORD\nvalue: x", false, true},
	    {"# it sends a token: this must not fail", false, false},
	    {"# token: abc", true, true},
	    {"url: https://u:p@host", true, true},
	    {"secretRef:\n  name: x", false, false},
	    {"region: eu", false, false},
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		sv text = sv_from_cstr(cases[i].text);

		if (secrecy_manifest_may_hold_credential(text) != cases[i].may_hold ||
		    secrecy_manifest_mentions_credential(text) != cases[i].mentions)
			fail_msg("%s", cases[i].text);
	}
	assert_true(secrecy_manifest_holds_credential(SV("- https://u:p@host")));
	assert_false(secrecy_manifest_holds_credential(SV("password: hunter2")));
}

/* The value of a YAML text, its credentials tainted. */
static struct value tainted_credentials(const char *yaml)
{
	const sv more[] = {SV("accessKeyId")};
	struct sink sink = sink_in(arena);
	struct source *source = source_new(arena, SV("x.yaml"), sv_from_cstr(yaml), true);
	struct yml_documents documents;

	assert_int_equal(yml_parse(arena, &sink, source, &documents), STATUS_OK);
	return secrecy_taint_credentials(arena, &documents.items[0].root, SV("o"), more,
	                                 COUNT_OF(more));
}

/* As it is redacted. */
static const char *marked(const char *yaml)
{
	struct value tainted = tainted_credentials(yaml);
	struct buf buf = buf_in(arena);

	struct value redacted = secrecy_redact_all(arena, &(struct redaction){0}, &tainted);
	yml_emit(&buf, &redacted, (struct yml_format){0});
	return arena_cstr(arena, buf_sv(&buf));
}

static void credentials_of_a_tree(void **state UNUSED)
{
	assert_string_equal(marked("region: eu\naccesskeyid: AKIA\n"),
	                    "region: eu\naccesskeyid: <sealed:o.accesskeyid>\n");
	/* Whatever stands below such a name; numbers become texts. */
	assert_string_equal(marked("a: {token: {value: [x, 12, true]}}"),
	                    "a:\n  token:\n    value:\n    - <sealed:o.a.token.value>\n"
	                    "    - <sealed:o.a.token.value>\n    - true\n");
	assert_string_equal(marked("password: {secretKeyRef: {name: c, key: password}}"),
	                    "password:\n  secretKeyRef:\n    name: c\n    key: password\n");
	/* A reference has no such member. */
	assert_string_equal(marked("token: {configMapKeyRef: {name: c, key: t, clientSecret: x}}"),
	                    "token:\n  configMapKeyRef:\n    name: c\n    key: t\n"
	                    "    clientSecret: <sealed:o.token.configMapKeyRef.clientSecret>\n");
	assert_string_equal(marked("auth: {kind: x}\nproxy: http://u:p@h\n"),
	                    "auth:\n  kind: x\nproxy: http://<sealed:o.proxy>@h\n");
	assert_string_equal(marked("auth: dTpw\n"), "auth: <sealed:o.auth>\n");
	/* In place of the map. */
	assert_string_equal(marked("hunter2\n"), "<sealed:o>\n");
}

/* Braces by mistake make a key of a password; the members that a variable has can be null. */
static void keys_that_are_credentials(void **state UNUSED)
{
	static const struct {
		const char *yaml;
		bool has_secret;
	} cases[] = {
	    {"password: {hunter2}", true},  {"password: {hunter2: x}", true}, /* its value */
	    {"password: {value: }", false}, {"password: {secretKeyRef: }", false},
	    {"region: {hunter2}", false},
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct value tainted = tainted_credentials(cases[i].yaml);

		if ((secrecy_find(&tainted) != NULL) != cases[i].has_secret)
			fail_msg("%s", cases[i].yaml);
	}
}

static void secrets_are_found_at_any_depth(void **state UNUSED)
{
	const struct secret token = {.name = SV("ns/token:token"), .text = SV("s3cr3t-s3cr3t")};
	struct value map = value_map_new(arena);
	struct value list = value_list_new(arena);

	value_list_add(arena, &list, value_string(SV("clear")));
	value_map_set(arena, &map, SV("l"), list);
	assert_null(secrecy_find(&map));
	secrecy_taint_all(arena, value_item_mutable(&list, 0), &token);
	assert_ptr_equal(secrecy_find(&map), &token);
	/* A key that is secret counts, too. */
	struct value keys = value_map_new(arena);
	value_map_set(arena, &keys, SV("s3cr3t"), value_null());
	assert_null(secrecy_find(&keys));
	secrecy_taint_all(arena, &keys, &token);
	assert_ptr_equal(secrecy_find(&keys), &token);
	/* A value of no type and a null have nothing to mark. */
	struct value invalid = VALUE_INVALID;
	struct value null = value_null();
	secrecy_taint_all(arena, &invalid, &token);
	secrecy_taint_all(arena, &null, &token);
	assert_null(invalid.taint);
	assert_null(null.taint);
	assert_null(secrecy_find(&VALUE_INVALID));
	assert_null(secrecy_find(NULL));
}

UNIT_TESTS(secrecy_credential)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(names_that_mean_a_credential),
	    cmocka_unit_test(urls_and_keys),
	    cmocka_unit_test_setup_teardown(certificates_alone, set_up, tear_down),
	    cmocka_unit_test(users_and_passwords_are_masked),
	    cmocka_unit_test(random_tokens),
	    cmocka_unit_test(words_of_public_texts),
	    cmocka_unit_test(manifests_that_do_not_parse),
	    cmocka_unit_test(urls_with_unclear_passwords),
	    cmocka_unit_test_setup_teardown(credentials_of_a_tree, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(keys_that_are_credentials, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(secrets_are_found_at_any_depth, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
