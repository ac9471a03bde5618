/*
 * Values as Go's reflect package sees them: kinds, the interface layer, pointers, map order.
 */
#ifndef OSM_GEN_TMPL_REFLECT_H
#define OSM_GEN_TMPL_REFLECT_H

#include "tmpl/tmpl.h"

#define REF_INVALID ((struct tmpl_ref){0})

/* A value that stands in no interface. */
static inline struct tmpl_ref ref_of(const struct value *v)
{
	return (struct tmpl_ref){v, false};
}

/* What an interface {} holds: null for nil. Never boxed. */
struct tmpl_ref ref_unboxed(struct tmpl_ref ref);
bool ref_valid(struct tmpl_ref ref);
/* KIND_INVALID, KIND_INTERFACE when boxed, else the value's own. */
enum type_kind ref_kind(struct tmpl_ref ref);
/* The static type; type_any when boxed. Not for invalid ones. */
const struct type *ref_type(struct tmpl_ref ref);
/* Nil pointer, map, slice or interface. Invalid values too. */
bool ref_is_nil(struct tmpl_ref ref);
/* Follows pointers and interfaces; *ret_nil when that ends at nil. */
struct tmpl_ref ref_indirect(struct tmpl_ref ref, bool *ret_nil);
/* What prints: pointers are followed, but for a last one that has a text of its own. */
struct tmpl_ref ref_printable(struct tmpl_ref ref);
/* The element a pointer points at. */
struct tmpl_ref ref_target(const struct value *pointer);
/* reflect.Zero(type), in the arena: an interface type gives a boxed nil. */
struct tmpl_ref ref_zero(struct arena *arena, const struct type *type);

bool ref_truth(struct tmpl_ref ref);

bool type_same(const struct type *a, const struct type *b);
bool type_can_be_nil(const struct type *type);
bool type_is_float(const struct type *type);
/* The shared zero-length things of a type with this text as its name. */
bool kind_is_int(enum type_kind kind);
bool kind_is_uint(enum type_kind kind);

/* Strings, bytes, lists, maps; false for kinds without a length. */
bool value_len(const struct value *v, size_t *ret_len);
/* The i-th element of a list or []byte. */
struct tmpl_ref value_element(struct arena *arena, const struct value *list, size_t i);
/* The value of an entry of a map. */
struct tmpl_ref value_entry_ref(const struct value *map, const struct value_entry *entry);
/* The key of an entry as a value. */
struct tmpl_ref value_entry_key(struct arena *arena, const struct value *map,
                                const struct value_entry *entry);
/* Entries in the order that Go prints and ranges. */
struct value_entry **value_sorted_entries(struct arena *arena, const struct value *map,
                                          size_t *ret_count);
/* The field, promoted ones included. *ret_exported: false when a step on the way is not. */
const struct value *value_field(const struct value *v, sv name,
                                const struct type_field **ret_field);
bool type_has_field(const struct type *type, sv name);
const struct type_method *type_find_method(const struct type *type, sv name);

#endif
