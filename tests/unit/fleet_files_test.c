/* Which files are read, and what is found in them. */
#include "fleet_fixture.h"

#include "fleet/internal.h"

static void test_filter(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct fleet_filter *filter =
	    fleet_filter_new(arena, SV("out/"), SV("charts/\n*.tmpl.yaml\n"));

	assert_true(fleet_filter_take(filter, SV("a.yaml")));
	assert_true(fleet_filter_take(filter, SV("x/a.yml")));
	assert_true(fleet_filter_take(filter, SV("x/a.json")));
	assert_true(fleet_filter_take(filter, SV("outer/a.yaml")));
	assert_false(fleet_filter_take(filter, SV("out/a.yaml")));
	assert_false(fleet_filter_take(filter, SV("a.txt")));
	assert_false(fleet_filter_take(filter, SV("yaml")));
	assert_false(fleet_filter_take(filter, SV("x/charts/a.yaml")));
	assert_false(fleet_filter_take(filter, SV("x/b.tmpl.yaml")));
	filter = fleet_filter_new(arena, SV(""), SV(""));
	assert_true(fleet_filter_take(filter, SV("out/a.yaml")));
}

static void test_names_that_are_nearly_manifests(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct fleet_filter *filter = fleet_filter_new(arena, SV("out"), SV("old/\n*.bak\n"));
	static const char *const nearly[] = {"a/w.yaml.txt", "w.YAML", "w.yaml.j2", "w.json5", "w"};
	static const char *const others[] = {"w.yaml",        "Kustomization", "w.yaml.md",
	                                     "w.jsonnet",     "w.txt",         "old/w.yaml.txt",
	                                     "out/w.yml.txt", "w.yaml.bak"};

	for (size_t i = 0; i < COUNT_OF(nearly); i++)
		assert_true(fleet_filter_nearly_takes(filter, sv_from_cstr(nearly[i])));
	for (size_t i = 0; i < COUNT_OF(others); i++)
		assert_false(fleet_filter_nearly_takes(filter, sv_from_cstr(others[i])));
}

static void test_glimpses(void **state)
{
	(void)state;
	struct fleet_glimpse glimpse;

	assert_true(fleet_glimpse(SV("w.txt"), SV("# pool\n---\n" MACHINES("a", "b")), &glimpse));
	assert_sv(glimpse.kind, "MachineDeployment");
	assert_false(glimpse.is_template);
	assert_true(
	    fleet_glimpse(SV("w.j2"), SV("{% if a %}\n" MACHINES("{{ a }}", "b")), &glimpse));
	assert_true(glimpse.is_template);
	assert_true(fleet_glimpse(SV("w.json5"),
	                          SV("{\"kind\": \"MachineDeployment\", 'apiVersion': "
	                             "'cluster.k8s.io/v1alpha1'}"),
	                          &glimpse));
	/* A script, a document that quotes one, another group's, half of one. */
	assert_false(fleet_glimpse(SV("w.txt"), SV("#!/bin/sh\n" MACHINES("a", "b")), &glimpse));
	assert_false(fleet_glimpse(SV("w.txt"), SV("How to:\n" MACHINES("a", "b")), &glimpse));
	assert_false(fleet_glimpse(SV("w"), SV("{{ a }}\n" MACHINES("a", "b")), &glimpse));
	assert_false(fleet_glimpse(SV("w.txt"),
	                           SV("apiVersion: cluster.x-k8s.io/v1\nkind: MachineDeployment\n"),
	                           &glimpse));
	assert_false(fleet_glimpse(
	    SV("w.txt"), SV("apiVersion: cluster.k8s.io/v1\n---\nkind: MachineDeployment\n"),
	    &glimpse));
	assert_false(fleet_glimpse(SV("w.txt"), SV(""), &glimpse));
}

/* What kustomizations make a run look at is charged. */
static void test_kustomizations_are_charged(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();
	struct quota values = {.option = "max-values", .what = "values", .max = 100};

	fixture_add(&f, "profiles.yaml", PROFILE("one"));
	fixture_add(&f, "md.yaml", MACHINES("a", "one"));
	fixture_add(&f, "kustomization.yaml", "resources: [md.yaml]\nnamePrefix: eu-\n");
	f.options.values = &values;
	assert_int_equal(fixture_load(&f), STATUS_FAILED);
	assert_int_equal(values.used, 5);
	assert_int_equal(f.sink.error_count, 1);
}

static void test_documents_and_lists(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();

	fixture_add(
	    &f, "profiles.yaml",
	    "---\n" PROFILE("one") "---\n# nothing\n---\n- a\n- list\n---\n"
	                           "just text\n---\nkind: Deployment\napiVersion: apps/v1\n");
	fixture_add(&f, "list.yaml",
	            "apiVersion: v1\nkind: List\nitems:\n"
	            "- apiVersion: cluster.k8s.io/v1alpha1\n"
	            "  kind: MachineDeploymentList\n"
	            "  items:\n"
	            "  - metadata: {name: b, namespace: kube-system, annotations: "
	            "{k8c.io/operating-system-profile: one}}\n"
	            "- apiVersion: cluster.x-k8s.io/v1beta1\n"
	            "  kind: MachineDeployment\n"
	            "  metadata: {name: of-cluster-api}\n");
	fixture_add(
	    &f, "one.json",
	    "{\"apiVersion\": \"cluster.k8s.io/v1alpha1\", \"kind\": \"MachineDeployment\", "
	    "\"metadata\": {\"name\": \"a\", \"namespace\": \"kube-system\", \"annotations\": "
	    "{\"k8c.io/operating-system-profile\": \"one\"}}}");
	fixture_must_load(&f);
	const struct fleet_cluster *cluster = fixture_cluster(&f, "default");
	assert_int_equal(cluster->unit_count, 2);
	assert_sv(cluster->units[0].object->id.name, "a");
	assert_sv(cluster->units[1].object->id.name, "b");
	assert_sv(cluster->units[1].definition->name, "one");
	assert_int_equal(f.fleet.unit_count, 2);
}

static void test_broken_files_are_all_reported(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();

	fixture_add(&f, "a.yaml", "kind: MachineDeployment\nspec: [1, 2\n");
	fixture_add(&f, "b.yaml", "apiVersion: v1\nkind: ConfigMap\nkind: ConfigMap\n");
	fixture_add(&f, "c.yaml", "no: words of ours\n- but broken\n");
	fixture_add(&f, "d.json", "{\"kind\": \"Secret\",}");
	assert_int_equal(fixture_load(&f), STATUS_FAILED);
	assert_int_equal(f.sink.error_count, 4);
	static const struct {
		const char *path;
		enum diag_code code;
	} expected[] = {
	    {"a.yaml", DIAG_YAML_SYNTAX},
	    {"b.yaml", DIAG_YAML_DUPLICATE_KEY},
	    {"c.yaml", DIAG_YAML_SYNTAX},
	    {"d.json", DIAG_JSON_SYNTAX},
	};
	for (size_t i = 0; i < COUNT_OF(expected); i++) {
		const struct diag *diag = f.sink.diags.items[i];

		assert_sv(diag->at.source->path, expected[i].path);
		assert_int_equal(diag->code, expected[i].code);
		assert_contains(diag->help, ".osm-gen-ignore");
	}
}

static void test_strangers_are_left_alone(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();

	/* Somebody's template, a tool's tag, a key twice, comments in JSON: none of our words. */
	fixture_add(&f, "a.yaml", "name: {{ .Values.name }}\n{{- if x }}\n");
	fixture_add(&f, "b.yaml", "a: !reference [x]\nb: 1\nb: 2\n");
	fixture_add(&f, "c.json", "// settings of an editor\n{}");
	/* A chart's templates, whatever they hold; a chart's other files are manifests. */
	fixture_add(&f, "chart/Chart.yaml", "name: x\n");
	fixture_add(&f, "chart/templates/s.yaml", "kind: Secret\nname: {{ .x }}\n  {{ end }}\n");
	fixture_add(&f, "chart/crds/p.yaml", PROFILE("of-chart") "---\n" MACHINES("m", "of-chart"));
	fixture_must_load(&f);
	assert_diag_count(&f.sink, 0);
	assert_int_equal(fixture_cluster(&f, "default")->definitions.count, 1);
}

static void test_chart_templates_need_a_chart(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();

	fixture_add(&f, "templates/s.yaml", "kind: Secret\nname: {{ .x }}\n  {{ end }}\n");
	assert_int_equal(fixture_load(&f), STATUS_FAILED);
	assert_sv(f.sink.diags.items[0]->at.source->path, "templates/s.yaml");
}

static void test_versions_and_kinds(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();

	fixture_add(&f, "a.yaml",
	            "apiVersion: operatingsystemmanager.k8c.io/v1beta1\n"
	            "kind: OperatingSystemProfile\nmetadata: {name: x}\n");
	fixture_add(&f, "b.yaml",
	            "apiVersion: cluster.k8s.io/v1\n"
	            "kind: MachineDeployment\nmetadata: {name: x}\n");
	fixture_add(&f, "c.yaml", CLUSTER("elsewhere"));
	fixture_add(&f, "osm-gen.yaml",
	            "apiVersion: osm-gen.dev/v1\nkind: Fleet\n---\n"
	            "apiVersion: osm-gen.dev/v1alpha1\nkind: Cluter\n---\n"
	            "kind: Fleet\n---\n- x\n---\n");
	fixture_must_fail(&f, "a.yaml:1:13 OSG2001\n"
	                      "b.yaml:1:13 OSG2001\n"
	                      "c.yaml:1:1 OSG2003\n"
	                      "osm-gen.yaml:1:13 OSG2001\n"
	                      "osm-gen.yaml:5:7 OSG2002\n"
	                      "osm-gen.yaml:7:1 OSG2002\n"
	                      "osm-gen.yaml:9:1 OSG2002\n");
	assert_contains(f.sink.diags.items[4]->help, "Cluster");
}

static void test_lists_within_limits(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();
	struct buf text = buf_in(f.arena);

	for (int i = 0; i < 20; i++)
		BUF_ADD_LIT(&text, "{apiVersion: v1, kind: List, items: [");
	BUF_ADD_LIT(&text, "{kind: Secret}");
	for (int i = 0; i < 20; i++)
		BUF_ADD_LIT(&text, "]}");
	buf_add_char(&text, '\0');
	fixture_add(&f, "a.yaml", text.ptr);
	fixture_add(&f, "b.yaml", "apiVersion: v1\nkind: SecretList\nitems: {a: 1}\n");
	assert_int_equal(fixture_load(&f), STATUS_FAILED);
	assert_int_equal(f.sink.error_count, 2);
	assert_int_equal(f.sink.diags.items[0]->code, DIAG_FLEET_LIST);
	assert_int_equal(f.sink.diags.items[1]->code, DIAG_FLEET_LIST);
	assert_sv(f.sink.diags.items[0]->text, "Lists are nested more than 8 deep");
}

static void test_secrets_make_sources_confidential(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();

	/* In the first the parser fails, so that only the words can show it. */
	fixture_add(&f, "a.yaml", "kind: Secret\ndata: {a: hunter2\n");
	fixture_add(&f, "b.yaml", "# a Secret\n\nkind: ConfigMap\ndata: [\n");
	fixture_add(&f, "c.yaml", SECRET("ns", "s", "hunter2") "---\n" MACHINES("m", "missing"));
	fixture_add(&f, "d.yaml", MACHINES("k", "missing") "# Secret\n");
	assert_int_equal(fixture_load(&f), STATUS_FAILED);
	assert_int_equal(f.sink.error_count, 4);
	for (size_t i = 0; i < 4; i++) {
		const struct source *source = f.sink.diags.items[i]->at.source;
		bool expected =
		    sv_eq(source->path, SV("a.yaml")) || sv_eq(source->path, SV("c.yaml"));

		if (source->confidential != expected)
			fail_msg("%.*s", SV_ARG(source->path));
	}
}

#define CLUSTER_INFO(kubeconfig)                                                                   \
	"apiVersion: v1\nkind: ConfigMap\n"                                                        \
	"metadata: {name: cluster-info, namespace: kube-public}\n"                                 \
	"data:\n  kubeconfig: " kubeconfig

/* Whether a line of the file is shown, and if not, whether that is known or a guess. */
static void test_guesses_are_called_guesses(void **state)
{
	(void)state;
	enum { SHOWN, GUESSED, KNOWN };
	static const struct {
		const char *text;
		int secrecy;
	} cases[] = {
	    {"kind: Secret\ndata: {a: hunter2\n", GUESSED},
	    {"kind: Secret\ndata: {a: AGE-SECRET-KEY-1, ]\n", KNOWN},
	    {SECRET("ns", "s", "hunter2"), KNOWN},
	    {"kind: MachineDeployment\na: [\n", SHOWN},
	    {"kind: MachineDeployment\ntoken: {secretKeyRef: {name: x}}\na: [\n", GUESSED},
	    {"kind: other\npassword: hunter2\na: [\n", GUESSED},
	    {"kind: other\nurl: https://me:hunter2@x.example\na: [\n", KNOWN},
	    {CLUSTER_INFO("abcd\n"), GUESSED},
	    {CLUSTER_INFO("|\n    clusters: []\n    users: []\n"), SHOWN},
	    {CLUSTER_INFO("|-\r\n    clusters:\r\n    - name: x\r\n"), SHOWN},
	    {CLUSTER_INFO("|\n    users: [{user: {token: abcd}}]\n"), GUESSED},
	    {CLUSTER_INFO("|\n    users: [{user: {exec: {args: [--token=abcd]}}}]\n"), GUESSED},
	    {CLUSTER_INFO("|\n    YXBpVmVyc2lvbjogdjEK\n"), GUESSED},
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		FIXTURE_AUTO f = fixture_new();
		struct fleet_filter *filter = fleet_filter_new(f.arena, f.out, f.ignore);
		struct fleet_blob blob = {.path = SV("a.yaml"),
		                          .text = sv_from_cstr(cases[i].text)};
		const struct source *source =
		    fleet_read_file(f.arena, f.secret_arena, filter, &blob)->source;
		int got = !source->confidential ? SHOWN : source->suspected ? GUESSED : KNOWN;

		if (got != cases[i].secrecy)
			fail_msg("%s: %d, want %d", cases[i].text, got, cases[i].secrecy);
	}
}

#define UNIT(name)                                                                                 \
	"apiVersion: cluster.k8s.io/v1alpha1\nkind: MachineDeployment\nmetadata: {name: " name "}" \
	"\n"

/* Values of units can be forgotten only if nothing else of their file refers to them. */
static void test_forgets_units(void **state)
{
	static const struct {
		const char *text;
		bool is_kept;
	} cases[] = {
	    {UNIT("a"), false},
	    {"---\n---\n" UNIT("a") "---\n" UNIT("b") "---\n# no more\n", false},
	    {UNIT("a") "---\napiVersion: external-secrets.io/v1\nkind: ExternalSecret\n"
	               "metadata: {name: x}\n",
	     true},
	    {"kind: Deployment\n---\n" UNIT("a"), true},
	    {"apiVersion: v1\nkind: List\nitems:\n- {apiVersion: cluster.k8s.io/v1alpha1, kind: "
	     "MachineDeployment, metadata: {name: a}}\n",
	     true},
	    {UNIT("a") "spec: {template: {spec: {providerSpec: {value: {cloudProvider: hetzner, "
	               "cloudProviderSpec: {token: s3cret-t0ken-of-a-cloud}}}}}}\n",
	     true},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		FIXTURE_AUTO f = fixture_new();
		struct arena *own = arena_new_within(f.secret_arena);
		struct fleet_filter *filter = fleet_filter_new(f.arena, f.out, f.ignore);
		struct fleet_blob blob = {
		    .path = SV("a.yaml"), .text = sv_from_cstr(cases[i].text), .unit_arena = own};
		struct fleet_file *file = fleet_read_file(f.arena, f.secret_arena, filter, &blob);

		assert_true(file->units.count > 0);
		VEC_EACH (unit, &file->units) {
			const struct position at = kube_object_position(&unit->object);

			if (!unit->object.memory != cases[i].is_kept)
				fail_msg("%s: is kept: %d", cases[i].text, !unit->object.memory);
			assert_true(arena_used(own) > 0);
			kube_object_forget(&unit->object);
			assert_true(kube_object_position(&unit->object).offset == at.offset);
			assert_sv(unit->object.id.kind, "MachineDeployment");
		}
		assert_int_equal(arena_used(own) > 0, cases[i].is_kept);
	}
}

/* Such values can be packed; whoever opens a unit sees what was read. */
static void test_packs_units(void **state)
{
	static const char text[] = UNIT("a") "spec: {replicas: 3}\n---\n" UNIT("b");

	(void)state;
	FIXTURE_AUTO f = fixture_new();
	struct arena *own = arena_new_within(f.secret_arena);
	struct fleet_filter *filter = fleet_filter_new(f.arena, f.out, f.ignore);
	struct fleet_blob blob = {.path = SV("a.yaml"),
	                          .text = SV(text),
	                          .unit_arena = own,
	                          .pack_arena = f.secret_arena};
	struct fleet_file *file = fleet_read_file(f.arena, f.secret_arena, filter, &blob);
	const struct kube_object *unit = &file->units.items[0].object;

	assert_int_equal(file->units.count, 2);
	assert_int_equal(arena_used(own), 0);
	assert_ptr_equal(unit->root, KUBE_CLOSED);
	assert_int_equal(kube_object_position(unit).offset, strstr(text, "a}") - text);
	assert_true(kube_object_open(own, unit));
	assert_false(kube_object_open(own, unit));
	assert_int_equal(kube_replicas(unit->root), 3);
	assert_int_equal(kube_object_position(unit).offset, strstr(text, "a}") - text);
	kube_object_close(unit);
	assert_ptr_equal(unit->root, KUBE_CLOSED);
	const struct kube_object *const both[] = {unit, &file->units.items[1].object};
	const struct kube_object_list list = {(const struct kube_object **)both, 2, 2};
	kube_object_list_open(own, &list);
	assert_int_equal(kube_replicas(unit->root), 3);
	assert_sv(value_text(value_path(both[1]->root, "metadata.name")), "b");
	kube_object_list_close(&list);
	assert_ptr_equal(both[1]->root, KUBE_CLOSED);
	kube_object_forget(&file->units.items[0].object);
	assert_null(unit->root);
	assert_false(kube_object_open(own, unit));
	assert_int_equal(kube_object_position(unit).offset, strstr(text, "a}") - text);
}

/* A ServiceAccount counts for the Secrets that it lists: others' mistakes are none of ours. */
static void test_accounts_without_secrets(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();

	fixture_add(&f, "binding.yaml",
	            "kind: RoleBinding\nsubjects: [{kind: ServiceAccount}]\na: 1\na: 1\n");
	fixture_add(&f, "template.yaml", "kind: ServiceAccount\nmetadata: {{ .metadata }}\n");
	fixture_add(&f, "account.json", "{\"kind\": \"ServiceAccount\", \"metadata\": }");
	fixture_must_load(&f);
}

UNIT_TESTS(fleet_files)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_accounts_without_secrets),
	    cmocka_unit_test(test_forgets_units),
	    cmocka_unit_test(test_packs_units),
	    cmocka_unit_test(test_filter),
	    cmocka_unit_test(test_names_that_are_nearly_manifests),
	    cmocka_unit_test(test_glimpses),
	    cmocka_unit_test(test_kustomizations_are_charged),
	    cmocka_unit_test(test_documents_and_lists),
	    cmocka_unit_test(test_broken_files_are_all_reported),
	    cmocka_unit_test(test_strangers_are_left_alone),
	    cmocka_unit_test(test_chart_templates_need_a_chart),
	    cmocka_unit_test(test_versions_and_kinds),
	    cmocka_unit_test(test_lists_within_limits),
	    cmocka_unit_test(test_secrets_make_sources_confidential),
	    cmocka_unit_test(test_guesses_are_called_guesses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
