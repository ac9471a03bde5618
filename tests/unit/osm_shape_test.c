/*
 * The tables of profiles' and extensions' members: what editors show of each.
 */
#include "osm/osm.h"
#include "shape/shape.h"

#include "asserts.h"

static const struct shape *const documents[] = {&osm_profile_shape, &osm_extension_shape};

static void check_shape(struct arena *arena, struct map *seen, const struct shape *shape)
{
	const struct shape *other = map_get(seen, sv_from_cstr(shape->name));

	assert_true(!other || other == shape);
	if (other)
		return;
	map_put(seen, sv_from_cstr(shape->name), (void *)shape);
	for (size_t i = 0; i < shape->count; i++) {
		const struct shape_member *member = &shape->members[i];

		if (!member->help || strlen(member->help) == 0)
			assert_true(strcmp(member->name, "apiVersion") == 0 ||
			            strcmp(member->name, "kind") == 0);
		if (member->of)
			check_shape(arena, seen, member->of);
	}
}

static void members_have_help(void **state UNUSED)
{
	for (size_t i = 0; i < COUNT_OF(documents); i++) {
		ARENA_AUTO arena = arena_new(ARENA_PLAIN);
		struct map seen = map_in(arena);

		check_shape(arena, &seen, documents[i]);
		assert_true(seen.count > 8);
	}
}

UNIT_TESTS(osm_shape)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(members_have_help),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
