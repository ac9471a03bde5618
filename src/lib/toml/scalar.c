/*
 * TOML's strings, numbers and times from their text.
 */
#include "toml/lex.h"

#include "golang/golang.h"
#include "toml/toml.h"

#include <math.h>
#include <stdlib.h>

/* ---- strings ----------------------------------------------------------------------------- */

static sv without_first_break(sv s)
{
	if (sv_starts_with(s, SV("\n")))
		return sv_from_offset(s, 1);
	if (sv_starts_with(s, SV("\r\n")))
		return sv_from_offset(s, 2);
	return s;
}

/* Returns the length of the white space at i if it has a line break, or 0. */
static size_t folded_space(sv s, size_t i)
{
	size_t end = i;
	bool has_break = false;

	while (end < s.len && strchr(" \t\r\n", s.ptr[end]) && s.ptr[end] != 0) {
		has_break = has_break || s.ptr[end] == '\n';
		end++;
	}
	return has_break ? end - i : 0;
}

static bool add_code(struct buf *buf, sv digits, sv *ret_error)
{
	uint32_t rune = 0;

	for (size_t i = 0; i < digits.len; i++)
		rune = rune << 4 | ascii_digit_value(digits.ptr[i]);
	if (rune > UTF8_MAX_RUNE || (rune >= 0xD800 && rune < 0xE000)) {
		*ret_error = arena_printf(
		    buf->arena, "Escaped character '\\u%.*s' is not valid UTF-8.", SV_ARG(digits));
		return false;
	}
	buf_add_rune(buf, rune);
	return true;
}

/* The lexer has checked that each escape is one. */
static bool unescape(struct arena *arena, sv s, bool is_multiline, sv *ret, sv *ret_error)
{
	static const char from[] = "btnfre\"\\";
	static const char to[] = "\b\t\n\f\r\x1b\"\\";
	struct buf buf = buf_in(arena);

	for (size_t i = 0; i < s.len;) {
		if (s.ptr[i] != '\\') {
			buf_add_char(&buf, s.ptr[i++]);
			continue;
		}
		size_t space = is_multiline ? folded_space(s, i + 1) : 0;
		if (space > 0) {
			i += 1 + space;
			continue;
		}
		char c = s.ptr[i + 1];
		size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
		const char *known = strchr(from, c);
		if (digits > 0) {
			if (!add_code(&buf, sv_slice(s, i + 2, i + 2 + digits), ret_error))
				return false;
		} else if (known && c != 0) {
			buf_add_char(&buf, to[known - from]);
		} else {
			*ret_error = arena_printf(arena, "invalid escape: '\\%c'", c);
			return false;
		}
		i += 2 + digits;
	}
	*ret = buf_sv(&buf);
	return true;
}

/* ---- numbers ----------------------------------------------------------------------------- */

/* Checks that each underscore is between two digits and that the last character is a digit. */
static bool are_underscores_right(sv s)
{
	sv bare = s.len > 0 && (s.ptr[0] == '+' || s.ptr[0] == '-') ? sv_from_offset(s, 1) : s;
	bool is_after_digit = false;

	if (sv_eq(bare, SV("nan")) || sv_eq(bare, SV("inf")))
		return true;
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '_' && !is_after_digit)
			return false;
		is_after_digit = ascii_is_hex(s.ptr[i]);
	}
	return is_after_digit;
}

static bool has_leading_zero(sv s)
{
	if (s.len > 1 && s.ptr[0] == '0' && !strchr("box", s.ptr[1]))
		return true;
	return s.len > 2 && (s.ptr[0] == '-' || s.ptr[0] == '+') && s.ptr[1] == '0';
}

static sv without_underscores(struct arena *arena, sv s)
{
	struct buf buf = buf_in(arena);

	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] != '_')
			buf_add_char(&buf, s.ptr[i]);
	return buf_sv(&buf);
}

static bool read_integer(struct arena *arena, sv text, struct value *ret, sv *ret_error)
{
	sv quoted = go_strconv_quote(arena, text);
	uint64_t n = 0;
	bool fits = true;

	if (!are_underscores_right(text)) {
		*ret_error = arena_printf(
		    arena, "Invalid integer %.*s: underscores must be surrounded by digits",
		    SV_ARG(quoted));
		return false;
	}
	if (has_leading_zero(text)) {
		*ret_error = arena_printf(arena, "Invalid integer %.*s: cannot have leading zeroes",
		                          SV_ARG(quoted));
		return false;
	}
	sv digits = without_underscores(arena, text);
	bool is_negative = sv_starts_with(digits, SV("-"));
	if (is_negative || sv_starts_with(digits, SV("+")))
		digits = sv_from_offset(digits, 1);
	unsigned base = 10;
	if (digits.len > 2 && digits.ptr[0] == '0') {
		base = digits.ptr[1] == 'x' ? 16 : digits.ptr[1] == 'o' ? 8 : 2;
		digits = sv_from_offset(digits, 2);
	}
	for (size_t i = 0; fits && i < digits.len; i++) {
		uint64_t d = ascii_digit_value(digits.ptr[i]);

		fits = !__builtin_mul_overflow(n, (uint64_t)base, &n) &&
		       !__builtin_add_overflow(n, d, &n);
	}
	if (!fits || n > (uint64_t)INT64_MAX + is_negative) {
		*ret_error = arena_printf(arena, "%.*s is out of range for int64", SV_ARG(text));
		return false;
	}
	*ret = (struct value){.type = &type_int64,
	                      .integer = is_negative ? (int64_t)(0 - n) : (int64_t)n};
	return true;
}

/* Between the points and exponent marks, as Go's FieldsFunc cuts: no empty parts. */
static sv next_part(sv s, size_t *i)
{
	while (*i < s.len && strchr(".eE", s.ptr[*i]))
		++*i;
	size_t from = *i;
	while (*i < s.len && !strchr(".eE", s.ptr[*i]))
		++*i;
	return sv_slice(s, from, *i);
}

static bool are_points_right(sv s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] == '.' && (i + 1 == s.len || !ascii_is_digit(s.ptr[i + 1])))
			return false;
	return true;
}

/* Go's ParseFloat takes it: digits, a point, an exponent. */
static bool has_float_form(sv s)
{
	size_t i = s.len > 0 && (s.ptr[0] == '+' || s.ptr[0] == '-');
	size_t digits = 0;

	for (; i < s.len && ascii_is_digit(s.ptr[i]); i++)
		digits++;
	if (i < s.len && s.ptr[i] == '.')
		for (i++; i < s.len && ascii_is_digit(s.ptr[i]); i++)
			digits++;
	if (digits == 0)
		return false;
	if (i < s.len && (s.ptr[i] | 0x20) == 'e') {
		i++;
		if (i < s.len && (s.ptr[i] == '+' || s.ptr[i] == '-'))
			i++;
		if (i == s.len)
			return false;
		while (i < s.len && ascii_is_digit(s.ptr[i]))
			i++;
	}
	return i == s.len;
}

static bool check_float(struct arena *arena, sv text, sv *ret_error)
{
	const char *what = NULL;
	size_t i = 0;

	for (sv part; !what && (part = next_part(text, &i)).len > 0;)
		if (!are_underscores_right(part))
			what = "underscores must be surrounded by digits";
	i = 0;
	if (!what && has_leading_zero(next_part(text, &i)))
		what = "cannot have leading zeroes";
	if (!what && !are_points_right(text))
		what = "'.' must be followed by one or more digits";
	if (!what)
		return true;
	*ret_error = arena_printf(arena, "Invalid float %.*s: %s",
	                          SV_ARG(go_strconv_quote(arena, text)), what);
	return false;
}

static bool read_float(struct arena *arena, sv text, struct value *ret, sv *ret_error)
{
	bool is_negative = text.len > 0 && text.ptr[0] == '-';

	if (!check_float(arena, text, ret_error))
		return false;
	sv plain = without_underscores(arena, text);
	if (sv_ends_with(plain, SV("inf")) || sv_ends_with(plain, SV("nan"))) {
		double size = sv_ends_with(plain, SV("inf")) ? INFINITY : NAN;

		*ret = value_float(copysign(size, is_negative ? -1 : 1));
		return true;
	}
	if (!has_float_form(plain)) {
		*ret_error = arena_printf(arena, "Invalid float value: %.*s",
		                          SV_ARG(go_strconv_quote(arena, text)));
		return false;
	}
	double number = strtod(arena_cstr(arena, plain), NULL);
	if (isinf(number)) {
		*ret_error = arena_printf(arena, "%.*s is out of range for float64", SV_ARG(text));
		return false;
	}
	*ret = value_float(number);
	return true;
}

/* ---- times ------------------------------------------------------------------------------- */

const struct type toml_type_time = {.kind = KIND_STRING, .name = SV_INIT("time.Time")};

struct clock {
	sv rest;
	struct buf out; /* in the form that the library writes */
};

/* count digits of a number between low and high. */
static bool take_clock_number(struct clock *c, size_t count, int low, int high, int *ret)
{
	int n = 0;

	if (c->rest.len < count)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!ascii_is_digit(c->rest.ptr[i]))
			return false;
		n = n * 10 + c->rest.ptr[i] - '0';
	}
	if (n < low || n > high)
		return false;
	buf_add(&c->out, sv_slice(c->rest, 0, count));
	c->rest = sv_from_offset(c->rest, count);
	*ret = n;
	return true;
}

static bool take_char(struct clock *c, char expected)
{
	if (c->rest.len == 0 || c->rest.ptr[0] != expected)
		return false;
	buf_add_char(&c->out, expected);
	c->rest = sv_from_offset(c->rest, 1);
	return true;
}

static bool take_date(struct clock *c)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	int year;
	int month;
	int day;

	if (!take_clock_number(c, 4, 0, 9999, &year) || !take_char(c, '-') ||
	    !take_clock_number(c, 2, 1, 12, &month) || !take_char(c, '-') ||
	    !take_clock_number(c, 2, 1, 31, &day))
		return false;
	bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
	return day <= days[month - 1] + (month == 2 && is_leap);
}

/* Nanoseconds at most, without trailing zeros. */
static bool take_fraction(struct clock *c)
{
	size_t count = 0;

	while (1 + count < c->rest.len && ascii_is_digit(c->rest.ptr[1 + count]))
		count++;
	if (count == 0)
		return false;
	sv kept = sv_slice(c->rest, 0, 1 + (count < 9 ? count : 9));
	kept = sv_trim_right(kept, "0");
	if (kept.len > 1)
		buf_add(&c->out, kept);
	c->rest = sv_from_offset(c->rest, 1 + count);
	return true;
}

/* The seconds may be missing (TOML 1.1). */
static bool take_time(struct clock *c)
{
	int n;

	if (!take_clock_number(c, 2, 0, 23, &n) || !take_char(c, ':') ||
	    !take_clock_number(c, 2, 0, 59, &n))
		return false;
	if (c->rest.len == 0 || c->rest.ptr[0] != ':') {
		BUF_ADD_LIT(&c->out, ":00");
		return true;
	}
	if (!take_char(c, ':') || !take_clock_number(c, 2, 0, 59, &n))
		return false;
	return c->rest.len == 0 || c->rest.ptr[0] != '.' || take_fraction(c);
}

static bool take_zone(struct clock *c)
{
	size_t from = c->out.len;
	int hours;
	int minutes;

	if (take_char(c, 'Z'))
		return true;
	if ((!take_char(c, '+') && !take_char(c, '-')) || !take_clock_number(c, 2, 0, 24, &hours) ||
	    !take_char(c, ':') || !take_clock_number(c, 2, 0, 60, &minutes))
		return false;
	if (hours == 0 && minutes == 0) {
		c->out.len = from;
		buf_add_char(&c->out, 'Z');
	}
	return true;
}

static bool take_any(struct clock *c)
{
	if (c->rest.len > 2 && c->rest.ptr[2] == ':')
		return take_time(c) && c->rest.len == 0;
	if (!take_date(c))
		return false;
	if (c->rest.len == 0)
		return true;
	if (!take_char(c, 'T') || !take_time(c))
		return false;
	return c->rest.len == 0 || (take_zone(c) && c->rest.len == 0);
}

static bool read_time(struct arena *arena, sv text, struct value *ret, sv *ret_error)
{
	char *upper = arena_alloc_text(arena, text.len);

	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		upper[i] = (char)(c == 'z' ? 'Z' : c == 't' || c == ' ' ? 'T' : c);
	}
	struct clock clock = {sv_from(upper, text.len), buf_in(arena)};
	if (!take_any(&clock)) {
		*ret_error =
		    arena_printf(arena, "invalid datetime: %.*s",
		                 SV_ARG(go_strconv_quote(arena, sv_from(upper, text.len))));
		return false;
	}
	*ret = (struct value){.type = &toml_type_time, .string = buf_sv(&clock.out)};
	return true;
}

/* ---- all --------------------------------------------------------------------------------- */

bool toml_scalar(struct arena *arena, const struct toml_item *item, struct value *ret,
                 sv *ret_error)
{
	sv text = item->text;

	switch (item->kind) {
	case TOML_STRING:
		break;
	case TOML_STRING_LITERAL_MULTILINE:
		text = without_first_break(text);
		break;
	case TOML_STRING_ESCAPED:
		if (!unescape(arena, text, false, &text, ret_error))
			return false;
		break;
	case TOML_STRING_MULTILINE:
		if (!unescape(arena, without_first_break(text), true, &text, ret_error))
			return false;
		break;
	case TOML_BOOL:
		*ret = value_bool(sv_eq(text, SV("true")));
		return true;
	case TOML_INTEGER:
		return read_integer(arena, text, ret, ret_error);
	case TOML_FLOAT:
		return read_float(arena, text, ret, ret_error);
	case TOML_DATETIME:
		return read_time(arena, text, ret, ret_error);
	case TOML_ARRAY:
	case TOML_INLINE_TABLE:
		BUG("a bracket is not a scalar");
	}
	*ret = value_string(arena_dup(arena, text));
	return true;
}
