/*
 * sprig's deepCopy: copystructure v1.2.0.
 */
#include "tmpl/exec.h"
#include "tmpl/func.h"
#include "tmpl/funcs/dicts.h"

static enum status copy_deep(struct tmpl_call *call, const struct value *v, struct value *ret_copy);

/* COMPAT: fields that are not exported, embedded structs among them, are empty in the copy. */
static enum status copy_fields(struct tmpl_call *call, const struct value *v,
                               struct value *ret_copy)
{
	ret_copy->fields = ARENA_ARRAY(call->arena, struct value, v->type->field_count);
	for (size_t i = 0; i < v->type->field_count; i++) {
		const struct type_field *field = &v->type->fields[i];

		if (field->exported)
			TRY(copy_deep(call, &v->fields[i], &ret_copy->fields[i]));
		else
			ret_copy->fields[i] = *go_ref_zero(call->arena, field->type).v;
	}
	return STATUS_OK;
}

/* COMPAT: what a list or map of interfaces holds as a nil pointer is plain nil in the copy. */
static enum status copy_item(struct tmpl_call *call, const struct value *v, struct value *ret_copy)
{
	if (v->type && v->type->kind == KIND_POINTER && !v->target) {
		*ret_copy = value_null();
		return STATUS_OK;
	}
	return copy_deep(call, v, ret_copy);
}

static enum status copy_deep(struct tmpl_call *call, const struct value *v, struct value *ret_copy)
{
	TRY(exec_descend(call->run));
	TRY(exec_charge(call->run, 1));
	TRY(exec_room(call->run, sizeof(struct value)));
	*ret_copy = *v;
	if (!v->type || v->type == &type_nil)
		return STATUS_OK;
	if (v->type->kind == KIND_MAP && v->map) {
		TRY(exec_charge_entries(call->run, v));
		ret_copy->map = value_map_new(call->arena).map;
		if (!ret_copy->map)
			ret_copy->map = ARENA_NEW(call->arena, struct value_map);
		dict_mark_keys(ret_copy, v->map->key_secret);
		for (size_t i = 0; i < v->map->count; i++) {
			const struct value_entry *entry = &v->map->entries[i];
			struct value copy;
			TRY(copy_item(call, &entry->value, &copy));
			value_map_set_at(call->arena, ret_copy, entry->key, entry->key_origin,
			                 copy);
			value_map_find_mutable(ret_copy, entry->key)->typed_key = entry->typed_key;
		}
	} else if (v->type->kind == KIND_SLICE && !type_is_bytes(v->type) && v->list) {
		struct value list = value_list_new(call->arena);
		for (size_t i = 0; i < value_count(v); i++) {
			struct value copy;
			TRY(copy_item(call, value_item(v, i), &copy));
			value_list_add(call->arena, &list, copy);
		}
		list.type = v->type;
		*ret_copy = list;
	} else if (v->type->kind == KIND_STRUCT && v->type->fields) {
		TRY(copy_fields(call, v, ret_copy));
	} else if (v->type->kind == KIND_STRUCT && v->type != &type_time) {
		ret_copy->opaque = NULL; /* a *time.Location: none of its fields is exported */
	} else if (v->type->kind == KIND_POINTER && v->target) {
		ret_copy->target = ARENA_NEW(call->arena, struct value);
		TRY(copy_deep(call, v->target, ret_copy->target));
	}
	return STATUS_OK;
}

static enum status fn_deep_copy(struct tmpl_call *call)
{
	const struct value *v = arg_value(call, 0);
	struct value copy;

	if (!v)
		return tmpl_fail(call, "reflect: call of reflect.Value.Type on zero Value");
	TRY(copy_deep(call, v, &copy));
	return tmpl_return(call, copy);
}

static const struct tmpl_func funcs[] = {
    TMPL_FUNC_KEEPS("deepCopy", "a>a", fn_deep_copy),
    TMPL_FUNC_KEEPS("mustDeepCopy", "a>a", fn_deep_copy),
};

const struct tmpl_func_table tmpl_funcs_copy = TMPL_TABLE(funcs);
