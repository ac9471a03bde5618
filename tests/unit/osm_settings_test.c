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
	const struct setting_table *table = &osm_settings_table;

	(void)state;
	for (size_t i = 0; i < table->count; i++) {
		FIXTURE_AUTO f = fixture_new();
		const struct setting *row = &table->rows[i];
		struct value list = value_list_new(f.arena);

		/* Nothing takes a list of lists. */
		value_list_add(f.arena, &list, value_list_new(f.arena));
		assert_int_equal(setting_set(f.arena, &f.sink, &f.settings, row, &list),
		                 STATUS_FAILED);
		assert_true((setting_placeholder(row) == NULL) == (row->kind == SETTING_BOOL));
		/* Null leaves what was set before. */
		struct value null = value_null();
		assert_int_equal(setting_set(f.arena, &f.sink, &f.settings, row, &null), STATUS_OK);
	}
}

static void defaults_are_those_of_the_rows(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	const struct osm_settings *s = &f.settings;

	(void)state;
	assert_sv(s->namespace, "kube-system");
	assert_sv(value_text(value_item(&s->cluster_dns, 0)), "10.10.10.10");
	assert_int_equal(value_count(&s->feature_gates), 1);
	assert_sv(value_text(&s->no_proxy), ".svc,.cluster.local,localhost,127.0.0.1");
	assert_true(value_is_string(&s->http_proxy) &&
	            value_is_string(&s->token_service_account.text));
	assert_true(value_is_list(&s->insecure_registries) && value_is_map(&s->user_data_limits));
	assert_true(s->empty_subscription && s->immutable_secrets && !s->disable_default_osps);
	assert_int_equal(s->osc, OSM_OSC_REDACTED);
	assert_int_equal(s->provisioning, OSM_PROVISIONING_WHOLE);
	/* A copy has what was set, and what is given. */
	assert_int_equal(set(&f, "roll", "profile"), STATUS_OK);
	struct osm_settings *copy = settings_new(f.arena, &osm_settings_table, s);
	assert_int_equal(copy->roll, OSM_ROLL_PROFILE);
	assert_true(copy->roll_given.is_given && !copy->replicas_given.is_given);
	assert_place(copy->roll_given.at, "1:1");
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
	                     "quay.io=my-quay-io-mirror.example.com,ghcr.io=http://foo/bar'"),
	                 STATUS_OK);
	const struct osm_mirrors *mirrors = &f.settings.registry_mirrors;
	assert_int_equal(mirrors->count, 4);
	assert_sv(mirrors->items[0].registry, "docker.io");
	assert_sv(mirrors->items[0].url.string, "https://registry-v1.docker.io");
	assert_sv(mirrors->items[1].url.string, "http://registry.docker-cn.com");
	assert_sv(mirrors->items[2].registry, "quay.io");
	assert_sv(mirrors->items[2].url.string, "https://my-quay-io-mirror.example.com");
	assert_sv(mirrors->items[3].url.string, "http://foo/bar");
	/* The controller would write it without a scheme, and containerd finds no host in it. */
	assert_int_equal(set(&f, "nodeRegistryMirrors", "httpbin.org"), STATUS_FAILED);
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
	assert_false(f.settings.replicas_given.is_given);
	assert_int_equal(set(&f, "replicas", "''"), STATUS_OK);
	assert_false(f.settings.replicas_given.is_given);
	assert_int_equal(set(&f, "machineDeployments", "output"), STATUS_OK);
	assert_true(f.settings.writes_machines);
	assert_int_equal(set(&f, "machineDeployments", "input"), STATUS_OK);
	assert_false(f.settings.writes_machines);
	assert_int_equal(set(&f, "replicas", "omit"), STATUS_OK);
	assert_int_equal(f.settings.replicas, OSM_REPLICAS_OMIT);
	assert_true(f.settings.replicas_given.is_given);
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

static void unreadable_user_data(void **state)
{
	FIXTURE_AUTO f = fixture_new();

	(void)state;
	assert_false(f.settings.unreadable_warns);
	assert_int_equal(set(&f, "unreadableUserData", "warning"), STATUS_OK);
	assert_true(f.settings.unreadable_warns);
	assert_int_equal(set(&f, "unreadableUserData", "error"), STATUS_OK);
	assert_false(f.settings.unreadable_warns);
	assert_int_equal(set(&f, "unreadableUserData", "no"), STATUS_FAILED);
	assert_int_equal(f.sink.error_count, 1);
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
	    {"provisioning", "halved", "provisioning: must be whole or split"},
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
	    {"nodeRegistryCredentialsSecret", "kube-system/My_Secret",
	     "nodeRegistryCredentialsSecret: has a name that Kubernetes refuses"},
	    {"initialTaints", "gpu=true", "initialTaints: a taint has no effect"},
	    {"initialTaints", "'gpu:NoSchedule,'", "initialTaints: a taint has no effect"},
	    {"initialTaints", "'gpu=true:NoSchedul'",
	     "initialTaints: the effect of a taint must be NoSchedule, PreferNoSchedule or "
	     "NoExecute"},
	    {"initialTaints", "'a b:NoExecute'",
	     "initialTaints: a taint has a key that the kubelet refuses"},
	    {"initialTaints", "'a=b=c:NoExecute'",
	     "initialTaints: a taint has a value that the kubelet refuses"},
	    {"initialTaints", "'a=1:NoExecute,a=2:NoExecute'",
	     "initialTaints: two taints have the same key and effect"},
	    {"nodeContainerdRegistryMirrors", "{docker.io: ['htps://mirror.example']}",
	     "nodeContainerdRegistryMirrors: must be a URL of http or https"},
	    {"nodeContainerdRegistryMirrors", "['docker.io=https://a.example,quay.io=https://b']",
	     "nodeContainerdRegistryMirrors: has a host that is neither a name nor an address"},
	    {"nodeContainerdRegistryMirrors", "{'https://docker.io': ['https://a.example']}",
	     "nodeContainerdRegistryMirrors: must be the name of a registry"},
	    {"nodeRegistryMirrors", "'ftp://mirror.example'",
	     "nodeRegistryMirrors: must be a URL of http or https"},
	    {"nodeRegistryMirrors", "'quay.io='", "nodeRegistryMirrors: names no host"},
	    {"nodeInsecureRegistries", "['http://registry.example']",
	     "nodeInsecureRegistries: must be the name of a registry"},
	    {"nodeInsecureRegistries", "'registry.example:99999'",
	     "nodeInsecureRegistries: must be the name of a registry"},
	    {"nodeHTTPProxy", "'http:/proxy:3128'", "nodeHTTPProxy: is not a URL"},
	    {"nodeHTTPProxy", "'htp://proxy'", "nodeHTTPProxy: must be a URL of http or https"},
	    {"nodeHTTPProxy", "'http://proxy:65536'",
	     "nodeHTTPProxy: has a port that is not from 1 to 65535"},
	    {"nodeHTTPProxy", "'http://proxy:3128 '",
	     "nodeHTTPProxy: has a blank, a quote or another character that no URL has"},
	    {"nodeHTTPProxy", "'http://10.0.0.300'",
	     "nodeHTTPProxy: has a host that is neither a name nor an address"},
	    {"pauseImage", "'https://registry.example/pause'", "pauseImage: must be an image"},
	    {"pauseImage", "'pause:3.10 '", "pauseImage: must be an image"},
	    {"pauseImage", "'Pause:3.10'", "pauseImage: must be an image"},
	    {"pauseImage", "'a/pause@sha256:ab'", "pauseImage: must be an image"},
	    {"overrideBootstrapKubeletAPIServer", "'api.example:6443'",
	     "overrideBootstrapKubeletAPIServer: must be an https URL"},
	    {"overrideBootstrapKubeletAPIServer", "'https://api.example?a=b'",
	     "overrideBootstrapKubeletAPIServer: has a query or a fragment"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		FIXTURE_AUTO f = fixture_new();

		assert_int_equal(set(&f, cases[i].name, cases[i].yaml), STATUS_FAILED);
		assert_int_equal(f.sink.error_count, 1);
		assert_sv(f.sink.diags.items[0]->text, cases[i].text);
	}
}

static void doubtful_values_are_taken_with_a_warning(void **state)
{
	static const struct {
		const char *name;
		const char *yaml;
		const char *place;
		const char *text;
	} cases[] = {
	    {"nodeHTTPProxy", "'proxy:3128'", "1:1", "nodeHTTPProxy: has no scheme"},
	    {"nodeHTTPProxy", "'me:hunter2@proxy:3128'", "1:1", "nodeHTTPProxy: has no scheme"},
	    {"nodeNoProxy", "'.svc,10.0.0.0/33'", "1:7",
	     "nodeNoProxy: an entry with a / is not a network, and programs ignore it"},
	    {"nodeNoProxy", "'http://a.example'", "1:2",
	     "nodeNoProxy: an entry is a URL, which programs ignore"},
	    {"nodeNoProxy", "'10.*'", "1:2",
	     "nodeNoProxy: an entry is neither a host nor an address, and programs ignore it"},
	    {"nodeNoProxy", "'a;b'", "1:2",
	     "nodeNoProxy: an entry is neither a host nor an address, and programs ignore it"},
	    {"nodeNoProxy", "'a:0'", "1:2",
	     "nodeNoProxy: an entry has a port that is not from 1 to 65535"},
	    {"tokenRotation", "dayly", "1:1",
	     "tokenRotation: looks like a period, but is not one of daily, weekly and monthly, so "
	     "the tokens do not expire"},
	    {"nodeKubeletFeatureGates", "{NodeSwap: true, NodeSwapp: true}", "1:18",
	     "nodeKubeletFeatureGates: no version of Kubernetes from 1.33 to 1.37 has the feature "
	     "gate NodeSwapp, and a kubelet does not start with an unknown one"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		FIXTURE_AUTO f = fixture_new();

		assert_int_equal(set(&f, cases[i].name, cases[i].yaml), STATUS_OK);
		assert_one_diag(&f.sink, DIAG_SETTING_DOUBT, cases[i].place, cases[i].text);
	}
}

static void odd_values_that_programs_take_are_taken(void **state)
{
	static const char *const cases[][2] = {
	    {"initialTaints", "''"},
	    {"initialTaints", "'node.example/a=b:NoSchedule, c:PreferNoSchedule,c:NoExecute'"},
	    {"nodeContainerdRegistryMirrors", "['_default=https://a', '*=b:5000']"},
	    {"nodeContainerdRegistryMirrors", "['q.io/x=http://[fd00::5]:5000/v2/?kubermatic=a']"},
	    {"nodeInsecureRegistries", "'[fd00::9]:5000,*,a/b, 10.0.0.1:5000 ,'"},
	    {"nodeHTTPProxy", "'http://[fd00::1]:3128'"},
	    {"nodeHTTPProxy", "'socks5h://proxy:1080'"},
	    {"nodeHTTPProxy", "'http://me:hunter2@proxy:3128'"},
	    {"nodeHTTPProxy", "'http://${PROXY}:3128'"},
	    {"nodeNoProxy", "'*,::1,fd00::/8,[fd00::1]:443,*.a.b,.b, 10.0.0.0/8,my_host,,c.'"},
	    {"pauseImage", "localhost/a__b/c-d.e:3.10_x"},
	    {"pauseImage", "registry.example:5000/p@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	                   "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
	    {"overrideBootstrapKubeletAPIServer", "https://rancher.example/k8s/clusters/c-1"},
	    {"tokenRotation", "weekly"},
	    {"tokenRotation", "'2026-11'"},
	    {"tokenRotation", "week-47"},
	    {"tokenRotation", "after-the-leak"},
	    {"nodeKubeletFeatureGates", "'NodeSwap=true,AllAlpha=false'"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		FIXTURE_AUTO f = fixture_new();

		assert_int_equal(set(&f, cases[i][0], cases[i][1]), STATUS_OK);
		VEC_EACH (diag, &f.sink.diags)
			assert_int_equal((*diag)->code, DIAG_VARIABLE_LEFT);
	}
}

static void words_of_time_are_no_rotation(void **state)
{
	static const char *const cases[] = {
	    "Daily",  "'weekly '", "hourly",     "24h",     "'7 days'",    "P7D",
	    "PT24H",  "'@daily'",  "every-week", "montly",  "'0 0 * * *'", "dialy",
	    "yearly", "WEEKLY",    "2w",         "monthyl", "biweekly",    "once a month",
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		FIXTURE_AUTO f = fixture_new();

		assert_int_equal(set(&f, "tokenRotation", cases[i]), STATUS_OK);
		assert_int_equal(f.sink.diags.count, 1);
	}
}

/* The line of a value that may hold a password is in no message. */
static void passwords_beside_a_mistake_are_not_shown(void **state)
{
	FIXTURE_AUTO f = fixture_new();

	(void)state;
	assert_int_equal(set(&f, "nodeHTTPProxy", "'htp://me:hunter2@proxy:3128'"), STATUS_FAILED);
	assert_true(f.sink.diags.items[0]->at.source->confidential);
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
	    cmocka_unit_test(defaults_are_those_of_the_rows),
	    cmocka_unit_test(cluster_dns_is_canonical),
	    cmocka_unit_test(bad_addresses_are_shown_where_they_stand),
	    cmocka_unit_test(feature_gates),
	    cmocka_unit_test(plain_mirrors),
	    cmocka_unit_test(containerd_mirrors),
	    cmocka_unit_test(machine_deployments),
	    cmocka_unit_test(rolling),
	    cmocka_unit_test(unreadable_user_data),
	    cmocka_unit_test(passwords_in_urls_are_secret),
	    cmocka_unit_test(wrong_values),
	    cmocka_unit_test(limits_are_maps_or_texts),
	    cmocka_unit_test(default_profiles_are_maps_or_texts),
	    cmocka_unit_test(doubtful_values_are_taken_with_a_warning),
	    cmocka_unit_test(odd_values_that_programs_take_are_taken),
	    cmocka_unit_test(words_of_time_are_no_rotation),
	    cmocka_unit_test(passwords_beside_a_mistake_are_not_shown),
	    cmocka_unit_test(bundles_hold_certificates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
