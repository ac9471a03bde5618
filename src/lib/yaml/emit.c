/*
 * Writes values as YAML: literal blocks for strings of several lines, double quotes if a plain
 * scalar could be read as another type.
 */
#include "yaml/yaml.h"

#include "codec/codec.h"
#include "golang/golang.h"
#include "yaml/resolve.h"

#include <inttypes.h>
#include <math.h>

enum {
	INDENT = 2,
	/* Readers look for a key's `:` within 1024 characters; beyond, a key is written with `?`.
	 */
	LONGEST_SIMPLE_KEY = 1000,
};

struct emitter {
	struct buf *buf;
	struct yml_format format;
};

/* ---- how a string can be written --------------------------------------------------------- */

/*
 * Stands for itself in every reader's eyes, and in an editor's: no control characters, no line
 * break but LF, no byte order mark.
 */
static bool is_printable(uint32_t rune)
{
	if (rune < 0x80)
		return rune >= ' ' && rune < 0x7F;
	return rune > 0xA0 && rune != 0x2028 && rune != 0x2029 && rune != 0xFEFF &&
	       rune != 0xFFFE && rune != 0xFFFF;
}

/* Returns true if all are printable; with `takes_breaks` LF and TAB are so, too. */
static bool is_printable_text(sv s, bool takes_breaks)
{
	size_t width;

	for (size_t i = 0; i < s.len; i += width) {
		uint32_t rune = (unsigned char)s.ptr[i];

		width = sizeof(uint64_t);
		if (s.len - i >= width) {
			uint64_t bytes = ascii_load8(s.ptr + i);

			if (takes_breaks ? ascii_all_text(bytes) : ascii_all_printable(bytes))
				continue;
		}
		width = 1;
		if (rune >= 0x80) {
			rune = utf8_decode_at(s, i, &width);
			if (rune == UTF8_REPLACEMENT && width == 1)
				return false;
		}
		if (!is_printable(rune) && !(takes_breaks && (rune == '\n' || rune == '\t')))
			return false;
	}
	return true;
}

static bool is_plain_start(sv s)
{
	if (strchr("?:,[]{}#&*!|>'\"%@`", s.ptr[0]))
		return false;
	if (sv_starts_with(s, SV("---")) || sv_starts_with(s, SV("...")))
		return false;
	return s.ptr[0] != '-' || (s.len > 1 && s.ptr[1] != ' ');
}

/* YAML 1.2 section 7.3.3, block context, one line. */
static bool can_be_plain(sv s)
{
	if (s.len == 0 || s.ptr[0] == ' ' || s.ptr[s.len - 1] == ' ' || s.ptr[s.len - 1] == ':')
		return false;
	return is_plain_start(s) && !sv_contains(s, SV(": ")) && !sv_contains(s, SV(" #")) &&
	       is_printable_text(s, false) && yml_is_surely_string(s);
}

/*
 * Returns true if a literal block preserves the string, also after the appliers' YAML writers
 * rewrote it (docs/spec/sealing.md 1.8): those lose a TAB at the start, and
 * empty lines before an indented one.
 */
static bool can_be_literal(sv s)
{
	if (sv_find_char(s, '\n') == SV_NPOS)
		return false;
	sv content = s;
	while (content.len > 0 && content.ptr[0] == '\n')
		content = sv_from_offset(content, 1);
	if (content.len == 0 || content.ptr[0] == '\t' ||
	    (content.len < s.len && content.ptr[0] == ' '))
		return false;
	char last = s.ptr[s.len - 1];
	return last != ' ' && last != '\t' && is_printable_text(s, true);
}

/* ---- strings ----------------------------------------------------------------------------- */

static void emit_escape(struct buf *buf, uint32_t rune)
{
	static const char from[] = "\"\\\a\b\t\n\v\f\r\x1b";
	static const char to[] = "\"\\abtnvfre";
	const char *at = rune > 0 && rune < 0x80 ? strchr(from, (int)rune) : NULL;

	if (at) {
		buf_add_char(buf, '\\');
		buf_add_char(buf, to[at - from]);
	} else if (rune <= 0xFF) {
		buf_printf(buf, "\\x%02X", (unsigned)rune);
	} else {
		buf_printf(buf, "\\u%04X", (unsigned)rune);
	}
}

static void emit_quoted(struct buf *buf, sv s)
{
	size_t from = 0; /* what is not written yet */
	size_t width;

	buf_add_char(buf, '"');
	for (size_t i = 0; i < s.len; i += width) {
		uint32_t rune = (unsigned char)s.ptr[i];

		width = 1;
		if (rune >= 0x80)
			rune = utf8_decode_at(s, i, &width);
		bool is_invalid = rune == UTF8_REPLACEMENT && width == 1;
		if (is_printable(rune) && rune != '"' && rune != '\\' && !is_invalid)
			continue;
		buf_add(buf, sv_slice(s, from, i));
		if (is_invalid)
			buf_add_rune(buf, rune);
		else
			emit_escape(buf, rune);
		from = i + width;
	}
	buf_add(buf, sv_from_offset(s, from));
	buf_add_char(buf, '"');
}

/* The block's lines, indented; ends with LF. */
static void emit_literal(struct buf *buf, sv s, size_t indent)
{
	bool keeps = sv_ends_with(s, SV("\n\n"));
	bool strips = s.ptr[s.len - 1] != '\n';
	struct sv_splitter lines = sv_split(strips ? s : sv_slice(s, 0, s.len - 1), '\n');
	sv line;

	buf_add_char(buf, '|');
	/* Readers find the indentation by the first line, unless that is indented itself. */
	if (s.ptr[0] == ' ' || s.ptr[0] == '\n')
		buf_add_char(buf, '0' + INDENT);
	if (keeps || strips)
		buf_add_char(buf, keeps ? '+' : '-');
	buf_add_char(buf, '\n');
	while (sv_split_next(&lines, &line)) {
		if (line.len > 0) {
			buf_add_repeat(buf, ' ', indent);
			buf_add(buf, line);
		}
		buf_add_char(buf, '\n');
	}
}

/* Ends with LF. The block of a literal is indented by indent. */
static void emit_string(struct emitter *e, sv s, size_t indent)
{
	if (can_be_literal(s)) {
		emit_literal(e->buf, s, indent);
		return;
	}
	if (!e->format.quote_all_strings && can_be_plain(s))
		buf_add(e->buf, s);
	else
		emit_quoted(e->buf, s);
	buf_add_char(e->buf, '\n');
}

/* ---- trees ------------------------------------------------------------------------------- */

static void emit_scalar(struct emitter *e, const struct value *v, size_t indent)
{
	struct buf *buf = e->buf;
	char text[FLOAT_TEXT_SIZE];

	if (value_is_null(v)) {
		BUF_ADD_LIT(buf, "null\n");
	} else if (value_is_string(v)) {
		emit_string(e, v->string, indent);
	} else if (type_is_bytes(v->type)) {
		emit_string(e, base64_encode(buf->arena, BASE64_STD, v->string), indent);
	} else if (value_is(v, KIND_BOOL)) {
		buf_add(buf, v->boolean ? SV("true\n") : SV("false\n"));
	} else if (type_is_signed(v->type)) {
		buf_printf(buf, "%" PRId64 "\n", v->integer);
	} else if (type_is_unsigned(v->type)) {
		buf_printf(buf, "%" PRIu64 "\n", v->unsigned_integer);
	} else if (value_is(v, KIND_FLOAT64) || value_is(v, KIND_FLOAT32)) {
		BUG_ON(!isfinite(v->real));
		buf_add(buf, sv_from(text, go_float_shortest(v->real, FLOAT_G, 64, text)));
		buf_add_char(buf, '\n');
	} else {
		BUG("a value that YAML output has no form for");
	}
}

static bool is_collection(const struct value *v)
{
	return value_is_map(v) || (value_is_list(v) && !type_is_bytes(v->type));
}

void yml_emit_text(struct buf *buf, sv text)
{
	if (can_be_plain(text))
		buf_add(buf, text);
	else
		emit_quoted(buf, text);
}

void yml_emit_key(struct buf *buf, sv key, size_t indent)
{
	size_t start = buf->len;

	yml_emit_text(buf, key);
	size_t len = buf->len - start;
	if (len > LONGEST_SIMPLE_KEY) {
		buf_reserve(buf, 2);
		memmove(buf->ptr + start + 2, buf->ptr + start, len);
		memcpy(buf->ptr + start, "? ", 2);
		buf->len += 2;
		buf_add_char(buf, '\n');
		buf_add_repeat(buf, ' ', indent);
	}
	buf_add_char(buf, ':');
}

static void emit_map(struct emitter *e, const struct value *map, size_t indent, bool is_inline);
static void emit_list(struct emitter *e, const struct value *list, size_t indent, bool is_inline);

/* Writes the value after `key:`. */
static void emit_map_value(struct emitter *e, const struct value *v, size_t indent)
{
	if (!is_collection(v)) {
		buf_add_char(e->buf, ' ');
		emit_scalar(e, v, indent + INDENT);
	} else if (value_count(v) == 0) {
		buf_add(e->buf, value_is_map(v) ? SV(" {}\n") : SV(" []\n"));
	} else {
		buf_add_char(e->buf, '\n');
		if (value_is_map(v))
			emit_map(e, v, indent + INDENT, false);
		else
			emit_list(e, v, indent, false);
	}
}

/* With is_inline the first line continues after `- `. */
static void emit_map(struct emitter *e, const struct value *map, size_t indent, bool is_inline)
{
	for (size_t i = 0; i < value_count(map); i++) {
		const struct value_entry *entry = &map->map->entries[i];

		if (i > 0 || !is_inline)
			buf_add_repeat(e->buf, ' ', indent);
		yml_emit_key(e->buf, entry->key, indent);
		emit_map_value(e, &entry->value, indent);
	}
}

static void emit_list(struct emitter *e, const struct value *list, size_t indent, bool is_inline)
{
	for (size_t i = 0; i < value_count(list); i++) {
		const struct value *item = value_item(list, i);

		if (i > 0 || !is_inline)
			buf_add_repeat(e->buf, ' ', indent);
		BUF_ADD_LIT(e->buf, "- ");
		if (!is_collection(item))
			emit_scalar(e, item, indent + INDENT);
		else if (value_count(item) == 0)
			buf_add(e->buf, value_is_map(item) ? SV("{}\n") : SV("[]\n"));
		else if (value_is_map(item))
			emit_map(e, item, indent + INDENT, true);
		else
			emit_list(e, item, indent + INDENT, true);
	}
}

void yml_emit(struct buf *buf, const struct value *value, struct yml_format format)
{
	struct emitter e = {.buf = buf, .format = format};

	if (value_is_map(value) && value_count(value) > 0)
		emit_map(&e, value, 0, false);
	else if (is_collection(value) && value_count(value) > 0)
		emit_list(&e, value, 0, false);
	else if (is_collection(value))
		buf_add(buf, value_is_map(value) ? SV("{}\n") : SV("[]\n"));
	else
		emit_scalar(&e, value, INDENT);
}

size_t yml_member_offset(sv text, sv key)
{
	for (size_t at = 0; at < text.len;) {
		sv line = sv_from_offset(text, at);
		size_t end = sv_find_char(line, '\n');

		if (sv_starts_with(line, key)) {
			sv rest = sv_from_offset(line, key.len);

			if (sv_starts_with(rest, SV(": ")) || sv_starts_with(rest, SV(":\n")))
				return at;
		}
		if (end == SV_NPOS)
			break;
		at += end + 1;
	}
	return SV_NPOS;
}
