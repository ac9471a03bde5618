/*
 * One MachineDeployment from manifests to objects: what the oracle cannot show (derived tokens,
 * taint, diagnostics) and the order of what is written.
 */
#include "osm_fixture.h"
#include "userdata/userdata.h"

#define CLUSTER_INFO                                                                               \
	"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cluster-info, namespace: "              \
	"kube-public}\n"                                                                           \
	"data:\n  kubeconfig: |\n    clusters:\n    - name: ''\n      cluster:\n"                  \
	"        server: https://api:6443\n        certificate-authority-data: Y2EK\n"
#define GETTER                                                                                     \
	"apiVersion: v1\nkind: Secret\n"                                                           \
	"metadata: {name: cloud-init-getter-token, namespace: cloud-init-settings}\n"              \
	"stringData: {token: getter-token-text}\n"
#define PROFILE(template)                                                                          \
	"apiVersion: operatingsystemmanager.k8c.io/v1alpha1\nkind: OperatingSystemProfile\n"       \
	"metadata: {name: osp, namespace: kube-system}\nspec:\n  osName: ubuntu\n"                 \
	"  osVersion: '24.04'\n  version: v1.0.0\n"                                                \
	"  supportedCloudProviders: [{name: aws}, {name: hetzner}, {name: edge}]\n"                \
	"  bootstrapConfig:\n    files:\n    - path: /boot\n      permissions: 755\n"              \
	"      content: {inline: {data: '{{ .Token }} {{ .ServerURL }} {{ .SecretName }}'}}\n"     \
	"  provisioningConfig:\n    templates: {t: 'v={{ .KubeVersion }}'}\n    files:\n"          \
	"    - path: /setup\n      content:\n        inline:\n          encoding: b64\n"           \
	"          data: |\n" template
#define TEMPLATE                                                                                   \
	"            {{- template \"t\" }}\n            {{ .CloudProviderName }} {{ .Token }}\n"
#define MACHINE(value, annotations)                                                                \
	"apiVersion: cluster.k8s.io/v1alpha1\nkind: MachineDeployment\nmetadata:\n"                \
	"  name: md\n  namespace: ns\n  annotations: {" annotations "}\n"                          \
	"spec:\n  template:\n    spec:\n      versions: {kubelet: '1.33'}\n"                       \
	"      providerSpec:\n        value: " value "\n"
#define AWS                                                                                        \
	"{operatingSystem: ubuntu, cloudProvider: aws, cloudProviderSpec: "                        \
	"{region: eu, secretAccessKey: very-secret-key}, sshPublicKeys: [k]}"

struct scene {
	struct fixture f;
	struct osm_profile *profile;
	const struct osm_cluster *cluster;
	struct osm_rendered rendered;
	enum status status;
	bool secrets_may_be_absent;
	bool without_token;
};

static void scene_free(struct scene *s)
{
	fixture_free(&s->f);
}
#define SCENE_AUTO CLEANUP(scene_free) struct scene

/* manifests: the MachineDeployment, the profile, then any others. */
static void play(struct scene *s, const char *const *manifests, size_t count)
{
	static const char *const paths[] = {"md.yaml", "osp.yaml", "a.yaml", "b.yaml", "c.yaml"};

	if (!s->f.arena)
		s->f = fixture_new();
	for (size_t i = 0; i < count; i++)
		fixture_add(&s->f, paths[i], manifests[i]);
	const struct osm_cluster_input input = {
	    .name = SV("prod"),
	    .settings = &s->f.settings,
	    .objects = &s->f.objects,
	    .at = kube_object_position(s->f.all.items[0]),
	    .secrets_may_be_absent = s->secrets_may_be_absent,
	};
	s->status = osm_profile_load(s->f.arena, &s->f.sink, s->f.all.items[1], &s->profile);
	s->status |= osm_cluster_load(s->f.arena, &s->f.sink, &input, &s->cluster);
	if (s->status != STATUS_OK)
		return;
	const sv token = SV("abcdef.0123456789abcdef");
	const struct osm_job job = {
	    .cluster = s->cluster,
	    .machine_deployment = s->f.all.items[0],
	    .profile = s->profile,
	    .revision = SV("7"),
	    .template_digest = SV("d1ge57"),
	    .bootstrap_token =
	        s->without_token
	            ? VALUE_INVALID
	            : secrecy_taint_string(s->f.arena, value_string(token), SV("derived")),
	};
	s->status = osm_render(s->f.arena, &s->f.sink, &job, &s->rendered);
}
#define PLAY(s, ...)                                                                               \
	play((s), (const char *const[]){__VA_ARGS__},                                              \
	     COUNT_OF(((const char *const[]){__VA_ARGS__})))

static sv outputs_of(struct scene *s)
{
	struct buf out = buf_in(s->f.arena);

	VEC_EACH (output, &s->rendered.artifacts)
		buf_printf(&out, "%s %.*s%s\n", output->side == ARTIFACT_WORKER ? "worker" : "mgmt",
		           SV_ARG(kube_id_describe(s->f.arena, &output->id)),
		           output->sealing == ARTIFACT_SEAL_DATA ? " sealed" : "");
	return buf_sv(&out);
}

static const struct value *object_of(struct scene *s, const char *kind, const char *name)
{
	VEC_EACH (output, &s->rendered.artifacts) {
		if (sv_eq_cstr(output->id.kind, kind) && sv_eq_cstr(output->id.name, name))
			return &output->object;
	}
	fail_msg("no %s %s", kind, name);
	return NULL;
}

static const struct value *member(const struct value *v, const char *path, const char *key)
{
	return value_map_get(value_path(v, path), sv_from_cstr(key));
}

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
	assert_sv(s.rendered.bootstrap.string,
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
	assert_contains(s.rendered.bootstrap.string, "abcdef.0123456789abcdef");
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

/* Every secret's text, wherever it stands in the value, must be within its taint. */
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
		assert_no_clear(&s.rendered.bootstrap, secrets[i]);
		assert_no_clear(&s.rendered.provisioning, secrets[i]);
	}
	const struct value *spec = value_path(&s.rendered.osc, "spec.cloudProvider.spec");
	assert_sv(show_taint(s.f.arena, value_map_get(spec, SV("secretAccessKey"))),
	          "[very-secret-key]");
	const struct value *file =
	    value_item(value_path(&s.rendered.osc, "spec.bootstrapConfig.files"), 0);
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
		assert_true(utf8_valid(s.rendered.provisioning.string));
		const struct value *file =
		    value_item(value_path(&s.rendered.osc, "spec.provisioningConfig.files"), 0);
		assert_true(
		    sv_contains(show_taint(s.f.arena, value_path(file, "content.inline.data")),
		                SV("# Gr\xEF\xBF\xBD\xEF\xBF\xBD"
		                   "e\nhttp://[me:p\xEF\xBF\xBDw]@p")));
	}
}

/* A user that is its password would show it; what the leak scan does not look for stays. */
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
	const struct value *spec = value_path(&s.rendered.osc, "spec.cloudProvider.spec");
	assert_sv(show_taint(s.f.arena, value_map_get(spec, SV("user"))), "[the-same-text]");
	assert_sv(show_taint(s.f.arena, value_item(value_map_get(spec, SV("tags")), 1)),
	          "[ the-same-text]");
	assert_sv(show_taint(s.f.arena, value_map_get(spec, SV("zone"))), "[getter-token-text]");
	assert_sv(show_taint(s.f.arena, value_map_get(spec, SV("key"))), "[eu-1]");
	assert_sv(show_taint(s.f.arena, value_map_get(spec, SV("region"))), "eu-1");
	/* The manifest itself stays as it was. */
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
	json_emit(&json, value_path(&s.rendered.osc, "spec"), 0);
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
	assert_sv(value_text(member(&s.rendered.osc, "metadata.annotations",
	                            OSM_ANNOTATION_TEMPLATE_DIGEST)),
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
	assert_true(sv_starts_with(s.rendered.bootstrap.string,
	                           SV("#cloud-config\nhostname: md\n\nssh_pwauth")));
	assert_contains(s.rendered.bootstrap.string, "|-\n        md\n");
	assert_lacks(s.rendered.provisioning.string, "hostname");
	assert_non_null(object_of(&s, "Secret", "edge-provider-script-md-ns"));
	assert_true(value_is_null(value_path(&s.rendered.osc, "spec.cloudProvider.spec")));
	assert_non_null(value_path(&s.rendered.osc, "spec.cloudProvider.spec"));
}

static void given_tokens_win_over_derived_ones(void **state)
{
	SCENE_AUTO s = {0};

	(void)state;
	PLAY(&s, MACHINE(AWS, "k8c.io/operating-system-profile: osp"), PROFILE(TEMPLATE),
	     CLUSTER_INFO, GETTER,
	     "apiVersion: v1\nkind: Secret\nmetadata: {name: bootstrap-token-given, namespace: "
	     "kube-system, labels: {machinedeployment.k8s.io/name: ns-md}}\n"
	     "stringData: {token-id: given1, token-secret: fedcba9876543210}\n");
	assert_int_equal(s.status, STATUS_OK);
	assert_contains(show_taint(s.f.arena, &s.rendered.kubelet_kubeconfig),
	                "token: [given1.fedcba9876543210]\n");
	/* It is in the cluster already. */
	assert_int_equal(s.rendered.artifacts.count, 4);
}

static void two_given_tokens_are_refused(void **state)
{
	SCENE_AUTO s = {0};

	(void)state;
	PLAY(&s, MACHINE(AWS, "k8c.io/operating-system-profile: osp"), PROFILE(TEMPLATE),
	     CLUSTER_INFO, GETTER,
	     "apiVersion: v1\nkind: Secret\nmetadata: {name: bootstrap-token-a, namespace: "
	     "kube-system, labels: {machinedeployment.k8s.io/name: ns-md}}\n"
	     "stringData: {token-id: given1, token-secret: fedcba9876543210}\n---\n"
	     "apiVersion: v1\nkind: Secret\nmetadata: {name: bootstrap-token-b, namespace: "
	     "kube-system, labels: {machinedeployment.k8s.io/name: ns-md}}\n"
	     "stringData: {token-id: given2, token-secret: fedcba9876543210}\n");
	assert_int_equal(s.status, STATUS_FAILED);
	assert_int_equal(s.f.sink.error_count, 1);
	assert_int_equal(s.f.sink.diags.items[0]->code, DIAG_BOOTSTRAP_TOKEN);
}

static void account_tokens(void **state)
{
	SCENE_AUTO s = {.f = fixture_new()};

	(void)state;
	s.f.settings.token_service_account = value_string(SV("kube-system/boot"));
	PLAY(&s, MACHINE(AWS, "k8c.io/operating-system-profile: osp"), PROFILE(TEMPLATE),
	     CLUSTER_INFO,
	     "apiVersion: v1\nkind: Secret\ntype: kubernetes.io/service-account-token\n"
	     "metadata: {name: boot-token, namespace: kube-system, annotations: "
	     "{kubernetes.io/service-account.name: boot}}\nstringData: {token: account-token}\n");
	assert_int_equal(s.status, STATUS_OK);
	assert_contains(s.rendered.kubelet_kubeconfig.string, "token: account-token");
	const struct value *binding = object_of(&s, "RoleBinding", "md-ns-bootstrap-reader");
	assert_sv(value_text(value_map_get(value_item(value_map_get(binding, SV("subjects")), 0),
	                                   SV("name"))),
	          "system:serviceaccount:kube-system:boot");
}

#define ACCOUNT_SECRET(name, type, account, token)                                                 \
	"apiVersion: v1\nkind: Secret\ntype: " type "\n"                                           \
	"metadata: {name: " name ", namespace: kube-system, annotations: "                         \
	"{kubernetes.io/service-account.name: " account "}}\nstringData: {token: '" token "'}\n"
#define TOKEN_TYPE "kubernetes.io/service-account-token"

/* The ServiceAccount's own order counts; the annotation does not; other types are passed over. */
static void accounts_list_their_tokens(void **state)
{
	static const struct {
		const char *listed;
		const char *token; /* null: refused */
	} cases[] = {
	    {"[{name: pull}, {name: s2}, {name: s1}]", "token: of s2\n"},
	    {"[{name: s1}, {name: s2}]", "token: of s1\n"},
	    {"[{name: pull}]", "token: of s1\n"},
	    {"[]", "token: of s1\n"},
	    {"[{name: s3}, {name: s2}]", "user: {}\n"},
	    {"[{name: gone}, {name: s2}]", NULL},
	    {"[{name: pull}, {name: gone}]", NULL},
	    {"[{name: s2}, {name: gone}]", "token: of s2\n"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		SCENE_AUTO s = {.f = fixture_new()};

		s.f.settings.token_service_account = value_string(SV("kube-system/boot"));
		sv account = arena_printf(s.f.arena,
		                          "apiVersion: v1\nkind: ServiceAccount\n"
		                          "metadata: {name: boot, namespace: kube-system}\n"
		                          "secrets: %s\n",
		                          cases[i].listed);
		PLAY(
		    &s, MACHINE(AWS, "k8c.io/operating-system-profile: osp"), PROFILE(TEMPLATE),
		    CLUSTER_INFO, arena_cstr(s.f.arena, account),
		    ACCOUNT_SECRET(
		        "pull", "kubernetes.io/dockercfg", "boot",
		        "of pull") "---\n" ACCOUNT_SECRET("s1", TOKEN_TYPE, "boot",
		                                          "of s1") "---\n" ACCOUNT_SECRET("s2",
		                                                                          TOKEN_TYPE,
		                                                                          "nobody",
		                                                                          "of s2") "---\n" ACCOUNT_SECRET("s3",
		                                                                                                          TOKEN_TYPE,
		                                                                                                          "boot",
		                                                                                                          ""));
		if (!cases[i].token) {
			assert_one_diag(&s.f.sink, DIAG_OBJECT_MISSING, i == 5 ? "4:18" : "4:32",
			                "Secret kube-system/gone, which ServiceAccount "
			                "kube-system/boot lists, is not among the manifests");
			continue;
		}
		assert_int_equal(s.status, STATUS_OK);
		if (!sv_contains(s.rendered.kubelet_kubeconfig.string,
		                 sv_from_cstr(cases[i].token)))
			fail_msg("%s: %.*s", cases[i].listed,
			         SV_ARG(s.rendered.kubelet_kubeconfig.string));
	}
}

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
		const char *at; /* of the diagnostic; null: fine */
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
		assert_true(sv_contains(s.rendered.bootstrap.string, want));
		assert_true(sv_contains(s.rendered.provisioning.string, want));
		assert_int_equal(secrecy_find(&s.rendered.bootstrap) != NULL,
		                 cases[i].secret != NULL);
		const struct value *map =
		    value_path(&s.rendered.osc, "spec.provisioningConfig.modules.rh_subscription");
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
		assert_int_equal(sv_contains(s.rendered.bootstrap.string, SV("rh_subscription")),
		                 cases[i].there);
		assert_int_equal(sv_contains(s.rendered.provisioning.string, SV("rh_subscription")),
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

static void validation_does_without_secrets(void **state)
{
	SCENE_AUTO s = {.secrets_may_be_absent = true, .without_token = true};

	(void)state;
	PLAY(&s, MACHINE(AWS, "k8c.io/operating-system-profile: osp"), PROFILE(TEMPLATE),
	     CLUSTER_INFO);
	assert_int_equal(s.status, STATUS_OK);
	assert_contains(s.rendered.bootstrap.string, "<absent:text-of-secrets>");
}

static void without_seed_and_token_there_is_no_rendering(void **state)
{
	SCENE_AUTO s = {.without_token = true};

	(void)state;
	PLAY(&s, MACHINE(AWS, "k8c.io/operating-system-profile: osp"), PROFILE(TEMPLATE),
	     CLUSTER_INFO, GETTER);
	assert_int_equal(s.status, STATUS_FAILED);
	assert_int_equal(s.f.sink.diags.items[0]->code, DIAG_BOOTSTRAP_TOKEN);
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

int main(void)
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
	    cmocka_unit_test(given_tokens_win_over_derived_ones),
	    cmocka_unit_test(two_given_tokens_are_refused),
	    cmocka_unit_test(account_tokens),
	    cmocka_unit_test(accounts_list_their_tokens),
	    cmocka_unit_test(missing_cluster_info),
	    cmocka_unit_test(everything_wrong_is_told_at_once),
	    cmocka_unit_test(single_mistakes),
	    cmocka_unit_test(utilities_must_agree),
	    cmocka_unit_test(flatcar_decides_on_its_utility),
	    cmocka_unit_test(red_hat_subscriptions_are_the_machines_own),
	    cmocka_unit_test(empty_subscriptions_can_be_left_out),
	    cmocka_unit_test(template_failures_point_into_the_profile),
	    cmocka_unit_test(validation_does_without_secrets),
	    cmocka_unit_test(without_seed_and_token_there_is_no_rendering),
	    cmocka_unit_test(template_text_tells_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
