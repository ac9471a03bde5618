/*
 * value: the one tree. YAML, JSON, templates and encoders all speak in it.
 *
 * A value is small and passed by pointer; strings, lists, maps, structs and pointers refer to
 * backing store in an arena, shared as Go shares it (two values may name one map).
 *
 *   type.h    what Go calls the value's type: templates see it, encoders mostly do not
 *   origin    where the value stands in a source, down to the byte inside a block scalar
 *   taint     which of a string's bytes came from a secret, and from which one
 *   text.h    a text under construction that keeps taints
 */
#ifndef OSM_GEN_VALUE_VALUE_H
#define OSM_GEN_VALUE_VALUE_H

#include "base/base.h"
#include "diag/diag.h"
#include "value/type.h"

/* ---- secrets ----------------------------------------------------------------------------- */

/*
 * One secret input. name says where it came from
 * ("cloud-init-settings/cloud-init-getter-token:token") and is safe to print; text is not.
 */
struct secret {
	sv name;
	sv text;
	/*
	 * At least 16 random bytes (a token, a key), so that a keyed fingerprint of it may be shown
	 * (docs/spec/sealing.md 4). False for passwords and anything people choose.
	 */
	bool high_entropy;
};

/* Bytes [start, end) of a string came from secret. */
struct taint_span {
	size_t start;
	size_t end;
	const struct secret *secret;
};

/*
 * Spans in order, not overlapping, none empty. A clear string has no taint (null pointer).
 *
 * A span is a secret as a whole, or what a function that is one-to-one (quoting, base64) made of
 * it: that it is there, and where, tells nothing of the secret's bytes. What else is made of a
 * secret is derived: its length, its place and whether there is any of it would tell. derived is
 * then a secret that went into it, the string is hidden as a whole, an empty one too, and so is
 * every text that it becomes a part of.
 */
struct taint {
	const struct taint_span *spans;
	size_t count;
	const struct secret *derived; /* null: spans of whole secrets only */
};

/* ---- origin ------------------------------------------------------------------------------ */

/* How a scalar is written, and so how its text maps back to its source. */
enum origin_style {
	ORIGIN_EXACT, /* byte for byte: plain on one line, a flag, a file */
	ORIGIN_PLAIN, /* plain over several lines, folded */
	ORIGIN_SINGLE_QUOTED,
	ORIGIN_DOUBLE_QUOTED, /* JSON strings too */
	ORIGIN_LITERAL,       /* | block */
	ORIGIN_FOLDED,        /* > block */
	ORIGIN_JOINED,        /* put together of parts: value_joined */
};

struct origin {
	const struct source *source; /* null: made by the program */
	uint32_t offset; /* of the first byte of the node as written (its quote, its |) */
	uint32_t length;
	enum origin_style style;
};

/* ---- what parsers charge ------------------------------------------------------------------- */

/* In values, by the memory that an empty one takes (struct source, values). */
enum { QUOTA_LIST = 2, QUOTA_MAP = 4 };

/* ---- values ------------------------------------------------------------------------------ */

struct value_list;
struct value_map;

struct value {
	/*
	 * Null for the invalid value (Go's zero reflect.Value); &type_nil for null. Decoders give
	 * the natural types of type.h (type_bool, type_int64, type_uint64, type_float64,
	 * type_string, type_any_list, type_any_map).
	 */
	const struct type *type;
	union {
		bool boolean;
		int64_t integer; /* signed kinds */
		uint64_t unsigned_integer;
		double real;
		struct {
			double re;
			double im;
		} complex;
		sv string; /* strings and []byte */
		struct {
			struct value_list *list; /* null: nil slice */
			size_t list_from; /* the slice is [from, from + len) of the backing list */
			size_t list_len;
		};
		struct value_map *map; /* null: nil map */
		struct value *fields;  /* structs: one per type field, in order */
		struct value *target;  /* pointers; null: nil */
		const void
		    *opaque; /* library values with methods (time, semver): type's owner knows */
	};
	/*
	 * Strings; and whatever else a template made of one: numbers, times, nulls, and lists and
	 * maps whose order or number of members came from a secret.
	 */
	const struct taint *taint;
	struct origin origin;
};

struct value_list {
	struct value *items;
	size_t count;
	size_t cap;
};

struct value_entry {
	sv key;
	struct origin key_origin;
	struct value value;
	const struct value
	    *typed_key; /* maps whose keys are not strings: templates only; else null */
};

/* Entries in insertion order. */
struct value_map {
	struct value_entry *entries;
	size_t count;
	size_t cap;
	struct map index; /* key to entry number + 1, once there are more than a few */
	const struct secret *key_secret; /* a key came from it; null: the keys are clear */
};

#define VALUE_INVALID ((struct value){0})

struct value value_null(void);
struct value value_bool(bool b);
struct value value_int(int64_t i); /* Go int */
struct value value_float(double f);
struct value value_string(sv s);
/* A string that is a secret as a whole. */
struct value value_secret_string(struct arena *arena, sv s, const struct secret *secret);
struct value value_list_new(struct arena *arena); /* []interface {} */
struct value value_map_new(struct arena *arena);  /* map[string]interface {} */

/* Appends to the backing list; the list must be the whole of its backing store. */
void value_list_add(struct arena *arena, struct value *list, struct value item);
/* Sets key, replacing a value already there (which keeps its place). */
void value_map_set(struct arena *arena, struct value *map, sv key, struct value value);
/* As value_map_set, with the key's own origin. */
void value_map_set_at(struct arena *arena, struct value *map, sv key, struct origin key_origin,
                      struct value value);

static inline bool value_is(const struct value *v, enum type_kind kind)
{
	return v && v->type && v->type->kind == kind;
}
static inline bool value_is_null(const struct value *v)
{
	return !v || !v->type || v->type == &type_nil;
}
static inline bool value_is_string(const struct value *v)
{
	return value_is(v, KIND_STRING);
}
static inline bool value_is_list(const struct value *v)
{
	return value_is(v, KIND_SLICE);
}
static inline bool value_is_map(const struct value *v)
{
	return value_is(v, KIND_MAP);
}

/* Items of a list, entries of a map; 0 for anything else, null included. */
size_t value_count(const struct value *v);
/* The i-th item of a list; i must be below value_count. */
const struct value *value_item(const struct value *list, size_t i);
/* The entry, or null; also null when v is no map (so that paths can be walked without checks). */
const struct value_entry *value_map_find(const struct value *v, sv key);
const struct value *value_map_get(const struct value *v, sv key);
/* Walks maps by a path such as "spec.template.spec"; null where it ends early. */
const struct value *value_path(const struct value *v, const char *path);
/* The same where a value is still being made. */
struct value *value_item_mutable(struct value *list, size_t i);
struct value_entry *value_map_find_mutable(struct value *v, sv key);
struct value *value_map_get_mutable(struct value *v, sv key);
/* The text of a string value; empty for anything else. */
sv value_text(const struct value *v);

/* Deep copy into another arena (source and secret pointers are kept). Depth is bounded by decoders.
 */
struct value value_copy(struct arena *arena, const struct value *v);
/* Same kind of data, deeply; types, taints and origins do not matter. Maps: order does not either.
 */
bool value_equal(const struct value *a, const struct value *b);

/* ---- taints ------------------------------------------------------------------------------ */

/* A taint of one span over len bytes; null for len 0. */
const struct taint *taint_whole(struct arena *arena, size_t len, const struct secret *secret);
/* The same, derived: also for len 0. Null for no secret. */
const struct taint *taint_derived(struct arena *arena, size_t len, const struct secret *secret);
/* A secret that it names, the one it is derived from first; null for none (taint may be null). */
static inline const struct secret *taint_secret(const struct taint *taint)
{
	if (!taint)
		return NULL;
	return taint->derived || taint->count == 0 ? taint->derived : taint->spans[0].secret;
}
/* The secret it is derived from, or null. */
static inline const struct secret *taint_derived_from(const struct taint *taint)
{
	return taint ? taint->derived : NULL;
}
/* The spans that touch [from, to), shifted to start at 0; what is derived stays so, an empty part
 * too. Null for none. */
const struct taint *taint_slice(struct arena *arena, const struct taint *taint, size_t from,
                                size_t to);

/* ---- positions --------------------------------------------------------------------------- */

/* The node as written. */
struct position value_position(const struct value *v);
/*
 * The same for what the program made: of a map or list the first of its direct parts that is
 * written somewhere; of what has none, `otherwise`.
 */
struct position value_position_near(const struct value *v, struct position otherwise);
struct position origin_position(struct origin origin);
/*
 * Where byte `offset` of a string value stands in its source: exact for literal blocks, quoted and
 * one-line plain scalars, the right line for folded ones. indentation, escapes and line breaks that
 * the decoder removed are accounted for (YAML 1.2 sections 7.3, 8.1). Length 1.
 */
struct position value_text_position(const struct value *v, size_t offset);

/* ---- texts that were put together -------------------------------------------------------- */

struct origin_part {
	size_t at; /* where in the text it begins; it ends where the next one does */
	const struct value
	    *value; /* whose text it is, from its first byte on; null: the program's */
};

/*
 * A text whose parts, in order, lead back to where each is written: value_text_position is exact
 * for them, and that of `whole` for what is nobody's. Takes over parts, which are not joined
 * themselves, and the values that they point to.
 */
struct value value_joined(struct arena *arena, sv text, const struct origin_part *parts,
                          size_t count, struct origin whole);
/*
 * The part that byte *offset is in, and *offset within it; null where it is nobody's. Of a text
 * that was not put together the text itself.
 */
const struct value *value_part_at(const struct value *v, size_t *offset);
/* The parts of such a text, *ret_count of them; null for any other. */
const struct origin_part *value_parts(const struct value *v, size_t *ret_count);

#endif
