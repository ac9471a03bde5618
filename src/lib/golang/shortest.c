/*
 * The fewest digits that read back to the same float.
 */
#include "golang/golang.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static bool is_number(double number, int bits, const char *text)
{
	if (bits == 32)
		return strtof(text, NULL) == (float)number;
	return strtod(text, NULL) == number;
}

/* The next decimal of as many digits; false when all of them were 9. */
static bool step_up(char *text)
{
	char *p = strchr(text, 'e');

	while (p-- > text) {
		if (*p == '.')
			continue;
		if (*p != '9') {
			++*p;
			return true;
		}
		*p = '0';
	}
	return false;
}

/*
 * Writes d.ddde+x with count digits; true when that reads back to the number. Above a power of two
 * floats lie twice as far apart as below it, so there the decimal next to the nearest may be the
 * one.
 */
static bool reads_back(double number, int bits, int count, char out[40])
{
	snprintf(out, 40, "%.*e", count - 1, number);
	return is_number(number, bits, out) || (step_up(out) && is_number(number, bits, out));
}

size_t go_float_digits(double number, int bits, char digits[18], int *ret_exponent)
{
	/*
	 * Up to this many digits, a decimal and the nearest float are each other's nearest, so that
	 * cutting zeros gives the shortest. It does not hold for subnormal numbers.
	 */
	int sure = bits == 32 ? FLT_DIG : DBL_DIG;
	double smallest = bits == 32 ? (double)FLT_MIN : DBL_MIN;
	char text[40];
	size_t count = 0;

	number = bits == 32 ? (double)fabsf((float)number) : fabs(number);
	if (number == 0) {
		memcpy(digits, "0", 2);
		*ret_exponent = 0;
		return 1;
	}
	for (int i = number < smallest ? 1 : sure; !reads_back(number, bits, i, text); i++)
		;
	digits[count++] = text[0];
	const char *p = text + 1;
	if (*p == '.')
		for (p++; *p != 'e'; p++)
			digits[count++] = *p;
	*ret_exponent = atoi(p + 1) + 1;
	while (count > 1 && digits[count - 1] == '0')
		count--;
	digits[count] = 0;
	return count;
}

static char *add_digits(char *out, const char *s, size_t len)
{
	memcpy(out, s, len);
	return out + len;
}

static char *add_zeros(char *out, size_t count)
{
	memset(out, '0', count);
	return out + count;
}

static char *add_decimal(char *out, const char *digits, size_t count, int exponent)
{
	if (exponent <= 0) {
		out = add_digits(out, "0", 1);
		if (digits[0] == '0')
			return out;
		out = add_digits(out, ".", 1);
		out = add_zeros(out, (size_t)-exponent);
		return add_digits(out, digits, count);
	}
	if ((size_t)exponent >= count) {
		out = add_digits(out, digits, count);
		return add_zeros(out, (size_t)exponent - count);
	}
	out = add_digits(out, digits, (size_t)exponent);
	out = add_digits(out, ".", 1);
	return add_digits(out, digits + exponent, count - (size_t)exponent);
}

static char *add_scientific(char *out, const char *digits, size_t count, int exponent)
{
	char tail[16];

	out = add_digits(out, digits, 1);
	if (count > 1) {
		out = add_digits(out, ".", 1);
		out = add_digits(out, digits + 1, count - 1);
	}
	snprintf(tail, sizeof(tail), "e%+03d", digits[0] == '0' ? 0 : exponent - 1);
	return add_digits(out, tail, strlen(tail));
}

size_t go_float_shortest(double number, enum float_format format, int bits,
                         char out[FLOAT_TEXT_SIZE])
{
	char digits[18];
	int exponent;
	char *end = out;

	if (bits == 32)
		number = (double)(float)number;
	if (!isfinite(number)) {
		const char *name = isnan(number) ? "NaN" : number > 0 ? "+Inf" : "-Inf";

		end = add_digits(end, name, strlen(name));
		*end = 0;
		return (size_t)(end - out);
	}
	size_t count = go_float_digits(number, bits, digits, &exponent);
	if (signbit(number))
		end = add_digits(end, "-", 1);
	if (format == FLOAT_G || format == FLOAT_V) {
		int from = format == FLOAT_G ? 6 : 21;

		format =
		    number != 0 && (exponent - 1 < -4 || exponent - 1 >= from) ? FLOAT_E : FLOAT_F;
	}
	if (format == FLOAT_E)
		end = add_scientific(end, digits, count, exponent);
	else
		end = add_decimal(end, digits, count, exponent);
	*end = 0;
	return (size_t)(end - out);
}
