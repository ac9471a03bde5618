/*
 * sprig's dicts: map[string]interface {} and nothing else. set and unset change the dict itself.
 * keys and values come sorted where Go's order is random.
 */
#include "tmpl/func.h"
#include "tmpl/funcs/convert.h"
#include "tmpl/run.h"

static struct value item_or_nil(const struct value *v)
{
	return value_or_null(v);
}

/* Before a dict is walked, and its entries are copied. */
static enum status charge_entries(struct tmpl_call *call, const struct value *dict)
{
	size_t count = value_count(dict);

	TRY(run_charge(call->run, count));
	return run_room(call->run, count * 2 * sizeof(struct value_entry));
}

static void mark_keys(struct value *dict, const struct secret *secret)
{
	if (secret && dict->map)
		dict->map->key_secret = secret;
}

static const struct secret *secret_of_keys(const struct value *dict)
{
	return dict && dict->map ? dict->map->key_secret : NULL;
}

static enum status fn_dict(struct tmpl_call *call)
{
	struct value dict = value_map_new(call->arena);

	for (size_t i = 0; i < call->arg_count; i += 2) {
		sv key;
		TRY(arg_strval(call, arg_value(call, i), &key));
		value_map_set(call->arena, &dict, key,
		              i + 1 < call->arg_count ? item_or_nil(arg_value(call, i + 1))
		                                      : value_string(SV("")));
		mark_keys(&dict, value_secret(arg_value(call, i)));
	}
	return tmpl_return(call, dict);
}

static enum status fn_get(struct tmpl_call *call)
{
	const struct value *found = value_map_get(call->args[0].v, arg_string(call, 1));

	return found ? tmpl_return(call, item_or_nil(found)) : tmpl_return_string(call, SV(""));
}

static enum status fn_set(struct tmpl_call *call)
{
	struct value dict = *call->args[0].v;

	if (!dict.map)
		return tmpl_fail(call, "assignment to entry in nil map");
	/* The store is shared by all who name this dict. */
	value_map_set(call->arena, &dict, arg_string(call, 1), item_or_nil(arg_value(call, 2)));
	mark_keys(&dict, value_secret(arg_value(call, 1)));
	return tmpl_return(call, dict);
}

static enum status fn_unset(struct tmpl_call *call)
{
	struct value dict = *call->args[0].v;
	sv key = arg_string(call, 1);

	if (!dict.map || !value_map_get(&dict, key))
		return tmpl_return(call, dict);
	TRY(charge_entries(call, &dict));
	struct value rest = value_map_new(call->arena);
	for (size_t i = 0; i < dict.map->count; i++) {
		const struct value_entry *entry = &dict.map->entries[i];
		if (!sv_eq(entry->key, key))
			value_map_set_at(call->arena, &rest, entry->key, entry->key_origin,
			                 entry->value);
	}
	mark_keys(&rest, secret_of_keys(&dict));
	if (rest.map)
		*dict.map = *rest.map;
	else
		*dict.map = (struct value_map){0};
	return tmpl_return(call, dict);
}

static enum status fn_has_key(struct tmpl_call *call)
{
	return tmpl_return_bool(call, value_map_get(call->args[0].v, arg_string(call, 1)) != NULL);
}

static enum status fn_pluck(struct tmpl_call *call)
{
	struct value list = value_list_new(call->arena);

	for (size_t i = 1; i < call->arg_count; i++) {
		const struct value *found = value_map_get(call->args[i].v, arg_string(call, 0));
		if (found)
			value_list_add(call->arena, &list, item_or_nil(found));
	}
	return tmpl_return(call, list);
}

static enum status fn_keys(struct tmpl_call *call)
{
	struct value list = string_list_new(call->arena);

	for (size_t i = 0; i < call->arg_count; i++) {
		size_t count;
		TRY(charge_entries(call, call->args[i].v));
		struct value_entry **entries =
		    value_sorted_entries(call->arena, call->args[i].v, &count);
		for (size_t k = 0; k < count; k++)
			value_list_add(
			    call->arena, &list,
			    *value_entry_key(call->arena, call->args[i].v, entries[k]).v);
	}
	return tmpl_return(call, list);
}

static enum status fn_values(struct tmpl_call *call)
{
	struct value list = value_list_new(call->arena);
	size_t count;

	TRY(charge_entries(call, call->args[0].v));
	struct value_entry **entries = value_sorted_entries(call->arena, call->args[0].v, &count);
	for (size_t k = 0; k < count; k++)
		value_list_add(call->arena, &list, item_or_nil(&entries[k]->value));
	return tmpl_return(call, list);
}

static enum status fn_pick(struct tmpl_call *call)
{
	struct value dict = value_map_new(call->arena);

	for (size_t i = 1; i < call->arg_count; i++) {
		const struct value *found = value_map_get(call->args[0].v, arg_string(call, i));
		if (found)
			value_map_set(call->arena, &dict, arg_string(call, i), item_or_nil(found));
		mark_keys(&dict, value_secret(arg_value(call, i)));
	}
	mark_keys(&dict, secret_of_keys(call->args[0].v));
	return tmpl_return(call, dict);
}

static enum status fn_omit(struct tmpl_call *call)
{
	const struct value *from = call->args[0].v;
	struct value dict = value_map_new(call->arena);

	TRY(charge_entries(call, from));
	TRY(run_charge(call->run, value_count(from) * call->arg_count / RUN_NAMES_PER_STEP));
	for (size_t k = 0; k < value_count(from); k++) {
		const struct value_entry *entry = &from->map->entries[k];
		bool omitted = false;
		for (size_t i = 1; i < call->arg_count && !omitted; i++)
			omitted = sv_eq(entry->key, arg_string(call, i));
		if (!omitted)
			value_map_set(call->arena, &dict, entry->key, item_or_nil(&entry->value));
	}
	mark_keys(&dict, secret_of_keys(from));
	return tmpl_return(call, dict);
}

static enum status not_converted(struct tmpl_call *call, const struct value *v, const char *want)
{
	if (!v)
		return tmpl_fail(call, "interface conversion: interface {} is nil, not %s", want);
	return tmpl_fail(call, "interface conversion: interface {} is %.*s, not %s",
	                 SV_ARG(v->type->name), want);
}

/* dig KEY... DEFAULT DICT */
static enum status fn_dig(struct tmpl_call *call)
{
	size_t count = call->arg_count;

	if (count < 3)
		return tmpl_fail(call, "dig needs at least three arguments");
	const struct value *dict = arg_value(call, count - 1);
	if (!dict || !type_same(dict->type, &type_any_map))
		return not_converted(call, dict, "map[string]interface {}");
	for (size_t i = 0; i + 2 < count; i++) {
		const struct value *key = arg_value(call, i);
		if (!key || key->type != &type_string)
			return not_converted(call, key, "string");
	}
	for (size_t i = 0; i + 2 < count; i++) {
		const struct value *found = value_map_get(dict, arg_value(call, i)->string);
		if (!found)
			return tmpl_return(call, item_or_nil(arg_value(call, count - 2)));
		if (i + 3 == count)
			return tmpl_return(call, item_or_nil(found));
		if (!found->type || !type_same(found->type, &type_any_map))
			return not_converted(call, value_is_null(found) ? NULL : found,
			                     "map[string]interface {}");
		dict = found;
	}
	return tmpl_return_nil(call);
}

/* ---- merging (mergo 1.0.2 on maps) ---------------------------------------------------------- */

static bool is_dict(const struct value *v)
{
	return v && v->type && v->type->kind == KIND_MAP && type_same(v->type, &type_any_map);
}

static enum status merge_into(struct tmpl_call *call, struct value *into, const struct value *from,
                              bool overwrite)
{
	TRY(run_descend(call->run));
	TRY(run_charge(call->run, value_count(from) + 1));
	mark_keys(into, secret_of_keys(from));
	for (size_t i = 0; i < value_count(from); i++) {
		const struct value_entry *entry = &from->map->entries[i];
		struct value *have = value_map_get(into, entry->key);
		if (value_is_null(&entry->value) && !overwrite)
			continue;
		if (have && is_dict(have) && is_dict(&entry->value) && have->map &&
		    entry->value.map) {
			if (have->map != entry->value.map)
				TRY(merge_into(call, have, &entry->value, overwrite));
			continue;
		}
		if (!have || overwrite || value_is_empty(have))
			value_map_set(call->arena, into, entry->key, item_or_nil(&entry->value));
	}
	return STATUS_OK;
}

static enum status merge(struct tmpl_call *call, bool overwrite)
{
	struct value into = *call->args[0].v;

	for (size_t i = 1; i < call->arg_count; i++) {
		const struct value *from = call->args[i].v;
		if (!into.map && from->map)
			into = value_map_new(call->arena);
		if (value_count(from) == 0)
			continue;
		if (from->map != into.map)
			TRY(merge_into(call, &into, from, overwrite));
	}
	return tmpl_return(call, into);
}

static enum status fn_merge(struct tmpl_call *call)
{
	return merge(call, false);
}

static enum status fn_merge_overwrite(struct tmpl_call *call)
{
	return merge(call, true);
}

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
			ret_copy->fields[i] = *ref_zero(call->arena, field->type).v;
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
	TRY(run_descend(call->run));
	TRY(run_charge(call->run, 1));
	TRY(run_room(call->run, sizeof(struct value)));
	*ret_copy = *v;
	if (!v->type || v->type == &type_nil)
		return STATUS_OK;
	if (v->type->kind == KIND_MAP && v->map) {
		ret_copy->map = value_map_new(call->arena).map;
		if (!ret_copy->map)
			ret_copy->map = ARENA_NEW(call->arena, struct value_map);
		mark_keys(ret_copy, v->map->key_secret);
		for (size_t i = 0; i < v->map->count; i++) {
			const struct value_entry *entry = &v->map->entries[i];
			struct value copy;
			TRY(copy_item(call, &entry->value, &copy));
			value_map_set_at(call->arena, ret_copy, entry->key, entry->key_origin,
			                 copy);
			value_map_find(ret_copy, entry->key)->typed_key = entry->typed_key;
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
	} else if (v->type->kind == KIND_POINTER && v->target) {
		ret_copy->target = ARENA_NEW(call->arena, struct value);
		TRY(copy_deep(call, v->target, ret_copy->target));
	}
	return STATUS_OK;
}

static enum status deep_copy(struct tmpl_call *call, const char *prefix)
{
	const struct value *v = arg_value(call, 0);
	struct value copy;

	if (!v)
		return tmpl_fail(call, "%sreflect: call of reflect.Value.Type on zero Value",
		                 prefix);
	TRY(copy_deep(call, v, &copy));
	return tmpl_return(call, copy);
}

static enum status fn_deep_copy(struct tmpl_call *call)
{
	return deep_copy(call, "");
}

#define KEEPS(name, signature, impl) TMPL_FUNC_FLAGS(name, signature, impl, FUNC_KEEPS_TAINT)

static const struct tmpl_func funcs[] = {
    KEEPS("deepCopy", "a>a", fn_deep_copy),
    KEEPS("dict", "*a>m", fn_dict),
    KEEPS("dig", "*a>a", fn_dig),
    KEEPS("get", "ms>a", fn_get),
    TMPL_FUNC("hasKey", "ms>b", fn_has_key),
    KEEPS("keys", "*m>S", fn_keys),
    KEEPS("merge", "m*m>a", fn_merge),
    KEEPS("mergeOverwrite", "m*m>a", fn_merge_overwrite),
    KEEPS("mustDeepCopy", "a>a", fn_deep_copy),
    KEEPS("mustMerge", "m*m>a", fn_merge),
    KEEPS("mustMergeOverwrite", "m*m>a", fn_merge_overwrite),
    KEEPS("omit", "m*s>m", fn_omit),
    KEEPS("pick", "m*s>m", fn_pick),
    KEEPS("pluck", "s*m>l", fn_pluck),
    KEEPS("set", "msa>m", fn_set),
    KEEPS("unset", "ms>m", fn_unset),
    KEEPS("values", "m>l", fn_values),
};

const struct tmpl_func_table tmpl_funcs_dicts = TMPL_TABLE(funcs);
