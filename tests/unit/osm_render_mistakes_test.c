/* Mistakes in the manifests of a MachineDeployment: which are reported, and where. */
#include "osm_render_fixture.h"

static void missing_cluster_info(void **state)
{
	SCENE_AUTO s = {0};

	(void)state;
	PLAY(&s, MACHINE(AWS, "k8c.io/operating-system-profile: osp"), PROFILE(TEMPLATE), GETTER);
	assert_int_equal(s.status, STATUS_FAILED);
	assert_one_diag(&s.f.sink, DIAG_CLUSTER_INFO, "4:9",
	                "ConfigMap kube-public/cluster-info is not among the manifests of cluster "
	                "\"prod\"");
	assert_sv(s.f.sink.diags.items[0]->cluster, "prod");
}

static void everything_wrong_is_told_at_once(void **state)
{
	SCENE_AUTO s = {0};

	(void)state;
	PLAY(&s,
	     MACHINE("{operatingSystem: rhel, cloudProvider: azure, typo: 1, "
	             "operatingSystemSpec: {distUpgradeOnBoot: 'yes'}}",
	             "v1.kubelet-config.machine-controller.kubermatic.io/MaxPods: x"),
	     PROFILE(TEMPLATE), CLUSTER_INFO, GETTER);
	static const enum diag_code codes[] = {DIAG_MD_UNKNOWN_KEY, DIAG_OSP_OS, DIAG_OSP_PROVIDER,
	                                       DIAG_MD_CONFIG, DIAG_KUBELET_ANNOTATION};

	assert_int_equal(s.status, STATUS_FAILED);
	assert_int_equal(s.f.sink.error_count, COUNT_OF(codes));
	for (size_t i = 0; i < COUNT_OF(codes); i++) {
		const struct diag *diag = s.f.sink.diags.items[i];

		assert_int_equal(diag->code, codes[i]);
		assert_sv(diag->object, "MachineDeployment ns/md");
		assert_true(position_line_column(diag->at).line > 0);
	}
}

static void single_mistakes(void **state)
{
	static const struct {
		const char *machine;
		enum diag_code code;
		size_t line;
	} cases[] = {
	    {MACHINE("{operatingSystem: ubuntu, cloudProvider: aws, network: {gateway: 10.0.0.1}}",
	             ""),
	     DIAG_STATIC_IP, 12},
	    {MACHINE("{operatingSystem: plan9, cloudProvider: aws}", ""), DIAG_MD_OS, 12},
	    {MACHINE("null", ""), DIAG_MD_CONFIG, 12},
	    {"apiVersion: cluster.k8s.io/v1alpha1\nkind: MachineDeployment\n"
	     "metadata: {name: md, namespace: ns}\nspec: {template: {spec: {versions: {kubelet: "
	     "1.33}, providerSpec: {value: " AWS "}}}}\n",
	     DIAG_KUBELET_VERSION, 4},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		SCENE_AUTO s = {0};

		PLAY(&s, cases[i].machine, PROFILE(TEMPLATE), CLUSTER_INFO, GETTER);
		assert_int_equal(s.status, STATUS_FAILED);
		assert_int_equal(s.f.sink.error_count, 1);
		assert_int_equal(s.f.sink.diags.items[0]->code, cases[i].code);
		assert_int_equal(position_line_column(s.f.sink.diags.items[0]->at).line,
		                 cases[i].line);
		assert_true(s.f.sink.diags.items[0]->help.len > 0);
	}
}

#define OTHER_PROFILE(os, utility)                                                                 \
	"apiVersion: operatingsystemmanager.k8c.io/v1alpha1\nkind: OperatingSystemProfile\n"       \
	"metadata: {name: osp, namespace: kube-system}\nspec:\n  osName: " os "\n"                 \
	"  osVersion: '1'\n  version: v1.0.0\n  provisioningUtility: " utility "\n"                \
	"  supportedCloudProviders: [{name: aws}]\n"                                               \
	"  bootstrapConfig: {}\n  provisioningConfig: {}\n"

static void utilities_must_agree(void **state)
{
	SCENE_AUTO s = {0};

	(void)state;
	PLAY(&s, MACHINE(AWS, ""), OTHER_PROFILE("ubuntu", "ignition"), CLUSTER_INFO, GETTER);
	assert_int_equal(s.status, STATUS_FAILED);
	assert_one_diag(&s.f.sink, DIAG_OSP_UTILITY, "8:24",
	                "provisioning utility \"cloud-init\" is not supported: "
	                "OperatingSystemProfile \"osp\" is for \"ignition\"");
}

static void flatcar_decides_on_its_utility(void **state)
{
	static const struct {
		const char *spec;
		const char *utility;
		const char *at; /* of the diagnostic, or null if there is no mistake */
	} cases[] = {
	    {"{}", "ignition", NULL},
	    {"{provisioningUtility: cloud-init}", "cloud-init", NULL},
	    {"{provisioningUtility: ''}", "cloud-init", "8:24"},
	    {"{provisioningUtility: cloud-init}", "ignition", "12:106"},
	    {"{provisioningUtility: pxe}", "ignition", "12:106"},
	    {"{provisioningUtility: 1}", "ignition", "12:106"},
	    {"{disableAutoUpdate: 1}", "ignition", "12:104"},
	    {"{rhelActivationKey: 1}", "ignition", NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		SCENE_AUTO s = {.f = fixture_new()};
		sv machine = arena_printf(
		    s.f.arena,
		    MACHINE(
		        "{operatingSystem: flatcar, cloudProvider: aws, operatingSystemSpec: %s, "
		        "network: {cidr: 10.0.0.1/8}}",
		        ""),
		    cases[i].spec);
		sv profile =
		    arena_printf(s.f.arena, OTHER_PROFILE("flatcar", "%s"), cases[i].utility);

		PLAY(&s, machine.ptr, profile.ptr, CLUSTER_INFO, GETTER);
		assert_int_equal(s.status, cases[i].at ? STATUS_FAILED : STATUS_OK);
		assert_int_equal(s.f.sink.error_count, cases[i].at ? 1 : 0);
		if (!cases[i].at)
			continue;
		const struct diag *diag = s.f.sink.diags.items[0];
		assert_place(diag->at, cases[i].at);
		assert_true(diag->help.len > 0);
	}
}

static void red_hat_subscriptions_are_the_machines_own(void **state)
{
	static const struct {
		const char *spec;
		const char *lines;
		const char *secret; /* the key whose value must be tainted */
	} cases[] = {
	    {"{}", "    auto-attach: false\n    password: \n    username: \n", NULL},
	    {"{rhelSubscriptionManagerUser: u, rhelSubscriptionManagerPassword: pass-word, "
	     "attachSubscription: true, rhelActivationKey: unused}",
	     "    auto-attach: true\n    password: pass-word\n    username: u\n", "password"},
	    {"{rhelUseSatelliteServer: true, rhelSatelliteServer: s.example, "
	     "rhelOrganizationName: o, rhelActivationKey: the-key}",
	     "    activation-key: the-key\n    org: o\n"
	     "    rhsm-baseurl: https://s.example/pulp/repos\n    server-hostname: s.example\n",
	     "activation-key"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		SCENE_AUTO s = {.f = fixture_new()};
		sv machine = arena_printf(s.f.arena,
		                          MACHINE("{operatingSystem: rhel, cloudProvider: aws, "
		                                  "operatingSystemSpec: %s}",
		                                  ""),
		                          cases[i].spec);

		PLAY(&s, machine.ptr, OTHER_PROFILE("rhel", "cloud-init"), CLUSTER_INFO, GETTER);
		assert_int_equal(s.status, STATUS_OK);
		sv want = arena_printf(s.f.arena, "\nrh_subscription:\n%s", cases[i].lines);
		assert_true(sv_contains(s.bootstrap.string, want));
		assert_true(sv_contains(s.provisioning.string, want));
		assert_int_equal(secrecy_find(&s.bootstrap) != NULL, cases[i].secret != NULL);
		const struct value *map =
		    value_path(&s.osc, "spec.provisioningConfig.modules.rh_subscription");
		assert_true(value_count(map) > 0);
		for (size_t k = 0; k < value_count(map); k++) {
			const struct value_entry *entry = &map->map->entries[k];

			assert_int_equal(secrecy_find(&entry->value) != NULL,
			                 cases[i].secret &&
			                     sv_eq_cstr(entry->key, cases[i].secret));
		}
	}
}

/* Not the controller's way: it has a user and a password that are null. */
static void empty_subscriptions_can_be_left_out(void **state)
{
	static const struct {
		const char *spec;
		bool there;
	} cases[] = {
	    {"{}", false},
	    {"{attachSubscription: true, rhelActivationKey: unused}", false},
	    {"{rhelSubscriptionManagerUser: u}", true},
	    {"{rhelUseSatelliteServer: true}", true},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		SCENE_AUTO s = {.f = fixture_new()};
		sv machine = arena_printf(s.f.arena,
		                          MACHINE("{operatingSystem: rhel, cloudProvider: aws, "
		                                  "operatingSystemSpec: %s}",
		                                  ""),
		                          cases[i].spec);

		s.f.settings.empty_subscription = false;
		PLAY(&s, machine.ptr, OTHER_PROFILE("rhel", "cloud-init"), CLUSTER_INFO, GETTER);
		assert_int_equal(s.status, STATUS_OK);
		assert_int_equal(sv_contains(s.bootstrap.string, SV("rh_subscription")),
		                 cases[i].there);
		assert_int_equal(sv_contains(s.provisioning.string, SV("rh_subscription")),
		                 cases[i].there);
	}
}

static void template_failures_point_into_the_profile(void **state)
{
	SCENE_AUTO s = {0};

	(void)state;
	PLAY(&s, MACHINE(AWS, "k8c.io/operating-system-profile: osp"),
	     PROFILE("            line\n            {{ .KubeVersion.Nope }}\n"), CLUSTER_INFO,
	     GETTER);
	assert_int_equal(s.status, STATUS_FAILED);
	assert_int_equal(s.f.sink.error_count, 1);
	const struct diag *diag = s.f.sink.diags.items[0];
	assert_sv(diag->at.source->path, "osp.yaml");
	assert_int_equal(position_line_column(diag->at).line, 23);
	assert_sv(diag->object, "MachineDeployment ns/md");
}

UNIT_TESTS(osm_render_mistakes)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(missing_cluster_info),
	    cmocka_unit_test(everything_wrong_is_told_at_once),
	    cmocka_unit_test(single_mistakes),
	    cmocka_unit_test(utilities_must_agree),
	    cmocka_unit_test(flatcar_decides_on_its_utility),
	    cmocka_unit_test(red_hat_subscriptions_are_the_machines_own),
	    cmocka_unit_test(empty_subscriptions_can_be_left_out),
	    cmocka_unit_test(template_failures_point_into_the_profile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
