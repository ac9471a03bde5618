/* Secrets that stand encrypted in the repository: sealed here, read back through the fleet. */
#include "fleet_fixture.h"

static const uint8_t identity_bytes[32] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
static const uint8_t stranger_bytes[32] = {9, 8, 7};
static const uint8_t seed_bytes[SEAL_SEED_SIZE] = {42, 1, 2, 3};

static struct seal_identities *identities_of(struct fixture *f, const uint8_t bytes[32])
{
	struct seal_identities *identities = seal_identities_new();
	sv text = seal_identity_format(f->secret_arena, bytes, (sv){0});

	assert_int_equal(seal_identities_add(&f->sink, identities,
	                                     source_new(f->secret_arena, SV("keys"), text, true)),
	                 STATUS_OK);
	return identities;
}

static sv recipient_of(struct fixture *f, const uint8_t bytes[32])
{
	sv text = seal_identity_format(f->secret_arena, bytes, (sv){0});
	size_t from = sv_find(text, SV("age1"));

	return sv_slice(text, from, sv_find_char(text, '\n'));
}

/* A Secret with one key, as a SOPS file. */
static const char *sealed(struct fixture *f, const char *namespace, const char *name,
                          const char *token)
{
	SEAL_ROOT_AUTO root = NULL;
	struct value data = value_map_new(f->arena);
	struct buf out = buf_in(f->arena);
	struct seal_recipient_text recipient = {recipient_of(f, identity_bytes), NOWHERE};
	struct seal_recipients recipients;

	assert_int_equal(seal_root_parse(&f->sink, NOWHERE,
	                                 seal_seed_format(f->secret_arena, seed_bytes), &root),
	                 STATUS_OK);
	assert_int_equal(seal_recipients_parse(f->arena, &f->sink, sealer_format_find(SV("sops")),
	                                       SV("test"), &recipient, 1, &recipients),
	                 STATUS_OK);
	SEALER_AUTO sealer = sealer_new(root);
	value_map_set(f->arena, &data, SV("token"), value_string(sv_from_cstr(token)));
	const struct kube_secret_request clear = {
	    .namespace = sv_from_cstr(namespace), .name = sv_from_cstr(name), .data = &data};
	struct value secret = kube_secret_new(f->arena, &clear);
	struct seal_request request = {.cluster = SV("c"),
	                               .object = &secret,
	                               .rule = seal_rule_secret,
	                               .recipients = &recipients};
	assert_int_equal(sealer_seal(&f->sink, sealer, &request, &out), STATUS_OK);
	buf_add_char(&out, '\0');
	return out.ptr;
}

static const struct kube_object *getter(struct fixture *f)
{
	return kube_objects_find(fixture_cluster(f, "default")->objects, SV("Secret"),
	                         SV("cloud-init-settings"), SV("cloud-init-getter-token"));
}

static void test_decrypted(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();
	SEAL_IDENTITIES_AUTO identities = identities_of(&f, identity_bytes);
	struct value token;

	f.options.identities = identities;
	fixture_add(&f, "a.yaml",
	            sealed(&f, "cloud-init-settings", "cloud-init-getter-token", "s3cret"));
	fixture_must_load(&f);
	const struct kube_object *object = getter(&f);
	assert_non_null(object);
	assert_true(object->confidential);
	assert_int_equal(
	    kube_secret_value(f.secret_arena, &f.sink, object, SV("token"), NOWHERE, &token),
	    STATUS_OK);
	assert_sv(token.string, "s3cret");
	assert_non_null(secrecy_find(&token));
	/* The file itself holds nothing in the clear: its lines may be shown. */
	assert_false(object->source->confidential);
}

/* Somebody put a clear document before one that sops wrote. */
static void test_clear_documents_beside(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();
	SEAL_IDENTITIES_AUTO identities = identities_of(&f, identity_bytes);
	struct buf file = buf_in(f.arena);

	buf_add_cstr(&file, SECRET("cloud-init-settings", "other", "clear") "---\n");
	buf_add_cstr(&file, sealed(&f, "cloud-init-settings", "cloud-init-getter-token", "s3cret"));
	buf_add_cstr(&file, "---\n" SECRET("cloud-init-settings", "another", "clear"));
	f.options.identities = identities;
	fixture_add(&f, "a.yaml", arena_cstr(f.arena, buf_sv(&file)));
	fixture_must_load(&f);
	assert_non_null(getter(&f));
	assert_true(getter(&f)->confidential);
}

/* The format of an encrypted List is its document's, not its items'. */
static void test_list_without_identity(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();

	fixture_add(&f, "a.yaml",
	            "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Secret\n"
	            "  metadata: {namespace: cloud-init-settings, name: cloud-init-getter-token}\n"
	            "  data: {token: 'ENC[AES256_GCM,data:x]'}\nsops: {mac: x}\n");
	assert_int_equal(fixture_load(&f), STATUS_FAILED);
	assert_int_equal(f.sink.diags.count, 1);
	assert_int_equal(f.sink.diags.items[0]->code, DIAG_FLEET_NO_IDENTITY);
	assert_true(sv_contains(f.sink.diags.items[0]->help, SV("SOPS_AGE_KEY")));
}

static void test_secrets_folder_before_decrypting(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();
	struct value token;

	/* No identity is needed for what --secrets gives. */
	fixture_add(&f, "a.yaml",
	            sealed(&f, "cloud-init-settings", "cloud-init-getter-token", "s3cret"));
	fixture_add_secret(&f, "b.yaml",
	                   SECRET("cloud-init-settings", "cloud-init-getter-token", "outside"));
	fixture_must_load(&f);
	assert_int_equal(
	    kube_secret_value(f.secret_arena, &f.sink, getter(&f), SV("token"), NOWHERE, &token),
	    STATUS_OK);
	assert_sv(token.string, "outside");
}

static void test_reference_spelt_in_another_case(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();
	SEAL_IDENTITIES_AUTO identities = identities_of(&f, identity_bytes);

	/* The controller decodes references without regard to case: the Secret is asked for. */
	f.options.identities = identities;
	fixture_add(&f, "a.yaml", sealed(&f, "clouds", "hetzner", "s3cret"));
	fixture_add(&f, "b.yaml", sealed(&f, "clouds", "other", "s3cret"));
	fixture_add(&f, "m.yaml",
	            "apiVersion: cluster.k8s.io/v1alpha1\nkind: MachineDeployment\n"
	            "metadata: {name: m, namespace: kube-system}\n"
	            "spec: {template: {spec: {providerSpec: {value: {cloudProviderSpec: {token: "
	            "{SecretkeyRef: {NameSpace: clouds, NAME: hetzner, Key: token}}}}}}}}\n");
	(void)!fixture_load(&f);
	const struct kube_objects *objects = fixture_cluster(&f, "default")->objects;
	assert_non_null(kube_objects_find(objects, SV("Secret"), SV("clouds"), SV("hetzner")));
	assert_null(kube_objects_find(objects, SV("Secret"), SV("clouds"), SV("other")));
}

static void test_secrets_that_an_account_lists(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();
	SEAL_IDENTITIES_AUTO identities = identities_of(&f, identity_bytes);

	/* Of the account that the settings name; they need no annotation. */
	f.options.identities = identities;
	fixture_add(&f, "a.yaml", sealed(&f, "kube-system", "listed", "s3cret"));
	fixture_add(&f, "b.yaml", sealed(&f, "kube-system", "of-another", "s3cret"));
	fixture_add(&f, "c.yaml", sealed(&f, "other", "listed", "s3cret"));
	fixture_add(&f, "osm-gen.yaml",
	            FLEET
	            "spec: {defaults: {bootstrapTokenServiceAccountName: kube-system/boot}}\n");
	fixture_add(&f, "z.yaml",
	            "apiVersion: v1\nkind: ServiceAccount\n"
	            "metadata: {name: boot, namespace: kube-system}\nsecrets:\n- name: listed\n"
	            "---\napiVersion: v1\nkind: ServiceAccount\n"
	            "metadata: {name: another, namespace: kube-system}\n"
	            "secrets: [{name: of-another}]\n");
	fixture_must_load(&f);
	const struct kube_objects *objects = fixture_cluster(&f, "default")->objects;
	assert_non_null(
	    kube_objects_find(objects, SV("ServiceAccount"), SV("kube-system"), SV("boot")));
	assert_non_null(kube_objects_find(objects, SV("Secret"), SV("kube-system"), SV("listed")));
	assert_null(kube_objects_find(objects, SV("Secret"), SV("kube-system"), SV("of-another")));
	assert_null(kube_objects_find(objects, SV("Secret"), SV("other"), SV("listed")));
}

static void test_identity_that_does_not_fit(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();
	SEAL_IDENTITIES_AUTO identities = identities_of(&f, stranger_bytes);

	f.options.identities = identities;
	fixture_add(&f, "a.yaml",
	            sealed(&f, "cloud-init-settings", "cloud-init-getter-token", "s3cret"));
	/* Sealed for somebody else, and nobody's business. */
	fixture_add(&f, "b.yaml", sealed(&f, "flux-system", "git", "s3cret"));
	assert_int_equal(fixture_load(&f), STATUS_FAILED);
	assert_int_equal(f.sink.error_count, 1);
	assert_sv(f.sink.diags.items[0]->at.source->path, "a.yaml");
	assert_int_equal(sink_exit_status(&f.sink), 3);
	VEC_EACH (diag, &f.sink.diags)
		assert_lacks((*diag)->text, "s3cret");
}

/* One of the same name in each cluster, all in the same place of their files. */
static void test_no_identity_names_them_all(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();
	const char *text = sealed(&f, "cloud-init-settings", "cloud-init-getter-token", "s3cret");

	fixture_add(&f, "a/osm-gen.yaml", CLUSTER("a"));
	fixture_add(&f, "a/token.yaml", text);
	fixture_add(&f, "b/osm-gen.yaml", CLUSTER("b"));
	fixture_add(&f, "b/token.yaml", text);
	fixture_add(&f, "c/osm-gen.yaml", CLUSTER("c"));
	fixture_add(&f, "c/token.yaml", text);
	fixture_must_fail(&f, "a/token.yaml:4:11 OSG2017\n");
	const struct diag *diag = f.sink.diags.items[0];
	assert_int_equal(diag->notes.count, 2);
	assert_true(sv_eq(diag->notes.items[0].at.source->path, SV("b/token.yaml")));
	assert_true(sv_eq(diag->notes.items[1].at.source->path, SV("c/token.yaml")));
}

static void test_changed_by_hand(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();
	SEAL_IDENTITIES_AUTO identities = identities_of(&f, identity_bytes);
	sv text =
	    sv_from_cstr(sealed(&f, "cloud-init-settings", "cloud-init-getter-token", "s3cret"));
	size_t at = sv_find(text, SV("kind:"));
	sv changed = ARENA_CONCAT(f.arena, sv_slice(text, 0, at), SV("immutable: true\n"),
	                          sv_from_offset(text, at), SV("\0"));

	f.options.identities = identities;
	fixture_add(&f, "a.yaml", changed.ptr);
	assert_int_equal(fixture_load(&f), STATUS_FAILED);
	assert_int_equal(f.sink.error_count, 1);
	assert_int_equal(f.sink.diags.items[0]->code, DIAG_SOPS_MAC);
	assert_null(getter(&f));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_decrypted),
	    cmocka_unit_test(test_clear_documents_beside),
	    cmocka_unit_test(test_list_without_identity),
	    cmocka_unit_test(test_secrets_folder_before_decrypting),
	    cmocka_unit_test(test_reference_spelt_in_another_case),
	    cmocka_unit_test(test_secrets_that_an_account_lists),
	    cmocka_unit_test(test_identity_that_does_not_fit),
	    cmocka_unit_test(test_no_identity_names_them_all),
	    cmocka_unit_test(test_changed_by_hand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
