/* Every secret of a run: which texts are taken in, and which are not. */
#include "codec/codec.h"
#include "secrecy/secrecy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static const sv public_texts[] = {SV_INIT("kind: ConfigMap")};

static struct arena *arena;
static struct secret_inventory *inventory;

static int set_up(void **state UNUSED)
{
	arena = arena_new(ARENA_SECRET);
	inventory = secret_inventory_new(
	    arena, (struct secrecy_public){public_texts, COUNT_OF(public_texts)});
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
	const struct secret *const *items = secret_inventory_items(inventory, &count);

	for (size_t i = 0; i < count; i++) {
		buf_add(&buf, sv_trim_space(items[i]->text));
		buf_add_char(&buf, '\n');
	}
	return arena_cstr(arena, buf_sv(&buf));
}

static void add(const char *key, const char *text)
{
	secret_inventory_add_data(inventory, ARENA_CONCAT(arena, SV("ns/s:"), sv_from_cstr(key)),
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

	secret_inventory_add_lines(inventory, SV("keys"),
	                           SV("# created\n\n  AGE-SECRET-KEY-1A \nAGE-SECRET-KEY-1B\n"));
	value_map_set(
	    arena, &variables, SV("OS_PASSWORD"),
	    secrecy_taint_string(arena, value_string(SV("p4ssw0rd")), SV("env:OS_PASSWORD")));
	value_map_set(
	    arena, &variables, SV("OS_USER_NAME"),
	    secrecy_taint_string(arena, value_string(SV("us3r")), SV("env:OS_USER_NAME")));
	secret_inventory_add_variables(inventory, &variables);
	assert_string_equal(texts(), "AGE-SECRET-KEY-1A\nAGE-SECRET-KEY-1B\np4ssw0rd\n");
}

static void a_scanner_with_more(void **state UNUSED)
{
	struct value more =
	    secrecy_taint_string(arena, value_string(SV("only-of-this-job-1")), SV("more"));
	const struct value *const values[] = {&more};
	struct leak leak;

	add("password", "hunter2-hunter2");
	struct leak_scanner *scanner =
	    secret_inventory_extend(arena, inventory, values, COUNT_OF(values));
	assert_true(leak_scanner_find(scanner, SV("x hunter2-hunter2 x"), 0, NULL, &leak));
	assert_true(leak_scanner_find(scanner, SV("x only-of-this-job-1 x"), 0, NULL, &leak));
	assert_false(leak_scanner_find(secret_inventory_scanner(inventory),
	                               SV("x only-of-this-job-1 x"), 0, NULL, &leak));
	assert_string_equal(texts(), "hunter2-hunter2\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(what_is_public_stays_out, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(data_of_secrets, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(lines_and_variables, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(a_scanner_with_more, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
