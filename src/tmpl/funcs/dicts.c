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

struct merge {
	struct tmpl_call *call;
	bool overwrite;
	bool types_differ; /* mergo's own complaint */
};

static enum status merge_map(struct merge *job, struct value *into, const struct value *from);

static bool is_map(const struct value *v)
{
	return value_is(v, KIND_MAP);
}

static bool is_pointer(const struct value *v)
{
	return value_is(v, KIND_POINTER);
}

/* Empty as mergo has it: what points to something empty is. */
static bool is_blank(const struct value *v)
{
	while (is_pointer(v) && v->target)
		v = v->target;
	return value_is_empty(v);
}

static enum status not_assignable(struct merge *job, const char *what, const struct type *from,
                                  const struct type *to)
{
	return tmpl_fail(job->call,
	                 "reflect.Value.%s: value of type %.*s is not assignable to type %.*s",
	                 what, SV_ARG(from->name), SV_ARG(to->name));
}

static bool is_assignable(const struct type *from, const struct type *to)
{
	return to->kind == KIND_INTERFACE || type_same(from, to);
}

/*
 * Maps of other types and what pointers point to belong to the data, which is one for all
 * templates: Go changes it.
 */
static enum status refuse_to_change(struct merge *job)
{
	return run_pend(job->call->run, TMPL_REFUSED, SV("the merge would change the data"));
}

/* `type` is what Go knows of the item: that of the map it comes from, or its own. */
static enum status merge_set(struct merge *job, struct value *into, const struct value_entry *entry,
                             const struct type *type)
{
	if (!is_assignable(type, into->type->elem))
		return not_assignable(job, "SetMapIndex", type, into->type->elem);
	if (!type_same(into->type, &type_any_map))
		return refuse_to_change(job);
	value_map_set(job->call->arena, into, entry->key, item_or_nil(&entry->value));
	return STATUS_OK;
}

static enum status no_method(struct merge *job, const char *method, const struct value *v)
{
	return tmpl_fail(job->call, "reflect: call of reflect.Value.%s on %.*s Value", method,
	                 SV_ARG(type_kind_name(v->type->kind)));
}

/* What one pointer points to, by what another does. */
static bool may_change(const struct merge *job, const struct value *have, const struct value *item)
{
	const struct type *type = have->type->elem;
	bool is_whole = type->kind != KIND_STRUCT && type->kind != KIND_MAP;

	if (is_blank(item) || have->target == item->target)
		return false;
	return !is_whole || job->overwrite || is_blank(have);
}

/* Whether mergo looks into the struct: it has a field that is exported, its own or embedded. */
static bool is_mergeable(const struct type *type)
{
	for (size_t i = 0; i < type->field_count; i++) {
		const struct type_field *field = &type->fields[i];

		if (field->embedded && field->type->kind == KIND_STRUCT ? is_mergeable(field->type)
		                                                        : field->exported)
			return true;
	}
	return false;
}

/* False: mergo asks for the fields of something that has none. */
static bool takes_fields(const struct value *have, const struct value *item)
{
	return !value_is(have, KIND_STRUCT) || !is_mergeable(have->type) ||
	       value_is(item, KIND_STRUCT);
}

/* A map, pointer or struct into what has its key. Only dicts change by it. */
static enum status merge_item(struct merge *job, struct value *have, const struct value *item)
{
	if (is_map(have) && is_map(item))
		return have->map && item->map && have->map != item->map ? merge_map(job, have, item)
		                                                        : STATUS_OK;
	if (is_map(have) && !have->map && value_is(item, KIND_STRUCT))
		return no_method(job, "IsNil", item);
	if (is_pointer(have) && is_pointer(item) && have->target && item->target &&
	    !takes_fields(have->target, item->target))
		return no_method(job, "Field", item->target);
	if (!takes_fields(have, item))
		return no_method(job, "Field", item);
	if (!is_pointer(have) || !have->target || (is_map(item) && !item->map))
		return STATUS_OK;
	if (is_pointer(item) ? may_change(job, have, item)
	                     : !job->overwrite && type_same(have->type->elem, item->type))
		return refuse_to_change(job);
	job->types_differ |= !is_pointer(item) && !job->overwrite;
	return job->types_differ ? STATUS_FAILED : STATUS_OK;
}

static enum status merge_entry(struct merge *job, struct value *into, bool into_was_empty,
                               const struct value *from, const struct value_entry *entry)
{
	const struct type *type = from->type->elem;
	const struct value *item = &entry->value;
	struct value *have = value_map_get(into, entry->key);

	if (value_is_null(item) || (type->kind != KIND_INTERFACE && ref_is_nil(ref_of(item))))
		return job->overwrite ? merge_set(job, into, entry, type) : STATUS_OK;
	if (value_is(item, KIND_SLICE)) {
		if (have && !type_can_be_nil(into->type->elem))
			return no_method(job, "IsNil", have);
		if (job->overwrite || into_was_empty || into->type->elem->kind != KIND_INTERFACE)
			return merge_set(job, into, entry, item->type);
	}
	bool nested = is_map(item) || is_pointer(item) || value_is(item, KIND_STRUCT);
	if (have && nested)
		TRY(merge_item(job, have, item));
	if (have && !is_blank(have) &&
	    (!job->overwrite || type->kind == KIND_POINTER || (is_map(have) && is_map(item))))
		return STATUS_OK;
	return merge_set(job, into, entry, type);
}

static enum status merge_map(struct merge *job, struct value *into, const struct value *from)
{
	struct tmpl_run *run = job->call->run;
	bool was_empty = value_count(into) == 0;

	TRY(run_descend(run));
	TRY(run_charge(run, value_count(from) + 1));
	if (value_count(from) > 0 && !is_assignable(from->type->key, into->type->key))
		return not_assignable(job, "MapIndex", from->type->key, into->type->key);
	mark_keys(into, secret_of_keys(from));
	for (size_t i = 0; i < value_count(from); i++)
		TRY(merge_entry(job, into, was_empty, from, &from->map->entries[i]));
	return STATUS_OK;
}

static enum status merge(struct tmpl_call *call, bool overwrite, bool must)
{
	struct value into = *call->args[0].v;
	struct merge job = {.call = call, .overwrite = overwrite};

	for (size_t i = 1; i < call->arg_count; i++) {
		const struct value *from = call->args[i].v;
		if (!into.map && from->map)
			into = value_map_new(call->arena);
		if (value_count(from) == 0 || from->map == into.map)
			continue;
		if (merge_map(&job, &into, from) == STATUS_OK)
			continue;
		if (!job.types_differ)
			return STATUS_FAILED;
		return must ? tmpl_fail(call, "src and dst must be of same type")
		            : tmpl_return_string(call, SV(""));
	}
	return tmpl_return(call, into);
}

static enum status fn_merge(struct tmpl_call *call)
{
	return merge(call, false, false);
}

static enum status fn_must_merge(struct tmpl_call *call)
{
	return merge(call, false, true);
}

static enum status fn_merge_overwrite(struct tmpl_call *call)
{
	return merge(call, true, false);
}

static enum status fn_must_merge_overwrite(struct tmpl_call *call)
{
	return merge(call, true, true);
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
    KEEPS("mustMerge", "m*m>a", fn_must_merge),
    KEEPS("mustMergeOverwrite", "m*m>a", fn_must_merge_overwrite),
    KEEPS("omit", "m*s>m", fn_omit),
    KEEPS("pick", "m*s>m", fn_pick),
    KEEPS("pluck", "s*m>l", fn_pluck),
    KEEPS("set", "msa>m", fn_set),
    KEEPS("unset", "ms>m", fn_unset),
    KEEPS("values", "m>l", fn_values),
};

const struct tmpl_func_table tmpl_funcs_dicts = TMPL_TABLE(funcs);
