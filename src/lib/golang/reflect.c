/*
 * Values as Go's reflect package sees them: kinds, the interface layer, pointers, map order.
 */
#include "golang/golang.h"

#include <math.h>

const struct secret *go_ref_nil_secret(struct ref ref)
{
	if (ref.v && (!ref.v->type || ref.v->type == &type_nil) && taint_secret(ref.v->taint))
		return taint_secret(ref.v->taint);
	return ref.secret;
}

struct ref go_ref_unboxed(struct ref ref)
{
	if (!ref.v || !ref.v->type || ref.v->type == &type_nil)
		return (struct ref){.secret = go_ref_nil_secret(ref)};
	return (struct ref){.v = ref.v};
}

bool go_ref_valid(struct ref ref)
{
	if (ref.boxed)
		return true;
	return ref.v && ref.v->type && ref.v->type != &type_nil;
}

enum type_kind go_ref_kind(struct ref ref)
{
	if (ref.boxed)
		return KIND_INTERFACE;
	return go_ref_valid(ref) ? ref.v->type->kind : KIND_INVALID;
}

const struct type *go_ref_type(struct ref ref)
{
	return ref.boxed ? &type_any : ref.v->type;
}

static bool value_is_nil(const struct value *v)
{
	if (!v || !v->type || v->type == &type_nil)
		return true;
	switch (v->type->kind) {
	case KIND_POINTER:
		return !v->target;
	case KIND_MAP:
		return !v->map;
	case KIND_SLICE:
		return type_is_bytes(v->type) ? !v->string.ptr : !v->list;
	case KIND_FUNC:
		return !v->opaque;
	default: /* other kinds have no nil */
		return false;
	}
}

bool go_ref_is_nil(struct ref ref)
{
	if (ref.boxed)
		return !go_ref_valid(go_ref_unboxed(ref));
	return value_is_nil(ref.v);
}

struct ref go_ref_target(const struct value *pointer)
{
	return (struct ref){.v = pointer->target, .boxed = pointer->type->elem == &type_any};
}

struct ref go_ref_indirect(struct ref ref, bool *ret_nil)
{
	*ret_nil = false;
	for (;;) {
		enum type_kind kind = go_ref_kind(ref);
		if (kind != KIND_POINTER && kind != KIND_INTERFACE)
			return ref;
		if (go_ref_is_nil(ref)) {
			*ret_nil = true;
			return ref;
		}
		ref = kind == KIND_INTERFACE ? go_ref_unboxed(ref) : go_ref_target(ref.v);
	}
}

struct ref go_ref_printable(struct ref ref)
{
	bool is_nil;

	while (go_ref_kind(ref) == KIND_POINTER && ref.v->target && !ref.v->type->to_string)
		ref = go_ref_unboxed(go_ref_target(ref.v));
	if (go_ref_kind(ref) == KIND_POINTER && !ref.v->type->to_string)
		ref = go_ref_indirect(ref, &is_nil);
	return ref;
}

struct ref go_ref_zero(struct arena *arena, const struct type *type)
{
	struct value *v = ARENA_NEW(arena, struct value);

	if (type->kind == KIND_INTERFACE) {
		*v = value_null();
		return (struct ref){.v = v, .boxed = true};
	}
	v->type = type;
	if (type->kind == KIND_STRUCT && type->fields) {
		v->fields = ARENA_ARRAY(arena, struct value, type->field_count);
		for (size_t i = 0; i < type->field_count; i++)
			v->fields[i] = *go_ref_zero(arena, type->fields[i].type).v;
	}
	return go_ref_of(v);
}

bool go_kind_is_int(enum type_kind kind)
{
	return kind >= KIND_INT && kind <= KIND_INT64;
}

bool go_kind_is_uint(enum type_kind kind)
{
	return kind >= KIND_UINT && kind <= KIND_UINT64;
}

bool go_type_is_float(const struct type *type)
{
	return type->kind == KIND_FLOAT32 || type->kind == KIND_FLOAT64;
}

bool go_ref_truth(struct ref ref)
{
	size_t len;

	ref = go_ref_unboxed(ref);
	if (!go_ref_valid(ref))
		return false;
	const struct value *v = ref.v;
	enum type_kind kind = v->type->kind;
	if (go_value_len(v, &len))
		return len > 0;
	if (kind == KIND_BOOL)
		return v->boolean;
	if (go_kind_is_int(kind))
		return v->integer != 0;
	if (go_kind_is_uint(kind))
		return v->unsigned_integer != 0;
	if (go_type_is_float(v->type))
		return v->real != 0;
	if (kind == KIND_COMPLEX128)
		return v->complex.re != 0 || v->complex.im != 0;
	if (kind == KIND_STRUCT)
		return true;
	return !value_is_nil(v);
}

bool go_type_same(const struct type *a, const struct type *b)
{
	return a == b || (a->kind == b->kind && sv_eq(a->name, b->name));
}

bool go_type_can_be_nil(const struct type *type)
{
	return type->kind == KIND_INTERFACE || type->kind == KIND_MAP || type->kind == KIND_SLICE ||
	       type->kind == KIND_POINTER || type->kind == KIND_FUNC;
}

/* ---- elements ---------------------------------------------------------------------------- */

bool go_value_len(const struct value *v, size_t *ret_len)
{
	switch (v->type->kind) {
	case KIND_STRING:
		*ret_len = v->string.len;
		return true;
	case KIND_SLICE:
	case KIND_ARRAY:
		*ret_len = type_is_bytes(v->type) ? v->string.len : value_count(v);
		return true;
	case KIND_MAP:
		*ret_len = value_count(v);
		return true;
	default: /* no other kind has one */
		return false;
	}
}

/* A number of its own, as secret as that place of the text. */
static struct ref byte_value(struct arena *arena, const struct value *text, size_t i)
{
	struct value *v = ARENA_NEW(arena, struct value);

	v->type = &type_uint8;
	v->unsigned_integer = (unsigned char)text->string.ptr[i];
	v->taint = taint_slice(arena, text->taint, i, i + 1);
	/* A single byte of a secret is not a whole secret. */
	if (v->taint)
		v->taint = taint_derived(arena, 1, taint_secret(v->taint));
	return go_ref_of(v);
}

struct ref go_value_element(struct arena *arena, const struct value *list, size_t i)
{
	if (list->type->kind == KIND_STRING || type_is_bytes(list->type))
		return byte_value(arena, list, i);
	return (struct ref){.v = value_item(list, i), .boxed = list->type->elem == &type_any};
}

struct ref go_value_entry_ref(const struct value *map, const struct value_entry *entry)
{
	return (struct ref){.v = &entry->value, .boxed = map->type->elem == &type_any};
}

struct ref go_value_entry_key(struct arena *arena, const struct value *map,
                              const struct value_entry *entry)
{
	const struct secret *secret = map->map->key_secret;

	if (entry->typed_key && !secret)
		return (struct ref){.v = entry->typed_key, .boxed = map->type->key == &type_any};
	struct value *key = ARENA_NEW(arena, struct value);
	if (entry->typed_key) {
		*key = *entry->typed_key;
		key->taint =
		    taint_derived(arena, value_is_string(key) ? key->string.len : 1, secret);
		return (struct ref){.v = key, .boxed = map->type->key == &type_any};
	}
	*key = value_string(entry->key);
	key->taint = taint_derived(arena, entry->key.len, secret);
	bool boxed = map->type->key == &type_any;
	if (map->type->key && !boxed)
		key->type = map->type->key;
	return (struct ref){.v = key, .boxed = boxed};
}

/* ---- map order --------------------------------------------------------------------------- */

static int compare_numbers(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) ? (isnan(b) ? 0 : -1) : 1;
	return (a > b) - (a < b);
}

static int compare_keys(const struct value *a, const struct value *b)
{
	if (value_is_nil(a) || value_is_nil(b))
		return value_is_nil(a) ? (value_is_nil(b) ? 0 : -1) : 1;
	if (a->type != b->type) /* Go orders by the address of the type: ours is by kind */
		return (a->type->kind > b->type->kind) - (a->type->kind < b->type->kind);
	enum type_kind kind = a->type->kind;
	if (go_kind_is_int(kind))
		return (a->integer > b->integer) - (a->integer < b->integer);
	if (go_kind_is_uint(kind))
		return (a->unsigned_integer > b->unsigned_integer) -
		       (a->unsigned_integer < b->unsigned_integer);
	if (go_type_is_float(a->type))
		return compare_numbers(a->real, b->real);
	if (kind == KIND_BOOL)
		return a->boolean - b->boolean;
	if (kind == KIND_STRING)
		return sv_cmp(a->string, b->string);
	return 0;
}

static int compare_entries(const void *left, const void *right, void *context)
{
	const struct value_entry *a = *(struct value_entry *const *)left;
	const struct value_entry *b = *(struct value_entry *const *)right;

	(void)context;
	if (a->typed_key && b->typed_key)
		return compare_keys(a->typed_key, b->typed_key);
	return sv_cmp(a->key, b->key);
}

uint64_t go_value_sorting_bytes(const struct value *map)
{
	enum { BYTES_PER_COMPARISON = 6, KEY_BYTES_PER_BYTE = 4 };
	uint64_t bytes = 0;
	uint64_t rounds = 1;

	for (size_t count = value_count(map); count > 1; count /= 2)
		rounds++;
	for (size_t i = 0; i < value_count(map); i++)
		bytes += BYTES_PER_COMPARISON + map->map->entries[i].key.len / KEY_BYTES_PER_BYTE;
	return bytes * rounds;
}

struct value_entry **go_value_sorted_entries(struct arena *arena, const struct value *map,
                                             size_t *ret_count)
{
	size_t count = value_count(map);
	struct value_entry **entries = ARENA_ARRAY(arena, struct value_entry *, count);
	bool sorted = true;

	for (size_t i = 0; i < count; i++) {
		entries[i] = &map->map->entries[i];
		if (i > 0 && compare_entries(&entries[i - 1], &entries[i], NULL) > 0)
			sorted = false;
	}
	if (!sorted)
		sort_stable(entries, count, sizeof(struct value_entry *), compare_entries, NULL);
	*ret_count = count;
	return entries;
}

/* ---- structs ----------------------------------------------------------------------------- */

static const struct value *own_field(const struct value *v, sv name,
                                     const struct type_field **ret_field)
{
	for (size_t i = 0; i < v->type->field_count; i++) {
		if (sv_eq(v->type->fields[i].name, name)) {
			*ret_field = &v->type->fields[i];
			return &v->fields[i];
		}
	}
	return NULL;
}

const struct value *go_value_field(const struct value *v, sv name,
                                   const struct type_field **ret_field)
{
	const struct value *found = own_field(v, name, ret_field);

	for (size_t i = 0; !found && i < v->type->field_count; i++) {
		const struct value *inner = &v->fields[i];
		if (!v->type->fields[i].embedded)
			continue;
		if (value_is(inner, KIND_POINTER))
			inner = inner->target;
		if (value_is(inner, KIND_STRUCT))
			found = go_value_field(inner, name, ret_field);
	}
	return found;
}

bool go_type_has_field(const struct type *type, sv name)
{
	for (size_t i = 0; i < type->field_count; i++)
		if (sv_eq(type->fields[i].name, name))
			return true;
	for (size_t i = 0; i < type->field_count; i++) {
		const struct type *inner = type->fields[i].type;
		if (!type->fields[i].embedded)
			continue;
		if (inner->kind == KIND_POINTER)
			inner = inner->elem;
		if (inner->kind == KIND_STRUCT && go_type_has_field(inner, name))
			return true;
	}
	return false;
}
