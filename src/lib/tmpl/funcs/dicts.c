/*
 * sprig's dicts: map[string]interface {} and nothing else. set and unset change the dict itself.
 * keys and values come sorted where Go's order is random.
 */
#include "tmpl/funcs/dicts.h"

#include "secrecy/secrecy.h"
#include "tmpl/func.h"
#include "tmpl/funcs/convert.h"

/* Before a dict is walked, and its entries are put into another one. */
static enum status charge_copy(struct tmpl_call *call, const struct value *dict)
{
	TRY(exec_charge_entries(call->run, dict));
	return exec_room(call->run, value_count(dict) * 2 * sizeof(struct value_entry));
}

/* Before a list is made of its sorted entries. */
static enum status charge_sorted(struct tmpl_call *call, const struct value *dict)
{
	size_t count = value_count(dict);

	TRY(exec_charge(call->run, count));
	TRY(exec_charge_sorting(call->run, dict));
	return exec_room(call->run, EXEC_BYTES_OF_ITEMS(count));
}

/* Looking one key up in so many dicts: it is read for each. */
static enum status charge_lookups(struct tmpl_call *call, sv key, size_t count)
{
	return exec_charge(call->run, count * (1 + key.len / EXEC_BYTES_PER_STEP));
}

static enum status fn_dict(struct tmpl_call *call)
{
	struct value dict = value_map_new(call->arena);

	for (size_t i = 0; i < call->arg_count; i += 2) {
		sv key;
		TRY(arg_strval(call, arg_value(call, i), &key));
		TRY(charge_lookups(call, key, 1));
		value_map_set(call->arena, &dict, key,
		              i + 1 < call->arg_count ? value_or_null(arg_value(call, i + 1))
		                                      : value_string(SV("")));
		dict_mark_keys(&dict, secrecy_find(arg_value(call, i)));
	}
	return tmpl_return(call, dict);
}

static enum status fn_get(struct tmpl_call *call)
{
	const struct value *found = value_map_get(call->args[0].v, arg_string(call, 1));

	return found ? tmpl_return(call, value_or_null(found)) : tmpl_return_string(call, SV(""));
}

static enum status fn_set(struct tmpl_call *call)
{
	struct value dict = *call->args[0].v;

	if (!dict.map)
		return tmpl_fail(call, "assignment to entry in nil map");
	/* The store is shared by all who name this dict. */
	value_map_set(call->arena, &dict, arg_string(call, 1), value_or_null(arg_value(call, 2)));
	dict_mark_keys(&dict, secrecy_find(arg_value(call, 1)));
	return tmpl_return(call, dict);
}

static enum status fn_unset(struct tmpl_call *call)
{
	struct value dict = *call->args[0].v;
	sv key = arg_string(call, 1);

	if (!dict.map || !value_map_get(&dict, key))
		return tmpl_return(call, dict);
	TRY(charge_copy(call, &dict));
	struct value rest = value_map_new(call->arena);
	for (size_t i = 0; i < dict.map->count; i++) {
		const struct value_entry *entry = &dict.map->entries[i];
		if (!sv_eq(entry->key, key))
			value_map_set_at(call->arena, &rest, entry->key, entry->key_origin,
			                 entry->value);
	}
	dict_mark_keys(&rest, dict_key_secret(&dict));
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

	TRY(charge_lookups(call, arg_string(call, 0), call->arg_count));
	for (size_t i = 1; i < call->arg_count; i++) {
		const struct value *found = value_map_get(call->args[i].v, arg_string(call, 0));
		if (found)
			value_list_add(call->arena, &list, value_or_null(found));
	}
	return tmpl_return(call, list);
}

static enum status fn_keys(struct tmpl_call *call)
{
	struct value list = string_list_new(call->arena);

	for (size_t i = 0; i < call->arg_count; i++) {
		size_t count;
		TRY(charge_sorted(call, call->args[i].v));
		struct value_entry **entries =
		    go_value_sorted_entries(call->arena, call->args[i].v, &count);
		for (size_t k = 0; k < count; k++)
			value_list_add(
			    call->arena, &list,
			    *go_value_entry_key(call->arena, call->args[i].v, entries[k]).v);
	}
	return tmpl_return(call, list);
}

static enum status fn_values(struct tmpl_call *call)
{
	struct value list = value_list_new(call->arena);
	size_t count;

	TRY(charge_sorted(call, call->args[0].v));
	struct value_entry **entries =
	    go_value_sorted_entries(call->arena, call->args[0].v, &count);
	for (size_t k = 0; k < count; k++)
		value_list_add(call->arena, &list, value_or_null(&entries[k]->value));
	return tmpl_return(call, list);
}

static enum status fn_pick(struct tmpl_call *call)
{
	struct value dict = value_map_new(call->arena);

	for (size_t i = 1; i < call->arg_count; i++) {
		TRY(charge_lookups(call, arg_string(call, i), 1));
		const struct value *found = value_map_get(call->args[0].v, arg_string(call, i));
		if (found)
			value_map_set(call->arena, &dict, arg_string(call, i),
			              value_or_null(found));
		dict_mark_keys(&dict, secrecy_find(arg_value(call, i)));
	}
	dict_mark_keys(&dict, dict_key_secret(call->args[0].v));
	return tmpl_return(call, dict);
}

static enum status fn_omit(struct tmpl_call *call)
{
	const struct value *from = call->args[0].v;
	struct value dict = value_map_new(call->arena);

	TRY(charge_copy(call, from));
	TRY(exec_charge(call->run, value_count(from) * call->arg_count / EXEC_NAMES_PER_STEP));
	for (size_t k = 0; k < value_count(from); k++) {
		const struct value_entry *entry = &from->map->entries[k];
		bool omitted = false;
		for (size_t i = 1; i < call->arg_count && !omitted; i++)
			omitted = sv_eq(entry->key, arg_string(call, i));
		if (!omitted)
			value_map_set(call->arena, &dict, entry->key, value_or_null(&entry->value));
	}
	dict_mark_keys(&dict, dict_key_secret(from));
	return tmpl_return(call, dict);
}

static enum status not_converted(struct tmpl_call *call, const struct value *v, const char *want)
{
	if (!v)
		return tmpl_fail(call, "interface conversion: interface {} is nil, not %s", want);
	return tmpl_fail_advised(call, exec_advice_on_type(v->type, RUN_ADVICE_NONE),
	                         "interface conversion: interface {} is %.*s, not %s",
	                         SV_ARG(v->type->name), want);
}

/* dig KEY... DEFAULT DICT */
static enum status fn_dig(struct tmpl_call *call)
{
	size_t count = call->arg_count;

	if (count < 3)
		return tmpl_fail(call, "dig needs at least three arguments");
	const struct value *dict = arg_value(call, count - 1);
	if (!dict || !go_type_same(dict->type, &type_any_map))
		return not_converted(call, dict, "map[string]interface {}");
	for (size_t i = 0; i + 2 < count; i++) {
		const struct value *key = arg_value(call, i);
		if (!key || key->type != &type_string)
			return not_converted(call, key, "string");
	}
	for (size_t i = 0; i + 2 < count; i++) {
		TRY(charge_lookups(call, arg_value(call, i)->string, 1));
		const struct value *found = value_map_get(dict, arg_value(call, i)->string);
		if (!found)
			return tmpl_return(call, value_or_null(arg_value(call, count - 2)));
		if (i + 3 == count)
			return tmpl_return(call, value_or_null(found));
		if (!found->type || !go_type_same(found->type, &type_any_map))
			return not_converted(call, value_is_null(found) ? NULL : found,
			                     "map[string]interface {}");
		dict = found;
	}
	return tmpl_return_nil(call);
}

static const struct tmpl_func funcs[] = {
    TMPL_FUNC_CHOOSES("dict", "*a>m", fn_dict, FUNC_CHOOSES_PAIRS),
    TMPL_FUNC_CHOOSES("dig", "*a>a", fn_dig, FUNC_CHOOSES_PATH),
    TMPL_FUNC_CHOOSES("get", "ms>a", fn_get, FUNC_CHOOSES_SECOND),
    TMPL_FUNC_CHOOSES("hasKey", "ms>b", fn_has_key, FUNC_CHOOSES_SECOND),
    TMPL_FUNC_KEEPS("keys", "*m>S", fn_keys),
    TMPL_FUNC_CHOOSES("omit", "m*s>m", fn_omit, FUNC_CHOOSES_REST),
    TMPL_FUNC_CHOOSES("pick", "m*s>m", fn_pick, FUNC_CHOOSES_REST),
    TMPL_FUNC_CHOOSES("pluck", "s*m>l", fn_pluck, FUNC_CHOOSES_FIRST),
    TMPL_FUNC_CHOOSES("set", "msa>m", fn_set, FUNC_CHOOSES_SECOND),
    TMPL_FUNC_CHOOSES("unset", "ms>m", fn_unset, FUNC_CHOOSES_SECOND),
    TMPL_FUNC_KEEPS("values", "m>l", fn_values),
};

const struct tmpl_func_table tmpl_funcs_dicts = TMPL_TABLE(funcs);
