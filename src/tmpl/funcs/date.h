/*
 * Go's time.Time and time.Duration as template values.
 */
#ifndef OSM_GEN_TMPL_FUNCS_DATE_H
#define OSM_GEN_TMPL_FUNCS_DATE_H

#include "tmpl/run.h"

struct go_time {
	int64_t seconds; /* since 1970, UTC */
	int32_t nanoseconds;
	int32_t zone_offset; /* seconds east of UTC */
	sv zone_name;
};

extern const struct type type_duration; /* time.Duration: nanoseconds in integer */

struct value time_value(struct arena *arena, struct go_time time);

#endif
