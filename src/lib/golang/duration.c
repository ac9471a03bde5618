/*
 * Go's time.Duration as text.
 */
#include "golang/golang.h"

struct duration_unit {
	sv name;
	uint64_t nanoseconds;
};

static const struct duration_unit units[] = {
    {SV_INIT("ns"), 1},
    {SV_INIT("us"), 1000},
    {SV_INIT("\xc2\xb5s"), 1000}, /* U+00B5 micro sign */
    {SV_INIT("\xce\xbcs"), 1000}, /* U+03BC mu */
    {SV_INIT("ms"), 1000000},
    {SV_INIT("s"), 1000000000},
    {SV_INIT("m"), 60 * (uint64_t)1000000000},
    {SV_INIT("h"), 3600 * (uint64_t)1000000000},
};

#define DURATION_LIMIT ((uint64_t)1 << 63)

void go_time_quote(struct buf *buf, sv s)
{
	buf_add_char(buf, '"');
	for (size_t i = 0; i < s.len; i++) {
		uint8_t c = (uint8_t)s.ptr[i];

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

/* Digits before the point; false when they exceed the limit. */
static bool take_whole(sv *s, uint64_t *ret_number)
{
	uint64_t number = 0;
	size_t i = 0;

	for (; i < s->len && ascii_is_digit(s->ptr[i]); i++) {
		if (number > DURATION_LIMIT / 10)
			return false;
		number = number * 10 + (uint64_t)(s->ptr[i] - '0');
		if (number > DURATION_LIMIT)
			return false;
	}
	*s = sv_from_offset(*s, i);
	*ret_number = number;
	return true;
}

/* Takes the digits after the point; digits that no longer count are skipped. */
static uint64_t take_fraction(sv *s, double *ret_scale)
{
	uint64_t number = 0;
	double scale = 1;
	bool full = false;
	size_t i = 0;

	for (; i < s->len && ascii_is_digit(s->ptr[i]); i++) {
		if (full || number > (DURATION_LIMIT - 1) / 10) {
			full = true;
			continue;
		}
		uint64_t next = number * 10 + (uint64_t)(s->ptr[i] - '0');

		if (next > DURATION_LIMIT) {
			full = true;
			continue;
		}
		number = next;
		scale *= 10;
	}
	*s = sv_from_offset(*s, i);
	*ret_scale = scale;
	return number;
}

enum part { PART_FINE, PART_INVALID, PART_NO_UNIT, PART_UNKNOWN_UNIT };

/* One number and its unit off *s. *ret_unit is set as far as a unit was reached. */
static enum part take_part(sv *s, uint64_t *ret_nanoseconds, sv *ret_unit)
{
	uint64_t whole;
	uint64_t fraction = 0;
	double scale = 1;
	size_t before = s->len;

	if (s->ptr[0] != '.' && !ascii_is_digit(s->ptr[0]))
		return PART_INVALID;
	if (!take_whole(s, &whole))
		return PART_INVALID;
	bool has_digits = s->len != before;

	if (s->len > 0 && s->ptr[0] == '.') {
		*s = sv_from_offset(*s, 1);
		before = s->len;
		fraction = take_fraction(s, &scale);
		has_digits = has_digits || s->len != before;
	}
	if (!has_digits)
		return PART_INVALID;
	size_t end = 0;

	while (end < s->len && s->ptr[end] != '.' && !ascii_is_digit(s->ptr[end]))
		end++;
	if (end == 0)
		return PART_NO_UNIT;
	*ret_unit = sv_slice(*s, 0, end);
	*s = sv_from_offset(*s, end);
	for (size_t i = 0; i < COUNT_OF(units); i++) {
		if (!sv_eq(*ret_unit, units[i].name))
			continue;
		if (whole > DURATION_LIMIT / units[i].nanoseconds)
			return PART_INVALID;
		uint64_t value = whole * units[i].nanoseconds;

		if (fraction > 0)
			value +=
			    (uint64_t)((double)fraction * ((double)units[i].nanoseconds / scale));
		*ret_nanoseconds = value;
		return value > DURATION_LIMIT ? PART_INVALID : PART_FINE;
	}
	return PART_UNKNOWN_UNIT;
}

static sv part_error(struct arena *arena, enum part part, sv unit, sv whole)
{
	struct buf buf = buf_in(arena);

	switch (part) {
	case PART_FINE:
	case PART_INVALID:
		BUF_ADD_LIT(&buf, "time: invalid duration ");
		break;
	case PART_NO_UNIT:
		BUF_ADD_LIT(&buf, "time: missing unit in duration ");
		break;
	case PART_UNKNOWN_UNIT:
		BUF_ADD_LIT(&buf, "time: unknown unit ");
		go_time_quote(&buf, unit);
		BUF_ADD_LIT(&buf, " in duration ");
		break;
	}
	go_time_quote(&buf, whole);
	return buf_sv(&buf);
}

bool go_duration_parse(struct arena *arena, sv s, int64_t *ret_nanoseconds, sv *ret_error)
{
	bool negative = s.len > 0 && s.ptr[0] == '-';
	sv rest = negative || (s.len > 0 && s.ptr[0] == '+') ? sv_from_offset(s, 1) : s;
	uint64_t sum = 0;
	enum part part = rest.len == 0 ? PART_INVALID : PART_FINE;
	sv unit = {0};

	if (sv_eq(rest, SV("0"))) {
		*ret_nanoseconds = 0;
		return true;
	}
	while (part == PART_FINE && rest.len > 0) {
		uint64_t value = 0;

		part = take_part(&rest, &value, &unit);
		sum += value;
		if (part == PART_FINE && sum > DURATION_LIMIT)
			part = PART_INVALID;
	}
	if (part == PART_FINE && !negative && sum == DURATION_LIMIT)
		part = PART_INVALID;
	if (part != PART_FINE) {
		*ret_error = part_error(arena, part, unit, s);
		return false;
	}
	*ret_nanoseconds = !negative               ? (int64_t)sum
	                   : sum == DURATION_LIMIT ? INT64_MIN
	                                           : -(int64_t)sum;
	return true;
}

/* "1.5" of 1500 thousandths: without trailing zeros. */
static void add_decimal(struct buf *buf, uint64_t value, uint64_t per_unit)
{
	uint64_t fraction = value % per_unit;

	buf_printf(buf, "%llu", (unsigned long long)(value / per_unit));
	if (fraction == 0)
		return;
	buf_add_char(buf, '.');
	while (fraction > 0) {
		per_unit /= 10;
		buf_add_char(buf, (char)('0' + fraction / per_unit));
		fraction %= per_unit;
	}
}

sv go_duration_format(struct arena *arena, int64_t nanoseconds)
{
	const uint64_t second = 1000000000;
	uint64_t rest = nanoseconds < 0 ? -(uint64_t)nanoseconds : (uint64_t)nanoseconds;
	struct buf buf = buf_in(arena);

	if (rest == 0)
		return SV("0s");
	if (nanoseconds < 0)
		buf_add_char(&buf, '-');
	if (rest < 1000) {
		add_decimal(&buf, rest, 1);
		BUF_ADD_LIT(&buf, "ns");
	} else if (rest < 1000000) {
		add_decimal(&buf, rest, 1000);
		BUF_ADD_LIT(&buf, "\xc2\xb5s");
	} else if (rest < second) {
		add_decimal(&buf, rest, 1000000);
		BUF_ADD_LIT(&buf, "ms");
	} else {
		uint64_t minutes = rest / (60 * second);

		if (minutes >= 60)
			buf_printf(&buf, "%lluh", (unsigned long long)(minutes / 60));
		if (minutes > 0)
			buf_printf(&buf, "%llum", (unsigned long long)(minutes % 60));
		add_decimal(&buf, rest % (60 * second), second);
		buf_add_char(&buf, 's');
	}
	return buf_sv(&buf);
}

int64_t go_duration_round(int64_t n, int64_t unit)
{
	if (unit <= 0)
		return n;
	int64_t rest = n % unit;
	__int128 away = 2 * (rest < 0 ? -(__int128)rest : rest) < unit ? 0 : unit;
	__int128 rounded = (__int128)n - rest + (n < 0 ? -away : away);
	return (int64_t)(rounded > INT64_MAX   ? INT64_MAX
	                 : rounded < INT64_MIN ? INT64_MIN
	                                       : rounded);
}
