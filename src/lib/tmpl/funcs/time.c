/*
 * time.Time with its methods. The local zone is UTC, as in the controller's image.
 */
#include "tmpl/funcs/date.h"

#include "golang/golang.h"
#include "tmpl/func.h"

#include <inttypes.h>

#define NANOSECONDS 1000000000
#define MAX_YEAR    INT64_C(1000000000)

/* ---- time.Time --------------------------------------------------------------------------- */

static sv time_text(struct arena *arena, const struct value *v)
{
	return go_time_format(arena, v->opaque, SV("2006-01-02 15:04:05.999999999 -0700 MST"));
}

static bool is_utc(const struct go_time *time)
{
	return !time->is_local && time->zone_offset == 0 && sv_eq(time->zone_name, SV("UTC"));
}

/* %#v */
static sv time_go_text(struct arena *arena, const struct value *v)
{
	const struct go_time *time = v->opaque;
	struct civil civil = go_civil_of(time);
	struct buf buf = buf_in(arena);

	buf_printf(&buf, "time.Date(%" PRId64 ", time.%s, %d, %d, %d, %d, %d, ", civil.year,
	           layout_months[civil.month - 1], civil.day, civil.hour, civil.minute,
	           civil.second, (int)time->nanoseconds);
	if (time->is_local) {
		BUF_ADD_LIT(&buf, "time.Local)");
	} else if (is_utc(time)) {
		BUF_ADD_LIT(&buf, "time.UTC)");
	} else {
		BUF_ADD_LIT(&buf, "time.Location(");
		go_strconv_quote_add(&buf, time->zone_name);
		BUF_ADD_LIT(&buf, "))");
	}
	return buf_sv(&buf);
}

/* RFC 3339 with nanoseconds. */
static sv time_json(struct arena *arena, const struct value *v)
{
	return go_time_format(arena, v->opaque, SV("2006-01-02T15:04:05.999999999Z07:00"));
}

const char *time_json_range(const struct value *v)
{
	static const int day = 86400;
	const struct go_time *time = v->opaque;
	int64_t year = go_civil_of(time).year;

	if (year < 0 || year > 9999)
		return "year outside of range [0,9999]";
	if (time->zone_offset >= day || time->zone_offset <= -day)
		return "timezone hour outside of range [0,23]";
	return NULL;
}

/* Each byte of a layout is held against all elements that may begin there. */
#define STEPS_PER_LAYOUT_BYTE 2

enum status time_charge_layout(struct tmpl_call *call, sv layout)
{
	return exec_charge(call->run, layout.len * STEPS_PER_LAYOUT_BYTE);
}

static enum status method_format(struct tmpl_call *call)
{
	TRY(time_charge_layout(call, arg_string(call, 0)));
	return tmpl_return_string(
	    call, go_time_format(call->arena, call->receiver->opaque, arg_string(call, 0)));
}

static enum status return_civil(struct tmpl_call *call, int64_t part)
{
	return tmpl_return_int(call, part);
}

static enum status method_append_format(struct tmpl_call *call)
{
	TRY(time_charge_layout(call, arg_string(call, 1)));
	sv text = go_time_format(call->arena, call->receiver->opaque, arg_string(call, 1));
	return tmpl_return_bytes(call, &type_bytes,
	                         ARENA_CONCAT(call->arena, arg_string(call, 0), text));
}

/* RFC 3339 between some bytes; the name is that of the method, for the error. */
static enum status return_rfc3339(struct tmpl_call *call, const char *name, sv before, sv behind)
{
	const char *range = time_json_range(call->receiver);

	if (range)
		return tmpl_fail(call, "Time.%s: %s", name, range);
	return tmpl_return_bytes(
	    call, &type_bytes,
	    ARENA_CONCAT(call->arena, before, time_json(call->arena, call->receiver), behind));
}

static enum status method_append_text(struct tmpl_call *call)
{
	return return_rfc3339(call, "AppendText", arg_string(call, 0), SV(""));
}

static enum status method_marshal_text(struct tmpl_call *call)
{
	return return_rfc3339(call, "MarshalText", SV(""), SV(""));
}

static enum status method_marshal_json(struct tmpl_call *call)
{
	return return_rfc3339(call, "MarshalJSON", SV("\""), SV("\""));
}

static enum status method_hour(struct tmpl_call *call)
{
	return return_civil(call, go_civil_of(call->receiver->opaque).hour);
}

static enum status method_minute(struct tmpl_call *call)
{
	return return_civil(call, go_civil_of(call->receiver->opaque).minute);
}

static enum status method_second(struct tmpl_call *call)
{
	return return_civil(call, go_civil_of(call->receiver->opaque).second);
}

static enum status method_year_day(struct tmpl_call *call)
{
	return return_civil(call, go_civil_of(call->receiver->opaque).year_day);
}

static enum status method_unix(struct tmpl_call *call)
{
	const struct go_time *time = call->receiver->opaque;

	return tmpl_return_typed_int(call, &type_int64, time->seconds);
}

/* Go's wraps for times that are far away. */
static enum status return_fine_unix(struct tmpl_call *call, int64_t per_second)
{
	const struct go_time *time = call->receiver->opaque;
	uint64_t whole = (uint64_t)time->seconds * (uint64_t)per_second;

	return tmpl_return_typed_int(
	    call, &type_int64,
	    (int64_t)(whole + (uint64_t)(time->nanoseconds / (1000000000 / per_second))));
}

static enum status method_unix_milli(struct tmpl_call *call)
{
	return return_fine_unix(call, 1000);
}

static enum status method_unix_micro(struct tmpl_call *call)
{
	return return_fine_unix(call, 1000000);
}

static enum status method_unix_nano(struct tmpl_call *call)
{
	return return_fine_unix(call, 1000000000);
}

static enum status method_nanosecond(struct tmpl_call *call)
{
	const struct go_time *time = call->receiver->opaque;

	return tmpl_return_int(call, time->nanoseconds);
}

static enum status method_is_zero(struct tmpl_call *call)
{
	const struct go_time *time = call->receiver->opaque;

	return tmpl_return_bool(call, time->seconds == ZERO_TIME && time->nanoseconds == 0);
}

/* Below, at or above 0 as the receiver is before, at or after the argument. */
static int compare_times(const struct tmpl_call *call)
{
	const struct go_time *a = call->receiver->opaque;
	const struct go_time *b = call->args[0].v->opaque;

	if (a->seconds != b->seconds)
		return a->seconds < b->seconds ? -1 : 1;
	return (a->nanoseconds > b->nanoseconds) - (a->nanoseconds < b->nanoseconds);
}

static enum status method_before(struct tmpl_call *call)
{
	return tmpl_return_bool(call, compare_times(call) < 0);
}

static enum status method_after(struct tmpl_call *call)
{
	return tmpl_return_bool(call, compare_times(call) > 0);
}

static enum status method_equal(struct tmpl_call *call)
{
	return tmpl_return_bool(call, compare_times(call) == 0);
}

static enum status method_compare(struct tmpl_call *call)
{
	return tmpl_return_int(call, compare_times(call));
}

/* Times are far more than a Duration apart: what does not fit is the longest one. */
static enum status method_sub(struct tmpl_call *call)
{
	const struct go_time *a = call->receiver->opaque;
	const struct go_time *b = call->args[0].v->opaque;
	__int128 apart =
	    ((__int128)a->seconds - b->seconds) * NANOSECONDS + a->nanoseconds - b->nanoseconds;

	return tmpl_return_typed_int(call, &type_duration,
	                             (int64_t)(apart > INT64_MAX   ? INT64_MAX
	                                       : apart < INT64_MIN ? INT64_MIN
	                                                           : apart));
}

static enum status method_add(struct tmpl_call *call)
{
	const struct go_time *time = call->receiver->opaque;

	return tmpl_return(call, time_value(call->arena, go_time_add(*time, arg_int(call, 0))));
}

/* Returns the remainder of the time since the year 1, divided by the unit. */
static int64_t rest_of(const struct go_time *time, int64_t unit)
{
	__int128 since = ((__int128)time->seconds - ZERO_TIME) * NANOSECONDS + time->nanoseconds;
	int64_t rest = (int64_t)(since % unit);

	return rest < 0 ? rest + unit : rest;
}

static enum status method_truncate(struct tmpl_call *call)
{
	const struct go_time *time = call->receiver->opaque;
	int64_t unit = arg_int(call, 0);

	return tmpl_return(
	    call,
	    time_value(call->arena, unit <= 0 ? *time : go_time_add(*time, -rest_of(time, unit))));
}

static enum status method_round(struct tmpl_call *call)
{
	const struct go_time *time = call->receiver->opaque;
	int64_t unit = arg_int(call, 0);

	if (unit <= 0)
		return tmpl_return(call, *call->receiver);
	int64_t rest = rest_of(time, unit);
	return tmpl_return(
	    call,
	    time_value(call->arena, go_time_add(*time, rest < unit - rest ? -rest : unit - rest)));
}

/* Months and days that are too many go on into the next year and month. */
static enum status method_add_date(struct tmpl_call *call)
{
	struct go_time time = *(const struct go_time *)call->receiver->opaque;
	struct civil civil = go_civil_of(&time);
	int64_t old_day = go_civil_day_number(civil.year, civil.month, civil.day);
	int64_t months = (int64_t)((uint64_t)civil.month - 1 + (uint64_t)arg_int(call, 1));
	int64_t years = months / 12 - (months % 12 < 0);
	int month = (int)(months - years * 12) + 1;
	uint64_t year = (uint64_t)civil.year + (uint64_t)years + (uint64_t)arg_int(call, 0);

	if ((int64_t)year > MAX_YEAR || (int64_t)year < -MAX_YEAR ||
	    arg_int(call, 2) > MAX_YEAR * 366 || arg_int(call, 2) < -MAX_YEAR * 366)
		return tmpl_fail(call, "a date out of range");
	int64_t day =
	    go_civil_day_number((int64_t)year, month, 1) + civil.day - 1 + arg_int(call, 2);
	time.seconds += (day - old_day) * 86400;
	return tmpl_return(call, time_value(call->arena, time));
}

static enum status in_zone(struct tmpl_call *call, bool is_local)
{
	struct go_time time = *(const struct go_time *)call->receiver->opaque;

	time.zone_offset = 0;
	time.zone_name = SV("UTC");
	time.is_local = is_local;
	return tmpl_return(call, time_value(call->arena, time));
}

static enum status method_utc(struct tmpl_call *call)
{
	return in_zone(call, false);
}

static enum status method_local(struct tmpl_call *call)
{
	return in_zone(call, true);
}

static enum status method_go_string(struct tmpl_call *call)
{
	return tmpl_return_string(call, time_go_text(call->arena, call->receiver));
}

/* time.Month and time.Weekday: integers that print as names. {{ range }} over one begins at 0. */
static sv month_text(struct arena *arena, const struct value *v)
{
	if (v->integer < 1 || v->integer > 12)
		return arena_printf(arena, "%%!Month(%" PRIu64 ")", (uint64_t)v->integer);
	return sv_from_cstr(layout_months[v->integer - 1]);
}

static sv weekday_text(struct arena *arena, const struct value *v)
{
	if (v->integer < 0 || v->integer > 6)
		return arena_printf(arena, "%%!Weekday(%" PRIu64 ")", (uint64_t)v->integer);
	return sv_from_cstr(layout_days[v->integer]);
}

static const struct type_method name_methods[] = {{"String", ">s", tmpl_method_string}};

static const struct type type_month = {.kind = KIND_INT,
                                       .name = SV_INIT("time.Month"),
                                       .methods = name_methods,
                                       .method_count = COUNT_OF(name_methods),
                                       .to_string = month_text};
static const struct type type_weekday = {.kind = KIND_INT,
                                         .name = SV_INIT("time.Weekday"),
                                         .methods = name_methods,
                                         .method_count = COUNT_OF(name_methods),
                                         .to_string = weekday_text};

static enum status method_month(struct tmpl_call *call)
{
	return tmpl_return_typed_int(call, &type_month, go_civil_of(call->receiver->opaque).month);
}

static enum status method_weekday(struct tmpl_call *call)
{
	return tmpl_return_typed_int(call, &type_weekday,
	                             go_civil_of(call->receiver->opaque).weekday);
}

static enum status method_year(struct tmpl_call *call)
{
	struct civil civil = go_civil_of(call->receiver->opaque);

	return tmpl_return_int(call, civil.year);
}

static enum status method_day(struct tmpl_call *call)
{
	struct civil civil = go_civil_of(call->receiver->opaque);

	return tmpl_return_int(call, civil.day);
}

/* ---- *time.Location ---------------------------------------------------------------------- */

static const struct go_time in_utc = {.zone_name = SV_INIT("UTC")};

static sv location_text(struct arena *arena, const struct value *v)
{
	const struct go_time *in = v->target ? v->target->opaque : &in_utc;

	(void)arena;
	if (!in) /* a copy made by deepCopy is empty */
		return SV("");
	return is_utc(in) ? SV("UTC") : in->is_local ? SV("Local") : in->zone_name;
}

static const struct type_method location_methods[] = {{"String", ">s", tmpl_method_string}};

static const struct type type_location = {.kind = KIND_STRUCT, .name = SV_INIT("time.Location")};
const struct type type_location_pointer = {
    .kind = KIND_POINTER,
    .name = SV_INIT("*time.Location"),
    .elem = &type_location,
    .methods = location_methods,
    .method_count = COUNT_OF(location_methods),
    .to_string = location_text,
};

/* There is one UTC and one local zone: their pointers are equal. */
static const struct go_time in_local = {.zone_name = SV_INIT("UTC"), .is_local = true};
static const struct value utc_location = {.type = &type_location, .opaque = &in_utc};
static const struct value local_location = {.type = &type_location, .opaque = &in_local};

static enum status method_location(struct tmpl_call *call)
{
	const struct go_time *time = call->receiver->opaque;
	struct value *fixed = ARENA_NEW(call->arena, struct value);
	struct value pointer = {.type = &type_location_pointer};

	*fixed = (struct value){.type = &type_location, .opaque = time};
	const struct value *location = is_utc(time)     ? &utc_location
	                               : time->is_local ? &local_location
	                                                : fixed;
	pointer.target = (struct value *)location; /* nobody changes a *time.Location */
	return tmpl_return(call, pointer);
}

static enum status method_in(struct tmpl_call *call)
{
	struct go_time time = *(const struct go_time *)call->receiver->opaque;

	if (!call->args[0].v->target)
		return tmpl_fail(call, "time: missing Location in call to Time.In");
	const struct go_time *in = call->args[0].v->target->opaque;
	if (!in)
		in = &in_utc;
	time.zone_offset = in->zone_offset;
	time.zone_name = in->zone_name;
	time.is_local = in->is_local;
	return tmpl_return(call, time_value(call->arena, time));
}

/* UTC, the local zone and fixed offsets, which is all that a Time has here, know no summer. */
static enum status method_is_dst(struct tmpl_call *call)
{
	return tmpl_return_bool(call, false);
}

/* ---- the type ---------------------------------------------------------------------------- */

/* time.Time as Go holds it, without the monotonic clock. */
static const struct type_field inside_fields[] = {
    {.name = SV_INIT("wall"), .type = &type_uint64},
    {.name = SV_INIT("ext"), .type = &type_int64},
    {.name = SV_INIT("loc"), .type = &type_location_pointer},
};
static const struct type type_inside = {.kind = KIND_STRUCT,
                                        .name = SV_INIT("time.Time"),
                                        .fields = inside_fields,
                                        .field_count = COUNT_OF(inside_fields)};

static const struct value *time_inside(struct arena *arena, const struct value *v)
{
	const struct go_time *time = v->opaque;
	struct value *fields = ARENA_ARRAY(arena, struct value, COUNT_OF(inside_fields));
	struct value *inside = ARENA_NEW(arena, struct value);
	struct value *location = ARENA_NEW(arena, struct value);

	location->type = &type_location;
	fields[0] =
	    (struct value){.type = &type_uint64, .unsigned_integer = (uint64_t)time->nanoseconds};
	fields[1] = (struct value){.type = &type_int64, .integer = time->seconds - ZERO_TIME};
	fields[2] = (struct value){.type = &type_location_pointer,
	                           .target = is_utc(time) ? NULL : location};
	*inside = (struct value){.type = &type_inside};
	inside->fields = fields;
	return inside;
}

#define PAIR(name, type)                                                                           \
	">!invalid function signature for " name ": second return value should be error; is " type

static const struct type_method time_methods[] = {
    {"Add", "d>t", method_add},
    {"AddDate", "iii>t", method_add_date},
    {"After", "t>b", method_after},
    {"AppendFormat", "ys>o", method_append_format},
    {"AppendText", "y>o", method_append_text},
    {"Before", "t>b", method_before},
    {"Clock", ">!function Clock has 3 return values; should be 1 or 2", NULL},
    {"Compare", "t>i", method_compare},
    {"Date", ">!function Date has 3 return values; should be 1 or 2", NULL},
    {"Day", ">i", method_day},
    {"Equal", "t>b", method_equal},
    {"Format", "s>s", method_format},
    {"GoString", ">s", method_go_string},
    {"Hour", ">i", method_hour},
    {"ISOWeek", PAIR("ISOWeek", "int"), NULL},
    {"In", "z>t", method_in},
    {"IsDST", ">b", method_is_dst},
    {"IsZero", ">b", method_is_zero},
    {"Local", ">t", method_local},
    {"Location", ">o", method_location},
    {"MarshalJSON", ">o", method_marshal_json},
    {"MarshalText", ">o", method_marshal_text},
    {"Minute", ">i", method_minute},
    {"Month", ">i", method_month},
    {"Nanosecond", ">i", method_nanosecond},
    {"Round", "d>t", method_round},
    {"Second", ">i", method_second},
    {"String", ">s", tmpl_method_string},
    {"Sub", "t>o", method_sub},
    {"Truncate", "d>t", method_truncate},
    {"UTC", ">t", method_utc},
    {"Unix", ">I", method_unix},
    {"UnixMicro", ">I", method_unix_micro},
    {"UnixMilli", ">I", method_unix_milli},
    {"UnixNano", ">I", method_unix_nano},
    {"Weekday", ">i", method_weekday},
    {"Year", ">i", method_year},
    {"YearDay", ">i", method_year_day},
    {"Zone", PAIR("Zone", "int"), NULL},
    {"ZoneBounds", PAIR("ZoneBounds", "time.Time"), NULL},
};

const struct type type_time = {
    .kind = KIND_STRUCT,
    .name = SV_INIT("time.Time"),
    .methods = time_methods,
    .method_count = COUNT_OF(time_methods),
    .to_string = time_text,
    .inside = time_inside,
    .to_go_string = time_go_text,
    .to_json = time_json,
};

struct value time_value(struct arena *arena, struct go_time time)
{
	struct go_time *copy = ARENA_NEW(arena, struct go_time);
	struct value v = {.type = &type_time};

	*copy = time;
	v.opaque = copy;
	return v;
}
