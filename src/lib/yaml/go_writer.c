/*
 * Styles of scalars, folding and escapes as Go's YAML writers choose them.
 */
#include "yaml/go_writer.h"

#include "codec/codec.h"
#include "yaml/resolve.h"

#include <stdio.h>

enum { LONGEST_SIMPLE_KEY = 128 }; /* bytes */

/* ---- characters -------------------------------------------------------------------------- */

static bool is_break(uint32_t rune)
{
	return rune == '\r' || rune == '\n' || rune == 0x85 || rune == 0x2028 || rune == 0x2029;
}

/* Returns false for TAB, CR, NEL, the byte order mark, and all characters above U+FFFF. */
static bool is_printable(uint32_t rune)
{
	return rune == '\n' || (rune >= 0x20 && rune <= 0x7E) ||
	       (rune >= 0xA0 && rune <= 0xFFFD && rune != 0xFEFF);
}

static void put(struct go_writer *writer, char c)
{
	buf_add_char(writer->buf, c);
	writer->column++;
}

static void put_break(struct go_writer *writer)
{
	buf_add_char(writer->buf, '\n');
	writer->column = 0;
	if (writer->is_v3)
		writer->is_fresh = true;
}

/* Writes one character of a string. */
static void put_rune(struct go_writer *writer, uint32_t rune)
{
	buf_add_rune(writer->buf, rune);
	writer->column = is_break(rune) ? 0 : writer->column + 1;
}

/* To the indentation, on a new line unless this one is still fresh. */
void go_writer_put_indent(struct go_writer *writer)
{
	int indent = writer->indent > 0 ? writer->indent : 0;

	if (!writer->is_fresh || writer->column > indent ||
	    (writer->column == indent && !writer->is_spaced))
		put_break(writer);
	while (writer->column < indent)
		put(writer, ' ');
	writer->is_spaced = true;
	writer->is_fresh = true;
}

void go_writer_put_indicator(struct go_writer *writer, const char *text, bool needs_space,
                             bool is_space, bool keeps_fresh)
{
	if (needs_space && !writer->is_spaced)
		put(writer, ' ');
	for (; *text; text++)
		put(writer, *text);
	writer->is_spaced = is_space;
	writer->is_fresh = writer->is_fresh && keeps_fresh;
}

/* ---- styles of a string ------------------------------------------------------------------ */

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

static struct analysis analyze(const struct go_writer *writer, sv s)
{
	bool has_indicator = sv_starts_with(s, SV("---")) || sv_starts_with(s, SV("..."));
	bool has_special = false;
	bool has_tab = false;
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
		uint32_t rune = utf8_decode_at(s, i, &width);

		has_indicator = has_indicator ||
		                is_indicator(rune, i == 0, after_space, is_blank_at(s, i + width));
		if (rune == '\t' && writer->is_v3)
			has_tab = true;
		else
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
	    .allows_plain =
	        !is_padded && !break_space && !is_odd && !has_tab && !has_break && !has_indicator,
	    .allows_single = !break_space && !is_odd && !has_tab,
	    .allows_block = last != ' ' && !is_odd,
	};
}

static bool means_string(sv s)
{
	struct value v = yml_resolve(s);

	/* yaml.v3 reads y and yes as strings, but quotes them for other readers; << it quotes, too.
	 */
	return value_is_string(&v) && !yml_is_timestamp(s) && !yml_is_base60(s);
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

/* ---- scalars ----------------------------------------------------------------------------- */

static bool is_space_at(sv s, size_t i)
{
	return i < s.len && s.ptr[i] == ' ';
}

/*
 * Writes the content of a plain or single-quoted scalar. After column 80 a single space becomes a
 * line break; an LF of the content is written twice.
 */
static void put_folded(struct go_writer *writer, sv s, enum style style, bool may_fold)
{
	bool after_space = false;
	bool after_break = false;
	size_t width;

	for (size_t i = 0; i < s.len; i += width) {
		uint32_t rune = utf8_decode_at(s, i, &width);

		if (rune == ' ') {
			bool is_inside = style == STYLE_PLAIN || (i > 0 && i < s.len - 1);

			if (may_fold && !after_space && writer->column > writer->width &&
			    is_inside && !is_space_at(s, i + 1))
				go_writer_put_indent(writer);
			else
				put(writer, ' ');
			after_space = true;
			continue;
		}
		if (is_break(rune)) {
			if (!after_break && rune == '\n')
				put_break(writer);
			put_rune(writer, rune);
			writer->is_fresh = true;
			after_break = true;
			continue;
		}
		if (after_break)
			go_writer_put_indent(writer);
		if (style == STYLE_SINGLE && rune == '\'')
			put(writer, '\'');
		put_rune(writer, rune);
		writer->is_fresh = false;
		after_space = false;
		after_break = false;
	}
}

static void put_escape(struct go_writer *writer, uint32_t rune)
{
	static const uint32_t runes[] = {0,    0x07, 0x08, 0x09, 0x0A, 0x0B,   0x0C,  0x0D,
	                                 0x1B, '"',  '\\', 0x85, 0xA0, 0x2028, 0x2029};
	static const char letters[] = "0abtnvfre\"\\N_LP";
	char digits[12];
	int count = rune <= 0xFF ? 2 : rune <= 0xFFFF ? 4 : 8;

	put(writer, '\\');
	for (size_t i = 0; i < COUNT_OF(runes); i++) {
		if (runes[i] == rune) {
			put(writer, letters[i]);
			return;
		}
	}
	put(writer, count == 2 ? 'x' : count == 4 ? 'u' : 'U');
	snprintf(digits, sizeof(digits), "%0*X", count, (unsigned)rune);
	for (const char *p = digits; *p; p++)
		put(writer, *p);
}

static void put_double_quoted(struct go_writer *writer, sv s, bool may_fold)
{
	/* It looks for the mark at the start of the text, whichever character it is at. */
	bool has_mark = sv_starts_with(s, SV("\xEF\xBB\xBF"));
	bool after_space = false;
	size_t width;

	go_writer_put_indicator(writer, "\"", true, false, false);
	for (size_t i = 0; i < s.len; i += width) {
		uint32_t rune = utf8_decode_at(s, i, &width);

		if (has_mark || !is_printable(rune) || is_break(rune) || rune == '"' ||
		    rune == '\\') {
			put_escape(writer, rune);
			after_space = false;
		} else if (rune != ' ') {
			put_rune(writer, rune);
			after_space = false;
		} else {
			if (may_fold && !after_space && writer->column > writer->width && i > 0 &&
			    i < s.len - 1) {
				go_writer_put_indent(writer);
				if (is_space_at(s, i + 1))
					put(writer, '\\');
			} else {
				put(writer, ' ');
			}
			after_space = true;
		}
	}
	go_writer_put_indicator(writer, "\"", false, false, false);
}

static void put_literal(struct go_writer *writer, sv s)
{
	bool after_break = true;
	size_t width;
	uint32_t first = utf8_decode_at(s, 0, &width);
	uint32_t last = utf8_decode_last(s, &width);
	uint32_t before = utf8_decode_last(sv_slice(s, 0, s.len - width), &width);

	go_writer_put_indicator(writer, "|", true, false, false);
	if (first == ' ' || is_break(first))
		go_writer_put_indicator(writer, writer->is_v3 ? "4" : "2", false, false, false);
	if (!is_break(last))
		go_writer_put_indicator(writer, "-", false, false, false);
	else if (width == 0 || is_break(before))
		go_writer_put_indicator(writer, "+", false, false, false);
	/* yaml.v3 leaves the break to the first line: one that is empty is lost. */
	if (!writer->is_v3) {
		put_break(writer);
		writer->is_fresh = true;
	}
	writer->is_spaced = true;
	for (size_t i = 0; i < s.len; i += width) {
		uint32_t rune = utf8_decode_at(s, i, &width);

		if (!is_break(rune) && after_break)
			go_writer_put_indent(writer);
		put_rune(writer, rune);
		after_break = is_break(rune);
		writer->is_fresh = after_break;
	}
}

void go_writer_put_plain(struct go_writer *writer, sv s, bool may_fold)
{
	if (!writer->is_spaced)
		put(writer, ' ');
	put_folded(writer, s, STYLE_PLAIN, may_fold);
	writer->is_spaced = false;
	writer->is_fresh = false;
}

static void put_valid_string(struct go_writer *writer, sv s, bool is_simple_key)
{
	struct analysis a = analyze(writer, s);

	switch (choose_style(s, &a, is_simple_key)) {
	case STYLE_PLAIN:
		go_writer_put_plain(writer, s, !is_simple_key);
		break;
	case STYLE_SINGLE:
		go_writer_put_indicator(writer, "'", true, false, false);
		put_folded(writer, s, STYLE_SINGLE, !is_simple_key);
		go_writer_put_indicator(writer, "'", false, false, false);
		break;
	case STYLE_DOUBLE:
		put_double_quoted(writer, s, !is_simple_key);
		break;
	case STYLE_LITERAL:
		put_literal(writer, s);
		break;
	}
}

#define BINARY_WIDTH 70

/* COMPAT: what is not UTF-8 is tagged, and written as base64 in lines of 70. */
static void put_binary(struct go_writer *writer, sv s)
{
	struct arena *arena = writer->buf->arena;
	sv text = base64_encode(arena, BASE64_STD, s);
	struct buf lines = buf_in(arena);

	go_writer_put_indicator(writer, "!!binary", true, false, false);
	if (text.len < BINARY_WIDTH) {
		go_writer_put_plain(writer, text, false);
		return;
	}
	for (size_t i = 0; i < text.len; i += BINARY_WIDTH) {
		buf_add(&lines, sv_slice(text, i, i + BINARY_WIDTH));
		buf_add_char(&lines, '\n');
	}
	put_literal(writer, buf_sv(&lines));
}

void go_writer_put_string(struct go_writer *writer, sv s, bool is_simple_key)
{
	if (utf8_valid(s))
		put_valid_string(writer, s, is_simple_key);
	else
		put_binary(writer, s);
}

bool go_writer_is_simple_key(const struct go_writer *writer, sv key)
{
	if (!utf8_valid(key))
		return (key.len + 2) / 3 * 4 < BINARY_WIDTH; /* in base64 */
	return key.len <= LONGEST_SIMPLE_KEY && !analyze(writer, key).has_break;
}
