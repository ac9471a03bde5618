/*
 * Looking for a secret in a value.
 */
#include "tmpl/exec.h"

static bool may_hold_secrets(const struct value *v)
{
	if (!v || !v->type)
		return false;
	switch (v->type->kind) {
	case KIND_STRING:
	case KIND_SLICE:
	case KIND_ARRAY:
	case KIND_MAP:
	case KIND_POINTER:
	case KIND_STRUCT:
		return true;
	default: /* numbers and the like have no text of their own */
		return false;
	}
}

/*
 * Deeper than any data: where a value contains itself, the search ends here. (The final scan of
 * everything that is written finds a secret however it got there.)
 */
#define SECRET_MAX_DEPTH 500

static enum status find_secret(struct tmpl_run *run, const struct value *v, int depth,
                               const struct secret **ret_secret);

static enum status secret_in_items(struct tmpl_run *run, const struct value *v, int depth,
                                   const struct secret **ret_secret)
{
	size_t count = value_count(v);
	const struct value_map *map = v->type->kind == KIND_MAP ? v->map : NULL;

	TRY(exec_charge(run, count / EXEC_NAMES_PER_STEP));
	if (map)
		*ret_secret = map->key_secret;
	for (size_t i = 0; i < count && !*ret_secret; i++)
		TRY(find_secret(run, map ? &map->entries[i].value : value_item(v, i), depth,
		                ret_secret));
	return STATUS_OK;
}

static enum status find_secret(struct tmpl_run *run, const struct value *v, int depth,
                               const struct secret **ret_secret)
{
	if (*ret_secret || !v || depth > SECRET_MAX_DEPTH)
		return STATUS_OK;
	if (v->taint && v->taint->count > 0) {
		*ret_secret = v->taint->spans[0].secret;
		return STATUS_OK;
	}
	if (!may_hold_secrets(v))
		return STATUS_OK;
	TRY(exec_charge(run, 1));
	TRY(exec_descend(run));
	enum type_kind kind = v->type->kind;
	if (kind == KIND_POINTER)
		return find_secret(run, v->target, depth + 1, ret_secret);
	if (kind == KIND_STRUCT) {
		for (size_t i = 0; v->type->fields && i < v->type->field_count; i++)
			TRY(find_secret(run, &v->fields[i], depth + 1, ret_secret));
		return STATUS_OK;
	}
	if (kind == KIND_MAP || (kind != KIND_STRING && !type_is_bytes(v->type)))
		return secret_in_items(run, v, depth + 1, ret_secret);
	return STATUS_OK;
}

enum status exec_find_secret(struct tmpl_run *run, const struct value *v,
                             const struct secret **ret_secret)
{
	return find_secret(run, v, 0, ret_secret);
}
