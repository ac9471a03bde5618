/*
 * From a byte of a decoded string back to the byte of its source. Each style is decoded once more,
 * counting what comes out, until the byte in question does. The rules are libyaml's reading of
 * YAML 1.2 sections 7.3 and 8.1; JSON strings are double-quoted ones without line breaks.
 */
#include "value/value.h"

struct walk {
	sv text;      /* the scalar as written, indicators and quotes included */
	size_t at;    /* the next byte of it */
	size_t left;  /* decoded bytes before the one that is looked for */
	size_t found; /* offset in text, once it came out */
	bool done;
};

/* One escape, quote or line break at `from` gave `count` decoded bytes. */
static void yield_one(struct walk *w, size_t from, size_t count)
{
	if (w->done)
		return;
	w->done = w->left < count;
	w->found = from;
	if (!w->done)
		w->left -= count;
}

/* `count` bytes were copied unchanged. */
static void yield_same(struct walk *w, size_t from, size_t count)
{
	if (w->done)
		return;
	w->done = w->left < count;
	w->found = from + (w->done ? w->left : count > 0 ? count - 1 : 0);
	if (!w->done)
		w->left -= count;
}

static bool at_end(const struct walk *w)
{
	return w->at >= w->text.len;
}

static bool is_blank_at(const struct walk *w, size_t i)
{
	return i < w->text.len && (w->text.ptr[i] == ' ' || w->text.ptr[i] == '\t');
}

/* Width of the line break at i, 0 for none; *ret_decoded is how many bytes it becomes. */
static size_t break_at(const struct walk *w, size_t i, size_t *ret_decoded)
{
	sv rest = sv_from_offset(w->text, i);

	*ret_decoded = 1;
	if (sv_starts_with(rest, SV("\r\n")) || sv_starts_with(rest, SV("\xC2\x85")))
		return 2;
	if (rest.len > 0 && (rest.ptr[0] == '\n' || rest.ptr[0] == '\r'))
		return 1;
	if (sv_starts_with(rest, SV("\xE2\x80\xA8")) || sv_starts_with(rest, SV("\xE2\x80\xA9"))) {
		*ret_decoded = 3; /* kept */
		return 3;
	}
	return 0;
}

static bool is_break_at(const struct walk *w, size_t i)
{
	size_t decoded;

	return break_at(w, i, &decoded) > 0;
}

/* ---- flow scalars ------------------------------------------------------------------------ */

/*
 * At white space in a quoted or plain text: blanks inside a line stand for themselves, blanks
 * around a line break vanish, one break becomes a space, more become one break fewer. After an
 * escaped break (`first` false) there is nothing to become a space.
 */
static void walk_space(struct walk *w, bool first)
{
	size_t start = w->at;
	size_t fold = 0; /* the break that a space comes from, + 1 */
	bool has_more = !first;
	size_t decoded;
	size_t width;

	while (is_blank_at(w, w->at))
		w->at++;
	if (first && !is_break_at(w, w->at)) {
		yield_same(w, start, w->at - start);
		return;
	}
	for (; !at_end(w); w->at += width) {
		if (is_blank_at(w, w->at)) {
			width = 1;
			continue;
		}
		width = break_at(w, w->at, &decoded);
		if (width == 0)
			break;
		if (first && decoded == 1)
			fold = w->at + 1;
		else
			yield_one(w, w->at, decoded);
		has_more = has_more || !first || decoded != 1;
		first = false;
	}
	if (!has_more && fold)
		yield_one(w, fold - 1, 1);
}

/* The hexadecimal number of up to count digits at i. */
static uint32_t hex_at(const struct walk *w, size_t i, size_t count)
{
	uint32_t rune = 0;

	for (; count > 0 && i < w->text.len && ascii_is_hex(w->text.ptr[i]); count--, i++)
		rune = rune << 4 | ascii_digit_value(w->text.ptr[i]);
	return rune;
}

static size_t size_of_rune(uint32_t rune)
{
	char out[4];

	return utf8_write(rune, out);
}

/* An escape in double quotes; w->at is at the backslash. */
static void walk_escape(struct walk *w)
{
	size_t start = w->at;
	size_t decoded;
	size_t width = break_at(w, start + 1, &decoded);

	if (width > 0) {
		w->at += 1 + width;
		walk_space(w, false);
		return;
	}
	char c = start + 1 < w->text.len ? w->text.ptr[start + 1] : 0;
	size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
	uint32_t rune = hex_at(w, start + 2, digits);
	w->at += 2 + digits;
	if (digits == 4 && rune >= 0xD800 && rune < 0xDC00 &&
	    sv_starts_with(sv_from_offset(w->text, w->at), SV("\\u"))) {
		uint32_t low = hex_at(w, w->at + 2, 4);

		if (low >= 0xDC00 && low < 0xE000) { /* a pair, JSON only */
			w->at += 6;
			rune = 0x10000;
		}
	}
	if (digits == 0)
		rune = c == 'N' || c == '_' ? 0x80 : c == 'L' || c == 'P' ? 0x2028 : 0;
	yield_one(w, start, size_of_rune(rune));
}

static void walk_quoted(struct walk *w, char quote)
{
	for (w->at = 1; !at_end(w) && !w->done;) {
		char c = w->text.ptr[w->at];

		if (is_blank_at(w, w->at) || is_break_at(w, w->at)) {
			walk_space(w, true);
		} else if (c == '\\' && quote == '"') {
			walk_escape(w);
		} else if (c == quote) {
			if (quote == '"' || w->at + 1 >= w->text.len ||
			    w->text.ptr[w->at + 1] != quote)
				return;
			yield_one(w, w->at, 1);
			w->at += 2;
		} else {
			yield_same(w, w->at, 1);
			w->at++;
		}
	}
}

static void walk_plain(struct walk *w)
{
	while (!at_end(w) && !w->done) {
		if (is_blank_at(w, w->at) || is_break_at(w, w->at)) {
			walk_space(w, true);
		} else {
			yield_same(w, w->at, 1);
			w->at++;
		}
	}
}

/* ---- block scalars ----------------------------------------------------------------------- */

static size_t line_end(const struct walk *w, size_t i)
{
	while (i < w->text.len && !is_break_at(w, i))
		i++;
	return i;
}

/*
 * How deep the block is indented. Lines up to the first with content come out one by one, in folded
 * blocks too, so that what is missing at the start of one of them is the indentation. This spares
 * knowing what the parent's indentation is that a number after the | adds to.
 */
static size_t block_indent(const struct walk *w, sv decoded)
{
	size_t indent = SIZE_MAX;
	size_t ignored;

	for (size_t i = w->at; i < w->text.len;) {
		size_t end = line_end(w, i);
		sv line = sv_slice(w->text, i, end);
		sv out = sv_slice(decoded, 0, sv_find_char(decoded, '\n'));
		size_t spaces = sv_indentation(line);
		size_t kept = sv_indentation(out);

		if (spaces < line.len || kept > 0)
			indent = spaces > kept ? spaces - kept : 0;
		if (spaces < line.len)
			break;
		decoded = sv_from_offset(decoded, out.len + 1);
		i = end + break_at(w, end, &ignored);
	}
	return indent;
}

/* The line breaks of the empty lines in [from, to). */
static void yield_breaks(struct walk *w, size_t from, size_t to)
{
	size_t decoded;
	size_t width;

	for (size_t i = from; i < to; i += width ? width : 1) {
		width = break_at(w, i, &decoded);
		if (width > 0)
			yield_one(w, i, decoded);
	}
}

/* Over empty lines, and the indentation of the first that is not. */
static void skip_empty_lines(struct walk *w, size_t indent)
{
	size_t decoded;

	for (;;) {
		size_t i = w->at;

		while (i < w->text.len && w->text.ptr[i] == ' ' && i - w->at < indent)
			i++;
		size_t width = break_at(w, i, &decoded);
		w->at = i + width;
		if (width == 0)
			return;
	}
}

static void walk_block(struct walk *w, sv decoded_text, bool is_folded)
{
	size_t decoded;
	size_t header = line_end(w, 0);
	bool was_blank = false; /* the line before started with a blank */
	bool is_first = true;

	w->at = header + break_at(w, header, &decoded);
	size_t indent = block_indent(w, decoded_text);
	size_t empty = w->at;
	size_t break_from = 0;
	skip_empty_lines(w, indent);
	while (!at_end(w) && !w->done) {
		bool is_blank = is_blank_at(w, w->at);
		size_t width = break_at(w, break_from, &decoded);

		if (is_first)
			yield_breaks(w, empty, w->at);
		else if (!is_folded || was_blank || is_blank || decoded != 1 || width == 0)
			yield_breaks(w, break_from, w->at);
		else if (line_end(w, empty) >= w->at) /* no empty line between */
			yield_one(w, break_from, 1);
		else
			yield_breaks(w, empty, w->at);
		was_blank = is_blank;
		is_first = false;
		size_t end = line_end(w, w->at);
		yield_same(w, w->at, end - w->at);
		break_from = end;
		w->at = end + break_at(w, end, &decoded);
		empty = w->at;
		skip_empty_lines(w, indent);
	}
	if (!is_first && !w->done)
		yield_breaks(w, break_from, w->text.len);
	else if (is_first)
		yield_breaks(w, empty, w->text.len);
}

/* ---- all --------------------------------------------------------------------------------- */

struct position origin_position(struct origin origin)
{
	const struct source *source = origin.source;

	if (source && source->original)
		source = source->original;
	return (struct position){source, origin.offset, origin.length};
}

struct position value_position(const struct value *v)
{
	return v ? origin_position(v->origin) : NOWHERE;
}

struct position value_position_near(const struct value *v, struct position otherwise)
{
	struct position at = value_position(v);

	for (size_t i = 0; !at.source && value_is_list(v) && i < value_count(v); i++)
		at = value_position(value_item(v, i));
	for (size_t i = 0; !at.source && value_is_map(v) && i < value_count(v); i++)
		at = value_position(&v->map->entries[i].value);
	return at.source ? at : otherwise;
}

struct position value_text_position(const struct value *v, size_t offset)
{
	const struct value *part = value_part_at(v, &offset);

	if (!part)
		return value_position(v);
	struct position at = value_position(part);
	sv decoded = value_text(part);

	if (!at.source || at.offset == SV_NPOS || decoded.len == 0)
		return at;
	/* The end of a string is shown at its last byte. */
	if (offset >= decoded.len)
		offset = decoded.len - 1;
	struct walk w = {
	    .text = sv_slice(at.source->text, at.offset, at.offset + at.length),
	    .left = offset,
	};
	if (w.text.len == 0)
		return at;
	/* Between its quotes such a string is written as it is: skip the walk, for long lists. */
	bool is_quoted = part->origin.style == ORIGIN_SINGLE_QUOTED ||
	                 part->origin.style == ORIGIN_DOUBLE_QUOTED;
	if (is_quoted && w.text.len == decoded.len + 2)
		return (struct position){at.source, at.offset + 1 + offset, 1};
	switch (part->origin.style) {
	case ORIGIN_JOINED:
		return at;
	case ORIGIN_EXACT:
		yield_same(&w, 0, w.text.len);
		break;
	case ORIGIN_PLAIN:
		walk_plain(&w);
		break;
	case ORIGIN_SINGLE_QUOTED:
		walk_quoted(&w, '\'');
		break;
	case ORIGIN_DOUBLE_QUOTED:
		walk_quoted(&w, '"');
		break;
	case ORIGIN_LITERAL:
		walk_block(&w, decoded, false);
		break;
	case ORIGIN_FOLDED:
		walk_block(&w, decoded, true);
		break;
	}
	return (struct position){at.source, at.offset + w.found, 1};
}

/* ---- strings that are joined from parts --------------------------------------------------- */

/* The parts are members of a copy of the source, so that values need no room for them. */
struct value value_joined(struct arena *arena, sv text, const struct origin_part *parts,
                          size_t count, struct origin whole)
{
	struct value v = value_string(text);
	const struct source *known = origin_position(whole).source;

	if (!known)
		return v;
	struct source *source = ARENA_NEW(arena, struct source);
	*source = *known;
	source->original = known;
	source->parts = parts;
	source->part_count = count;
	v.origin = (struct origin){source, whole.offset, whole.length, ORIGIN_JOINED};
	return v;
}

const struct origin_part *value_parts(const struct value *v, size_t *ret_count)
{
	bool is_joined = v && v->origin.source && v->origin.style == ORIGIN_JOINED;

	*ret_count = is_joined ? v->origin.source->part_count : 0;
	return is_joined ? v->origin.source->parts : NULL;
}

const struct value *value_part_at(const struct value *v, size_t *offset)
{
	size_t count;
	const struct origin_part *parts = value_parts(v, &count);
	size_t low = 0;
	size_t high = count;

	if (!parts)
		return v;
	/* The end of a string is shown at its last byte. */
	if (*offset >= value_text(v).len && *offset > 0)
		*offset = value_text(v).len - 1;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (parts[middle].at <= *offset)
			low = middle;
		else
			high = middle;
	}
	if (count == 0 || parts[low].at > *offset)
		return NULL;
	*offset -= parts[low].at;
	return parts[low].value;
}
