/* Which changes of a profile need a new version: what the controller's webhook compares. */
#include "osm_fixture.h"

static const char base[] = "osName: flatcar\n"
                           "osVersion: \"4081\"\n"
                           "version: v1.0.0\n"
                           "supportedCloudProviders:\n"
                           "- name: aws\n"
                           "- name: vsphere\n"
                           "  spec: {disk: 40}\n"
                           "bootstrapConfig:\n"
                           "  templates: {a: x, b: ''}\n"
                           "  files:\n"
                           "  - path: /a\n"
                           "    content:\n"
                           "      inline:\n"
                           "        encoding: b64\n"
                           "        data: |\n"
                           "          one\n"
                           "  units:\n"
                           "  - name: a.service\n"
                           "    enable: true\n"
                           "provisioningConfig:\n"
                           "  supportedContainerRuntimes:\n"
                           "  - name: containerd\n"
                           "    files:\n"
                           "    - path: /b\n"
                           "      permissions: 600\n"
                           "      content: {inline: {data: two}}\n"
                           "  modules:\n"
                           "    runcmd: [x, y]\n"
                           "    rh_subscription: {password: \"<sealed:rh:p#0123456789>\"}\n";

/* base with `from` replaced by `to`, once. */
static char *edited(const char *from, const char *to)
{
	static char text[4096];
	const char *at = strstr(base, from);

	assert_non_null(at);
	snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - base), base, to, at + strlen(from));
	return text;
}

/* Null: no change; else the path of the first difference, and where it stands now. */
static void check(const char *from, const char *to, bool one_seed, const char *path,
                  const char *place)
{
	FIXTURE_AUTO f = fixture_new();
	const struct value *before = fixture_yaml(&f, base);
	const struct value *now = fixture_yaml(&f, edited(from, to));
	struct dialect_change change = {0};

	bool changed = osm_profile_spec_changed(f.arena, before, now, one_seed, &change);
	if (changed != (path != NULL))
		fail_msg("%s -> %s: %s", from, to, changed ? "changed" : "not changed");
	if (!path)
		return;
	assert_sv(change.path, path);
	assert_place(change.at, place);
}

static void test_changes(void **state)
{
	(void)state;
	check("\"4081\"", "\"4082\"", true, "spec.osVersion", "2:12");
	check("osName: flatcar", "osName: flatcar\nprovisioningUtility: ignition", true,
	      "spec.provisioningUtility", "2:22");
	check("- name: aws\n", "", true, "spec.supportedCloudProviders[0].name", "5:9");
	check("disk: 40", "disk: 41", true, "spec.supportedCloudProviders[1].spec", "7:9");
	check("- name: aws\n", "- name: aws\n- name: gce\n", true,
	      "spec.supportedCloudProviders[1].name", "6:9");
	check("          one\n", "          one \n", true,
	      "spec.bootstrapConfig.files[0].content.inline.data", "15:15");
	check("encoding: b64\n", "encoding: plain\n", true,
	      "spec.bootstrapConfig.files[0].content.inline.encoding", "14:19");
	/* What is gone is looked for where it was. */
	check("        encoding: b64\n", "", true,
	      "spec.bootstrapConfig.files[0].content.inline.encoding", "14:9");
	check("    enable: true\n", "", true, "spec.bootstrapConfig.units[0].enable", "18:5");
	check("{a: x, b: ''}", "{a: x}", true, "spec.bootstrapConfig.templates", "9:14");
	check("permissions: 600", "permissions: 644", true,
	      "spec.provisioningConfig.supportedContainerRuntimes[0].files[0].permissions",
	      "25:20");
	check("[x, y]", "[y, x]", true, "spec.provisioningConfig.modules.runcmd", "28:13");
	check("  - name: a.service\n", "  - name: a.service\n    content: ''\n", true,
	      "spec.bootstrapConfig.units[0].content", "19:14");
	check("#0123456789>", "#0123456788>", true,
	      "spec.provisioningConfig.modules.rh_subscription", "29:22");
	/* Another type, in output that somebody edited. */
	check("  files:\n  - path: /a\n    content:\n", "  files:\n    path: /a\n    content:\n",
	      true, "spec.bootstrapConfig.files", "11:5");
	check("<sealed:rh:p#0123456789>", "clear", false,
	      "spec.provisioningConfig.modules.rh_subscription", "29:22");
}

static void test_no_changes(void **state)
{
	(void)state;
	check("version", "version", true, NULL, NULL);
	/* Order of keys, comments, styles. */
	check("osName: flatcar\nosVersion: \"4081\"\n", "# x\nosVersion: '4081'\nosName: flatcar\n",
	      true, NULL, NULL);
	/* The schema's defaults written out. */
	check("osName: flatcar", "osName: flatcar\nprovisioningUtility: cloud-init", true, NULL,
	      NULL);
	check("  - path: /a\n", "  - path: /a\n    permissions: 644\n", true, NULL, NULL);
	/* Nothing, in several spellings. */
	check("modules:\n", "files: []\n  units:\n  templates: {}\n  modules:\n", true, NULL, NULL);
	check("data: two", "data: two, encoding: ''", true, NULL, NULL);
	/* Fields that the API server drops. */
	check("osName: flatcar", "osName: flatcar\ncolour: red", true, NULL, NULL);
	check("  - path: /a\n", "  - path: /a\n    owner: root\n", true, NULL, NULL);
	/* Another seed, the same secret. */
	check("#0123456789>", "#9876543210>", false, NULL, NULL);
}

UNIT_TESTS(osm_profile_change)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_changes),
	    cmocka_unit_test(test_no_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
