/*
 * The rule at the end of a time zone's file, for all instants behind its table: a TZ string, as in
 * "CET-1CEST,M3.5.0,M10.5.0/3" (RFC 8536 3.3).
 */
#include "golang/layout.h"

#define DAY  86400
#define HOUR 3600

struct change {
	char kind; /* 'J': days without 29 February, from 1; 'M': month.week.weekday; '0': days */
	int month;
	int week;
	int day;
	int64_t time; /* of the day, local, in seconds */
};

/* ---- reading ----------------------------------------------------------------------------- */

static bool take_char(sv *s, char c)
{
	if (s->len == 0 || s->ptr[0] != c)
		return false;
	*s = sv_from_offset(*s, 1);
	return true;
}

static bool take_number(sv *s, int min, int max, int *ret_number)
{
	size_t len = 0;
	int number = 0;

	for (; len < s->len && ascii_is_digit(s->ptr[len]); len++) {
		number = number * 10 + s->ptr[len] - '0';
		if (number > max)
			return false;
	}
	if (len == 0 || number < min)
		return false;
	*s = sv_from_offset(*s, len);
	*ret_number = number;
	return true;
}

/* "<+03>" or "CEST". */
static bool take_name(sv *s, sv *ret_name)
{
	bool angled = take_char(s, '<');
	size_t len = 0;

	while (len < s->len && (angled ? s->ptr[len] != '>'
	                               : sv_find_char(SV("0123456789,-+"), s->ptr[len]) == SV_NPOS))
		len++;
	*ret_name = sv_slice(*s, 0, len);
	*s = sv_from_offset(*s, len);
	return angled ? take_char(s, '>') : len >= 3;
}

/* [+-]hh[:mm[:ss]] */
static bool take_clock(sv *s, int64_t *ret_seconds)
{
	bool negative = take_char(s, '-');
	int part = 0;

	if (!negative)
		(void)take_char(s, '+');
	if (!take_number(s, 0, 24 * 7, &part))
		return false;
	*ret_seconds = (int64_t)part * HOUR;
	for (int unit = 60; unit > 0 && take_char(s, ':'); unit /= 60) {
		if (!take_number(s, 0, 59, &part))
			return false;
		*ret_seconds += (int64_t)part * unit;
	}
	if (negative)
		*ret_seconds = -*ret_seconds;
	return true;
}

static bool take_change(sv *s, struct change *ret_change)
{
	struct change change = {.kind = '0', .time = 2 * (int64_t)HOUR};

	if (take_char(s, 'M')) {
		change.kind = 'M';
		if (!take_number(s, 1, 12, &change.month) || !take_char(s, '.') ||
		    !take_number(s, 1, 5, &change.week) || !take_char(s, '.') ||
		    !take_number(s, 0, 6, &change.day))
			return false;
	} else {
		if (take_char(s, 'J'))
			change.kind = 'J';
		if (!take_number(s, change.kind == 'J', 365, &change.day))
			return false;
	}
	*ret_change = change;
	return !take_char(s, '/') || take_clock(s, &ret_change->time);
}

/* ---- applying ---------------------------------------------------------------------------- */

/* The day of the change, counted from the first of January. */
static int64_t change_day(const struct change *change, int64_t year)
{
	if (change->kind == '0')
		return change->day;
	if (change->kind == 'J')
		return change->day - 1 + (civil_is_leap(year) && change->day >= 60);
	int64_t first = civil_day_number(year, change->month, 1);
	/* 1970 began on a Thursday. */
	int weekday = (int)(((first + 4) % 7 + 7) % 7);
	int day = (change->day - weekday + 7) % 7;
	for (int i = 1; i < change->week && day + 7 < civil_days_in(change->month, year); i++)
		day += 7;
	return first - civil_day_number(year, 1, 1) + day;
}

/* The instant of the change; offset is the one in force before it. */
static int64_t change_instant(const struct change *change, int64_t year, int64_t offset)
{
	return (civil_day_number(year, 1, 1) + change_day(change, year)) * DAY + change->time -
	       offset;
}

/* Between the changes of a year one half is in force, outside of them the other. */
static bool is_summer(const struct change *start, const struct change *end,
                      const struct go_time *time, int64_t standard, int64_t summer)
{
	struct go_time utc = {.seconds = time->seconds};
	int64_t year = civil_of(&utc).year;
	int64_t from = change_instant(start, year, standard);
	int64_t to = change_instant(end, year, summer);

	if (to < from)
		return !(time->seconds >= to && time->seconds < from);
	return time->seconds >= from && time->seconds < to;
}

bool zone_rule_apply(sv rule, struct go_time *time)
{
	sv names[2];
	int64_t west[2];
	struct change start;
	struct change end;
	bool summer = false;

	if (!take_name(&rule, &names[0]) || !take_clock(&rule, &west[0]))
		return false;
	if (rule.len > 0 && rule.ptr[0] != ',') {
		if (!take_name(&rule, &names[1]))
			return false;
		west[1] = west[0] - HOUR;
		if (rule.len > 0 && rule.ptr[0] != ',' && !take_clock(&rule, &west[1]))
			return false;
		if (rule.len == 0)
			rule = SV(",M3.2.0,M11.1.0");
		if (!take_char(&rule, ',') || !take_change(&rule, &start) ||
		    !take_char(&rule, ',') || !take_change(&rule, &end) || rule.len > 0)
			return false;
		summer = is_summer(&start, &end, time, -west[0], -west[1]);
	}
	time->zone_name = names[summer];
	time->zone_offset = (int32_t)-west[summer];
	return true;
}
