/*
 * The annotations' hash. Values are the controller's own (docs/spec/controller.md 3.3).
 */
#include "osm/machine.h"
#include "osm_fixture.h"

static void assert_hash(const char *yaml, const char *want)
{
	FIXTURE_AUTO f = fixture_new();

	assert_sv(osm_annotations_hash(f.arena, fixture_yaml(&f, yaml)), want);
}

static void profiles_give_the_controllers_hashes(void **state)
{
	(void)state;
	assert_hash("machinedeployment.clusters.k8s.io/revision: '1'\n"
	            "k8c.io/operating-system-profile: osp-ubuntu\n",
	            "240e92a138b73a540fc8f38a171c511995e6c10890b9af15f92f5a8b84136765");
	assert_hash("k8c.io/operating-system-profile: osp-flatcar\n"
	            "machinedeployment.clusters.k8s.io/revision: '1'\n",
	            "bf61b23ba898e84e3e68ad8c36694f70e7fd3e3f3b8e69ac1ffc129bd38a0046");
	assert_hash("k8c.io/operating-system-profile: osp-rhel\n"
	            "machinedeployment.clusters.k8s.io/revision: '1'\n",
	            "80765e800a0186ae20232d6afa4b9a64163e5adbbc2c66ec9fb134f64fc7ed79");
}

static void escapes_are_those_of_go(void **state)
{
	const char *prefix = "v1.kubelet-config.machine-controller.kubermatic.io/";
	char yaml[2048];

	(void)state;
	/* EvictionHard holds "<", which Go writes as \u003c. */
	snprintf(yaml, sizeof(yaml),
	         "machinedeployment.clusters.k8s.io/revision: '1'\n"
	         "k8c.io/operating-system-profile: osp-ubuntu\n"
	         "%sContainerLogMaxSize: 300Mi\n%sContainerLogMaxFiles: '30'\n%sMaxPods: '110'\n"
	         "%sSystemReserved: ephemeral-storage=30Gi,cpu=30m\n"
	         "%sKubeReserved: ephemeral-storage=30Gi,cpu=30m\n"
	         "%sEvictionHard: memory.available<30Mi\n",
	         prefix, prefix, prefix, prefix, prefix, prefix);
	assert_hash(yaml, "db7ff021c8a496bfbf5511482e26a4a4039c99d745d9360c3d518f26f3b6ee2c");
}

static void no_annotations_are_null(void **state)
{
	const char *null_hash = "74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b";

	(void)state;
	assert_hash("{}", null_hash);
	assert_hash("null", null_hash);
}

UNIT_TESTS(osm_annotations)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(profiles_give_the_controllers_hashes),
	    cmocka_unit_test(escapes_are_those_of_go),
	    cmocka_unit_test(no_annotations_are_null),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
