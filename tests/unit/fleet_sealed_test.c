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

/* The object as a SOPS file in which the values of one key are sealed. */
static const char *sealed_object(struct fixture *f, const uint8_t reader[32],
                                 const struct value *object, struct seal_rule rule)
{
	SEAL_ROOT_AUTO root = NULL;
	struct buf out = buf_in(f->arena);
	struct seal_recipient_text recipient = {recipient_of(f, reader), NOWHERE};
	struct seal_recipients recipients;

	assert_int_equal(seal_root_parse(&f->sink, NOWHERE,
	                                 seal_seed_format(f->secret_arena, seed_bytes), &root),
	                 STATUS_OK);
	assert_int_equal(seal_recipients_parse(f->arena, &f->sink, sealer_format_find(SV("sops")),
	                                       SV("test"), &recipient, 1, &recipients),
	                 STATUS_OK);
	SEALER_AUTO sealer = sealer_new(root);
	struct seal_request request = {
	    .cluster = SV("c"), .object = object, .rule = rule, .recipients = &recipients};
	assert_int_equal(sealer_seal(&f->sink, sealer, &request, &out), STATUS_OK);
	buf_add_char(&out, '\0');
	return out.ptr;
}

/* A Secret with one key, as a SOPS file. */
static const char *sealed_to(struct fixture *f, const uint8_t reader[32], const char *namespace,
                             const char *name, const char *token)
{
	struct value data = value_map_new(f->arena);

	value_map_set(f->arena, &data, SV("token"), value_string(sv_from_cstr(token)));
	const struct kube_secret_request clear = {
	    .namespace = sv_from_cstr(namespace), .name = sv_from_cstr(name), .data = &data};
	struct value secret = kube_secret_new(f->arena, &clear);
	return sealed_object(f, reader, &secret, seal_rule_secret);
}

static const char *sealed(struct fixture *f, const char *namespace, const char *name,
                          const char *token)
{
	return sealed_to(f, identity_bytes, namespace, name, token);
}

static const struct kube_object *getter_of(struct fixture *f, const char *cluster)
{
	return kube_objects_find(fixture_cluster(f, cluster)->objects, SV("Secret"),
	                         SV("cloud-init-settings"), SV("cloud-init-getter-token"));
}

static const struct kube_object *getter(struct fixture *f)
{
	return getter_of(f, "default");
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
	const char *ns = "cloud-init-settings";
	const char *name = "cloud-init-getter-token";

	fixture_add(&f, "a/osm-gen.yaml", CLUSTER("a"));
	fixture_add(&f, "a/token.yaml", sealed(&f, ns, name, "s3cret-a"));
	fixture_add(&f, "b/osm-gen.yaml", CLUSTER("b"));
	fixture_add(&f, "b/token.yaml", sealed(&f, ns, name, "s3cret-b"));
	fixture_add(&f, "c/osm-gen.yaml", CLUSTER("c"));
	fixture_add(&f, "c/token.yaml", sealed(&f, ns, name, "s3cret-c"));
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

/* ---- confused deputies ------------------------------------------------------------------- */

#define TOKEN "cloud-init-settings", "cloud-init-getter-token"

/* One text with a part of it in place of another. */
static const char *replaced(struct fixture *f, const char *text, sv part, sv by)
{
	sv whole = sv_from_cstr(text);
	size_t at = sv_find(whole, part);

	assert_true(at != SV_NPOS);
	return arena_cstr(f->arena, ARENA_CONCAT(f->arena, sv_slice(whole, 0, at), by,
	                                         sv_from_offset(whole, at + part.len)));
}

static struct fixture two_clusters(void)
{
	struct fixture f = fixture_new();

	fixture_add(&f, "dev/osm-gen.yaml", CLUSTER("dev"));
	fixture_add(&f, "prod/osm-gen.yaml", CLUSTER("prod"));
	return f;
}

/* Found with all keys, with none, and by validate. */
static void test_copied_file(void **state)
{
	(void)state;
	for (int keys = 0; keys < 3; keys++) {
		FIXTURE_AUTO f = two_clusters();
		SEAL_IDENTITIES_AUTO identities = identities_of(&f, identity_bytes);
		const char *text = sealed(&f, TOKEN, "s3cret");

		f.options.identities = keys == 0 ? identities : NULL;
		f.options.skip_secrets = keys == 2;
		fixture_add(&f, "dev/stolen.yaml", text);
		fixture_add(&f, "prod/token.yaml", text);
		fixture_must_fail(&f, keys == 1 ? "prod/token.yaml OSG2022\n"
		                                  "dev/stolen.yaml:4:11 OSG2017\n"
		                                : "prod/token.yaml OSG2022\n");
		const struct diag *diag = f.sink.diags.items[0];
		assert_true(sv_eq(diag->notes.items[0].at.source->path, SV("dev/stolen.yaml")));
	}
}

/* The name is in the clear, armour and Base64 can be written otherwise: the key is the same. */
static void test_copy_in_disguise(void **state)
{
	(void)state;
	FIXTURE_AUTO f = two_clusters();
	const char *text = sealed(&f, "kube-system", "app", "s3cret");
	const char *disguised =
	    replaced(&f, text, SV("name: \"app\""), SV("name: \"cloud-init-getter-token\""));

	f.options.skip_secrets = true;
	disguised = replaced(&f, disguised, SV("namespace: \"kube-system\""),
	                     SV("namespace: \"cloud-init-settings\""));
	disguised = replaced(&f, disguised, SV("-----BEGIN AGE ENCRYPTED FILE-----"),
	                     SV("\n            -----BEGIN AGE ENCRYPTED FILE-----"));
	disguised = replaced(&f, disguised, SV("type:str"), SV("type:bytes"));
	fixture_add(&f, "dev/stolen.yaml", disguised);
	fixture_add(&f, "prod/app.yaml", text);
	fixture_must_fail(&f, "prod/app.yaml OSG2022\n");
}

/* From a cluster's folder to where it serves all. */
static void test_copy_for_all(void **state)
{
	(void)state;
	FIXTURE_AUTO f = two_clusters();
	const char *text = sealed(&f, TOKEN, "s3cret");

	f.options.skip_secrets = true;
	fixture_add(&f, "all.yaml", text);
	fixture_add(&f, "prod/token.yaml", text);
	fixture_must_fail(&f, "prod/token.yaml OSG2022\n");
}

/* Flux's own Secrets, which nothing asks for, may be where they like. */
static void test_copies_of_others(void **state)
{
	(void)state;
	FIXTURE_AUTO f = two_clusters();
	const char *text = sealed(&f, "kube-system", "app", "s3cret");

	fixture_add(&f, "dev/app.yaml", text);
	fixture_add(&f, "prod/app.yaml", text);
	fixture_add(&f, "prod/patch.yaml", text);
	fixture_must_load(&f);
}

static const char *fleet_with_inputs(struct fixture *f, const uint8_t dev[32],
                                     const uint8_t prod[32])
{
	return arena_cstr(f->arena,
	                  ARENA_CONCAT(f->arena, SV(FLEET "spec: {sealing: {inputs: {dev: ["),
	                               recipient_of(f, dev), SV("], prod: ["),
	                               recipient_of(f, prod), SV("]}}}\n")));
}

static struct seal_identities *both_identities(struct fixture *f)
{
	struct seal_identities *both = identities_of(f, identity_bytes);
	sv text = seal_identity_format(f->secret_arena, stranger_bytes, (sv){0});

	assert_int_equal(seal_identities_add(&f->sink, both,
	                                     source_new(f->secret_arena, SV("keys"), text, true)),
	                 STATUS_OK);
	return both;
}

static void test_inputs(void **state)
{
	(void)state;
	FIXTURE_AUTO f = two_clusters();
	SEAL_IDENTITIES_AUTO identities = both_identities(&f);

	f.options.identities = identities;
	fixture_add(&f, "osm-gen.yaml", fleet_with_inputs(&f, stranger_bytes, identity_bytes));
	fixture_add(&f, "dev/token.yaml", sealed_to(&f, stranger_bytes, TOKEN, "d3v"));
	fixture_add(&f, "prod/token.yaml", sealed_to(&f, identity_bytes, TOKEN, "s3cret"));
	fixture_must_load(&f);
	assert_non_null(getter_of(&f, "dev"));
	assert_non_null(getter_of(&f, "prod"));
}

/* The original is gone in the same commit, so that no copy is left to be found. */
static void test_inputs_moved_file(void **state)
{
	(void)state;
	for (int validate = 0; validate < 2; validate++) {
		FIXTURE_AUTO f = two_clusters();
		SEAL_IDENTITIES_AUTO identities = both_identities(&f);

		f.options.identities = identities;
		f.options.skip_secrets = validate;
		fixture_add(&f, "osm-gen.yaml",
		            fleet_with_inputs(&f, stranger_bytes, identity_bytes));
		fixture_add(&f, "dev/stolen.yaml", sealed_to(&f, identity_bytes, TOKEN, "s3cret"));
		fixture_must_fail(&f, "dev/stolen.yaml OSG2023\n");
		/* validate decrypts nothing, and keeps what it may not open, too. */
		const struct kube_object *getter = getter_of(&f, "dev");
		if (validate)
			assert_true(getter && seal_is_sealed(getter->root));
		else
			assert_null(getter);
	}
}

/* What the file says of its recipients can be written by anybody. */
static void test_inputs_forged_recipient(void **state)
{
	(void)state;
	FIXTURE_AUTO f = two_clusters();
	SEAL_IDENTITIES_AUTO identities = both_identities(&f);
	const char *text = sealed_to(&f, identity_bytes, TOKEN, "s3cret");

	f.options.identities = identities;
	fixture_add(&f, "osm-gen.yaml", fleet_with_inputs(&f, stranger_bytes, identity_bytes));
	fixture_add(
	    &f, "dev/stolen.yaml",
	    replaced(&f, text, recipient_of(&f, identity_bytes), recipient_of(&f, stranger_bytes)));
	fixture_must_fail(&f, "dev/stolen.yaml OSG2023\n");
	assert_null(getter_of(&f, "dev"));
	assert_int_equal(sink_exit_status(&f.sink), 2);
}

/* A file for all is opened for each; a cluster that is not listed gets nothing. */
static void test_inputs_of_all(void **state)
{
	(void)state;
	FIXTURE_AUTO f = two_clusters();
	SEAL_IDENTITIES_AUTO identities = both_identities(&f);

	f.options.identities = identities;
	fixture_add(&f, "osm-gen.yaml", fleet_with_inputs(&f, stranger_bytes, identity_bytes));
	fixture_add(&f, "stolen.yaml", sealed_to(&f, identity_bytes, TOKEN, "s3cret"));
	fixture_must_fail(&f, "stolen.yaml OSG2023\n");

	FIXTURE_AUTO g = two_clusters();
	g.options.identities = identities;
	fixture_add(&g, "osm-gen.yaml", fleet_with_inputs(&g, stranger_bytes, identity_bytes));
	fixture_add(&g, "new/osm-gen.yaml", CLUSTER("new"));
	fixture_add(&g, "new/stolen.yaml", sealed_to(&g, identity_bytes, TOKEN, "s3cret"));
	fixture_must_fail(&g, "new/stolen.yaml OSG2023\n");
}

static void test_inputs_wrong(void **state)
{
	(void)state;
	FIXTURE_AUTO f = two_clusters();

	fixture_add(&f, "osm-gen.yaml",
	            FLEET "spec:\n  sealing:\n    inputs:\n      dev: text\n      prdo: [age1]\n"
	                  "      prod: [1]\n");
	fixture_must_fail(&f, "osm-gen.yaml:6:12 OSG2013\n"
	                      "osm-gen.yaml:7:7 OSG2013\n"
	                      "osm-gen.yaml:8:14 OSG2013\n");
}

/* ---- folders of --secrets ---------------------------------------------------------------- */

#define CLEAR_TOKEN SECRET("cloud-init-settings", "cloud-init-getter-token", "s3cret")

static void test_secrets_of_clusters(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();

	fixture_add(&f, "clusters/dev/osm-gen.yaml", CLUSTER("dev"));
	fixture_add(&f, "clusters/eu/1/osm-gen.yaml", CLUSTER("prod"));
	fixture_add_secret(&f, "prod/deep/token.yaml", CLEAR_TOKEN);
	fixture_add_secret(&f, "clusters/dev/token.yaml", CLEAR_TOKEN);
	fixture_add_secret(&f, "all.yaml", SECRET("kube-system", "all", "s3cret"));
	fixture_must_load(&f);
	assert_non_null(getter_of(&f, "dev"));
	assert_non_null(getter_of(&f, "prod"));
}

/* The cluster was renamed, or removed: its Secrets are not everybody's then. */
static void test_secrets_of_nobody(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();

	fixture_add(&f, "clusters/dev/osm-gen.yaml", CLUSTER("dev"));
	fixture_add_secret(&f, "clusters/prod/token.yaml",
	                   SECRET("kube-system", "other", "s3cret"));
	fixture_add_secret(&f, "prod/token.yaml", CLEAR_TOKEN);
	fixture_must_fail(&f, "/secrets/clusters/prod/token.yaml OSG2020\n"
	                      "/secrets/prod/token.yaml OSG2020\n");

	/* A Cluster of the whole repository takes what is its own only. */
	FIXTURE_AUTO g = fixture_new();
	fixture_add(&g, "osm-gen.yaml", CLUSTER("dev"));
	fixture_add_secret(&g, "prod/token.yaml", CLEAR_TOKEN);
	fixture_must_fail(&g, "/secrets/prod/token.yaml OSG2020\n");

	/* Without any Cluster all is the one cluster's. */
	FIXTURE_AUTO h = fixture_new();
	fixture_add_secret(&h, "kube-system/token.yaml", CLEAR_TOKEN);
	fixture_must_load(&h);
	assert_non_null(getter(&h));
}

/* A Cluster that was moved to, or made in, the folder of another one's Secrets. */
static void test_secrets_taken_over(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();

	fixture_add(&f, "prod/osm-gen.yaml", CLUSTER("evil"));
	fixture_add(&f, "clusters/prod/osm-gen.yaml", CLUSTER("prod"));
	fixture_add_secret(&f, "prod/token.yaml", CLEAR_TOKEN);
	fixture_must_fail(&f, "/secrets/prod/token.yaml OSG2021\n"
	                      "prod/osm-gen.yaml:3:18 OSG2096\n");

	FIXTURE_AUTO g = fixture_new();
	fixture_add(&g, "clusters/prod/osm-gen.yaml", CLUSTER("dev"));
	fixture_add_secret(&g, "clusters/prod/token.yaml", CLEAR_TOKEN);
	fixture_must_fail(&g, "/secrets/clusters/prod/token.yaml OSG2021\n"
	                      "clusters/prod/osm-gen.yaml:3:18 OSG2096\n");
}

/* ---- settings ---------------------------------------------------------------------------- */

#define PROXY "http://fleet:TESTONLYproxy@proxy.example:3128"

/* A Cluster with an encrypted proxy, as a SOPS file. */
static const char *sealed_cluster(struct fixture *f, const char *name)
{
	static const sv keys[] = {SV_INIT("nodeHTTPProxy")};
	struct value root = value_map_new(f->arena);
	struct value metadata = value_map_new(f->arena);
	struct value spec = value_map_new(f->arena);
	struct value settings = value_map_new(f->arena);

	value_map_set(f->arena, &metadata, SV("name"), value_string(sv_from_cstr(name)));
	value_map_set(f->arena, &settings, SV("nodeHTTPProxy"), value_string(SV(PROXY)));
	value_map_set(f->arena, &spec, SV("settings"), settings);
	value_map_set(f->arena, &root, SV("apiVersion"), value_string(SV(FLEET_API_VERSION)));
	value_map_set(f->arena, &root, SV("kind"), value_string(SV("Cluster")));
	value_map_set(f->arena, &root, SV("metadata"), metadata);
	value_map_set(f->arena, &root, SV("spec"), spec);
	return sealed_object(f, identity_bytes, &root, (struct seal_rule){keys, 1});
}

/* The guard of a run, and what it was asked. */
struct asked {
	bool answer;
	size_t count;
	sv cluster; /* the last one that gets encrypted settings */
};

static bool may_open(void *context, const struct fleet *fleet)
{
	struct asked *asked = context;

	asked->count++;
	for (size_t i = 0; i < fleet->cluster_count; i++) {
		assert_non_null(fleet->clusters[i].sealing.format);
		if (fleet->clusters[i].gets_sealed_settings)
			asked->cluster = fleet->clusters[i].name;
	}
	return asked->answer;
}

static const struct value *proxy_of(struct fixture *f, const char *cluster)
{
	return value_map_get(fixture_cluster(f, cluster)->settings, SV("nodeHTTPProxy"));
}

static void test_settings(void **state)
{
	(void)state;
	for (int answer = 0; answer <= 1; answer++) {
		FIXTURE_AUTO f = fixture_new();
		SEAL_IDENTITIES_AUTO identities = identities_of(&f, identity_bytes);
		struct asked asked = {.answer = answer};

		f.options.identities = identities;
		f.options.may_open = may_open;
		f.options.may_open_context = &asked;
		fixture_add(&f, "a/osm-gen.yaml", sealed_cluster(&f, "a"));
		fixture_add(&f, "b/osm-gen.yaml",
		            "apiVersion: osm-gen.dev/v1alpha1\nkind: Cluster\n"
		            "metadata: {name: b}\nspec: {}\n");
		fixture_must_load(&f);
		assert_int_equal(asked.count, 1);
		assert_sv(asked.cluster, "a");
		assert_string_equal(arena_cstr(f.arena, value_text(proxy_of(&f, "a"))),
		                    answer ? PROXY : "<absent:text-of-secret>");
		const struct secret *secret = secrecy_find(proxy_of(&f, "a"));
		assert_non_null(secret);
		assert_sv(secret->name, "a:spec.settings.nodeHTTPProxy");
	}
}

/* Without a guard, and where nothing is decrypted, the values are stand-ins, with a warning. */
static void test_settings_closed(void **state)
{
	(void)state;
	for (int skip = 0; skip <= 1; skip++) {
		FIXTURE_AUTO f = fixture_new();
		SEAL_IDENTITIES_AUTO identities = identities_of(&f, identity_bytes);
		struct asked asked = {.answer = true};

		f.options.identities = identities;
		f.options.skip_secrets = skip;
		f.options.may_open = skip ? may_open : NULL;
		f.options.may_open_context = &asked;
		fixture_add(&f, "a/osm-gen.yaml", sealed_cluster(&f, "a"));
		fixture_must_load(&f);
		assert_int_equal(asked.count, 0);
		assert_true(secrecy_is_absent(proxy_of(&f, "a")));
		assert_int_equal(f.sink.diags.count, 1);
		assert_int_equal(f.sink.diags.items[0]->code, DIAG_FLEET_SETTINGS_CLOSED);
	}
}

/* What is wrong without a key is found before the guard is asked. */
static void test_settings_refused(void **state)
{
	(void)state;
	const struct {
		const char *fleet;
		const char *stolen; /* the path of a copy, or null */
		enum diag_code code;
	} cases[] = {
	    {"spec: {}", "b/secret.yaml", DIAG_FLEET_SEALED_COPY},
	    {"spec: {}", "copy/osm-gen.yaml", DIAG_FLEET_SEALED_COPY},
	    {"spec: {sealing: {inputs: {a: [age1other]}}}", NULL, DIAG_FLEET_SEALED_INPUT},
	    {"spec: {sealing: {inputs: {}}}", NULL, DIAG_FLEET_SEALED_INPUT},
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		FIXTURE_AUTO f = fixture_new();
		SEAL_IDENTITIES_AUTO identities = identities_of(&f, identity_bytes);
		struct asked asked = {.answer = true};
		sv fleet =
		    ARENA_CONCAT(f.arena, SV("apiVersion: osm-gen.dev/v1alpha1\nkind: Fleet\n"),
		                 sv_from_cstr(cases[i].fleet), SV("\n"));

		f.options.identities = identities;
		f.options.may_open = may_open;
		f.options.may_open_context = &asked;
		fixture_add(&f, "a/osm-gen.yaml", sealed_cluster(&f, "a"));
		fixture_add(&f, "b/osm-gen.yaml",
		            "apiVersion: osm-gen.dev/v1alpha1\nkind: Cluster\n"
		            "metadata: {name: b}\nspec: {}\n");
		if (cases[i].stolen)
			fixture_add(&f, cases[i].stolen, sealed_cluster(&f, "a"));
		fixture_add(&f, "osm-gen.yaml", arena_cstr(f.arena, fleet));
		assert_int_equal(fixture_load(&f), STATUS_FAILED);
		assert_int_equal(asked.count, 0);
		bool is_found = false;
		VEC_EACH (diag, &f.sink.diags)
			is_found |= (*diag)->code == cases[i].code;
		assert_true(is_found);
		assert_true(secrecy_is_absent(proxy_of(&f, "a")));
	}
}

UNIT_TESTS(fleet_sealed)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_settings),
	    cmocka_unit_test(test_settings_closed),
	    cmocka_unit_test(test_settings_refused),
	    cmocka_unit_test(test_decrypted),
	    cmocka_unit_test(test_clear_documents_beside),
	    cmocka_unit_test(test_list_without_identity),
	    cmocka_unit_test(test_secrets_folder_before_decrypting),
	    cmocka_unit_test(test_reference_spelt_in_another_case),
	    cmocka_unit_test(test_secrets_that_an_account_lists),
	    cmocka_unit_test(test_identity_that_does_not_fit),
	    cmocka_unit_test(test_no_identity_names_them_all),
	    cmocka_unit_test(test_changed_by_hand),
	    cmocka_unit_test(test_copied_file),
	    cmocka_unit_test(test_copy_in_disguise),
	    cmocka_unit_test(test_copy_for_all),
	    cmocka_unit_test(test_copies_of_others),
	    cmocka_unit_test(test_inputs),
	    cmocka_unit_test(test_inputs_moved_file),
	    cmocka_unit_test(test_inputs_forged_recipient),
	    cmocka_unit_test(test_inputs_of_all),
	    cmocka_unit_test(test_inputs_wrong),
	    cmocka_unit_test(test_secrets_of_clusters),
	    cmocka_unit_test(test_secrets_of_nobody),
	    cmocka_unit_test(test_secrets_taken_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
