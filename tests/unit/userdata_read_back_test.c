/*
 * userdata/read_back.c and read_files.c: what consumers read of a node configuration.
 */
#include "userdata/userdata.h"

#include "asserts.h"

enum { RIGHT, OTHERWISE, NOTHING };

/* Returns the outcome of the node configuration; at most one part of it may be wrong. */
static int outcome_of(struct arena *arena, const struct node_config *node, bool drops_blanks,
                      struct userdata_misread *ret)
{
	struct userdata_misreads misreads = {0};

	userdata_read_back(arena, node, drops_blanks, &misreads);
	assert_true(misreads.count <= 1);
	if (misreads.count == 0)
		return RIGHT;
	*ret = misreads.items[0];
	return misreads.items[0].is_fatal ? NOTHING : OTHERWISE;
}

static void check_content(const char *content, bool drops_blanks, int wanted)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct node_file file = {
	    .path = value_string(SV("/opt/a")),
	    .encoding = value_string(SV("")),
	    .content = value_string(sv_from_cstr(content)),
	};
	const struct node_config node = {.files = &file, .file_count = 1};
	struct userdata_misread misread;

	if (outcome_of(arena, &node, drops_blanks, &misread) != wanted)
		fail_msg("wrong outcome for: %s", content);
}

static void test_contents(void **state UNUSED)
{
	check_content("", false, RIGHT);
	check_content("a\n  b\n\nc\n", false, RIGHT);
	check_content("\n\na\n", false, RIGHT);
	check_content("a\r\nb\r\n", false, RIGHT);
	check_content("\ta\nb\n", false, RIGHT);
	check_content("a\n   \n\t\nb", false, RIGHT);
	check_content("# a: 'b' \"c\n- {", false, RIGHT);
	check_content("\xC3\xA4\xE2\x82\xAC\n", false, RIGHT);
	check_content("  a\n  b\n", false, OTHERWISE);
	check_content("  a\nb: c\n", false, NOTHING);
	check_content("   \na\n", false, NOTHING);
	check_content("   \na\n", true, RIGHT);
	check_content("  #!/bin/sh\n# b\n", false, OTHERWISE);
	check_content("a\x01", false, NOTHING);
	check_content("a\x7F", false, NOTHING);
	check_content("a\rb", false, NOTHING);
	check_content("a\xE2\x80\xA8"
	              "b",
	              false, NOTHING);
}

static void test_units(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct node_file file = {.path = value_string(SV("/a")),
	                         .encoding = value_string(SV("b64")),
	                         .content = value_string(SV("\x01"))};
	struct node_unit unit = {.name = value_string(SV("a.service")),
	                         .content = value_string(SV("[Unit]\n"))};
	struct node_config node = {
	    .files = &file, .file_count = 1, .units = &unit, .unit_count = 1};
	struct userdata_misread misread;

	assert_int_equal(outcome_of(arena, &node, false, &misread), RIGHT);
	unit.name = value_string(SV("dev-a\\x2db.device"));
	assert_int_equal(outcome_of(arena, &node, false, &misread), OTHERWISE);
	unit.name = value_string(SV("a\\q.service"));
	assert_int_equal(outcome_of(arena, &node, false, &misread), NOTHING);
	/* Without a file, `write_files:coreos:` is one key. */
	unit.name = value_string(SV("a.service"));
	node.file_count = 0;
	assert_int_equal(outcome_of(arena, &node, false, &misread), OTHERWISE);
	assert_int_equal(misread.part, USERDATA_UNIT);
}

static int outcome_of_command(const char *text)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	const struct value command = value_string(sv_from_cstr(text));
	const struct node_modules modules = {.runcmd = &command, .runcmd_count = 1};
	const struct node_config node = {.modules = &modules};
	struct userdata_misread misread;

	return outcome_of(arena, &node, false, &misread);
}

static void test_commands(void **state UNUSED)
{
	assert_int_equal(outcome_of_command("systemctl restart a.service"), RIGHT);
	assert_int_equal(outcome_of_command("a && b | c > /d\n"), RIGHT);
	assert_int_equal(outcome_of_command("[a, -b]"), RIGHT);
	assert_int_equal(outcome_of_command("\"a: b\""), RIGHT);
	assert_int_equal(outcome_of_command("a # b"), RIGHT);
	assert_int_equal(outcome_of_command("a 'b #c' d"), OTHERWISE);
	assert_int_equal(outcome_of_command("a: b"), OTHERWISE);
	assert_int_equal(outcome_of_command("17"), OTHERWISE);
	assert_int_equal(outcome_of_command("[ -f a ] && b"), NOTHING);
	assert_int_equal(outcome_of_command("a\nb: c"), OTHERWISE);
	assert_int_equal(outcome_of_command("a\nb"), NOTHING);
	assert_int_equal(outcome_of_command("a\tb"), NOTHING);
	assert_int_equal(outcome_of_command("a # \tb"), RIGHT);
	assert_int_equal(outcome_of_command("\"a\tb\""), RIGHT);
	assert_int_equal(outcome_of_command("|"), OTHERWISE);
}

/* Bytes of a secret decide nothing but whether the whole can be read. */
static void test_secrets(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct secret secret = {.name = SV("s")};
	struct node_file file = {.path = value_string(SV("/a")),
	                         .encoding = value_string(SV("")),
	                         .content = value_string(SV("  \nx\n"))};
	const struct node_config node = {.files = &file, .file_count = 1};
	struct userdata_misread misread;

	file.content.taint = taint_whole(arena, file.content.string.len, &secret);
	assert_int_equal(outcome_of(arena, &node, false, &misread), NOTHING);
	assert_true(misread.by_secret);
	/* It would arrive without its indentation: nothing is told. */
	file.content = value_secret_string(arena, SV("  x\n"), &secret);
	assert_int_equal(outcome_of(arena, &node, false, &misread), RIGHT);
}

static void check_file(const char *path, const char *text, int wanted)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct node_file file = {.path = value_string(sv_from_cstr(path)),
	                         .content = value_string(sv_from_cstr(text))};
	const struct node_config node = {.files = &file, .file_count = 1};
	struct userdata_read_texts *known = ARENA_NEW(arena, struct userdata_read_texts);

	/* The second time a right text is known already. */
	for (int turn = 0; turn < 2; turn++) {
		struct userdata_misreads misreads = {0};

		userdata_read_files(arena, NULL, &node, known, &misreads);
		int outcome = misreads.count == 0          ? RIGHT
		              : misreads.items[0].is_fatal ? NOTHING
		                                           : OTHERWISE;
		if (outcome != wanted)
			fail_msg("wrong outcome for: %s", text);
	}
}

static void test_files(void **state UNUSED)
{
#define KIND "kind: KubeletConfiguration\n"
	check_file("/etc/kubernetes/kubelet.conf", KIND "maxPods: 110\n", RIGHT);
	check_file("/etc/kubernetes/kubelet.conf", KIND "maxPods: '110'\n", NOTHING);
	check_file("/etc/kubernetes/kubelet.conf", KIND "kubeReserved: {cpu: 1}\n", NOTHING);
	check_file("/etc/kubernetes/kubelet.conf", KIND "kubeReserved: {cpu: '1'}\n", RIGHT);
	check_file("/etc/kubernetes/kubelet.conf", KIND "featureGates: {A: 'true'}\n", NOTHING);
	check_file("/etc/kubernetes/kubelet.conf", KIND "maxPods: 1\nmaxPods: 2\n", OTHERWISE);
	check_file("/etc/kubernetes/kubelet.conf", KIND "a: [\n", NOTHING);
	check_file("/etc/kubernetes/other.conf", KIND "a: [\n", RIGHT);
	check_file("/etc/containerd/config.toml", "version = 3\n[a.b]\nc = 'd'\n", RIGHT);
	check_file("/etc/containerd/config.toml", "[a]\n[a]\n", NOTHING);
	check_file("/etc/containerd/certs.d/a/hosts.toml", "server = a\n", NOTHING);
	check_file("/etc/other.toml", "server = a\n", RIGHT);
}

UNIT_TESTS(userdata_read_back)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_contents), cmocka_unit_test(test_units),
	    cmocka_unit_test(test_commands), cmocka_unit_test(test_secrets),
	    cmocka_unit_test(test_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
