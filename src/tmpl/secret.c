/*
 * Looking for a secret in a value.
 */
#include "secrecy/secrecy.h"
#include "tmpl/exec.h"

static bool may_hold_secrets(const struct value *v)
{
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
 * A walk as everywhere (secrecy_visit), but for the budget: it pays for each value and for the
 * names of large ones. Where a value contains itself the walk ends at some depth; the final scan of
 * everything that is written finds a secret however it got there.
 */
struct search {
	struct tmpl_run *run;
	const struct secret *secret;
	enum status status;
};

static enum status pay(struct tmpl_run *run, const struct value *v)
{
	TRY(exec_charge(run, 1));
	TRY(exec_descend(run));
	return exec_charge(run, value_count(v) / EXEC_NAMES_PER_STEP);
}

static enum secrecy_step look(void *context, struct secrecy_place *place)
{
	struct search *search = context;
	const struct value *v = place->value;

	if (v->taint && v->taint->count > 0) {
		search->secret = v->taint->spans[0].secret;
		return SECRECY_END;
	}
	if (!may_hold_secrets(v))
		return SECRECY_OVER;
	search->status = pay(search->run, v);
	if (search->status != STATUS_OK)
		return SECRECY_END;
	if (value_is_map(v) && v->map)
		search->secret = v->map->key_secret;
	return search->secret ? SECRECY_END : SECRECY_INTO;
}

enum status exec_find_secret(struct tmpl_run *run, const struct value *v,
                             const struct secret **ret_secret)
{
	struct search search = {.run = run, .status = STATUS_OK};

	secrecy_visit(v, look, &search);
	if (search.status == STATUS_OK)
		*ret_secret = search.secret;
	return search.status;
}
