/*
 * time.Duration with its methods.
 */
#include "golang/golang.h"
#include "tmpl/funcs/date.h"

static sv duration_text(struct arena *arena, const struct value *v)
{
	return go_duration_format(arena, v->integer);
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

static enum status method_abs(struct tmpl_call *call)
{
	int64_t n = call->receiver->integer;

	return tmpl_return_typed_int(call, &type_duration,
	                             n == INT64_MIN ? INT64_MAX
	                             : n < 0        ? -n
	                                            : n);
}

static enum status method_truncate(struct tmpl_call *call)
{
	int64_t n = call->receiver->integer;
	int64_t unit = arg_int(call, 0);

	return tmpl_return_typed_int(call, &type_duration, unit <= 0 ? n : n - n % unit);
}

static enum status method_round(struct tmpl_call *call)
{
	return tmpl_return_typed_int(call, &type_duration,
	                             go_duration_round(call->receiver->integer, arg_int(call, 0)));
}

static const struct type_method duration_methods[] = {
    {"Abs", ">d", method_abs},
    {"Hours", ">f", method_hours},
    {"Microseconds", ">I", method_microseconds},
    {"Milliseconds", ">I", method_milliseconds},
    {"Minutes", ">f", method_minutes},
    {"Nanoseconds", ">I", method_nanoseconds},
    {"Round", "d>d", method_round},
    {"Seconds", ">f", method_seconds},
    {"String", ">s", tmpl_method_string},
    {"Truncate", "d>d", method_truncate},
};

const struct type type_duration = {
    .kind = KIND_INT64,
    .name = SV_INIT("time.Duration"),
    .methods = duration_methods,
    .method_count = COUNT_OF(duration_methods),
    .to_string = duration_text,
    .to_text = duration_text,
};
