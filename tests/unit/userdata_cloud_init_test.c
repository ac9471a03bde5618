/*
 * cloud-init user-data, row by row of osm.md 6, and the clouds' budgets.
 */
#include "osm_fixture.h"
#include "userdata/userdata.h"

static void assert_text(struct fixture *f, const struct node_config *node, const char *want)
{
	struct value got = userdata_cloud_init(f->arena, node);

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
	     .mode = SV("0644"),
	     .content = value_string(SV("one\n\n two\n"))},
	    {.path = value_string(SV("/b")),
	     .mode = SV("0-50"),
	     .encoding = value_string(SV("b64")),
	     .content = value_string(SV("one\n"))},
	    {.path = value_string(SV("/c")),
	     .mode = SV("0600"),
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
	     .enable = true,
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
	     .mode = SV("0600"),
	     .content = text_value(f.arena, &content)},
	    {.path = value_string(SV("/b")),
	     .mode = SV("0600"),
	     .encoding = value_string(SV("b64")),
	     .content = text_value(f.arena, &content)},
	};
	const struct node_config node = {.files = files, .file_count = COUNT_OF(files)};
	struct value got = userdata_cloud_init(f.arena, &node);
	assert_sv(show_taint(f.arena, &got),
	          "#cloud-config\n\nssh_pwauth: false\n\nssh_authorized_keys:\nwrite_files:"
	          "\n- path: '/a'\n  permissions: '0600'\n  content: |-\n"
	          "    token: [top\n]    [secret]\n    end\n"
	          "\n- path: '/b'\n  permissions: '0600'\n  encoding: 'b64'\n  content: |-\n"
	          "    [dG9rZW46IHRvcApzZWNyZXQKZW5k]\n");
}

static void sizes_are_those_after_machine_controller(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	const sv text = SV("a <MACHINE_NAME> b\n \t \n<MACHINE_NAME><MACHINE_NAME>\n");
	const size_t expanded = 4 + 63 + 1 + 1 + 2 * 63 + 1;

	(void)state;
	assert_int_equal(userdata_measure_bytes(f.arena, NULL, SV("ubuntu"), text), expanded);
	const struct userdata_budget *openstack = userdata_budget_find(SV("openstack"));
	assert_int_equal(userdata_measure_bytes(f.arena, openstack, SV("ubuntu"), text),
	                 (expanded + 2) / 3 * 4);
	const struct userdata_budget *aws = userdata_budget_find(SV("aws"));
	assert_int_equal(userdata_measure_bytes(f.arena, aws, SV("flatcar"), text), expanded);
	assert_true(userdata_measure_bytes(f.arena, aws, SV("ubuntu"), text) < expanded);
	assert_null(userdata_budget_find(SV("vsphere")));
}

static void budgets_are_checked(void **state)
{
	static const struct {
		const char *provider;
		size_t bytes;
		enum diag_code code; /* 0: fine */
	} cases[] = {
	    {"hetzner", 29492, 0},
	    {"hetzner", 29493, DIAG_USERDATA_NEAR_LIMIT},
	    {"hetzner", 32768, DIAG_USERDATA_NEAR_LIMIT},
	    {"hetzner", 32769, DIAG_USERDATA_LIMIT},
	    {"openstack", 49149, DIAG_USERDATA_NEAR_LIMIT},
	    {"openstack", 49152, DIAG_USERDATA_LIMIT},
	    {"aws", 100000, 0}, /* compresses to nothing */
	    {"vsphere", 1048577, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		FIXTURE_AUTO f = fixture_new();
		char *text = arena_alloc_text(f.arena, cases[i].bytes);
		size_t bytes = 0;

		memset(text, 'x', cases[i].bytes);
		enum status status = userdata_check_budget(
		    f.arena, &f.sink, sv_from_cstr(cases[i].provider), SV("ubuntu"),
		    sv_from(text, cases[i].bytes), NOWHERE, &bytes);
		assert_true(bytes > 0);
		assert_int_equal(f.sink.diags.count, cases[i].code ? 1 : 0);
		if (cases[i].code)
			assert_int_equal(f.sink.diags.items[0]->code, cases[i].code);
		assert_int_equal(status == STATUS_FAILED, f.sink.error_count > 0);
	}
}

static void secrets_hold_a_mebibyte(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	sv text = sv_from(arena_alloc_text(f.arena, 1048577), 1048577);

	(void)state;
	assert_int_equal(userdata_check_secret(&f.sink, "x", sv_slice(text, 0, 1048576), NOWHERE),
	                 STATUS_OK);
	assert_int_equal(userdata_check_secret(&f.sink, "x", text, NOWHERE), STATUS_FAILED);
	assert_int_equal(f.sink.diags.items[0]->code, DIAG_USERDATA_SECRET_SIZE);
	assert_sv(f.sink.diags.items[0]->text, "the x has 1048577 bytes, a Secret holds 1048576");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(nothing_at_all),
	    cmocka_unit_test(host_name_upgrade_and_keys),
	    cmocka_unit_test(files_are_indented_or_encoded),
	    cmocka_unit_test(units_follow_on_the_same_line),
	    cmocka_unit_test(modules),
	    cmocka_unit_test(secrets_stay_marked),
	    cmocka_unit_test(sizes_are_those_after_machine_controller),
	    cmocka_unit_test(budgets_are_checked),
	    cmocka_unit_test(secrets_hold_a_mebibyte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
