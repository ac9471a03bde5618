/*
 * Dates. The local zone is UTC, as in the controller's image; now is the source commit's time.
 */
#include "tmpl/funcs/date.h"

#include "codec/codec.h"
#include "tmpl/func.h"

/* ---- calendar ------------------------------------------------------------------------------ */

struct civil {
	int64_t year;
	int month;
	int day;
	int hour;
	int minute;
	int second;
};

/* Days since 1970 to a date of the proleptic Gregorian calendar. */
static void civil_date(int64_t days, struct civil *civil)
{
	days += 719468; /* to 0000-03-01 */
	int64_t era = (days >= 0 ? days : days - 146096) / 146097;
	int64_t day_of_era = days - era * 146097;
	int64_t year_of_era =
	    (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
	int64_t day_of_year =
	    day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
	int64_t month = (5 * day_of_year + 2) / 153;

	civil->day = (int)(day_of_year - (153 * month + 2) / 5) + 1;
	civil->month = (int)(month < 10 ? month + 3 : month - 9);
	civil->year = year_of_era + era * 400 + (civil->month <= 2);
}

static struct civil civil_of(const struct go_time *time)
{
	struct civil civil;
	int64_t local = time->seconds + time->zone_offset;
	int64_t days = local / 86400;
	int64_t rest = local % 86400;

	if (rest < 0) {
		rest += 86400;
		days--;
	}
	civil_date(days, &civil);
	civil.hour = (int)(rest / 3600);
	civil.minute = (int)(rest / 60 % 60);
	civil.second = (int)(rest % 60);
	return civil;
}

static sv time_text(struct arena *arena, const struct value *v)
{
	const struct go_time *time = v->opaque;
	struct civil c = civil_of(time);
	struct buf buf = buf_in(arena);
	int offset = time->zone_offset / 60;

	buf_printf(&buf, "%s%04lld-%02d-%02d %02d:%02d:%02d", c.year < 0 ? "-" : "",
	           (long long)(c.year < 0 ? -c.year : c.year), c.month, c.day, c.hour, c.minute,
	           c.second);
	if (time->nanoseconds > 0) {
		sv fraction = arena_printf(arena, ".%09d", time->nanoseconds);
		buf_add(&buf, sv_trim_right(fraction, "0"));
	}
	buf_printf(&buf, " %c%02d%02d %.*s", offset < 0 ? '-' : '+',
	           (offset < 0 ? -offset : offset) / 60, (offset < 0 ? -offset : offset) % 60,
	           SV_ARG(time->zone_name));
	return buf_sv(&buf);
}

/* RFC 3339 with nanoseconds. */
static sv time_json(struct arena *arena, const struct value *v)
{
	const struct go_time *time = v->opaque;
	struct civil c = civil_of(time);
	struct buf buf = buf_in(arena);
	int offset = time->zone_offset / 60;

	buf_printf(&buf, "%04lld-%02d-%02dT%02d:%02d:%02d", (long long)c.year, c.month, c.day,
	           c.hour, c.minute, c.second);
	if (time->nanoseconds > 0)
		buf_add(&buf, sv_trim_right(arena_printf(arena, ".%09d", time->nanoseconds), "0"));
	if (offset == 0)
		buf_add_char(&buf, 'Z');
	else
		buf_printf(&buf, "%c%02d:%02d", offset < 0 ? '-' : '+',
		           (offset < 0 ? -offset : offset) / 60,
		           (offset < 0 ? -offset : offset) % 60);
	return buf_sv(&buf);
}

static enum status method_time_string(struct tmpl_call *call)
{
	return tmpl_return_string(call, time_text(call->arena, call->receiver));
}

static enum status method_unix(struct tmpl_call *call)
{
	const struct go_time *time = call->receiver->opaque;

	return tmpl_return_typed_int(call, &type_int64, time->seconds);
}

static enum status method_year(struct tmpl_call *call)
{
	struct civil civil = civil_of(call->receiver->opaque);

	return tmpl_return_int(call, civil.year);
}

static enum status method_day(struct tmpl_call *call)
{
	struct civil civil = civil_of(call->receiver->opaque);

	return tmpl_return_int(call, civil.day);
}

static const struct type_method time_methods[] = {
    {"Day", ">i", method_day},
    {"String", ">s", method_time_string},
    {"Unix", ">I", method_unix},
    {"Year", ">i", method_year},
};

const struct type type_time = {
    .kind = KIND_STRUCT,
    .name = SV_INIT("time.Time"),
    .methods = time_methods,
    .method_count = COUNT_OF(time_methods),
    .to_string = time_text,
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

/* ---- time.Duration ------------------------------------------------------------------------- */

static sv duration_text(struct arena *arena, const struct value *v)
{
	return duration_format(arena, v->integer);
}

static enum status method_duration_string(struct tmpl_call *call)
{
	return tmpl_return_string(call, duration_format(call->arena, call->receiver->integer));
}

/* Whole units and the rest apart, as Go computes them. */
static enum status return_units(struct tmpl_call *call, int64_t unit)
{
	int64_t n = call->receiver->integer;

	return tmpl_return_float(call, (double)(n / unit) + (double)(n % unit) / (double)unit);
}

static enum status method_hours(struct tmpl_call *call)
{
	return return_units(call, 3600000000000);
}

static enum status method_minutes(struct tmpl_call *call)
{
	return return_units(call, 60000000000);
}

static enum status method_seconds(struct tmpl_call *call)
{
	return return_units(call, 1000000000);
}

static enum status method_milliseconds(struct tmpl_call *call)
{
	return tmpl_return_typed_int(call, &type_int64, call->receiver->integer / 1000000);
}

static enum status method_microseconds(struct tmpl_call *call)
{
	return tmpl_return_typed_int(call, &type_int64, call->receiver->integer / 1000);
}

static enum status method_nanoseconds(struct tmpl_call *call)
{
	return tmpl_return_typed_int(call, &type_int64, call->receiver->integer);
}

static const struct type_method duration_methods[] = {
    {"Hours", ">f", method_hours},
    {"Microseconds", ">I", method_microseconds},
    {"Milliseconds", ">I", method_milliseconds},
    {"Minutes", ">f", method_minutes},
    {"Nanoseconds", ">I", method_nanoseconds},
    {"Seconds", ">f", method_seconds},
    {"String", ">s", method_duration_string},
};

const struct type type_duration = {
    .kind = KIND_INT64,
    .name = SV_INIT("time.Duration"),
    .methods = duration_methods,
    .method_count = COUNT_OF(duration_methods),
    .to_string = duration_text,
};

static enum status fn_now(struct tmpl_call *call)
{
	struct go_time now = {.seconds = call->run->options.now, .zone_name = SV("UTC")};

	return tmpl_return(call, time_value(call->arena, now));
}

static enum status fn_unix_epoch(struct tmpl_call *call)
{
	const struct go_time *time = call->args[0].v->opaque;

	return tmpl_return_string(call,
	                          arena_printf(call->arena, "%lld", (long long)time->seconds));
}

static const struct tmpl_func funcs[] = {
    TMPL_FUNC("now", ">t", fn_now),
    TMPL_FUNC("unixEpoch", "t>s", fn_unix_epoch),
};

const struct tmpl_func_table tmpl_funcs_date = TMPL_TABLE(funcs);
