/*
 * sprig's lists: made of [] interface {}, never changed in place but by sortAlpha.
 */
#include "tmpl/exec.h"
#include "tmpl/func.h"
#include "tmpl/funcs/convert.h"

#include <math.h>

static const struct type type_list_list = {
    .kind = KIND_SLICE, .name = SV_INIT("[][]interface {}"), .elem = &type_any_list};

static struct value nil_list(void)
{
	return (struct value){.type = &type_any_list};
}

struct value string_list_new(struct arena *arena)
{
	struct value list = value_list_new(arena);

	list.type = &type_string_list;
	return list;
}

void list_add_string(struct arena *arena, struct value *list, sv s)
{
	value_list_add(arena, list, value_string(s));
}

/* The list argument, or the failure of sprig's own functions: "Cannot push on type string". */
static enum status list_arg(struct tmpl_call *call, size_t i, const char *what,
                            const struct value **ret_list, size_t *ret_len)
{
	const struct value *v = arg_value(call, i);

	*ret_len = 0;
	if (!v)
		return tmpl_fail(call, "runtime error: invalid memory address or nil pointer "
		                       "dereference");
	if (v->type->kind != KIND_SLICE && v->type->kind != KIND_ARRAY) {
		sv kind = type_kind_name(v->type->kind);
		return tmpl_fail(call, "%s %.*s", what, SV_ARG(kind));
	}
	(void)go_value_len(v, ret_len);
	TRY(exec_charge(call->run, *ret_len));
	TRY(exec_room(call->run, EXEC_BYTES_OF_ITEMS(*ret_len)));
	*ret_list = v;
	return STATUS_OK;
}

/* The i-th element as interface {} holds it. */
static struct value item_of(struct tmpl_call *call, const struct value *list, size_t i)
{
	return value_or_null(go_ref_unboxed(go_value_element(call->arena, list, i)).v);
}

static enum status fn_list(struct tmpl_call *call)
{
	struct value list = value_list_new(call->arena);

	for (size_t i = 0; i < call->arg_count; i++)
		value_list_add(call->arena, &list, value_or_null(arg_value(call, i)));
	return tmpl_return(call, list);
}

static void add_items(struct tmpl_call *call, struct value *into, const struct value *list,
                      size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		value_list_add(call->arena, into, item_of(call, list, i));
}

static enum status fn_append(struct tmpl_call *call)
{
	struct value result = value_list_new(call->arena);
	const struct value *list;
	size_t len;

	TRY(list_arg(call, 0, "Cannot push on type", &list, &len));
	add_items(call, &result, list, 0, len);
	value_list_add(call->arena, &result, value_or_null(arg_value(call, 1)));
	return tmpl_return(call, result);
}

static enum status fn_prepend(struct tmpl_call *call)
{
	struct value result = value_list_new(call->arena);
	const struct value *list;
	size_t len;

	TRY(list_arg(call, 0, "Cannot prepend on type", &list, &len));
	value_list_add(call->arena, &result, value_or_null(arg_value(call, 1)));
	add_items(call, &result, list, 0, len);
	return tmpl_return(call, result);
}

static enum status fn_first(struct tmpl_call *call)
{
	const struct value *list;
	size_t len;

	TRY(list_arg(call, 0, "Cannot find first on type", &list, &len));
	return len > 0 ? tmpl_return(call, item_of(call, list, 0)) : tmpl_return_nil(call);
}

static enum status fn_last(struct tmpl_call *call)
{
	const struct value *list;
	size_t len;

	TRY(list_arg(call, 0, "Cannot find last on type", &list, &len));
	return len > 0 ? tmpl_return(call, item_of(call, list, len - 1)) : tmpl_return_nil(call);
}

static enum status fn_rest(struct tmpl_call *call)
{
	struct value result = value_list_new(call->arena);
	const struct value *list;
	size_t len;

	TRY(list_arg(call, 0, "Cannot find rest on type", &list, &len));
	if (len == 0)
		return tmpl_return(call, nil_list());
	add_items(call, &result, list, 1, len);
	return tmpl_return(call, result);
}

static enum status fn_initial(struct tmpl_call *call)
{
	struct value result = value_list_new(call->arena);
	const struct value *list;
	size_t len;

	TRY(list_arg(call, 0, "Cannot find initial on type", &list, &len));
	if (len == 0)
		return tmpl_return(call, nil_list());
	add_items(call, &result, list, 0, len - 1);
	return tmpl_return(call, result);
}

static enum status fn_reverse(struct tmpl_call *call)
{
	struct value result = value_list_new(call->arena);
	const struct value *list;
	size_t len;

	TRY(list_arg(call, 0, "Cannot find reverse on type", &list, &len));
	for (size_t i = len; i > 0; i--)
		value_list_add(call->arena, &result, item_of(call, list, i - 1));
	return tmpl_return(call, result);
}

static enum status fn_compact(struct tmpl_call *call)
{
	struct value result = value_list_new(call->arena);
	const struct value *list;
	size_t len;

	TRY(list_arg(call, 0, "Cannot compact on type", &list, &len));
	for (size_t i = 0; i < len; i++) {
		struct value item = item_of(call, list, i);
		if (!value_is_empty(&item))
			value_list_add(call->arena, &result, item);
	}
	return tmpl_return(call, result);
}

static enum status fn_uniq(struct tmpl_call *call)
{
	struct value result = value_list_new(call->arena);
	const struct value *list;
	size_t len;

	TRY(list_arg(call, 0, "Cannot find uniq on type", &list, &len));
	for (size_t i = 0; i < len; i++) {
		struct value item = item_of(call, list, i);
		bool seen = false;
		for (size_t j = 0; j < value_count(&result) && !seen; j++)
			TRY(exec_deep_equal(call->run, &item, value_item(&result, j), &seen));
		if (!seen)
			value_list_add(call->arena, &result, item);
	}
	return tmpl_return(call, result);
}

static enum status fn_without(struct tmpl_call *call)
{
	struct value result = value_list_new(call->arena);
	const struct value *list;
	size_t len;

	TRY(list_arg(call, 0, "Cannot find without on type", &list, &len));
	for (size_t i = 0; i < len; i++) {
		struct value item = item_of(call, list, i);
		bool omitted = false;
		for (size_t j = 1; j < call->arg_count && !omitted; j++)
			TRY(exec_deep_equal(call->run, &item, arg_value(call, j), &omitted));
		if (!omitted)
			value_list_add(call->arena, &result, item);
	}
	return tmpl_return(call, result);
}

static enum status fn_has(struct tmpl_call *call)
{
	const struct value *list;
	bool found = false;
	size_t len;

	if (!arg_value(call, 1))
		return tmpl_return_bool(call, false);
	TRY(list_arg(call, 1, "Cannot find has on type", &list, &len));
	for (size_t i = 0; i < len && !found; i++) {
		struct value item = item_of(call, list, i);
		TRY(exec_deep_equal(call->run, arg_value(call, 0), &item, &found));
	}
	return tmpl_return_bool(call, found);
}

/* A part that shares the list's store. */
static enum status fn_slice(struct tmpl_call *call)
{
	const struct value *list;
	size_t len;

	TRY(list_arg(call, 0, "list should be type of slice or array but", &list, &len));
	if (len == 0)
		return tmpl_return_nil(call);
	int64_t start = call->arg_count > 1 ? cast_int(arg_value(call, 1)) : 0;
	int64_t end = call->arg_count > 2 ? cast_int(arg_value(call, 2)) : (int64_t)len;
	/* Go lets a slice grow again up to its capacity; lists here end where they end. */
	if (start < 0 || start > end || end > (int64_t)len)
		return tmpl_fail(call, "reflect.Value.Slice: slice index out of bounds");
	struct value part = *list;
	if (type_is_bytes(part.type)) {
		part.string = sv_slice(part.string, (size_t)start, (size_t)end);
		part.taint = taint_slice(call->arena, part.taint, (size_t)start, (size_t)end);
	} else {
		part.list_from += (size_t)start;
		part.list_len = (size_t)(end - start);
	}
	return tmpl_return(call, part);
}

static enum status fn_concat(struct tmpl_call *call)
{
	struct value result = nil_list();

	for (size_t i = 0; i < call->arg_count; i++) {
		const struct value *list = arg_value(call, i);
		size_t len;
		if (list && list->type->kind != KIND_SLICE && list->type->kind != KIND_ARRAY) {
			sv kind = type_kind_name(list->type->kind);
			return tmpl_fail(call, "Cannot concat type %.*s as list", SV_ARG(kind));
		}
		TRY(list_arg(call, i, "", &list, &len));
		if (len > 0 && !result.list)
			result = value_list_new(call->arena);
		add_items(call, &result, list, 0, len);
	}
	return tmpl_return(call, result);
}

static enum status fn_chunk(struct tmpl_call *call)
{
	int64_t size = arg_int(call, 0);
	struct value result = value_list_new(call->arena);
	const struct value *list;
	size_t len;

	TRY(list_arg(call, 1, "Cannot chunk type", &list, &len));
	result.type = &type_list_list;
	/* COMPAT: sprig's sums for sizes that make no sense; one element is a chunk of its own. */
	double chunks = floor(((double)len - 1) / (double)size) + 1;
	if (size < -1 && len == 1)
		size = 1;
	else if (size <= 0 && !(chunks == 0))
		return tmpl_fail(call, "runtime error: makeslice: len out of range");
	for (size_t from = 0; size > 0 && from < len; from += (size_t)size) {
		TRY(exec_room(call->run, 0));
		struct value part = value_list_new(call->arena);
		size_t to = len - from > (size_t)size ? from + (size_t)size : len;
		add_items(call, &part, list, from, to);
		value_list_add(call->arena, &result, part);
		if (to == len)
			break;
	}
	return tmpl_return(call, result);
}

/* ---- lists of strings -------------------------------------------------------------------- */

/* strval with the taint it must have. */
static enum status add_strval(struct tmpl_call *call, const struct value *v, struct value *list)
{
	struct exec_secrets secrets = {0};
	struct value text;
	sv s;

	if (v->type == &type_string) {
		value_list_add(call->arena, list, *v);
		return STATUS_OK;
	}
	TRY(arg_strval(call, v, &s));
	TRY(exec_find_secrets(call->run, go_ref_of(v), &secrets));
	text = value_string(s);
	text.taint = secrets.derived ? taint_derived(call->arena, s.len, secrets.derived)
	                             : taint_whole(call->arena, s.len, secrets.any);
	value_list_add(call->arena, list, text);
	return STATUS_OK;
}

/* strslice: a []string as it is, other lists by strval without their nils, a scalar as one. */
static enum status to_string_list(struct tmpl_call *call, const struct value *v,
                                  struct value *ret_list)
{
	struct value list = string_list_new(call->arena);
	size_t len;

	*ret_list = list;
	if (!v)
		return STATUS_OK;
	if (v->type == &type_string_list) {
		*ret_list = *v;
		return STATUS_OK;
	}
	if (v->type->kind != KIND_SLICE && v->type->kind != KIND_ARRAY) {
		TRY(add_strval(call, v, &list));
		*ret_list = list;
		return STATUS_OK;
	}
	(void)go_value_len(v, &len);
	TRY(exec_charge(call->run, len));
	TRY(exec_room(call->run, EXEC_BYTES_OF_ITEMS(len)));
	for (size_t i = 0; i < len; i++) {
		struct ref item = go_ref_unboxed(go_value_element(call->arena, v, i));
		if (go_ref_valid(item))
			TRY(add_strval(call, item.v, &list));
	}
	*ret_list = list;
	return STATUS_OK;
}

static enum status fn_to_strings(struct tmpl_call *call)
{
	struct value list;

	TRY(to_string_list(call, arg_value(call, 0), &list));
	return tmpl_return(call, list);
}

static enum status fn_join(struct tmpl_call *call)
{
	struct text out = text_in(call->arena);
	struct value list;

	TRY(to_string_list(call, arg_value(call, 1), &list));
	for (size_t i = 0; i < value_count(&list); i++) {
		if (i > 0)
			text_add_value(&out, call->args[0].v);
		text_add_value(&out, value_item(&list, i));
		TRY(exec_room(call->run, 0));
	}
	return tmpl_return(call, text_value(call->arena, &out));
}

/* A merge sort looks at each text about as often as the count has bits. */
static enum status charge_sort(struct tmpl_call *call, const struct value *list)
{
	uint64_t steps = 0;
	uint64_t rounds = 1;

	for (size_t count = value_count(list); count > 1; count /= 2)
		rounds++;
	for (size_t i = 0; i < value_count(list); i++)
		steps += 1 + value_item(list, i)->string.len / 4 / EXEC_BYTES_PER_STEP;
	return exec_charge(call->run, steps * rounds);
}

/* A []string is sorted where it lies: other names for it see that. */
static enum status fn_sort_alpha(struct tmpl_call *call)
{
	const struct value *v = arg_value(call, 0);
	struct value list = string_list_new(call->arena);

	if (!v) {
		list_add_string(call->arena, &list, SV("<nil>"));
		return tmpl_return(call, list);
	}
	TRY(to_string_list(call, v, &list));
	TRY(charge_sort(call, &list));
	if (value_count(&list) > 1)
		SORT_BY(value_item_mutable(&list, 0), value_count(&list), string);
	return tmpl_return(call, list);
}

/* strings.SplitN; count below zero: all parts. */
static void split_text(struct tmpl_call *call, sv s, sv separator, int64_t count,
                       struct value *list)
{
	size_t width;

	if (count == 0)
		return;
	while (count < 0 || --count > 0) {
		size_t at;
		if (separator.len > 0) {
			at = sv_find(s, separator);
			if (at == SV_NPOS)
				break;
		} else {
			/* Into runes; the last one is what is left. */
			if (s.len == 0)
				return;
			utf8_decode(s, &width);
			if (width == s.len)
				break;
			at = width;
		}
		list_add_string(call->arena, list, sv_slice(s, 0, at));
		s = sv_from_offset(s, at + separator.len);
	}
	if (separator.len > 0 || s.len > 0)
		list_add_string(call->arena, list, s);
}

/* Charges for the parts of a string as items of a list; numbered ones are entries of a map too. */
static enum status charge_parts(struct tmpl_call *call, sv s, sv separator, bool numbered)
{
	size_t parts = separator.len == 0 ? s.len + 1 : 1;
	size_t at;

	for (; separator.len > 0 && (at = sv_find(s, separator)) != SV_NPOS; parts++)
		s = sv_from_offset(s, at + separator.len);
	TRY(exec_charge(call->run, numbered ? 8 * parts : parts));
	return exec_room(call->run, EXEC_BYTES_OF_ITEMS(numbered ? 3 * parts : parts));
}

static enum status fn_split_list(struct tmpl_call *call)
{
	struct value list = string_list_new(call->arena);

	TRY(charge_parts(call, arg_string(call, 1), arg_string(call, 0), false));
	split_text(call, arg_string(call, 1), arg_string(call, 0), -1, &list);
	return tmpl_return(call, list);
}

/* Parts under the keys _0, _1, ... */
static enum status return_numbered(struct tmpl_call *call, const struct value *list)
{
	struct value map = value_map_new(call->arena);

	map.type = &type_string_map;
	for (size_t i = 0; i < value_count(list); i++)
		value_map_set(call->arena, &map, arena_printf(call->arena, "_%zu", i),
		              *value_item(list, i));
	return tmpl_return(call, map);
}

static enum status fn_split(struct tmpl_call *call)
{
	struct value list = string_list_new(call->arena);

	TRY(charge_parts(call, arg_string(call, 1), arg_string(call, 0), true));
	split_text(call, arg_string(call, 1), arg_string(call, 0), -1, &list);
	return return_numbered(call, &list);
}

static enum status fn_splitn(struct tmpl_call *call)
{
	struct value list = string_list_new(call->arena);

	TRY(charge_parts(call, arg_string(call, 2), arg_string(call, 0), true));
	split_text(call, arg_string(call, 2), arg_string(call, 0), arg_int(call, 1), &list);
	return return_numbered(call, &list);
}

/* The must* twin fails in the same words. */
#define BOTH(name, must_name, signature, impl, flags)                                              \
	TMPL_FUNC_FLAGS(name, signature, impl, flags),                                             \
	    TMPL_FUNC_FLAGS(must_name, signature, impl, flags)

static const struct tmpl_func funcs[] = {
    BOTH("append", "mustAppend", "aa>l", fn_append, FUNC_KEEPS_TAINT),
    BOTH("chunk", "mustChunk", "ia>L", fn_chunk, FUNC_KEEPS_TAINT | FUNC_CHOOSES_FIRST),
    BOTH("compact", "mustCompact", "a>l", fn_compact, 0),
    TMPL_FUNC_KEEPS("concat", "*a>a", fn_concat),
    BOTH("first", "mustFirst", "a>a", fn_first, FUNC_KEEPS_TAINT),
    TMPL_FUNC("has", "aa>b", fn_has),
    BOTH("initial", "mustInitial", "a>l", fn_initial, FUNC_KEEPS_TAINT),
    TMPL_FUNC_KEEPS("join", "sa>s", fn_join),
    BOTH("last", "mustLast", "a>a", fn_last, FUNC_KEEPS_TAINT),
    TMPL_FUNC_KEEPS("list", "*a>l", fn_list),
    TMPL_FUNC("mustHas", "aa>b", fn_has),
    BOTH("prepend", "mustPrepend", "aa>l", fn_prepend, FUNC_KEEPS_TAINT),
    BOTH("push", "mustPush", "aa>l", fn_append, FUNC_KEEPS_TAINT),
    BOTH("rest", "mustRest", "a>l", fn_rest, FUNC_KEEPS_TAINT),
    BOTH("reverse", "mustReverse", "a>l", fn_reverse, FUNC_KEEPS_TAINT),
    BOTH("slice", "mustSlice", "a*a>a", fn_slice, FUNC_KEEPS_TAINT | FUNC_CHOOSES_REST),
    TMPL_FUNC_FLAGS("sortAlpha", "a>S", fn_sort_alpha, FUNC_SORTS),
    TMPL_FUNC("split", "ss>M", fn_split),
    TMPL_FUNC("splitList", "ss>S", fn_split_list),
    TMPL_FUNC("splitn", "sis>M", fn_splitn),
    TMPL_FUNC_KEEPS("toStrings", "a>S", fn_to_strings),
    TMPL_FUNC_KEEPS("tuple", "*a>l", fn_list),
    BOTH("uniq", "mustUniq", "a>l", fn_uniq, 0),
    BOTH("without", "mustWithout", "a*a>l", fn_without, 0),
};

const struct tmpl_func_table tmpl_funcs_lists = TMPL_TABLE(funcs);
