/*
 * Kubelet versions and kubelet annotations (docs/spec/controller.md 4.1, 4.2).
 */
#include "osm_fixture.h"

#include "golang/golang.h"
#include "osm/machine.h"
#include "osm/spelling.h"

#define KEY "v1.kubelet-config.machine-controller.kubermatic.io"

static void assert_version(const char *text, const char *want)
{
	FIXTURE_AUTO f = fixture_new();
	struct value v = value_string(sv_from_cstr(text));
	struct semver version;
	sv normalised = SV("error");
	enum status status = osm_kubelet_version(f.arena, &f.sink, &v, &version, &normalised);

	assert_sv(normalised, want);
	assert_int_equal(status == STATUS_FAILED, f.sink.error_count == 1);
}

static void versions_are_normalised(void **state)
{
	(void)state;
	assert_version("1.31", "v1.31.0");
	assert_version("1", "v1.0.0");
	assert_version("01.031.0", "v1.31.0");
	assert_version("v1.31.0-rc.1+k3s1", "v1.31.0-rc.1+k3s1");
	assert_version("V1.31.0", "error");
	assert_version(" 1.31.0", "error");
	assert_version("1.2.3.4", "error");
	assert_version("", "error");
	assert_version("latest", "error");
	assert_version("1.31.0-01", "error");
}

static enum status read_annotations(struct fixture *f, const char *yaml,
                                    struct osm_kubelet *kubelet)
{
	return osm_kubelet_read(f->arena, &f->sink, fixture_yaml(f, yaml), kubelet);
}

static void absent_annotations_are_nil(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	struct osm_kubelet kubelet;

	(void)state;
	assert_int_equal(read_annotations(&f, "other: x", &kubelet), STATUS_OK);
	assert_null(kubelet.kube_reserved);
	assert_null(kubelet.container_log_max_size);
	assert_null(kubelet.max_pods);
	assert_null(kubelet.image_maximum_gc_age);
}

static void maps_are_split_without_trimming(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	struct osm_kubelet kubelet;

	(void)state;
	assert_int_equal(
	    read_annotations(&f,
	                     KEY "/KubeReserved: 'cpu=200m, memory=1Gi,nothing,cpu=1=2'\n" KEY
	                         "/SystemReserved: ''\n" KEY
	                         "/EvictionHard: 'memory.available<30Mi'\n",
	                     &kubelet),
	    STATUS_OK);
	assert_int_equal(value_count(kubelet.kube_reserved), 2);
	assert_sv(value_text(value_map_get(kubelet.kube_reserved, SV("cpu"))), "1=2");
	assert_sv(value_text(value_map_get(kubelet.kube_reserved, SV(" memory"))), "1Gi");
	/* Present and empty: a section without entries, not the defaults. */
	assert_non_null(kubelet.system_reserved);
	assert_int_equal(value_count(kubelet.system_reserved), 0);
	assert_sv(value_text(value_map_get(kubelet.eviction_hard, SV("memory.available"))), "30Mi");
}

static void numbers_and_ages(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	struct osm_kubelet kubelet;

	(void)state;
	/* The prefix needs no slash behind it. */
	assert_int_equal(read_annotations(&f,
	                                  KEY "x/MaxPods: '+5'\n" KEY
	                                      "/ImageGCLowThresholdPercent: '-7'\n" KEY
	                                      "/ImageMinimumGCAge: '1.5h'\n" KEY
	                                      "/ContainerLogMaxSize: ''\n" KEY "/Unknown: x\n",
	                                  &kubelet),
	                 STATUS_OK);
	assert_int_equal(*kubelet.max_pods, 5);
	assert_int_equal(*kubelet.image_gc_low, -7);
	assert_int_equal(*kubelet.image_minimum_gc_age, 5400LL * 1000000000LL);
	assert_int_equal(value_text(kubelet.container_log_max_size).len, 0);
	assert_non_null(kubelet.container_log_max_size);
}

static void wrong_ones_are_all_reported(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	struct osm_kubelet kubelet;

	(void)state;
	assert_int_equal(read_annotations(&f,
	                                  KEY "/MaxPods: ' 5'\n" KEY
	                                      "/ImageGCHighThresholdPercent: '3000000000'\n" KEY
	                                      "/ImageMaximumGCAge: '1d'\n",
	                                  &kubelet),
	                 STATUS_FAILED);
	assert_int_equal(f.sink.error_count, 3);
	assert_sv(f.sink.diags.items[0]->text,
	          "parsing maxPods: strconv.ParseInt: parsing \" 5\": invalid syntax");
	assert_sv(f.sink.diags.items[1]->text, "parsing imageGCHighThresholdPercent: "
	                                       "strconv.ParseInt: parsing \"3000000000\": value "
	                                       "out of range");
	assert_int_equal(position_line_column(f.sink.diags.items[2]->at).line, 3);
}

static void two_of_one_suffix_are_refused(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	struct osm_kubelet kubelet;

	(void)state;
	assert_int_equal(
	    read_annotations(&f, KEY "/MaxPods: '1'\n" KEY "x/MaxPods: '2'\n", &kubelet),
	    STATUS_FAILED);
	assert_one_diag(&f.sink, DIAG_KUBELET_ANNOTATION, "2:1", "two annotations set MaxPods");
}

/* The kubelet's own reading, of resource.Quantity and of evictions' percentages. */
static void amounts_are_checked(void **state)
{
	static const char *const good[] = {"0",    "1",      "+1",  "-1",  "1.5",  "1.",    ".5",
	                                   "100m", "200Mi",  "1Gi", "1G",  "12k",  "3n",    "3u",
	                                   "1e3",  "1.5E-2", "2E",  "1Ei", "1E+6", "0.5Ti", "7Pi"};
	static const char *const bad[] = {"",     "Mi",  "100MB", "1 Gi", "1gi", "1K",
	                                  "five", "1e",  "1e+",   "--1",  "0x1", "1.2.3",
	                                  "10%",  "1Mb", "1KI",   "1mi",  ".",   "+"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(good) + COUNT_OF(bad); i++) {
		FIXTURE_AUTO f = fixture_new();
		bool is_good = i < COUNT_OF(good);
		sv yaml = arena_printf(f.arena, KEY "/KubeReserved: 'memory=%s'\n",
		                       is_good ? good[i] : bad[i - COUNT_OF(good)]);

		osm_check_quantities(&f.sink, fixture_yaml(&f, arena_cstr(f.arena, yaml)));
		if ((f.sink.diags.count == 0) != is_good)
			fail_msg("%.*s", SV_ARG(yaml));
	}
	FIXTURE_AUTO f = fixture_new();
	osm_check_quantities(&f.sink,
	                     fixture_yaml(&f, KEY "/EvictionHard: 'memory.available<10%,"
	                                          "nodefs.available<0.5%,pid.available<1k'\n" KEY
	                                          "/ContainerLogMaxSize: 10Mi\n" KEY
	                                          "/ContainerLogMaxFiles: '5'\n" KEY
	                                          "/KubeReserved: ''\n"));
	assert_int_equal(f.sink.diags.count, 0);
}

static void keys_are_guessed(void **state)
{
	static const struct {
		const char *key;
		const char *help; /* null: it is known, or nobody's of ours */
	} cases[] = {
	    {"k8c.io/operating-system-profile", NULL},
	    {KEY "x/MaxPods", NULL},
	    {KEY "/MaxPod", "did you mean " KEY "/MaxPods?"},
	    {KEY "/Nonsense", "remove it"},
	    {"k8c.io/operating-system-profil", "did you mean k8c.io/operating-system-profile?"},
	    {"k8s.io/operating-system-profile", "did you mean k8c.io/operating-system-profile?"},
	    {"machinedeployments.clusters.k8s.io/revision",
	     "did you mean machinedeployment.clusters.k8s.io/revision?"},
	    {"machinedeployment.clusters.k8s.io/desired-replicas", NULL},
	    {"cluster.k8s.io/cluster-api-autoscaler-node-group-min-size", NULL},
	    {"deployment.kubernetes.io/revision", NULL},
	    {"example.com/operating-system-profile", NULL},
	    {"operating-system-profile", NULL},
	    {"k8c.io/", NULL},
	    {"/", NULL},
	    {"", NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		FIXTURE_AUTO f = fixture_new();
		sv yaml = arena_printf(f.arena, "'%s': x\n", cases[i].key);

		osm_check_annotation_keys(f.arena, &f.sink,
		                          fixture_yaml(&f, arena_cstr(f.arena, yaml)));
		if (f.sink.diags.count != (cases[i].help != NULL))
			fail_msg("%s", cases[i].key);
		if (cases[i].help)
			assert_contains(f.sink.diags.items[0]->help, cases[i].help);
	}
}

UNIT_TESTS(osm_kubelet)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(versions_are_normalised),
	    cmocka_unit_test(absent_annotations_are_nil),
	    cmocka_unit_test(maps_are_split_without_trimming),
	    cmocka_unit_test(numbers_and_ages),
	    cmocka_unit_test(wrong_ones_are_all_reported),
	    cmocka_unit_test(two_of_one_suffix_are_refused),
	    cmocka_unit_test(amounts_are_checked),
	    cmocka_unit_test(keys_are_guessed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
