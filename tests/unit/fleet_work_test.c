/* Whose profiles, MachineDeployments and Secrets are, and which ones hold. */
#include "fleet_fixture.h"

#include "osm/osm.h"

static const struct dialect_unit *machines(const struct fleet_cluster *cluster, const char *name)
{
	for (size_t i = 0; i < cluster->unit_count; i++)
		if (sv_eq_cstr(cluster->units[i].object->id.name, name))
			return &cluster->units[i];
	fail_msg("no MachineDeployment %s", name);
	return NULL;
}

static sv token(struct fixture *f, const char *cluster, const char *namespace, const char *name)
{
	const struct kube_object *secret =
	    kube_objects_find(fixture_cluster(f, cluster)->objects, SV("Secret"),
	                      sv_from_cstr(namespace), sv_from_cstr(name));
	struct value value;

	assert_non_null(secret);
	assert_int_equal(
	    kube_secret_value(f->arena, &f->sink, secret, SV("token"), NOWHERE, &value), STATUS_OK);
	assert_non_null(secrecy_find(&value));
	return value.string;
}

static void test_nearer_profile_wins(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();

	fixture_add(&f, "a/md.yaml", MACHINES("m", "both") "---\n" MACHINES("other", "shared"));
	fixture_add(&f, "a/osm-gen.yaml", CLUSTER("a"));
	fixture_add(&f, "a/profile.yaml", PROFILE("both"));
	fixture_add(&f, "b/md.yaml", MACHINES("m", "both"));
	fixture_add(&f, "b/osm-gen.yaml", CLUSTER("b"));
	fixture_add(&f, "profiles/p.yaml", PROFILE("both") "---\n" PROFILE_IN("{name: shared}"));
	fixture_must_load(&f);
	const struct fleet_cluster *a = fixture_cluster(&f, "a");
	const struct fleet_cluster *b = fixture_cluster(&f, "b");
	/* Both layers have "both"; in the program there is none. */
	assert_true(
	    sv_eq(machines(a, "m")->definition->object->source->path, SV("a/profile.yaml")));
	assert_true(
	    sv_eq(machines(a, "other")->definition->object->source->path, SV("profiles/p.yaml")));
	assert_true(
	    sv_eq(machines(b, "m")->definition->object->source->path, SV("profiles/p.yaml")));
	assert_int_equal(a->definitions.count, 2);
	for (size_t i = 1; i < a->definitions.count; i++)
		assert_true(sv_cmp(a->definitions.items[i - 1].definition->name,
		                   a->definitions.items[i].definition->name) < 0);
	assert_int_equal(b->definitions.count, 1);
}

static void test_embedded_profile(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();

	fixture_add(&f, "md.yaml", MACHINES("m", "osp-ubuntu"));
	fixture_must_load(&f);
	assert_true(machines(fixture_cluster(&f, "default"), "m")->definition->is_embedded);
}

static void test_defaulted_profile(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();

	fixture_add(&f, "md.yaml",
	            MACHINES_WITH("m", "") "---\n" MACHINES_WITH("other", ", annotations: {a: b}"));
	fixture_add(&f, "p.yaml", PROFILE("osp-ubuntu"));
	fixture_must_load(&f);
	const struct fleet_cluster *cluster = fixture_cluster(&f, "default");
	assert_sv(machines(cluster, "m")->definition->name, "osp-ubuntu");
	/* Inputs stay as they are: the webhook's annotation is the renderer's to add. */
	assert_null(value_path(machines(cluster, "m")->object->root, "metadata.annotations"));
	assert_int_equal(value_count(value_path(machines(cluster, "other")->object->root,
	                                        "metadata.annotations")),
	                 1);
}

static void test_unknown_profiles(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();

	fixture_add(&f, "md.yaml",
	            MACHINES("m", "osp-mine2") "---\n" MACHINES("other", "elsewhere"));
	fixture_add(&f, "p.yaml",
	            PROFILE("osp-mine") "---\n" PROFILE_IN("{name: elsewhere, namespace: other}"));
	assert_int_equal(fixture_load(&f), STATUS_FAILED);
	assert_int_equal(f.sink.error_count, 2);
	const struct diag *unknown = f.sink.diags.items[0];
	const struct diag *elsewhere = f.sink.diags.items[1];
	assert_contains(unknown->help, "osp-mine");
	assert_sv(unknown->object, "MachineDeployment kube-system/m");
	assert_int_equal(position_line_column(unknown->at).line, 3);
	assert_int_equal(elsewhere->code, DIAG_FLEET_PROFILE_NAMESPACE);
	/* What could be made is there nevertheless, for finding more mistakes. */
	assert_int_equal(fixture_cluster(&f, "default")->unit_count, 2);
	assert_null(machines(fixture_cluster(&f, "default"), "m")->resolved);
}

static void test_broken_profile_is_one_mistake(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();

	fixture_add(&f, "md.yaml", MACHINES("m", "osp-mine"));
	fixture_add(&f, "p.yaml", PROFILE("osp-mine") "broken: [\n");
	assert_int_equal(fixture_load(&f), STATUS_FAILED);
	assert_int_equal(f.sink.error_count, 1);
	assert_int_equal(f.sink.diags.items[0]->code, DIAG_YAML_SYNTAX);
}

static void test_profile_in_a_namespace_of_its_own(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();

	fixture_add(&f, "md.yaml",
	            MACHINES_WITH("m", ", annotations: {k8c.io/operating-system-profile: p, "
	                               "k8c.io/operating-system-profile-namespace: other}"));
	fixture_add(&f, "p.yaml", PROFILE("p") "---\n" PROFILE_IN("{name: p, namespace: other}"));
	fixture_must_load(&f);
	assert_sv(machines(fixture_cluster(&f, "default"), "m")->definition->object->id.namespace,
	          "other");
}

static void test_names_given_twice(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();

	fixture_add(&f, "a/md.yaml", MACHINES("m", "p") "---\n" MACHINES("m", "p"));
	fixture_add(&f, "a/osm-gen.yaml", CLUSTER("a"));
	fixture_add(&f, "a/p.yaml", PROFILE("p") "---\n" PROFILE("p"));
	fixture_add(&f, "b/md.yaml", MACHINES("m", "q"));
	fixture_add(&f, "b/osm-gen.yaml", CLUSTER("b"));
	fixture_add(&f, "q.yaml", PROFILE("q") "---\n" PROFILE_IN("{name: q}"));
	fixture_must_fail(&f, "q.yaml:14:18 OSG2004\n"
	                      "a/p.yaml:14:18 OSG2004\n"
	                      "a/md.yaml:8:18 OSG2004\n");
}

static void test_outside_every_scope(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();

	fixture_add(&f, "a/osm-gen.yaml", CLUSTER("a"));
	fixture_add(&f, "ab/md.yaml", MACHINES("m", "p"));
	fixture_add(&f, "p.yaml", PROFILE("p"));
	fixture_must_fail(&f, "ab/md.yaml:3:18 OSG2010\n");
}

static void test_deleted(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();

	fixture_add(&f, "md.yaml",
	            MACHINES_WITH("m", ", deletionTimestamp: '2026-01-01T00:00:00Z'"));
	fixture_must_load(&f);
	assert_diag_count(&f.sink, 1);
	assert_int_equal(f.sink.diags.items[0]->code, DIAG_FLEET_DELETED);
	assert_int_equal(f.fleet.unit_count, 0);
}

static void test_secrets_folder_wins(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();

	fixture_add(&f, "x/a/osm-gen.yaml", CLUSTER("a"));
	fixture_add(&f, "x/a/s.yaml",
	            SECRET("ns", "one", "git") "---\n" SECRET("ns", "two", "git"));
	fixture_add(&f, "x/b/osm-gen.yaml", CLUSTER("b"));
	fixture_add(&f, "x/b/s.yaml", SECRET("ns", "one", "git-b"));
	fixture_add(&f, "s.yaml",
	            SECRET("ns", "one", "shared") "---\n" SECRET("ns", "three", "shared"));
	fixture_add_secret(&f, "a/s.yaml", SECRET("ns", "one", "outside-a"));
	fixture_add_secret(&f, "x/b/s.yaml", SECRET("ns", "four", "outside-b"));
	fixture_add_secret(&f, "all.yaml", SECRET("ns", "two", "outside"));
	fixture_must_load(&f);
	assert_sv(token(&f, "a", "ns", "one"), "outside-a");
	assert_sv(token(&f, "a", "ns", "two"), "outside");
	assert_sv(token(&f, "a", "ns", "three"), "shared");
	assert_sv(token(&f, "b", "ns", "one"), "git-b");
	assert_sv(token(&f, "b", "ns", "two"), "outside");
	assert_sv(token(&f, "b", "ns", "four"), "outside-b");
	assert_null(kube_objects_find(fixture_cluster(&f, "a")->objects, SV("Secret"), SV("ns"),
	                              SV("four")));
}

static void test_secrets_folder_holds_secrets(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();

	fixture_add_secret(&f, "md.yaml", MACHINES("m", "p"));
	fixture_add_secret(&f, "osm-gen.yaml", CLUSTER("x"));
	fixture_must_fail(&f, "/secrets/md.yaml:1:1 OSG2012\n"
	                      "/secrets/osm-gen.yaml:1:1 OSG2012\n");
	assert_true(f.sink.diags.items[0]->at.source->confidential);
}

static void test_confidential_config_maps_are_tainted(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();

	fixture_add_secret(&f, "c.yaml",
	                   "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: ns}\n"
	                   "data: {key: text}\n");
	fixture_must_load(&f);
	const struct kube_object *map = kube_objects_find(fixture_cluster(&f, "default")->objects,
	                                                  SV("ConfigMap"), SV("ns"), SV("c"));
	assert_non_null(map);
	assert_true(map->confidential);
	const struct secret *secret = secrecy_find(value_path(map->root, "data.key"));
	assert_non_null(secret);
	assert_sv(secret->name, "ns/c:key");
}

/* Given twice is a mistake only for what something asks for. */
static void test_secrets_given_twice(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();

	fixture_add(&f, "a.yaml",
	            SECRET("x", "why", "1") "---\n" SECRET("cloud-init-settings",
	                                                   "cloud-init-getter-token", "1"));
	fixture_add(&f, "b.yaml",
	            SECRET("x", "why", "2") "---\n" SECRET("cloud-init-settings",
	                                                   "cloud-init-getter-token", "2"));
	fixture_must_fail(&f, "b.yaml:8:18 OSG2004\na.yaml:8:18 OSG2026\n");
	/* Both are counted, and one message names them; nobody asks for the others. */
	assert_int_equal(f.sink.diags.items[1]->notes.count, 1);
}

#define ENCRYPTED(namespace, name)                                                                 \
	"apiVersion: v1\nkind: Secret\nmetadata: {name: " name                                     \
	", namespace: " namespace "}\n"                                                            \
	                          "data: {token: "                                                 \
	                          "'ENC[AES256_GCM,data:YQ==,iv:YQ==,tag:YQ==,type:str]'}\n"       \
	                          "sops: {mac: x, version: 3.9.4}\n"

static void test_encrypted_without_identity(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();

	/* Nobody asks for the first. */
	fixture_add(&f, "a.yaml", ENCRYPTED("flux-system", "git"));
	fixture_add(&f, "b.yaml", ENCRYPTED("cloud-init-settings", "cloud-init-getter-token"));
	fixture_add(&f, "c.yaml", ENCRYPTED("kube-system", "cloud"));
	fixture_add(&f, "p.yaml", PROFILE("p"));
	fixture_add(&f, "m.yaml",
	            "apiVersion: cluster.k8s.io/v1alpha1\nkind: MachineDeployment\n"
	            "metadata: {name: m, namespace: kube-system, annotations: "
	            "{k8c.io/operating-system-profile: p}}\n"
	            "spec: {template: {spec: {providerSpec: {value: {cloudProviderSpec: {token: "
	            "{SecretKeyRef: {namespace: kube-system, name: cloud, key: token}}}}}}}}\n");
	fixture_must_fail(&f, "b.yaml:3:18 OSG2017\n");
	assert_contains(f.sink.diags.items[0]->help, "SOPS_AGE_KEY_FILE");
	assert_int_equal(f.sink.diags.items[0]->notes.count, 1);
	assert_int_equal(sink_exit_status(&f.sink), 3);
	assert_false(f.sink.diags.items[0]->at.source->confidential);
}

static void test_encrypted_in_validate(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();

	f.options.skip_secrets = true;
	fixture_add(&f, "b.yaml", ENCRYPTED("cloud-init-settings", "cloud-init-getter-token"));
	fixture_must_load(&f);
	const struct kube_object *getter =
	    kube_objects_find(fixture_cluster(&f, "default")->objects, SV("Secret"),
	                      SV("cloud-init-settings"), SV("cloud-init-getter-token"));
	/* It stays encrypted: the names of its keys are clear. */
	assert_non_null(getter);
	assert_true(seal_is_sealed(getter->root));
}

UNIT_TESTS(fleet_work)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_nearer_profile_wins),
	    cmocka_unit_test(test_embedded_profile),
	    cmocka_unit_test(test_defaulted_profile),
	    cmocka_unit_test(test_unknown_profiles),
	    cmocka_unit_test(test_broken_profile_is_one_mistake),
	    cmocka_unit_test(test_profile_in_a_namespace_of_its_own),
	    cmocka_unit_test(test_names_given_twice),
	    cmocka_unit_test(test_outside_every_scope),
	    cmocka_unit_test(test_deleted),
	    cmocka_unit_test(test_secrets_folder_wins),
	    cmocka_unit_test(test_secrets_folder_holds_secrets),
	    cmocka_unit_test(test_confidential_config_maps_are_tainted),
	    cmocka_unit_test(test_secrets_given_twice),
	    cmocka_unit_test(test_encrypted_without_identity),
	    cmocka_unit_test(test_encrypted_in_validate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
