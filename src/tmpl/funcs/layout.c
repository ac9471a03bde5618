/*
 * Go's layouts: a date written as one certain date (Mon Jan 2 15:04:05 MST 2006). A layout is cut
 * into elements with plain text between them.
 */
#include "tmpl/funcs/date.h"

static const char *const months[] = {"January",   "February", "March",    "April",
                                     "May",       "June",     "July",     "August",
                                     "September", "October",  "November", "December"};
static const char *const days[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                   "Thursday", "Friday", "Saturday"};

/* ---- calendar -------------------------------------------------------------------------------- */

/* Days since 1970 to a date of the proleptic Gregorian calendar. */
static void civil_date(int64_t day_number, struct civil *civil)
{
	int64_t days_from = day_number + 719468; /* from 0000-03-01 */
	int64_t era = (days_from >= 0 ? days_from : days_from - 146096) / 146097;
	int64_t day_of_era = days_from - era * 146097;
	int64_t year_of_era =
	    (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
	int64_t day_of_year =
	    day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
	int64_t month = (5 * day_of_year + 2) / 153;

	civil->day = (int)(day_of_year - (153 * month + 2) / 5) + 1;
	civil->month = (int)(month < 10 ? month + 3 : month - 9);
	civil->year = year_of_era + era * 400 + (civil->month <= 2);
}

/* The way back. */
static int64_t day_number_of(int64_t year, int month, int day)
{
	year -= month <= 2;
	int64_t era = (year >= 0 ? year : year - 399) / 400;
	int64_t year_of_era = year - era * 400;
	int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
	int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;

	return era * 146097 + day_of_era - 719468;
}

struct civil civil_of(const struct go_time *time)
{
	struct civil civil = {0};
	int64_t local = time->seconds + time->zone_offset;
	int64_t day_number = local / 86400;
	int64_t rest = local % 86400;

	if (rest < 0) {
		rest += 86400;
		day_number--;
	}
	civil_date(day_number, &civil);
	civil.hour = (int)(rest / 3600);
	civil.minute = (int)(rest / 60 % 60);
	civil.second = (int)(rest % 60);
	civil.weekday = (int)(((day_number + 4) % 7 + 7) % 7);
	civil.year_day = (int)(day_number - day_number_of(civil.year, 1, 1)) + 1;
	return civil;
}

static bool is_leap(int64_t year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int days_in(int month, int64_t year)
{
	static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

	return lengths[month - 1] + (month == 2 && is_leap(year));
}

/* ---- elements -------------------------------------------------------------------------------- */

enum element {
	E_NONE,
	E_LONG_MONTH,
	E_MONTH,
	E_NUM_MONTH,
	E_ZERO_MONTH,
	E_LONG_WEEKDAY,
	E_WEEKDAY,
	E_DAY,
	E_UNDER_DAY,
	E_ZERO_DAY,
	E_UNDER_YEAR_DAY,
	E_ZERO_YEAR_DAY,
	E_HOUR,
	E_HOUR12,
	E_ZERO_HOUR12,
	E_MINUTE,
	E_ZERO_MINUTE,
	E_SECOND,
	E_ZERO_SECOND,
	E_LONG_YEAR,
	E_YEAR,
	E_UPPER_PM,
	E_LOWER_PM,
	E_ZONE_NAME,
	E_ZONE,     /* an offset; its form is the element's own text */
	E_FRACTION, /* .000 or .999 */
};

/* Longer ones first where one begins with another. */
static const struct {
	sv text;
	enum element element;
} element_texts[] = {
    {SV_INIT("January"), E_LONG_MONTH},
    {SV_INIT("Jan"), E_MONTH},
    {SV_INIT("Monday"), E_LONG_WEEKDAY},
    {SV_INIT("Mon"), E_WEEKDAY},
    {SV_INIT("MST"), E_ZONE_NAME},
    {SV_INIT("002"), E_ZERO_YEAR_DAY},
    {SV_INIT("01"), E_ZERO_MONTH},
    {SV_INIT("02"), E_ZERO_DAY},
    {SV_INIT("03"), E_ZERO_HOUR12},
    {SV_INIT("04"), E_ZERO_MINUTE},
    {SV_INIT("05"), E_ZERO_SECOND},
    {SV_INIT("06"), E_YEAR},
    {SV_INIT("15"), E_HOUR},
    {SV_INIT("1"), E_NUM_MONTH},
    {SV_INIT("2006"), E_LONG_YEAR},
    {SV_INIT("2"), E_DAY},
    {SV_INIT("__2"), E_UNDER_YEAR_DAY},
    {SV_INIT("_2"), E_UNDER_DAY},
    {SV_INIT("3"), E_HOUR12},
    {SV_INIT("4"), E_MINUTE},
    {SV_INIT("5"), E_SECOND},
    {SV_INIT("PM"), E_UPPER_PM},
    {SV_INIT("pm"), E_LOWER_PM},
    {SV_INIT("-070000"), E_ZONE},
    {SV_INIT("-07:00:00"), E_ZONE},
    {SV_INIT("-0700"), E_ZONE},
    {SV_INIT("-07:00"), E_ZONE},
    {SV_INIT("-07"), E_ZONE},
    {SV_INIT("Z070000"), E_ZONE},
    {SV_INIT("Z07:00:00"), E_ZONE},
    {SV_INIT("Z0700"), E_ZONE},
    {SV_INIT("Z07:00"), E_ZONE},
    {SV_INIT("Z07"), E_ZONE},
};

static bool is_digit_at(sv s, size_t i)
{
	return i < s.len && s.ptr[i] >= '0' && s.ptr[i] <= '9';
}

/* ".000", ",999": one digit repeated, and no other digit behind. */
static size_t fraction_length(sv s)
{
	size_t end = 1;

	if (s.len < 2 || (s.ptr[0] != '.' && s.ptr[0] != ',') ||
	    (s.ptr[1] != '0' && s.ptr[1] != '9'))
		return 0;
	while (end < s.len && s.ptr[end] == s.ptr[1])
		end++;
	return is_digit_at(s, end) ? 0 : end;
}

static enum element element_at(sv s, size_t *ret_len)
{
	*ret_len = fraction_length(s);
	if (*ret_len > 0)
		return E_FRACTION;
	/* "_2006" is an underscore and a year. */
	if (sv_starts_with(s, SV("_2006")))
		return E_NONE;
	for (size_t i = 0; i < COUNT_OF(element_texts); i++) {
		sv text = element_texts[i].text;
		if (!sv_starts_with(s, text))
			continue;
		/* "Janet" is no month. */
		if ((element_texts[i].element == E_MONTH ||
		     element_texts[i].element == E_WEEKDAY) &&
		    s.len > 3 && s.ptr[3] >= 'a' && s.ptr[3] <= 'z')
			continue;
		*ret_len = text.len;
		return element_texts[i].element;
	}
	return E_NONE;
}

/* The text before the next element, the element, and its text; E_NONE at the end. */
static enum element next_element(sv *layout, sv *ret_prefix, sv *ret_text)
{
	size_t len;

	for (size_t i = 0; i < layout->len; i++) {
		enum element element = element_at(sv_from_offset(*layout, i), &len);
		if (element == E_NONE)
			continue;
		*ret_prefix = sv_slice(*layout, 0, i);
		*ret_text = sv_slice(*layout, i, i + len);
		*layout = sv_from_offset(*layout, i + len);
		return element;
	}
	*ret_prefix = *layout;
	*ret_text = (sv){NULL, 0};
	*layout = (sv){NULL, 0};
	return E_NONE;
}

/* ---- formatting ------------------------------------------------------------------------------ */

static void add_zone(struct buf *buf, const struct go_time *time, sv form)
{
	int offset = time->zone_offset;
	bool seconds = form.len > 6;
	bool colons = sv_contains(form, SV(":"));

	if (form.ptr[0] == 'Z' && offset == 0) {
		buf_add_char(buf, 'Z');
		return;
	}
	buf_add_char(buf, offset < 0 ? '-' : '+');
	offset = offset < 0 ? -offset : offset;
	buf_printf(buf, "%02d", offset / 3600);
	if (form.len > 3)
		buf_printf(buf, "%s%02d", colons ? ":" : "", offset / 60 % 60);
	if (seconds)
		buf_printf(buf, "%s%02d", colons ? ":" : "", offset % 60);
}

static void add_fraction(struct buf *buf, const struct go_time *time, sv form)
{
	char digits[10];
	size_t len = form.len - 1 > 9 ? 9 : form.len - 1;

	for (int i = 8, n = time->nanoseconds; i >= 0; i--, n /= 10)
		digits[i] = (char)('0' + n % 10);
	sv text = sv_from(digits, len);
	if (form.ptr[1] == '9') {
		text = sv_trim_right(text, "0");
		if (text.len == 0)
			return;
	}
	buf_add_char(buf, form.ptr[0]);
	buf_add(buf, text);
	if (form.ptr[1] == '0')
		buf_add_repeat(buf, '0', form.len - 1 - len);
}

static void add_year(struct buf *buf, int64_t year)
{
	buf_printf(buf, "%s%04lld", year < 0 ? "-" : "", (long long)(year < 0 ? -year : year));
}

static void add_element(struct buf *buf, enum element element, sv text, const struct go_time *time,
                        const struct civil *c)
{
	int hour12 = c->hour % 12 == 0 ? 12 : c->hour % 12;

	switch (element) {
	case E_NONE:
		return;
	case E_LONG_MONTH:
		buf_add_cstr(buf, months[c->month - 1]);
		return;
	case E_MONTH:
		buf_add(buf, sv_from(months[c->month - 1], 3));
		return;
	case E_NUM_MONTH:
		buf_printf(buf, "%d", c->month);
		return;
	case E_ZERO_MONTH:
		buf_printf(buf, "%02d", c->month);
		return;
	case E_LONG_WEEKDAY:
		buf_add_cstr(buf, days[c->weekday]);
		return;
	case E_WEEKDAY:
		buf_add(buf, sv_from(days[c->weekday], 3));
		return;
	case E_DAY:
		buf_printf(buf, "%d", c->day);
		return;
	case E_UNDER_DAY:
		buf_printf(buf, "%2d", c->day);
		return;
	case E_ZERO_DAY:
		buf_printf(buf, "%02d", c->day);
		return;
	case E_UNDER_YEAR_DAY:
		buf_printf(buf, "%3d", c->year_day);
		return;
	case E_ZERO_YEAR_DAY:
		buf_printf(buf, "%03d", c->year_day);
		return;
	case E_HOUR:
		buf_printf(buf, "%02d", c->hour);
		return;
	case E_HOUR12:
		buf_printf(buf, "%d", hour12);
		return;
	case E_ZERO_HOUR12:
		buf_printf(buf, "%02d", hour12);
		return;
	case E_MINUTE:
		buf_printf(buf, "%d", c->minute);
		return;
	case E_ZERO_MINUTE:
		buf_printf(buf, "%02d", c->minute);
		return;
	case E_SECOND:
		buf_printf(buf, "%d", c->second);
		return;
	case E_ZERO_SECOND:
		buf_printf(buf, "%02d", c->second);
		return;
	case E_LONG_YEAR:
		add_year(buf, c->year);
		return;
	case E_YEAR:
		buf_printf(buf, "%02d", (int)((c->year < 0 ? 0 : c->year) % 100));
		return;
	case E_UPPER_PM:
		buf_add(buf, c->hour >= 12 ? SV("PM") : SV("AM"));
		return;
	case E_LOWER_PM:
		buf_add(buf, c->hour >= 12 ? SV("pm") : SV("am"));
		return;
	case E_ZONE_NAME:
		if (time->zone_name.len > 0)
			buf_add(buf, time->zone_name);
		else
			add_zone(buf, time, SV("-0700"));
		return;
	case E_ZONE:
		add_zone(buf, time, text);
		return;
	case E_FRACTION:
		add_fraction(buf, time, text);
		return;
	}
}

sv time_format(struct arena *arena, const struct go_time *time, sv layout)
{
	struct buf buf = buf_in(arena);
	struct civil civil = civil_of(time);

	while (layout.len > 0) {
		sv prefix;
		sv text;
		enum element element = next_element(&layout, &prefix, &text);
		buf_add(&buf, prefix);
		add_element(&buf, element, text, time, &civil);
	}
	return buf_sv(&buf);
}

/* ---- parsing --------------------------------------------------------------------------------- */

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
static bool take_number(sv *s, bool fixed, int *ret_number)
{
	if (!is_digit_at(*s, 0))
		return false;
	*ret_number = s->ptr[0] - '0';
	if (!is_digit_at(*s, 1)) {
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
	if (!take_number(&p->rest, fixed, ret_number))
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
		if (!is_digit_at(*s, i))
			return false;
		*ret_number = *ret_number * 10 + s->ptr[i] - '0';
	}
	*s = sv_from_offset(*s, count);
	return true;
}

/* A separator and len - 1 digits; more than nine are cut. */
static bool take_fraction(struct parse_state *p, size_t len)
{
	int32_t nanoseconds = 0;

	if (p->rest.len < len || (p->rest.ptr[0] != '.' && p->rest.ptr[0] != ','))
		return false;
	for (size_t i = 1; i <= 9; i++) {
		if (i < len && !is_digit_at(p->rest, i))
			return false;
		nanoseconds = nanoseconds * 10 + (i < len ? p->rest.ptr[i] - '0' : 0);
	}
	p->nanoseconds = nanoseconds;
	p->rest = sv_from_offset(p->rest, len);
	return true;
}

static size_t fraction_digits(sv s)
{
	size_t end = 1;

	if (s.len < 2 || (s.ptr[0] != '.' && s.ptr[0] != ',') || !is_digit_at(s, 1))
		return 0;
	while (is_digit_at(s, end))
		end++;
	return end;
}

/* Seconds may have a fraction that the layout does not speak of. */
static bool take_second(struct parse_state *p, bool fixed, sv layout)
{
	sv prefix;
	sv text;

	if (!take_ranged(p, fixed, 0, 59, "second", &p->second))
		return false;
	size_t len = fraction_digits(p->rest);
	if (p->range || len == 0 || next_element(&layout, &prefix, &text) == E_FRACTION)
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
	/* The form's length is that of the text, a 'Z' standing for the sign. */
	if (p->rest.len < form.len)
		return false;
	sv s = sv_slice(p->rest, 0, form.len);
	char sign = s.ptr[0];
	s = sv_from_offset(s, 1);
	for (size_t i = 0; i < count; i++) {
		if (i > 0 && colons) {
			if (s.ptr[0] != ':')
				return false;
			s = sv_from_offset(s, 1);
		}
		if (!take_number(&s, true, &parts[i]))
			return false;
		if (parts[i] > (i == 0 ? 24 : 60))
			p->range = what[i];
	}
	p->rest = sv_from_offset(p->rest, form.len);
	p->has_offset = true;
	p->offset = (parts[0] * 60 + parts[1]) * 60 + parts[2];
	if (sign == '-')
		p->offset = -p->offset;
	return sign == '-' || sign == '+';
}

/* "+3", "-11": the length, 0 when it is none. */
static size_t signed_offset_length(sv s)
{
	size_t end = 1;
	int number = 0;

	if (s.len == 0 || (s.ptr[0] != '-' && s.ptr[0] != '+'))
		return 0;
	for (; is_digit_at(s, end) && end < 10; end++)
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
	while (upper < 6 && upper < s.len && s.ptr[upper] >= 'A' && s.ptr[upper] <= 'Z')
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
	for (; count < 3 && is_digit_at(p->rest, count); count++)
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
		if (!take_name(p, months, COUNT_OF(months), element == E_MONTH ? 3 : 0, &p->month))
			return false;
		p->month++;
		return true;
	case E_NUM_MONTH:
	case E_ZERO_MONTH:
		return take_ranged(p, element == E_ZERO_MONTH, 1, 12, "month", &p->month);
	case E_WEEKDAY:
	case E_LONG_WEEKDAY:
		return take_name(p, days, COUNT_OF(days), element == E_WEEKDAY ? 3 : 0, &ignored);
	case E_DAY:
	case E_UNDER_DAY:
	case E_ZERO_DAY:
		if (element == E_UNDER_DAY && p->rest.len > 0 && p->rest.ptr[0] == ' ')
			p->rest = sv_from_offset(p->rest, 1);
		return take_number(&p->rest, element == E_ZERO_DAY, &p->day);
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

/* Quotes as the time package does: what is not printable ASCII as \xHH. */
static void add_quoted(struct buf *buf, sv s)
{
	buf_add_char(buf, '"');
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];
		if (c >= 0x80 || c < ' ') {
			buf_printf(buf, "\\x%02x", c);
			continue;
		}
		if (c == '"' || c == '\\')
			buf_add_char(buf, '\\');
		buf_add_char(buf, (char)c);
	}
	buf_add_char(buf, '"');
}

static sv mismatch(struct arena *arena, sv layout, sv text, sv element, sv rest)
{
	struct buf buf = buf_in(arena);

	BUF_ADD_LIT(&buf, "parsing time ");
	add_quoted(&buf, text);
	BUF_ADD_LIT(&buf, " as ");
	add_quoted(&buf, layout);
	BUF_ADD_LIT(&buf, ": cannot parse ");
	add_quoted(&buf, rest);
	BUF_ADD_LIT(&buf, " as ");
	add_quoted(&buf, element);
	return buf_sv(&buf);
}

static sv complaint(struct arena *arena, sv text, const char *message, sv rest)
{
	struct buf buf = buf_in(arena);

	BUF_ADD_LIT(&buf, "parsing time ");
	add_quoted(&buf, text);
	BUF_ADD_LIT(&buf, ": ");
	buf_add_cstr(&buf, message);
	if (rest.ptr)
		add_quoted(&buf, rest);
	return buf_sv(&buf);
}

/* The day of the year to month and day, which may have been given as well. Null: fine. */
static const char *settle_year_day(struct parse_state *p)
{
	int month = 1;
	int day = p->year_day;

	if (p->year_day < 1 || p->year_day > (is_leap(p->year) ? 366 : 365))
		return "day-of-year out of range";
	while (day > days_in(month, p->year))
		day -= days_in(month++, p->year);
	if (p->month >= 0 && p->month != month)
		return "day-of-year does not match month";
	if (p->day >= 0 && p->day != day)
		return "day-of-year does not match day";
	p->month = month;
	p->day = day;
	return NULL;
}

static void settle_zone(struct parse_state *p, struct go_time *time)
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
		}
	} else if (p->zone_name.len > 0) {
		int64_t hours = 0;
		if (sv_starts_with(p->zone_name, SV("GMT")) && p->zone_name.len > 3)
			(void)sv_parse_int64(sv_from_offset(p->zone_name, 3), &hours);
		/* COMPAT: the offset only names the zone; the clock is taken as UTC and shifted. */
		time->zone_offset = (int32_t)(hours * 3600);
		time->zone_name = p->zone_name;
	}
}

bool time_parse(struct arena *arena, sv layout, sv text, struct go_time *ret_time, sv *ret_error)
{
	struct parse_state p = {.rest = text, .month = -1, .day = -1, .year_day = -1};
	sv whole = layout;
	sv prefix;
	sv element_text;
	enum element element;

	do {
		element = next_element(&layout, &prefix, &element_text);
		sv before = p.rest;
		if (!skip_prefix(&p.rest, prefix)) {
			*ret_error = mismatch(arena, whole, text, prefix, p.rest);
			return false;
		}
		before = p.rest;
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
	if (!problem && (p.day < 1 || p.day > days_in(p.month, p.year)))
		problem = "day out of range";
	if (problem) {
		*ret_error = complaint(arena, text, problem, (sv){NULL, 0});
		return false;
	}
	*ret_time = (struct go_time){
	    .seconds = day_number_of(p.year, p.month, p.day) * 86400 + p.hour * 3600 +
	               p.minute * 60 + p.second,
	    .nanoseconds = p.nanoseconds,
	};
	settle_zone(&p, ret_time);
	return true;
}
