/*
 * One MachineDeployment from manifests to objects: the order of what is written, names, and where
 * secrets go. The oracle, which renders with the real controller, cannot show these.
 */
#include "osm_render_fixture.h"
#include "userdata/userdata.h"

static void objects_with_a_getter_token(void **state)
{
	SCENE_AUTO s = {0};

	(void)state;
	PLAY(&s, MACHINE(AWS, "k8c.io/operating-system-profile: osp"), PROFILE(TEMPLATE),
	     CLUSTER_INFO, GETTER);
	assert_int_equal(s.status, STATUS_OK);
	assert_diag_count(&s.f.sink, 0);
	assert_sv(outputs_of(&s),
	          "mgmt OperatingSystemConfig kube-system/md-ns-config\n"
	          "worker Secret cloud-init-settings/md-ns-bootstrap-config sealed\n"
	          "worker Secret cloud-init-settings/md-ns-provisioning-config sealed\n"
	          "worker Secret cloud-init-settings/ns-md-kubelet-bootstrap-config sealed\n"
	          "worker Secret kube-system/bootstrap-token-abcdef sealed\n");
	struct artifacts shared = {0};
	osm_cluster_artifacts(s.f.arena, s.cluster, &shared);
	assert_int_equal(shared.count, 0);
	assert_sv(s.bootstrap.string,
	          "#cloud-config\n\nssh_pwauth: false\n\nssh_authorized_keys:\n- 'k'\n"
	          "write_files:\n- path: '/boot'\n  permissions: '0755'\n  content: |-\n"
	          "    getter-token-text https://api:6443 md-ns-provisioning-config\n");
}

static void metadata_of_secrets(void **state)
{
	SCENE_AUTO s = {0};

	(void)state;
	PLAY(&s, MACHINE(AWS, "k8c.io/operating-system-profile: osp"), PROFILE(TEMPLATE),
	     CLUSTER_INFO, GETTER);
	const struct value *secret = object_of(&s, "Secret", "md-ns-bootstrap-config");
	assert_sv(value_text(value_map_get(secret, SV("type"))), "Opaque");
	assert_true(value_map_get(secret, SV("immutable"))->boolean);
	assert_int_equal(value_count(value_path(secret, "metadata.annotations")), 5);
	assert_sv(value_text(member(secret, "metadata.annotations", OSM_ANNOTATION_REVISION)), "7");
	assert_sv(value_text(member(secret, "metadata.annotations", OSM_ANNOTATION_OSP_VERSION)),
	          "v1.0.0");
	assert_sv(value_text(member(secret, "metadata.annotations", OSM_ANNOTATION_FLUX_FORCE)),
	          "Enabled");
	const struct value *kubeconfig = object_of(&s, "Secret", "ns-md-kubelet-bootstrap-config");
	assert_null(value_map_get(kubeconfig, SV("type")));
	assert_null(value_map_get(kubeconfig, SV("immutable")));
	const struct value *token = object_of(&s, "Secret", "bootstrap-token-abcdef");
	assert_sv(value_text(value_map_get(token, SV("type"))), "bootstrap.kubernetes.io/token");
	assert_sv(value_text(member(token, "metadata.labels", "machinedeployment.k8s.io/name")),
	          "ns-md");
	assert_null(member(token, "data", "expiration"));
	/* "0123456789abcdef" */
	assert_sv(value_text(member(token, "data", "token-secret")), "MDEyMzQ1Njc4OWFiY2RlZg==");
}

static void mutable_secrets_replace_immutable_ones(void **state)
{
	SCENE_AUTO s = {.f = fixture_new()};

	(void)state;
	s.f.settings.immutable_secrets = false;
	PLAY(&s, MACHINE(AWS, "k8c.io/operating-system-profile: osp"), PROFILE(TEMPLATE),
	     CLUSTER_INFO, GETTER);
	const struct value *secret = object_of(&s, "Secret", "md-ns-bootstrap-config");
	assert_null(value_map_get(secret, SV("immutable")));
	/* The cluster may still hold the immutable Secret of before, which refuses any change. */
	assert_sv(value_text(member(secret, "metadata.annotations", OSM_ANNOTATION_FLUX_FORCE)),
	          "Enabled");
}

static void without_a_getter_token_nodes_read_with_their_own(void **state)
{
	SCENE_AUTO s = {0};
	struct artifacts shared = {0};

	(void)state;
	PLAY(&s, MACHINE(AWS, "k8c.io/operating-system-profile: osp"), PROFILE(TEMPLATE),
	     CLUSTER_INFO);
	assert_int_equal(s.status, STATUS_OK);
	assert_contains(s.bootstrap.string, "abcdef.0123456789abcdef");
	const struct value *role = object_of(&s, "Role", "md-ns-bootstrap-reader");
	const struct value *rule = value_item(value_map_get(role, SV("rules")), 0);
	assert_int_equal(value_count(value_map_get(role, SV("rules"))), 1);
	assert_int_equal(value_count(value_map_get(rule, SV("resourceNames"))), 3);
	assert_int_equal(value_count(value_map_get(rule, SV("verbs"))), 1);
	const struct value *binding = object_of(&s, "RoleBinding", "md-ns-bootstrap-reader");
	assert_sv(value_text(value_map_get(value_item(value_map_get(binding, SV("subjects")), 0),
	                                   SV("name"))),
	          "system:bootstrap:abcdef");
	osm_cluster_artifacts(s.f.arena, s.cluster, &shared);
	assert_int_equal(shared.count, 1);
	assert_sv(kube_id_describe(s.f.arena, &shared.items[0].id),
	          "Namespace cloud-init-settings");
}

/* Checks that every occurrence of a secret in the value is tainted. */
static void assert_no_clear(const struct value *v, sv secret)
{
	if (value_is_string(v)) {
		size_t clear_from = 0;

		for (size_t i = 0; v->taint && i < v->taint->count; i++) {
			assert_false(sv_contains(
			    sv_slice(v->string, clear_from, v->taint->spans[i].start), secret));
			clear_from = v->taint->spans[i].end;
		}
		assert_false(sv_contains(sv_from_offset(v->string, clear_from), secret));
	} else if (value_is_list(v)) {
		for (size_t i = 0; i < value_count(v); i++)
			assert_no_clear(value_item(v, i), secret);
	} else if (value_is_map(v)) {
		for (size_t i = 0; i < value_count(v); i++)
			assert_no_clear(&v->map->entries[i].value, secret);
	}
}

static void secrets_are_tainted_wherever_they_go(void **state)
{
	SCENE_AUTO s = {.f = fixture_new()};

	(void)state;
	s.f.settings.http_proxy = secrecy_taint_userinfo(
	    s.f.arena, value_string(SV("http://me:proxy-pw@p")), SV("nodeHTTPProxy"));
	PLAY(&s, MACHINE(AWS, "k8c.io/operating-system-profile: osp"),
	     PROFILE(TEMPLATE "            {{ .HTTPProxy }} {{ .BootstrapKubeconfig }}\n"),
	     CLUSTER_INFO, GETTER);
	assert_int_equal(s.status, STATUS_OK);
	const sv secrets[] = {SV("getter-token-text"), SV("0123456789abcdef"),
	                      SV("very-secret-key"), SV("proxy-pw")};
	for (size_t i = 0; i < COUNT_OF(secrets); i++) {
		VEC_EACH (output, &s.rendered.artifacts)
			assert_no_clear(&output->object, secrets[i]);
		assert_no_clear(&s.bootstrap, secrets[i]);
		assert_no_clear(&s.provisioning, secrets[i]);
	}
	const struct value *spec = value_path(&s.osc, "spec.cloudProvider.spec");
	assert_sv(show_taint(s.f.arena, value_map_get(spec, SV("secretAccessKey"))),
	          "[very-secret-key]");
	const struct value *file = value_item(value_path(&s.osc, "spec.bootstrapConfig.files"), 0);
	assert_sv(show_taint(s.f.arena, value_path(file, "content.inline.data")),
	          "[getter-token-text] https://api:6443 md-ns-provisioning-config");
}

/* The controller makes user-data of what the API server stored, which is JSON. */
static void invalid_utf8_is_replaced(void **state)
{
	static const char flatcar[] =
	    "apiVersion: operatingsystemmanager.k8c.io/v1alpha1\nkind: OperatingSystemProfile\n"
	    "metadata: {name: osp, namespace: kube-system}\nspec:\n  osName: flatcar\n"
	    "  osVersion: '1'\n  version: v1.0.0\n  provisioningUtility: ignition\n"
	    "  supportedCloudProviders: [{name: aws}]\n  bootstrapConfig: {}\n"
	    "  provisioningConfig:\n    files:\n    - path: /ca\n"
	    "      content: {inline: {data: '{{ .HostCACert }}{{ .HTTPProxy }}'}}\n";
	static const char *const machines[] = {
	    MACHINE(AWS, "k8c.io/operating-system-profile: osp"),
	    MACHINE("{operatingSystem: flatcar, cloudProvider: aws}",
	            "k8c.io/operating-system-profile: osp"),
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(machines); i++) {
		SCENE_AUTO s = {.f = fixture_new()};

		s.f.settings.host_ca = value_string(SV("# Gr\xF6\xDF"
		                                       "e\n"));
		s.f.settings.http_proxy = secrecy_taint_userinfo(
		    s.f.arena, value_string(SV("http://me:p\xFCw@p")), SV("nodeHTTPProxy"));
		PLAY(&s, machines[i],
		     i == 0 ? PROFILE("            {{ .HostCACert }}{{ .HTTPProxy }}\n") : flatcar,
		     CLUSTER_INFO, GETTER);
		assert_int_equal(s.status, STATUS_OK);
		assert_true(utf8_valid(s.provisioning.string));
		const struct value *file =
		    value_item(value_path(&s.osc, "spec.provisioningConfig.files"), 0);
		assert_true(
		    sv_contains(show_taint(s.f.arena, value_path(file, "content.inline.data")),
		                SV("# Gr\xEF\xBF\xBD\xEF\xBF\xBD"
		                   "e\nhttp://[me:p\xEF\xBF\xBDw]@p")));
	}
}

/* A user name equal to the password would show it. Values that the leak scan skips stay. */
static void names_that_are_credentials_are_hidden(void **state)
{
	SCENE_AUTO s = {0};

	(void)state;
	PLAY(&s,
	     MACHINE("{operatingSystem: ubuntu, cloudProvider: aws, cloudProviderSpec: "
	             "{user: the-same-text, tags: [x, ' the-same-text'], token: the-same-text, "
	             "region: eu-1, key: eu-1, zone: getter-token-text, password: {secretKeyRef: "
	             "{namespace: cloud-init-settings, name: cloud-init-getter-token, key: "
	             "token}}}}",
	             "k8c.io/operating-system-profile: osp"),
	     PROFILE(TEMPLATE), CLUSTER_INFO, GETTER);
	assert_int_equal(s.status, STATUS_OK);
	const struct value *spec = value_path(&s.osc, "spec.cloudProvider.spec");
	assert_sv(show_taint(s.f.arena, value_map_get(spec, SV("user"))), "[the-same-text]");
	assert_sv(show_taint(s.f.arena, value_item(value_map_get(spec, SV("tags")), 1)),
	          "[ the-same-text]");
	assert_sv(show_taint(s.f.arena, value_map_get(spec, SV("zone"))), "[getter-token-text]");
	assert_sv(show_taint(s.f.arena, value_map_get(spec, SV("key"))), "[eu-1]");
	assert_sv(show_taint(s.f.arena, value_map_get(spec, SV("region"))), "eu-1");
	/* The manifest itself is not changed. */
	assert_null(secrecy_find(s.f.all.items[0]->root));
}

static void configs_of_the_osc(void **state)
{
	SCENE_AUTO s = {0};
	struct buf json;

	(void)state;
	PLAY(&s, MACHINE(AWS, "k8c.io/operating-system-profile: osp"), PROFILE(TEMPLATE),
	     CLUSTER_INFO, GETTER);
	json = buf_in(s.f.arena);
	json_emit(&json, value_path(&s.osc, "spec"), 0);
	assert_sv(buf_sv(&json),
	          "{\"bootstrapConfig\":{\"files\":[{\"content\":{\"inline\":{\"data\":"
	          "\"getter-token-text https://api:6443 md-ns-provisioning-config\"}},"
	          "\"path\":\"/boot\",\"permissions\":755}],\"userSSHKeys\":[\"k\"]},"
	          "\"cloudProvider\":{\"name\":\"aws\",\"spec\":{\"region\":\"eu\","
	          "\"secretAccessKey\":\"very-secret-key\"}},"
	          "\"osName\":\"ubuntu\",\"osVersion\":\"24.04\","
	          "\"provisioningConfig\":{\"files\":[{\"content\":{\"inline\":{\"data\":"
	          "\"\\nv=v1.33.0\\naws getter-token-text\\n\",\"encoding\":\"b64\"}},"
	          "\"path\":\"/setup\",\"permissions\":644},{\"content\":{\"inline\":{\"data\":"
	          "\"server = \\\"https://registry-1.docker.io\\\"\\n\\n"
	          "[host.\\\"https://registry-1.docker.io\\\"]\\n"
	          "capabilities = [\\\"pull\\\", \\\"resolve\\\"]\\n\"}},"
	          "\"path\":\"/etc/containerd/certs.d/docker.io/hosts.toml\",\"permissions\":600}],"
	          "\"userSSHKeys\":[\"k\"]},\"provisioningUtility\":\"cloud-init\"}");
	assert_sv(
	    value_text(member(&s.osc, "metadata.annotations", OSM_ANNOTATION_TEMPLATE_DIGEST)),
	    "d1ge57");
}

static void edge_machines_know_their_name(void **state)
{
	SCENE_AUTO s = {0};

	(void)state;
	PLAY(&s,
	     MACHINE("{operatingSystem: ubuntu, cloudProvider: edge}",
	             "k8c.io/operating-system-profile: osp"),
	     PROFILE(TEMPLATE), CLUSTER_INFO, GETTER);
	assert_int_equal(s.status, STATUS_OK);
	assert_true(
	    sv_starts_with(s.bootstrap.string, SV("#cloud-config\nhostname: md\n\nssh_pwauth")));
	assert_contains(s.bootstrap.string, "|-\n        md\n");
	assert_lacks(s.provisioning.string, "hostname");
	assert_non_null(object_of(&s, "Secret", "edge-provider-script-md-ns"));
	assert_true(value_is_null(value_path(&s.osc, "spec.cloudProvider.spec")));
	assert_non_null(value_path(&s.osc, "spec.cloudProvider.spec"));
}

static void validation_does_without_secrets(void **state)
{
	SCENE_AUTO s = {.secrets_may_be_absent = true, .without_token = true};

	(void)state;
	PLAY(&s, MACHINE(AWS, "k8c.io/operating-system-profile: osp"), PROFILE(TEMPLATE),
	     CLUSTER_INFO);
	assert_int_equal(s.status, STATUS_OK);
	assert_contains(s.bootstrap.string, "<absent:text-of-secret>");
}

static void template_text_tells_changes(void **state)
{
	SCENE_AUTO s = {0};

	(void)state;
	PLAY(&s, MACHINE(AWS, "k8c.io/operating-system-profile: osp"), PROFILE(TEMPLATE),
	     CLUSTER_INFO, GETTER);
	struct value text = osm_template_text(s.f.arena, s.f.all.items[0]);
	assert_sv(text.string,
	          "{\"spec\":{\"providerSpec\":{\"value\":{\"cloudProvider\":\"aws\","
	          "\"cloudProviderSpec\":{\"region\":\"eu\",\"secretAccessKey\":"
	          "\"very-secret-key\"},\"operatingSystem\":\"ubuntu\",\"sshPublicKeys\":[\"k\"]}},"
	          "\"versions\":{\"kubelet\":\"1.33\"}}}");
	assert_non_null(text.taint);
}

UNIT_TESTS(osm_render)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(objects_with_a_getter_token),
	    cmocka_unit_test(metadata_of_secrets),
	    cmocka_unit_test(mutable_secrets_replace_immutable_ones),
	    cmocka_unit_test(without_a_getter_token_nodes_read_with_their_own),
	    cmocka_unit_test(secrets_are_tainted_wherever_they_go),
	    cmocka_unit_test(invalid_utf8_is_replaced),
	    cmocka_unit_test(names_that_are_credentials_are_hidden),
	    cmocka_unit_test(configs_of_the_osc),
	    cmocka_unit_test(edge_machines_know_their_name),
	    cmocka_unit_test(validation_does_without_secrets),
	    cmocka_unit_test(template_text_tells_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
