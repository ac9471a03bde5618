/*
 * sprig's merge and its like: mergo v1.0.2 on maps.
 */
#include "tmpl/func.h"
#include "tmpl/funcs/convert.h"
#include "tmpl/funcs/dicts.h"
#include "tmpl/run.h"

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
	value_map_set(job->call->arena, into, entry->key, value_or_null(&entry->value));
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
	dict_mark_keys(into, dict_key_secret(from));
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

#define KEEPS(name, signature, impl) TMPL_FUNC_FLAGS(name, signature, impl, FUNC_KEEPS_TAINT)

static const struct tmpl_func funcs[] = {
    KEEPS("merge", "m*m>a", fn_merge),
    KEEPS("mergeOverwrite", "m*m>a", fn_merge_overwrite),
    KEEPS("mustMerge", "m*m>a", fn_must_merge),
    KEEPS("mustMergeOverwrite", "m*m>a", fn_must_merge_overwrite),
};

const struct tmpl_func_table tmpl_funcs_merge = TMPL_TABLE(funcs);
