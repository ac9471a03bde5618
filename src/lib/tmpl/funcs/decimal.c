/*
 * addf and its siblings: sprig computes them in decimal (shopspring/decimal), exactly but for
 * division, which keeps 16 digits after the point. A number is digits times a power of ten.
 */
#include "golang/golang.h"
#include "tmpl/exec.h"
#include "tmpl/func.h"
#include "tmpl/funcs/convert.h"

#include <math.h>
#include <stdlib.h>

#define DIVISION_PLACES 16
/* Finding the shortest digits of one. */
#define STEPS_PER_FLOAT 32

struct decimal {
	bool negative;
	unsigned char *digits; /* 0 to 9, the first one most significant; leading zeros may be */
	size_t count;
	int64_t exponent;
};

typedef enum status operation(struct tmpl_call *call, const struct decimal *a,
                              const struct decimal *b, struct decimal *ret_result);

static enum status from_float(struct tmpl_call *call, double number, struct decimal *ret_decimal)
{
	char digits[18];
	int exponent;

	if (isnan(number))
		return tmpl_fail(call, "Cannot create a Decimal from NaN");
	if (isinf(number))
		return tmpl_fail(call, "Cannot create a Decimal from %s",
		                 number > 0 ? "+Inf" : "-Inf");
	TRY(exec_charge(call->run, STEPS_PER_FLOAT));
	size_t count = go_float_digits(number, 64, digits, &exponent);
	ret_decimal->digits = arena_alloc(call->arena, count);
	for (size_t i = 0; i < count; i++)
		ret_decimal->digits[i] = (unsigned char)(digits[i] - '0');
	ret_decimal->count = count;
	ret_decimal->exponent = exponent - (int64_t)count;
	ret_decimal->negative = number < 0;
	return STATUS_OK;
}

static bool is_zero(const struct decimal *d)
{
	for (size_t i = 0; i < d->count; i++)
		if (d->digits[i] != 0)
			return false;
	return true;
}

/* The text of the number read back: correctly rounded, as the library's exact fraction is. */
static double to_float(struct tmpl_call *call, const struct decimal *d)
{
	struct buf buf = buf_in(call->arena);

	if (d->negative)
		buf_add_char(&buf, '-');
	buf_add_char(&buf, '0');
	for (size_t i = 0; i < d->count; i++)
		buf_add_char(&buf, (char)('0' + d->digits[i]));
	buf_printf(&buf, "e%lld", (long long)d->exponent);
	buf_add_char(&buf, '\0');
	double number = strtod(buf.ptr, NULL);
	/* A number too small for a float keeps its sign; zero itself has none. */
	return number == 0 && is_zero(d) ? 0 : number;
}

/* Room for a result of count digits, zeros. */
static enum status new_decimal(struct tmpl_call *call, size_t count, int64_t exponent,
                               struct decimal *ret_decimal)
{
	TRY(exec_charge(call->run, count));
	TRY(exec_room(call->run, count));
	*ret_decimal = (struct decimal){
	    .digits = arena_alloc(call->arena, count), .count = count, .exponent = exponent};
	return STATUS_OK;
}

/* The digit that stands for 10^(place). */
static unsigned digit_at(const struct decimal *d, int64_t place)
{
	int64_t from_end = place - d->exponent;

	if (from_end < 0 || from_end >= (int64_t)d->count)
		return 0;
	return d->digits[d->count - 1 - (size_t)from_end];
}

static int64_t top_of(const struct decimal *d)
{
	return d->exponent + (int64_t)d->count;
}

static int compare_magnitude(const struct decimal *a, const struct decimal *b)
{
	int64_t top = top_of(a) > top_of(b) ? top_of(a) : top_of(b);
	int64_t low = a->exponent < b->exponent ? a->exponent : b->exponent;

	for (int64_t place = top; place >= low; place--)
		if (digit_at(a, place) != digit_at(b, place))
			return digit_at(a, place) < digit_at(b, place) ? -1 : 1;
	return 0;
}

static enum status decimal_add(struct tmpl_call *call, const struct decimal *a,
                               const struct decimal *b, struct decimal *ret_result)
{
	int64_t low = a->exponent < b->exponent ? a->exponent : b->exponent;
	int64_t top = (top_of(a) > top_of(b) ? top_of(a) : top_of(b)) + 1;
	bool subtract = a->negative != b->negative;
	int carry = 0;

	if (subtract && compare_magnitude(a, b) < 0) {
		const struct decimal *larger = b;
		b = a;
		a = larger;
	}
	TRY(new_decimal(call, (size_t)(top - low), low, ret_result));
	for (int64_t place = low; place < top; place++) {
		int digit = (int)digit_at(a, place) + carry;
		digit += subtract ? -(int)digit_at(b, place) : (int)digit_at(b, place);
		carry = digit < 0 ? -1 : digit / 10;
		ret_result->digits[top - 1 - place] = (unsigned char)((digit + 10) % 10);
	}
	ret_result->negative = a->negative;
	return STATUS_OK;
}

static enum status subtract(struct tmpl_call *call, const struct decimal *a,
                            const struct decimal *b, struct decimal *ret_result)
{
	struct decimal negated = *b;

	negated.negative = !b->negative;
	return decimal_add(call, a, &negated, ret_result);
}

static enum status multiply(struct tmpl_call *call, const struct decimal *a,
                            const struct decimal *b, struct decimal *ret_result)
{
	TRY(exec_charge(call->run, a->count * b->count / 16));
	TRY(new_decimal(call, a->count + b->count, a->exponent + b->exponent, ret_result));
	for (size_t i = a->count; i > 0; i--) {
		unsigned carry = 0;
		for (size_t j = b->count; j > 0; j--) {
			unsigned char *digit = &ret_result->digits[i + j - 1];
			unsigned sum =
			    *digit + carry + (unsigned)a->digits[i - 1] * b->digits[j - 1];
			*digit = (unsigned char)(sum % 10);
			carry = sum / 10;
		}
		ret_result->digits[i - 1] = (unsigned char)carry;
	}
	ret_result->negative = a->negative != b->negative;
	return STATUS_OK;
}

/* b comes from a float: at most 17 digits. Half rounds away from zero. */
static enum status divide(struct tmpl_call *call, const struct decimal *a, const struct decimal *b,
                          struct decimal *ret_result)
{
	uint64_t divisor = 0;
	uint64_t rest = 0;

	for (size_t i = 0; i < b->count; i++)
		divisor = divisor * 10 + b->digits[i];
	if (divisor == 0)
		return tmpl_fail(call, "decimal division by 0");
	/* a.digits / divisor has exponent a - b; one digit more than is kept decides the rounding.
	 */
	int64_t low = -DIVISION_PLACES - 1 + b->exponent;
	int64_t top = top_of(a) > low ? top_of(a) : low + 1;
	TRY(new_decimal(call, (size_t)(top - low) + 1, low - b->exponent, ret_result));
	for (int64_t place = top - 1; place >= low; place--) {
		rest = rest * 10 + digit_at(a, place);
		ret_result->digits[top - place] = (unsigned char)(rest / divisor);
		rest %= divisor;
	}
	bool up = ret_result->digits[ret_result->count - 1] >= 5;
	ret_result->count--;
	ret_result->exponent++;
	for (size_t i = ret_result->count; up && i > 0; i--) {
		up = ret_result->digits[i - 1] == 9;
		ret_result->digits[i - 1] = up ? 0 : (unsigned char)(ret_result->digits[i - 1] + 1);
	}
	ret_result->negative = a->negative != b->negative;
	return STATUS_OK;
}

/* start OP args[from] OP ... */
static enum status fold(struct tmpl_call *call, double start, size_t from, operation *op)
{
	struct decimal result = {0};
	struct decimal next = {0};

	TRY(from_float(call, start, &result));
	for (size_t i = from; i < call->arg_count; i++) {
		struct decimal sum = {0};
		TRY(from_float(call, cast_float(arg_value(call, i)), &next));
		TRY(op(call, &result, &next, &sum));
		result = sum;
	}
	return tmpl_return_float(call, to_float(call, &result));
}

static enum status fn_addf(struct tmpl_call *call)
{
	return fold(call, 0, 0, decimal_add);
}

static enum status fn_add1f(struct tmpl_call *call)
{
	return fold(call, 1, 0, decimal_add);
}

static enum status fn_subf(struct tmpl_call *call)
{
	return fold(call, cast_float(arg_value(call, 0)), 1, subtract);
}

static enum status fn_mulf(struct tmpl_call *call)
{
	return fold(call, cast_float(arg_value(call, 0)), 1, multiply);
}

static enum status fn_divf(struct tmpl_call *call)
{
	return fold(call, cast_float(arg_value(call, 0)), 1, divide);
}

static const struct tmpl_func funcs[] = {
    TMPL_FUNC("add1f", "a>f", fn_add1f), TMPL_FUNC("addf", "*a>f", fn_addf),
    TMPL_FUNC("divf", "a*a>f", fn_divf), TMPL_FUNC("mulf", "a*a>f", fn_mulf),
    TMPL_FUNC("subf", "a*a>f", fn_subf),
};

const struct tmpl_func_table tmpl_funcs_decimal = TMPL_TABLE(funcs);
