/*
 * Objects, lookups, Secrets, kubeconfigs.
 */
#include "osm_fixture.h"

#define SECRET "apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: ns}\n"

static void names_are_subdomains(void **state)
{
	char longest[254];

	(void)state;
	memset(longest, 'a', sizeof(longest));
	assert_true(kube_name_valid(SV("a")));
	assert_true(kube_name_valid(SV("a-1.b")));
	assert_true(kube_name_valid(sv_from(longest, 253)));
	assert_false(kube_name_valid(sv_from(longest, 254)));
	assert_false(kube_name_valid(SV("")));
	assert_false(kube_name_valid(SV("-a")));
	assert_false(kube_name_valid(SV("a.")));
	assert_false(kube_name_valid(SV("a..b")));
	assert_false(kube_name_valid(SV("a-.b")));
	assert_false(kube_name_valid(SV("A")));
	assert_false(kube_name_valid(SV("a/b")));
}

static void identities(void **state)
{
	FIXTURE_AUTO f = fixture_new();

	(void)state;
	fixture_add(&f, "a.yaml",
	            "apiVersion: cluster.k8s.io/v1alpha1\nkind: MachineDeployment\n"
	            "metadata: {name: m}\n");
	const struct kube_object *object = f.all.items[0];
	assert_sv(object->id.namespace, "default");
	assert_sv(kube_object_describe(f.arena, object), "MachineDeployment default/m");
}

static void broken_identities(void **state)
{
	static const struct {
		const char *yaml;
		enum diag_code code;
		const char *text;
	} cases[] = {
	    {"[]", DIAG_OBJECT_IDENTITY, "the document is not an object: it is not a map"},
	    {"{apiVersion: v1, kind: Secret, metadata: {}}", DIAG_OBJECT_IDENTITY,
	     "the Secret has no name"},
	    {"{apiVersion: v1, kind: Secret, metadata: {name: 5}}", DIAG_OBJECT_IDENTITY,
	     "name of an object must be a string"},
	    {"{apiVersion: v1, kind: Secret, metadata: {name: A}}", DIAG_OBJECT_NAME,
	     "\"A\" is not a name that Kubernetes takes"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		FIXTURE_AUTO f = fixture_new();
		struct kube_object object;

		assert_int_equal(kube_object_read(f.arena, &f.sink, NULL,
		                                  fixture_yaml(&f, cases[i].yaml), &object),
		                 STATUS_FAILED);
		assert_int_equal(f.sink.error_count, 1);
		assert_int_equal(f.sink.diags.items[0]->code, cases[i].code);
		assert_sv(f.sink.diags.items[0]->text, cases[i].text);
	}
}

static void nearer_objects_hide_farther_ones(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	FIXTURE_AUTO shared = fixture_new();

	(void)state;
	fixture_add(&shared, "shared.yaml",
	            SECRET "---\napiVersion: v1\nkind: Secret\nmetadata: {name: t, namespace: ns, "
	                   "labels: {l: x}}\n");
	kube_objects_init(f.arena, &f.objects, &shared.objects);
	fixture_add(&f, "near.yaml", SECRET);
	assert_ptr_equal(kube_objects_find(&f.objects, SV("Secret"), SV("ns"), SV("s")),
	                 f.all.items[0]);
	assert_ptr_equal(kube_objects_find(&f.objects, SV("Secret"), SV("ns"), SV("t")),
	                 shared.all.items[1]);
	assert_null(kube_objects_find(&f.objects, SV("ConfigMap"), SV("ns"), SV("s")));
	struct kube_object_list secrets = kube_objects_of_kind(f.arena, &f.objects, SV("Secret"));
	assert_int_equal(secrets.count, 2);
	assert_ptr_equal(secrets.items[0], f.all.items[0]);
	assert_ptr_equal(secrets.items[1], shared.all.items[1]);
	/* The folder of secrets wins over the commit. */
	struct kube_object external = *f.all.items[0];
	external.external = true;
	assert_ptr_equal(kube_objects_add(&f.objects, &external), f.all.items[0]);
	assert_ptr_equal(kube_objects_find(&f.objects, SV("Secret"), SV("ns"), SV("s")), &external);
}

static void secret_values(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	struct value v;

	(void)state;
	fixture_add(&f, "a.yaml",
	            SECRET "data: {a: aGVsbG8=, b: aGVsbG8=, c: '!'}\nstringData: {b: world}\n");
	assert_int_equal(kube_secret_value(f.arena, &f.sink, f.all.items[0], SV("a"), NOWHERE, &v),
	                 STATUS_OK);
	assert_sv(show_taint(f.arena, &v), "[hello]");
	assert_sv(v.taint->spans[0].secret->name, "ns/s:a");
	assert_int_equal(kube_secret_value(f.arena, &f.sink, f.all.items[0], SV("b"), NOWHERE, &v),
	                 STATUS_OK);
	assert_sv(v.string, "world");
	assert_int_equal(kube_secret_value(f.arena, &f.sink, f.all.items[0], SV("c"), NOWHERE, &v),
	                 STATUS_FAILED);
	assert_int_equal(f.sink.diags.items[0]->code, DIAG_OBJECT_DATA);
	assert_int_equal(kube_secret_value(f.arena, &f.sink, f.all.items[0], SV("d"),
	                                   kube_object_position(f.all.items[0]), &v),
	                 STATUS_FAILED);
	assert_sv(f.sink.diags.items[1]->text, "Secret ns/s has no key \"d\"");
	assert_int_equal(kube_secret_keys(f.arena, f.all.items[0]).count, 3);
	/* Never the value itself. */
	assert_lacks(f.sink.diags.items[0]->text, "!");
}

static enum status parse_config(struct fixture *f, const char *manifest, struct kube_config *config)
{
	struct value text;

	fixture_add(f, "a.yaml", manifest);
	assert_int_equal(kube_config_map_value(f->arena, &f->sink, f->all.items[0],
	                                       SV("kubeconfig"), NOWHERE, &text),
	                 STATUS_OK);
	return kube_config_parse(f->arena, &f->sink, &text, config);
}

#define CONFIG_MAP                                                                                 \
	"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cluster-info, namespace: "              \
	"kube-public}\n"                                                                           \
	"data:\n  kubeconfig: |\n"

static void bootstrap_kubeconfig(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	struct kube_config config;
	const struct secret secret = {.name = SV("t"), .text = SV("123456.1234567890123456")};
	struct value token = value_secret_string(f.arena, secret.text, &secret);

	(void)state;
	assert_int_equal(parse_config(&f,
	                              CONFIG_MAP "    clusters:\n    - name: prod\n"
	                                         "      cluster:\n"
	                                         "        tls-server-name: api\n"
	                                         "        server: https://foo.bar:6443\n"
	                                         "        certificate-authority-data: Zm9vYmFy\n"
	                                         "        unknown: dropped\n"
	                                         "    contexts: null\n    users: null\n",
	                              &config),
	                 STATUS_OK);
	assert_sv(config.clusters[0].certificate_authority_data.string, "foobar");
	struct value got;
	assert_int_equal(kube_config_bootstrap(f.arena, &f.sink, &config, &token, &got), STATUS_OK);
	assert_sv(show_taint(f.arena, &got),
	          "apiVersion: v1\nclusters:\n- cluster:\n"
	          "    certificate-authority-data: Zm9vYmFy\n    server: https://foo.bar:6443\n"
	          "    tls-server-name: api\n  name: c\ncontexts:\n- context:\n    cluster: c\n"
	          "    user: c\n  name: c\ncurrent-context: c\nkind: Config\nusers:\n- name: c\n"
	          "  user:\n    token: \"[123456.1234567890123456]\"\n");
}

/* Kept, sorted by name; of one name the first that is not null. */
static void extensions_of_kubeconfigs(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	struct kube_config config;
	struct value none = value_string(SV(""));
	struct value got;

	(void)state;
	assert_int_equal(
	    parse_config(&f,
	                 CONFIG_MAP
	                 "    clusters:\n    - name: prod\n      cluster:\n"
	                 "        server: \"a \\Nb\"\n"
	                 "        extensions: [{name: q, extension: {z: 1, b: [x]}}, null]\n"
	                 "    preferences: {extensions: [{name: p}, {name: p, extension: 5}]}\n"
	                 "    extensions: [{name: b, extension: s}, {name: a, other: 1}]\n"
	                 "    contexts: null\n    users: null\n",
	                 &config),
	    STATUS_OK);
	assert_int_equal(kube_config_bootstrap(f.arena, &f.sink, &config, &none, &got), STATUS_OK);
	assert_sv(got.string,
	          "apiVersion: v1\nclusters:\n- cluster:\n    extensions:\n"
	          "    - extension: null\n      name: \"\"\n"
	          "    - extension:\n        b:\n        - x\n        z: 1\n      name: q\n"
	          "    server: a b\n  name: c\ncontexts:\n- context:\n    cluster: c\n"
	          "    user: c\n  name: c\ncurrent-context: c\nextensions:\n"
	          "- extension: null\n  name: a\n- extension: s\n  name: b\nkind: Config\n"
	          "preferences:\n  extensions:\n  - extension: 5\n    name: p\nusers:\n"
	          "- name: c\n  user: {}\n");
}

static void broken_kubeconfigs(void **state)
{
	static const struct {
		const char *text;
		const char *place; /* in the manifest */
		const char *message;
	} cases[] = {
	    {"    contexts:\n    - name: a\n      context:\n        namespace: n\n", "9:20",
	     "namespace of a kubeconfig must be a string"},
	    {"    clusters:\n    - name: a\n    - name: a\n", "8:7",
	     "the kubeconfig has two clusters named \"a\""},
	    {"    clusters:\n    - cluster:\n        certificate-authority-data: '*'\n", "8:37",
	     "certificate-authority-data of a kubeconfig must be base64"},
	    {"    kind: Other\n", "6:11", "this is a Other of v1, not a kubeconfig"},
	    {"    extensions: 5\n", "6:17", "extensions of a kubeconfig must be a list"},
	    {"    extensions: [{name: 5}]\n", "6:25",
	     "the name of an extension of a kubeconfig must be a string"},
	    {"    extensions:\n    - {name: a, extension: 1}\n    - {name: a}\n", "8:7",
	     "the kubeconfig has two extensions named \"a\""},
	    {"    extensions:\n    - extension:\n        k: {\"a\\Nb\": 1}\n", "8:13",
	     "a key of the kubeconfig has a control character, which the controller cannot write "
	     "as YAML"},
	    {"    clusters:\n    - cluster: {server: \"a\\x7Fb\"}\n", "7:25",
	     "a string of the kubeconfig has a control character, which the controller cannot "
	     "write as YAML"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		FIXTURE_AUTO f = fixture_new();
		struct kube_config config;

		assert_int_equal(
		    parse_config(&f,
		                 arena_cstr(f.arena, ARENA_CONCAT(f.arena, SV(CONFIG_MAP),
		                                                  sv_from_cstr(cases[i].text))),
		                 &config),
		    STATUS_FAILED);
		assert_int_equal(f.sink.error_count, 1);
		assert_int_equal(f.sink.diags.items[0]->code, DIAG_KUBECONFIG);
		assert_sv(f.sink.diags.items[0]->text, cases[i].message);
		assert_place(f.sink.diags.items[0]->at, cases[i].place);
	}
}

static void broken_yaml_is_shown_in_the_manifest(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	struct kube_config config;

	(void)state;
	assert_int_equal(parse_config(&f, CONFIG_MAP "    a: b\n    c: [\n", &config),
	                 STATUS_FAILED);
	assert_int_equal(f.sink.error_count, 1);
	assert_true(sv_starts_with(f.sink.diags.items[0]->text, SV("in the kubeconfig: ")));
	assert_true(position_line_column(f.sink.diags.items[0]->at).line >= 7);
}

static void built_secrets(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	struct value data = value_map_new(f.arena);
	struct buf yaml = buf_in(f.arena);

	(void)state;
	value_map_set(f.arena, &data, SV("b"), value_string(SV("hello")));
	value_map_set(f.arena, &data, SV("a"), value_string(SV("")));
	const struct kube_secret_request request = {.namespace = SV("ns"),
	                                            .name = SV("s"),
	                                            .type = SV("Opaque"),
	                                            .is_immutable = true,
	                                            .data = &data};
	struct value object = kube_secret_new(f.arena, &request);
	yml_emit(&yaml, &object, (struct yml_format){0});
	assert_sv(buf_sv(&yaml), "apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\n"
	                         "  namespace: ns\ntype: Opaque\nimmutable: true\ndata:\n"
	                         "  a: \"\"\n  b: aGVsbG8=\n");
	assert_sv(kube_id_of(&object).kind, "Secret");
}

/* What a List reader got, as "DEPTH KIND NAME;" and "mistake N;". */
struct listed {
	struct buf text;
};

static bool is_list(void *context UNUSED, const struct value *root, unsigned depth UNUSED,
                    struct kube_id *ret_item)
{
	return kube_is_list(root, ret_item);
}

static void take(void *context, struct value *object, unsigned depth)
{
	struct listed *listed = context;

	buf_printf(&listed->text, "%u %.*s %.*s;", depth,
	           SV_ARG(value_text(value_map_get(object, SV("kind")))),
	           SV_ARG(value_text(value_path(object, "metadata.name"))));
}

static void report(void *context, enum kube_list_mistake mistake, const struct value *at UNUSED)
{
	struct listed *listed = context;

	buf_printf(&listed->text, "mistake %d;", (int)mistake);
}

static sv listed_in(struct fixture *f, const char *text)
{
	struct listed listed = {buf_in(f->arena)};
	const struct kube_list_reader reader = {f->arena, &listed, is_list, take, report};

	kube_list_read(&reader, fixture_yaml(f, text));
	return buf_sv(&listed.text);
}

static void lists_are_read_at_any_depth(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	struct buf deep = buf_in(f.arena);

	(void)state;
	assert_sv(listed_in(&f, "{kind: A, apiVersion: v1, metadata: {name: a}}"), "0 A a;");
	assert_sv(listed_in(&f, "{kind: List, apiVersion: v1}"), "");
	assert_sv(listed_in(&f, "{kind: List, apiVersion: v1, items: {a: b}}"), "mistake 1;");
	/* An item of a typed List has the List's kind unless it names one. */
	assert_sv(listed_in(&f, "{kind: List, apiVersion: v1, items: [{kind: BList, apiVersion: v1,"
	                        " items: [{metadata: {name: b}}, {kind: C}, 5]}, {kind: D}]}"),
	          "2 B b;2 C ;2  ;1 D ;");
	for (int i = 0; i <= KUBE_LISTS_DEEP; i++)
		BUF_ADD_LIT(&deep, "{kind: List, apiVersion: v1, items: [");
	for (int i = 0; i <= KUBE_LISTS_DEEP; i++)
		BUF_ADD_LIT(&deep, "]}");
	buf_add_char(&deep, '\0');
	assert_sv(listed_in(&f, deep.ptr), "mistake 0;");
}

UNIT_TESTS(kube)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(names_are_subdomains),
	    cmocka_unit_test(identities),
	    cmocka_unit_test(broken_identities),
	    cmocka_unit_test(lists_are_read_at_any_depth),
	    cmocka_unit_test(nearer_objects_hide_farther_ones),
	    cmocka_unit_test(secret_values),
	    cmocka_unit_test(bootstrap_kubeconfig),
	    cmocka_unit_test(extensions_of_kubeconfigs),
	    cmocka_unit_test(broken_kubeconfigs),
	    cmocka_unit_test(broken_yaml_is_shown_in_the_manifest),
	    cmocka_unit_test(built_secrets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
