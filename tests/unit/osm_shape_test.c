/*
 * The tables of profiles' and extensions' members: what editors show of each, and their JSON
 * Schemas, which tests/cli/profile_schemas.sh compares with the program.
 */
#include "osm/osm.h"
#include "shape/shape.h"
#include "json/json.h"

#include <stdlib.h>

#include "asserts.h"

static const struct {
	const struct shape *shape;
	unsigned options;
} documents[] = {{&osm_profile_shape, SHAPE_PRUNES_NULLS},
                 {&osm_extension_shape, SHAPE_REFUSES_NULLS}};

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

		check_shape(arena, &seen, documents[i].shape);
		assert_true(seen.count > 8);
	}
}

static void schemas_are_written(void **state UNUSED)
{
	const char *folder = getenv("OSM_GEN_SCHEMAS");

	for (size_t i = 0; i < COUNT_OF(documents); i++) {
		ARENA_AUTO arena = arena_new(ARENA_PLAIN);
		const struct shape *shape = documents[i].shape;
		struct value schema = shape_json_schema(
		    arena, shape,
		    &(struct shape_schema){.title = shape->name, .options = documents[i].options});
		struct buf text = buf_in(arena);

		json_emit(&text, &schema, 0);
		assert_non_null(value_path(&schema, "definitions.Spec.properties"));
		if (!folder)
			continue;
		const char *path =
		    arena_cstr(arena, arena_printf(arena, "%s/%s.json", folder, shape->name));
		FILE *file = fopen(path, "w");
		assert_non_null(file);
		assert_int_equal(fwrite(text.ptr, 1, text.len, file), text.len);
		assert_int_equal(fclose(file), 0);
	}
}

UNIT_TESTS(osm_shape)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(members_have_help),
	    cmocka_unit_test(schemas_are_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
