/*
 * Go's basic types, and what kinds of types have in common.
 */
#include "value/type.h"

#define BASIC(variable, k, text) const struct type variable = {.kind = (k), .name = SV_INIT(text)}

BASIC(type_nil, KIND_INTERFACE, "<nil>");
BASIC(type_any, KIND_INTERFACE, "interface {}");
BASIC(type_bool, KIND_BOOL, "bool");
BASIC(type_int, KIND_INT, "int");
BASIC(type_int8, KIND_INT8, "int8");
BASIC(type_int16, KIND_INT16, "int16");
BASIC(type_int32, KIND_INT32, "int32");
BASIC(type_int64, KIND_INT64, "int64");
BASIC(type_uint, KIND_UINT, "uint");
BASIC(type_uint8, KIND_UINT8, "uint8");
BASIC(type_uint16, KIND_UINT16, "uint16");
BASIC(type_uint32, KIND_UINT32, "uint32");
BASIC(type_uint64, KIND_UINT64, "uint64");
BASIC(type_float32, KIND_FLOAT32, "float32");
BASIC(type_float64, KIND_FLOAT64, "float64");
BASIC(type_complex128, KIND_COMPLEX128, "complex128");
BASIC(type_string, KIND_STRING, "string");
BASIC(type_integer_string, KIND_STRING, "string");
BASIC(type_boolean_string, KIND_STRING, "string");

#define COMPOSITE(variable, k, text, key_type, elem_type)                                          \
	const struct type variable = {                                                             \
	    .kind = (k), .name = SV_INIT(text), .key = (key_type), .elem = (elem_type)}

COMPOSITE(type_bytes, KIND_SLICE, "[]uint8", NULL, &type_uint8);
COMPOSITE(type_any_list, KIND_SLICE, "[]interface {}", NULL, &type_any);
COMPOSITE(type_any_map, KIND_MAP, "map[string]interface {}", &type_string, &type_any);
COMPOSITE(type_string_list, KIND_SLICE, "[]string", NULL, &type_string);
COMPOSITE(type_int_list, KIND_SLICE, "[]int", NULL, &type_int);
COMPOSITE(type_string_map, KIND_MAP, "map[string]string", &type_string, &type_string);
COMPOSITE(type_bool_map, KIND_MAP, "map[string]bool", &type_string, &type_bool);
COMPOSITE(type_any_key_map, KIND_MAP, "map[interface {}]interface {}", &type_any, &type_any);
COMPOSITE(type_string_ptr, KIND_POINTER, "*string", NULL, &type_string);
COMPOSITE(type_int32_ptr, KIND_POINTER, "*int32", NULL, &type_int32);
COMPOSITE(type_string_map_ptr, KIND_POINTER, "*map[string]string", NULL, &type_string_map);

sv type_kind_name(enum type_kind kind)
{
	switch (kind) {
	case KIND_INVALID:
		return SV("invalid");
	case KIND_BOOL:
		return SV("bool");
	case KIND_INT:
		return SV("int");
	case KIND_INT8:
		return SV("int8");
	case KIND_INT16:
		return SV("int16");
	case KIND_INT32:
		return SV("int32");
	case KIND_INT64:
		return SV("int64");
	case KIND_UINT:
		return SV("uint");
	case KIND_UINT8:
		return SV("uint8");
	case KIND_UINT16:
		return SV("uint16");
	case KIND_UINT32:
		return SV("uint32");
	case KIND_UINT64:
		return SV("uint64");
	case KIND_FLOAT32:
		return SV("float32");
	case KIND_FLOAT64:
		return SV("float64");
	case KIND_COMPLEX128:
		return SV("complex128");
	case KIND_STRING:
		return SV("string");
	case KIND_SLICE:
		return SV("slice");
	case KIND_ARRAY:
		return SV("array");
	case KIND_MAP:
		return SV("map");
	case KIND_POINTER:
		return SV("ptr");
	case KIND_STRUCT:
		return SV("struct");
	case KIND_INTERFACE:
		return SV("interface");
	case KIND_FUNC:
		return SV("func");
	}
	BUG("type kind");
}

bool type_is_signed(const struct type *type)
{
	return type && type->kind >= KIND_INT && type->kind <= KIND_INT64;
}

bool type_is_unsigned(const struct type *type)
{
	return type && type->kind >= KIND_UINT && type->kind <= KIND_UINT64;
}

bool type_is_bytes(const struct type *type)
{
	return type->kind == KIND_SLICE && type->elem && type->elem->kind == KIND_UINT8;
}
