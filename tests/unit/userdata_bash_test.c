/* The bash script of docs/spec/userdata.md 6. What real shells make of it: tests/node/formats.sh.
 */
#include "osm_fixture.h"
#include "userdata/userdata.h"

static sv written(struct fixture *f, const struct node_config *node)
{
	struct value text = VALUE_INVALID;

	assert_int_equal(userdata_format_find(SV("bash"))->write(f->arena, &f->sink, node, &text),
	                 STATUS_OK);
	return show_taint(f->arena, &text);
}

/* From the first function on the script has no text that depends on the node but for its calls. */
static sv calls(struct fixture *f, const struct node_config *node)
{
	sv text = written(f, node);
	size_t function = sv_find(text, SV("\n}\n"));

	while (function != SV_NPOS) {
		text = sv_from_offset(text, function + 3);
		function = sv_find(text, SV("\n}\n"));
	}
	return text;
}

static void nothing_at_all(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	const struct node_config node = {0};

	(void)state;
	assert_sv(written(&f, &node), "#!/bin/bash\n");
	assert_null(userdata_format_find(SV("zsh")));
}

static void files_and_their_modes(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	struct node_file files[] = {
	    {.path = value_string(SV("/a/b")), .mode = 0, .content = value_string(SV("one\n"))},
	    {.path = value_string(SV("/it's")),
	     .mode = NODE_MODE_ABSENT,
	     .content = value_string(SV(""))},
	    {.path = value_string(SV("/c")),
	     .mode = 04755,
	     .content = value_string(SV("x '<<A>>' $(y)")),
	     .is_transparent = true},
	    {.path = value_string(SV("/d")),
	     .mode = 0600,
	     .content = value_string(SV("OSC_TEXT\nOSC_TEXT_2\n")),
	     .is_transparent = true},
	};
	const struct node_config node = {.files = files, .file_count = COUNT_OF(files)};

	(void)state;
	assert_sv(calls(&f, &node), "osc_put '/a/b' 0000 base64 -d <<<'b25lCg=='\n"
	                            "osc_put '/it'\\''s' 0644 base64 -d <<<''\n"
	                            "osc_put '/c' 4755 head -c -1 <<'OSC_TEXT'\n"
	                            "x '<<A>>' $(y)\n"
	                            "OSC_TEXT\n"
	                            "osc_put '/d' 0600 head -c -1 <<'OSC_TEXT_3'\n"
	                            "OSC_TEXT\nOSC_TEXT_2\n\n"
	                            "OSC_TEXT_3\n");
}

static void links_units_and_scripts(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	struct node_link links[] = {
	    {value_string(SV("/bin/docker")), value_string(SV("/usr/bin/docker"))},
	};
	struct node_drop_in drop_ins[] = {
	    {.name = value_string(SV("1.conf")), .content = value_string(SV("a"))},
	    {.name = value_string(SV("2.conf")), .content = value_string(SV("b\n"))},
	};
	struct node_unit units[] = {
	    {.name = value_string(SV("a.service")),
	     .drop_ins = drop_ins,
	     .drop_in_count = COUNT_OF(drop_ins)},
	    {.name = value_string(SV("b.service")), .content = value_string(SV(""))},
	    {.name = value_string(SV("c.service")),
	     .mask = true,
	     .content = value_string(SV("[Unit]\n"))},
	};
	const struct node_start starts[] = {
	    {.name = value_string(SV("a.service")), .no_block = false},
	    {.name = value_string(SV("-.mount")), .no_block = true},
	};
	struct node_script script = {
	    .before = value_string(SV("echo before")),
	    .after = value_string(SV("systemctl daemon-reload\n")),
	    .starts = starts,
	    .start_count = COUNT_OF(starts),
	    .once = true,
	};
	const struct node_config node = {
	    .links = links,
	    .link_count = COUNT_OF(links),
	    .units = units,
	    .unit_count = COUNT_OF(units),
	    .script = &script,
	};

	(void)state;
	assert_sv(calls(&f, &node),
	          "osc_link '/bin/docker' '/usr/bin/docker'\n"
	          "osc_put '/etc/systemd/system/a.service.d/1.conf' 0644 base64 -d <<<'YQ=='\n"
	          "osc_put '/etc/systemd/system/a.service.d/2.conf' 0644 base64 -d <<<'Ygo='\n"
	          "osc_put '/etc/systemd/system/b.service' 0644 base64 -d <<<''\n"
	          "osc_link '/etc/systemd/system/c.service' '/dev/null'\n"
	          "systemctl daemon-reload\n"
	          "systemctl enable 'a.service' && systemctl restart 'a.service'\n"
	          "systemctl enable -- '-.mount' && systemctl restart --no-block -- '-.mount'\n"
	          "mkdir -p /var/lib/osc\ntouch /var/lib/osc/provision-osc-applied\n");
	assert_true(
	    sv_starts_with(written(&f, &node),
	                   SV("#!/bin/bash\nif [ -e /var/lib/osc/provision-osc-applied ]; then\n"
	                      "  echo 'Provision OSC already applied, exiting...'\n  exit "
	                      "0\nfi\necho before\n#")));
	script.settles = true;
	assert_true(sv_ends_with(
	    written(&f, &node),
	    SV("# A power cut must not leave empty files that count as written.\nsync\n"
	       "mkdir -p /var/lib/osc\ntouch /var/lib/osc/provision-osc-applied\n")));
}

static void secrets_stay_marked(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	const struct secret secret = {.name = SV("s"), .text = SV("top'secret")};
	struct text content = text_in(f.arena);

	(void)state;
	TEXT_ADD_LIT(&content, "token: ");
	text_add_secret(&content, secret.text, &secret);
	TEXT_ADD_LIT(&content, "'\n");
	struct value tainted = text_value(f.arena, &content);
	struct node_file files[] = {
	    {.path = value_string(SV("/a")), .content = tainted},
	    {.path = value_string(SV("/b")), .content = tainted, .is_transparent = true},
	};
	struct node_link links[] = {{value_string(SV("/c")), tainted}};
	const struct node_config node = {
	    .files = files, .file_count = 2, .links = links, .link_count = 1};
	assert_sv(calls(&f, &node),
	          "osc_put '/a' 0000 base64 -d <<<'[dG9rZW46IHRvcCdzZWNyZXQnCg==]'\n"
	          "osc_put '/b' 0000 head -c -1 <<'OSC_TEXT'\n"
	          "token: [top'secret]'\n\nOSC_TEXT\n"
	          "osc_link '/c' 'token: [top'\\''secret]'\\''\n'\n");
}

/* Another delimiter tells that the usual one stands in the secret: nothing of the script is clear.
 */
static void a_delimiter_gives_no_secret_away(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	const struct secret secret = {.name = SV("s"), .text = SV("OSC_TEXT")};
	struct node_file file = {.path = value_string(SV("/a")),
	                         .content = value_secret_string(f.arena, secret.text, &secret),
	                         .is_transparent = true};
	const struct node_config node = {.files = &file, .file_count = 1};
	struct value text;

	(void)state;
	assert_int_equal(userdata_format_find(SV("bash"))->write(f.arena, &f.sink, &node, &text),
	                 STATUS_OK);
	assert_ptr_equal(taint_derived_from(text.taint), &secret);
}

/* A word that a template made of a secret could tell something of it by its length. */
static void a_derived_word_derives_the_script(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	const struct secret secret = {.name = SV("s"), .text = SV("secret")};
	struct value path = value_string(SV("/a"));
	struct node_file file = {.path = path, .content = value_string(SV("text"))};
	const struct node_config node = {.files = &file, .file_count = 1};
	struct value text;

	(void)state;
	assert_int_equal(userdata_format_find(SV("bash"))->write(f.arena, &f.sink, &node, &text),
	                 STATUS_OK);
	assert_null(text.taint);
	file.path.taint = taint_derived(f.arena, path.string.len, &secret);
	assert_int_equal(userdata_format_find(SV("bash"))->write(f.arena, &f.sink, &node, &text),
	                 STATUS_OK);
	assert_ptr_equal(taint_derived_from(text.taint), &secret);
}

static void what_cannot_be_said_is_reported(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	const struct value *doc = fixture_yaml(
	    &f, "paths: [a, /b/, \"/c\\0d\", /e/.., /f]\nnames: ['', ../x, .., \"g\\0\"]\n"
	        "text: \"ab\\0c\"\n");
	struct node_file files[5];
	struct node_unit units[4];
	struct node_drop_in drop_in = {.name = *value_item(value_path(doc, "names"), 1)};
	struct node_script script = {.after = *value_path(doc, "text")};
	struct node_config node = {
	    .files = files, .file_count = 5, .units = units, .unit_count = 4, .script = &script};
	struct value text;

	(void)state;
	for (size_t i = 0; i < 5; i++)
		files[i] = (struct node_file){.path = *value_item(value_path(doc, "paths"), i),
		                              .content = *value_path(doc, "text")};
	files[4].is_transparent = true;
	for (size_t i = 0; i < 4; i++)
		units[i] = (struct node_unit){.name = *value_item(value_path(doc, "names"), i)};
	units[3].drop_ins = &drop_in;
	units[3].drop_in_count = 1;
	assert_int_equal(userdata_format_find(SV("bash"))->write(f.arena, &f.sink, &node, &text),
	                 STATUS_FAILED);
	assert_diags(&f.sink, "a.yaml:1:9 OSG7020\na.yaml:1:12 OSG7020\na.yaml:1:20 OSG7020\n"
	                      "a.yaml:1:26 OSG7020\na.yaml:3:10 OSG7020\na.yaml:2:9 OSG7020\n"
	                      "a.yaml:2:13 OSG7020\na.yaml:2:19 OSG7020\na.yaml:2:24 OSG7020\n"
	                      "a.yaml:2:13 OSG7020\na.yaml:3:10 OSG7020\n");
	assert_diag(f.sink.diags.items[0], DIAG_USERDATA_TEXT,
	            "file \"a\": the path is not absolute");
	assert_diag(f.sink.diags.items[4], DIAG_USERDATA_TEXT,
	            "file \"/f\": the content cannot hold a NUL byte");
	assert_diag(f.sink.diags.items[5], DIAG_USERDATA_TEXT,
	            "unit: this is not a valid file name");
}

/* A name that came from a secret is in no message. */
static void messages_name_no_secret(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	const struct secret secret = {.name = SV("s"), .text = SV("hunter2")};
	struct node_file file = {.path = value_secret_string(f.arena, secret.text, &secret)};
	const struct node_config node = {.files = &file, .file_count = 1};
	struct value text;

	(void)state;
	assert_int_equal(userdata_format_find(SV("bash"))->write(f.arena, &f.sink, &node, &text),
	                 STATUS_FAILED);
	assert_one_diag(&f.sink, DIAG_USERDATA_TEXT, "0:0", "file: the path is not absolute");
}

UNIT_TESTS(userdata_bash)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(nothing_at_all),
	    cmocka_unit_test(files_and_their_modes),
	    cmocka_unit_test(links_units_and_scripts),
	    cmocka_unit_test(secrets_stay_marked),
	    cmocka_unit_test(a_delimiter_gives_no_secret_away),
	    cmocka_unit_test(a_derived_word_derives_the_script),
	    cmocka_unit_test(what_cannot_be_said_is_reported),
	    cmocka_unit_test(messages_name_no_secret),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
