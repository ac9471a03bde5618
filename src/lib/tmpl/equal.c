/*
 * reflect.DeepEqual. Go remembers what it compares already, and calls values that contain
 * themselves in the same way equal; here they are beyond the budget of nesting.
 */
#include "tmpl/exec.h"

static enum status maps_equal(struct tmpl_run *run, const struct value *a, const struct value *b,
                              bool *ret_equal)
{
	*ret_equal = a->map == b->map || value_count(a) == value_count(b);
	if (*ret_equal && a->map != b->map)
		TRY(exec_charge_entries(run, a));
	for (size_t i = 0; *ret_equal && a->map != b->map && i < value_count(a); i++) {
		const struct value_entry *entry = &a->map->entries[i];
		const struct value *other = value_map_get(b, entry->key);
		*ret_equal = other != NULL;
		if (other)
			TRY(exec_deep_equal(run, &entry->value, other, ret_equal));
	}
	return STATUS_OK;
}

static enum status lists_equal(struct tmpl_run *run, const struct value *a, const struct value *b,
                               bool *ret_equal)
{
	*ret_equal = value_count(a) == value_count(b);
	if (a->list == b->list && a->list_from == b->list_from)
		return STATUS_OK;
	for (size_t i = 0; *ret_equal && i < value_count(a); i++)
		TRY(exec_deep_equal(run, value_item(a, i), value_item(b, i), ret_equal));
	return STATUS_OK;
}

/* Formatting a time or a number four times. */
#define STEPS_PER_TEXTS 16

/* Compares two times as strings: one has the offset, the other shows if UTC is the local zone. */
static bool same_texts(struct tmpl_run *run, const struct value *a, const struct value *b)
{
	const struct type *type = a->type;

	exec_count(run, STEPS_PER_TEXTS);
	return sv_eq(type->to_string(run->arena, a), type->to_string(run->arena, b)) &&
	       (!type->to_go_string ||
	        sv_eq(type->to_go_string(run->arena, a), type->to_go_string(run->arena, b)));
}

static enum status structs_equal(struct tmpl_run *run, const struct value *a, const struct value *b,
                                 bool *ret_equal)
{
	*ret_equal = true;
	if (!a->type->fields) {
		*ret_equal = a->type->to_string ? same_texts(run, a, b) : a->opaque == b->opaque;
		return STATUS_OK;
	}
	for (size_t i = 0; *ret_equal && i < a->type->field_count; i++)
		TRY(exec_deep_equal(run, &a->fields[i], &b->fields[i], ret_equal));
	return STATUS_OK;
}

static enum status texts_equal(struct tmpl_run *run, sv a, sv b, bool *ret_equal)
{
	*ret_equal = a.len == b.len;
	if (!*ret_equal)
		return STATUS_OK;
	/* Compared many bytes at a time. */
	TRY(exec_charge(run, a.len / 4 / EXEC_BYTES_PER_STEP));
	*ret_equal = sv_eq(a, b);
	return STATUS_OK;
}

static bool is_null(const struct value *v)
{
	return !v || !v->type || v->type == &type_nil;
}

static bool scalars_equal(const struct value *a, const struct value *b)
{
	if (a->type->kind == KIND_BOOL)
		return a->boolean == b->boolean;
	if (go_type_is_float(a->type))
		return a->real == b->real;
	if (a->type->kind == KIND_COMPLEX128)
		return a->complex.re == b->complex.re && a->complex.im == b->complex.im;
	return a->integer == b->integer;
}

enum status exec_deep_equal(struct tmpl_run *run, const struct value *a, const struct value *b,
                            bool *ret_equal)
{
	TRY(exec_charge(run, 1));
	TRY(exec_descend(run));
	*ret_equal = false;
	if (is_null(a) || is_null(b)) {
		*ret_equal = is_null(a) && is_null(b);
		return STATUS_OK;
	}
	bool is_nil = go_ref_is_nil(go_ref_of(a));
	if (!go_type_same(a->type, b->type) || is_nil != go_ref_is_nil(go_ref_of(b)))
		return STATUS_OK;
	enum type_kind kind = a->type->kind;
	if (kind == KIND_STRING || type_is_bytes(a->type))
		return texts_equal(run, a->string, b->string, ret_equal);
	if (kind == KIND_MAP)
		return maps_equal(run, a, b, ret_equal);
	if (kind == KIND_SLICE || kind == KIND_ARRAY)
		return lists_equal(run, a, b, ret_equal);
	if (kind == KIND_STRUCT)
		return structs_equal(run, a, b, ret_equal);
	*ret_equal = kind == KIND_POINTER ? a->target == b->target : scalars_equal(a, b);
	if (kind == KIND_POINTER && !*ret_equal && !is_nil)
		return exec_deep_equal(run, a->target, b->target, ret_equal);
	return STATUS_OK;
}
