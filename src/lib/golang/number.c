/*
 * strconv's errors around numbers and booleans.
 */
#include "golang/golang.h"

static sv number_error(struct arena *arena, const char *function, sv s, const char *what)
{
	struct buf buf = buf_in(arena);

	buf_printf(&buf, "strconv.%s: parsing ", function);
	go_strconv_quote_add(&buf, s);
	buf_printf(&buf, ": %s", what);
	return buf_sv(&buf);
}

bool go_strconv_parse_bool(struct arena *arena, sv s, bool *ret_value, sv *ret_error)
{
	static const sv yes[] = {SV_INIT("1"),    SV_INIT("t"),    SV_INIT("T"),
	                         SV_INIT("TRUE"), SV_INIT("true"), SV_INIT("True")};
	static const sv no[] = {SV_INIT("0"),     SV_INIT("f"),     SV_INIT("F"),
	                        SV_INIT("FALSE"), SV_INIT("false"), SV_INIT("False")};

	for (size_t i = 0; i < COUNT_OF(yes); i++) {
		bool is_yes = sv_eq(s, yes[i]);

		if (is_yes || sv_eq(s, no[i])) {
			*ret_value = is_yes;
			return true;
		}
	}
	*ret_error = number_error(arena, "ParseBool", s, "invalid syntax");
	return false;
}

enum digits { DIGITS_FINE, DIGITS_BAD, DIGITS_TOO_MANY };

/* Go reads from the left and stops at the first mistake: overflow may hide a later bad digit. */
static enum digits read_digits(sv s, uint64_t max, uint64_t *ret_number)
{
	uint64_t number = 0;

	if (s.len == 0)
		return DIGITS_BAD;
	for (size_t i = 0; i < s.len; i++) {
		if (!ascii_is_digit(s.ptr[i]))
			return DIGITS_BAD;
		uint64_t digit = (uint64_t)(s.ptr[i] - '0');

		if (number > (max - digit) / 10)
			return DIGITS_TOO_MANY;
		number = number * 10 + digit;
	}
	*ret_number = number;
	return DIGITS_FINE;
}

static bool parse_uint(struct arena *arena, const char *function, sv s, sv digits, unsigned bits,
                       uint64_t *ret_value, sv *ret_error)
{
	uint64_t max = bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;

	switch (read_digits(digits, max, ret_value)) {
	case DIGITS_FINE:
		return true;
	case DIGITS_BAD:
		*ret_error = number_error(arena, function, s, "invalid syntax");
		return false;
	case DIGITS_TOO_MANY:
		*ret_error = number_error(arena, function, s, "value out of range");
		return false;
	}
	BUG("unknown digits");
}

bool go_strconv_parse_uint(struct arena *arena, sv s, unsigned bits, uint64_t *ret_value,
                           sv *ret_error)
{
	return parse_uint(arena, "ParseUint", s, s, bits, ret_value, ret_error);
}

bool go_strconv_parse_int(struct arena *arena, sv s, unsigned bits, int64_t *ret_value,
                          sv *ret_error)
{
	bool negative = s.len > 0 && s.ptr[0] == '-';
	sv digits = negative || (s.len > 0 && s.ptr[0] == '+') ? sv_from_offset(s, 1) : s;
	uint64_t limit = (uint64_t)1 << (bits - 1); /* one more below zero than above */
	uint64_t magnitude;

	if (!parse_uint(arena, "ParseInt", s, digits, bits, &magnitude, ret_error))
		return false;
	if (magnitude > limit || (magnitude == limit && !negative)) {
		*ret_error = number_error(arena, "ParseInt", s, "value out of range");
		return false;
	}
	*ret_value = !negative                        ? (int64_t)magnitude
	             : magnitude == (uint64_t)1 << 63 ? INT64_MIN
	                                              : -(int64_t)magnitude;
	return true;
}
