/*
 * The shapes of Gardener's documents: each member has a help, each shape a name of its own. Writes
 * their JSON Schemas for tests/cli/gardener_schema.sh.
 */
#include <stdio.h>
#include <stdlib.h>

#include "gardener/gardener.h"
#include "json/json.h"

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

static void writes_schemas(void **state UNUSED)
{
	static const struct {
		const char *file;
		const struct shape *shape;
		unsigned absent;
	} schemas[] = {
	    {"osc-current", &gardener_osc_shape, GARDENER_ONLY_2021},
	    {"osc-2021", &gardener_osc_shape, GARDENER_ONLY_CURRENT},
	    {"system", &gardener_system_shape, GARDENER_MISPLACED},
	};
	const char *folder = getenv("OSM_GEN_SCHEMAS");

	for (size_t i = 0; folder && i < COUNT_OF(schemas); i++) {
		ARENA_AUTO arena = arena_new(ARENA_PLAIN);
		struct value schema = shape_json_schema(
		    arena, schemas[i].shape,
		    &(struct shape_schema){.title = schemas[i].file, .absent = schemas[i].absent});
		sv path = arena_printf(arena, "%s/%s.json", folder, schemas[i].file);
		FILE *file = fopen(arena_cstr(arena, path), "w");
		struct buf json = buf_in(arena);

		assert_non_null(file);
		json_emit(&json, &schema, 0);
		assert_int_equal(fwrite(buf_sv(&json).ptr, 1, buf_sv(&json).len, file),
		                 buf_sv(&json).len);
		assert_int_equal(fclose(file), 0);
	}
}

UNIT_TESTS(gardener_shape)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(members_have_names_and_help),
	    cmocka_unit_test(writes_schemas),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
