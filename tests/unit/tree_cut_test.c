/*
 * Sides that are cut: how finely, what keeps it, which part a unit stands in.
 */
#include "tree/tree.h"

#include "asserts.h"

static void digits(void **state UNUSED)
{
	assert_int_equal(tree_cut_of(199, 200), 0);
	assert_int_equal(tree_cut_of(200, 200), 1);
	assert_int_equal(tree_cut_of(3199, 200), 1);
	assert_int_equal(tree_cut_of(3200, 200), 2);
	assert_int_equal(tree_cut_of(51200, 200), 3);
	assert_int_equal(tree_cut_of(SIZE_MAX, 1), TREE_CUT_MAX);
	assert_int_equal(tree_cut_of(SIZE_MAX, SIZE_MAX), 1);
	assert_int_equal(tree_cut_of(SIZE_MAX, 0), 0);
}

/* A unit more or less at a bound changes nothing. */
static void kept(void **state UNUSED)
{
	assert_int_equal(tree_cut_after(199, 200, 0), 0);
	assert_int_equal(tree_cut_after(199, 200, 1), 1);
	assert_int_equal(tree_cut_after(100, 200, 1), 1);
	assert_int_equal(tree_cut_after(99, 200, 1), 0);
	assert_int_equal(tree_cut_after(3199, 200, 2), 2);
	assert_int_equal(tree_cut_after(1599, 200, 2), 1);
	assert_int_equal(tree_cut_after(50, 200, 2), 0);
	assert_int_equal(tree_cut_after(3200, 200, 1), 2);
	assert_int_equal(tree_cut_after(3200, 0, 2), 0);
	/* Half of an odd bound is rounded up. */
	assert_int_equal(tree_cut_after(2, 5, 1), 0);
	assert_int_equal(tree_cut_after(3, 5, 1), 1);
	assert_int_equal(tree_cut_after(1, 1, 1), 1);
}

/* Of more digits the beginning is the same: a part is divided, and nothing else moves. */
static void parts(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	const struct tree_unit unit = {
	    .kind = SV("MachineDeployment"), .namespace = SV("kube-system"), .name = SV("workers")};
	sv fine = tree_part(arena, 2, ARTIFACT_WORKER, &unit);
	sv coarse = tree_part(arena, 1, ARTIFACT_WORKER, &unit);

	assert_int_equal(fine.len, 2);
	assert_true(sv_starts_with(fine, coarse));
	assert_true(sv_eq(fine, tree_part(arena, 2, ARTIFACT_MANAGEMENT, &unit)));
	assert_true(sv_empty(tree_part(arena, 2, ARTIFACT_STATUS, &unit)));
	assert_true(sv_empty(tree_part(arena, 0, ARTIFACT_WORKER, &unit)));
	assert_string_equal(arena_cstr(arena, tree_part(arena, 1, ARTIFACT_WORKER, NULL)),
	                    "shared");
	assert_string_equal(
	    arena_cstr(arena, tree_part_path(arena, SV("c"), ARTIFACT_WORKER, SV("3f"))),
	    "c/worker/3f");
	assert_string_equal(
	    arena_cstr(arena, tree_part_path(arena, SV("c"), ARTIFACT_WORKER, SV(""))), "c/worker");
}

/* More than half of the clusters decide; files beside the indexes do not count. */
static void buckets(void **state UNUSED)
{
	static const struct {
		const char *path;
		bool in_buckets; /* with all paths before it */
	} cases[] = {
	    {"west/worker/x.yaml", false}, {"ab/east-194/index.json", true},
	    {"west/index.json", false},    {"index.json", false},
	    {"fb/ab/index.json", true},
	};
	struct tree_layout layout = {0};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		tree_layout_add(&layout, sv_from_cstr(cases[i].path));
		assert_int_equal(tree_layout_in_buckets(&layout), cases[i].in_buckets);
	}
	assert_int_equal(layout.count, 3);
}

/* Names that Kubernetes takes, and paths that an index may list. */
static void delivery(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	sv prod = SV("prod");
	sv a = tree_delivery_name(
	    arena, SV("a.very.long.name.of.a.cluster.that.goes.on.and.on.and"), SV("management"));
	sv b = tree_delivery_name(
	    arena, SV("a.very.long.name.of.a.cluster.that.goes.on.and.on.and"), SV("management-3"));

	assert_int_equal(a.len <= 63 && b.len <= 63, 1);
	assert_false(sv_eq(a, b));
	assert_true(sv_starts_with(a, SV("a.very.long.name.of.a.cluster.that.goes.on.and.on")));
	assert_true(tree_is_delivery_path(SV("flux/hub/prod/worker.yaml"), prod));
	assert_true(tree_is_delivery_path(SV("argocd/hub/kustomization.yaml"), prod));
	assert_false(tree_is_delivery_path(SV("flux/hub/west/worker.yaml"), prod));
	assert_false(tree_is_delivery_path(SV("flux/hub/prod/a/worker.yaml"), prod));
	assert_false(tree_is_delivery_path(SV("flux/../prod/worker.yaml"), prod));
	assert_false(tree_is_delivery_path(SV("west/hub/prod/worker.yaml"), prod));
	assert_false(tree_is_delivery_path(SV(""), prod));
	assert_false(tree_is_delivery_list(SV("flux/hub/prod/kustomization.yaml")));
}

static void sides(void **state UNUSED)
{
	static const struct {
		sv path;
		int side; /* -1: of no side */
	} cases[] = {
	    {SV_INIT("prod/management/a.yaml"), ARTIFACT_MANAGEMENT},
	    {SV_INIT("prod/worker/a.yaml"), ARTIFACT_WORKER},
	    {SV_INIT("prod/status/a/b.yaml"), ARTIFACT_STATUS},
	    {SV_INIT("prod/worker/status/a.yaml"), ARTIFACT_WORKER},
	    {SV_INIT("prod/worker"), -1},
	    {SV_INIT("prod/workers/a.yaml"), -1},
	    {SV_INIT("prod/work/a.yaml"), -1},
	    {SV_INIT("prod/index.json"), -1},
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		enum artifact_side side = ARTIFACT_MANAGEMENT;
		bool found = tree_side_of(SV("prod"), cases[i].path, &side);

		assert_int_equal(found ? (int)side : -1, cases[i].side);
	}
}

UNIT_TESTS(tree_cut)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(digits),  cmocka_unit_test(kept),     cmocka_unit_test(parts),
	    cmocka_unit_test(buckets), cmocka_unit_test(delivery), cmocka_unit_test(sides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
