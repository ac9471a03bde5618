/*
 * Periods of derived tokens (docs/spec/sealing.md 3.4): tokenRotation daily, weekly or monthly. The
 * only clock is the source commit's date, so that the same commit always has the same tokens.
 */
#include "base/ascii.h"
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

/* ---- the setting ------------------------------------------------------------------------- */

static const sv cycle_words[] = {SV_INIT("daily"), SV_INIT("weekly"), SV_INIT("monthly")};
/* Units of time, and words made of them, without a plural's s. */
static const sv time_words[] = {
    SV_INIT("daily"),    SV_INIT("weekly"),   SV_INIT("monthly"),     SV_INIT("hour"),
    SV_INIT("hourly"),   SV_INIT("day"),      SV_INIT("week"),        SV_INIT("month"),
    SV_INIT("quarter"),  SV_INIT("year"),     SV_INIT("yearly"),      SV_INIT("quarterly"),
    SV_INIT("annually"), SV_INIT("biweekly"), SV_INIT("fortnightly"), SV_INIT("bimonthly"),
    SV_INIT("nightly"),  SV_INIT("minute"),   SV_INIT("minutely"),    SV_INIT("annual"),
};
/* Units of durations, such as 24h and P7D. */
static const sv short_units[] = {
    SV_INIT("s"), SV_INIT("m"),  SV_INIT("h"), SV_INIT("d"),
    SV_INIT("w"), SV_INIT("mo"), SV_INIT("y"), SV_INIT("min"),
};

static bool is_time_word(sv word)
{
	if (word.len > 1 && sv_ends_with(word, SV("s")))
		word = sv_slice(word, 0, word.len - 1);
	return sv_is_among(word, time_words, COUNT_OF(time_words));
}

/* Returns the length of the letters, or of the digits, that the text begins with. */
static size_t span_of(sv text, bool of_letters)
{
	size_t length = 0;

	while (length < text.len &&
	       (of_letters ? ascii_is_letter : ascii_is_digit)((unsigned char)text.ptr[length]))
		length++;
	return length;
}

/* Recognizes 24h, "7 days" and P7D. */
static bool is_duration(sv text)
{
	size_t digits;

	if (sv_starts_with(text, SV("pt")) || sv_starts_with(text, SV("p")))
		text = sv_from_offset(text, text.len > 1 && text.ptr[1] == 't' ? 2 : 1);
	digits = span_of(text, false);
	sv unit = sv_trim(sv_from_offset(text, digits), " -_");
	return digits > 0 &&
	       (is_time_word(unit) || sv_is_among(unit, short_units, COUNT_OF(short_units)));
}

/* Recognizes "every week", @daily and misspelt words. Digits name a time, as in week-47. */
static bool has_time_word(sv text)
{
	enum { SHORTEST = 4, MISTAKES = 2 };

	for (size_t i = 0; i < text.len; i++)
		if (ascii_is_digit((unsigned char)text.ptr[i]))
			return false;
	for (size_t i = 0; i < COUNT_OF(cycle_words) && text.len >= SHORTEST; i++)
		if (text.ptr[0] == cycle_words[i].ptr[0] &&
		    sv_distance(text, cycle_words[i], MISTAKES) <= MISTAKES)
			return true;
	while (!sv_empty(text)) {
		size_t letters = span_of(text, true);

		if (is_time_word(sv_slice(text, 0, letters)))
			return true;
		text = sv_from_offset(text, letters > 0 ? letters : 1);
	}
	return false;
}

/* Returns true for a string that people write for a period, and that is not one of the three. */
static bool looks_like_period(struct arena *arena, sv rotation)
{
	struct buf lower = buf_in(arena);
	sv text;

	for (size_t i = 0; i < rotation.len; i++)
		buf_add_char(&lower, ascii_lower(rotation.ptr[i]));
	text = sv_trim_space(buf_sv(&lower));
	/* "0 0 * * *" is cron's. */
	return cycle_of(rotation) == CYCLE_NONE &&
	       (sv_find_char(text, '*') != SV_NPOS || is_duration(text) || has_time_word(text));
}

enum status setter_check_rotation(const struct setter *s, const struct value *text,
                                  struct position at)
{
	const char *help = "write daily, weekly or monthly for tokens that expire and are renewed, "
	                   "or a string that is not a period, such as 2026-11, and change it to "
	                   "derive new tokens";

	if (!looks_like_period(s->arena, text->string))
		return STATUS_OK;
	sv meant = diag_nearest(text->string, cycle_words, COUNT_OF(cycle_words));
	if (!sv_empty(meant))
		help = arena_cstr(s->arena, arena_printf(s->arena, "did you mean %.*s? Else %s",
		                                         SV_ARG(meant), help));
	setter_warn(s, at,
	            "looks like a period, but is not one of daily, weekly and monthly, so the "
	            "tokens do not expire",
	            help);
	return STATUS_OK;
}
