/* What node_effect says of a node configuration. */
#include "osm_fixture.h"

static void every_kind_of_line(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	struct node_file files[] = {
	    {.path = value_string(SV("/a")), .mode = 0600, .content = value_string(SV("abc"))},
	    {.path = value_string(SV("/b c\n")), .mode = NODE_MODE_ABSENT},
	};
	struct node_link links[] = {{value_string(SV("/l")), value_string(SV("/t"))}};
	struct node_drop_in drop_in = {value_string(SV("1.conf")), value_string(SV(""))};
	struct node_unit units[] = {
	    {.name = value_string(SV("a.service")),
	     .enable = NODE_ENABLE_NO,
	     .drop_ins = &drop_in,
	     .drop_in_count = 1},
	    {.name = value_string(SV("b.service")),
	     .mask = true,
	     .command = SV("stop"),
	     .content = value_string(SV("x"))},
	};
	const struct node_start starts[] = {
	    {.name = value_string(SV("a.service")), .no_block = true}};
	const struct node_script script = {
	    .before = value_string(SV("one\n\n\ttwo  2\n\x01")),
	    .after = value_string(SV("three")),
	    .starts = starts,
	    .start_count = 1,
	};
	const struct node_config node = {
	    .files = files,
	    .file_count = 2,
	    .links = links,
	    .link_count = 1,
	    .units = units,
	    .unit_count = 2,
	    .script = &script,
	};
	const struct node_config nothing = {0};

	(void)state;
	/* The digests are those of FIPS 180's "abc" and of nothing. */
	assert_sv(node_effect(f.arena, &node).string,
	          "file /a 0600 3 "
	          "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n"
	          "file \"/b c\\n\" ---- 0 "
	          "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n"
	          "link /l /t\n"
	          "file /etc/systemd/system/a.service.d/1.conf 0644 0 "
	          "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n"
	          "link /etc/systemd/system/b.service /dev/null\n"
	          "unit a.service disable\nunit b.service stop\n"
	          "run one\nrun two  2\nrun \"\\x01\"\nrun three\n"
	          "run systemctl enable a.service\nrun systemctl restart --no-block a.service\n");
	assert_sv(node_effect(f.arena, &nothing).string, "");
}

static void lines_of_secrets_are_secret(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	const struct secret secret = {.name = SV("s"), .text = SV("abc")};
	struct text content = text_in(f.arena);

	(void)state;
	TEXT_ADD_LIT(&content, "echo ");
	text_add_secret(&content, secret.text, &secret);
	TEXT_ADD_LIT(&content, "\necho");
	struct node_file files[] = {
	    {.path = value_string(SV("/a")), .content = text_value(f.arena, &content)},
	    {.path = value_string(SV("/b"))},
	};
	const struct node_script script = {.before = files[0].content};
	const struct node_config node = {.files = files, .file_count = 2, .script = &script};
	struct value effect = node_effect(f.arena, &node);
	sv shown = show_taint(f.arena, &effect);
	assert_true(sv_starts_with(shown, SV("file /a 0000 [13 sha256:")));
	assert_contains(shown, "]\nfile /b 0000 0 sha256:");
	assert_true(sv_ends_with(shown, SV("\n[run echo abc]\nrun echo\n")));
}

UNIT_TESTS(node_effect)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_kind_of_line),
	    cmocka_unit_test(lines_of_secrets_are_secret),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
