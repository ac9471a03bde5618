/*
 * Numbers. Arguments go through spf13/cast: other values than numbers count as 0.
 */
#include "golang/golang.h"
#include "tmpl/exec.h"
#include "tmpl/func.h"
#include "tmpl/funcs/convert.h"

#include <math.h>

static int64_t integer(const struct tmpl_call *call, size_t i)
{
	return cast_int(arg_value(call, i));
}

static double real(const struct tmpl_call *call, size_t i)
{
	return cast_float(arg_value(call, i));
}

static enum status return_int64(struct tmpl_call *call, int64_t i)
{
	return tmpl_return_typed_int(call, &type_int64, i);
}

/* ---- integers: they wrap, as in Go ------------------------------------------------------- */

static int64_t wrap_add(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static enum status fn_add(struct tmpl_call *call)
{
	int64_t sum = 0;

	for (size_t i = 0; i < call->arg_count; i++)
		sum = wrap_add(sum, integer(call, i));
	return return_int64(call, sum);
}

static enum status fn_add1(struct tmpl_call *call)
{
	return return_int64(call, wrap_add(integer(call, 0), 1));
}

static enum status fn_sub(struct tmpl_call *call)
{
	return return_int64(call,
	                    (int64_t)((uint64_t)integer(call, 0) - (uint64_t)integer(call, 1)));
}

static enum status fn_mul(struct tmpl_call *call)
{
	uint64_t product = (uint64_t)integer(call, 0);

	for (size_t i = 1; i < call->arg_count; i++)
		product *= (uint64_t)integer(call, i);
	return return_int64(call, (int64_t)product);
}

static enum status fn_div(struct tmpl_call *call)
{
	int64_t a = integer(call, 0);
	int64_t b = integer(call, 1);

	if (b == 0)
		return tmpl_fail(call, "runtime error: integer divide by zero");
	return return_int64(call, b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b);
}

static enum status fn_mod(struct tmpl_call *call)
{
	int64_t a = integer(call, 0);
	int64_t b = integer(call, 1);

	if (b == 0)
		return tmpl_fail(call, "runtime error: integer divide by zero");
	return return_int64(call, b == -1 ? 0 : a % b);
}

static enum status fn_max(struct tmpl_call *call)
{
	int64_t best = integer(call, 0);

	for (size_t i = 1; i < call->arg_count; i++)
		if (integer(call, i) > best)
			best = integer(call, i);
	return return_int64(call, best);
}

static enum status fn_min(struct tmpl_call *call)
{
	int64_t best = integer(call, 0);

	for (size_t i = 1; i < call->arg_count; i++)
		if (integer(call, i) < best)
			best = integer(call, i);
	return return_int64(call, best);
}

static enum status fn_int(struct tmpl_call *call)
{
	return tmpl_return_int(call, integer(call, 0));
}

static enum status fn_int64(struct tmpl_call *call)
{
	return return_int64(call, integer(call, 0));
}

static enum status fn_atoi(struct tmpl_call *call)
{
	int64_t number;

	(void)go_parse_int(arg_string(call, 0), 10, &number);
	return tmpl_return_int(call, number);
}

/* toDecimal: reads the printed form of a value as octal digits. */
static enum status fn_to_decimal(struct tmpl_call *call)
{
	struct text out = text_in(call->arena);
	struct printer p = exec_printer(call->run, &out);
	int64_t number;

	if (!go_fmt_print(&p, call->args, 1))
		return STATUS_FAILED;
	if (go_parse_int(text_sv(&out), 8, &number) != NUMBER_OK)
		number = 0;
	return return_int64(call, number);
}

/* ---- floats ------------------------------------------------------------------------------ */

static enum status fn_float64(struct tmpl_call *call)
{
	return tmpl_return_float(call, real(call, 0));
}

static enum status fn_ceil(struct tmpl_call *call)
{
	return tmpl_return_float(call, ceil(real(call, 0)));
}

static enum status fn_floor(struct tmpl_call *call)
{
	return tmpl_return_float(call, floor(real(call, 0)));
}

/* math.Max: infinities first, then NaN, then zeros by sign. */
static double go_max(double a, double b)
{
	if (isinf(a) && a > 0)
		return a;
	if (isinf(b) && b > 0)
		return b;
	if (isnan(a) || isnan(b))
		return NAN;
	if (a == 0 && b == 0)
		return signbit(a) ? b : a;
	return a > b ? a : b;
}

static double go_min(double a, double b)
{
	return -go_max(-a, -b);
}

static enum status fn_maxf(struct tmpl_call *call)
{
	double best = real(call, 0);

	for (size_t i = 1; i < call->arg_count; i++)
		best = go_max(best, real(call, i));
	return tmpl_return_float(call, best);
}

static enum status fn_minf(struct tmpl_call *call)
{
	double best = real(call, 0);

	for (size_t i = 1; i < call->arg_count; i++)
		best = go_min(best, real(call, i));
	return tmpl_return_float(call, best);
}

/*
 * COMPAT: Go's math.Pow for a whole power multiplies squares of the fraction, and is a bit off from
 * what is nearest, which shows in the last digit of what is rounded.
 */
static double power_of_ten(int64_t places)
{
	double power = 1;
	int exponent = 0;
	int base_exponent;
	double base = frexp(10, &base_exponent);

	if (places == 0)
		return 1;
	uint64_t left = places < 0 ? 0 - (uint64_t)places : (uint64_t)places;
	for (; left != 0; left >>= 1) {
		if (base_exponent < -(1 << 12) || base_exponent > 1 << 12) {
			exponent += base_exponent;
			break;
		}
		if (left & 1) {
			power *= base;
			exponent += base_exponent;
		}
		base *= base;
		base_exponent *= 2;
		if (base < .5) {
			base += base;
			base_exponent--;
		}
	}
	if (places < 0) {
		power = 1 / power;
		exponent = -exponent;
	}
	return ldexp(power, exponent);
}

/* round VALUE PLACES [ON]: the fraction of a negative number is negative, so it rounds down. */
static enum status fn_round(struct tmpl_call *call)
{
	double on = call->arg_count > 2 ? call->args[2].v->real : 0.5;
	double power = power_of_ten(arg_int(call, 1));
	double digits = power * real(call, 0);
	double whole;
	double fraction = modf(digits, &whole);

	if (isinf(digits))
		fraction = NAN;
	return tmpl_return_float(call, (fraction >= on ? ceil(digits) : floor(digits)) / power);
}

/* ---- sequences --------------------------------------------------------------------------- */

/* from, from + step, ... up to but without stop; nothing when the step leads away from it. */
static enum status count_steps(struct tmpl_call *call, int64_t from, int64_t stop, int64_t step,
                               struct value *ret_list)
{
	struct value list = value_list_new(call->arena);
	bool down = stop < from;

	list.type = &type_int_list;
	if (down ? step < 0 : step > 0) {
		uint64_t distance =
		    down ? (uint64_t)from - (uint64_t)stop : (uint64_t)stop - (uint64_t)from;
		uint64_t stride = down ? 0 - (uint64_t)step : (uint64_t)step;
		uint64_t count = distance / stride + (distance % stride != 0);
		TRY(exec_charge(call->run, count));
		/* Steps are fewer than what would overflow. */
		TRY(exec_room(call->run, EXEC_BYTES_OF_ITEMS((size_t)count)));
		for (uint64_t i = 0; i < count; i++) {
			value_list_add(call->arena, &list, value_int(from));
			from = wrap_add(from, step);
		}
	}
	*ret_list = list;
	return STATUS_OK;
}

static enum status fn_until(struct tmpl_call *call)
{
	struct value list;
	int64_t stop = arg_int(call, 0);

	TRY(count_steps(call, 0, stop, stop < 0 ? -1 : 1, &list));
	return tmpl_return(call, list);
}

static enum status fn_until_step(struct tmpl_call *call)
{
	struct value list;

	TRY(count_steps(call, arg_int(call, 0), arg_int(call, 1), arg_int(call, 2), &list));
	return tmpl_return(call, list);
}

/* seq [START [STEP]] END, both ends included, as text. */
static enum status fn_seq(struct tmpl_call *call)
{
	int64_t start = 1;
	int64_t end;
	int64_t step;
	struct value list;
	struct buf buf = buf_in(call->arena);

	if (call->arg_count == 0 || call->arg_count > 3)
		return tmpl_return_string(call, SV(""));
	end = arg_int(call, call->arg_count - 1);
	if (call->arg_count > 1)
		start = arg_int(call, 0);
	int64_t direction = end < start ? -1 : 1;
	step = call->arg_count == 3 ? arg_int(call, 1) : direction;
	if (call->arg_count == 3 && direction < 0 && step > 0)
		return tmpl_return_string(call, SV(""));
	TRY(count_steps(call, start, wrap_add(end, direction), step, &list));
	for (size_t i = 0; i < value_count(&list); i++) {
		TRY(exec_room(call->run, 0));
		buf_printf(&buf, "%s%lld", i > 0 ? " " : "",
		           (long long)value_item(&list, i)->integer);
	}
	return tmpl_return_string(call, buf_sv(&buf));
}

static const struct tmpl_func funcs[] = {
    TMPL_FUNC("add", "*a>I", fn_add),        TMPL_FUNC("add1", "a>I", fn_add1),
    TMPL_FUNC("atoi", "s>i", fn_atoi),       TMPL_FUNC("biggest", "a*a>I", fn_max),
    TMPL_FUNC("ceil", "a>f", fn_ceil),       TMPL_FUNC("div", "aa>I", fn_div),
    TMPL_FUNC("float64", "a>f", fn_float64), TMPL_FUNC("floor", "a>f", fn_floor),
    TMPL_FUNC("int", "a>i", fn_int),         TMPL_FUNC("int64", "a>I", fn_int64),
    TMPL_FUNC("max", "a*a>I", fn_max),       TMPL_FUNC("maxf", "a*a>f", fn_maxf),
    TMPL_FUNC("min", "a*a>I", fn_min),       TMPL_FUNC("minf", "a*a>f", fn_minf),
    TMPL_FUNC("mod", "aa>I", fn_mod),        TMPL_FUNC("mul", "a*a>I", fn_mul),
    TMPL_FUNC("round", "ai*f>f", fn_round),  TMPL_FUNC("seq", "*i>s", fn_seq),
    TMPL_FUNC("sub", "aa>I", fn_sub),        TMPL_FUNC("toDecimal", "a>I", fn_to_decimal),
    TMPL_FUNC("until", "i>N", fn_until),     TMPL_FUNC("untilStep", "iii>N", fn_until_step),
};

const struct tmpl_func_table tmpl_funcs_math = TMPL_TABLE(funcs);
