/*
 * value: the one tree that YAML, JSON, templates and encoders share.
 *
 * A value is small and passed by pointer; strings, lists, maps, structs and pointers refer to
 * backing store in an arena, shared as Go shares it (two values may name one map).
 *
 *   type.h    what Go calls the value's type: templates see it, encoders mostly do not
 *   origin    the place of a value in its source, down to the byte inside a block scalar
 *   taint     the bytes of a string that came from a secret, and from which one
 *   text.h    a string under construction that keeps taints
 *   pack.h    decoded values in little memory, while nobody looks at them
 */
#ifndef OSM_GEN_VALUE_VALUE_H
#define OSM_GEN_VALUE_VALUE_H

#include "base/base.h"
#include "diag/diag.h"
#include "value/type.h"

/* ---- secrets ----------------------------------------------------------------------------- */

/* The object, file or environment that a secret is in. */
struct secret_owner {
	enum {
		SECRET_OWNER_NONE,
		SECRET_OWNER_OBJECT,
		SECRET_OWNER_MEMBER,
		SECRET_OWNER_VARIABLE
	} kind;
	sv namespace; /* of an object */
	sv name;      /* of the object, the member of a file, or the variable */
};

/*
 * One secret input. `name` is its place ("cloud-init-settings/cloud-init-getter-token:token") and
 * is safe to print; `text` is the secret itself.
 */
struct secret {
	sv name;
	sv text;
	/*
	 * At least 16 random bytes (a token, a key), so that a keyed fingerprint of it may be shown
	 * (docs/spec/sealing.md 4). False for passwords and anything people choose.
	 */
	bool high_entropy;
	/* The owner of a placeholder's secret; none if the secret is derived. */
	struct secret_owner owner;
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
 * A span is a whole secret, or its image under a one-to-one function (quoting, base64): neither its
 * presence nor its place reveals the secret's bytes. Any other result of a secret is derived: its
 * length, its place and its presence could reveal something. `derived` is then one of the secrets
 * that went into it. A derived string is hidden as a whole, even if it is empty, and so is every
 * string that it becomes a part of.
 */
struct taint {
	const struct taint_span *spans;
	size_t count;
	const struct secret *derived; /* null if all spans are whole secrets */
};

/* ---- origin ------------------------------------------------------------------------------ */

/* The form of a scalar, which decides how its decoded bytes map back to its source. */
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
	const struct source *source; /* null if the program made the value */
	uint32_t offset; /* offset of the node's first byte as written (its quote, its |) */
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
			struct value_list *list; /* null for a nil slice */
			size_t list_from; /* the slice is [from, from + len) of the backing list */
			size_t list_len;
		};
		struct value_map *map; /* null for a nil map */
		struct value *fields;  /* structs: one per type field, in order */
		struct value *target;  /* pointers; null for nil */
		const void
		    *opaque; /* library values with methods (time, semver): type's owner knows */
	};
	/*
	 * Strings, and anything else that a template made of one: numbers, times, nulls, and lists
	 * and maps whose order or number of members came from a secret.
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
	const struct secret *key_secret; /* the secret that a key came from, or null */
};

#define VALUE_INVALID ((struct value){0})

struct value value_null(void);
struct value value_bool(bool b);
struct value value_int(int64_t i); /* Go int */
struct value value_float(double f);
struct value value_string(sv s);
/* Returns a string that is a whole secret. */
struct value value_secret_string(struct arena *arena, sv s, const struct secret *secret);
struct value value_list_new(struct arena *arena); /* []interface {} */
struct value value_map_new(struct arena *arena);  /* map[string]interface {} */

/* Appends to the backing list; the list must be the whole of its backing store. */
void value_list_add(struct arena *arena, struct value *list, struct value item);
/* Sets the value of a key. An existing key keeps its place. */
void value_map_set(struct arena *arena, struct value *map, sv key, struct value value);
/* Sets a member to a string. */
static inline void value_map_set_text(struct arena *arena, struct value *map, const char *key,
                                      sv text)
{
	value_map_set(arena, map, sv_from_cstr(key), value_string(text));
}
/* Sets a member as value_map_set does, with the key's own origin. */
void value_map_set_at(struct arena *arena, struct value *map, sv key, struct origin key_origin,
                      struct value value);

/* A member of a map that is made at once; one with VALUE_INVALID is left out. */
struct value_member {
	const char *key; /* lives as long as the map */
	struct value value;
};
struct value value_map_of(struct arena *arena, const struct value_member *members, size_t count);
/* VALUE_MAP(arena, {"name", value_string(name)}, {"bytes", value_int(3)}) */
#define VALUE_MAP(arena, ...)                                                                      \
	value_map_of((arena), (const struct value_member[]){__VA_ARGS__},                          \
	             COUNT_OF(((const struct value_member[]){__VA_ARGS__})))
/* Returns a list that is made at once, in no more memory than it needs. */
struct value value_list_of(struct arena *arena, const struct value *items, size_t count);
/* Returns a list of strings. */
struct value value_strings(struct arena *arena, const sv *items, size_t count);
/* Sets members of a map as value_map_of does. */
void value_map_set_all(struct arena *arena, struct value *map, const struct value_member *members,
                       size_t count);
/* Return VALUE_INVALID for an empty string; the second one also for a null pointer. */
struct value value_string_if(sv s);
struct value value_cstr_if(const char *text);
static inline struct value value_size(size_t size)
{
	return value_int((int64_t)size);
}
/* Returns null for a negative number. */
struct value value_int_or_null(int64_t i);

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

/* Returns the number of items of a list or entries of a map, and 0 for anything else or null. */
size_t value_count(const struct value *v);
/* Returns the i-th item of a list; i must be below value_count. */
const struct value *value_item(const struct value *list, size_t i);
/* Returns the entry, or null; also if v is not a map, so that paths need no checks. */
const struct value_entry *value_map_find(const struct value *v, sv key);
const struct value *value_map_get(const struct value *v, sv key);
/* Walks maps by a path such as "spec.template.spec". Returns null if a part of it is missing. */
const struct value *value_path(const struct value *v, const char *path);
/* Does the same for a value that is still being built. */
struct value *value_item_mutable(struct value *list, size_t i);
struct value_entry *value_map_find_mutable(struct value *v, sv key);
struct value *value_map_get_mutable(struct value *v, sv key);
/* Returns the string, or an empty one if the value is not a string. */
sv value_text(const struct value *v);

/*
 * Copies a value deeply into an arena. Pointers to sources and secrets are kept. Decoders bound the
 * depth.
 */
struct value value_copy(struct arena *arena, const struct value *v);
/*
 * Compares data deeply. Types, taints, origins and the order of maps do not matter.
 */
bool value_equal(const struct value *a, const struct value *b);

/* ---- taints ------------------------------------------------------------------------------ */

/* Returns a taint of one span over `len` bytes, or null if `len` is 0 or `secret` is null. */
const struct taint *taint_whole(struct arena *arena, size_t len, const struct secret *secret);
/* Returns the same, marked as derived, also if `len` is 0; null if `secret` is null. */
const struct taint *taint_derived(struct arena *arena, size_t len, const struct secret *secret);
/*
 * Returns a secret of the taint, preferring the one that it is derived from, or null if it has
 * none. `taint` may be null.
 */
static inline const struct secret *taint_secret(const struct taint *taint)
{
	if (!taint)
		return NULL;
	return taint->derived || taint->count == 0 ? taint->derived : taint->spans[0].secret;
}
/* Returns the secret that the taint is derived from, or null. */
static inline const struct secret *taint_derived_from(const struct taint *taint)
{
	return taint ? taint->derived : NULL;
}
/*
 * Returns the spans that overlap [from, to), shifted to start at 0, or null if there are none. A
 * part of a derived string is derived, even if it is empty.
 */
const struct taint *taint_slice(struct arena *arena, const struct taint *taint, size_t from,
                                size_t to);

/* ---- positions --------------------------------------------------------------------------- */

/* Returns the place of the node in its source. */
struct position value_position(const struct value *v);
/*
 * Returns the same for a value that the program may have made: for a map or list the place of its
 * first member that has one, else `otherwise`.
 */
struct position value_position_near(const struct value *v, struct position otherwise);
struct position origin_position(struct origin origin);
/*
 * Returns the place of byte `offset` of a string in its source, with length 1. It is exact for
 * literal blocks, quoted and one-line plain scalars; for folded ones it is the right line.
 * Indentation, escapes and line breaks that the decoder removed are taken into account (YAML 1.2
 * sections 7.3, 8.1).
 */
struct position value_text_position(const struct value *v, size_t offset);

/* ---- strings that are joined from parts --------------------------------------------------- */

struct origin_part {
	size_t at;                 /* offset of the part; it ends where the next one begins */
	const struct value *value; /* the string that the part is, or null if the program made it */
};

/*
 * Returns a string that is joined from parts, in order. value_text_position leads to the place of
 * each part, and to `whole` for parts that the program made. The parts, which must not be joined
 * strings themselves, and their values must live as long.
 */
struct value value_joined(struct arena *arena, sv text, const struct origin_part *parts,
                          size_t count, struct origin whole);
/*
 * Returns the part that holds byte *offset and makes *offset relative to it, or null if the program
 * made that part. For a string that is not joined, returns the string itself.
 */
const struct value *value_part_at(const struct value *v, size_t *offset);
/* Returns the *ret_count parts of a joined string, or null for any other. */
const struct origin_part *value_parts(const struct value *v, size_t *ret_count);

#endif
