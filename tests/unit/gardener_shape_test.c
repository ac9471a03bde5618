/*
 * The shapes of Gardener's documents: each member has a help, each shape a name of its own.
 */
#include "gardener/gardener.h"

#include "asserts.h"

/* Visits each shape once, by its name. Recursion is as deep as the tables. */
static void check_shape(struct map *seen, const struct shape *shape)
{
	sv name = sv_from_cstr(shape->name);

	if (map_get(seen, name)) {
		assert_ptr_equal(map_get(seen, name), shape);
		return;
	}
	map_put(seen, name, (void *)shape);
	for (size_t i = 0; i < shape->count; i++) {
		const struct shape_member *member = &shape->members[i];
		bool names_itself = strcmp(shape->name, "Metadata") == 0 || member->choices;

		if (!member->help && !names_itself)
			fail_msg("%s.%s has no help", shape->name, member->name);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(member->name, shape->members[k].name);
		if (member->of)
			check_shape(seen, member->of);
	}
}

static void members_have_names_and_help(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct map osc = map_in(arena);
	struct map system = map_in(arena);

	check_shape(&osc, &gardener_osc_shape);
	check_shape(&system, &gardener_system_shape);
	assert_true(osc.count > 15);
	assert_true(system.count > 10);
}

UNIT_TESTS(gardener_shape)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(members_have_names_and_help),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
