/*
 * Constants. A number keeps every reading that its text allows, for the type that its place asks
 * for; `ideal` is what it is where nothing asks.
 */
#include "golang/golang.h"
#include "tmpl/parse_node.h"

static bool has_any(sv s, const char *chars)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] != '\0' && strchr(chars, s.ptr[i]))
			return true;
	return false;
}

static sv error_quoting(struct arena *arena, const char *message, sv text)
{
	struct buf buf = buf_in(arena);

	buf_add_cstr(&buf, message);
	go_strconv_quote_add(&buf, text);
	return buf_sv(&buf);
}

static void set_integers_from_float(struct number_node *n, double f)
{
	if ((double)go_float_to_int(f) == f) {
		n->is_int = true;
		n->integer = go_float_to_int(f);
	}
	if ((double)go_float_to_uint(f) == f) {
		n->is_uint = true;
		n->unsigned_integer = go_float_to_uint(f);
	}
}

static void simplify_complex(struct number_node *n)
{
	n->is_complex = true;
	if (n->im != 0)
		return;
	n->is_float = true;
	n->real = n->re;
	set_integers_from_float(n, n->re);
}

/* The rune between single quotes; escapes are those of Go. */
static bool parse_char(struct arena *arena, struct number_node *n, enum parse_advice *ret_advice,
                       sv *ret_error)
{
	sv rest = sv_from_offset(n->text, 1);
	uint32_t rune;

	if (!go_strconv_unquote_char(arena, &rest, '\'', &rune)) {
		*ret_advice = PARSE_ADVICE_ESCAPE;
		*ret_error = SV("invalid syntax");
		return false;
	}
	if (!sv_eq(rest, SV("'"))) {
		*ret_advice = PARSE_ADVICE_QUOTES;
		*ret_error = ARENA_CONCAT(arena, SV("malformed character constant: "), n->text);
		return false;
	}
	n->is_int = n->is_uint = n->is_float = true;
	n->integer = (int64_t)rune;
	n->unsigned_integer = rune;
	n->real = (double)rune;
	n->ideal = value_int(n->integer);
	return true;
}

static bool take_one(sv *rest, const char *allowed)
{
	if (rest->len == 0 || rest->ptr[0] == '\0' || !strchr(allowed, rest->ptr[0]))
		return false;
	*rest = sv_from_offset(*rest, 1);
	return true;
}

/* A number as fmt.Sscan cuts it out: its parts may be missing, which is found out later. */
static sv take_float(sv *rest)
{
	const char *digits = "0123456789_";
	const char *exponent = "eEpP";
	sv start = *rest;

	take_one(rest, "+-");
	take_one(rest, "iI"); /* of an Inf: gone even when the rest of it does not follow */
	if (take_one(rest, "0") && take_one(rest, "xX")) {
		digits = "0123456789aAbBcCdDeEfF_";
		exponent = "pP";
	}
	while (take_one(rest, digits))
		continue;
	if (take_one(rest, "."))
		while (take_one(rest, digits))
			continue;
	if (take_one(rest, exponent)) {
		take_one(rest, "+-");
		while (take_one(rest, "0123456789_"))
			continue;
	}
	return sv_slice(start, 0, start.len - rest->len);
}

static bool scan_float(struct arena *arena, sv text, double *ret_value,
                       enum parse_advice *ret_advice, sv *ret_error)
{
	enum number_status status = go_parse_float(text, ret_value);

	if (status == NUMBER_OK)
		return true;
	if (status != NUMBER_RANGE)
		*ret_advice = PARSE_ADVICE_ESCAPE;
	*ret_error = ARENA_CONCAT(
	    arena, SV("strconv.ParseFloat: parsing "), go_strconv_quote(arena, text),
	    status == NUMBER_RANGE ? SV(": value out of range") : SV(": invalid syntax"));
	return false;
}

/* 1+2i, as fmt.Sscan reads it. */
static bool parse_complex(struct arena *arena, struct number_node *n, enum parse_advice *ret_advice,
                          sv *ret_error)
{
	sv rest = n->text;
	sv real = take_float(&rest);
	sv sign = rest;

	if (!take_one(&rest, "+-")) {
		*ret_error = SV("syntax error scanning complex number");
		return false;
	}
	take_float(&rest);
	sv imaginary = sv_slice(sign, 0, sign.len - rest.len);
	if (!take_one(&rest, "i")) {
		*ret_error = SV("syntax error scanning complex number");
		return false;
	}
	if (!scan_float(arena, real, &n->re, ret_advice, ret_error) ||
	    !scan_float(arena, imaginary, &n->im, ret_advice, ret_error))
		return false;
	simplify_complex(n);
	return true;
}

static bool parse_number(struct arena *arena, struct number_node *n, enum parse_advice *ret_advice,
                         sv *ret_error)
{
	sv s = n->text;

	if (s.ptr[s.len - 1] == 'i' &&
	    go_parse_float(sv_slice(s, 0, s.len - 1), &n->im) == NUMBER_OK) {
		simplify_complex(n);
		return true;
	}
	n->is_uint = go_parse_uint(s, 0, &n->unsigned_integer) == NUMBER_OK;
	n->is_int = go_parse_int(s, 0, &n->integer) == NUMBER_OK;
	if (n->is_int && n->integer == 0)
		n->is_uint = true; /* -0 */
	if (n->is_int || n->is_uint) {
		n->is_float = true;
		n->real = n->is_int ? (double)n->integer : (double)n->unsigned_integer;
		return true;
	}
	if (go_parse_float(s, &n->real) != NUMBER_OK) {
		*ret_advice = PARSE_ADVICE_OPERATOR;
		*ret_error = error_quoting(arena, "illegal number syntax: ", s);
		return false;
	}
	if (!has_any(s, ".eEpP")) {
		*ret_error = error_quoting(arena, "integer overflow: ", s);
		return false;
	}
	n->is_float = true;
	set_integers_from_float(n, n->real);
	return true;
}

static bool is_hex_integer(sv s)
{
	return s.len > 2 && s.ptr[0] == '0' && (s.ptr[1] == 'x' || s.ptr[1] == 'X') &&
	       !has_any(s, "pP");
}

static void set_ideal(struct number_node *n)
{
	if (n->is_complex) {
		n->ideal = (struct value){.type = &type_complex128};
		n->ideal.complex.re = n->re;
		n->ideal.complex.im = n->im;
	} else if (n->is_float && !is_hex_integer(n->text) && has_any(n->text, ".eEpP")) {
		n->ideal = value_float(n->real);
	} else if (n->is_int) {
		n->ideal = value_int(n->integer);
	}
}

bool number_parse(struct arena *arena, struct number_node *n, enum literal_kind kind,
                  enum parse_advice *ret_advice, sv *ret_error)
{
	switch (kind) {
	case LITERAL_CHAR:
		return parse_char(arena, n, ret_advice, ret_error);
	case LITERAL_COMPLEX:
		if (!parse_complex(arena, n, ret_advice, ret_error))
			return false;
		break;
	case LITERAL_NUMBER:
		if (!parse_number(arena, n, ret_advice, ret_error))
			return false;
		break;
	}
	set_ideal(n);
	return true;
}
