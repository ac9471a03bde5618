/*
 * strconv's numbers: parses integers and floats, writes floats in every format of FormatFloat.
 */
#include "golang/golang.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- text to number ---------------------------------------------------------------------- */

/* Checks that underscores are between digits, or between a base prefix and a digit. */
static bool underscores_ok(sv s)
{
	char seen = '^';
	size_t i = 0;
	bool hex = false;

	if (s.len >= 1 && (s.ptr[0] == '-' || s.ptr[0] == '+'))
		s = sv_from_offset(s, 1);
	if (s.len >= 2 && s.ptr[0] == '0' &&
	    (ascii_lower(s.ptr[1]) == 'b' || ascii_lower(s.ptr[1]) == 'o' ||
	     ascii_lower(s.ptr[1]) == 'x')) {
		i = 2;
		seen = '0';
		hex = ascii_lower(s.ptr[1]) == 'x';
	}
	for (; i < s.len; i++) {
		char c = s.ptr[i];
		if (ascii_is_digit(c) || (hex && ascii_is_hex(c))) {
			seen = '0';
		} else if (c == '_') {
			if (seen != '0')
				return false;
			seen = '_';
		} else {
			if (seen == '_')
				return false;
			seen = '!';
		}
	}
	return seen != '_';
}

enum number_status go_parse_uint(sv s, unsigned base, uint64_t *ret_value)
{
	bool base0 = base == 0;
	bool underscores = false;
	uint64_t n = 0;
	sv whole = s;

	*ret_value = 0;
	if (s.len == 0)
		return NUMBER_SYNTAX;
	if (base0) {
		base = 10;
		if (s.ptr[0] == '0') {
			char p = s.len >= 3 ? ascii_lower(s.ptr[1]) : '\0';
			base = p == 'b' ? 2 : p == 'o' ? 8 : p == 'x' ? 16 : 8;
			s = sv_from_offset(s, p == 'b' || p == 'o' || p == 'x' ? 2 : 1);
		}
	}
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '_' && base0) {
			underscores = true;
			continue;
		}
		unsigned digit = ascii_digit_value(s.ptr[i]);
		if (digit >= base)
			return NUMBER_SYNTAX;
		if (__builtin_mul_overflow(n, (uint64_t)base, &n) ||
		    __builtin_add_overflow(n, (uint64_t)digit, &n)) {
			*ret_value = UINT64_MAX;
			return NUMBER_RANGE;
		}
	}
	if (underscores && !underscores_ok(whole))
		return NUMBER_SYNTAX;
	*ret_value = n;
	return NUMBER_OK;
}

enum number_status go_parse_int(sv s, unsigned base, int64_t *ret_value)
{
	bool negative = false;
	uint64_t magnitude;

	*ret_value = 0;
	if (s.len == 0)
		return NUMBER_SYNTAX;
	if (s.ptr[0] == '+' || s.ptr[0] == '-') {
		negative = s.ptr[0] == '-';
		s = sv_from_offset(s, 1);
	}
	enum number_status status = go_parse_uint(s, base, &magnitude);
	if (status == NUMBER_SYNTAX)
		return status;
	uint64_t limit = (uint64_t)INT64_MAX + (negative ? 1 : 0);
	if (status == NUMBER_RANGE || magnitude > limit) {
		*ret_value = negative ? INT64_MIN : INT64_MAX;
		return NUMBER_RANGE;
	}
	*ret_value = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
	return NUMBER_OK;
}

/* Words for the special values, in any case. */
static bool parse_special(sv s, double *ret_value)
{
	bool negative = s.len > 0 && s.ptr[0] == '-';
	bool is_signed = negative || (s.len > 0 && s.ptr[0] == '+');
	sv word = sv_from_offset(s, is_signed ? 1 : 0);

	if (sv_eq_fold_ascii(word, SV("inf")) || sv_eq_fold_ascii(word, SV("infinity"))) {
		*ret_value = negative ? -INFINITY : INFINITY;
		return true;
	}
	if (!is_signed && sv_eq_fold_ascii(word, SV("nan"))) {
		*ret_value = NAN;
		return true;
	}
	return false;
}

/* Returns true if s has the form of a decimal or hexadecimal float, and sets *ret_underscores if it
 * has underscores. */
static bool float_syntax(sv s, bool *ret_underscores)
{
	size_t i = 0;
	size_t digits = 0;
	bool hex = false;
	bool dot = false;

	*ret_underscores = false;
	if (i < s.len && (s.ptr[i] == '+' || s.ptr[i] == '-'))
		i++;
	if (i + 2 < s.len && s.ptr[i] == '0' && ascii_lower(s.ptr[i + 1]) == 'x') {
		hex = true;
		i += 2;
	}
	for (; i < s.len; i++) {
		char c = s.ptr[i];
		if (c == '_')
			*ret_underscores = true;
		else if (c == '.' && !dot)
			dot = true;
		else if (hex ? ascii_is_hex(c) : ascii_is_digit(c))
			digits++;
		else
			break;
	}
	if (digits == 0)
		return false;
	bool exponent = i < s.len && ascii_lower(s.ptr[i]) == (hex ? 'p' : 'e');
	if (hex && !exponent)
		return false;
	if (exponent) {
		i++;
		if (i < s.len && (s.ptr[i] == '+' || s.ptr[i] == '-'))
			i++;
		if (i >= s.len || !ascii_is_digit(s.ptr[i]))
			return false;
		for (; i < s.len && (ascii_is_digit(s.ptr[i]) || s.ptr[i] == '_'); i++)
			*ret_underscores |= s.ptr[i] == '_';
	}
	return i == s.len;
}

enum number_status go_parse_float(sv s, double *ret_value)
{
	char small[128];
	bool underscores;

	*ret_value = 0;
	if (parse_special(s, ret_value))
		return NUMBER_OK;
	if (!float_syntax(s, &underscores) || (underscores && !underscores_ok(s)))
		return NUMBER_SYNTAX;
	char *text = s.len < sizeof(small) ? small : malloc(s.len + 1);
	if (!text)
		base_out_of_memory();
	size_t len = 0;
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] != '_')
			text[len++] = s.ptr[i];
	text[len] = '\0';
	*ret_value = strtod(text, NULL);
	if (text != small)
		free(text);
	return isinf(*ret_value) ? NUMBER_RANGE : NUMBER_OK;
}

int64_t go_float_to_int(double value)
{
	if (value >= -0x1p63 && value < 0x1p63)
		return (int64_t)value;
	return INT64_MIN;
}

uint64_t go_float_to_uint(double value)
{
	if (value < 0x1p63)
		return (uint64_t)go_float_to_int(value);
	return (uint64_t)go_float_to_int(value - 0x1p63) ^ ((uint64_t)1 << 63);
}

/* ---- number to text ---------------------------------------------------------------------- */

/* value = 0.DIGITS * 10^point */
struct decimal {
	bool negative;
	char digits[800];
	int count;
	int point;
};

/* Takes the digits and the exponent out of "d.ddde+XX". */
static void decimal_from_text(struct decimal *d, const char *text)
{
	int exponent = 0;

	d->count = 0;
	for (; *text; text++) {
		if (ascii_is_digit(*text))
			d->digits[d->count++] = *text;
		if (*text == 'e') {
			exponent = atoi(text + 1);
			break;
		}
	}
	d->point = exponent + 1;
	while (d->count > 0 && d->digits[d->count - 1] == '0')
		d->count--;
	if (d->count == 0)
		d->point = 0;
}

/* Correctly rounded to `digits` significant digits; 0: the shortest that reads back. */
static void decimal_from(struct decimal *d, double value, int digits, int bits)
{
	char text[800];

	d->negative = signbit(value) != 0;
	if (digits <= 0) {
		d->count = (int)go_float_digits(value, bits, d->digits, &d->point);
		if (d->count == 1 && d->digits[0] == '0')
			d->count = d->point = 0;
		return;
	}
	if (digits > 770)
		digits = 770;
	snprintf(text, sizeof(text), "%.*e", digits - 1, fabs(value));
	decimal_from_text(d, text);
}

static void add_digit(struct buf *buf, const struct decimal *d, int i)
{
	buf_add_char(buf, i >= 0 && i < d->count ? d->digits[i] : '0');
}

static void format_e(struct buf *buf, const struct decimal *d, int precision, char letter)
{
	if (d->negative)
		buf_add_char(buf, '-');
	add_digit(buf, d, 0);
	if (precision > 0)
		buf_add_char(buf, '.');
	for (int i = 1; i <= precision; i++)
		add_digit(buf, d, i);
	int exponent = d->count == 0 ? 0 : d->point - 1;
	buf_add_char(buf, letter);
	buf_add_char(buf, exponent < 0 ? '-' : '+');
	buf_printf(buf, "%02d", abs(exponent));
}

static void format_f(struct buf *buf, const struct decimal *d, int precision)
{
	if (d->negative)
		buf_add_char(buf, '-');
	if (d->point <= 0)
		buf_add_char(buf, '0');
	for (int i = 0; i < d->point; i++)
		add_digit(buf, d, i);
	if (precision > 0)
		buf_add_char(buf, '.');
	for (int i = 0; i < precision; i++)
		add_digit(buf, d, d->point + i);
}

static void format_g(struct buf *buf, double value, int precision, int bits, char letter)
{
	struct decimal d;
	bool shortest = precision < 0;

	if (precision == 0)
		precision = 1;
	decimal_from(&d, value, shortest ? 0 : precision, bits);
	int threshold = precision;
	if (shortest) {
		precision = 6;
		threshold = 6;
	} else if (threshold > d.count && d.count >= d.point) {
		threshold = d.count;
	}
	/* The shortest form keeps all its digits. */
	if (shortest)
		precision = d.count;
	int exponent = d.point - 1;
	if (exponent < -4 || exponent >= threshold) {
		if (precision > d.count)
			precision = d.count;
		format_e(buf, &d, precision - 1, letter);
		return;
	}
	int decimals = d.count - d.point;
	format_f(buf, &d, decimals > 0 ? decimals : 0);
}

/* 0x1.8p+01 */
static void format_hex(struct buf *buf, double value, int precision, char letter)
{
	/* A double has 13 digits after the point in base 16; the others of a precision are zeros.
	 */
	enum { DIGITS_MAX = 13 };
	char text[64];
	bool upper = letter == 'X';
	int scale = 0;

	/* Go writes a 1 before the point for numbers below the normal ones too. */
	if (value != 0 && fabs(value) < DBL_MIN) {
		frexp(value, &scale);
		value = ldexp(value, -scale);
	}
	if (precision >= 0)
		snprintf(text, sizeof(text), upper ? "%.*A" : "%.*a",
		         precision > DIGITS_MAX ? DIGITS_MAX : precision, value);
	else
		snprintf(text, sizeof(text), upper ? "%A" : "%a", value);
	char *p = strpbrk(text, "pP");
	if (!p)
		return;
	int exponent = atoi(p + 1) + scale;
	/* A number that was rounded up to 2 is 1 with the next exponent. */
	char *digit = text + (text[0] == '-') + 2;
	if (*digit == '2') {
		*digit = '1';
		exponent++;
	}
	buf_add(buf, sv_from(text, (size_t)(p - text)));
	for (int i = DIGITS_MAX; i < precision; i++)
		buf_add_char(buf, '0');
	buf_add_char(buf, letter == 'X' ? 'P' : 'p');
	buf_add_char(buf, exponent < 0 ? '-' : '+');
	buf_printf(buf, "%02d", abs(exponent));
}

/* 4503599627370496p-52 */
static void format_binary(struct buf *buf, double value, int bits)
{
	int exponent;
	int digits = bits == 32 ? 24 : 53;
	int least = bits == 32 ? -149 : -1074;
	double fraction = frexp(fabs(value), &exponent);

	exponent -= digits;
	if (exponent < least || fraction == 0) {
		fraction = ldexp(fraction, exponent - least);
		exponent = least;
	}
	if (signbit(value))
		buf_add_char(buf, '-');
	buf_printf(buf, "%" PRIu64 "p%+d", (uint64_t)ldexp(fraction, digits), exponent);
}

void go_format_float(struct buf *buf, double value, char format, int precision, int bits)
{
	struct decimal d;

	if (isnan(value)) {
		BUF_ADD_LIT(buf, "NaN");
		return;
	}
	if (isinf(value)) {
		buf_add(buf, value > 0 ? SV("+Inf") : SV("-Inf"));
		return;
	}
	if (format == 'f' && precision >= 0) {
		char small[512];
		/* glibc prints doubles exactly, whatever the precision. */
		int len = snprintf(small, sizeof(small), "%.*f", precision, value);
		if (len > 0 && (size_t)len < sizeof(small))
			buf_add(buf, sv_from(small, (size_t)len));
		else
			buf_printf(buf, "%.*f", precision, value);
	} else if (format == 'e' || format == 'E') {
		decimal_from(&d, value, precision < 0 ? 0 : precision + 1, bits);
		format_e(buf, &d, precision < 0 ? (d.count > 0 ? d.count - 1 : 0) : precision,
		         format);
	} else if (format == 'f') {
		decimal_from(&d, value, 0, bits);
		format_f(buf, &d, d.count > d.point ? d.count - d.point : 0);
	} else if (format == 'x' || format == 'X') {
		format_hex(buf, value, precision, format);
	} else if (format == 'b') {
		format_binary(buf, value, bits);
	} else {
		format_g(buf, value, precision, bits, format == 'G' ? 'E' : 'e');
	}
}
