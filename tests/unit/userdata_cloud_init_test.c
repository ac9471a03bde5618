/*
 * cloud-init user-data, row by row of docs/spec/userdata.md 2, and the clouds' budgets.
 */
#include "osm_fixture.h"
#include "userdata/userdata.h"

static void assert_text(struct fixture *f, const struct node_config *node, const char *want)
{
	struct value got = userdata_cloud_init(f->arena, node, NULL);

	assert_sv(got.string, want);
}

static void nothing_at_all(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	const struct node_config node = {0};

	(void)state;
	assert_text(&f, &node,
	            "#cloud-config\n\nssh_pwauth: false\n\nssh_authorized_keys:\nwrite_files:");
}

static void host_name_upgrade_and_keys(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	struct node_config node = {
	    .hostname = value_string(SV(NODE_MACHINE_NAME)),
	    .upgrade_packages = true,
	};

	(void)state;
	node_set_ssh_keys(f.arena, &node,
	                  fixture_yaml(&f, "['ssh-a x', \" ssh-b\\n\", '', \"ssh-a x\\t\", "
	                                   "\"\\u00a0\", \"\\u3000it's\"]"));
	assert_text(&f, &node,
	            "#cloud-config\nhostname: <MACHINE_NAME>\n\n"
	            "package_upgrade: true\npackage_reboot_if_required: true\n"
	            "ssh_pwauth: false\n\nssh_authorized_keys:\n"
	            "- 'ssh-a x'\n- 'ssh-b'\n- 'it's'\n"
	            "write_files:\n- path: /etc/machine-name\n  permissions: '0600'\n"
	            "  content: |-\n        <MACHINE_NAME>\n");
}

static void files_are_indented_or_encoded(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	struct node_file files[] = {
	    {.path = value_string(SV("/a")),
	     .mode_text = SV("0644"),
	     .content = value_string(SV("one\n\n two\n"))},
	    {.path = value_string(SV("/b")),
	     .mode_text = SV("0-50"),
	     .encoding = value_string(SV("b64")),
	     .content = value_string(SV("one\n"))},
	    {.path = value_string(SV("/c")),
	     .mode_text = SV("0600"),
	     .encoding = value_string(SV("gz")),
	     .content = value_string(SV(""))},
	};
	const struct node_config node = {.files = files, .file_count = COUNT_OF(files)};

	(void)state;
	assert_text(&f, &node,
	            "#cloud-config\n\nssh_pwauth: false\n\nssh_authorized_keys:\nwrite_files:"
	            "\n- path: '/a'\n  permissions: '0644'\n  content: |-\n"
	            "    one\n    \n     two\n    \n"
	            "\n- path: '/b'\n  permissions: '0-50'\n  encoding: 'b64'\n  content: |-\n"
	            "    b25lCg==\n"
	            "\n- path: '/c'\n  permissions: '0600'\n  encoding: 'gz'\n  content: |-\n"
	            "    \n");
}

static void units_follow_on_the_same_line(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	struct node_drop_in drop_ins[] = {
	    {.name = value_string(SV("10.conf")), .content = value_string(SV("[A]\nb=c\n"))},
	};
	struct node_unit units[] = {
	    {.name = value_string(SV("a.service")),
	     .enable = NODE_ENABLE_YES,
	     .content = value_string(SV("[X]\ny=z"))},
	    {.name = value_string(SV("b.service")),
	     .mask = true,
	     .drop_ins = drop_ins,
	     .drop_in_count = 1},
	};
	const struct node_config node = {.units = units, .unit_count = COUNT_OF(units)};

	(void)state;
	assert_text(
	    &f, &node,
	    "#cloud-config\n\nssh_pwauth: false\n\nssh_authorized_keys:\nwrite_files:coreos:\n"
	    "  units:\n  - name: \"a.service\"\n    enable: true\n    command: start\n"
	    "    mask: false\n\n    content: |\n      [X]\n      y=z\n"
	    "\n  - name: \"b.service\"\n    enable: false\n    \n    mask: true\n\n"
	    "\n    drop_ins:\n      - name: \"10.conf\"\n        content: |\n"
	    "          [A]\n          b=c\n          ");
}

static void modules(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	struct value commands[] = {value_string(SV("echo a")), value_string(SV("echo b"))};
	struct node_pair pairs[] = {{SV("password"), value_string(SV(""))},
	                            {SV("username"), value_string(SV("u"))}};
	struct node_repository repositories[] = {{SV("r"), pairs, COUNT_OF(pairs)}};
	const struct node_modules some = {
	    .bootcmd = commands,
	    .bootcmd_count = 1,
	    .runcmd = commands,
	    .runcmd_count = 2,
	    .rh_subscription = pairs,
	    .rh_subscription_count = COUNT_OF(pairs),
	    .yum_repos = repositories,
	    .yum_repo_count = 1,
	    .yum_repo_dir = value_string(SV("/d")),
	};
	const struct node_config node = {.modules = &some};

	(void)state;
	assert_text(&f, &node,
	            "#cloud-config\n\nssh_pwauth: false\n\nssh_authorized_keys:\nwrite_files:"
	            "\nbootcmd:\n- echo a\n\nruncmd:\n- echo a\n- echo b\n"
	            "\nrh_subscription:\n    password: \n    username: u\n"
	            "\nyum_repos:\n    r:\n       password: \n       username: u\n"
	            "\nyum_repo_dir: /d");
}

static void secrets_stay_marked(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	const struct secret secret = {.name = SV("s"), .text = SV("top\nsecret")};
	struct text content = text_in(f.arena);

	(void)state;
	TEXT_ADD_LIT(&content, "token: ");
	text_add_secret(&content, secret.text, &secret);
	TEXT_ADD_LIT(&content, "\nend");
	struct node_file files[] = {
	    {.path = value_string(SV("/a")),
	     .mode_text = SV("0600"),
	     .content = text_value(f.arena, &content)},
	    {.path = value_string(SV("/b")),
	     .mode_text = SV("0600"),
	     .encoding = value_string(SV("b64")),
	     .content = text_value(f.arena, &content)},
	};
	const struct node_config node = {.files = files, .file_count = COUNT_OF(files)};
	struct value got = userdata_cloud_init(f.arena, &node, NULL);
	assert_sv(show_taint(f.arena, &got),
	          "#cloud-config\n\nssh_pwauth: false\n\nssh_authorized_keys:\nwrite_files:"
	          "\n- path: '/a'\n  permissions: '0600'\n  content: |-\n"
	          "    token: [top\n    secret]\n    end\n"
	          "\n- path: '/b'\n  permissions: '0600'\n  encoding: 'b64'\n  content: |-\n"
	          "    [dG9rZW46IHRvcApzZWNyZXQKZW5k]\n");
}

UNIT_TESTS(userdata_cloud_init)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(nothing_at_all),
	    cmocka_unit_test(host_name_upgrade_and_keys),
	    cmocka_unit_test(files_are_indented_or_encoded),
	    cmocka_unit_test(units_follow_on_the_same_line),
	    cmocka_unit_test(modules),
	    cmocka_unit_test(secrets_stay_marked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
