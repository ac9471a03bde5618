/*
 * JSON case data to values: numbers are float64, wrappers give other types.
 */
#include "cases.h"

#include "codec/codec.h"
#include "golang/golang.h"
#include "tmpl/funcs/date.h"

#include <math.h>

static struct value convert(struct arena *arena, const json_t *json, bool *ok);

static sv text_of(struct arena *arena, const json_t *json)
{
	return arena_dup(arena, sv_from(json_string_value(json), json_string_length(json)));
}

static struct value typed_list(struct arena *arena, const json_t *json, const struct type *type,
                               bool *ok)
{
	struct value list = value_list_new(arena);
	size_t i;
	json_t *item;

	json_array_foreach(json, i, item)
	{
		struct value v = convert(arena, item, ok);
		if (type->elem == &type_int)
			v = value_int((int64_t)json_number_value(item));
		value_list_add(arena, &list, v);
	}
	if (type == &type_any_list && !list.list)
		list.list = ARENA_NEW(arena, struct value_list);
	list.type = type;
	return list;
}

static struct value typed_map(struct arena *arena, const json_t *json, const struct type *type,
                              bool *ok)
{
	struct value map = value_map_new(arena);
	const char *key;
	json_t *item;

	if (!map.map)
		map.map = ARENA_NEW(arena, struct value_map);
	map.type = type;
	json_object_foreach((json_t *)json, key, item)
	{
		struct value v = convert(arena, item, ok);
		if (type->elem == &type_int)
			v = value_int((int64_t)json_number_value(item));
		sv name = arena_dup(arena, sv_from_cstr(key));
		value_map_set(arena, &map, name, v);
		if (type->key == &type_string)
			continue;
		struct value typed = VALUE_INVALID;
		double number = strtod(key, NULL);
		if (type->key == &type_int)
			typed = value_int((int64_t)number);
		else if (type->key == &type_bool)
			typed = value_bool(sv_eq_cstr(name, "true"));
		else
			typed = value_float(number);
		value_map_find_mutable(&map, name)->typed_key = case_new(arena, typed);
	}
	return map;
}

static const struct type type_string_int_map = {
    .kind = KIND_MAP, .name = SV_INIT("map[string]int"), .key = &type_string, .elem = &type_int};
static const struct type type_int_string_map = {
    .kind = KIND_MAP, .name = SV_INIT("map[int]string"), .key = &type_int, .elem = &type_string};
static const struct type type_bool_string_map = {
    .kind = KIND_MAP, .name = SV_INIT("map[bool]string"), .key = &type_bool, .elem = &type_string};
static const struct type type_float_string_map = {.kind = KIND_MAP,
                                                  .name = SV_INIT("map[float64]string"),
                                                  .key = &type_float64,
                                                  .elem = &type_string};

static struct value number(const json_t *json, const struct type *type)
{
	struct value v = {.type = type};

	if (type_is_unsigned(type))
		v.unsigned_integer = json_is_integer(json) ? (uint64_t)json_integer_value(json)
		                     : json_number_value(json) >= 0x1p64
		                         ? UINT64_MAX
		                         : (uint64_t)json_number_value(json);
	else if (type_is_signed(type))
		v.integer = json_is_integer(json) ? json_integer_value(json)
		                                  : (int64_t)json_number_value(json);
	else
		v.real = type == &type_float32 ? (double)(float)json_number_value(json)
		                               : json_number_value(json);
	return v;
}

static struct value special_float(const char *name)
{
	if (strcmp(name, "inf") == 0)
		return value_float(INFINITY);
	if (strcmp(name, "-inf") == 0)
		return value_float(-INFINITY);
	if (strcmp(name, "nan") == 0)
		return value_float(NAN);
	return value_float(-0.0);
}

static struct value bytes_of(struct arena *arena, const json_t *json, const struct type *type)
{
	struct value v = {.type = type};
	size_t at;
	sv bytes;

	if (base64_decode(arena, BASE64_STD, text_of(arena, json), &bytes, &at))
		v.string = bytes.ptr ? bytes : SV("");
	return v;
}

static struct value one_string_struct(struct arena *arena, const json_t *json,
                                      const struct type *type)
{
	struct value v = {.type = type};

	v.fields = case_new(arena, value_string(text_of(arena, json)));
	return v;
}

static struct value string_pointer(struct arena *arena, const json_t *json)
{
	struct value v = {.type = &type_string_ptr};

	if (json_is_null(json))
		return v;
	return case_pointer(arena, &type_string_ptr, value_string(text_of(arena, json)));
}

static struct value ip_list(struct arena *arena, const json_t *json)
{
	struct value list = value_list_new(arena);
	size_t i;
	json_t *item;

	json_array_foreach(json, i, item)
	    value_list_add(arena, &list, case_ip(arena, json_string_value(item)));
	list.type = &type_ip_list;
	return list;
}

static const struct {
	const char *word;
	const struct type *type;
} numbers[] = {
    {"$int", &type_int},       {"$int8", &type_int8},   {"$int32", &type_int32},
    {"$int64", &type_int64},   {"$uint", &type_uint},   {"$uint8", &type_uint8},
    {"$uint64", &type_uint64}, {"$f32", &type_float32}, {"$f64", &type_float64},
    {"$dur", &type_duration},
};
static const struct {
	const char *word;
	const struct type *type;
} maps[] = {
    {"$mss", &type_string_map},      {"$msi", &type_string_int_map},
    {"$msb", &type_bool_map},        {"$mis", &type_int_string_map},
    {"$mbs", &type_bool_string_map}, {"$mfs", &type_float_string_map},
};

static struct value wrapper(struct arena *arena, const char *word, const json_t *json, bool *ok)
{
	for (size_t i = 0; i < COUNT_OF(numbers); i++)
		if (strcmp(word, numbers[i].word) == 0)
			return number(json, numbers[i].type);
	for (size_t i = 0; i < COUNT_OF(maps); i++)
		if (strcmp(word, maps[i].word) == 0)
			return typed_map(arena, json, maps[i].type, ok);
	if (strcmp(word, "$spf") == 0)
		return special_float(json_string_value(json));
	if (strcmp(word, "$bytes") == 0)
		return bytes_of(arena, json, &type_bytes);
	if (strcmp(word, "$b64str") == 0)
		return bytes_of(arena, json, &type_string);
	if (strcmp(word, "$strs") == 0)
		return typed_list(arena, json, &type_string_list, ok);
	if (strcmp(word, "$ints") == 0)
		return typed_list(arena, json, &type_int_list, ok);
	if (strcmp(word, "$pstr") == 0)
		return string_pointer(arena, json);
	if (strcmp(word, "$pint") == 0)
		return case_pointer(arena, &type_int_ptr, number(json, &type_int));
	if (strcmp(word, "$nilmap") == 0)
		return (struct value){.type = &type_any_map};
	if (strcmp(word, "$nilslice") == 0)
		return (struct value){.type = &type_any_list};
	if (strcmp(word, "$ip") == 0)
		return case_ip(arena, json_string_value(json));
	if (strcmp(word, "$ips") == 0)
		return ip_list(arena, json);
	if (strcmp(word, "$err") == 0)
		return case_pointer(arena, &type_error_pointer,
		                    one_string_struct(arena, json, type_error_pointer.elem));
	if (strcmp(word, "$stringer") == 0)
		return one_string_struct(arena, json, &type_stringer);
	if (strcmp(word, "$T") == 0 || strcmp(word, "$pT") == 0)
		return case_test_struct(arena, word[1] == 'p');
	if (strcmp(word, "$time") == 0)
		return time_value(arena,
		                  (struct go_time){.seconds = number(json, &type_int64).integer,
		                                   .zone_name = SV("UTC")});
	if (strcmp(word, "$named") == 0) {
		struct value v = value_string(text_of(arena, json));
		v.type = &type_named_string;
		return v;
	}
	*ok = false;
	return value_null();
}

static struct value convert(struct arena *arena, const json_t *json, bool *ok)
{
	const char *key;
	json_t *item;

	switch (json_typeof(json)) {
	case JSON_NULL:
		return value_null();
	case JSON_TRUE:
	case JSON_FALSE:
		return value_bool(json_is_true(json));
	case JSON_INTEGER:
	case JSON_REAL:
		return value_float(json_number_value(json));
	case JSON_STRING:
		return value_string(text_of(arena, json));
	case JSON_ARRAY:
		return typed_list(arena, json, &type_any_list, ok);
	case JSON_OBJECT:
		break;
	}
	if (json_object_size(json) == 1)
		json_object_foreach((json_t *)json, key,
		                    item) if (key[0] == '$') return wrapper(arena, key, item, ok);
	return typed_map(arena, json, &type_any_map, ok);
}

const struct value *case_data(struct arena *arena, const json_t *json)
{
	bool ok = true;
	struct value v = convert(arena, json, &ok);

	return ok ? case_new(arena, v) : NULL;
}
