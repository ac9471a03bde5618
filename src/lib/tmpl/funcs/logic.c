/*
 * Defaults, choices, types.
 */
#include "tmpl/exec.h"
#include "tmpl/func.h"
#include "tmpl/funcs/convert.h"

/* Structs are never empty, and pointers only if they are nil. */
bool value_is_empty(const struct value *v)
{
	if (!v || !v->type || v->type == &type_nil)
		return true;
	if (v->type->kind == KIND_STRUCT)
		return false;
	return !go_ref_truth(go_ref_of(v));
}

static enum status return_any(struct tmpl_call *call, const struct value *v)
{
	return tmpl_return(call, value_or_null(v));
}

static enum status fn_default(struct tmpl_call *call)
{
	if (call->arg_count < 2 || value_is_empty(arg_value(call, 1)))
		return return_any(call, arg_value(call, 0));
	return return_any(call, arg_value(call, 1));
}

static enum status fn_empty(struct tmpl_call *call)
{
	return tmpl_return_bool(call, value_is_empty(arg_value(call, 0)));
}

static enum status fn_coalesce(struct tmpl_call *call)
{
	for (size_t i = 0; i < call->arg_count; i++)
		if (!value_is_empty(arg_value(call, i)))
			return return_any(call, arg_value(call, i));
	return tmpl_return_nil(call);
}

static enum status fn_all(struct tmpl_call *call)
{
	for (size_t i = 0; i < call->arg_count; i++)
		if (value_is_empty(arg_value(call, i)))
			return tmpl_return_bool(call, false);
	return tmpl_return_bool(call, true);
}

static enum status fn_any(struct tmpl_call *call)
{
	for (size_t i = 0; i < call->arg_count; i++)
		if (!value_is_empty(arg_value(call, i)))
			return tmpl_return_bool(call, true);
	return tmpl_return_bool(call, false);
}

static enum status fn_ternary(struct tmpl_call *call)
{
	return return_any(call, arg_value(call, call->args[2].v->boolean ? 0 : 1));
}

static enum status fn_fail(struct tmpl_call *call)
{
	/* Concatenate without printf: the string may hold NULs. */
	return exec_pend_advised(call->run, TMPL_EXEC, RUN_ADVICE_FAIL, arg_string(call, 0));
}

static enum status fn_deep_equal(struct tmpl_call *call)
{
	bool equal;

	TRY(exec_deep_equal(call->run, arg_value(call, 0), arg_value(call, 1), &equal));
	return tmpl_return_bool(call, equal);
}

/* ---- types ------------------------------------------------------------------------------- */

static sv type_name(const struct value *v)
{
	return v ? v->type->name : SV("<nil>");
}

static sv kind_name(const struct value *v)
{
	return type_kind_name(v ? v->type->kind : KIND_INVALID);
}

static enum status fn_type_of(struct tmpl_call *call)
{
	return tmpl_return_string(call, type_name(arg_value(call, 0)));
}

static enum status fn_type_is(struct tmpl_call *call)
{
	return tmpl_return_bool(call, sv_eq(arg_string(call, 0), type_name(arg_value(call, 1))));
}

static enum status fn_type_is_like(struct tmpl_call *call)
{
	sv want = arg_string(call, 0);
	sv have = type_name(arg_value(call, 1));
	bool like = sv_eq(want, have) ||
	            (sv_starts_with(have, SV("*")) && sv_eq(want, sv_from_offset(have, 1)));

	return tmpl_return_bool(call, like);
}

static enum status fn_kind_of(struct tmpl_call *call)
{
	return tmpl_return_string(call, kind_name(arg_value(call, 0)));
}

static enum status fn_kind_is(struct tmpl_call *call)
{
	return tmpl_return_bool(call, sv_eq(arg_string(call, 0), kind_name(arg_value(call, 1))));
}

/* The names of types hold nothing of a value. */
static const struct tmpl_func funcs[] = {
    TMPL_FUNC_FLAGS("all", "*a>b", fn_all, FUNC_TRUTH),
    TMPL_FUNC_FLAGS("any", "*a>b", fn_any, FUNC_TRUTH),
    TMPL_FUNC_KEEPS("coalesce", "*a>a", fn_coalesce),
    TMPL_FUNC("deepEqual", "aa>b", fn_deep_equal),
    TMPL_FUNC_KEEPS("default", "a*a>a", fn_default),
    TMPL_FUNC_FLAGS("empty", "a>b", fn_empty, FUNC_TRUTH),
    TMPL_FUNC("fail", "s>s", fn_fail),
    TMPL_FUNC("kindIs", "sa>b", fn_kind_is),
    TMPL_FUNC("kindOf", "a>s", fn_kind_of),
    TMPL_FUNC_CHOOSES("ternary", "aab>a", fn_ternary, FUNC_CHOOSES_THIRD),
    TMPL_FUNC("typeIs", "sa>b", fn_type_is),
    TMPL_FUNC("typeIsLike", "sa>b", fn_type_is_like),
    TMPL_FUNC("typeOf", "a>s", fn_type_of),
};

const struct tmpl_func_table tmpl_funcs_logic = TMPL_TABLE(funcs);
