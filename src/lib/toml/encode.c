/*
 * Values as TOML, as BurntSushi/toml's encoder writes them.
 */
#include "toml/tables.h"

#include "golang/golang.h"
#include "toml/toml.h"

#include <inttypes.h>
#include <math.h>

struct encoder {
	struct buf *buf;
	struct arena *arena;
	size_t start; /* of the output in buf */
	sv error;
	unsigned depth;
};

/* The kind of an entry, which decides its place in the output. */
enum toml_type { TYPE_NIL, TYPE_SCALAR, TYPE_ARRAY, TYPE_TABLE, TYPE_TABLES, TYPE_REFUSED };

/* A dotted key, as written in a header. */
struct place {
	sv name;
	size_t depth; /* its parts */
};

static bool fail_encoding(struct encoder *e, sv text)
{
	if (e->error.len == 0)
		e->error = text;
	return false;
}

/* ---- scalars ----------------------------------------------------------------------------- */

static void add_quoted(struct buf *buf, sv s)
{
	static const char from[] = "\b\t\n\f\r\"\\";
	static const char to[] = "btnfr\"\\";

	buf_add_char(buf, '"');
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];
		const char *known = c > 0 ? strchr(from, c) : NULL;

		if (known)
			buf_printf(buf, "\\%c", to[known - from]);
		else if (c < 0x20 || c == 0x7F)
			buf_printf(buf, "\\u%04x", c);
		else
			buf_add_char(buf, (char)c);
	}
	buf_add_char(buf, '"');
}

void toml_add_key(struct buf *buf, sv key)
{
	bool is_bare = key.len > 0;

	for (size_t i = 0; i < key.len; i++) {
		char c = key.ptr[i];

		is_bare = is_bare && (ascii_is_alphanumeric(c) || c == '_' || c == '-');
	}
	if (is_bare)
		buf_add(buf, key);
	else
		add_quoted(buf, key);
}

static void add_float(struct buf *buf, double number, int bits)
{
	char text[FLOAT_TEXT_SIZE];

	if (isnan(number) || isinf(number)) {
		if (signbit(number))
			buf_add_char(buf, '-');
		buf_add(buf, isnan(number) ? SV("nan") : SV("inf"));
		return;
	}
	size_t len = go_float_shortest(number, FLOAT_G, bits, text);
	buf_add(buf, sv_from(text, len));
	if (!strpbrk(text, ".e"))
		BUF_ADD_LIT(buf, ".0");
}

/* ---- types ------------------------------------------------------------------------------- */

static const struct value *deref(const struct value *v)
{
	while (value_is(v, KIND_POINTER) && v->target)
		v = v->target;
	return v;
}

/* Nil pointers, slices and maps, and null. */
static bool is_nil(const struct value *v)
{
	if (value_is_null(v))
		return true;
	switch (v->type->kind) {
	case KIND_POINTER:
		return !v->target;
	case KIND_SLICE:
		return type_is_bytes(v->type) ? !v->string.ptr : !v->list;
	case KIND_MAP:
		return !v->map;
	default:
		return false;
	}
}

static enum toml_type type_of(struct encoder *e, const struct value *v);

/* Every item is a table. Nulls are refused wherever they are found on the way. */
static enum toml_type type_of_list(struct encoder *e, const struct value *list)
{
	size_t count = value_count(list);
	bool all = count > 0;

	for (size_t i = 0; i < count; i++) {
		enum toml_type type = type_of(e, deref(value_item(list, i)));

		if (type == TYPE_NIL)
			fail_encoding(e, SV("toml: cannot encode array with nil element"));
		if (type == TYPE_NIL || type == TYPE_REFUSED)
			return TYPE_REFUSED;
		all = all && type == TYPE_TABLE;
	}
	return all ? TYPE_TABLES : TYPE_ARRAY;
}

static enum toml_type type_of(struct encoder *e, const struct value *v)
{
	if (is_nil(v))
		return TYPE_NIL;
	if (v->type->to_text)
		return TYPE_SCALAR;
	switch (v->type->kind) {
	case KIND_STRUCT:
	case KIND_MAP:
		return TYPE_TABLE;
	case KIND_SLICE:
	case KIND_ARRAY:
		return type_is_bytes(v->type) ? TYPE_ARRAY : type_of_list(e, v);
	case KIND_COMPLEX128:
	case KIND_FUNC:
	case KIND_INVALID:
	case KIND_INTERFACE:
		fail_encoding(e, ARENA_CONCAT(e->arena, SV("unsupported type: "),
		                              type_kind_name(v->type->kind)));
		return TYPE_REFUSED;
	case KIND_BOOL:
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
	case KIND_FLOAT32:
	case KIND_FLOAT64:
	case KIND_STRING:
	case KIND_POINTER:
		return TYPE_SCALAR;
	}
	BUG("a kind out of range");
}

/* ---- entries ----------------------------------------------------------------------------- */

struct entry {
	sv key;
	const struct value *value;
	enum toml_type type;
	size_t number; /* structs: of the field */
};

VEC_TYPE(entries, struct entry);

static bool add_entry(struct encoder *e, struct entries *entries, sv key, const struct value *v,
                      size_t number)
{
	v = deref(v);
	enum toml_type type = type_of(e, v);
	if (type == TYPE_REFUSED)
		return false;
	VEC_PUSH(e->arena, entries, (struct entry){key, v, type, number});
	return true;
}

static bool add_fields(struct encoder *e, struct entries *entries, const struct value *v)
{
	for (size_t i = 0; i < v->type->field_count; i++) {
		const struct type_field *field = &v->type->fields[i];
		const struct value *value = deref(&v->fields[i]);

		if (field->embedded && value_is(value, KIND_STRUCT)) {
			if (!add_fields(e, entries, value))
				return false;
		} else if (field->exported && !add_entry(e, entries, field->name, value, i)) {
			return false;
		}
	}
	return true;
}

/* The entries of a table, plain values before tables; maps are sorted within both. */
static bool list_entries(struct encoder *e, const struct value *table, struct entries *ret)
{
	struct entries all = {0};

	if (value_is(table, KIND_STRUCT)) {
		if (!add_fields(e, &all, table))
			return false;
	} else {
		if (table->type->key && table->type->key->kind != KIND_STRING)
			return fail_encoding(
			    e, SV("toml: cannot encode a map with non-string key type"));
		for (size_t i = 0; i < value_count(table); i++) {
			const struct value_entry *entry = &table->map->entries[i];

			if (!add_entry(e, &all, entry->key, &entry->value, 0))
				return false;
		}
		if (all.count > 1)
			sort_stable(all.items, all.count, sizeof(*all.items), sort_compare_sv,
			            NULL);
	}
	*ret = (struct entries){0};
	for (int tables = 0; tables < 2; tables++)
		VEC_EACH (entry, &all)
			if ((entry->type == TYPE_TABLE || entry->type == TYPE_TABLES) == tables)
				VEC_PUSH(e->arena, ret, *entry);
	return true;
}

static bool encode_element(struct encoder *e, const struct value *v);

/*
 * {k = 1, l = 2}. COMPAT: the library puts a comma after every entry but the last, and leaves
 * nulls out only then; and counts the fields of structs by their place.
 */
static bool encode_inline(struct encoder *e, const struct value *table)
{
	struct entries entries = {0};

	if (!list_entries(e, table, &entries))
		return false;
	buf_add_char(e->buf, '{');
	for (size_t i = 0; i < entries.count; i++) {
		const struct entry *entry = &entries.items[i];
		bool is_last = value_is(table, KIND_STRUCT) ? entry->number == entries.count - 1
		                                            : i == entries.count - 1;

		if (entry->type == TYPE_NIL)
			continue;
		toml_add_key(e->buf, entry->key);
		BUF_ADD_LIT(e->buf, " = ");
		if (!encode_element(e, entry->value))
			return false;
		if (!is_last)
			BUF_ADD_LIT(e->buf, ", ");
	}
	buf_add_char(e->buf, '}');
	return true;
}

static bool encode_list(struct encoder *e, const struct value *list)
{
	bool is_bytes = type_is_bytes(list->type);
	size_t count = is_bytes ? list->string.len : value_count(list);

	buf_add_char(e->buf, '[');
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			BUF_ADD_LIT(e->buf, ", ");
		if (is_bytes)
			buf_printf(e->buf, "%u", (unsigned)(unsigned char)list->string.ptr[i]);
		else if (!encode_element(e, deref(value_item(list, i))))
			return false;
	}
	buf_add_char(e->buf, ']');
	return true;
}

static bool encode_nested(struct encoder *e, const struct value *v)
{
	if (e->depth >= TOML_MAX_DEPTH)
		return fail_encoding(e, SV("toml: values are nested too deeply"));
	e->depth++;
	bool ok = value_is(v, KIND_SLICE) || value_is(v, KIND_ARRAY) ? encode_list(e, v)
	                                                             : encode_inline(e, v);
	e->depth--;
	return ok;
}

/* Writes a value after `key = ` or inside an array. */
static bool encode_element(struct encoder *e, const struct value *v)
{
	struct buf *buf = e->buf;

	if (is_nil(v))
		return fail_encoding(e, SV("toml: cannot encode array with nil element"));
	if (v->type == &toml_type_time)
		buf_add(buf, v->string);
	else if (v->type->to_text)
		add_quoted(buf, v->type->to_text(e->arena, v));
	else if (value_is_string(v))
		add_quoted(buf, v->string);
	else if (value_is(v, KIND_BOOL))
		buf_add(buf, v->boolean ? SV("true") : SV("false"));
	else if (type_is_signed(v->type))
		buf_printf(buf, "%" PRId64, v->integer);
	else if (type_is_unsigned(v->type))
		buf_printf(buf, "%" PRIu64, v->unsigned_integer);
	else if (value_is(v, KIND_FLOAT64) || value_is(v, KIND_FLOAT32))
		add_float(buf, v->real, value_is(v, KIND_FLOAT32) ? 32 : 64);
	else
		return encode_nested(e, v);
	return true;
}

/* ---- tables ------------------------------------------------------------------------------ */

static bool encode(struct encoder *e, struct place place, sv key, const struct value *v,
                   enum toml_type type);

static void indent(struct encoder *e, size_t depth)
{
	buf_add_repeat(e->buf, ' ', depth > 0 ? 2 * (depth - 1) : 0);
}

/* An empty line, unless nothing is written yet. */
static void add_break(struct encoder *e)
{
	if (e->buf->len > e->start)
		buf_add_char(e->buf, '\n');
}

static bool encode_entries(struct encoder *e, struct place place, const struct value *table)
{
	struct entries entries = {0};
	bool ok = true;

	if (e->depth >= TOML_MAX_DEPTH)
		return fail_encoding(e, SV("toml: values are nested too deeply"));
	e->depth++;
	if (!list_entries(e, table, &entries))
		return false;
	for (size_t i = 0; ok && i < entries.count; i++) {
		const struct entry *entry = &entries.items[i];
		struct buf name = buf_in(e->arena);

		if (entry->type == TYPE_NIL)
			continue;
		buf_add(&name, place.name);
		if (place.depth > 0)
			buf_add_char(&name, '.');
		toml_add_key(&name, entry->key);
		ok = encode(e, (struct place){buf_sv(&name), place.depth + 1}, entry->key,
		            entry->value, entry->type);
	}
	e->depth--;
	return ok;
}

static bool encode_tables(struct encoder *e, struct place place, const struct value *list)
{
	if (place.depth == 0)
		return fail_encoding(e, SV("toml: top-level values must be Go maps or structs"));
	for (size_t i = 0; i < value_count(list); i++) {
		add_break(e);
		indent(e, place.depth);
		buf_printf(e->buf, "[[%.*s]]\n", SV_ARG(place.name));
		if (!encode_entries(e, place, deref(value_item(list, i))))
			return false;
	}
	return true;
}

static bool encode_table(struct encoder *e, struct place place, const struct value *table)
{
	if (place.depth == 1)
		add_break(e);
	if (place.depth > 0) {
		indent(e, place.depth);
		buf_printf(e->buf, "[%.*s]\n", SV_ARG(place.name));
	}
	return encode_entries(e, place, table);
}

static bool encode(struct encoder *e, struct place place, sv key, const struct value *v,
                   enum toml_type type)
{
	switch (type) {
	case TYPE_NIL:
		return true;
	case TYPE_REFUSED:
		return false;
	case TYPE_TABLE:
		return encode_table(e, place, v);
	case TYPE_TABLES:
		return encode_tables(e, place, v);
	case TYPE_SCALAR:
	case TYPE_ARRAY:
		break;
	}
	if (place.depth == 0)
		return encode_element(e, v);
	indent(e, place.depth);
	toml_add_key(e->buf, key);
	BUF_ADD_LIT(e->buf, " = ");
	if (!encode_element(e, v))
		return false;
	buf_add_char(e->buf, '\n');
	return true;
}

bool toml_encode(struct buf *buf, const struct value *value, sv *ret_error)
{
	struct encoder e = {.buf = buf, .arena = buf->arena, .start = buf->len};
	const struct value *v = deref(value);

	/* COMPAT: a nil slice is dropped anywhere but at the top. */
	if (value_is(v, KIND_SLICE) && is_nil(v)) {
		BUF_ADD_LIT(buf, "[]");
		return true;
	}
	/* COMPAT: other words at the top, where it is taken for the value of a key. */
	if (value_is(v, KIND_COMPLEX128) || value_is(v, KIND_FUNC)) {
		*ret_error = ARENA_CONCAT(buf->arena, SV("unsupported type for key '': "),
		                          type_kind_name(v->type->kind));
		return false;
	}
	if (encode(&e, (struct place){0}, SV(""), v, type_of(&e, v)))
		return true;
	buf->len = e.start;
	*ret_error = e.error;
	return false;
}
