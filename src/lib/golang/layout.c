/*
 * Go's layouts: a date written as one certain date (Mon Jan 2 15:04:05 MST 2006). A layout is cut
 * into elements with plain text between them.
 */
#include "golang/layout.h"

/* ---- elements ---------------------------------------------------------------------------- */

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

/* Measures ".000" or ",999": one digit repeated, and no other digit after it. */
static size_t fraction_length(sv s)
{
	size_t end = 1;

	if (s.len < 2 || (s.ptr[0] != '.' && s.ptr[0] != ',') ||
	    (s.ptr[1] != '0' && s.ptr[1] != '9'))
		return 0;
	while (end < s.len && s.ptr[end] == s.ptr[1])
		end++;
	return layout_is_digit_at(s, end) ? 0 : end;
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
		/* "Janet" is not a month. */
		if ((element_texts[i].element == E_MONTH ||
		     element_texts[i].element == E_WEEKDAY) &&
		    s.len > 3 && ascii_is_lower(s.ptr[3]))
			continue;
		*ret_len = text.len;
		return element_texts[i].element;
	}
	return E_NONE;
}

/* The text before the next element, the element, and its text; E_NONE at the end. */
enum element layout_next(sv *layout, sv *ret_prefix, sv *ret_text)
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

/* ---- formatting -------------------------------------------------------------------------- */

static void add_zone(struct buf *buf, const struct go_time *time, sv form)
{
	int offset = time->zone_offset;
	bool seconds = form.len > 6;
	bool colons = sv_contains(form, SV(":"));

	if (form.ptr[0] == 'Z' && offset == 0) {
		buf_add_char(buf, 'Z');
		return;
	}
	/* COMPAT: the sign is that of the minutes; seconds alone write their own. */
	buf_add_char(buf, offset <= -60 ? '-' : '+');
	offset = offset <= -60 ? -offset : offset;
	buf_printf(buf, "%02d", offset / 3600);
	if (form.len > 3)
		buf_printf(buf, "%s%02d", colons ? ":" : "", offset / 60 % 60);
	if (seconds)
		buf_printf(buf, "%s%02d", colons ? ":" : "", offset % 60);
}

/* However many digits the form asks for, nine are written. */
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
}

/* A number takes at least the columns of its element's text: "2", "02", "_2", "002". */
static void add_layout_number(struct buf *buf, sv text, int number)
{
	buf_printf(buf, text.ptr[0] == '_' ? "%*d" : "%0*d", (int)text.len, number);
}

static void add_element(struct buf *buf, enum element element, sv text, const struct go_time *time,
                        const struct civil *c)
{
	switch (element) {
	case E_NONE:
		return;
	case E_LONG_MONTH:
		buf_add_cstr(buf, layout_months[c->month - 1]);
		return;
	case E_MONTH:
		buf_add(buf, sv_from(layout_months[c->month - 1], 3));
		return;
	case E_NUM_MONTH:
	case E_ZERO_MONTH:
		add_layout_number(buf, text, c->month);
		return;
	case E_LONG_WEEKDAY:
		buf_add_cstr(buf, layout_days[c->weekday]);
		return;
	case E_WEEKDAY:
		buf_add(buf, sv_from(layout_days[c->weekday], 3));
		return;
	case E_DAY:
	case E_UNDER_DAY:
	case E_ZERO_DAY:
		add_layout_number(buf, text, c->day);
		return;
	case E_UNDER_YEAR_DAY:
	case E_ZERO_YEAR_DAY:
		add_layout_number(buf, text, c->year_day);
		return;
	case E_HOUR:
		add_layout_number(buf, text, c->hour);
		return;
	case E_HOUR12:
	case E_ZERO_HOUR12:
		add_layout_number(buf, text, c->hour % 12 == 0 ? 12 : c->hour % 12);
		return;
	case E_MINUTE:
	case E_ZERO_MINUTE:
		add_layout_number(buf, text, c->minute);
		return;
	case E_SECOND:
	case E_ZERO_SECOND:
		add_layout_number(buf, text, c->second);
		return;
	case E_LONG_YEAR:
		buf_printf(buf, "%s%04lld", c->year < 0 ? "-" : "",
		           (long long)(c->year < 0 ? -c->year : c->year));
		return;
	case E_YEAR:
		add_layout_number(buf, text, (int)((c->year < 0 ? -c->year : c->year) % 100));
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

sv go_time_format(struct arena *arena, const struct go_time *time, sv layout)
{
	struct buf buf = buf_in(arena);
	struct civil civil = go_civil_of(time);

	while (layout.len > 0) {
		sv prefix;
		sv text;
		enum element element = layout_next(&layout, &prefix, &text);
		buf_add(&buf, prefix);
		add_element(&buf, element, text, time, &civil);
	}
	return buf_sv(&buf);
}
