/*
 * Go's time.Time and time.Duration as template values.
 */
#ifndef OSM_GEN_TMPL_FUNCS_DATE_H
#define OSM_GEN_TMPL_FUNCS_DATE_H

#include "tmpl/exec.h"

struct go_time {
	int64_t seconds; /* since 1970, UTC */
	int32_t nanoseconds;
	int32_t zone_offset; /* seconds east of UTC */
	sv zone_name;        /* empty: known by its offset alone */
	bool is_local;       /* time.Local, which is UTC by another name */
};

/* Go's zero time: the first of January of the year 1. */
#define ZERO_TIME (-62135596800)

/* ---- time.c ------------------------------------------------------------------------------ */

struct value time_value(struct arena *arena, struct go_time time);
/* Why RFC 3339 cannot say the time, in Go's words; or null. */
const char *time_json_range(const struct value *v);
struct go_time time_add(struct go_time time, int64_t nanoseconds);

/* ---- duration.c -------------------------------------------------------------------------- */

/* Halves away from zero; what does not fit is the longest Duration. */
int64_t duration_round(int64_t nanoseconds, int64_t unit);

/* ---- layout.c ---------------------------------------------------------------------------- */

struct civil {
	int64_t year;
	int month;
	int day;
	int hour;
	int minute;
	int second;
	int weekday;  /* 0: Sunday */
	int year_day; /* from 1 */
};

struct civil civil_of(const struct go_time *time);

/* Time.Format: layouts are written as 2006-01-02 15:04:05. */
sv time_format(struct arena *arena, const struct go_time *time, sv layout);
/*
 * time.ParseInLocation, with UTC as the local zone; is_local: what a text without a zone is in, UTC
 * else. False: *ret_error is Go's text.
 */
MUST_CHECK bool time_parse(struct arena *arena, sv layout, sv text, bool is_local,
                           struct go_time *ret_time, sv *ret_error);

/* ---- times.c: times in documents --------------------------------------------------------- */

/*
 * Texts of the type `from` become times, wherever they stand in a tree that is the caller's own.
 */
void times_from_texts(struct arena *arena, struct value *v, const struct type *from);
/* The other way, for an encoder that knows `to`; the tree is copied where it holds a time. */
enum status times_to_texts(struct tmpl_call *call, const struct value *v, const struct type *to,
                           struct value *ret_value);

#endif
