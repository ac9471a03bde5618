/* Versions of other programs: each setting that names one knows the range that was compared. */
#include "osm_fixture.h"

/* Sets a version, and returns the number of warnings that name the newest or oldest one. */
static size_t warnings(const struct setting_table *table, const struct setting *row, unsigned minor,
                       const char *end)
{
	FIXTURE_AUTO f = fixture_new();
	void *settings = settings_new(f.arena, table, NULL);
	sv named = arena_printf(f.arena, "the %s version that it knows is v1.%u", end,
	                        end[0] == 'n' ? row->known->newest : row->known->oldest);
	const struct value version = value_string(arena_printf(f.arena, "v1.%u.3", minor));
	size_t count = 0;

	assert_int_equal(setting_set(f.arena, &f.sink, settings, row, &version), STATUS_OK);
	VEC_EACH (diag, &f.sink.diags)
		if ((*diag)->code == DIAG_VERSION_UNKNOWN) {
			assert_contains((*diag)->text, named.ptr);
			count++;
		}
	return count;
}

static void each_version_has_a_range(void **state)
{
	size_t dialect_count;
	const struct dialect *const *all = dialects(&dialect_count);
	size_t found = 0;

	(void)state;
	for (size_t i = 0; i < dialect_count; i++) {
		const struct setting_table *table = all[i]->settings;

		for (size_t j = 0; table && j < table->count; j++) {
			const struct setting *row = &table->rows[j];

			/* A setting of this name that takes any string would escape the check. */
			assert_true(!sv_ends_with(row->name, SV("Version")) ||
			            row->kind == SETTING_VERSION);
			if (row->kind != SETTING_VERSION)
				continue;
			found++;
			assert_non_null(row->known);
			assert_true(row->known->oldest < row->known->newest);
			assert_true(row->known->source && row->known->program && row->known->help);
			assert_int_equal(warnings(table, row, row->known->newest, "newest"), 0);
			assert_int_equal(warnings(table, row, row->known->oldest, "oldest"), 0);
			assert_int_equal(warnings(table, row, row->known->newest + 1, "newest"), 1);
			assert_int_equal(warnings(table, row, row->known->oldest - 1, "oldest"), 1);
		}
	}
	assert_true(found >= 3);
}

UNIT_TESTS(dialect_known)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_version_has_a_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
