/*
 * OperatingSystemProfiles against their schema (docs/spec/controller.md 2.2, 7.1).
 */
#include "osm/profile.h"
#include "osm_fixture.h"

#define HEAD                                                                                       \
	"apiVersion: operatingsystemmanager.k8c.io/v1alpha1\nkind: OperatingSystemProfile\n"       \
	"metadata: {name: osp, namespace: kube-system}\n"
#define SPEC                                                                                       \
	HEAD "spec:\n  osName: ubuntu\n  osVersion: '24.04'\n  version: v1.0.0\n"                  \
	     "  supportedCloudProviders: [{name: aws}]\n"
#define EMPTY "  bootstrapConfig: {}\n  provisioningConfig: {}\n"

static enum status load(struct fixture *f, const char *yaml, struct osm_profile **profile)
{
	fixture_add(f, "osp.yaml", yaml);
	return osm_profile_load(f->arena, &f->sink, f->all.items[f->all.count - 1], profile);
}

static void defaults_are_filled_in(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	struct osm_profile *profile;

	(void)state;
	assert_int_equal(load(&f,
	                      SPEC
	                      "  bootstrapConfig:\n    files:\n"
	                      "    - {path: /a, content: {inline: {data: x}}}\n"
	                      "    - {path: /b, permissions: 0, content: {inline: {data: ''}}}\n"
	                      "    supportedContainerRuntimes:\n"
	                      "    - {name: docker, files: [{path: /no, content: {inline: "
	                      "{data: x}}}]}\n"
	                      "    - {name: containerd, files: [{path: /c, permissions: 755, "
	                      "content: {inline: {data: x, encoding: b64}}}]}\n"
	                      "    - {name: containerd, files: []}\n"
	                      "  provisioningConfig: {modules: {runcmd: [b, a]}}\n",
	                      &profile),
	                 STATUS_OK);
	assert_diag_count(&f.sink, 0);
	assert_sv(profile->provisioning_utility.string, "cloud-init");
	const struct osm_profile_config *config = profile->bootstrap;
	assert_int_equal(config->file_count, 3);
	assert_int_equal(config->files[0].permissions, 644);
	assert_int_equal(config->files[1].permissions, 644);
	assert_sv(config->files[2].path.string, "/c");
	assert_sv(config->files[2].encoding.string, "b64");
	assert_null(config->modules);
	assert_non_null(profile->provisioning->modules);
}

static void schema_errors(void **state)
{
	static const struct {
		const char *yaml;
		const char *place;
		const char *text;
	} cases[] = {
	    {HEAD "spec:\n  osName: ubunto\n  osVersion: '24.04'\n  version: v1.0.0\n"
	          "  supportedCloudProviders: []\n" EMPTY,
	     "5:11", "osName cannot be \"ubunto\""},
	    {HEAD "spec:\n  osName: ubuntu\n  osVersion: 24.04\n  version: v1.0.0\n"
	          "  supportedCloudProviders: []\n" EMPTY,
	     "6:14", "osVersion must be a string"},
	    {HEAD "spec:\n  osName: ubuntu\n  osVersion: '24.04'\n  version: v1.0\n"
	          "  supportedCloudProviders: []\n" EMPTY,
	     "7:12", "version \"v1.0\" is not a semantic version with a leading v"},
	    {HEAD "spec:\n  osName: ubuntu\n  osVersion: '24.04'\n  version: v1.0.0\n"
	          "  supportedCloudProviders: [{name: hetzne}]\n" EMPTY,
	     "8:36", "name of a provider cannot be \"hetzne\""},
	    {SPEC "  bootstrapConfig: {}\n", "5:3", "the profile lacks provisioningConfig here"},
	    {SPEC "  bootstrapConfig: {}\n  provisioningConfig:\n    files:\n"
	          "    - {path: /a, content: {}}\n",
	     "12:27", "the profile lacks inline here"},
	    {SPEC "  bootstrapConfig: {}\n  provisioningConfig:\n    files:\n"
	          "    - {path: /a, permissions: '0644', content: {inline: {data: x}}}\n",
	     "12:31", "permissions must be a number of 32 bits"},
	    {SPEC "  bootstrapConfig: {units: [{name: a.service}]}\n"
	          "  provisioningConfig: {}\n",
	     "9:28", "a profile for ubuntu must not have units"},
	    {SPEC "  bootstrapConfig: {modules: {runcmd: [[a, b]]}}\n"
	          "  provisioningConfig: {}\n",
	     "9:40", "a command of runcmd must be a string"},
	    {SPEC "  bootstrapConfig: {supportedContainerRuntimes: [{name: containerd}]}\n"
	          "  provisioningConfig: {}\n",
	     "9:50", "the profile lacks files here"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		FIXTURE_AUTO f = fixture_new();
		struct osm_profile *profile;

		assert_int_equal(load(&f, cases[i].yaml, &profile), STATUS_FAILED);
		assert_int_equal(f.sink.error_count, 1);
		const struct diag *diag = f.sink.diags.items[0];
		assert_sv(diag->text, cases[i].text);
		assert_int_equal(diag->code, sv_contains(diag->text, SV("units"))
		                                 ? DIAG_OSP_UNITS
		                                 : DIAG_OSP_SCHEMA);
		assert_place(diag->at, cases[i].place);
		assert_true(diag->help.len > 0);
		assert_sv(diag->object, "OperatingSystemProfile kube-system/osp");
	}
}

static void prefixes_of_versions_pass(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	struct osm_profile *profile;

	(void)state;
	/* COMPAT: the schema's pattern has an end but no beginning. */
	assert_int_equal(load(&f,
	                      HEAD
	                      "spec:\n  osName: ubuntu\n  osVersion: '24.04'\n"
	                      "  version: my-v1.0.0-rc.1\n  supportedCloudProviders: []\n" EMPTY,
	                      &profile),
	                 STATUS_OK);
}

static void warnings(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	struct osm_profile *profile;

	(void)state;
	assert_int_equal(load(&f,
	                      SPEC "  bootstrapConfig: {fils: []}\n  provisioningConfig:\n"
	                           "    files:\n    - {path: /a, permissions: 0644, content: "
	                           "{inline: {data: x}}}\n",
	                      &profile),
	                 STATUS_OK);
	assert_diag_count(&f.sink, 2);
	assert_int_equal(f.sink.diags.items[0]->code, DIAG_OSP_UNKNOWN_FIELD);
	assert_sv(f.sink.diags.items[0]->help, "did you mean \"files\"?");
	assert_int_equal(f.sink.diags.items[1]->code, DIAG_OSP_PERMISSIONS);
	assert_int_equal(profile->provisioning->files[0].permissions, 420);
}

static void template_errors_of_both_configs_are_reported(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	struct osm_profile *profile;

	(void)state;
	assert_int_equal(load(&f,
	                      SPEC
	                      "  bootstrapConfig:\n    files:\n    - path: /a\n      content:\n"
	                      "        inline:\n          data: |\n            line one\n"
	                      "            {{ .A \n"
	                      "  provisioningConfig:\n    files:\n"
	                      "    - {path: /a, content: {inline: {data: '{{ nofunction }}'}}}\n",
	                      &profile),
	                 STATUS_FAILED);
	assert_int_equal(f.sink.error_count, 2);
	assert_int_equal(position_line_column(f.sink.diags.items[0]->at).line, 16);
	assert_int_equal(position_line_column(f.sink.diags.items[1]->at).line, 19);
}

static void embedded_profiles_load(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	struct osm_profiles profiles;
	bool ubuntu = false;

	(void)state;
	assert_int_equal(
	    osm_profile_embedded(f.arena, &f.sink, dialect_contract_newest(), &profiles),
	    STATUS_OK);
	assert_diag_count(&f.sink, 0);
	VEC_EACH (profile, &profiles)
		ubuntu |= sv_eq_cstr((*profile)->name, "osp-ubuntu");
	assert_true(ubuntu);
}

static void profile_objects_for_appliers(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	struct osm_profile *profile;

	(void)state;
	assert_int_equal(load(&f, SPEC EMPTY, &profile), STATUS_OK);
	struct value object = osm_profile_object(f.arena, profile, SV("osm"));
	assert_sv(value_text(value_path(&object, "metadata.namespace")), "osm");
	assert_sv(value_text(value_map_get(value_path(&object, "metadata.annotations"),
	                                   SV(OSM_ANNOTATION_FLUX_SUBSTITUTE))),
	          "disabled");
	assert_non_null(value_path(&object, "spec.bootstrapConfig"));
}

static void subscriptions_are_secret_in_profiles_too(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	struct osm_profile *profile;

	(void)state;
	assert_int_equal(load(&f,
	                      SPEC "  bootstrapConfig: {modules: {rh_subscription: {username: u, "
	                           "password: hunter2}}}\n  provisioningConfig: {}\n",
	                      &profile),
	                 STATUS_OK);
	struct value object = osm_profile_object(f.arena, profile, SV("osm"));
	const struct value *given =
	    value_path(&object, "spec.bootstrapConfig.modules.rh_subscription");
	const struct value *copied = value_path(profile->bootstrap->modules, "rh_subscription");
	assert_sv(show_taint(f.arena, value_map_get(given, SV("password"))), "[hunter2]");
	assert_sv(show_taint(f.arena, value_map_get(given, SV("username"))), "u");
	assert_sv(show_taint(f.arena, value_map_get(copied, SV("password"))), "[hunter2]");
}

/* ---- which profile ----------------------------------------------------------------------- */

static void assert_reference(const char *settings, const char *metadata, const char *config,
                             const char *want)
{
	FIXTURE_AUTO f = fixture_new();
	struct osm_profile_reference reference = {.name = SV("error")};
	sv yaml = arena_printf(f.arena,
	                       "apiVersion: cluster.k8s.io/v1alpha1\nkind: MachineDeployment\n"
	                       "metadata: {name: md, namespace: ns%s}\n"
	                       "spec: {template: {spec: {providerSpec: {value: %s}}}}\n",
	                       metadata, config);

	fixture_add(&f, "md.yaml", arena_cstr(f.arena, yaml));
	assert_int_equal(setting_set(f.arena, &f.sink, &f.settings,
	                             fixture_setting("defaultProfiles"),
	                             fixture_yaml(&f, settings)),
	                 STATUS_OK);
	enum status status =
	    osm_profile_wanted(f.arena, &f.sink, &f.settings, f.all.items[0], &reference);
	assert_sv(reference.name, want);
	assert_int_equal(status == STATUS_FAILED, f.sink.error_count == 1);
	if (reference.setting)
		assert_sv(reference.setting->profile, want);
}

static void profiles_are_named_or_follow_from_the_system(void **state)
{
	const char *const anexia = "{cloudProvider: anexia, operatingSystem: flatcar, "
	                           "operatingSystemSpec: {provisioningUtility: cloud-init}}";

	(void)state;
	assert_reference("{}", ", annotations: {k8c.io/operating-system-profile: mine}", "null",
	                 "mine");
	assert_reference("{}", "", "{operatingSystem: ubuntu, unknown: x}", "osp-ubuntu");
	assert_reference("{}", ", annotations: {k8c.io/operating-system-profile: ''}",
	                 "{operatingSystem: rockylinux}", "osp-rockylinux");
	assert_reference("{}", "", anexia, "osp-flatcar-cloud-init");
	assert_reference("{}", "", "{operatingSystem: plan9}", "error");
	assert_reference("{}", "", "null", "error");
}

static void settings_choose_profiles_that_nothing_names(void **state)
{
	const char *const ours = "{ubuntu: osp-acme, flatcar: osp-own}";

	(void)state;
	assert_reference(ours, "", "{operatingSystem: ubuntu}", "osp-acme");
	assert_reference(ours, ", annotations: {k8c.io/operating-system-profile: ''}",
	                 "{operatingSystem: ubuntu}", "osp-acme");
	assert_reference(ours, ", annotations: {k8c.io/operating-system-profile: mine}",
	                 "{operatingSystem: ubuntu}", "mine");
	assert_reference(ours, "", "{operatingSystem: rhel}", "osp-rhel");
	assert_reference(ours, "", "{operatingSystem: flatcar}", "osp-own");
	assert_reference(ours, "", "{cloudProvider: anexia, operatingSystem: flatcar}", "osp-own");
	/* The one whose user-data is of another kind. */
	assert_reference(ours, "",
	                 "{cloudProvider: anexia, operatingSystem: flatcar, "
	                 "operatingSystemSpec: {provisioningUtility: cloud-init}}",
	                 "osp-flatcar-cloud-init");
	assert_reference(ours, "", "{operatingSystem: plan9}", "error");
}

static void unknown_profiles(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	const struct osm_profile_reference reference = {.name = SV("osp-ubunto")};
	const sv names[] = {SV("osp-flatcar"), SV("osp-ubuntu")};

	(void)state;
	osm_profile_report_unknown(&f.sink, &reference, names, COUNT_OF(names));
	assert_int_equal(f.sink.diags.items[0]->code, DIAG_OSP_NOT_FOUND);
	assert_sv(f.sink.diags.items[0]->text, "OperatingSystemProfile \"osp-ubunto\" not found");
	assert_sv(f.sink.diags.items[0]->help, "did you mean \"osp-ubuntu\"?");
}

UNIT_TESTS(osm_profile)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(defaults_are_filled_in),
	    cmocka_unit_test(schema_errors),
	    cmocka_unit_test(prefixes_of_versions_pass),
	    cmocka_unit_test(warnings),
	    cmocka_unit_test(template_errors_of_both_configs_are_reported),
	    cmocka_unit_test(embedded_profiles_load),
	    cmocka_unit_test(profile_objects_for_appliers),
	    cmocka_unit_test(subscriptions_are_secret_in_profiles_too),
	    cmocka_unit_test(profiles_are_named_or_follow_from_the_system),
	    cmocka_unit_test(settings_choose_profiles_that_nothing_names),
	    cmocka_unit_test(unknown_profiles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
