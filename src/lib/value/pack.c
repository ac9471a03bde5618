/*
 * Packs values. A value is one byte for its form and the style of its origin, the place of that as
 * the distance from the one before, then what the form needs: the bytes of a number or a string, or
 * a count and the members. A key is packed as a string. Numbers have seven bits a byte, the lowest
 * first.
 */
#include "value/pack.h"

enum form {
	FORM_NULL,
	FORM_FALSE,
	FORM_TRUE,
	FORM_INT64,
	FORM_UINT64,
	FORM_FLOAT64,
	FORM_WRITTEN, /* a string that is in the source as it is */
	FORM_QUOTED,  /* the same, between two quotes */
	FORM_STRING,
	FORM_LIST,
	FORM_MAP,
};

enum { STYLE_SHIFT = 4, FORM_MASK = (1 << STYLE_SHIFT) - 1, MORE = 0x80 };

/* ---- packing ----------------------------------------------------------------------------- */

struct packer {
	struct buf *buf;
	const struct source *source;
	uint32_t offset; /* of the origin before */
};

static void pack_number(struct packer *p, uint64_t number)
{
	for (; number >= MORE; number >>= 7)
		buf_add_char(p->buf, (char)(number | MORE));
	buf_add_char(p->buf, (char)number);
}

static bool add_head(struct packer *p, enum form form, const struct origin *origin)
{
	int64_t distance = (int64_t)origin->offset - p->offset;

	if (origin->source != p->source || origin->style == ORIGIN_JOINED)
		return false;
	buf_add_char(p->buf, (char)(form | origin->style << STYLE_SHIFT));
	/* The distance is small in either direction: its sign is the lowest bit. */
	pack_number(p, (uint64_t)distance << 1 ^ (distance < 0 ? UINT64_MAX : 0));
	pack_number(p, origin->length);
	p->offset = origin->offset;
	return true;
}

static bool is_at(const struct packer *p, const struct origin *origin, size_t quotes, sv s)
{
	return origin->length == s.len + 2 * quotes &&
	       sv_eq(sv_slice(p->source->text, origin->offset + quotes,
	                      origin->offset + quotes + s.len),
	             s);
}

static bool pack_string(struct packer *p, const struct origin *origin, sv s)
{
	enum form form = is_at(p, origin, 0, s)   ? FORM_WRITTEN
	                 : is_at(p, origin, 1, s) ? FORM_QUOTED
	                                          : FORM_STRING;

	if (!add_head(p, form, origin))
		return false;
	if (form == FORM_STRING) {
		pack_number(p, s.len);
		buf_add(p->buf, s);
	}
	return true;
}

static bool pack_bits(struct packer *p, enum form form, const struct value *v)
{
	if (!add_head(p, form, &v->origin))
		return false;
	buf_add(p->buf, sv_from_bytes(&v->unsigned_integer, sizeof(v->unsigned_integer)));
	return true;
}

static bool pack(struct packer *p, const struct value *v);

static bool pack_list(struct packer *p, const struct value *v)
{
	if (!v->list || v->list_from != 0 || !add_head(p, FORM_LIST, &v->origin))
		return false;
	pack_number(p, v->list_len);
	for (size_t i = 0; i < v->list_len; i++)
		if (!pack(p, value_item(v, i)))
			return false;
	return true;
}

static bool pack_map(struct packer *p, const struct value *v)
{
	if (!v->map || v->map->key_secret || !add_head(p, FORM_MAP, &v->origin))
		return false;
	pack_number(p, v->map->count);
	for (size_t i = 0; i < v->map->count; i++) {
		const struct value_entry *entry = &v->map->entries[i];

		if (entry->typed_key || !pack_string(p, &entry->key_origin, entry->key) ||
		    !pack(p, &entry->value))
			return false;
	}
	return true;
}

static bool pack(struct packer *p, const struct value *v)
{
	if (v->taint)
		return false;
	if (v->type == &type_nil)
		return add_head(p, FORM_NULL, &v->origin);
	if (v->type == &type_bool)
		return add_head(p, v->boolean ? FORM_TRUE : FORM_FALSE, &v->origin);
	if (v->type == &type_int64)
		return pack_bits(p, FORM_INT64, v);
	if (v->type == &type_uint64)
		return pack_bits(p, FORM_UINT64, v);
	if (v->type == &type_float64)
		return pack_bits(p, FORM_FLOAT64, v);
	if (v->type == &type_string)
		return pack_string(p, &v->origin, v->string);
	if (v->type == &type_any_list)
		return pack_list(p, v);
	return v->type == &type_any_map && pack_map(p, v);
}

bool value_pack(struct buf *buf, const struct source *source, const struct value *v)
{
	struct packer p = {.buf = buf, .source = source};
	size_t start = buf->len;
	bool ok = pack(&p, v);

	if (!ok)
		buf->len = start;
	return ok;
}

/* ---- unpacking --------------------------------------------------------------------------- */

struct unpacker {
	struct arena *arena;
	const struct source *source;
	const char *at;
	uint32_t offset;
};

static uint64_t unpack_number(struct unpacker *u)
{
	uint64_t number = 0;

	for (unsigned shift = 0;; shift += 7) {
		uint8_t byte = (uint8_t)*u->at++;

		number |= (uint64_t)(byte & (MORE - 1)) << shift;
		if (byte < MORE)
			return number;
	}
}

static enum form take_head(struct unpacker *u, struct origin *ret_origin)
{
	uint8_t head = (uint8_t)*u->at++;
	uint64_t distance = unpack_number(u);

	u->offset += (uint32_t)(distance >> 1 ^ (0 - (distance & 1)));
	*ret_origin = (struct origin){u->source, u->offset, (uint32_t)unpack_number(u),
	                              (enum origin_style)(head >> STYLE_SHIFT)};
	return (enum form)(head & FORM_MASK);
}

static sv take_bytes(struct unpacker *u, size_t len)
{
	const char *bytes = u->at;

	u->at += len;
	return sv_from(bytes, len);
}

static sv unpack_string(struct unpacker *u, enum form form, const struct origin *origin)
{
	size_t quotes = form == FORM_QUOTED;

	return form == FORM_STRING ? take_bytes(u, unpack_number(u))
	                           : sv_from(u->source->text.ptr + origin->offset + quotes,
	                                     origin->length - 2 * quotes);
}

static struct value unpack(struct unpacker *u);

static struct value unpack_list(struct unpacker *u)
{
	struct value list = value_list_new(u->arena);
	size_t count = unpack_number(u);

	VEC_RESERVE(u->arena, list.list, count);
	for (size_t i = 0; i < count; i++)
		value_list_add(u->arena, &list, unpack(u));
	return list;
}

static struct value unpack_map(struct unpacker *u)
{
	struct value map = value_map_new(u->arena);
	size_t count = unpack_number(u);

	map.map->entries = ARENA_ARRAY(u->arena, struct value_entry, count);
	map.map->cap = count;
	for (size_t i = 0; i < count; i++) {
		struct origin origin;
		enum form form = take_head(u, &origin);
		sv key = unpack_string(u, form, &origin);

		value_map_set_at(u->arena, &map, key, origin, unpack(u));
	}
	return map;
}

static struct value unpack(struct unpacker *u)
{
	struct origin origin;
	enum form form = take_head(u, &origin);
	struct value v = value_null();

	switch (form) {
	case FORM_NULL:
		break;
	case FORM_FALSE:
	case FORM_TRUE:
		v = value_bool(form == FORM_TRUE);
		break;
	case FORM_INT64:
	case FORM_UINT64:
	case FORM_FLOAT64:
		v.type = form == FORM_INT64    ? &type_int64
		         : form == FORM_UINT64 ? &type_uint64
		                               : &type_float64;
		memcpy(&v.unsigned_integer, take_bytes(u, sizeof(v.unsigned_integer)).ptr,
		       sizeof(v.unsigned_integer));
		break;
	case FORM_WRITTEN:
	case FORM_QUOTED:
	case FORM_STRING:
		v = value_string(unpack_string(u, form, &origin));
		break;
	case FORM_LIST:
		v = unpack_list(u);
		break;
	case FORM_MAP:
		v = unpack_map(u);
		break;
	}
	v.origin = origin;
	return v;
}

struct value value_unpack(struct arena *arena, const struct source *source, const char *packed)
{
	struct unpacker u = {.arena = arena, .source = source, .at = packed};

	return unpack(&u);
}
