/*
 * time.Parse: reads a string by its layout, element by element.
 */
#include "golang/layout.h"

#include "golang/golang.h"

struct parse_state {
	sv rest;
	int64_t year;
	int month; /* -1: not given */
	int day;
	int year_day;
	int hour;
	int minute;
	int second;
	int32_t nanoseconds;
	bool pm;
	bool am;
	bool utc;
	bool has_offset;
	int32_t offset;
	sv zone_name;
	const char *range; /* what is out of its range; or null */
};

/* One or two digits; two when fixed. */
static bool take_layout_number(sv *s, bool fixed, int *ret_number)
{
	if (!layout_is_digit_at(*s, 0))
		return false;
	*ret_number = s->ptr[0] - '0';
	if (!layout_is_digit_at(*s, 1)) {
		*s = sv_from_offset(*s, 1);
		return !fixed;
	}
	*ret_number = *ret_number * 10 + s->ptr[1] - '0';
	*s = sv_from_offset(*s, 2);
	return true;
}

static bool take_ranged(struct parse_state *p, bool fixed, int low, int high, const char *what,
                        int *ret_number)
{
	if (!take_layout_number(&p->rest, fixed, ret_number))
		return false;
	if (*ret_number < low || *ret_number > high)
		p->range = what;
	return true;
}

static bool take_name(struct parse_state *p, const char *const *names, size_t count, size_t cut,
                      int *ret_index)
{
	for (size_t i = 0; i < count; i++) {
		sv name = sv_from_cstr(names[i]);
		if (cut > 0)
			name = sv_slice(name, 0, cut);
		if (p->rest.len >= name.len &&
		    sv_eq_fold_ascii(sv_slice(p->rest, 0, name.len), name)) {
			*ret_index = (int)i;
			p->rest = sv_from_offset(p->rest, name.len);
			return true;
		}
	}
	return false;
}

static bool take_digits(sv *s, size_t count, int64_t *ret_number)
{
	*ret_number = 0;
	for (size_t i = 0; i < count; i++) {
		if (!layout_is_digit_at(*s, i))
			return false;
		*ret_number = *ret_number * 10 + s->ptr[i] - '0';
	}
	*s = sv_from_offset(*s, count);
	return true;
}

/* A separator and len - 1 digits; more than nine are cut. COMPAT: the first may be a sign. */
static bool take_fraction(struct parse_state *p, size_t len)
{
	int32_t nanoseconds = 0;

	if (p->rest.len < len || (p->rest.ptr[0] != '.' && p->rest.ptr[0] != ','))
		return false;
	bool negative = p->rest.ptr[1] == '-';
	bool has_sign = negative || p->rest.ptr[1] == '+';
	for (size_t i = 1; i <= 9; i++) {
		if (i == 1 && has_sign)
			continue;
		if (i < len && !layout_is_digit_at(p->rest, i))
			return false;
		nanoseconds = nanoseconds * 10 + (i < len ? p->rest.ptr[i] - '0' : 0);
	}
	if (negative && nanoseconds > 0)
		p->range = "fractional second";
	p->nanoseconds = nanoseconds;
	p->rest = sv_from_offset(p->rest, len);
	return true;
}

static size_t fraction_digits(sv s)
{
	size_t end = 1;

	if (s.len < 2 || (s.ptr[0] != '.' && s.ptr[0] != ',') || !layout_is_digit_at(s, 1))
		return 0;
	while (layout_is_digit_at(s, end))
		end++;
	return end;
}

/* Takes seconds, which may have a fraction that the layout does not mention. */
static bool take_second(struct parse_state *p, bool fixed, sv layout)
{
	sv prefix;
	sv text;

	if (!take_ranged(p, fixed, 0, 59, "second", &p->second))
		return false;
	size_t len = fraction_digits(p->rest);
	if (p->range || len == 0 || layout_next(&layout, &prefix, &text) == E_FRACTION)
		return true;
	return take_fraction(p, len);
}

static bool take_pm(struct parse_state *p, sv pm, sv am)
{
	sv word = sv_slice(p->rest, 0, 2);

	p->pm |= sv_eq(word, pm);
	p->am |= sv_eq(word, am);
	p->rest = sv_from_offset(p->rest, 2);
	return sv_eq(word, pm) || sv_eq(word, am);
}

static bool take_offset(struct parse_state *p, sv form)
{
	int parts[3] = {0, 0, 0};
	static const char *const what[] = {"time zone offset hour", "time zone offset minute",
	                                   "time zone offset second"};
	size_t count = form.len > 6 ? 3 : form.len > 3 ? 2 : 1;
	bool colons = sv_contains(form, SV(":"));

	if (form.ptr[0] == 'Z' && p->rest.len > 0 && p->rest.ptr[0] == 'Z') {
		p->rest = sv_from_offset(p->rest, 1);
		p->utc = true;
		return true;
	}
	/* Form and input have the same length; the form's 'Z' is the sign. */
	if (p->rest.len < form.len)
		return false;
	for (size_t i = 3; colons && i < form.len; i += 3)
		if (p->rest.ptr[i] != ':')
			return false;
	sv s = sv_slice(p->rest, 0, form.len);
	char sign = s.ptr[0];
	s = sv_from_offset(s, 1);
	for (size_t i = 0; i < count; i++) {
		if (i > 0 && colons)
			s = sv_from_offset(s, 1);
		if (!take_layout_number(&s, true, &parts[i]))
			return false;
		if (parts[i] > (i == 0 ? 24 : 60))
			p->range = what[i];
	}
	p->rest = sv_from_offset(p->rest, form.len);
	p->offset = (parts[0] * 60 + parts[1]) * 60 + parts[2];
	if (sign == '-')
		p->offset = -p->offset;
	/* COMPAT: -1 is how Go writes down that there is none. */
	p->has_offset = p->offset != -1;
	return sign == '-' || sign == '+';
}

/* Returns the length of an offset such as "+3" or "-11", or 0. */
static size_t signed_offset_length(sv s)
{
	size_t end = 1;
	int number = 0;

	if (s.len == 0 || (s.ptr[0] != '-' && s.ptr[0] != '+'))
		return 0;
	for (; layout_is_digit_at(s, end) && end < 10; end++)
		number = number * 10 + s.ptr[end] - '0';
	return end > 1 && number <= 23 ? end : 0;
}

static size_t zone_name_length(sv s)
{
	size_t upper = 0;

	if (s.len < 3)
		return 0;
	if (sv_starts_with(s, SV("ChST")) || sv_starts_with(s, SV("MeST")))
		return 4;
	if (sv_starts_with(s, SV("GMT")))
		return 3 + signed_offset_length(sv_from_offset(s, 3));
	if (s.ptr[0] == '+' || s.ptr[0] == '-')
		return signed_offset_length(s);
	while (upper < 6 && upper < s.len && ascii_is_upper(s.ptr[upper]))
		upper++;
	if (upper == 5 && s.ptr[4] == 'T')
		return 5;
	if (upper == 4 && (s.ptr[3] == 'T' || sv_starts_with(s, SV("WITA"))))
		return 4;
	return upper == 3 ? 3 : 0;
}

static bool take_zone_name(struct parse_state *p)
{
	if (sv_starts_with(p->rest, SV("UTC"))) {
		p->utc = true;
		p->rest = sv_from_offset(p->rest, 3);
		return true;
	}
	size_t len = zone_name_length(p->rest);
	p->zone_name = sv_slice(p->rest, 0, len);
	p->rest = sv_from_offset(p->rest, len);
	return len > 0;
}

static bool take_year_day(struct parse_state *p, bool under)
{
	size_t count = 0;

	for (int i = 0; under && i < 2 && p->rest.len > 0 && p->rest.ptr[0] == ' '; i++)
		p->rest = sv_from_offset(p->rest, 1);
	p->year_day = 0;
	for (; count < 3 && layout_is_digit_at(p->rest, count); count++)
		p->year_day = p->year_day * 10 + p->rest.ptr[count] - '0';
	p->rest = sv_from_offset(p->rest, count);
	return count > 0 && (under || count == 3);
}

static bool take_element(struct parse_state *p, enum element element, sv text, sv layout)
{
	int64_t number;
	int ignored;

	switch (element) {
	case E_NONE:
		return true;
	case E_YEAR:
		if (!take_digits(&p->rest, 2, &number))
			return false;
		p->year = number + (number >= 69 ? 1900 : 2000);
		return true;
	case E_LONG_YEAR:
		return take_digits(&p->rest, 4, &p->year);
	case E_MONTH:
	case E_LONG_MONTH:
		if (!take_name(p, layout_months, COUNT_OF(layout_months),
		               element == E_MONTH ? 3 : 0, &p->month))
			return false;
		p->month++;
		return true;
	case E_NUM_MONTH:
	case E_ZERO_MONTH:
		return take_ranged(p, element == E_ZERO_MONTH, 1, 12, "month", &p->month);
	case E_WEEKDAY:
	case E_LONG_WEEKDAY:
		return take_name(p, layout_days, COUNT_OF(layout_days),
		                 element == E_WEEKDAY ? 3 : 0, &ignored);
	case E_DAY:
	case E_UNDER_DAY:
	case E_ZERO_DAY:
		if (element == E_UNDER_DAY && p->rest.len > 0 && p->rest.ptr[0] == ' ')
			p->rest = sv_from_offset(p->rest, 1);
		return take_layout_number(&p->rest, element == E_ZERO_DAY, &p->day);
	case E_UNDER_YEAR_DAY:
	case E_ZERO_YEAR_DAY:
		return take_year_day(p, element == E_UNDER_YEAR_DAY);
	case E_HOUR:
		return take_ranged(p, false, 0, 23, "hour", &p->hour);
	case E_HOUR12:
	case E_ZERO_HOUR12:
		return take_ranged(p, element == E_ZERO_HOUR12, 0, 12, "hour", &p->hour);
	case E_MINUTE:
	case E_ZERO_MINUTE:
		return take_ranged(p, element == E_ZERO_MINUTE, 0, 59, "minute", &p->minute);
	case E_SECOND:
	case E_ZERO_SECOND:
		return take_second(p, element == E_ZERO_SECOND, layout);
	case E_UPPER_PM:
		return take_pm(p, SV("PM"), SV("AM"));
	case E_LOWER_PM:
		return take_pm(p, SV("pm"), SV("am"));
	case E_ZONE:
		return take_offset(p, text);
	case E_ZONE_NAME:
		return take_zone_name(p);
	case E_FRACTION:
		if (text.ptr[1] == '0')
			return take_fraction(p, text.len);
		return fraction_digits(p->rest) == 0 || take_fraction(p, fraction_digits(p->rest));
	}
	return false;
}

/* Plain text of the layout; a space stands for any number of them. */
static bool skip_prefix(sv *rest, sv prefix)
{
	while (prefix.len > 0) {
		if (prefix.ptr[0] == ' ') {
			if (rest->len > 0 && rest->ptr[0] != ' ')
				return false;
			while (prefix.len > 0 && prefix.ptr[0] == ' ')
				prefix = sv_from_offset(prefix, 1);
			while (rest->len > 0 && rest->ptr[0] == ' ')
				*rest = sv_from_offset(*rest, 1);
			continue;
		}
		if (rest->len == 0 || rest->ptr[0] != prefix.ptr[0])
			return false;
		prefix = sv_from_offset(prefix, 1);
		*rest = sv_from_offset(*rest, 1);
	}
	return true;
}

static sv mismatch(struct arena *arena, sv layout, sv text, sv element, sv rest)
{
	struct buf buf = buf_in(arena);

	BUF_ADD_LIT(&buf, "parsing time ");
	go_time_quote(&buf, text);
	BUF_ADD_LIT(&buf, " as ");
	go_time_quote(&buf, layout);
	BUF_ADD_LIT(&buf, ": cannot parse ");
	go_time_quote(&buf, rest);
	BUF_ADD_LIT(&buf, " as ");
	go_time_quote(&buf, element);
	return buf_sv(&buf);
}

static sv complaint(struct arena *arena, sv text, const char *message, sv rest)
{
	struct buf buf = buf_in(arena);

	BUF_ADD_LIT(&buf, "parsing time ");
	go_time_quote(&buf, text);
	BUF_ADD_LIT(&buf, ": ");
	buf_add_cstr(&buf, message);
	if (rest.ptr)
		go_time_quote(&buf, rest);
	return buf_sv(&buf);
}

/* The day of the year to month and day, which may have been given as well. Null: fine. */
static const char *settle_year_day(struct parse_state *p)
{
	int month = 1;
	int day = p->year_day;

	if (p->year_day < 1 || p->year_day > (go_civil_is_leap(p->year) ? 366 : 365))
		return "day-of-year out of range";
	while (day > go_civil_days_in(month, p->year))
		day -= go_civil_days_in(month++, p->year);
	if (p->month >= 0 && p->month != month)
		return "day-of-year does not match month";
	if (p->day >= 0 && p->day != day)
		return "day-of-year does not match day";
	p->month = month;
	p->day = day;
	return NULL;
}

static void settle_zone(struct parse_state *p, bool is_local, struct go_time *time)
{
	time->zone_name = SV("UTC");
	time->zone_offset = 0;
	if (p->utc)
		return;
	if (p->has_offset) {
		time->seconds -= p->offset;
		/* The local zone is UTC: an offset of 0 is that zone unless it has another name. */
		if (p->offset != 0 || (p->zone_name.len > 0 && !sv_eq(p->zone_name, SV("UTC")))) {
			time->zone_offset = p->offset;
			time->zone_name = p->zone_name;
		} else {
			time->is_local = true;
		}
	} else if (p->zone_name.len > 0) {
		int64_t hours = 0;
		if (sv_starts_with(p->zone_name, SV("GMT")) && p->zone_name.len > 3)
			(void)sv_parse_int64(sv_from_offset(p->zone_name, 3), &hours);
		/* COMPAT: the offset only names the zone; the clock is taken as UTC and shifted. */
		time->zone_offset = (int32_t)(hours * 3600);
		time->zone_name = p->zone_name;
	} else {
		time->is_local = is_local;
	}
}

bool go_time_parse(struct arena *arena, sv layout, sv text, bool is_local, struct go_time *ret_time,
                   sv *ret_error)
{
	struct parse_state p = {.rest = text, .month = -1, .day = -1, .year_day = -1};
	sv whole = layout;
	sv prefix;
	sv element_text;
	enum element element;

	do {
		element = layout_next(&layout, &prefix, &element_text);
		if (!skip_prefix(&p.rest, prefix)) {
			*ret_error = mismatch(arena, whole, text, prefix, p.rest);
			return false;
		}
		sv before = p.rest;
		bool taken = take_element(&p, element, element_text, layout);
		if (p.range) {
			*ret_error = complaint(
			    arena, text,
			    arena_cstr(arena, arena_printf(arena, "%s out of range", p.range)),
			    (sv){NULL, 0});
			return false;
		}
		if (!taken) {
			*ret_error = mismatch(arena, whole, text, element_text, before);
			return false;
		}
	} while (element != E_NONE);
	if (p.rest.len > 0) {
		*ret_error = complaint(arena, text, "extra text: ", p.rest);
		return false;
	}
	if (p.pm && p.hour < 12)
		p.hour += 12;
	else if (p.am && p.hour == 12)
		p.hour = 0;
	const char *problem = p.year_day >= 0 ? settle_year_day(&p) : NULL;
	p.month = p.month < 0 ? 1 : p.month;
	p.day = p.day < 0 ? 1 : p.day;
	if (!problem && (p.day < 1 || p.day > go_civil_days_in(p.month, p.year)))
		problem = "day out of range";
	if (problem) {
		*ret_error = complaint(arena, text, problem, (sv){NULL, 0});
		return false;
	}
	*ret_time = (struct go_time){
	    .seconds = go_civil_day_number(p.year, p.month, p.day) * 86400 + p.hour * 3600 +
	               p.minute * 60 + p.second,
	    .nanoseconds = p.nanoseconds,
	};
	settle_zone(&p, is_local, ret_time);
	return true;
}
