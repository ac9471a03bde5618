/*
 * Settings as the controller's flags check them (docs/spec/containerd.md 2, docs/spec/controller.md
 * 6).
 */
#include "osm_fixture.h"

/* Sets name to a YAML value. */
static enum status set(struct fixture *f, const char *name, const char *yaml)
{
	const struct setting *setting = fixture_setting(name);

	assert_non_null(setting);
	return setting_set(f->arena, &f->sink, &f->settings, setting, fixture_yaml(f, yaml));
}

static void table_is_consistent(void **state)
{
	const struct setting *table = osm_settings_table;

	(void)state;
	for (size_t i = 0; i < OSM_SETTING_COUNT; i++) {
		FIXTURE_AUTO f = fixture_new();
		struct value list = value_list_new(f.arena);

		/* Nothing takes a list of lists: every setting is known to its setter. */
		value_list_add(f.arena, &list, value_list_new(f.arena));
		assert_int_equal(setting_set(f.arena, &f.sink, &f.settings, &table[i], &list),
		                 STATUS_FAILED);
		assert_true((table[i].placeholder == NULL) == (table[i].kind == SETTING_BOOL));
	}
}

static void cluster_dns_is_canonical(void **state)
{
	FIXTURE_AUTO f = fixture_new();

	(void)state;
	assert_int_equal(set(&f, "clusterDNS", "'10.96.0.10, fd00:10:96::000a,::ffff:10.1.2.3'"),
	                 STATUS_OK);
	assert_int_equal(value_count(&f.settings.cluster_dns), 3);
	assert_sv(value_text(value_item(&f.settings.cluster_dns, 1)), "fd00:10:96::a");
	assert_sv(value_text(value_item(&f.settings.cluster_dns, 2)), "10.1.2.3");
}

static void bad_addresses_are_shown_where_they_stand(void **state)
{
	static const struct {
		const char *yaml;
		const char *place;
	} cases[] = {
	    {"[10.0.0.1, 010.0.0.1]", "1:12"},
	    {"10.0.0.1,10.0.0.0/8", "1:10"},
	    {"'fe80::1%eth0'", "1:2"},
	    {"[]\n", NULL},
	    {"['']", "1:2"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		FIXTURE_AUTO f = fixture_new();

		assert_int_equal(set(&f, "clusterDNS", cases[i].yaml),
		                 cases[i].place ? STATUS_FAILED : STATUS_OK);
		if (cases[i].place)
			assert_one_diag(&f.sink, DIAG_SETTING_VALUE, cases[i].place,
			                "clusterDNS: not an IP address");
	}
}

static void feature_gates(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	const sv forced = SV("RotateKubeletServerCertificate");

	(void)state;
	assert_int_equal(set(&f, "nodeKubeletFeatureGates", "'A=true,B=F'"), STATUS_OK);
	assert_int_equal(value_count(&f.settings.feature_gates), 3);
	assert_true(value_map_get(&f.settings.feature_gates, forced)->boolean);
	assert_int_equal(
	    set(&f, "nodeKubeletFeatureGates", "{RotateKubeletServerCertificate: false}"),
	    STATUS_OK);
	assert_false(value_map_get(&f.settings.feature_gates, forced)->boolean);
	assert_int_equal(set(&f, "nodeKubeletFeatureGates", "''"), STATUS_FAILED);
	assert_int_equal(set(&f, "nodeKubeletFeatureGates", "'A=true, B=maybe'"), STATUS_FAILED);
	assert_int_equal(f.sink.error_count, 2);
	assert_int_equal(position_line_column(f.sink.diags.items[1]->at).column, 9);
}

/* Facts of the controller's own tests (pkg/containerruntime/config_test.go). */
static void plain_mirrors(void **state)
{
	FIXTURE_AUTO f = fixture_new();

	(void)state;
	assert_int_equal(set(&f, "nodeRegistryMirrors",
	                     "'registry-v1.docker.io, http://registry.docker-cn.com,,"
	                     "quay.io=my-quay-io-mirror.example.com,ghcr.io=http://foo/bar,"
	                     "httpbin.org'"),
	                 STATUS_OK);
	const struct osm_mirrors *mirrors = &f.settings.registry_mirrors;
	assert_int_equal(mirrors->count, 5);
	assert_sv(mirrors->items[0].registry, "docker.io");
	assert_sv(mirrors->items[0].url.string, "https://registry-v1.docker.io");
	assert_sv(mirrors->items[1].url.string, "http://registry.docker-cn.com");
	assert_sv(mirrors->items[2].registry, "quay.io");
	assert_sv(mirrors->items[2].url.string, "https://my-quay-io-mirror.example.com");
	assert_sv(mirrors->items[3].url.string, "http://foo/bar");
	assert_sv(mirrors->items[4].url.string, "httpbin.org");
	assert_int_equal(set(&f, "nodeRegistryMirrors", "''"), STATUS_OK);
	assert_int_equal(f.settings.registry_mirrors.count, 0);
}

static void containerd_mirrors(void **state)
{
	FIXTURE_AUTO f = fixture_new();

	(void)state;
	assert_int_equal(set(&f, "nodeContainerdRegistryMirrors", "['a=https://b/c=d,e', 'f=g']"),
	                 STATUS_OK);
	assert_int_equal(f.settings.containerd_mirrors.count, 2);
	assert_sv(f.settings.containerd_mirrors.items[0].url.string, "https://b/c=d,e");
	assert_int_equal(
	    set(&f, "nodeContainerdRegistryMirrors", "{docker.io: ['https://x', 'https://y']}"),
	    STATUS_OK);
	assert_int_equal(f.settings.containerd_mirrors.count, 2);
	assert_sv(f.settings.containerd_mirrors.items[1].registry, "docker.io");
	assert_int_equal(set(&f, "nodeContainerdRegistryMirrors", "[no-equals-sign]"),
	                 STATUS_FAILED);
	assert_one_diag(&f.sink, DIAG_SETTING_VALUE, "1:2",
	                "nodeContainerdRegistryMirrors: an item must be REGISTRY=URL");
}

static void machine_deployments(void **state)
{
	FIXTURE_AUTO f = fixture_new();

	(void)state;
	assert_false(f.settings.writes_machines);
	assert_int_equal(f.settings.replicas, OSM_REPLICAS_UNSET);
	assert_int_equal(set(&f, "machineDeployments", "output"), STATUS_OK);
	assert_true(f.settings.writes_machines);
	assert_int_equal(set(&f, "machineDeployments", "input"), STATUS_OK);
	assert_false(f.settings.writes_machines);
	assert_int_equal(set(&f, "replicas", "omit"), STATUS_OK);
	assert_int_equal(f.settings.replicas, OSM_REPLICAS_OMIT);
	assert_int_equal(set(&f, "replicas", "keep"), STATUS_OK);
	assert_int_equal(f.settings.replicas, OSM_REPLICAS_KEEP);
	assert_int_equal(set(&f, "replicas", "3"), STATUS_FAILED);
	assert_int_equal(set(&f, "machineDeployments", "true"), STATUS_FAILED);
	assert_int_equal(f.sink.error_count, 2);
}

static void rolling(void **state)
{
	FIXTURE_AUTO f = fixture_new();

	(void)state;
	assert_int_equal(f.settings.roll, OSM_ROLL_NEVER);
	assert_int_equal(f.settings.roll_guard, 10);
	assert_int_equal(set(&f, "roll", "user-data"), STATUS_OK);
	assert_int_equal(f.settings.roll, OSM_ROLL_USER_DATA);
	assert_int_equal(set(&f, "roll", "profile"), STATUS_OK);
	assert_int_equal(f.settings.roll, OSM_ROLL_PROFILE);
	assert_int_equal(set(&f, "rollGuard", "20"), STATUS_OK);
	assert_int_equal(f.settings.roll_guard, 20);
	assert_int_equal(set(&f, "rollGuard", "'0'"), STATUS_OK);
	assert_int_equal(f.settings.roll_guard, 0);
	assert_int_equal(set(&f, "rollGuard", "-1"), STATUS_FAILED);
	assert_int_equal(set(&f, "rollGuard", "1.5"), STATUS_FAILED);
	assert_int_equal(set(&f, "roll", "yes"), STATUS_FAILED);
	assert_int_equal(f.sink.error_count, 3);
}

static void passwords_in_urls_are_secret(void **state)
{
	FIXTURE_AUTO f = fixture_new();

	(void)state;
	assert_int_equal(set(&f, "nodeHTTPProxy", "'http://me:hunter2@proxy:3128/a%40b'"),
	                 STATUS_OK);
	assert_sv(show_taint(f.arena, &f.settings.http_proxy),
	          "http://[me:hunter2]@proxy:3128/a%40b");
	assert_int_equal(
	    set(&f, "nodeContainerdRegistryMirrors", "['docker.io=https://u:p@mirror']"),
	    STATUS_OK);
	assert_sv(show_taint(f.arena, &f.settings.containerd_mirrors.items[0].url),
	          "https://[u:p]@mirror");
	assert_int_equal(set(&f, "nodeHTTPProxy", "'http://proxy:3128'"), STATUS_OK);
	assert_null(f.settings.http_proxy.taint);
}

static void limits_are_maps_or_texts(void **state)
{
	FIXTURE_AUTO f = fixture_new();

	(void)state;
	assert_int_equal(set(&f, "userDataLimits", "{hetzner: 40000, aws: 0}"), STATUS_OK);
	assert_int_equal(value_map_get(&f.settings.user_data_limits, SV("hetzner"))->integer,
	                 40000);
	assert_int_equal(value_map_get(&f.settings.user_data_limits, SV("aws"))->integer, 0);
	assert_int_equal(set(&f, "userDataLimits", "linode=1,gce=2"), STATUS_OK);
	assert_int_equal(value_count(&f.settings.user_data_limits), 2);
	assert_int_equal(value_map_get(&f.settings.user_data_limits, SV("gce"))->integer, 2);
}

static void default_profiles_are_maps_or_texts(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	const struct osm_default_profiles *got = &f.settings.default_profiles;

	(void)state;
	assert_int_equal(got->count, 0);
	assert_int_equal(set(&f, "defaultProfiles", "{ubuntu: osp-a, rhel: osp-b}"), STATUS_OK);
	assert_int_equal(got->count, 2);
	assert_sv(got->items[0].os_name, "ubuntu");
	assert_sv(got->items[0].profile, "osp-a");
	assert_place(got->items[1].at, "1:23");
	/* A later one takes the place of the whole. */
	assert_int_equal(set(&f, "defaultProfiles", "flatcar=osp-c,amzn2=osp-d"), STATUS_OK);
	assert_int_equal(got->count, 2);
	assert_sv(got->items[0].os_name, "flatcar");
	assert_sv(got->items[1].profile, "osp-d");
	assert_int_equal(set(&f, "defaultProfiles", "{}"), STATUS_OK);
	assert_int_equal(got->count, 0);
}

static void wrong_values(void **state)
{
	static const struct {
		const char *name;
		const char *yaml;
		const char *text;
	} cases[] = {
	    {"externalCloudProvider", "perhaps", "externalCloudProvider: must be true or false"},
	    {"containerRuntime", "docker",
	     "containerRuntime: the only container runtime is containerd"},
	    {"namespace", "A_B", "namespace: must be the name of a namespace"},
	    {"nodeRegistryCredentialsSecret", "a/b/c",
	     "nodeRegistryCredentialsSecret: must be NAMESPACE/NAME"},
	    {"bootstrapTokenServiceAccountName", "name",
	     "bootstrapTokenServiceAccountName: must be NAMESPACE/NAME"},
	    {"osc", "clear", "osc: must be redacted, sealed or patch"},
	    {"pauseImage", "5", "pauseImage: must be a string"},
	    {"nodeInsecureRegistries", "{a: b}",
	     "nodeInsecureRegistries: must be a list of strings"},
	    {"userDataLimits", "{hetzer: 1}", "userDataLimits: no such provider"},
	    {"userDataLimits", "{hetzner: 32k}", "userDataLimits: a limit is a number of bytes"},
	    {"userDataLimits", "{hetzner: -1}", "userDataLimits: a limit is a number of bytes"},
	    {"userDataLimits", "hetzner", "userDataLimits: a limit is a number of bytes"},
	    {"defaultProfiles", "{ubunto: a}", "defaultProfiles: no such operating system"},
	    {"defaultProfiles", "{windows: a}", "defaultProfiles: no such operating system"},
	    {"defaultProfiles", "{ubuntu: A_B}", "defaultProfiles: must be the name of a profile"},
	    {"defaultProfiles", "{ubuntu: 5}", "defaultProfiles: must be the name of a profile"},
	    {"defaultProfiles", "ubuntu", "defaultProfiles: must be the name of a profile"},
	    {"defaultProfiles", "ubuntu=a,ubuntu=b",
	     "defaultProfiles: this operating system is named twice"},
	    {"defaultProfiles", "[ubuntu]",
	     "defaultProfiles: must be a map of operating systems to names of profiles"},
	    {"userDataLimits", "[hetzner]", "userDataLimits: must be a map of providers to bytes"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		FIXTURE_AUTO f = fixture_new();

		assert_int_equal(set(&f, cases[i].name, cases[i].yaml), STATUS_FAILED);
		assert_int_equal(f.sink.error_count, 1);
		assert_sv(f.sink.diags.items[0]->text, cases[i].text);
	}
}

static void bundles_hold_certificates(void **state)
{
	FIXTURE_AUTO f = fixture_new();

	(void)state;
	assert_int_equal(set(&f, "hostCABundle",
	                     "|\n  text before\n  -----BEGIN CERTIFICATE-----\n  MIIBMDCB\n"
	                     "  -----END CERTIFICATE-----\n"),
	                 STATUS_OK);
	assert_true(sv_starts_with(f.settings.host_ca.string, SV("text before\n")));
	assert_int_equal(set(&f, "kubernetesCABundle", "|\n  -----BEGIN NOTHING-----\n"),
	                 STATUS_FAILED);
	assert_one_diag(&f.sink, DIAG_CA_BUNDLE, "1:1", "kubernetesCABundle holds no certificate");
	const struct setting *setting = fixture_setting("hostCABundle");
	struct value path = value_string(SV("ca/host.pem"));
	assert_true(setting_names_file(setting, &path));
	assert_false(setting_names_file(setting, &f.settings.host_ca));
}

UNIT_TESTS(osm_settings)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(table_is_consistent),
	    cmocka_unit_test(cluster_dns_is_canonical),
	    cmocka_unit_test(bad_addresses_are_shown_where_they_stand),
	    cmocka_unit_test(feature_gates),
	    cmocka_unit_test(plain_mirrors),
	    cmocka_unit_test(containerd_mirrors),
	    cmocka_unit_test(machine_deployments),
	    cmocka_unit_test(rolling),
	    cmocka_unit_test(passwords_in_urls_are_secret),
	    cmocka_unit_test(wrong_values),
	    cmocka_unit_test(limits_are_maps_or_texts),
	    cmocka_unit_test(default_profiles_are_maps_or_texts),
	    cmocka_unit_test(bundles_hold_certificates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
