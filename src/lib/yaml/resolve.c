/*
 * Resolves plain scalars by the rules of yaml.v2: to a number, a boolean, null or a string.
 */
#include "yaml/resolve.h"

#include <math.h>
#include <stdlib.h>

static bool is_sign(char c)
{
	return c == '+' || c == '-';
}

bool yml_is_one_of(sv text, const char *const *words)
{
	for (; *words; words++)
		if (sv_eq_cstr(text, *words))
			return true;
	return false;
}

/* ---- numbers ----------------------------------------------------------------------------- */

/* Digits of one base, all of the text, at least one. */
static bool parse_digits(sv s, unsigned base, uint64_t *ret)
{
	uint64_t n = 0;

	for (size_t i = 0; i < s.len; i++) {
		unsigned d = ascii_digit_value(s.ptr[i]);

		if (d >= base || __builtin_mul_overflow(n, (uint64_t)base, &n) ||
		    __builtin_add_overflow(n, (uint64_t)d, &n))
			return false;
	}
	*ret = n;
	return s.len > 0;
}

/* Go's ParseUint with base 0: 0x, 0o, 0b, a leading 0 for octal, else decimal. */
static bool parse_uint(sv s, uint64_t *ret)
{
	if (s.len >= 3 && s.ptr[0] == '0') {
		switch (s.ptr[1]) {
		case 'x':
		case 'X':
			return parse_digits(sv_from_offset(s, 2), 16, ret);
		case 'o':
		case 'O':
			return parse_digits(sv_from_offset(s, 2), 8, ret);
		case 'b':
		case 'B':
			return parse_digits(sv_from_offset(s, 2), 2, ret);
		}
	}
	if (s.len >= 2 && s.ptr[0] == '0')
		return parse_digits(sv_from_offset(s, 1), 8, ret);
	return parse_digits(s, 10, ret);
}

static bool with_sign(uint64_t n, bool negative, int64_t *ret)
{
	if (n > (uint64_t)INT64_MAX + (negative ? 1 : 0))
		return false;
	*ret = negative ? (int64_t)(0 - n) : (int64_t)n;
	return true;
}

static bool parse_int(sv s, int64_t *ret)
{
	uint64_t n;
	bool negative = s.len > 0 && s.ptr[0] == '-';

	if (s.len > 0 && is_sign(s.ptr[0]))
		s = sv_from_offset(s, 1);
	return parse_uint(s, &n) && with_sign(n, negative, ret);
}

/* COMPAT: yaml.v2 strips "0b" and lets Go parse a sign after it: 0b-11 is -3. */
static bool parse_odd_binary(sv s, struct value *ret)
{
	uint64_t n;
	int64_t i;

	if (!sv_starts_with(s, SV("0b")))
		return false;
	s = sv_from_offset(s, 2);
	bool negative = s.len > 0 && s.ptr[0] == '-';
	if (s.len > 0 && is_sign(s.ptr[0]))
		s = sv_from_offset(s, 1);
	if (!parse_digits(s, 2, &n) || !with_sign(n, negative, &i))
		return false;
	*ret = (struct value){.type = &type_int64, .integer = i};
	return true;
}

static size_t count_digits(sv s, size_t from)
{
	size_t i = from;

	while (i < s.len && ascii_is_digit(s.ptr[i]))
		i++;
	return i - from;
}

/* [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)? */
static bool has_float_form(sv s)
{
	size_t i = s.len > 0 && is_sign(s.ptr[0]);
	size_t whole = count_digits(s, i);

	i += whole;
	if (i < s.len && s.ptr[i] == '.') {
		size_t fraction = count_digits(s, i + 1);

		if (whole + fraction == 0)
			return false;
		i += 1 + fraction;
	} else if (whole == 0) {
		return false;
	}
	if (i < s.len && (s.ptr[i] == 'e' || s.ptr[i] == 'E')) {
		i++;
		if (i < s.len && is_sign(s.ptr[i]))
			i++;
		size_t exponent = count_digits(s, i);
		if (exponent == 0)
			return false;
		i += exponent;
	}
	return i == s.len;
}

static bool parse_float(sv s, struct value *ret)
{
	char small[64];
	char *text = small;

	if (!has_float_form(s))
		return false;
	if (s.len >= sizeof(small)) {
		text = malloc(s.len + 1);
		if (!text)
			base_out_of_memory();
	}
	memcpy(text, s.ptr, s.len);
	text[s.len] = 0;
	double number = strtod(text, NULL);
	if (text != small)
		free(text);
	if (isinf(number))
		return false; /* Go: out of range, so it stays a string */
	*ret = value_float(number);
	return true;
}

/* A copy without '_', in out when it fits; false when it does not. */
static bool without_underscores(sv s, char *out, size_t size, sv *ret)
{
	size_t len = 0;

	if (sv_find_char(s, '_') == SV_NPOS) {
		*ret = s;
		return true;
	}
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '_')
			continue;
		if (len == size)
			return false;
		out[len++] = s.ptr[i];
	}
	*ret = (sv){out, len};
	return true;
}

static struct value resolve_number(sv text)
{
	char small[512];
	sv plain;
	struct value v;
	uint64_t u;
	int64_t i;

	/* More digits than that, and underscores too: nobody means a number. */
	if (!without_underscores(text, small, sizeof(small), &plain))
		return value_string(text);
	if (parse_int(plain, &i))
		return (struct value){.type = &type_int64, .integer = i};
	if (parse_uint(plain, &u))
		return (struct value){.type = &type_uint64, .unsigned_integer = u};
	if (parse_float(plain, &v) || parse_odd_binary(plain, &v))
		return v;
	return value_string(text);
}

/* ---- words ------------------------------------------------------------------------------- */

static const char *const words_true[] = {"y",    "Y",    "yes", "Yes", "YES", "true",
                                         "True", "TRUE", "on",  "On",  "ON",  NULL};
static const char *const words_false[] = {"n",     "N",     "no",  "No",  "NO",  "false",
                                          "False", "FALSE", "off", "Off", "OFF", NULL};
static const char *const words_null[] = {"", "~", "null", "Null", "NULL", NULL};
static const char *const words_nan[] = {".nan", ".NaN", ".NAN", NULL};
static const char *const words_inf[] = {".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF", NULL};
static const char *const words_minus_inf[] = {"-.inf", "-.Inf", "-.INF", NULL};

static bool resolve_word(sv text, struct value *ret)
{
	if (text.len > 5)
		return false;
	if (yml_is_one_of(text, words_null))
		*ret = value_null();
	else if (yml_is_one_of(text, words_true))
		*ret = value_bool(true);
	else if (yml_is_one_of(text, words_false))
		*ret = value_bool(false);
	else if (yml_is_one_of(text, words_nan))
		*ret = value_float(NAN);
	else if (yml_is_one_of(text, words_inf))
		*ret = value_float(INFINITY);
	else if (yml_is_one_of(text, words_minus_inf))
		*ret = value_float(-INFINITY);
	else
		return false;
	return true;
}

/* Go's ParseFloat takes underscores, each between two digits. */
static bool separates_digits(sv s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] == '_' && (i == 0 || !ascii_is_digit(s.ptr[i - 1]) || i + 1 == s.len ||
		                        !ascii_is_digit(s.ptr[i + 1])))
			return false;
	return true;
}

struct value yml_resolve(sv text)
{
	char small[512];
	struct value v;
	sv plain;

	if (resolve_word(text, &v))
		return v;
	if (ascii_is_digit(text.ptr[0]) || is_sign(text.ptr[0]))
		return resolve_number(text);
	if (text.ptr[0] == '.' && separates_digits(text) &&
	    without_underscores(text, small, sizeof(small), &plain) && parse_float(plain, &v))
		return v;
	return value_string(text);
}

/* ---- times ------------------------------------------------------------------------------- */

struct cursor {
	sv rest;
};

/* One digit or two, as Go's time.Parse takes "1" in a layout. */
static bool take_date_number(struct cursor *at, int *ret)
{
	size_t count = count_digits(at->rest, 0);

	if (count == 0)
		return false;
	*ret = at->rest.ptr[0] - '0';
	if (count >= 2)
		*ret = *ret * 10 + at->rest.ptr[1] - '0';
	at->rest = sv_from_offset(at->rest, count >= 2 ? 2 : 1);
	return true;
}

static bool take_char(struct cursor *at, char c)
{
	if (at->rest.len == 0 || at->rest.ptr[0] != c)
		return false;
	at->rest = sv_from_offset(at->rest, 1);
	return true;
}

static bool take_date(struct cursor *at)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	int month;
	int day;

	if (count_digits(at->rest, 0) != 4)
		return false;
	int year =
	    atoi((char[]){at->rest.ptr[0], at->rest.ptr[1], at->rest.ptr[2], at->rest.ptr[3], 0});
	at->rest = sv_from_offset(at->rest, 4);
	if (!take_char(at, '-') || !take_date_number(at, &month) || !take_char(at, '-') ||
	    !take_date_number(at, &day) || month < 1 || month > 12)
		return false;
	bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
	return day >= 1 && day <= days[month - 1] + (month == 2 && leap);
}

static bool take_clock(struct cursor *at)
{
	int hour;
	int minute;
	int second;

	if (!take_date_number(at, &hour) || !take_char(at, ':') || !take_date_number(at, &minute) ||
	    !take_char(at, ':') || !take_date_number(at, &second) || hour > 23 || minute > 59 ||
	    second > 59)
		return false;
	if (at->rest.len >= 2 && (at->rest.ptr[0] == '.' || at->rest.ptr[0] == ',') &&
	    ascii_is_digit(at->rest.ptr[1]))
		at->rest = sv_from_offset(at->rest, 1 + count_digits(at->rest, 1));
	return true;
}

/* Z, or +hh:mm. */
static bool take_zone(struct cursor *at)
{
	int hour;
	int minute;

	if (take_char(at, 'Z'))
		return true;
	if (at->rest.len < 6 || !is_sign(at->rest.ptr[0]) || at->rest.ptr[3] != ':')
		return false;
	at->rest = sv_from_offset(at->rest, 1);
	if (count_digits(at->rest, 0) != 2 || count_digits(at->rest, 3) < 2)
		return false;
	return take_date_number(at, &hour) && take_char(at, ':') && take_date_number(at, &minute) &&
	       hour <= 24 && minute <= 60;
}

bool yml_is_timestamp(sv text)
{
	struct cursor at = {text};

	if (!take_date(&at))
		return false;
	if (at.rest.len == 0)
		return true;
	if (take_char(&at, 'T') || take_char(&at, 't'))
		return take_clock(&at) && take_zone(&at) && at.rest.len == 0;
	if (!take_char(&at, ' '))
		return false;
	while (take_char(&at, ' '))
		;
	return take_clock(&at) && at.rest.len == 0;
}

bool yml_is_base60(sv text)
{
	size_t i = text.len > 0 && is_sign(text.ptr[0]);
	size_t groups = 0;

	if (i >= text.len || !ascii_is_digit(text.ptr[i]))
		return false;
	while (i < text.len && (ascii_is_digit(text.ptr[i]) || text.ptr[i] == '_'))
		i++;
	while (i < text.len && text.ptr[i] == ':') {
		size_t count = count_digits(text, i + 1);

		if (count == 0 || count > 2 || (count == 2 && text.ptr[i + 1] > '5'))
			return false;
		i += 1 + count;
		groups++;
	}
	if (groups == 0)
		return false;
	if (i < text.len && text.ptr[i] == '.')
		for (i++; i < text.len && (ascii_is_digit(text.ptr[i]) || text.ptr[i] == '_'); i++)
			;
	return i == text.len;
}

/* ---- for the writer ---------------------------------------------------------------------- */

enum { LONGEST_WORD = 5 };

static const sv all_words[] = {
    SV_INIT("y"),     SV_INIT("n"),    SV_INIT("yes"),   SV_INIT("no"),   SV_INIT("on"),
    SV_INIT("off"),   SV_INIT("true"), SV_INIT("false"), SV_INIT("null"), SV_INIT("nil"),
    SV_INIT("none"),  SV_INIT("~"),    SV_INIT(".inf"),  SV_INIT("inf"),  SV_INIT("+.inf"),
    SV_INIT("-.inf"), SV_INIT(".nan"), SV_INIT("nan"),   SV_INIT("<<"),   SV_INIT("="),
};

/* Anything made of digits, signs and separators, with at most one exponent. */
static bool looks_like_number(sv s)
{
	size_t dots = 0;
	size_t letters = 0;
	size_t i = s.len > 0 && is_sign(s.ptr[0]);

	if (s.len >= i + 2 && s.ptr[i] == '0' && strchr("xXoObB", s.ptr[i + 1])) {
		for (i += 2; i < s.len; i++)
			if (!ascii_is_hex(s.ptr[i]) && s.ptr[i] != '_')
				return false;
		return true;
	}
	for (; i < s.len; i++) {
		char c = s.ptr[i];

		if (c == '.')
			dots++;
		else if (c == 'e' || c == 'E')
			letters++;
		else if (!ascii_is_digit(c) && c != '_' && c != ',' && c != ':' && !is_sign(c))
			return false;
	}
	/* Addresses and versions have more dots than any number has. */
	return dots <= 1 && letters <= 1;
}

bool yml_is_surely_string(sv text)
{
	if (text.len == 0)
		return false;
	for (size_t i = 0; i < COUNT_OF(all_words) && text.len <= LONGEST_WORD; i++)
		if (sv_eq_fold_ascii(text, all_words[i]))
			return false;
	if (!ascii_is_digit(text.ptr[0]) && !is_sign(text.ptr[0]) && text.ptr[0] != '.')
		return true;
	if (text.len >= 6 && count_digits(text, 0) == 4 && text.ptr[4] == '-' &&
	    ascii_is_digit(text.ptr[5]))
		return false;
	struct value v = yml_resolve(text);
	return value_is_string(&v) && !looks_like_number(text);
}
