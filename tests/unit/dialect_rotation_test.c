/* Periods of derived tokens. Dates and weekdays are those of cal(1) and of Python's datetime. */
#include "dialect/dialect.h"

#include "asserts.h"

static struct arena *arena;

static int set_up(void **state)
{
	(void)state;
	arena = arena_new(ARENA_PLAIN);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(arena);
	return 0;
}

struct moment {
	const char *rotation;
	int64_t now;
	const char *current;
	const char *expiration;
	const char *before;
	const char *before_expiration;
};

static void periods(void **state)
{
	static const struct moment moments[] = {
	    /* 2026-11-22, a Sunday: its first and its last second, and the Monday after. */
	    {"weekly", 1795305600, "weekly 2026-11-16", "2026-11-30T00:00:00Z", "weekly 2026-11-09",
	     "2026-11-23T00:00:00Z"},
	    {"weekly", 1795391999, "weekly 2026-11-16", "2026-11-30T00:00:00Z", "weekly 2026-11-09",
	     "2026-11-23T00:00:00Z"},
	    {"weekly", 1795392000, "weekly 2026-11-23", "2026-12-07T00:00:00Z", "weekly 2026-11-16",
	     "2026-11-30T00:00:00Z"},
	    {"daily", 1795391999, "daily 2026-11-22", "2026-11-24T00:00:00Z", "daily 2026-11-21",
	     "2026-11-23T00:00:00Z"},
	    {"monthly", 1795391999, "monthly 2026-11-01", "2027-01-01T00:00:00Z",
	     "monthly 2026-10-01", "2026-12-01T00:00:00Z"},
	    /* 2027-01-01, a Friday of the year before's last week. */
	    {"weekly", 1798761600, "weekly 2026-12-28", "2027-01-11T00:00:00Z", "weekly 2026-12-21",
	     "2027-01-04T00:00:00Z"},
	    {"monthly", 1798761600, "monthly 2027-01-01", "2027-03-01T00:00:00Z",
	     "monthly 2026-12-01", "2027-02-01T00:00:00Z"},
	    /* 2028-02-29 */
	    {"daily", 1835395200, "daily 2028-02-29", "2028-03-02T00:00:00Z", "daily 2028-02-28",
	     "2028-03-01T00:00:00Z"},
	    {"monthly", 1835395200, "monthly 2028-02-01", "2028-04-01T00:00:00Z",
	     "monthly 2028-01-01", "2028-03-01T00:00:00Z"},
	    /* Before 1970, and further than years have four digits: commits may say so. */
	    {"daily", -1, "daily 1970-01-01", "1970-01-03T00:00:00Z", "daily 1969-12-31",
	     "1970-01-02T00:00:00Z"},
	    {"daily", INT64_MIN, "daily 1970-01-01", "1970-01-03T00:00:00Z", "daily 1969-12-31",
	     "1970-01-02T00:00:00Z"},
	    {"monthly", INT64_MAX, "monthly 9998-12-01", "9999-02-01T00:00:00Z",
	     "monthly 9998-11-01", "9999-01-01T00:00:00Z"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(moments); i++) {
		const struct moment *want = &moments[i];
		struct dialect_periods got =
		    dialect_periods_of(arena, sv_from_cstr(want->rotation), want->now);

		assert_sv(got.now.rotation, want->current);
		assert_sv(got.now.expiration, want->expiration);
		assert_sv(got.before.rotation, want->before);
		assert_sv(got.before.expiration, want->before_expiration);
	}
}

/* What is before was now once, and is the same then: its Secret does not change. */
static void what_is_before_was_now(void **state)
{
	static const char *const rotations[] = {"daily", "weekly", "monthly"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rotations); i++) {
		sv rotation = sv_from_cstr(rotations[i]);
		struct dialect_periods last = dialect_periods_of(arena, rotation, 1700000000);
		size_t changes = 0;

		for (int64_t day = 1; day < 1500; day++) {
			struct dialect_periods now =
			    dialect_periods_of(arena, rotation, 1700000000 + day * 86400);

			if (!sv_eq(now.now.rotation, last.now.rotation)) {
				changes++;
				assert_true(sv_eq(now.before.rotation, last.now.rotation));
				assert_true(sv_eq(now.before.expiration, last.now.expiration));
			}
			last = now;
		}
		assert_true(changes >= 49);
	}
}

/* As ever: a text that people change, whose tokens do not end. */
static void other_texts_have_no_periods(void **state)
{
	static const char *const texts[] = {"", "2026-11", "Weekly", "weekly ", "yearly"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		struct dialect_periods got =
		    dialect_periods_of(arena, sv_from_cstr(texts[i]), 1795392000);

		assert_sv(got.now.rotation, texts[i]);
		assert_true(sv_empty(got.now.expiration));
		assert_true(sv_empty(got.before.rotation));
		assert_true(sv_empty(got.before.expiration));
	}
}

UNIT_TESTS(dialect_rotation)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(periods, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(what_is_before_was_now, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(other_texts_have_no_periods, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
