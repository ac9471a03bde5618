/*
 * Values as JSON, as Go's encoding/json writes them.
 */
#include "json/json.h"

#include "codec/codec.h"
#include "golang/golang.h"

#include <inttypes.h>
#include <math.h>

/* ---- scalars ----------------------------------------------------------------------------- */

static bool needs_escape(uint32_t rune, size_t width, unsigned flags)
{
	switch (rune) {
	case '"':
	case '\\':
	case 0x2028: /* line ends in JavaScript */
	case 0x2029:
		return true;
	case '<':
	case '>':
	case '&':
		return flags & JSON_ESCAPE_HTML;
	case UTF8_REPLACEMENT:
		return width != 3;
	default:
		return rune < 0x20;
	}
}

static void add_escape(struct buf *buf, uint32_t rune)
{
	static const char from[] = "\"\\\b\f\n\r\t";
	static const char to[] = "\"\\bfnrt";
	const char *at = rune > 0 && rune < 0x80 ? strchr(from, (int)rune) : NULL;

	if (at) {
		buf_add_char(buf, '\\');
		buf_add_char(buf, to[at - from]);
	} else {
		BUF_ADD_LIT(buf, "\\u");
		for (int shift = 12; shift >= 0; shift -= 4)
			buf_add_char(buf, "0123456789abcdef"[rune >> shift & 15]);
	}
}

void json_emit_string(struct buf *buf, sv s, unsigned flags)
{
	size_t from = 0; /* what is not written yet */
	size_t width = 1;

	buf_add_char(buf, '"');
	for (size_t i = 0; i < s.len; i += width) {
		uint32_t rune = (unsigned char)s.ptr[i];

		width = 1;
		if (rune >= 0x80)
			rune = utf8_decode_at(s, i, &width);
		if (!needs_escape(rune, width, flags))
			continue;
		buf_add(buf, sv_slice(s, from, i));
		add_escape(buf, rune);
		from = i + width;
	}
	buf_add(buf, sv_from_offset(s, from));
	buf_add_char(buf, '"');
}

/* bits: 32 or 64, whose shortest digits are written. */
static void emit_float(struct buf *buf, double number, int bits)
{
	char text[FLOAT_TEXT_SIZE];
	double size = fabs(number);

	BUG_ON(!isfinite(number));
	bool is_decimal = size == 0 || (size >= 1e-6 && size < 1e21);
	size_t len = go_float_shortest(number, is_decimal ? FLOAT_F : FLOAT_E, bits, text);
	/* Go cuts the zero of e-09, not of e+09, which cannot occur. */
	if (!is_decimal && len >= 4 && text[len - 4] == 'e' && text[len - 2] == '0') {
		text[len - 2] = text[len - 1];
		len--;
	}
	buf_add(buf, sv_from(text, len));
}

/* ---- trees ------------------------------------------------------------------------------- */

struct emitter {
	struct buf *buf;
	unsigned flags;
	size_t level;
};

static void emit_value(struct emitter *e, const struct value *v);

static void open_bracket(struct emitter *e, char bracket)
{
	buf_add_char(e->buf, bracket);
	e->level++;
}

/* Before each item: the comma, and the line break. */
static void separate(struct emitter *e, bool is_first)
{
	if (!is_first)
		buf_add_char(e->buf, ',');
	if (e->flags & JSON_PRETTY) {
		buf_add_char(e->buf, '\n');
		buf_add_repeat(e->buf, ' ', 2 * e->level);
	}
}

static void close_bracket(struct emitter *e, char bracket, bool is_empty)
{
	e->level--;
	if (!is_empty && e->flags & JSON_PRETTY) {
		buf_add_char(e->buf, '\n');
		buf_add_repeat(e->buf, ' ', 2 * e->level);
	}
	buf_add_char(e->buf, bracket);
}

static void emit_key(struct emitter *e, sv key)
{
	json_emit_string(e->buf, key, e->flags);
	buf_add_char(e->buf, ':');
	if (e->flags & JSON_PRETTY)
		buf_add_char(e->buf, ' ');
}

static void emit_list(struct emitter *e, const struct value *v)
{
	size_t count = value_count(v);

	open_bracket(e, '[');
	for (size_t i = 0; i < count; i++) {
		separate(e, i == 0);
		emit_value(e, value_item(v, i));
	}
	close_bracket(e, ']', count == 0);
}

struct keyed {
	sv key;
	const struct value *value;
};

static void emit_map(struct emitter *e, const struct value *v)
{
	size_t count = value_count(v);
	struct keyed *order = ARENA_ARRAY(e->buf->arena, struct keyed, count);

	for (size_t i = 0; i < count; i++)
		order[i] = (struct keyed){v->map->entries[i].key, &v->map->entries[i].value};
	if (e->flags & JSON_SORTED)
		sort_stable(order, count, sizeof(*order), sort_compare_sv, NULL);
	open_bracket(e, '{');
	for (size_t i = 0; i < count; i++) {
		separate(e, i == 0);
		emit_key(e, order[i].key);
		emit_value(e, order[i].value);
	}
	close_bracket(e, '}', count == 0);
}

/* Returns true if omitempty leaves the value out. */
static bool is_empty_value(const struct value *v)
{
	if (value_is_null(v))
		return true;
	switch (v->type->kind) {
	case KIND_BOOL:
		return !v->boolean;
	case KIND_STRING:
		return v->string.len == 0;
	case KIND_SLICE:
	case KIND_ARRAY:
	case KIND_MAP:
		return type_is_bytes(v->type) ? v->string.len == 0 : value_count(v) == 0;
	case KIND_POINTER:
		return !v->target;
	case KIND_FLOAT32:
	case KIND_FLOAT64:
		return v->real == 0;
	case KIND_INVALID:
	case KIND_COMPLEX128:
	case KIND_STRUCT:
	case KIND_INTERFACE:
	case KIND_FUNC:
		return false;
	case KIND_INT:
	case KIND_INT8:
	case KIND_INT16:
	case KIND_INT32:
	case KIND_INT64:
	case KIND_UINT:
	case KIND_UINT8:
	case KIND_UINT16:
	case KIND_UINT32:
	case KIND_UINT64:
		return v->unsigned_integer == 0;
	}
	BUG("a kind out of range");
}

static void emit_fields(struct emitter *e, const struct value *v, bool *is_first)
{
	for (size_t i = 0; i < v->type->field_count; i++) {
		const struct type_field *field = &v->type->fields[i];
		const struct value *value = &v->fields[i];

		if (field->json_inline || (field->embedded && !field->json)) {
			if (value_is(value, KIND_POINTER))
				value = value->target;
			if (value_is(value, KIND_STRUCT)) {
				emit_fields(e, value, is_first);
				continue;
			}
		}
		if (!field->exported || (field->json && strcmp(field->json, "-") == 0) ||
		    (field->json_omitempty && is_empty_value(value)))
			continue;
		separate(e, *is_first);
		*is_first = false;
		emit_key(e, field->json ? sv_from_cstr(field->json) : field->name);
		emit_value(e, value);
	}
}

static void emit_bytes(struct emitter *e, sv bytes)
{
	buf_add_char(e->buf, '"');
	base64_add(e->buf, BASE64_STD, bytes);
	buf_add_char(e->buf, '"');
}

static void emit_value(struct emitter *e, const struct value *v)
{
	bool is_first = true;

	if (value_is_null(v)) {
		BUF_ADD_LIT(e->buf, "null");
		return;
	}
	/* Types of libraries (times, addresses) have a string form of their own. */
	if (v->type->to_string && v->type->kind != KIND_STRING) {
		json_emit_string(e->buf, v->type->to_string(e->buf->arena, v), e->flags);
		return;
	}
	switch (v->type->kind) {
	case KIND_BOOL:
		buf_add(e->buf, v->boolean ? SV("true") : SV("false"));
		return;
	case KIND_INT:
	case KIND_INT8:
	case KIND_INT16:
	case KIND_INT32:
	case KIND_INT64:
		buf_printf(e->buf, "%" PRId64, v->integer);
		return;
	case KIND_UINT:
	case KIND_UINT8:
	case KIND_UINT16:
	case KIND_UINT32:
	case KIND_UINT64:
		buf_printf(e->buf, "%" PRIu64, v->unsigned_integer);
		return;
	case KIND_FLOAT32:
		emit_float(e->buf, v->real, 32);
		return;
	case KIND_FLOAT64:
		emit_float(e->buf, v->real, 64);
		return;
	case KIND_STRING:
		json_emit_string(e->buf, v->string, e->flags);
		return;
	case KIND_SLICE:
	case KIND_ARRAY:
		if (type_is_bytes(v->type))
			emit_bytes(e, v->string);
		else if (!v->list)
			BUF_ADD_LIT(e->buf, "null");
		else
			emit_list(e, v);
		return;
	case KIND_MAP:
		if (!v->map)
			BUF_ADD_LIT(e->buf, "null");
		else
			emit_map(e, v);
		return;
	case KIND_STRUCT:
		open_bracket(e, '{');
		emit_fields(e, v, &is_first);
		close_bracket(e, '}', is_first);
		return;
	case KIND_POINTER:
		emit_value(e, v->target);
		return;
	case KIND_INVALID:
	case KIND_COMPLEX128:
	case KIND_INTERFACE:
	case KIND_FUNC:
		BUG("a value that JSON has no form for");
	}
}

void json_emit(struct buf *buf, const struct value *value, unsigned flags)
{
	struct emitter e = {.buf = buf, .flags = flags};

	emit_value(&e, value);
}
