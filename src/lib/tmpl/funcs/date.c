/*
 * Dates. Now is the source commit's time. The only zone is UTC: Go reads all others from the
 * machine's time zone database, which differs from one machine to the next, and takes one that it
 * does not find there for UTC without a word.
 */
#include "tmpl/funcs/date.h"

#include "golang/golang.h"
#include "tmpl/func.h"

static int64_t seconds_now(const struct tmpl_call *call)
{
	const struct tmpl_options *options = &call->run->options;

	if (options->asks_now)
		*options->asks_now = true;
	return options->now;
}

/* The source commit's time: the same for everybody who renders that commit. */
static struct go_time now_of(const struct tmpl_call *call)
{
	return (struct go_time){
	    .seconds = seconds_now(call), .zone_name = SV("UTC"), .is_local = true};
}

static enum status fn_now(struct tmpl_call *call)
{
	return tmpl_return(call, time_value(call->arena, now_of(call)));
}

/* COMPAT: a value that is not a time or an integer of these types silently counts as now. */
static struct go_time time_of(const struct tmpl_call *call, const struct value *v, bool pointers)
{
	struct go_time time = now_of(call);

	if (pointers && value_is(v, KIND_POINTER) && value_is(v->target, KIND_STRUCT))
		v = v->target;
	if (!v)
		return time;
	if (v->type == &type_time)
		return *(const struct go_time *)v->opaque;
	if (v->type == &type_int || v->type == &type_int64 || v->type == &type_int32)
		time.seconds = v->integer;
	return time;
}

/* time.LoadLocation and Time.In, with UTC as the local zone. */
static enum status to_zone(struct tmpl_call *call, struct go_time *time, sv zone)
{
	if (!sv_empty(zone) && !sv_eq(zone, SV("UTC")) && !sv_eq(zone, SV("Local")))
		return exec_pend_advised(
		    call->run, TMPL_REFUSED, RUN_ADVICE_TIME_ZONE,
		    SV("a time zone other than UTC depends on the machine's database of time "
		       "zones, and is refused"));
	time->zone_offset = 0;
	time->zone_name = SV("UTC");
	return STATUS_OK;
}

static enum status return_date(struct tmpl_call *call, sv layout, size_t i, sv zone)
{
	struct go_time time = time_of(call, arg_value(call, i), true);

	TRY(time_charge_layout(call, layout));
	TRY(to_zone(call, &time, zone));
	return tmpl_return_string(call, go_time_format(call->arena, &time, layout));
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
	const struct go_time *time = call->args[1].v->opaque;
	int64_t nanoseconds;
	sv error;

	TRY(exec_charge(call->run, arg_string(call, 0).len));
	if (!go_duration_parse(call->arena, arg_string(call, 0), &nanoseconds, &error)) {
		if (must)
			return tmpl_fail(call, "%.*s", SV_ARG(error));
		nanoseconds = 0;
	}
	return tmpl_return(call, time_value(call->arena, go_time_add(*time, nanoseconds)));
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
	struct go_time time = {.seconds = ZERO_TIME, .zone_name = SV("UTC")};
	sv error;

	TRY(time_charge_layout(call, arg_string(call, 0)));
	if (!go_time_parse(call->arena, arg_string(call, 0), arg_string(call, 1), true, &time,
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
	int64_t now = seconds_now(call);
	int64_t difference;
	int64_t nanoseconds;

	if (__builtin_sub_overflow(now, then->seconds, &difference) ||
	    __builtin_mul_overflow(difference, (int64_t)1000000000, &nanoseconds) ||
	    __builtin_sub_overflow(nanoseconds, (int64_t)then->nanoseconds, &nanoseconds))
		return now > then->seconds ? INT64_MAX : INT64_MIN;
	return nanoseconds;
}

static enum status fn_ago(struct tmpl_call *call)
{
	const struct value *v = arg_value(call, 0);
	struct go_time then = now_of(call);

	if (v && v->type != &type_int32)
		then = time_of(call, v, false);
	int64_t elapsed = go_duration_round(since(call, &then), 1000000000);
	return tmpl_return_string(call, go_duration_format(call->arena, elapsed));
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
	    call, go_duration_format(call->arena, (int64_t)((uint64_t)seconds * 1000000000)));
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
		TRY(exec_charge(call->run, v->string.len));
		if (!go_duration_parse(call->arena, v->string, &nanoseconds, &error))
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
