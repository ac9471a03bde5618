/* Every secret of a run: which texts are taken in, and which are not. */
#include "codec/codec.h"
#include "secrecy/secrecy.h"
#include "yaml/yaml.h"

#include "asserts.h"

#include <stdio.h>

static const sv public_texts[] = {SV_INIT("kind: ConfigMap")};

static struct arena *arena;
static struct known_secrets *known;

static int set_up(void **state UNUSED)
{
	arena = arena_new(ARENA_SECRET);
	known =
	    known_secrets_new(arena, (struct secrecy_public){public_texts, COUNT_OF(public_texts)});
	return 0;
}

static int tear_down(void **state UNUSED)
{
	arena_free(arena);
	return 0;
}

/* The texts in the order they came, a line each. */
static const char *texts(void)
{
	struct buf buf = buf_in(arena);
	size_t count;
	const struct secret *const *items = known_secrets_items(known, &count);

	for (size_t i = 0; i < count; i++) {
		buf_add(&buf, sv_trim_space(items[i]->text));
		buf_add_char(&buf, '\n');
	}
	return arena_cstr(arena, buf_sv(&buf));
}

static void add(const char *key, const char *text)
{
	known_secrets_add_data(known, ARENA_CONCAT(arena, SV("ns/s:"), sv_from_cstr(key)),
	                       sv_from_cstr(key), sv_from_cstr(text));
}

static void what_is_public_stays_out(void **state UNUSED)
{
	add("username", "administrator");
	add("usage-bootstrap-signing", "something");
	add("address", "https://example.com/");
	add("on", "true");
	add("kind", "ConfigMap");
	add("short", "abc");
	add("tls.pem", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n");
	assert_string_equal(texts(), "");
}

static void data_of_secrets(void **state UNUSED)
{
	add("password", "hunter2\n");
	add("password2", "hunter2\n");
	add("hook", "https://example.com/hooks/T0123");
	add("basic", "dXNlcjpzM2NyM3Q="); /* user:s3cr3t */
	add("keys.pem", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
	                "-----BEGIN PRIVATE KEY-----\nMC4C\n-----END PRIVATE KEY-----\n");
	add("config", "users:\n- name: me\n  user: {token: t0k3n, proxy: \"http://u:pass-w@h\"}\n");
	assert_string_equal(texts(), "hunter2\n"
	                             "https://example.com/hooks/T0123\n"
	                             "dXNlcjpzM2NyM3Q=\ns3cr3t\n"
	                             "MC4C\n"
	                             "t0k3n\nu:pass-w\npass-w\n");
}

static void lines_and_variables(void **state UNUSED)
{
	struct value variables = value_map_new(arena);

	known_secrets_add_identities(known, SV("keys"),
	                             SV("# created\n\n  AGE-SECRET-KEY-1A \nAGE-SECRET-KEY-1B\n"));
	value_map_set(
	    arena, &variables, SV("OS_PASSWORD"),
	    secrecy_taint_string(arena, value_string(SV("p4ssw0rd")), SV("env:OS_PASSWORD")));
	value_map_set(
	    arena, &variables, SV("OS_USER_NAME"),
	    secrecy_taint_string(arena, value_string(SV("us3r")), SV("env:OS_USER_NAME")));
	known_secrets_add_variables(known, &variables);
	assert_string_equal(texts(), "AGE-SECRET-KEY-1A\nAGE-SECRET-KEY-1B\np4ssw0rd\n");
}

static void a_scanner_with_more(void **state UNUSED)
{
	struct value more =
	    secrecy_taint_string(arena, value_string(SV("only-of-this-job-1")), SV("more"));
	const struct value *const values[] = {&more};
	struct leak leak;

	add("password", "hunter2-hunter2");
	struct leak_scanner *scanner = known_secrets_extend(arena, known, values, COUNT_OF(values));
	assert_true(leak_scanner_find(scanner, SV("x hunter2-hunter2 x"), 0, NULL, &leak));
	assert_true(leak_scanner_find(scanner, SV("x only-of-this-job-1 x"), 0, NULL, &leak));
	assert_false(leak_scanner_find(known_secrets_scanner(known), SV("x only-of-this-job-1 x"),
	                               0, NULL, &leak));
	known_secrets_end_scan(known);
	assert_string_equal(texts(), "hunter2-hunter2\n");
}

/* ---- lines that are public ---------------------------------------------------------------- */

static void place(const char *key, const char *text)
{
	struct value *string = ARENA_NEW(arena, struct value);

	*string = value_string(sv_from_cstr(text));
	add(key, text);
	known_secrets_place(known, sv_from_cstr(key), string);
}

static bool is_found(const char *text)
{
	struct leak leak;

	return leak_scanner_find(known_secrets_scanner(known), sv_from_cstr(text), 0, NULL, &leak);
}

static void publish(const char *key, const char *text)
{
	struct value map = value_map_new(arena);

	value_map_set(arena, &map, sv_from_cstr(key), value_string(sv_from_cstr(text)));
	known_secrets_publish(known, &map);
}

static void lines_of_public_texts_are_passed_over(void **state UNUSED)
{
	place("setup.sh", "#!/usr/bin/env bash\nset -euo pipefail\nmodprobe br_netfilter -q\n"
	                  "systemctl restart agent\nlogin as the administrator\n");
	assert_true(is_found("#!/usr/bin/env bash"));
	publish("data", "  modprobe br_netfilter -q # for pods\n");
	/* Every system has the first two; a clear manifest has the third. */
	assert_false(
	    is_found("#!/usr/bin/env bash\nset -euo pipefail\nmodprobe br_netfilter -q\n"));
	assert_true(is_found("systemctl restart agent"));
	assert_true(is_found("login as the administrator"));
}

static void entries_of_maps_are_passed_over(void **state UNUSED)
{
	place("list.txt",
	      "network\n  namespace: storage-of-ours\n- \"zone\": \"eu-central-1a-x\",\n"
	      "maximum-size = 1048576000\nregistry: other.example\n");
	publish("namespace", "storage-of-ours");
	publish("zone", "eu-central-1a-x");
	publish("other", "registry");
	struct value map = value_map_new(arena);
	value_map_set(arena, &map, SV("maximum-size"), value_int(1048576000));
	known_secrets_publish(known, &map);
	assert_false(is_found("namespace: storage-of-ours"));
	assert_false(is_found("- \"zone\": \"eu-central-1a-x\","));
	assert_false(is_found("maximum-size = 1048576000"));
	assert_true(is_found("registry: other.example"));
}

/* Whoever writes the same line into a clear manifest does not switch the scan off for it. */
static void credentials_are_never_public(void **state UNUSED)
{
	static const char *const lines[] = {
	    "password: of somebody",
	    "export API_TOKEN=hunter2hunter2",
	    "agent --password hunter2hunter2",
	    "\"secretKey\": \"hunter2\",",
	    "psk=a wireless phrase",
	    "url = https://user:pw@host.example/",
	    "X-Header: 6f1d9c0b2a7e4853",
	    "MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC",
	    "1 SHA256 HEX:0f8e2b7d6c5a49381726",
	    "value: JBSWY3DPEHPK3PXPJBSWY3DP",
	    "curl -H 'Authorization: Bearer abc' x",
	};

	for (size_t i = 0; i < COUNT_OF(lines); i++) {
		tear_down(NULL);
		set_up(NULL);
		sv file =
		    ARENA_CONCAT(arena, SV("a first line\n"), sv_from_cstr(lines[i]), SV("\n"));
		place("file", arena_cstr(arena, file));
		publish("data", lines[i]);
		publish("all", arena_cstr(arena, file));
		if (!is_found(lines[i]))
			fail_msg("not found: %s", lines[i]);
	}
}

static void whole_texts(void **state UNUSED)
{
	place("region", "eu-central-1");
	place("password", "eu-central-2");
	place("apiKey", "a word or two of it");
	place("unit", "[Unit]\nAfter=storage.mount\nBefore=agent.service\n");
	publish("a", "eu-central-1");
	publish("b", "eu-central-2");
	publish("c", "a word or two of it");
	publish("d", "[Unit]\nAfter=storage.mount\nBefore=agent.service\n[Service]\n");
	assert_false(is_found("in eu-central-1"));
	assert_true(is_found("in eu-central-2"));
	assert_true(is_found("a word or two of it"));
	assert_false(is_found("[Unit]\nAfter=storage.mount\nBefore=agent.service\n"));
	assert_false(is_found("W1VuaXRdCkFmdGVyPXN0b3JhZ2UubW91bnQKQmVmb3JlPWFnZW50LnNlcnZpY2UK"));
}

/* A line that is found is reported where the Secret has it. */
static void lines_are_reported_where_they_are(void **state UNUSED)
{
	static const struct {
		const char *text;
		const char *message;
		const char *help;
	} cases[] = {
	    {"on: login as the administrator\n",
	     "out.yaml would hold line 2 of the secret ns/s:script in clear, at byte 4",
	     "change the line"},
	    {"--token of-this-cluster-1\n",
	     "out.yaml would hold line 3 of the secret ns/s:script in clear, at byte 0",
	     "committed in the clear"},
	};
	struct sink sink = sink_in(arena);
	struct source *source = source_new(arena, SV("secret.yaml"),
	                                   SV("script: |\n"
	                                      "  systemctl restart agent\n"
	                                      "  login as the administrator\n"
	                                      "  --token of-this-cluster-1\n"),
	                                   true);
	struct yml_documents documents;

	assert_int_equal(yml_parse(arena, &sink, source, &documents), STATUS_OK);
	const struct value *script = value_map_get(&documents.items[0].root, SV("script"));

	add("script", arena_cstr(arena, script->string));
	known_secrets_place(known, SV("script"), script);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		sink = sink_in(arena);
		assert_int_equal(leak_scanner_check(&sink, known_secrets_scanner(known),
		                                    SV("out.yaml"), sv_from_cstr(cases[i].text),
		                                    &(struct leak_place){0}),
		                 STATUS_FAILED);
		assert_int_equal(sink.diags.count, 1);
		const struct diag *diag = sink.diags.items[0];

		assert_string_equal(arena_cstr(arena, diag->text), cases[i].message);
		assert_int_equal(position_line_column(diag->at).line, 3 + i);
		assert_true(sv_contains(diag->help, sv_from_cstr(cases[i].help)));
		assert_int_equal(diag->notes.count, 1);
	}
}

/* What a clear manifest holds as a credential is none of its public texts. */
static void inline_secrets_are_no_public_texts(void **state UNUSED)
{
	static const char text[] = "[Global]\nsome-setting = of ours\n";
	struct secret *secret = ARENA_NEW(arena, struct secret);

	*secret = (struct secret){.name = SV("md:cloudConfig"), .text = SV(text)};
	struct value tainted = value_secret_string(arena, SV(text), secret);
	known_secrets_add_value(known, &tainted);
	place("cloud.conf", text);
	publish("cloudConfig", text);
	assert_true(is_found("some-setting = of ours"));
	publish("other", "some-setting = of ours");
	assert_false(is_found("some-setting = of ours"));
}

UNIT_TESTS(secrecy_known)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(what_is_public_stays_out, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(lines_of_public_texts_are_passed_over, set_up,
	                                    tear_down),
	    cmocka_unit_test_setup_teardown(entries_of_maps_are_passed_over, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(credentials_are_never_public, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(whole_texts, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(lines_are_reported_where_they_are, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(inline_secrets_are_no_public_texts, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(data_of_secrets, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(lines_and_variables, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(a_scanner_with_more, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
