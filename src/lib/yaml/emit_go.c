/*
 * Trees as Go's YAML writers lay them out: sigs.k8s.io/yaml (yaml.v2, on the JSON of the data), and
 * yaml.v3.
 */
#include "yaml/yaml.h"

#include "codec/codec.h"
#include "golang/golang.h"
#include "yaml/go_writer.h"
#include "yaml/resolve.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>

enum {
	STEP_V2 = 2,
	WIDTH_V2 = 80,
	STEP_V3 = 4,
	STEP_V3_ITEM = 2, /* after the - of a list */
};

/* ---- the order of keys ------------------------------------------------------------------- */

/*
 * COMPAT: Go uses unicode.IsLetter. Here every character beyond ASCII is a letter, except in blocks
 * of signs.
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
		return ascii_is_letter(rune);
	for (size_t i = 0; i < COUNT_OF(signs); i++)
		if (rune >= signs[i][0] && rune <= signs[i][1])
			return false;
	return true;
}

/* The number at i; wraps around, as it does there. */
static int64_t take_digits(sv s, size_t *i, int64_t start)
{
	uint64_t n = (uint64_t)start;

	for (; *i < s.len && ascii_is_digit(s.ptr[*i]); ++*i)
		n = n * 10 + (uint64_t)(s.ptr[*i] - '0');
	return (int64_t)n;
}

/* Returns true if a digit other than 0 comes before i in the same number. */
static bool is_inside_number(sv s, size_t i)
{
	while (i-- > 0 && ascii_is_digit(s.ptr[i]))
		if (s.ptr[i] != '0')
			return true;
	return false;
}

/* Orders keys: numbers inside them by value, letters after everything else. */
static int compare_keys(const void *left, const void *right, void *context)
{
	sv a = *(const sv *)left;
	sv b = *(const sv *)right;
	const struct go_writer *writer = context;
	bool after_digit = false;
	size_t width;

	for (size_t i = 0; i < a.len && i < b.len; i += width) {
		size_t width_b;
		uint32_t ra = utf8_decode_at(a, i, &width);
		uint32_t rb = utf8_decode_at(b, i, &width_b);

		if (ra == rb) {
			after_digit = writer->is_v3 && ascii_is_digit(ra);
			continue;
		}
		if (is_letter(ra) && is_letter(rb))
			return ra < rb ? -1 : 1;
		if (is_letter(ra) || is_letter(rb))
			return is_letter(after_digit ? ra : rb) ? -1 : 1;
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

/* ---- scalars ----------------------------------------------------------------------------- */

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
		len = go_float_shortest(number, FLOAT_F, 64, text);
		struct value v = yml_resolve(sv_from(text, len));

		if (v.type != &type_float64)
			return arena_dup(arena, sv_from(text, len));
	}
	len = go_float_shortest(number, FLOAT_G, 64, text);
	return arena_dup(arena, sv_from(text, len));
}

static sv float_text(struct arena *arena, const struct value *v)
{
	char text[FLOAT_TEXT_SIZE];

	if (isnan(v->real))
		return SV(".nan");
	if (isinf(v->real))
		return v->real > 0 ? SV(".inf") : SV("-.inf");
	size_t len = go_float_shortest(v->real, FLOAT_G, value_is(v, KIND_FLOAT32) ? 32 : 64, text);
	return arena_dup(arena, sv_from(text, len));
}

/* Returns the indentation of the current node's children. */
static int deeper(const struct go_writer *writer, bool is_item, bool is_scalar)
{
	int step = writer->is_v3 ? STEP_V3 : STEP_V2;

	if (writer->indent < 0)
		return is_scalar ? step : 0;
	if (!writer->is_v3)
		return writer->indent + step;
	return is_item ? writer->indent + STEP_V3_ITEM : step * ((writer->indent + step) / step);
}

/* Converts "2020-01-02 03:04:05.6 +0000 UTC" to 2020-01-02T03:04:05.6Z. */
static sv time_text(struct arena *arena, sv s)
{
	sv date;
	sv clock;
	sv zone;

	if (!sv_cut(s, SV(" "), &date, &clock) || !sv_cut(clock, SV(" "), &clock, &zone))
		return s;
	if (sv_starts_with(zone, SV("+0000")))
		return ARENA_CONCAT(arena, date, SV("T"), clock, SV("Z"));
	return ARENA_CONCAT(arena, date, SV("T"), clock, sv_slice(zone, 0, 3), SV(":"),
	                    sv_slice(zone, 3, 5));
}

static bool put_scalar(struct go_writer *writer, const struct value *v, bool is_item)
{
	struct arena *arena = writer->buf->arena;
	int indent = writer->indent;

	writer->indent = deeper(writer, is_item, true);
	if (!v || value_is_null(v))
		go_writer_put_plain(writer, SV("null"), true);
	else if (v->type->to_text)
		go_writer_put_string(writer, v->type->to_text(arena, v), false);
	else if (v->type == &yml_type_time)
		go_writer_put_plain(writer, time_text(arena, v->string), true);
	else if (value_is_string(v))
		go_writer_put_string(
		    writer, writer->is_v3 ? v->string : yml_json_text(arena, v->string), false);
	else if (value_is(v, KIND_BOOL))
		go_writer_put_plain(writer, v->boolean ? SV("true") : SV("false"), true);
	else if (type_is_signed(v->type))
		go_writer_put_plain(writer, arena_printf(arena, "%" PRId64, v->integer), true);
	else if (type_is_unsigned(v->type))
		go_writer_put_plain(writer, arena_printf(arena, "%" PRIu64, v->unsigned_integer),
		                    true);
	else if (value_is(v, KIND_FLOAT64) || value_is(v, KIND_FLOAT32))
		go_writer_put_plain(
		    writer, writer->is_v3 ? float_text(arena, v) : number_text(arena, v->real),
		    true);
	else
		writer->refused = ARENA_CONCAT(arena, SV("cannot marshal type: "), v->type->name);
	writer->indent = indent;
	return writer->refused.len == 0;
}

/* ---- trees ------------------------------------------------------------------------------- */

/* The parent of a node. */
enum around { AROUND_NOTHING, AROUND_LIST, AROUND_MAPPING };

static bool put_node(struct go_writer *writer, const struct value *v, enum around around);

static void put_empty(struct go_writer *writer, const char *open, const char *close)
{
	go_writer_put_indicator(writer, open, true, true, false);
	go_writer_put_indicator(writer, close, false, false, false);
}

static bool put_list(struct go_writer *writer, const struct value *list, enum around around)
{
	int indent = writer->indent;
	bool is_bytes = type_is_bytes(list->type);
	size_t count = is_bytes ? list->string.len : value_count(list);
	bool ok = true;

	if (count == 0) {
		put_empty(writer, "[", "]");
		return true;
	}
	/* yaml.v2: not indented under a key, except where `: ` starts the line. */
	if (writer->is_v3 || indent < 0 || around != AROUND_MAPPING || writer->is_fresh)
		writer->indent = deeper(writer, around == AROUND_LIST, false);
	for (size_t i = 0; ok && i < count; i++) {
		struct value byte = {.type = &type_uint8};

		if (is_bytes)
			byte.unsigned_integer = (unsigned char)list->string.ptr[i];
		go_writer_put_indent(writer);
		go_writer_put_indicator(writer, "-", true, false, true);
		ok = put_node(writer, is_bytes ? &byte : value_item(list, i), AROUND_LIST);
	}
	writer->indent = indent;
	return ok;
}

struct keyed {
	sv key;
	const struct value *typed_key; /* null if the key is a string */
	const struct value *value;
};

VEC_TYPE(keyed_values, struct keyed);

static bool put_key(struct go_writer *writer, const struct keyed *entry)
{
	int indent = writer->indent;
	const struct value *typed = entry->typed_key;
	bool is_simple = go_writer_is_simple_key(writer, entry->key);
	bool ok = true;

	go_writer_put_indent(writer);
	if (!is_simple)
		go_writer_put_indicator(writer, "?", true, false, true);
	writer->indent = deeper(writer, false, true);
	if (typed && (!value_is_string(typed) || typed->type == &yml_type_time))
		ok = put_scalar(writer, typed, false);
	else
		go_writer_put_string(writer, entry->key, is_simple);
	writer->indent = indent;
	if (!is_simple)
		go_writer_put_indent(writer);
	go_writer_put_indicator(writer, ":", !is_simple, false, !is_simple);
	return ok;
}

enum key_class { CLASS_NUMBER, CLASS_NULL, CLASS_TEXT, CLASS_TIME };

static enum key_class class_of(const struct keyed *entry)
{
	if (entry->typed_key && entry->typed_key->type == &yml_type_time)
		return CLASS_TIME;
	if (!entry->typed_key || value_is_string(entry->typed_key))
		return CLASS_TEXT;
	return value_is_null(entry->typed_key) ? CLASS_NULL : CLASS_NUMBER;
}

static double size_of(const struct value *key)
{
	return value_is(key, KIND_BOOL)      ? key->boolean
	       : type_is_signed(key->type)   ? (double)key->integer
	       : type_is_unsigned(key->type) ? (double)key->unsigned_integer
	       : value_is(key, KIND_FLOAT64) ? key->real
	                                     : 0;
}

/* Orders numbers and booleans by value (true is 1, before 1), then null, strings, times. */
static int compare_entries(const void *left, const void *right, void *context)
{
	const struct keyed *a = left;
	const struct keyed *b = right;
	enum key_class class = class_of(a);

	if (class != class_of(b))
		return class < class_of(b) ? -1 : 1;
	if (class == CLASS_TEXT || class == CLASS_TIME)
		return compare_keys(&a->key, &b->key, context);
	if (class == CLASS_NULL)
		return 0;
	double size_a = size_of(a->typed_key);
	double size_b = size_of(b->typed_key);
	if (size_a != size_b)
		return size_a < size_b ? -1 : 1;
	return (int)a->typed_key->type->kind - (int)b->typed_key->type->kind;
}

/* The fields of a struct, in order. False for what reflection may not read. */
static bool list_fields(struct go_writer *writer, const struct value *v, struct keyed_values *ret)
{
	struct arena *arena = writer->buf->arena;

	for (size_t i = 0; i < v->type->field_count; i++) {
		const struct type_field *field = &v->type->fields[i];

		if (field->embedded && !field->exported) {
			writer->refused =
			    SV("reflect.Value.Interface: cannot return value obtained "
			       "from unexported field or method");
			return false;
		}
		if (!field->exported)
			continue;
		sv key =
		    field->yaml ? sv_from_cstr(field->yaml) : arena_lower_ascii(arena, field->name);
		VEC_PUSH(arena, ret, (struct keyed){.key = key, .value = &v->fields[i]});
	}
	return true;
}

static bool put_mapping(struct go_writer *writer, const struct value *map, enum around around)
{
	struct arena *arena = writer->buf->arena;
	int indent = writer->indent;
	struct keyed_values entries = {0};
	bool ok = true;

	if (value_is(map, KIND_STRUCT)) {
		if (!list_fields(writer, map, &entries))
			return false;
	} else {
		for (size_t i = 0; i < value_count(map); i++) {
			const struct value_entry *entry = &map->map->entries[i];
			sv key = writer->is_v3 ? entry->key : yml_json_text(arena, entry->key);

			VEC_PUSH(arena, &entries,
			         (struct keyed){key, entry->typed_key, &entry->value});
		}
		if (entries.count > 1)
			sort_stable(entries.items, entries.count, sizeof(*entries.items),
			            compare_entries, writer);
	}
	if (entries.count == 0) {
		put_empty(writer, "{", "}");
		return true;
	}
	writer->indent = deeper(writer, around == AROUND_LIST, false);
	for (size_t i = 0; ok && i < entries.count; i++)
		ok = put_key(writer, &entries.items[i]) &&
		     put_node(writer, entries.items[i].value, AROUND_MAPPING);
	writer->indent = indent;
	return ok;
}

static bool put_node(struct go_writer *writer, const struct value *v, enum around around)
{
	while (value_is(v, KIND_POINTER) && v->target && !v->type->to_text)
		v = v->target;
	if (value_is(v, KIND_POINTER) && !v->target)
		return put_scalar(writer, NULL, around == AROUND_LIST);
	/* In JSON, nil slices and maps are null, and bytes are base64. */
	bool is_nil =
	    !writer->is_v3 && ((value_is_list(v) && !type_is_bytes(v->type) && !v->list) ||
	                       (value_is_map(v) && !v->map));
	if (value_is_null(v) || is_nil)
		return put_scalar(writer, NULL, around == AROUND_LIST);
	if (!writer->is_v3 && type_is_bytes(v->type)) {
		struct value text =
		    value_string(base64_encode(writer->buf->arena, BASE64_STD, v->string));

		return put_scalar(writer, &text, around == AROUND_LIST);
	}
	if (v->type->to_text)
		return put_scalar(writer, v, around == AROUND_LIST);
	if (value_is(v, KIND_SLICE) || value_is(v, KIND_ARRAY))
		return put_list(writer, v, around);
	if (value_is(v, KIND_MAP) || value_is(v, KIND_STRUCT))
		return put_mapping(writer, v, around);
	return put_scalar(writer, v, around == AROUND_LIST);
}

void yml_emit_sigs(struct buf *buf, const struct value *value)
{
	struct go_writer writer = {
	    .buf = buf, .width = WIDTH_V2, .indent = -1, .is_spaced = true, .is_fresh = true};

	if (!put_node(&writer, value, AROUND_NOTHING))
		BUG("a value that JSON has no form for");
	go_writer_put_indent(&writer);
}

bool yml_emit_v3(struct buf *buf, const struct value *value, sv *ret_error)
{
	struct go_writer writer = {.buf = buf,
	                           .is_v3 = true,
	                           .width = INT_MAX,
	                           .indent = -1,
	                           .is_spaced = true,
	                           .is_fresh = true};
	size_t start = buf->len;

	if (!put_node(&writer, value, AROUND_NOTHING)) {
		buf->len = start;
		*ret_error = writer.refused;
		return false;
	}
	go_writer_put_indent(&writer);
	return true;
}
