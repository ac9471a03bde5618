/* The objects that have Flux and Argo CD deploy the output, and Argo CD's annotations. */
#include "fleet/fleet.h"
#include "tree/tree.h"
#include "yaml/yaml.h"
#include "json/json.h"

#include "texts.h"

/* Compares what a reader of both would see, with the order of keys. */
static void assert_object(struct arena *arena, const struct value *got, const char *yaml)
{
	struct value want = yaml_value_of(arena, sv_from_cstr(yaml));
	struct buf left = buf_in(arena);
	struct buf right = buf_in(arena);

	json_emit(&left, got, JSON_GO);
	json_emit(&right, &want, JSON_GO);
	assert_string_equal(arena_cstr(arena, buf_sv(&left)), arena_cstr(arena, buf_sv(&right)));
}

static const struct fleet_delivery delivery = {
    .namespace = SV_INIT("flux-system"),
    .source_kind = SV_INIT("GitRepository"),
    .source_name = SV_INIT("fleet"),
    .source_namespace = SV_INIT("flux-system"),
    .source_url = SV_INIT("https://example.com/fleet.git"),
    .source_revision = SV_INIT("main"),
    .interval = SV_INIT("10m"),
    .decryption_secret = SV_INIT("age"),
    .kubeconfig_secret = SV_INIT("prod-kubeconfig"),
    .project = SV_INIT("machines"),
    .destination = SV_INIT("prod"),
};

static void flux_of_its_own_cluster(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	const struct tree_flux flux = {
	    .delivery = &delivery, .name = SV("prod-profiles"), .path = SV("./out/prod/profiles")};
	struct value object = tree_flux_object(arena, &flux);

	assert_object(arena, &object,
	              "apiVersion: kustomize.toolkit.fluxcd.io/v1\n"
	              "kind: Kustomization\n"
	              "metadata: {name: prod-profiles, namespace: flux-system}\n"
	              "spec:\n"
	              "  interval: 10m\n"
	              "  retryInterval: 1m\n"
	              "  timeout: 5m\n"
	              "  sourceRef: {kind: GitRepository, name: fleet}\n"
	              "  path: ./out/prod/profiles\n"
	              "  prune: true\n"
	              "  deletionPolicy: Orphan\n"
	              "  wait: false\n");
}

/* All that a Kustomization may have, with a source of another namespace. */
static void flux_of_another_cluster(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	const sv before[] = {SV_INIT("prod-management"), SV_INIT("prod-profiles")};
	struct fleet_delivery own = delivery;
	struct tree_flux flux = {
	    .delivery = &own,
	    .name = SV("prod-worker-3"),
	    .path = SV("./out/prod/worker/3"),
	    .is_decrypted = true,
	    .is_waited_for = true,
	    .is_remote = true,
	    .is_part = true,
	    .depends_on = before,
	    .depends_on_count = COUNT_OF(before),
	};
	const struct value no = value_bool(false);

	own.source_namespace = SV("sources");
	own.kubeconfig_key = SV("value.yaml");
	struct value object = tree_flux_object(arena, &flux);

	assert_object(arena, value_map_get(&object, SV("spec")),
	              "interval: 10m\n"
	              "retryInterval: 1m\n"
	              "timeout: 5m\n"
	              "sourceRef: {kind: GitRepository, name: fleet, namespace: sources}\n"
	              "path: ./out/prod/worker/3\n"
	              "prune: true\n"
	              "deletionPolicy: MirrorPrune\n"
	              "wait: true\n"
	              "dependsOn: [{name: prod-management}, {name: prod-profiles}]\n"
	              "decryption: {secretRef: {name: age}, provider: sops}\n"
	              "kubeConfig: {secretRef: {name: prod-kubeconfig, key: value.yaml}}\n");
	own.wait = &no;
	flux.depends_on_count = 1;
	object = tree_flux_object(arena, &flux);
	assert_false(value_path(&object, "spec.wait")->boolean);
	assert_object(arena, value_path(&object, "spec.dependsOn"), "[{name: prod-management}]");
}

static void argocd(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct tree_argocd_folder folders[] = {
	    {.name = SV("prod-management"), .path = SV("out/prod/management")},
	    {.name = SV("prod-worker"),
	     .path = SV("out/prod/worker"),
	     .wave = 4,
	     .is_remote = true},
	};
	const struct tree_argocd set = {.delivery = &delivery,
	                                .name = SV("prod"),
	                                .folders = folders,
	                                .folder_count = COUNT_OF(folders)};
	struct value object = tree_argocd_object(arena, &set);

	assert_object(
	    arena, &object,
	    "apiVersion: argoproj.io/v1alpha1\n"
	    "kind: ApplicationSet\n"
	    "metadata: {name: prod, namespace: flux-system}\n"
	    "spec:\n"
	    "  goTemplate: true\n"
	    "  goTemplateOptions: [missingkey=error]\n"
	    "  generators:\n"
	    "  - list:\n"
	    "      elements:\n"
	    "      - {name: prod-management, path: out/prod/management, wave: '0',\n"
	    "         server: 'https://kubernetes.default.svc', cluster: ''}\n"
	    "      - {name: prod-worker, path: out/prod/worker, wave: '4', server: '',\n"
	    "         cluster: prod}\n"
	    "  strategy:\n"
	    "    type: RollingSync\n"
	    "    rollingSync:\n"
	    "      steps:\n"
	    "      - matchExpressions: [{key: osm-gen.dev/wave, operator: In, values: ['0']}]\n"
	    "      - matchExpressions: [{key: osm-gen.dev/wave, operator: In, values: ['4']}]\n"
	    "  syncPolicy: {preserveResourcesOnDeletion: true}\n"
	    "  template:\n"
	    "    metadata: {name: '{{.name}}', labels: {osm-gen.dev/wave: '{{.wave}}'}}\n"
	    "    spec:\n"
	    "      project: machines\n"
	    "      source: {repoURL: 'https://example.com/fleet.git', targetRevision: main,\n"
	    "               path: '{{.path}}'}\n"
	    "      destination: {server: '{{.server}}', name: '{{.cluster}}'}\n"
	    "      syncPolicy:\n"
	    "        automated: {prune: true, selfHeal: true}\n"
	    "        syncOptions: [ApplyOutOfSyncOnly=true]\n");
	/* A part's Application takes its objects with it. */
	folders[1].is_part = true;
	object = tree_argocd_object(arena, &set);
	assert_object(arena, value_path(&object, "spec.templatePatch"),
	              "|\n"
	              "  {{- if .isPart }}\n"
	              "  metadata:\n"
	              "    finalizers:\n"
	              "    - resources-finalizer.argocd.argoproj.io\n"
	              "  {{- end }}\n");
	const struct value *elements = value_map_get(
	    value_map_get(value_item(value_path(&object, "spec.generators"), 0), SV("list")),
	    SV("elements"));

	for (size_t i = 0; i < COUNT_OF(folders); i++)
		assert_int_equal(value_map_get(value_item(elements, i), SV("isPart"))->boolean,
		                 i == 1);
}

#define FORCE "kustomize.toolkit.fluxcd.io/force: enabled"
#define PRUNE "kustomize.toolkit.fluxcd.io/prune: disabled"

static void annotations_of_argocd(void **state UNUSED)
{
	static const struct {
		const char *given;
		bool comes_first;
		const char *want;
	} cases[] = {
	    {"{}", false, "{}"},
	    {"{annotations: {a: b}}", false, "{annotations: {a: b}}"},
	    {"{annotations: {" FORCE "}}", false,
	     "{annotations: {" FORCE
	     ", argocd.argoproj.io/sync-options: 'Replace=true,Force=true'}}"},
	    {"{annotations: {" PRUNE "}}", false,
	     "{annotations: {" PRUNE
	     ", argocd.argoproj.io/sync-options: 'Prune=false,Delete=false'}}"},
	    {"{annotations: {" PRUNE "}}", true,
	     "{annotations: {" PRUNE
	     ", argocd.argoproj.io/sync-options: 'Prune=false,Delete=false',"
	     " argocd.argoproj.io/sync-wave: '-1'}}"},
	    {"{annotations: {" FORCE ", argocd.argoproj.io/sync-options: Prune=false}}", true,
	     "{annotations: {" FORCE ", argocd.argoproj.io/sync-options: Prune=false}}"},
	};
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct value object = value_map_new(arena);

		value_map_set(arena, &object, SV("metadata"),
		              yaml_value_of(arena, sv_from_cstr(cases[i].given)));
		tree_annotate_for_argocd(arena, cases[i].comes_first, &object);
		assert_object(arena, value_map_get(&object, SV("metadata")), cases[i].want);
	}
}

UNIT_TESTS(tree_delivery)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(flux_of_its_own_cluster),
	    cmocka_unit_test(flux_of_another_cluster),
	    cmocka_unit_test(argocd),
	    cmocka_unit_test(annotations_of_argocd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
