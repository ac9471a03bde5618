/*
 * Dates. The local zone is UTC, as in the controller's image; now is the source commit's time.
 */
#include "tmpl/funcs/date.h"

#include "codec/codec.h"
#include "tmpl/float.h"
#include "tmpl/func.h"
#include "tmpl/funcs/layout.h"

#include <inttypes.h>

/* ---- time.Time ------------------------------------------------------------------------------ */

static sv time_text(struct arena *arena, const struct value *v)
{
	return time_format(arena, v->opaque, SV("2006-01-02 15:04:05.999999999 -0700 MST"));
}

/* %#v */
static sv time_go_text(struct arena *arena, const struct value *v)
{
	const struct go_time *time = v->opaque;
	struct civil civil = civil_of(time);
	struct buf buf = buf_in(arena);

	buf_printf(&buf, "time.Date(%" PRId64 ", time.%s, %d, %d, %d, %d, %d, ", civil.year,
	           layout_months[civil.month - 1], civil.day, civil.hour, civil.minute,
	           civil.second, (int)time->nanoseconds);
	if (time->is_local) {
		BUF_ADD_LIT(&buf, "time.Local)");
	} else if (time->zone_offset == 0 && sv_eq(time->zone_name, SV("UTC"))) {
		BUF_ADD_LIT(&buf, "time.UTC)");
	} else {
		BUF_ADD_LIT(&buf, "time.Location(");
		strconv_quote_add(&buf, time->zone_name);
		BUF_ADD_LIT(&buf, "))");
	}
	return buf_sv(&buf);
}

/* RFC 3339 with nanoseconds. */
static sv time_json(struct arena *arena, const struct value *v)
{
	return time_format(arena, v->opaque, SV("2006-01-02T15:04:05.999999999Z07:00"));
}

static enum status method_format(struct tmpl_call *call)
{
	return tmpl_return_string(
	    call, time_format(call->arena, call->receiver->opaque, arg_string(call, 0)));
}

static enum status return_civil(struct tmpl_call *call, int64_t part)
{
	return tmpl_return_int(call, part);
}

static enum status method_hour(struct tmpl_call *call)
{
	return return_civil(call, civil_of(call->receiver->opaque).hour);
}

static enum status method_minute(struct tmpl_call *call)
{
	return return_civil(call, civil_of(call->receiver->opaque).minute);
}

static enum status method_second(struct tmpl_call *call)
{
	return return_civil(call, civil_of(call->receiver->opaque).second);
}

static enum status method_year_day(struct tmpl_call *call)
{
	return return_civil(call, civil_of(call->receiver->opaque).year_day);
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
    {"Day", ">i", method_day},          {"Format", "s>s", method_format},
    {"Hour", ">i", method_hour},        {"Minute", ">i", method_minute},
    {"Second", ">i", method_second},    {"String", ">s", method_time_string},
    {"Unix", ">I", method_unix},        {"Year", ">i", method_year},
    {"YearDay", ">i", method_year_day},
};

const struct type type_time = {
    .kind = KIND_STRUCT,
    .name = SV_INIT("time.Time"),
    .methods = time_methods,
    .method_count = COUNT_OF(time_methods),
    .to_string = time_text,
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

	int64_t whole = n / unit;

	return tmpl_return_float(call, (double)whole + (double)(n % unit) / (double)unit);
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

/* ---- functions --------------------------------------------------------------------------------
 */

/* The source commit's time: the same for everybody who renders that commit. */
static struct go_time now_of(const struct tmpl_call *call)
{
	return (struct go_time){
	    .seconds = call->run->options.now, .zone_name = SV("UTC"), .is_local = true};
}

static enum status fn_now(struct tmpl_call *call)
{
	return tmpl_return(call, time_value(call->arena, now_of(call)));
}

/* COMPAT: what is no time and no integer of these types is silently now. */
static struct go_time time_of(const struct tmpl_call *call, const struct value *v, bool pointers)
{
	struct go_time time = now_of(call);

	if (v && pointers && v->type->kind == KIND_POINTER && v->target)
		v = v->target;
	if (!v)
		return time;
	if (v->type == &type_time)
		return *(const struct go_time *)v->opaque;
	if (v->type == &type_int || v->type == &type_int64 || v->type == &type_int32)
		time.seconds = v->integer;
	return time;
}

static enum status return_date(struct tmpl_call *call, sv layout, size_t i, sv zone)
{
	struct go_time time = time_of(call, arg_value(call, i), true);

	time_to_zone(call->arena, &time, zone);
	return tmpl_return_string(call, time_format(call->arena, &time, layout));
}

static enum status fn_date(struct tmpl_call *call)
{
	return return_date(call, arg_string(call, 0), 1, SV("Local"));
}

static enum status fn_date_in_zone(struct tmpl_call *call)
{
	return return_date(call, arg_string(call, 0), 1, arg_string(call, 2));
}

static enum status fn_html_date(struct tmpl_call *call)
{
	return return_date(call, SV("2006-01-02"), 0, SV("Local"));
}

static enum status fn_html_date_in_zone(struct tmpl_call *call)
{
	return return_date(call, SV("2006-01-02"), 0, arg_string(call, 1));
}

static enum status date_modify(struct tmpl_call *call, bool must)
{
	struct go_time time = *(const struct go_time *)call->args[1].v->opaque;
	int64_t nanoseconds;
	sv error;

	if (!duration_parse(call->arena, arg_string(call, 0), &nanoseconds, &error)) {
		if (must)
			return tmpl_fail(call, "%.*s", SV_ARG(error));
		nanoseconds = 0;
	}
	nanoseconds += time.nanoseconds;
	time.seconds += nanoseconds / 1000000000;
	nanoseconds %= 1000000000;
	if (nanoseconds < 0) {
		nanoseconds += 1000000000;
		time.seconds--;
	}
	time.nanoseconds = (int32_t)nanoseconds;
	return tmpl_return(call, time_value(call->arena, time));
}

static enum status fn_date_modify(struct tmpl_call *call)
{
	return date_modify(call, false);
}

static enum status fn_must_date_modify(struct tmpl_call *call)
{
	return date_modify(call, true);
}

static enum status to_date(struct tmpl_call *call, bool must)
{
	/* Go's zero time: the first of January of the year 1. */
	struct go_time time = {.seconds = -62135596800, .zone_name = SV("UTC")};
	sv error;

	if (!time_parse(call->arena, arg_string(call, 0), arg_string(call, 1), true, &time,
	                &error) &&
	    must)
		return tmpl_fail(call, "%.*s", SV_ARG(error));
	return tmpl_return(call, time_value(call->arena, time));
}

static enum status fn_to_date(struct tmpl_call *call)
{
	return to_date(call, false);
}

static enum status fn_must_to_date(struct tmpl_call *call)
{
	return to_date(call, true);
}

/* Seconds since then; Go's Duration saturates. */
static int64_t since(const struct tmpl_call *call, const struct go_time *then)
{
	int64_t difference;
	int64_t nanoseconds;

	if (__builtin_sub_overflow(call->run->options.now, then->seconds, &difference) ||
	    __builtin_mul_overflow(difference, (int64_t)1000000000, &nanoseconds) ||
	    __builtin_sub_overflow(nanoseconds, (int64_t)then->nanoseconds, &nanoseconds))
		return call->run->options.now > then->seconds ? INT64_MAX : INT64_MIN;
	return nanoseconds;
}

static enum status fn_ago(struct tmpl_call *call)
{
	const struct value *v = arg_value(call, 0);
	struct go_time then = now_of(call);

	if (v && v->type != &type_int32)
		then = time_of(call, v, false);
	int64_t elapsed = since(call, &then);
	int64_t rest = elapsed % 1000000000;
	elapsed -= rest;
	if (rest >= 500000000 && elapsed < INT64_MAX - 1000000000)
		elapsed += 1000000000;
	else if (rest <= -500000000 && elapsed > INT64_MIN + 1000000000)
		elapsed -= 1000000000;
	return tmpl_return_string(call, duration_format(call->arena, elapsed));
}

static enum status fn_duration(struct tmpl_call *call)
{
	const struct value *v = arg_value(call, 0);
	int64_t seconds = 0;

	if (v && v->type == &type_string)
		(void)go_parse_int(v->string, 10, &seconds);
	else if (v && v->type == &type_int64)
		seconds = v->integer;
	return tmpl_return_string(
	    call, duration_format(call->arena, (int64_t)((uint64_t)seconds * 1000000000)));
}

static enum status fn_duration_round(struct tmpl_call *call)
{
	static const struct {
		uint64_t seconds;
		const char *unit;
	} units[] = {{31536000, "y"}, {2592000, "mo"}, {86400, "d"},
	             {3600, "h"},     {60, "m"},       {1, "s"}};
	const struct value *v = arg_value(call, 0);
	int64_t nanoseconds = 0;
	sv error;

	if (v && v->type == &type_string) {
		if (!duration_parse(call->arena, v->string, &nanoseconds, &error))
			nanoseconds = 0;
	} else if (v && v->type == &type_int64) {
		nanoseconds = v->integer;
	} else if (v && v->type == &type_time) {
		nanoseconds = since(call, v->opaque);
	}
	uint64_t size = nanoseconds < 0 ? 0 - (uint64_t)nanoseconds : (uint64_t)nanoseconds;
	for (size_t i = 0; i < COUNT_OF(units); i++) {
		uint64_t unit = units[i].seconds * 1000000000;
		if (size > unit)
			return tmpl_return_string(
			    call, arena_printf(call->arena, "%llu%s",
			                       (unsigned long long)(size / unit), units[i].unit));
	}
	return tmpl_return_string(call, SV("0s"));
}

static enum status fn_unix_epoch(struct tmpl_call *call)
{
	const struct go_time *time = call->args[0].v->opaque;

	return tmpl_return_string(call,
	                          arena_printf(call->arena, "%lld", (long long)time->seconds));
}

static const struct tmpl_func funcs[] = {
    TMPL_FUNC("ago", "a>s", fn_ago),
    TMPL_FUNC("date", "sa>s", fn_date),
    TMPL_FUNC("dateInZone", "sas>s", fn_date_in_zone),
    TMPL_FUNC("dateModify", "st>t", fn_date_modify),
    TMPL_FUNC("date_in_zone", "sas>s", fn_date_in_zone),
    TMPL_FUNC("date_modify", "st>t", fn_date_modify),
    TMPL_FUNC("duration", "a>s", fn_duration),
    TMPL_FUNC("durationRound", "a>s", fn_duration_round),
    TMPL_FUNC("htmlDate", "a>s", fn_html_date),
    TMPL_FUNC("htmlDateInZone", "as>s", fn_html_date_in_zone),
    TMPL_FUNC("mustDateModify", "st>t", fn_must_date_modify),
    TMPL_FUNC("mustToDate", "ss>t", fn_must_to_date),
    TMPL_FUNC("must_date_modify", "st>t", fn_must_date_modify),
    TMPL_FUNC("now", ">t", fn_now),
    TMPL_FUNC("toDate", "ss>t", fn_to_date),
    TMPL_FUNC("unixEpoch", "t>s", fn_unix_epoch),
};

const struct tmpl_func_table tmpl_funcs_date = TMPL_TABLE(funcs);
