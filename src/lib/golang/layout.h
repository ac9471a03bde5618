/*
 * Layouts in pieces: what formatting and parsing of times share. Private to golang.
 */
#ifndef OSM_GEN_GOLANG_LAYOUT_H
#define OSM_GEN_GOLANG_LAYOUT_H

#include "golang/golang.h"

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
	E_ZONE,     /* an offset; its form is the element's own string */
	E_FRACTION, /* .000 or .999 */
};

static inline bool layout_is_digit_at(sv s, size_t i)
{
	return i < s.len && ascii_is_digit(s.ptr[i]);
}

/*
 * Cuts the next element off the layout; sets the plain text before it and its own string. Returns
 * E_NONE at the end, with the rest as plain text.
 */
enum element layout_next(sv *layout, sv *ret_prefix, sv *ret_text);

#endif
