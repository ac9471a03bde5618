/* Bootstrap tokens and tokens of service accounts that a MachineDeployment gets, or that it lacks.
 */
#include "osm_render_fixture.h"

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
	assert_contains(s.kubelet_kubeconfig.string, "token: given1.fedcba9876543210\n");
	VEC_EACH (output, &s.rendered.artifacts) {
		const struct value *kubeconfig = value_path(&output->object, "data.kubeconfig");

		assert_true(value_is_null(kubeconfig) || secrecy_find(kubeconfig));
	}
	/* The cluster has it already: no Secret is written. */
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
	s.f.settings.token_service_account = (struct setter_reference){
	    SV("kube-system"), SV("boot"), value_string(SV("kube-system/boot"))};
	PLAY(&s, MACHINE(AWS, "k8c.io/operating-system-profile: osp"), PROFILE(TEMPLATE),
	     CLUSTER_INFO,
	     "apiVersion: v1\nkind: Secret\ntype: kubernetes.io/service-account-token\n"
	     "metadata: {name: boot-token, namespace: kube-system, annotations: "
	     "{kubernetes.io/service-account.name: boot}}\nstringData: {token: account-token}\n");
	assert_int_equal(s.status, STATUS_OK);
	assert_contains(s.kubelet_kubeconfig.string, "token: account-token");
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

/* The order in the ServiceAccount decides, not the annotation; other types are skipped. */
static void accounts_list_their_tokens(void **state)
{
	static const struct {
		const char *listed;
		const char *token; /* null if it is refused */
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

		s.f.settings.token_service_account = (struct setter_reference){
		    SV("kube-system"), SV("boot"), value_string(SV("kube-system/boot"))};
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
		if (!sv_contains(s.kubelet_kubeconfig.string, sv_from_cstr(cases[i].token)))
			fail_msg("%s: %.*s", cases[i].listed, SV_ARG(s.kubelet_kubeconfig.string));
	}
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

UNIT_TESTS(osm_render_tokens)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(given_tokens_win_over_derived_ones),
	    cmocka_unit_test(two_given_tokens_are_refused),
	    cmocka_unit_test(account_tokens),
	    cmocka_unit_test(accounts_list_their_tokens),
	    cmocka_unit_test(without_seed_and_token_there_is_no_rendering),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
