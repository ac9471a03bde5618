/*
 * Values: made, filled, found, copied, compared.
 */
#include "value/value.h"

/* Below this many entries a walk is faster than a hash. */
enum { INDEX_FROM = 12 };

struct value value_null(void)
{
	return (struct value){.type = &type_nil};
}

struct value value_bool(bool b)
{
	return (struct value){.type = &type_bool, .boolean = b};
}

struct value value_int(int64_t i)
{
	return (struct value){.type = &type_int, .integer = i};
}

struct value value_float(double f)
{
	return (struct value){.type = &type_float64, .real = f};
}

struct value value_string(sv s)
{
	return (struct value){.type = &type_string, .string = s};
}

struct value value_list_new(struct arena *arena)
{
	return (struct value){.type = &type_any_list, .list = ARENA_NEW(arena, struct value_list)};
}

struct value value_map_new(struct arena *arena)
{
	struct value v = {.type = &type_any_map, .map = ARENA_NEW(arena, struct value_map)};

	v.map->index = map_in(arena);
	return v;
}

void value_list_add(struct arena *arena, struct value *list, struct value item)
{
	struct value_list *store = list->list;

	BUG_ON(list->list_from != 0 || list->list_len != store->count);
	VEC_PUSH(arena, store, item);
	list->list_len = store->count;
}

struct value value_list_of(struct arena *arena, const struct value *items, size_t count)
{
	struct value list = value_list_new(arena);

	list.list->items = ARENA_ARRAY(arena, struct value, count);
	memcpy(list.list->items, items, count * sizeof(*items));
	list.list->count = list.list->cap = list.list_len = count;
	return list;
}

static struct value_entry *map_find(const struct value_map *map, sv key)
{
	if (map->index.count > 0) {
		uintptr_t number = (uintptr_t)map_get(&map->index, key);

		return number ? &map->entries[number - 1] : NULL;
	}
	for (size_t i = 0; i < map->count; i++)
		if (sv_eq(map->entries[i].key, key))
			return &map->entries[i];
	return NULL;
}

static void index_entry(struct value_map *map, size_t i)
{
	map_put(&map->index, map->entries[i].key, (void *)(uintptr_t)(i + 1)); /* NOLINT */
}

void value_map_set_at(struct arena *arena, struct value *v, sv key, struct origin key_origin,
                      struct value value)
{
	struct value_map *map = v->map;
	struct value_entry *known = map_find(map, key);

	if (known) {
		known->value = value;
		return;
	}
	if (map->count == map->cap)
		vec_grow(arena, (void **)&map->entries, &map->cap, sizeof(*map->entries));
	map->entries[map->count++] =
	    (struct value_entry){.key = key, .key_origin = key_origin, .value = value};
	if (map->index.count > 0)
		index_entry(map, map->count - 1);
	else if (map->count >= INDEX_FROM)
		for (size_t i = 0; i < map->count; i++)
			index_entry(map, i);
}

struct value value_map_of(struct arena *arena, const struct value_member *members, size_t count)
{
	struct value map = value_map_new(arena);
	size_t used = 0;

	for (size_t i = 0; i < count; i++)
		used += members[i].value.type != NULL;
	map.map->entries = ARENA_ARRAY(arena, struct value_entry, used);
	map.map->cap = used;
	value_map_set_all(arena, &map, members, count);
	return map;
}

void value_map_set_all(struct arena *arena, struct value *map, const struct value_member *members,
                       size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (members[i].value.type)
			value_map_set(arena, map, sv_from_cstr(members[i].key), members[i].value);
}

struct value value_strings(struct arena *arena, const sv *items, size_t count)
{
	struct value list = value_list_new(arena);

	for (size_t i = 0; i < count; i++)
		value_list_add(arena, &list, value_string(items[i]));
	return list;
}

struct value value_cstr_if(const char *text)
{
	return text ? value_string_if(sv_from_cstr(text)) : VALUE_INVALID;
}

struct value value_string_if(sv s)
{
	return sv_empty(s) ? VALUE_INVALID : value_string(s);
}

struct value value_int_or_null(int64_t i)
{
	return i < 0 ? value_null() : value_int(i);
}

void value_map_set(struct arena *arena, struct value *map, sv key, struct value value)
{
	value_map_set_at(arena, map, key, (struct origin){0}, value);
}

size_t value_count(const struct value *v)
{
	if (value_is_list(v) && !type_is_bytes(v->type))
		return v->list ? v->list_len : 0;
	if (value_is_map(v))
		return v->map ? v->map->count : 0;
	return 0;
}

struct value *value_item_mutable(struct value *list, size_t i)
{
	BUG_ON(!value_is_list(list) || i >= list->list_len);
	return &list->list->items[list->list_from + i];
}

const struct value *value_item(const struct value *list, size_t i)
{
	BUG_ON(!value_is_list(list) || i >= list->list_len);
	return &list->list->items[list->list_from + i];
}

struct value_entry *value_map_find_mutable(struct value *v, sv key)
{
	return value_is_map(v) && v->map ? map_find(v->map, key) : NULL;
}

const struct value_entry *value_map_find(const struct value *v, sv key)
{
	return value_is_map(v) && v->map ? map_find(v->map, key) : NULL;
}

struct value *value_map_get_mutable(struct value *v, sv key)
{
	struct value_entry *entry = value_map_find_mutable(v, key);

	return entry ? &entry->value : NULL;
}

const struct value *value_map_get(const struct value *v, sv key)
{
	const struct value_entry *entry = value_map_find(v, key);

	return entry ? &entry->value : NULL;
}

const struct value *value_path(const struct value *v, const char *path)
{
	struct sv_splitter it = sv_split(sv_from_cstr(path), '.');
	const struct value *at = NULL;
	sv part;

	while (sv_split_next(&it, &part)) {
		at = value_map_get(at ? at : v, part);
		if (!at)
			return NULL;
	}
	return at;
}

sv value_text(const struct value *v)
{
	return value_is_string(v) ? v->string : (sv){0};
}

static const struct taint *taint_copy(struct arena *arena, const struct taint *taint)
{
	if (!taint)
		return NULL;
	struct taint *copy = ARENA_NEW(arena, struct taint);
	struct taint_span *spans = ARENA_ARRAY(arena, struct taint_span, taint->count);

	if (taint->count > 0)
		memcpy(spans, taint->spans, taint->count * sizeof(*spans));
	*copy = (struct taint){spans, taint->count, taint->derived};
	return copy;
}

struct value value_copy(struct arena *arena, const struct value *v)
{
	struct value copy = *v;

	if (value_is_string(v) || type_is_bytes(v->type)) {
		copy.string = arena_dup(arena, v->string);
		copy.taint = taint_copy(arena, v->taint);
	} else if (value_is_list(v) && v->list) {
		copy.list = ARENA_NEW(arena, struct value_list);
		copy.list_from = 0;
		copy.list_len = 0;
		for (size_t i = 0; i < v->list_len; i++)
			value_list_add(arena, &copy, value_copy(arena, value_item(v, i)));
	} else if (value_is_map(v) && v->map) {
		copy.map = ARENA_NEW(arena, struct value_map);
		copy.map->index = map_in(arena);
		copy.map->key_secret = v->map->key_secret;
		for (size_t i = 0; i < v->map->count; i++) {
			const struct value_entry *entry = &v->map->entries[i];

			value_map_set_at(arena, &copy, arena_dup(arena, entry->key),
			                 entry->key_origin, value_copy(arena, &entry->value));
		}
	} else if (value_is(v, KIND_STRUCT) && v->fields) {
		copy.fields = ARENA_ARRAY(arena, struct value, v->type->field_count);
		for (size_t i = 0; i < v->type->field_count; i++)
			copy.fields[i] = value_copy(arena, &v->fields[i]);
	} else if (value_is(v, KIND_POINTER) && v->target) {
		copy.target = ARENA_NEW(arena, struct value);
		*copy.target = value_copy(arena, v->target);
	}
	return copy;
}

/* Numbers compare as numbers, whatever their width. */
static bool numbers_equal(const struct value *a, const struct value *b, bool *ret_numbers)
{
	bool a_signed = type_is_signed(a->type);
	bool b_signed = type_is_signed(b->type);
	bool a_integer = a_signed || type_is_unsigned(a->type);
	bool b_integer = b_signed || type_is_unsigned(b->type);
	bool a_real = value_is(a, KIND_FLOAT64) || value_is(a, KIND_FLOAT32);
	bool b_real = value_is(b, KIND_FLOAT64) || value_is(b, KIND_FLOAT32);

	*ret_numbers = (a_integer || a_real) && (b_integer || b_real);
	if (!*ret_numbers || a_real != b_real)
		return false;
	if (a_real)
		return a->real == b->real;
	bool a_negative = a_signed && a->integer < 0;
	bool b_negative = b_signed && b->integer < 0;
	return a_negative == b_negative && a->unsigned_integer == b->unsigned_integer;
}

static bool lists_equal(const struct value *a, const struct value *b)
{
	if (value_count(a) != value_count(b))
		return false;
	for (size_t i = 0; i < value_count(a); i++)
		if (!value_equal(value_item(a, i), value_item(b, i)))
			return false;
	return true;
}

static bool maps_equal(const struct value *a, const struct value *b)
{
	if (value_count(a) != value_count(b))
		return false;
	for (size_t i = 0; i < value_count(a); i++) {
		const struct value_entry *entry = &a->map->entries[i];
		const struct value *other = value_map_get(b, entry->key);

		if (!other || !value_equal(&entry->value, other))
			return false;
	}
	return true;
}

bool value_equal(const struct value *a, const struct value *b)
{
	bool numbers;

	if (value_is_null(a) || value_is_null(b))
		return value_is_null(a) && value_is_null(b);
	bool equal = numbers_equal(a, b, &numbers);
	if (numbers)
		return equal;
	if (a->type->kind != b->type->kind)
		return false;
	if (value_is_string(a) || type_is_bytes(a->type))
		return sv_eq(a->string, b->string);
	if (value_is(a, KIND_BOOL))
		return a->boolean == b->boolean;
	if (value_is_list(a))
		return lists_equal(a, b);
	if (value_is_map(a))
		return maps_equal(a, b);
	if (value_is(a, KIND_POINTER))
		return a->target == b->target ||
		       (a->target && b->target && value_equal(a->target, b->target));
	if (value_is(a, KIND_STRUCT)) {
		if (a->type != b->type)
			return false;
		for (size_t i = 0; i < a->type->field_count; i++)
			if (!value_equal(&a->fields[i], &b->fields[i]))
				return false;
		return true;
	}
	return a->opaque == b->opaque;
}
