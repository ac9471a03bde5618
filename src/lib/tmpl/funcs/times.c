/*
 * Times inside documents: YAML and TOML values hold them as strings of a type of their own.
 */
#include "golang/golang.h"
#include "tmpl/funcs/date.h"

#include "toml/toml.h"
#include "yaml/yaml.h"

/* TOML's local dates are Go times in zones whose names mark the missing part. */
static const struct {
	sv layout;
	sv zone; /* if it is empty, the zone in the string */
} forms[] = {
    {SV_INIT("2006-01-02T15:04:05.999999999Z07:00"), SV_INIT("")},
    {SV_INIT("2006-01-02T15:04:05.999999999"), SV_INIT("datetime-local")},
    {SV_INIT("2006-01-02"), SV_INIT("date-local")},
    {SV_INIT("15:04:05.999999999"), SV_INIT("time-local")},
    {SV_INIT("2006-01-02 15:04:05.999999999 -0700 MST"), SV_INIT("")},
    {SV_INIT("2006-01-02 15:04:05.999999999 -0700 -0700"), SV_INIT("")},
};

static void time_from_text(struct arena *arena, struct value *v)
{
	struct go_time time;
	sv error;

	for (size_t i = 0; i < COUNT_OF(forms); i++) {
		if (!go_time_parse(arena, forms[i].layout, v->string, false, &time, &error))
			continue;
		if (forms[i].zone.len > 0)
			time.zone_name = forms[i].zone;
		*v = time_value(arena, time);
		return;
	}
}

/* A string is parsed in all forms; a time is formatted in one of them. */
#define STEPS_PER_TEXT 100
#define STEPS_PER_TIME 8

enum status times_from_texts(struct tmpl_call *call, struct value *v, const struct type *from)
{
	struct arena *arena = call->arena;

	if (v->type == from) {
		time_from_text(arena, v);
		return exec_charge(call->run, STEPS_PER_TEXT);
	}
	for (size_t i = 0; i < value_count(v); i++) {
		struct value_entry *entry = value_is_map(v) ? &v->map->entries[i] : NULL;
		if (entry && entry->typed_key && entry->typed_key->type == from) {
			struct value *key = ARENA_NEW(arena, struct value);
			*key = *entry->typed_key;
			time_from_text(arena, key);
			entry->typed_key = key;
			TRY(exec_charge(call->run, STEPS_PER_TEXT));
		}
		TRY(times_from_texts(call, entry ? &entry->value : value_item_mutable(v, i), from));
	}
	return STATUS_OK;
}

static sv text_of_time(struct arena *arena, const struct go_time *time, const struct type *to)
{
	for (size_t i = 0; to == &toml_type_time && i < COUNT_OF(forms); i++)
		if (forms[i].zone.len > 0 && sv_eq(forms[i].zone, time->zone_name))
			return go_time_format(arena, time, forms[i].layout);
	if (to == &toml_type_time)
		return go_time_format(arena, time, forms[0].layout);
	return go_time_format(arena, time, SV("2006-01-02 15:04:05.999999999 -0700 MST"));
}

static const struct value *key_to_text(struct arena *arena, const struct value *key,
                                       const struct type *to)
{
	if (!key || key->type != &type_time)
		return key;
	struct value *text = ARENA_NEW(arena, struct value);
	*text = value_string(text_of_time(arena, key->opaque, to));
	text->type = to;
	return text;
}

static bool has_time_key(const struct value *map)
{
	for (size_t i = 0; i < value_count(map); i++) {
		const struct value *key = map->map->entries[i].typed_key;
		if (key && key->type == &type_time)
			return true;
	}
	return false;
}

static bool holds_time(struct tmpl_run *run, const struct value *v)
{
	if (!v || !v->type)
		return false;
	exec_count(run, 1);
	if (v->type == &type_time || (value_is_map(v) && has_time_key(v)))
		return true;
	if (value_is(v, KIND_POINTER))
		return holds_time(run, v->target);
	for (size_t i = 0; (value_is_map(v) || (value_is_list(v) && !type_is_bytes(v->type))) &&
	                   i < value_count(v);
	     i++)
		if (holds_time(run, value_is_map(v) ? &v->map->entries[i].value : value_item(v, i)))
			return true;
	return false;
}

/* The value has been measured: it ends, and not too deep. */
enum status times_to_texts(struct tmpl_call *call, const struct value *v, const struct type *to,
                           struct value *ret_value)
{
	struct arena *arena = call->arena;

	*ret_value = *v;
	TRY(exec_charge(call->run, 1));
	if (!holds_time(call->run, v))
		return STATUS_OK;
	if (v->type == &type_time) {
		*ret_value = value_string(text_of_time(arena, v->opaque, to));
		ret_value->type = to;
		return exec_charge(call->run, STEPS_PER_TIME);
	} else if (value_is(v, KIND_POINTER)) {
		return times_to_texts(call, v->target, to, ret_value);
	} else if (value_is_map(v)) {
		TRY(exec_charge_entries(call->run, v));
		*ret_value = value_map_new(arena);
		for (size_t i = 0; i < value_count(v); i++) {
			const struct value_entry *entry = &v->map->entries[i];
			struct value item;
			TRY(times_to_texts(call, &entry->value, to, &item));
			value_map_set(arena, ret_value, entry->key, item);
			value_map_find_mutable(ret_value, entry->key)->typed_key =
			    key_to_text(arena, entry->typed_key, to);
		}
		ret_value->type = v->type->elem == &type_time ? &type_any_map : v->type;
	} else {
		*ret_value = value_list_new(arena);
		for (size_t i = 0; i < value_count(v); i++) {
			struct value item;
			TRY(times_to_texts(call, value_item(v, i), to, &item));
			value_list_add(arena, ret_value, item);
		}
		ret_value->type = v->type;
	}
	return STATUS_OK;
}
