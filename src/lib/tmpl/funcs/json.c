/*
 * JSON: sprig's functions, and the controller's own toJson, fromJson, fromJsonArray before them.
 * Go values become plain ones first: structs as objects in field order, keys as text.
 */
#include "json/json.h"

#include "tmpl/exec.h"
#include "tmpl/func.h"
#include "tmpl/funcs/date.h"

#include <math.h>

/* ---- to plain values --------------------------------------------------------------------- */

/* `error` is why a value has no JSON; it is null if it has, or if the run has a pending failure. */
struct plain_job {
	struct tmpl_call *call;
	sv error;
};

static enum status to_plain(struct plain_job *job, const struct value *v, struct value *ret_plain);

static enum status unsupported(struct plain_job *job, const char *what, sv name)
{
	job->error =
	    arena_printf(job->call->arena, "json: unsupported %s: %.*s", what, SV_ARG(name));
	return STATUS_FAILED;
}

static enum status plain_number(struct plain_job *job, const struct value *v,
                                struct value *ret_plain)
{
	*ret_plain = *v;
	if (go_kind_is_int(v->type->kind)) {
		ret_plain->type = &type_int64;
	} else if (go_kind_is_uint(v->type->kind)) {
		ret_plain->type = &type_uint64;
	} else {
		if (isnan(v->real))
			return unsupported(job, "value", SV("NaN"));
		if (isinf(v->real))
			return unsupported(job, "value", v->real > 0 ? SV("+Inf") : SV("-Inf"));
		ret_plain->type = v->type->kind == KIND_FLOAT32 ? &type_float32 : &type_float64;
	}
	return STATUS_OK;
}

static enum status key_text(struct plain_job *job, const struct value *map,
                            const struct value_entry *entry, sv *ret_key)
{
	*ret_key = entry->key;
	if (!entry->typed_key || entry->typed_key->type->kind == KIND_STRING)
		return STATUS_OK;
	enum type_kind kind = entry->typed_key->type->kind;
	if (!go_kind_is_int(kind) && !go_kind_is_uint(kind))
		return unsupported(job, "type", map->type->name);
	return arg_strval(job->call, entry->typed_key, ret_key);
}

static enum status plain_map(struct plain_job *job, const struct value *v, struct value *ret_plain)
{
	enum type_kind key = v->type->key ? v->type->key->kind : KIND_STRING;
	struct value map = value_map_new(job->call->arena);

	if (key != KIND_STRING && !go_kind_is_int(key) && !go_kind_is_uint(key))
		return unsupported(job, "type", v->type->name);
	if (!v->map) {
		*ret_plain = value_null();
		return STATUS_OK;
	}
	/* Two maps are made, and one of them is sorted. */
	TRY(exec_charge_entries(job->call->run, v));
	TRY(exec_charge_entries(job->call->run, v));
	TRY(exec_charge_sorting(job->call->run, v));
	for (size_t i = 0; i < value_count(v); i++) {
		const struct value_entry *entry = &v->map->entries[i];
		sv text;
		TRY(key_text(job, v, entry, &text));
		value_map_set(job->call->arena, &map, text, entry->value);
	}
	/* Sort here, bytewise by key, so that the first mistake is Go's. The emitter does not sort:
	 * the fields of a struct keep their order. */
	size_t count;
	struct value_entry **sorted = go_value_sorted_entries(job->call->arena, &map, &count);
	*ret_plain = value_map_new(job->call->arena);
	for (size_t i = 0; i < count; i++) {
		struct value item;
		TRY(to_plain(job, &sorted[i]->value, &item));
		value_map_set(job->call->arena, ret_plain, sorted[i]->key, item);
	}
	return STATUS_OK;
}

static bool is_empty_field(const struct value *v)
{
	return v->type->kind != KIND_STRUCT && !go_ref_truth(go_ref_of(v));
}

static enum status plain_struct(struct plain_job *job, const struct value *v, struct value *into)
{
	for (size_t i = 0; v->fields && i < v->type->field_count; i++) {
		const struct type_field *field = &v->type->fields[i];
		const struct value *inner = &v->fields[i];
		struct value item;
		if (field->json_inline && value_is(inner, KIND_STRUCT)) {
			TRY(plain_struct(job, inner, into));
			continue;
		}
		if (!field->exported || (field->json && strcmp(field->json, "-") == 0) ||
		    (field->json_omitempty && is_empty_field(inner)))
			continue;
		TRY(to_plain(job, inner, &item));
		value_map_set(job->call->arena, into,
		              field->json ? sv_from_cstr(field->json) : field->name, item);
	}
	return STATUS_OK;
}

static enum status plain_list(struct plain_job *job, const struct value *v, struct value *ret_plain)
{
	if (go_ref_is_nil(go_ref_of(v))) {
		*ret_plain = value_null();
		return STATUS_OK;
	}
	if (type_is_bytes(v->type)) {
		*ret_plain = *v;
		ret_plain->type = &type_bytes;
		return STATUS_OK;
	}
	*ret_plain = value_list_new(job->call->arena);
	for (size_t i = 0; i < value_count(v); i++) {
		struct value item;
		TRY(to_plain(job, value_item(v, i), &item));
		value_list_add(job->call->arena, ret_plain, item);
	}
	return STATUS_OK;
}

/* RFC 3339 has years of four digits, and zones of less than a day. */
static enum status check_time(struct plain_job *job, const struct value *v)
{
	const char *range = time_json_range(v);

	if (!range)
		return STATUS_OK;
	job->error = arena_printf(job->call->arena,
	                          "json: error calling MarshalJSON for type time.Time: "
	                          "Time.MarshalJSON: %s",
	                          range);
	return STATUS_FAILED;
}

/* Formatting a time. */
#define STEPS_PER_METHOD 8

static enum status to_plain(struct plain_job *job, const struct value *v, struct value *ret_plain)
{
	struct tmpl_run *run = job->call->run;

	TRY(exec_charge(run, 1));
	TRY(exec_descend(run));
	TRY(exec_room(run, sizeof(struct value)));
	*ret_plain = value_null();
	if (!v || !v->type || v->type == &type_nil)
		return STATUS_OK;
	if (v->type->to_json) {
		TRY(exec_charge(run, STEPS_PER_METHOD));
		*ret_plain = value_string(v->type->to_json(job->call->arena, v));
		return v->type == &type_time ? check_time(job, v) : STATUS_OK;
	}
	enum type_kind kind = v->type->kind;
	if (kind == KIND_STRING || kind == KIND_BOOL) {
		*ret_plain = *v;
		ret_plain->type = kind == KIND_STRING ? &type_string : &type_bool;
		return STATUS_OK;
	}
	if (go_kind_is_int(kind) || go_kind_is_uint(kind) || go_type_is_float(v->type))
		return plain_number(job, v, ret_plain);
	if (kind == KIND_POINTER)
		return v->target ? to_plain(job, v->target, ret_plain) : STATUS_OK;
	if (kind == KIND_MAP)
		return plain_map(job, v, ret_plain);
	if (kind == KIND_SLICE || kind == KIND_ARRAY)
		return plain_list(job, v, ret_plain);
	if (kind == KIND_STRUCT) {
		*ret_plain = value_map_new(job->call->arena);
		return plain_struct(job, v, ret_plain);
	}
	return unsupported(job, "type", v->type->name);
}

/* ---- writing ----------------------------------------------------------------------------- */

enum on_error { GIVE_EMPTY, GIVE_ERROR };

#define JSON_COLUMNS 2 /* that a level is indented by */

static enum status write_json(struct tmpl_call *call, unsigned flags, enum on_error on_error)
{
	struct plain_job job = {.call = call};
	struct buf buf = buf_in(call->arena);
	struct value plain;

	TRY(exec_measure(call->run, arg_value(call, 0), flags & JSON_PRETTY ? JSON_COLUMNS : 0));
	if (to_plain(&job, arg_value(call, 0), &plain) == STATUS_OK) {
		json_emit(&buf, &plain, flags);
		return tmpl_return_string(call, buf_sv(&buf));
	}
	if (!job.error.ptr)
		return STATUS_FAILED;
	if (on_error == GIVE_EMPTY)
		return tmpl_return_string(call, SV(""));
	return tmpl_fail(call, "%.*s", SV_ARG(job.error));
}

static enum status fn_to_json(struct tmpl_call *call)
{
	return write_json(call, JSON_ESCAPE_HTML, GIVE_EMPTY);
}

static enum status fn_must_to_json(struct tmpl_call *call)
{
	return write_json(call, JSON_ESCAPE_HTML, GIVE_ERROR);
}

static enum status fn_to_pretty_json(struct tmpl_call *call)
{
	return write_json(call, JSON_ESCAPE_HTML | JSON_PRETTY, GIVE_EMPTY);
}

static enum status fn_must_to_pretty_json(struct tmpl_call *call)
{
	return write_json(call, JSON_ESCAPE_HTML | JSON_PRETTY, GIVE_ERROR);
}

static enum status fn_to_raw_json(struct tmpl_call *call)
{
	return write_json(call, 0, GIVE_ERROR);
}

/* ---- reading ----------------------------------------------------------------------------- */

static sv json_kind(const struct value *v)
{
	switch (v->type->kind) {
	case KIND_BOOL:
		return SV("bool");
	case KIND_STRING:
		return SV("string");
	case KIND_SLICE:
		return SV("array");
	case KIND_MAP:
		return SV("object");
	default: /* JSON has only numbers besides */
		return SV("number");
	}
}

/* Into a Go map or slice: null is nil, anything else is Go's error text. */
static bool read_typed(struct tmpl_call *call, const struct type *type, struct value *ret_value,
                       sv *ret_error)
{
	if (!json_decode(call->arena, arg_string(call, 0), ret_value, ret_error)) {
		/* Go looks at what it is before it looks at the numbers in it. */
		sv text = sv_trim_space(arg_string(call, 0));
		bool is_list = text.len > 0 && text.ptr[0] == '[';
		bool is_map = text.len > 0 && text.ptr[0] == '{';
		if (!sv_starts_with(*ret_error, SV("json: cannot unmarshal number")) ||
		    (is_list && type->kind == KIND_SLICE) || (is_map && type->kind == KIND_MAP))
			return false;
		sv kind = is_list ? SV("array") : is_map ? SV("object") : SV("number");
		*ret_error = arena_printf(call->arena,
		                          "json: cannot unmarshal %.*s into Go value of type %.*s",
		                          SV_ARG(kind), SV_ARG(type->name));
		return false;
	}
	if (value_is_null(ret_value)) {
		*ret_value = (struct value){.type = type};
		return true;
	}
	if (ret_value->type->kind == type->kind)
		return true;
	sv kind = json_kind(ret_value);
	*ret_error =
	    arena_printf(call->arena, "json: cannot unmarshal %.*s into Go value of type %.*s",
	                 SV_ARG(kind), SV_ARG(type->name));
	return false;
}

static enum status fn_from_json(struct tmpl_call *call)
{
	struct value v = VALUE_INVALID;
	sv error;

	TRY(exec_measure_document(call->run, arg_string(call, 0), ",[{:"));
	if (!read_typed(call, &type_any_map, &v, &error)) {
		if (!value_is_map(&v) || !v.map)
			v = value_map_new(call->arena);
		value_map_set(call->arena, &v, SV("Error"), value_string(error));
	}
	return tmpl_return(call, v);
}

static enum status fn_from_json_array(struct tmpl_call *call)
{
	struct value v;
	sv error;

	TRY(exec_measure_document(call->run, arg_string(call, 0), ",[{:"));
	if (!read_typed(call, &type_any_list, &v, &error)) {
		v = value_list_new(call->arena);
		value_list_add(call->arena, &v, value_string(error));
	}
	return tmpl_return(call, v);
}

static enum status fn_must_from_json(struct tmpl_call *call)
{
	struct value v;
	sv error;

	TRY(exec_measure_document(call->run, arg_string(call, 0), ",[{:"));
	if (!json_decode(call->arena, arg_string(call, 0), &v, &error))
		return tmpl_fail(call, "%.*s", SV_ARG(error));
	return tmpl_return(call, v);
}

static const struct tmpl_func funcs[] = {
    TMPL_FUNC("fromJson", "s>m", fn_from_json),
    TMPL_FUNC("fromJsonArray", "s>l", fn_from_json_array),
    TMPL_FUNC("mustFromJson", "s>a", fn_must_from_json),
    TMPL_FUNC_IMAGE("mustToJson", "a>s", fn_must_to_json),
    TMPL_FUNC_IMAGE("mustToPrettyJson", "a>s", fn_must_to_pretty_json),
    TMPL_FUNC_IMAGE("mustToRawJson", "a>s", fn_to_raw_json),
    TMPL_FUNC_IMAGE("toJson", "a>s", fn_to_json),
    TMPL_FUNC_IMAGE("toPrettyJson", "a>s", fn_to_pretty_json),
    TMPL_FUNC_IMAGE("toRawJson", "a>s", fn_to_raw_json),
};

const struct tmpl_func_table tmpl_funcs_json = TMPL_TABLE(funcs);
