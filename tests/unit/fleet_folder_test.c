/*
 * The folders of clusters: from how many on they stand in buckets, what keeps them there, and whose
 * a path of the output is.
 */
#include "fleet/fleet.h"
#include "tree/tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "asserts.h"

static void bound(void **state UNUSED)
{
	assert_false(fleet_takes_buckets(1000, 1000, false));
	assert_true(fleet_takes_buckets(1001, 1000, false));
	assert_true(fleet_takes_buckets(1000, 1000, true));
	assert_true(fleet_takes_buckets(500, 1000, true));
	assert_false(fleet_takes_buckets(499, 1000, true));
	assert_true(fleet_takes_buckets(2, 3, true));
	assert_false(fleet_takes_buckets(1, 3, true));
	assert_true(fleet_takes_buckets(2, 1, false));
	assert_false(fleet_takes_buckets(0, 1, true));
	assert_false(fleet_takes_buckets(SIZE_MAX, 0, true));
	assert_true(fleet_takes_buckets(SIZE_MAX, SIZE_MAX, true));
	assert_false(fleet_takes_buckets(SIZE_MAX, SIZE_MAX, false));
}

static void folders(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);

	assert_sv(fleet_folder(arena, SV("prod"), false), "prod");
	/* As `printf ab | sha256sum` says. */
	assert_sv(fleet_folder(arena, SV("ab"), true), "fb/ab");
	assert_sv(fleet_folder(arena, SV("east-194"), true), "ab/east-194");
	assert_sv(fleet_folder_cluster(SV("ab/east-194")), "east-194");
	assert_sv(fleet_folder_cluster(SV("ab")), "ab");
	assert_true(fleet_folder_is_in_bucket(SV("fb/ab")));
	assert_false(fleet_folder_is_in_bucket(SV("ab")));
}

/* A cluster may be called as a bucket is; nobody stands in the bucket of another name. */
static void whose(void **state UNUSED)
{
	assert_sv(fleet_folder_of(SV("ab/east-194/worker/n/x.yaml")), "ab/east-194");
	assert_sv(fleet_folder_of(SV("ac/east-194/worker/n/x.yaml")), "ac");
	assert_sv(fleet_folder_of(SV("ab/worker/n/x.yaml")), "ab");
	assert_sv(fleet_folder_of(SV("AB/east-194/index.json")), "AB");
	assert_sv(fleet_folder_of(SV("prod/index.json")), "prod");
	assert_sv(fleet_folder_of(SV("ab/east-194")), "ab");
	assert_sv(fleet_folder_of(SV("README")), "");
}

static void indexes(void **state UNUSED)
{
	static const struct {
		const char *path;
		const char *folder; /* null: it is no index */
	} cases[] = {
	    {"prod/index.json", "prod"},
	    {"ab/index.json", "ab"},
	    {"ab/east-194/index.json", "ab/east-194"},
	    {"fb/ab/index.json", "fb/ab"},
	    {"ac/east-194/index.json", NULL},
	    {"prod/east-194/index.json", NULL},
	    {"ab/ab/east-194/index.json", NULL},
	    {"ab/east-194/worker/index.json", NULL},
	    {"ab/east-194/index.jsonx", NULL},
	    {"index.json", NULL},
	};
	struct tree_layout layout = {0};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		sv folder = SV("");
		bool is_index = tree_is_index_path(sv_from_cstr(cases[i].path), &folder);

		assert_int_equal(is_index, cases[i].folder != NULL);
		assert_sv(folder, cases[i].folder ? cases[i].folder : "");
		tree_layout_add(&layout, sv_from_cstr(cases[i].path));
	}
	assert_int_equal(layout.count, 4);
	assert_int_equal(layout.in_buckets, 2);
	assert_false(tree_layout_in_buckets(&layout));
	tree_layout_add(&layout, SV("54/edge-eu-1/index.json"));
	assert_true(tree_layout_in_buckets(&layout));
}

/* What is told to appliers stands below its management cluster as its folder does in the output. */
static void delivery(void **state UNUSED)
{
	sv folder = SV("ab/east-194");

	assert_true(tree_is_delivery_path(SV("flux/hub/ab/east-194/worker.yaml"), folder));
	assert_true(tree_is_delivery_path(SV("flux/hub/kustomization.yaml"), folder));
	assert_false(tree_is_delivery_path(SV("flux/hub/east-194/worker.yaml"), folder));
	assert_false(tree_is_delivery_path(SV("flux/hub/ab/east-194/a/worker.yaml"), folder));
	assert_false(tree_is_delivery_path(SV("flux/hub/ab/east-194.yaml"), folder));
	assert_false(tree_is_delivery_path(SV("flux/hub/ab/east-194/worker.yaml"), SV("ab")));
	assert_sv(tree_delivery_root(SV("flux/hub/ab/east-194"), folder), "flux/hub");
}

UNIT_TESTS(fleet_folder)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(bound),   cmocka_unit_test(folders),  cmocka_unit_test(whose),
	    cmocka_unit_test(indexes), cmocka_unit_test(delivery),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
