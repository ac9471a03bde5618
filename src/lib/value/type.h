/*
 * Types as Go's reflect package names them. A type never changes how a value is stored, only what
 * templates make of it (docs/spec/templates.md 2.2, 3.3).
 */
#ifndef OSM_GEN_VALUE_TYPE_H
#define OSM_GEN_VALUE_TYPE_H

#include "base/base.h"

enum type_kind {
	KIND_INVALID,
	KIND_BOOL,
	KIND_INT,
	KIND_INT8,
	KIND_INT16,
	KIND_INT32,
	KIND_INT64,
	KIND_UINT,
	KIND_UINT8,
	KIND_UINT16,
	KIND_UINT32,
	KIND_UINT64,
	KIND_FLOAT32,
	KIND_FLOAT64,
	KIND_COMPLEX128,
	KIND_STRING,
	KIND_SLICE,
	KIND_ARRAY,
	KIND_MAP,
	KIND_POINTER,
	KIND_STRUCT,
	KIND_INTERFACE,
	KIND_FUNC,
};

struct type;
struct value;
struct type_method;

struct type_field {
	sv name;
	const struct type *type;
	bool embedded; /* its own fields and methods are promoted */
	bool exported;
	const char *json; /* name in JSON, null for the field's own name, "-" to leave it out */
	bool json_omitempty;
	bool json_inline; /* embedded without a name: its fields become the parent's */
	const char *yaml; /* name in yaml.v3 output, null for the field's name in lower case */
};

struct type {
	enum type_kind kind;
	sv name; /* what %T prints: "string", "v1alpha1.CloudProvider", "map[string]interface {}" */
	const struct type *elem; /* slices, arrays, maps, pointers */
	const struct type *key;  /* maps */
	const struct type_field *fields;
	size_t field_count;
	/* Methods, callable on a value (and on a pointer to one): defined by the template engine's
	 * users. */
	const struct type_method *methods;
	size_t method_count;
	/* Returns the printed string (Stringer, error). May be null, then it depends on the kind.
	 */
	sv (*to_string)(struct arena *arena, const struct value *v);
	/* Returns a struct with the fields that other verbs show. May be null, then its own fields.
	 */
	const struct value *(*inside)(struct arena *arena, const struct value *v);
	/* Returns the string for %#v (GoStringer). May be null, then it depends on the kind. */
	sv (*to_go_string)(struct arena *arena, const struct value *v);
	/* Returns the string that JSON has instead of the value (MarshalJSON, MarshalText). May be
	 * null, then it depends on the kind. */
	sv (*to_json)(struct arena *arena, const struct value *v);
	/* Returns the string that YAML and TOML have instead of the value (MarshalText, and
	 * time.Duration). May be null, then it depends on the kind. */
	sv (*to_text)(struct arena *arena, const struct value *v);
};

/* null, that is interface {}(nil) */
extern const struct type type_nil;
extern const struct type type_any; /* interface {}: element type of []any, map[string]any */
extern const struct type type_bool;
extern const struct type type_int;
extern const struct type type_int8;
extern const struct type type_int16;
extern const struct type type_int32;
extern const struct type type_int64;
extern const struct type type_uint;
extern const struct type type_uint8;
extern const struct type type_uint16;
extern const struct type type_uint32;
extern const struct type type_uint64;
extern const struct type type_float32;
extern const struct type type_float64;
extern const struct type type_complex128;
extern const struct type type_string;
/* A 64-bit integer that is a secret: stored as a string, so that it is hidden as strings are. */
extern const struct type type_integer_string;
/* The same of a boolean: "true" or "false". */
extern const struct type type_boolean_string;
extern const struct type type_bytes;          /* []uint8, held as a string */
extern const struct type type_any_list;       /* []interface {} */
extern const struct type type_any_map;        /* map[string]interface {} */
extern const struct type type_string_list;    /* []string */
extern const struct type type_int_list;       /* []int */
extern const struct type type_string_map;     /* map[string]string */
extern const struct type type_bool_map;       /* map[string]bool */
extern const struct type type_any_key_map;    /* map[interface {}]interface {} */
extern const struct type type_string_ptr;     /* *string */
extern const struct type type_int32_ptr;      /* *int32 */
extern const struct type type_string_map_ptr; /* *map[string]string */

/* Returns reflect.Kind's name: "slice", "map", "ptr", "int32". */
sv type_kind_name(enum type_kind kind);
bool type_is_signed(const struct type *type);
bool type_is_unsigned(const struct type *type);
/* []byte and named types of it, whose values have their bytes in string. */
bool type_is_bytes(const struct type *type);

#endif
