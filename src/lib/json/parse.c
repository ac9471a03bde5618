/*
 * JSON to values: with positions, strictly, or as Go's encoding/json decodes it.
 */
#include "golang/golang.h"
#include "json/json.h"

#include <math.h>
#include <stdlib.h>

/* The token that was expected at the mistake. */
enum expected {
	EXPECT_VALUE,
	EXPECT_KEY,
	EXPECT_COLON,
	EXPECT_OBJECT_NEXT,
	EXPECT_ARRAY_NEXT,
	EXPECT_STRING,
	EXPECT_ESCAPE,
	EXPECT_HEX,
	EXPECT_NUMBER,
	EXPECT_FRACTION,
	EXPECT_EXPONENT,
	EXPECT_LITERAL,
	EXPECT_END,
};

struct expectation {
	const char *go;   /* follows "invalid character 'x' " */
	const char *text; /* for people */
	const char *help;
};

static const struct expectation expectations[] = {
    [EXPECT_VALUE] = {"looking for beginning of value", "expected a value",
                      "a value is a string in double quotes, a number, true, false, null, [...] "
                      "or {...}"},
    [EXPECT_KEY] = {"looking for beginning of object key string", "expected a key in double quotes",
                    "put keys in double quotes, and no comma after the last entry"},
    [EXPECT_COLON] = {"after object key", "expected `:` after the key", "write \"key\": value"},
    [EXPECT_OBJECT_NEXT] = {"after object key:value pair", "expected `,` or `}`",
                            "put a comma between entries, and } at the end"},
    [EXPECT_ARRAY_NEXT] = {"after array element", "expected `,` or `]`",
                           "put a comma between items, and ] at the end"},
    [EXPECT_STRING] = {"in string literal", "a string cannot hold this character unescaped",
                       "write it as an escape: \\n for a line break, \\t for a tab"},
    [EXPECT_ESCAPE] = {"in string escape code", "unknown escape",
                       "the escapes are \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u with four "
                       "digits"},
    [EXPECT_HEX] = {"in \\u hexadecimal character escape",
                    "expected four hexadecimal digits after \\u", "write \\u00e9, for example"},
    [EXPECT_NUMBER] = {"in numeric literal", "expected a digit", "write a number as -12.5e3"},
    [EXPECT_FRACTION] = {"after decimal point in numeric literal",
                         "expected a digit after the point", "write a number as -12.5e3"},
    [EXPECT_EXPONENT] = {"in exponent of numeric literal", "expected a digit in the exponent",
                         "write a number as -12.5e3"},
    [EXPECT_LITERAL] = {"in literal", "expected true, false or null",
                        "put strings in double quotes"},
    [EXPECT_END] = {"after top-level value", "text after the end of the value",
                    "a JSON file holds one value; remove the rest"},
};

struct parser {
	struct arena *arena;
	bool as_go; /* json_decode, else json_parse */
	sv text;
	size_t at;
	unsigned depth;
	/* The mistake that stopped it. */
	bool is_too_deep;
	bool is_too_much; /* of the run's quota */
	enum expected expected;
	const char *literal; /* EXPECT_LITERAL: the word, and which letter of it */
	size_t letter;
	/* Where mistakes go after which parsing continues. */
	struct sink *sink; /* null in json_decode */
	const struct source *source;
	bool failed;
	sv range_error; /* json_decode: the first number out of range */
};

static bool fail_parse(struct parser *p, enum expected expected)
{
	p->expected = expected;
	return false;
}

static int peek(const struct parser *p)
{
	return p->at < p->text.len ? (unsigned char)p->text.ptr[p->at] : -1;
}

static bool take_char(struct parser *p, char c)
{
	if (peek(p) != c)
		return false;
	p->at++;
	return true;
}

static void skip_space(struct parser *p)
{
	while (peek(p) == ' ' || peek(p) == '\t' || peek(p) == '\r' || peek(p) == '\n')
		p->at++;
}

static struct origin origin_from(const struct parser *p, size_t start, enum origin_style style)
{
	return (struct origin){p->source, (uint32_t)start, (uint32_t)(p->at - start), style};
}

static struct position position_at(const struct parser *p)
{
	struct position at = {p->source, p->at, 1};

	if (p->at >= p->text.len)
		at.length = 0;
	return at;
}

/* ---- strings ----------------------------------------------------------------------------- */

static bool take_hex(struct parser *p, uint32_t *ret)
{
	uint32_t rune = 0;

	for (int i = 0; i < 4; i++, p->at++) {
		unsigned digit = ascii_digit_value((uint32_t)peek(p));

		if (digit > 15)
			return fail_parse(p, EXPECT_HEX);
		rune = rune << 4 | digit;
	}
	*ret = rune;
	return true;
}

/* Reads what follows \u: one rune, or two escapes that are a surrogate pair. */
static bool take_unicode(struct parser *p, struct buf *out)
{
	uint32_t rune;
	uint32_t low;

	if (!take_hex(p, &rune))
		return false;
	size_t after = p->at;
	if (rune >= 0xD800 && rune < 0xDC00 && take_char(p, '\\') && take_char(p, 'u')) {
		if (!take_hex(p, &low))
			return false;
		if (low >= 0xDC00 && low < 0xE000) {
			buf_add_rune(out, 0x10000 + ((rune - 0xD800) << 10) + (low - 0xDC00));
			return true;
		}
	}
	p->at = after;
	buf_add_rune(out, rune); /* half a pair becomes U+FFFD */
	return true;
}

static bool take_escape(struct parser *p, struct buf *out)
{
	static const char from[] = "\"\\/bfnrt";
	static const char to[] = "\"\\/\b\f\n\r\t";
	int c = peek(p);
	const char *known = c > 0 ? strchr(from, c) : NULL;

	if (c == 'u') {
		p->at++;
		return take_unicode(p, out);
	}
	if (!known)
		return fail_parse(p, EXPECT_ESCAPE);
	buf_add_char(out, to[known - from]);
	p->at++;
	return true;
}

/* Reads from after the opening quote to after the closing one. */
static bool take_json_string(struct parser *p, sv *ret)
{
	struct buf out = buf_in(p->arena);
	size_t from = p->at;
	size_t width;

	for (;;) {
		int c = peek(p);

		if (c >= 0x80) {
			uint32_t rune = utf8_decode_at(p->text, p->at, &width);

			if (rune == UTF8_REPLACEMENT && width == 1) {
				buf_add(&out, sv_slice(p->text, from, p->at));
				buf_add_rune(&out, rune);
				from = p->at + 1;
			}
			p->at += width;
		} else if (c < 0x20) {
			return fail_parse(p, EXPECT_STRING);
		} else if (c == '"') {
			break;
		} else if (c == '\\') {
			buf_add(&out, sv_slice(p->text, from, p->at));
			p->at++;
			if (!take_escape(p, &out))
				return false;
			from = p->at;
		} else {
			p->at++;
		}
	}
	buf_add(&out, sv_slice(p->text, from, p->at));
	p->at++;
	*ret = buf_sv(&out);
	return true;
}

/* ---- numbers ----------------------------------------------------------------------------- */

static bool take_digits(struct parser *p, enum expected otherwise)
{
	size_t from = p->at;

	while (ascii_is_digit(peek(p)))
		p->at++;
	return p->at > from || fail_parse(p, otherwise);
}

/* RFC 8259 section 6. */
static bool take_json_number(struct parser *p, bool *ret_is_integer)
{
	*ret_is_integer = true;
	take_char(p, '-');
	if (!take_char(p, '0') && !take_digits(p, EXPECT_NUMBER))
		return false;
	if (take_char(p, '.')) {
		*ret_is_integer = false;
		if (!take_digits(p, EXPECT_FRACTION))
			return false;
	}
	if (take_char(p, 'e') || take_char(p, 'E')) {
		*ret_is_integer = false;
		if (!take_char(p, '+'))
			take_char(p, '-');
		if (!take_digits(p, EXPECT_EXPONENT))
			return false;
	}
	return true;
}

static void report_range(struct parser *p, size_t start)
{
	if (!p->sink) {
		if (p->range_error.len == 0)
			p->range_error = sv_slice(p->text, start, p->at);
		return;
	}
	struct diag *diag = diag_report(p->sink, DIAG_JSON_LIMIT,
	                                (struct position){p->source, start, p->at - start},
	                                "the number is too large");
	diag_set_help(p->sink, diag, "the largest is about 1.8e308");
	p->failed = true;
}

static bool parse_uint64(sv s, uint64_t *ret)
{
	uint64_t n = 0;

	for (size_t i = 0; i < s.len; i++)
		if (!ascii_is_digit(s.ptr[i]) || __builtin_mul_overflow(n, (uint64_t)10, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(s.ptr[i] - '0'), &n))
			return false;
	*ret = n;
	return s.len > 0;
}

/*
 * The number as an API server has it: an integer where its fewest digits are one that fits
 * (docs/spec/controller.md 2.1).
 */
static struct value integer_if_whole(double number)
{
	char text[FLOAT_TEXT_SIZE];
	int64_t i;
	uint64_t u;

	if (number != trunc(number) || fabs(number) >= 1e21)
		return value_float(number);
	size_t len = go_float_shortest(number, FLOAT_F, 64, text);
	if (sv_parse_int64(sv_from(text, len), &i))
		return (struct value){.type = &type_int64, .integer = i};
	if (parse_uint64(sv_from(text, len), &u))
		return (struct value){.type = &type_uint64, .unsigned_integer = u};
	return value_float(number);
}

static bool read_number(struct parser *p, struct value *ret)
{
	size_t start = p->at;
	bool is_integer;
	int64_t i;
	uint64_t u;

	if (!take_json_number(p, &is_integer))
		return false;
	sv text = sv_slice(p->text, start, p->at);
	if (is_integer && !p->as_go) {
		if (sv_parse_int64(text, &i)) {
			*ret = (struct value){.type = &type_int64, .integer = i};
			return true;
		}
		if (parse_uint64(text, &u)) {
			*ret = (struct value){.type = &type_uint64, .unsigned_integer = u};
			return true;
		}
	}
	double number = strtod(arena_cstr(p->arena, text), NULL);
	if (isinf(number)) {
		report_range(p, start);
		number = 0;
		if (p->as_go) {
			*ret = value_null();
			return true;
		}
	}
	*ret = p->as_go ? value_float(number) : integer_if_whole(number);
	return true;
}

/* ---- values ------------------------------------------------------------------------------ */

static bool read_value(struct parser *p, struct value *ret);

static bool read_literal(struct parser *p, const char *word, struct value value, struct value *ret)
{
	for (size_t i = 0; word[i]; i++) {
		if (!take_char(p, word[i])) {
			p->literal = word;
			p->letter = i;
			return fail_parse(p, EXPECT_LITERAL);
		}
	}
	*ret = value;
	return true;
}

static bool read_array(struct parser *p, struct value *ret)
{
	struct value list = value_list_new(p->arena);
	struct value item;

	p->at++;
	skip_space(p);
	if (!take_char(p, ']')) {
		for (;;) {
			if (!read_value(p, &item))
				return false;
			value_list_add(p->arena, &list, item);
			skip_space(p);
			if (take_char(p, ']'))
				break;
			if (!take_char(p, ','))
				return fail_parse(p, EXPECT_ARRAY_NEXT);
		}
	}
	*ret = list;
	return true;
}

static void add_entry(struct parser *p, struct value *map, sv key, struct origin key_origin,
                      struct value value)
{
	const struct value_entry *first = p->as_go ? NULL : value_map_find(map, key);

	if (!first) {
		value_map_set_at(p->arena, map, key, key_origin, value);
		return;
	}
	struct diag *diag =
	    diag_report(p->sink, DIAG_JSON_DUPLICATE_KEY, origin_position(key_origin),
	                "key \"%.*s\" is given twice", SV_ARG(key));
	diag_add_note(p->sink, diag, origin_position(first->key_origin), "first given here");
	diag_set_help(p->sink, diag, "remove one of the two");
	p->failed = true;
}

static bool read_entry(struct parser *p, struct value *map)
{
	struct value value;
	sv key;

	skip_space(p);
	size_t start = p->at;
	if (!take_char(p, '"'))
		return fail_parse(p, EXPECT_KEY);
	if (!take_json_string(p, &key))
		return false;
	struct origin key_origin = origin_from(p, start, ORIGIN_DOUBLE_QUOTED);
	skip_space(p);
	if (!take_char(p, ':'))
		return fail_parse(p, EXPECT_COLON);
	if (!read_value(p, &value))
		return false;
	add_entry(p, map, key, key_origin, value);
	return true;
}

static bool parse_object(struct parser *p, struct value *ret)
{
	struct value map = value_map_new(p->arena);

	p->at++;
	skip_space(p);
	if (!take_char(p, '}')) {
		for (;;) {
			if (!read_entry(p, &map))
				return false;
			skip_space(p);
			if (take_char(p, '}'))
				break;
			if (!take_char(p, ','))
				return fail_parse(p, EXPECT_OBJECT_NEXT);
		}
	}
	*ret = map;
	return true;
}

static bool read_string(struct parser *p, struct value *ret)
{
	sv text;

	p->at++;
	if (!take_json_string(p, &text))
		return false;
	*ret = value_string(text);
	return true;
}

static bool read_nested(struct parser *p, struct value *ret)
{
	if (p->depth >= JSON_MAX_DEPTH) {
		p->is_too_deep = true;
		return false;
	}
	p->depth++;
	bool ok = peek(p) == '[' ? read_array(p, ret) : parse_object(p, ret);
	p->depth--;
	return ok;
}

static bool read_value(struct parser *p, struct value *ret)
{
	bool ok;

	skip_space(p);
	size_t start = p->at;
	int c = peek(p);
	if (p->source && !quota_take(p->source->values, c == '{'   ? QUOTA_MAP
	                                                : c == '[' ? QUOTA_LIST
	                                                           : 1)) {
		p->is_too_much = true;
		return false;
	}
	if (c == '{' || c == '[')
		ok = read_nested(p, ret);
	else if (c == '"')
		ok = read_string(p, ret);
	else if (c == '-' || ascii_is_digit(c))
		ok = read_number(p, ret);
	else if (c == 't')
		ok = read_literal(p, "true", value_bool(true), ret);
	else if (c == 'f')
		ok = read_literal(p, "false", value_bool(false), ret);
	else if (c == 'n')
		ok = read_literal(p, "null", value_null(), ret);
	else
		return fail_parse(p, EXPECT_VALUE);
	if (ok)
		ret->origin = origin_from(p, start, c == '"' ? ORIGIN_DOUBLE_QUOTED : ORIGIN_EXACT);
	return ok;
}

static bool parse_text(struct parser *p, struct value *ret)
{
	if (!read_value(p, ret))
		return false;
	skip_space(p);
	return p->at == p->text.len || fail_parse(p, EXPECT_END);
}

/* ---- the two ways in --------------------------------------------------------------------- */

static void report_syntax(struct parser *p)
{
	const struct expectation *e = &expectations[p->expected];
	struct diag *diag;

	if (p->is_too_much) {
		quota_report(p->sink, p->source->values);
	} else if (p->is_too_deep) {
		diag = diag_report(p->sink, DIAG_JSON_LIMIT, position_at(p),
		                   "lists and objects are nested too deeply");
		diag_set_help(p->sink, diag, "at most %d levels are read", JSON_MAX_DEPTH);
	} else if (diag_report_conflict(p->sink, position_at(p))) {
		return;
	} else if (p->at >= p->text.len) {
		diag = diag_report(p->sink, DIAG_JSON_SYNTAX, position_at(p),
		                   "the text ends too early: %s", e->text);
		diag_set_help(p->sink, diag, "close every bracket and quote");
	} else {
		diag = diag_report(p->sink, DIAG_JSON_SYNTAX, position_at(p), "%s", e->text);
		diag_set_help(p->sink, diag, "%s", e->help);
	}
}

enum status json_parse(struct arena *arena, struct sink *sink, const struct source *source,
                       struct value *ret_value)
{
	struct parser p = {.arena = arena, .text = source->text, .sink = sink, .source = source};
	struct value value;

	if (p.text.len > JSON_MAX_SIZE) {
		struct diag *diag =
		    diag_report(sink, DIAG_JSON_LIMIT, position_of_source(source),
		                "the file has %zu bytes, more than the %zu that are read",
		                p.text.len, JSON_MAX_SIZE);
		diag_set_help(sink, diag,
		              "split it, or list it in .osm-gen-ignore if it is not a manifest");
		return STATUS_FAILED;
	}
	if (sv_starts_with(p.text, SV("\xEF\xBB\xBF")))
		p.at = 3;
	if (!parse_text(&p, &value)) {
		report_syntax(&p);
		return STATUS_FAILED;
	}
	if (p.failed)
		return STATUS_FAILED;
	*ret_value = value;
	return STATUS_OK;
}

static sv go_error(struct parser *p)
{
	if (p->is_too_deep)
		return SV("exceeded max depth");
	/* Go ends its input with one more space, which some states refuse by themselves. */
	bool is_end = p->at >= p->text.len;
	if (is_end && (p->expected < EXPECT_ESCAPE || p->expected > EXPECT_LITERAL))
		return SV("unexpected end of JSON input");
	/* Go's quoteChar: the byte as a character of Latin-1. */
	struct buf quoted = buf_in(p->arena);
	go_quote_rune_add(&quoted, is_end ? ' ' : (unsigned char)p->text.ptr[p->at], false);
	sv c = buf_sv(&quoted);
	if (p->expected == EXPECT_LITERAL)
		return arena_printf(p->arena,
		                    "invalid character %.*s in literal %s (expecting '%c')",
		                    SV_ARG(c), p->literal, p->literal[p->letter]);
	return arena_printf(p->arena, "invalid character %.*s %s", SV_ARG(c),
	                    expectations[p->expected].go);
}

bool json_decode(struct arena *arena, sv text, struct value *ret_value, sv *ret_error)
{
	struct parser p = {.arena = arena, .as_go = true, .text = text};
	struct value value;

	if (!parse_text(&p, &value)) {
		*ret_error = go_error(&p);
		return false;
	}
	if (p.range_error.len > 0) {
		*ret_error = arena_printf(
		    arena, "json: cannot unmarshal number %.*s into Go value of type float64",
		    SV_ARG(p.range_error));
		*ret_value = value;
		return false;
	}
	*ret_value = value;
	return true;
}
