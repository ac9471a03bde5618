/*
 * sprig's merge and its like: mergo v1.0.2 on maps.
 */
#include "tmpl/exec.h"
#include "tmpl/func.h"
#include "tmpl/funcs/convert.h"
#include "tmpl/funcs/dicts.h"

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
static bool is_empty_for_merge(const struct value *v)
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
	return to->kind == KIND_INTERFACE || go_type_same(from, to);
}

/*
 * Maps of other types and what pointers point to belong to the data, which is one for all
 * templates: Go changes it.
 */
static enum status refuse_to_change(struct merge *job)
{
	return exec_pend_advised(job->call->run, TMPL_REFUSED, RUN_ADVICE_CHANGES_DATA,
	                         SV("the merge would change the data"));
}

/* `type` is what Go knows of the item: that of the map it comes from, or its own. */
static enum status merge_set(struct merge *job, struct value *into, const struct value_entry *entry,
                             const struct type *type)
{
	if (!is_assignable(type, into->type->elem))
		return not_assignable(job, "SetMapIndex", type, into->type->elem);
	if (!go_type_same(into->type, &type_any_map))
		return refuse_to_change(job);
	value_map_set(job->call->arena, into, entry->key, value_or_null(&entry->value));
	return STATUS_OK;
}

static enum status no_method(struct merge *job, const char *method, const struct type *type)
{
	return tmpl_fail(job->call, "reflect: call of reflect.Value.%s on %.*s Value", method,
	                 SV_ARG(type_kind_name(type->kind)));
}

/* Returns true if mergo merges the struct's fields: one is exported, its own or embedded. */
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

/* ---- structs and pointers -----------------------------------------------------------------------
 */

/* A value where mergo finds it. */
struct place {
	const struct value *v;
	const struct type *type; /* the value's own, but of what an interface holds */
	bool is_addressable;     /* a pointer leads to it: it can be set */
	bool is_hidden;          /* a field that is not exported: can neither be set nor taken */
	bool is_private;         /* and no embedded struct: what is in it is hidden, too */
};

static struct place place_of_value(const struct value *v)
{
	return (struct place){.v = v, .type = v->type};
}

static bool is_nil(const struct place *place)
{
	return go_ref_is_nil(go_ref_of(place->v));
}

/* Returns the target of a pointer, or the value that an interface holds. */
static struct place inside_of(const struct place *place)
{
	if (!is_pointer(place->v) || place->type->kind == KIND_INTERFACE)
		return place_of_value(place->v);
	return (struct place){.v = place->v->target,
	                      .type = place->v->type->elem,
	                      .is_addressable = true,
	                      .is_hidden = place->is_private,
	                      .is_private = place->is_private};
}

static struct place field_of(const struct place *place, size_t i)
{
	const struct type_field *field = &place->type->fields[i];

	return (struct place){.v = &place->v->fields[i],
	                      .type = field->type,
	                      .is_addressable = place->is_addressable,
	                      .is_hidden = place->is_private || !field->exported,
	                      .is_private =
	                          place->is_private || (!field->exported && !field->embedded)};
}

static bool is_settable(const struct place *place)
{
	return place->is_addressable && !place->is_hidden;
}

static enum status set_place(struct merge *job, const struct place *have, const struct place *item)
{
	if (!is_settable(have))
		return STATUS_OK;
	if (item->is_hidden)
		return tmpl_fail(
		    job->call,
		    "reflect: reflect.Value.Set using value obtained using unexported field");
	if (!is_assignable(item->type, have->type))
		return tmpl_fail(job->call,
		                 "reflect.Set: value of type %.*s is not assignable to type %.*s",
		                 SV_ARG(item->type->name), SV_ARG(have->type->name));
	return refuse_to_change(job);
}

static enum status merge_place(struct merge *job, const struct place *have,
                               const struct place *item);

/* COMPAT: field by field, whatever the structs are. */
static enum status merge_struct(struct merge *job, const struct place *have,
                                const struct place *item)
{
	if (!is_mergeable(have->type))
		return job->overwrite && !is_empty_for_merge(item->v) ? set_place(job, have, item)
		                                                      : STATUS_OK;
	struct place inside = *item;
	if (item->type->inside) {
		inside.v = item->type->inside(job->call->arena, item->v);
		inside.type = inside.v->type;
		item = &inside;
	}
	for (size_t i = 0; i < have->type->field_count; i++) {
		if (item->type->kind != KIND_STRUCT)
			return no_method(job, "Field", item->type);
		if (i >= item->type->field_count)
			return tmpl_fail(job->call, "reflect: Field index out of range");
		struct place from = field_of(item, i);
		struct place into = field_of(have, i);
		TRY(merge_place(job, &into, &from));
	}
	return STATUS_OK;
}

static enum status merge_map_place(struct merge *job, const struct place *have,
                                   const struct place *item)
{
	if (is_nil(have) && !go_type_can_be_nil(item->type))
		return no_method(job, "IsNil", item->type);
	if (is_nil(have) && !is_nil(item))
		return is_settable(have) ? refuse_to_change(job) : STATUS_OK;
	if (item->type->kind != KIND_MAP)
		return job->overwrite ? set_place(job, have, item) : STATUS_OK;
	if (is_nil(item) || have->v->map == item->v->map)
		return STATUS_OK;
	struct value into = *have->v;
	return merge_map(job, &into, item->v);
}

static enum status merge_pointer(struct merge *job, const struct place *have,
                                 const struct place *item)
{
	bool is_interface = item->type->kind == KIND_INTERFACE;
	bool is_plain = !is_interface && item->type->kind != KIND_POINTER;

	if (go_type_can_be_nil(item->type) && is_nil(item))
		return STATUS_OK;
	if (is_nil(have) || (job->overwrite && (is_plain || is_interface)))
		return job->overwrite || is_empty_for_merge(have->v) ? set_place(job, have, item)
		                                                     : STATUS_OK;
	struct place into = inside_of(have);
	struct place from = is_plain ? *item : inside_of(item);
	if (is_interface && into.type->kind != from.type->kind)
		return STATUS_OK;
	job->types_differ |= is_plain && !go_type_same(into.type, from.type);
	return job->types_differ ? STATUS_FAILED : merge_place(job, &into, &from);
}

/* Walks values of the data as mergo does, and refuses the merge if it would change them. */
static enum status merge_place(struct merge *job, const struct place *have,
                               const struct place *item)
{
	TRY(exec_descend(job->call->run));
	TRY(exec_charge(job->call->run, 1));
	if (have->v == item->v)
		return STATUS_OK;
	switch (have->type->kind) {
	case KIND_STRUCT:
		return merge_struct(job, have, item);
	case KIND_MAP:
		return merge_map_place(job, have, item);
	case KIND_POINTER:
	case KIND_INTERFACE:
		return merge_pointer(job, have, item);
	default: /* these are taken as they are */
		return !is_empty_for_merge(item->v) &&
		               (job->overwrite || is_empty_for_merge(have->v))
		           ? set_place(job, have, item)
		           : STATUS_OK;
	}
}

/* ---- dicts --------------------------------------------------------------------------------- */

static enum status merge_entry(struct merge *job, struct value *into, bool into_was_empty,
                               const struct value *from, const struct value_entry *entry)
{
	const struct type *type = from->type->elem;
	const struct value *item = &entry->value;
	struct value *have = value_map_get_mutable(into, entry->key);

	if (value_is_null(item) || (type->kind != KIND_INTERFACE && go_ref_is_nil(go_ref_of(item))))
		return job->overwrite ? merge_set(job, into, entry, type) : STATUS_OK;
	if (value_is(item, KIND_SLICE)) {
		if (have && !go_type_can_be_nil(into->type->elem))
			return no_method(job, "IsNil", have->type);
		if (job->overwrite || into_was_empty || into->type->elem->kind != KIND_INTERFACE)
			return merge_set(job, into, entry, item->type);
	}
	bool nested = is_map(item) || is_pointer(item) || value_is(item, KIND_STRUCT);
	if (have && nested && !value_is_null(have)) {
		struct place place = place_of_value(have);
		struct place other = place_of_value(item);
		TRY(merge_place(job, &place, &other));
	}
	if (have && !is_empty_for_merge(have) &&
	    (!job->overwrite || type->kind == KIND_POINTER || (is_map(have) && is_map(item))))
		return STATUS_OK;
	return merge_set(job, into, entry, type);
}

static enum status merge_map(struct merge *job, struct value *into, const struct value *from)
{
	struct tmpl_run *run = job->call->run;
	bool was_empty = value_count(into) == 0;

	TRY(exec_descend(run));
	TRY(exec_charge(run, 1 + value_count(from)));
	TRY(exec_charge_entries(run, from));
	if (value_count(from) > 0 && !is_assignable(from->type->key, into->type->key))
		return not_assignable(job, "MapIndex", from->type->key, into->type->key);
	dict_mark_keys(into, dict_key_secret(from));
	for (size_t i = 0; i < value_count(from); i++)
		TRY(merge_entry(job, into, was_empty, from, &from->map->entries[i]));
	return STATUS_OK;
}

static enum status merge_maps(struct tmpl_call *call, bool overwrite, bool must)
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
	return merge_maps(call, false, false);
}

static enum status fn_must_merge(struct tmpl_call *call)
{
	return merge_maps(call, false, true);
}

static enum status fn_merge_overwrite(struct tmpl_call *call)
{
	return merge_maps(call, true, false);
}

static enum status fn_must_merge_overwrite(struct tmpl_call *call)
{
	return merge_maps(call, true, true);
}

static const struct tmpl_func funcs[] = {
    TMPL_FUNC_KEEPS("merge", "m*m>a", fn_merge),
    TMPL_FUNC_KEEPS("mergeOverwrite", "m*m>a", fn_merge_overwrite),
    TMPL_FUNC_KEEPS("mustMerge", "m*m>a", fn_must_merge),
    TMPL_FUNC_KEEPS("mustMergeOverwrite", "m*m>a", fn_must_merge_overwrite),
};

const struct tmpl_func_table tmpl_funcs_merge = TMPL_TABLE(funcs);
