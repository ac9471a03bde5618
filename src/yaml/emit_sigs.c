/*
 * The layout of sigs.k8s.io/yaml v1.6.0, which is yaml.v2's emitter, which is libyaml's: a pen that
 * knows its column and whether the line holds nothing but white space and indicators so far.
 *
 * COMPAT: everything here is as the controller's texts have it, pretty or not.
 */
#include "yaml/resolve.h"
#include "yaml/yaml.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum {
	STEP = 2,
	WIDTH = 80,               /* lines are folded at the first space behind it */
	LONGEST_SIMPLE_KEY = 128, /* bytes */
};

struct pen {
	struct buf *buf;
	int column;
	int indent;     /* of the node being written; -1 outside of all */
	bool is_spaced; /* the last thing written was white space */
	bool is_fresh;  /* the line holds only white space and indicators */
};

/* ---- characters ------------------------------------------------------------------------- */

static uint32_t rune_at(sv s, size_t i, size_t *ret_width)
{
	return utf8_decode(sv_from_offset(s, i), ret_width);
}

static bool is_break(uint32_t rune)
{
	return rune == '\r' || rune == '\n' || rune == 0x85 || rune == 0x2028 || rune == 0x2029;
}

/* Not so: TAB, CR, NEL, the byte order mark, and all above U+FFFF. */
static bool is_printable(uint32_t rune)
{
	return rune == '\n' || (rune >= 0x20 && rune <= 0x7E) ||
	       (rune >= 0xA0 && rune <= 0xFFFD && rune != 0xFEFF);
}

static void put(struct pen *pen, char c)
{
	buf_add_char(pen->buf, c);
	pen->column++;
}

static void put_break(struct pen *pen)
{
	buf_add_char(pen->buf, '\n');
	pen->column = 0;
}

/* One character of a text. */
static void put_rune(struct pen *pen, uint32_t rune)
{
	buf_add_rune(pen->buf, rune);
	pen->column = is_break(rune) ? 0 : pen->column + 1;
}

/* To the indentation, on a new line unless this one is still fresh. */
static void put_indent(struct pen *pen)
{
	int indent = pen->indent > 0 ? pen->indent : 0;

	if (!pen->is_fresh || pen->column > indent || (pen->column == indent && !pen->is_spaced))
		put_break(pen);
	while (pen->column < indent)
		put(pen, ' ');
	pen->is_spaced = true;
	pen->is_fresh = true;
}

static void put_indicator(struct pen *pen, const char *text, bool needs_space, bool is_space,
                          bool keeps_fresh)
{
	if (needs_space && !pen->is_spaced)
		put(pen, ' ');
	for (; *text; text++)
		put(pen, *text);
	pen->is_spaced = is_space;
	pen->is_fresh = pen->is_fresh && keeps_fresh;
}

/* ---- what a text allows ----------------------------------------------------------------- */

enum style { STYLE_PLAIN, STYLE_SINGLE, STYLE_DOUBLE, STYLE_LITERAL };

struct analysis {
	bool has_break;
	bool allows_plain;
	bool allows_single;
	bool allows_block;
};

/* An indicator that a plain text must not begin with, or have inside. */
static bool is_indicator(uint32_t rune, bool is_first, bool after_space, bool before_space)
{
	if (is_first && rune < 0x80 && rune > 0 && strchr("#,[]{}&*!|>'\"%@`", (int)rune))
		return true;
	if (is_first && (rune == '?' || rune == '-'))
		return before_space;
	return (rune == ':' && before_space) || (rune == '#' && after_space);
}

static bool is_blank_at(sv s, size_t i)
{
	return i >= s.len || s.ptr[i] == ' ' || s.ptr[i] == '\t';
}

static struct analysis analyze(sv s)
{
	bool has_indicator = sv_starts_with(s, SV("---")) || sv_starts_with(s, SV("..."));
	bool has_special = false;
	bool has_break = false;
	bool break_space = false; /* a break, then a space */
	bool space_break = false;
	bool after_space = true; /* white space, a break or the start before this one */
	uint32_t last = 0;
	uint32_t first = 0;
	size_t width;

	if (s.len == 0)
		return (struct analysis){.allows_plain = true, .allows_single = true};
	for (size_t i = 0; i < s.len; i += width) {
		uint32_t rune = rune_at(s, i, &width);

		has_indicator = has_indicator ||
		                is_indicator(rune, i == 0, after_space, is_blank_at(s, i + width));
		has_special = has_special || !is_printable(rune);
		has_break = has_break || is_break(rune);
		break_space = break_space || (rune == ' ' && i > 0 && is_break(last));
		space_break = space_break || (is_break(rune) && last == ' ');
		after_space = rune == ' ' || rune == '\t' || is_break(rune);
		last = rune;
		if (i == 0)
			first = rune;
	}
	bool is_padded = first == ' ' || is_break(first) || last == ' ' || is_break(last);
	bool is_odd = space_break || has_special;
	return (struct analysis){
	    .has_break = has_break,
	    .allows_plain = !is_padded && !break_space && !is_odd && !has_break && !has_indicator,
	    .allows_single = !break_space && !is_odd,
	    .allows_block = last != ' ' && !is_odd,
	};
}

static bool means_string(sv s)
{
	struct value v = yaml_resolve(s);

	return value_is_string(&v) && !yaml_is_timestamp(s) && !yaml_is_base60(s);
}

static enum style choose_style(sv s, const struct analysis *a, bool is_simple_key)
{
	if (sv_find_char(s, '\n') != SV_NPOS)
		return a->allows_block && !is_simple_key ? STYLE_LITERAL : STYLE_DOUBLE;
	if (!means_string(s))
		return STYLE_DOUBLE;
	if (a->allows_plain)
		return STYLE_PLAIN;
	return a->allows_single ? STYLE_SINGLE : STYLE_DOUBLE;
}

/* ---- scalars ---------------------------------------------------------------------------- */

static bool is_space_at(sv s, size_t i)
{
	return i < s.len && s.ptr[i] == ' ';
}

/*
 * The text of a plain or single-quoted scalar. Behind column 80 a single space becomes a line
 * break; a line break of the text is written twice when it is LF.
 */
static void put_folded(struct pen *pen, sv s, enum style style, bool may_fold)
{
	bool after_space = false;
	bool after_break = false;
	size_t width;

	for (size_t i = 0; i < s.len; i += width) {
		uint32_t rune = rune_at(s, i, &width);

		if (rune == ' ') {
			bool is_inside = style == STYLE_PLAIN || (i > 0 && i < s.len - 1);

			if (may_fold && !after_space && pen->column > WIDTH && is_inside &&
			    !is_space_at(s, i + 1))
				put_indent(pen);
			else
				put(pen, ' ');
			after_space = true;
			continue;
		}
		if (is_break(rune)) {
			if (!after_break && rune == '\n')
				put_break(pen);
			put_rune(pen, rune);
			pen->is_fresh = true;
			after_break = true;
			continue;
		}
		if (after_break)
			put_indent(pen);
		if (style == STYLE_SINGLE && rune == '\'')
			put(pen, '\'');
		put_rune(pen, rune);
		pen->is_fresh = false;
		after_space = false;
		after_break = false;
	}
}

static void put_escape(struct pen *pen, uint32_t rune)
{
	static const uint32_t runes[] = {0,    0x07, 0x08, 0x09, 0x0A, 0x0B,   0x0C,  0x0D,
	                                 0x1B, '"',  '\\', 0x85, 0xA0, 0x2028, 0x2029};
	static const char letters[] = "0abtnvfre\"\\N_LP";
	char digits[12];
	int count = rune <= 0xFF ? 2 : rune <= 0xFFFF ? 4 : 8;

	put(pen, '\\');
	for (size_t i = 0; i < COUNT_OF(runes); i++) {
		if (runes[i] == rune) {
			put(pen, letters[i]);
			return;
		}
	}
	put(pen, count == 2 ? 'x' : count == 4 ? 'u' : 'U');
	snprintf(digits, sizeof(digits), "%0*X", count, (unsigned)rune);
	for (const char *p = digits; *p; p++)
		put(pen, *p);
}

static void put_double_quoted(struct pen *pen, sv s, bool may_fold)
{
	/* It looks for the mark at the start of the text, whichever character it is at. */
	bool has_mark = sv_starts_with(s, SV("\xEF\xBB\xBF"));
	bool after_space = false;
	size_t width;

	put_indicator(pen, "\"", true, false, false);
	for (size_t i = 0; i < s.len; i += width) {
		uint32_t rune = rune_at(s, i, &width);

		if (has_mark || !is_printable(rune) || is_break(rune) || rune == '"' ||
		    rune == '\\') {
			put_escape(pen, rune);
			after_space = false;
		} else if (rune != ' ') {
			put_rune(pen, rune);
			after_space = false;
		} else {
			if (may_fold && !after_space && pen->column > WIDTH && i > 0 &&
			    i < s.len - 1) {
				put_indent(pen);
				if (is_space_at(s, i + 1))
					put(pen, '\\');
			} else {
				put(pen, ' ');
			}
			after_space = true;
		}
	}
	put_indicator(pen, "\"", false, false, false);
}

static void put_literal(struct pen *pen, sv s)
{
	bool after_break = true;
	size_t width;
	uint32_t first = rune_at(s, 0, &width);
	uint32_t last = utf8_decode_last(s, &width);
	uint32_t before = utf8_decode_last(sv_slice(s, 0, s.len - width), &width);

	put_indicator(pen, "|", true, false, false);
	if (first == ' ' || is_break(first))
		put_indicator(pen, "2", false, false, false);
	if (!is_break(last))
		put_indicator(pen, "-", false, false, false);
	else if (width == 0 || is_break(before))
		put_indicator(pen, "+", false, false, false);
	put_break(pen);
	pen->is_fresh = true;
	pen->is_spaced = true;
	for (size_t i = 0; i < s.len; i += width) {
		uint32_t rune = rune_at(s, i, &width);

		if (!is_break(rune) && after_break)
			put_indent(pen);
		put_rune(pen, rune);
		after_break = is_break(rune);
		pen->is_fresh = after_break;
	}
}

static void put_plain(struct pen *pen, sv s, bool may_fold)
{
	if (!pen->is_spaced)
		put(pen, ' ');
	put_folded(pen, s, STYLE_PLAIN, may_fold);
	pen->is_spaced = false;
	pen->is_fresh = false;
}

static void put_string(struct pen *pen, sv s, bool is_simple_key)
{
	struct analysis a = analyze(s);

	switch (choose_style(s, &a, is_simple_key)) {
	case STYLE_PLAIN:
		put_plain(pen, s, !is_simple_key);
		break;
	case STYLE_SINGLE:
		put_indicator(pen, "'", true, false, false);
		put_folded(pen, s, STYLE_SINGLE, !is_simple_key);
		put_indicator(pen, "'", false, false, false);
		break;
	case STYLE_DOUBLE:
		put_double_quoted(pen, s, !is_simple_key);
		break;
	case STYLE_LITERAL:
		put_literal(pen, s);
		break;
	}
}

/* A float as JSON has it; what JSON writes without a point is an integer to YAML, if it fits. */
static sv number_text(struct arena *arena, double number)
{
	char text[FLOAT_TEXT_SIZE];
	double size = fabs(number);
	size_t len;

	BUG_ON(!isfinite(number));
	if (number == 0)
		return SV("0");
	if (size >= 1e-6 && size < 1e21) {
		len = float_format(number, FLOAT_F, 64, text);
		struct value v = yaml_resolve(sv_from(text, len));

		if (v.type != &type_float64)
			return arena_dup(arena, sv_from(text, len));
	}
	len = float_format(number, FLOAT_G, 64, text);
	return arena_dup(arena, sv_from(text, len));
}

/* Bytes that are not UTF-8 went through JSON. */
static sv valid_text(struct arena *arena, sv s)
{
	struct buf buf = buf_in(arena);
	size_t width;

	if (utf8_valid(s))
		return s;
	for (size_t i = 0; i < s.len; i += width)
		buf_add_rune(&buf, rune_at(s, i, &width));
	return buf_sv(&buf);
}

static void put_scalar(struct pen *pen, const struct value *v)
{
	struct arena *arena = pen->buf->arena;
	int indent = pen->indent;

	pen->indent = indent < 0 ? STEP : indent + STEP;
	if (value_is_null(v))
		put_plain(pen, SV("null"), true);
	else if (value_is_string(v))
		put_string(pen, valid_text(arena, v->string), false);
	else if (value_is(v, KIND_BOOL))
		put_plain(pen, v->boolean ? SV("true") : SV("false"), true);
	else if (type_is_signed(v->type))
		put_plain(pen, arena_printf(arena, "%" PRId64, v->integer), true);
	else if (type_is_unsigned(v->type))
		put_plain(pen, arena_printf(arena, "%" PRIu64, v->unsigned_integer), true);
	else if (value_is(v, KIND_FLOAT64) || value_is(v, KIND_FLOAT32))
		put_plain(pen, number_text(arena, v->real), true);
	else
		BUG("a value that JSON has no form for");
	pen->indent = indent;
}

/* ---- the order of keys ------------------------------------------------------------------ */

/*
 * COMPAT: unicode.IsLetter decides there. Here, what is beyond ASCII is a letter unless it stands
 * in a block of signs.
 */
static bool is_letter(uint32_t rune)
{
	static const uint32_t signs[][2] = {
	    {0x80, 0xA9},     {0xAB, 0xB4},     {0xB6, 0xB9},       {0xBB, 0xBF},
	    {0xD7, 0xD7},     {0xF7, 0xF7},     {0x300, 0x36F},     {0x2000, 0x2070},
	    {0x20A0, 0x20FF}, {0x2190, 0x2BFF}, {0xD800, 0xF8FF},   {0xFE00, 0xFE0F},
	    {0xFEFF, 0xFEFF}, {0xFFF0, 0xFFFF}, {0x1F000, 0x1FAFF}, {0xE0000, 0x10FFFF},
	};

	if (rune < 0x80)
		return (rune >= 'a' && rune <= 'z') || (rune >= 'A' && rune <= 'Z');
	for (size_t i = 0; i < COUNT_OF(signs); i++)
		if (rune >= signs[i][0] && rune <= signs[i][1])
			return false;
	return true;
}

static bool is_digit(uint32_t rune)
{
	return rune >= '0' && rune <= '9';
}

/* The number at i; wraps around, as it does there. */
static int64_t take_digits(sv s, size_t *i, int64_t start)
{
	uint64_t n = (uint64_t)start;

	for (; *i < s.len && is_digit((unsigned char)s.ptr[*i]); ++*i)
		n = n * 10 + (uint64_t)(s.ptr[*i] - '0');
	return (int64_t)n;
}

/* A digit other than 0 stands before i, in the same number. */
static bool is_inside_number(sv s, size_t i)
{
	while (i-- > 0 && is_digit((unsigned char)s.ptr[i]))
		if (s.ptr[i] != '0')
			return true;
	return false;
}

/* Numbers inside keys by their size, letters behind all else. */
static int compare_keys(const void *left, const void *right, void *context UNUSED)
{
	sv a = *(const sv *)left;
	sv b = *(const sv *)right;
	size_t width;

	for (size_t i = 0; i < a.len && i < b.len; i += width) {
		size_t width_b;
		uint32_t ra = rune_at(a, i, &width);
		uint32_t rb = rune_at(b, i, &width_b);

		if (ra == rb)
			continue;
		if (is_letter(ra) && is_letter(rb))
			return ra < rb ? -1 : 1;
		if (is_letter(ra) || is_letter(rb))
			return is_letter(rb) ? -1 : 1;
		int64_t start = (ra == '0' || rb == '0') && is_inside_number(a, i);
		size_t ia = i;
		size_t ib = i;
		int64_t na = take_digits(a, &ia, start);
		int64_t nb = take_digits(b, &ib, start);
		if (na != nb)
			return na < nb ? -1 : 1;
		if (ia != ib)
			return ia < ib ? -1 : 1;
		return ra < rb ? -1 : 1;
	}
	return a.len < b.len ? -1 : a.len > b.len;
}

/* ---- trees ------------------------------------------------------------------------------ */

static void put_node(struct pen *pen, const struct value *v, bool is_in_mapping);

static void put_list(struct pen *pen, const struct value *list, bool is_in_mapping)
{
	int indent = pen->indent;

	/* Not indented under a key, except where `: ` starts the line. */
	if (indent < 0)
		pen->indent = 0;
	else if (!is_in_mapping || pen->is_fresh)
		pen->indent += STEP;
	for (size_t i = 0; i < value_count(list); i++) {
		put_indent(pen);
		put_indicator(pen, "-", true, false, true);
		put_node(pen, value_item(list, i), false);
	}
	pen->indent = indent;
}

struct keyed {
	sv key;
	const struct value *value;
};

static void put_key(struct pen *pen, sv key)
{
	int indent = pen->indent;
	bool is_simple = key.len <= LONGEST_SIMPLE_KEY && !analyze(key).has_break;

	put_indent(pen);
	if (!is_simple)
		put_indicator(pen, "?", true, false, true);
	pen->indent += STEP;
	put_string(pen, key, is_simple);
	pen->indent = indent;
	if (!is_simple)
		put_indent(pen);
	put_indicator(pen, ":", !is_simple, false, !is_simple);
}

static void put_mapping(struct pen *pen, const struct value *map)
{
	struct arena *arena = pen->buf->arena;
	int indent = pen->indent;
	size_t count = value_count(map);
	struct keyed *order = ARENA_ARRAY(arena, struct keyed, count);

	pen->indent = indent < 0 ? 0 : indent + STEP;
	for (size_t i = 0; i < count; i++)
		order[i] = (struct keyed){valid_text(arena, map->map->entries[i].key),
		                          &map->map->entries[i].value};
	sort_stable(order, count, sizeof(*order), compare_keys, NULL);
	for (size_t i = 0; i < count; i++) {
		put_key(pen, order[i].key);
		put_node(pen, order[i].value, true);
	}
	pen->indent = indent;
}

static void put_node(struct pen *pen, const struct value *v, bool is_in_mapping)
{
	bool is_list = value_is_list(v) && v->type != &type_bytes;

	if (!is_list && !value_is_map(v)) {
		put_scalar(pen, v);
	} else if (value_count(v) == 0) {
		put_indicator(pen, is_list ? "[" : "{", true, true, false);
		put_indicator(pen, is_list ? "]" : "}", false, false, false);
	} else if (is_list) {
		put_list(pen, v, is_in_mapping);
	} else {
		put_mapping(pen, v);
	}
}

void yaml_emit_sigs(struct buf *buf, const struct value *value)
{
	struct pen pen = {.buf = buf, .indent = -1, .is_spaced = true, .is_fresh = true};

	put_node(&pen, value, false);
	put_indent(&pen);
}
