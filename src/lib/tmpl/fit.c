/*
 * Conversion of arguments to the types of parameters: values, and constants, which have no type of
 * their own.
 */
#include "tmpl/exec.h"

const struct type type_reflect_value = {.kind = KIND_STRUCT, .name = SV_INIT("reflect.Value")};

static enum run_advice advice_on_expected(sv what)
{
	if (sv_eq(what, SV("string")))
		return RUN_ADVICE_STRING_EXPECTED;
	return sv_eq(what, SV("integer")) ? RUN_ADVICE_INTEGER_EXPECTED : RUN_ADVICE_NONE;
}

/* Allows what Go's assignment and one step of unwrapping allow. */
static enum status fit(struct tmpl_run *run, struct ref value, const struct type *type,
                       struct ref *ret_value)
{
	*ret_value = value;
	if (!type || type == &type_reflect_value)
		return STATUS_OK;
	if (!go_ref_valid(value)) {
		if (!go_type_can_be_nil(type))
			return EXEC_ERROR_ADVISED(run, advice_on_expected(type->name),
			                          "invalid value; expected %s",
			                          value_string(type->name));
		if (type->kind != KIND_INTERFACE)
			*ret_value = go_ref_zero(run->arena, type);
		return STATUS_OK;
	}
	if (type->kind == KIND_INTERFACE)
		return STATUS_OK;
	if (value.boxed && !go_ref_is_nil(value))
		value = go_ref_unboxed(value);
	bool is_same = !value.boxed && go_type_same(value.v->type, type);
	/* A named type of bytes may stand for []byte, and the other way round. */
	if (is_same || (!value.boxed && type_is_bytes(type) && type_is_bytes(value.v->type) &&
	                (type == &type_bytes || value.v->type == &type_bytes))) {
		*ret_value = value;
		return STATUS_OK;
	}
	if (!value.boxed && value.v->type->kind == KIND_POINTER &&
	    go_type_same(value.v->type->elem, type)) {
		if (!value.v->target)
			return EXEC_ERROR(run, "dereference of nil pointer of type %s",
			                  value_string(type->name));
		*ret_value = go_ref_of(value.v->target);
		return STATUS_OK;
	}
	return EXEC_ERROR_ADVISED(
	    run, exec_advice_on_type(go_ref_type(value), advice_on_expected(type->name)),
	    "wrong type for value; expected %s; got %s", value_string(type->name),
	    value_string(go_ref_type(value)->name));
}

/* The type of a value, and its absence, may depend on a secret. */
enum status exec_fit_type(struct tmpl_run *run, struct ref value, const struct type *type,
                          struct ref *ret_value)
{
	const struct secret *outer = run->about;

	run->about = exec_deciding_secret(value);
	enum status status = fit(run, value, type, ret_value);
	run->about = outer;
	if (status == STATUS_OK && go_ref_nil_secret(value))
		ret_value->secret = go_ref_nil_secret(value);
	return status;
}

/* ---- constants --------------------------------------------------------------------------- */

static enum status expected(struct tmpl_run *run, const char *what, const struct parse_node *node)
{
	return EXEC_ERROR_ADVISED(run, advice_on_expected(sv_from_cstr(what)),
	                          "expected %s; found %s", value_string(sv_from_cstr(what)),
	                          value_string(parse_node_text(run->arena, node)));
}

static enum status number_literal(struct tmpl_run *run, const struct type *type,
                                  const struct parse_node *node, struct ref *ret_value)
{
	const struct number_node *number =
	    node->kind == PARSE_NODE_NUMBER ? (const struct number_node *)node : NULL;
	struct value *v = ARENA_NEW(run->arena, struct value);

	v->type = type;
	*ret_value = go_ref_of(v);
	if (go_type_is_float(type)) {
		if (!number || !number->is_float)
			return expected(run, "float", node);
		v->real = number->real;
	} else if (type->kind == KIND_COMPLEX128) {
		if (!number || !number->is_complex)
			return expected(run, "complex", node);
		v->complex.re = number->re;
		v->complex.im = number->im;
	} else if (go_kind_is_int(type->kind)) {
		if (!number || !number->is_int)
			return expected(run, "integer", node);
		v->integer = number->integer;
	} else {
		if (!number || !number->is_uint)
			return expected(run, "unsigned integer", node);
		v->unsigned_integer = type->kind == KIND_UINT32 ? (uint32_t)number->unsigned_integer
		                                                : number->unsigned_integer;
	}
	return STATUS_OK;
}

static enum status eval_ideal(struct tmpl_run *run, const struct number_node *number,
                              struct ref *ret_value)
{
	run->node = &number->node;
	if (!number->ideal.type)
		return EXEC_ERROR(run, "%s overflows int", value_string(number->text));
	*ret_value = go_ref_of(&number->ideal);
	return STATUS_OK;
}

enum status exec_literal(struct tmpl_run *run, const struct type *type,
                         const struct parse_node *node, struct ref *ret_value)
{
	BUG_ON(!type);
	if (type == &type_reflect_value || type->kind == KIND_INTERFACE) {
		if (node->kind == PARSE_NODE_BOOL)
			*ret_value = go_ref_of(&((const struct bool_node *)node)->value);
		else if (node->kind == PARSE_NODE_STRING)
			*ret_value = go_ref_of(&((const struct string_node *)node)->value);
		else if (node->kind == PARSE_NODE_NUMBER)
			return eval_ideal(run, (const struct number_node *)node, ret_value);
		else
			return EXEC_ERROR(
			    run, "can't handle assignment of %s to empty interface argument",
			    value_string(parse_node_text(run->arena, node)));
		return STATUS_OK;
	}
	if (type->kind == KIND_BOOL) {
		if (node->kind != PARSE_NODE_BOOL)
			return expected(run, "bool", node);
		*ret_value = go_ref_of(&((const struct bool_node *)node)->value);
		return STATUS_OK;
	}
	if (type->kind == KIND_STRING) {
		if (node->kind != PARSE_NODE_STRING)
			return expected(run, "string", node);
		*ret_value = go_ref_of(&((const struct string_node *)node)->value);
		return STATUS_OK;
	}
	if (go_kind_is_int(type->kind) || go_kind_is_uint(type->kind) || go_type_is_float(type) ||
	    type->kind == KIND_COMPLEX128)
		return number_literal(run, type, node, ret_value);
	return EXEC_ERROR(run, "can't handle %s for arg of type %s",
	                  value_string(parse_node_text(run->arena, node)),
	                  value_string(type->name));
}

enum status exec_nil(struct tmpl_run *run, const struct type *type, struct ref *ret_value)
{
	*ret_value = REF_INVALID;
	if (type == &type_reflect_value)
		return STATUS_OK;
	if (!go_type_can_be_nil(type))
		return EXEC_ERROR(run, "cannot assign nil to %s", value_string(type->name));
	if (type->kind != KIND_INTERFACE)
		*ret_value = go_ref_zero(run->arena, type);
	return STATUS_OK;
}
