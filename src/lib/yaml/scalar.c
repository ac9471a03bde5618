/*
 * A scalar on its way to JSON: tags, keys, numbers without a fraction.
 */
#include "yaml/resolve.h"

#include "codec/codec.h"
#include "golang/golang.h"

#include <inttypes.h>
#include <math.h>

sv yml_json_text(struct arena *arena, sv s)
{
	struct buf buf = buf_in(arena);

	if (utf8_valid(s))
		return s;
	buf_add_valid(&buf, s);
	return buf_sv(&buf);
}

bool yml_apply_tag(struct arena *arena, sv tag, sv text, struct value *ret)
{
	struct value v = yml_resolve(text);
	size_t error_at;
	sv bytes;

	*ret = value_string(text);
	if (sv_eq(tag, SV(YML_TAG_PREFIX "binary"))) {
		if (!base64_decode(arena, BASE64_STD, text, &bytes, &error_at))
			return false;
		*ret = value_string(yml_json_text(arena, bytes));
		return true;
	}
	if (sv_eq(tag, SV(YML_TAG_PREFIX "timestamp")))
		return yml_is_timestamp(text);
	if (sv_eq(tag, SV(YML_TAG_PREFIX "null"))) {
		*ret = v;
		return v.type == &type_nil;
	}
	if (sv_eq(tag, SV(YML_TAG_PREFIX "bool"))) {
		*ret = v;
		return v.type == &type_bool;
	}
	if (sv_eq(tag, SV(YML_TAG_PREFIX "int"))) {
		*ret = v;
		return v.type == &type_int64 || v.type == &type_uint64;
	}
	if (sv_eq(tag, SV(YML_TAG_PREFIX "float"))) {
		*ret = v.type == &type_int64 ? value_float((double)v.integer) : v;
		return ret->type == &type_float64;
	}
	return true; /* !!str, and tags of others: the text */
}

bool yml_key_text(struct arena *arena, const struct value *v, sv *ret)
{
	char text[FLOAT_TEXT_SIZE];

	if (value_is_string(v)) {
		*ret = v->string;
	} else if (v->type == &type_bool) {
		*ret = v->boolean ? SV("true") : SV("false");
	} else if (v->type == &type_int64) {
		*ret = arena_printf(arena, "%" PRId64, v->integer);
	} else if (v->type == &type_float64) {
		/* COMPAT: Go rounds to a float32; a number too large for one is infinite. */
		size_t len = go_float_shortest(v->real, FLOAT_G, 32, text);

		*ret = arena_dup(arena, sv_from(text, len));
		if (!isfinite((float)v->real))
			*ret = isnan(v->real) ? SV(".nan") : v->real > 0 ? SV(".inf") : SV("-.inf");
	} else {
		return false;
	}
	return true;
}

void yml_settle_number(struct value *v)
{
	char text[FLOAT_TEXT_SIZE];
	double number = v->real;

	/* From there on encoding/json writes an exponent. */
	if (number != trunc(number) || fabs(number) >= 1e21)
		return;
	/* encoding/json writes the fewest digits that read back as the same float. Beyond 2^53
	 * these digits may spell another integer, and that integer is the result here, too. */
	size_t len = go_float_shortest(number, FLOAT_F, 64, text);
	struct value again = yml_resolve(sv_from(text, len));
	if (again.type == &type_float64)
		return;
	again.origin = v->origin;
	*v = again;
}
