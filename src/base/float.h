/*
 * Floats as Go's strconv.FormatFloat writes them with precision -1: the fewest decimal digits that
 * read back to the same number.
 */
#ifndef OSM_GEN_BASE_FLOAT_H
#define OSM_GEN_BASE_FLOAT_H

#include "base/sv.h"

/* Room for any float64 in any format, with the sign and a terminator. */
#define FLOAT_TEXT_SIZE 352

enum float_format {
	FLOAT_E, /* 1.5e-07 */
	FLOAT_F, /* 0.00000015 */
	FLOAT_G, /* FLOAT_E below 1e-4 and from 1e6 on, else FLOAT_F: strconv's 'g' */
	FLOAT_V, /* FLOAT_E below 1e-4 and from 1e21 on, else FLOAT_F: what fmt prints for %v */
};

/*
 * Writes the terminated text and returns its length. bits is 64, or 32 for the fewest digits that
 * read back to the same float32. NaN, +Inf and -Inf are written so.
 */
size_t float_format(double number, enum float_format format, int bits, char out[FLOAT_TEXT_SIZE]);

/*
 * The digits alone: number = 0.d1d2d3... * 10^*ret_exponent. Returns how many, at least 1 and at
 * most 17, without trailing zeros; zero is one digit 0 and exponent 0. number must be finite; its
 * sign is ignored.
 */
size_t float_digits(double number, int bits, char digits[18], int *ret_exponent);

#endif
