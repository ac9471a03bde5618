/*
 * spf13/cast's numbers, and sprig's lists of strings, of any value.
 */
#include "tmpl/funcs/convert.h"

#include "golang/golang.h"

static const struct value *follow_pointers(const struct value *v)
{
	bool is_nil;

	if (!v)
		return NULL;
	struct ref ref = go_ref_indirect(go_ref_of(v), &is_nil);
	return is_nil || !go_ref_valid(ref) ? NULL : ref.v;
}

/* "-12.50" is -12: drops the fraction of a decimal number. */
static sv without_fraction(sv s)
{
	size_t point = sv_find_char(s, '.');
	size_t i = 0;

	if (point == SV_NPOS)
		return s;
	if (i < s.len && (s.ptr[i] == '+' || s.ptr[i] == '-'))
		i++;
	for (; i < s.len; i++)
		if (i != point && !ascii_is_digit(s.ptr[i]))
			return s;
	sv whole = sv_slice(s, 0, point);
	if (whole.len == 0 || (whole.len == 1 && (whole.ptr[0] == '-' || whole.ptr[0] == '+')))
		return SV("0");
	return whole;
}

int64_t cast_int(const struct value *v)
{
	int64_t number;

	v = follow_pointers(v);
	if (!v)
		return 0;
	enum type_kind kind = v->type->kind;
	if (go_kind_is_int(kind))
		return v->integer;
	if (go_kind_is_uint(kind))
		return (int64_t)v->unsigned_integer;
	if (go_type_is_float(v->type))
		return go_float_to_int(v->real);
	if (kind == KIND_BOOL)
		return v->boolean;
	if (kind == KIND_STRING &&
	    go_parse_int(without_fraction(v->string), 0, &number) == NUMBER_OK)
		return number;
	return 0;
}

double cast_float(const struct value *v)
{
	double number;

	v = follow_pointers(v);
	if (!v)
		return 0;
	enum type_kind kind = v->type->kind;
	if (go_kind_is_int(kind))
		return (double)v->integer;
	if (go_kind_is_uint(kind))
		return (double)v->unsigned_integer;
	if (go_type_is_float(v->type))
		return v->real;
	if (kind == KIND_BOOL)
		return v->boolean;
	if (kind == KIND_STRING && go_parse_float(v->string, &number) == NUMBER_OK)
		return number;
	return 0;
}
