/*
 * Periods of derived tokens (docs/spec/sealing.md 3.4): tokenRotation daily, weekly or monthly. The
 * only clock is the source commit's date, so that the same commit always has the same tokens.
 */
#include "dialect/dialect.h"
#include "golang/golang.h"

#define SECONDS_A_DAY 86400
/* Times are limited to years with four digits. */
#define LAST_DAY (go_civil_day_number(9998, 12, 31))

enum cycle { CYCLE_NONE, CYCLE_DAILY, CYCLE_WEEKLY, CYCLE_MONTHLY };

static enum cycle cycle_of(sv rotation)
{
	if (sv_eq_cstr(rotation, "daily"))
		return CYCLE_DAILY;
	if (sv_eq_cstr(rotation, "weekly"))
		return CYCLE_WEEKLY;
	return sv_eq_cstr(rotation, "monthly") ? CYCLE_MONTHLY : CYCLE_NONE;
}

static struct civil civil_of_day(int64_t day)
{
	const struct go_time time = {.seconds = day * SECONDS_A_DAY};

	return go_civil_of(&time);
}

/* Returns the first day of the period with that day. */
static int64_t first_day(enum cycle cycle, int64_t day)
{
	struct civil civil = civil_of_day(day);

	switch (cycle) {
	case CYCLE_NONE:
	case CYCLE_DAILY:
		return day;
	case CYCLE_WEEKLY: /* ISO 8601: from Monday on */
		return day - (civil.weekday + 6) % 7;
	case CYCLE_MONTHLY:
		return go_civil_day_number(civil.year, civil.month, 1);
	}
	BUG("cycle");
}

/* Returns the first day of the next period after the one that begins on `first`. */
static int64_t next_first_day(enum cycle cycle, int64_t first)
{
	enum { LONGEST = 31 };

	switch (cycle) {
	case CYCLE_NONE:
	case CYCLE_DAILY:
		return first + 1;
	case CYCLE_WEEKLY:
		return first + 7;
	case CYCLE_MONTHLY:
		return first_day(cycle, first + LONGEST);
	}
	BUG("cycle");
}

static sv format_day(struct arena *arena, int64_t day, const char *layout)
{
	const struct go_time time = {.seconds = day * SECONDS_A_DAY};

	return go_time_format(arena, &time, sv_from_cstr(layout));
}

/* Returns a period with a rotation like "weekly 2026-11-16", which differs from every setting. */
static struct dialect_period period_from(struct arena *arena, sv rotation, int64_t first)
{
	enum cycle cycle = cycle_of(rotation);
	int64_t end = next_first_day(cycle, first);

	return (struct dialect_period){
	    .rotation =
	        ARENA_CONCAT(arena, rotation, SV(" "), format_day(arena, first, "2006-01-02")),
	    /* One more period, for machines that were created in this one and still boot. */
	    .expiration = format_day(arena, next_first_day(cycle, end), "2006-01-02T15:04:05Z"),
	};
}

struct dialect_periods dialect_periods_of(struct arena *arena, sv rotation, int64_t now)
{
	enum cycle cycle = cycle_of(rotation);
	struct dialect_periods periods = {.now = {.rotation = rotation}};
	int64_t day = now / SECONDS_A_DAY - (now % SECONDS_A_DAY < 0);

	if (cycle == CYCLE_NONE)
		return periods;
	day = day < 0 ? 0 : day > LAST_DAY ? LAST_DAY : day;
	int64_t first = first_day(cycle, day);
	periods.now = period_from(arena, rotation, first);
	periods.before = period_from(arena, rotation, first_day(cycle, first - 1));
	return periods;
}
