/*
 * Pipelines, commands, fields (docs/spec/templates.md 3.4).
 */
#include "tmpl/exec.h"

static struct value text_of_node(struct tmpl_run *run, const struct parse_node *node)
{
	return value_string(parse_node_text(run->arena, node));
}

/* ---- variables --------------------------------------------------------------------------- */

static struct exec_variable *find_variable(struct tmpl_run *run, sv name)
{
	for (size_t i = run->vars.count; i > 0; i--) {
		if (!sv_eq(run->vars.items[i - 1].name, name))
			continue;
		exec_count(run, (run->vars.count - i) / EXEC_NAMES_PER_STEP);
		return &run->vars.items[i - 1];
	}
	return NULL;
}

enum status exec_set_variable(struct tmpl_run *run, sv name, struct ref value)
{
	struct exec_variable *variable = find_variable(run, name);

	if (!variable)
		return EXEC_ERROR_ADVISED(run, RUN_ADVICE_UNDECLARED_VARIABLE,
		                          "undefined variable: %s", value_string(name));
	variable->value = value;
	return STATUS_OK;
}

static enum status get_variable(struct tmpl_run *run, sv name, struct ref *ret_value)
{
	struct exec_variable *variable = find_variable(run, name);

	if (!variable)
		return EXEC_ERROR_ADVISED(run, RUN_ADVICE_UNDECLARED_VARIABLE,
		                          "undefined variable: %s", value_string(name));
	*ret_value = variable->value;
	return STATUS_OK;
}

/* ---- fields ------------------------------------------------------------------------------ */

struct field_access {
	sv name;
	const struct parse_node *node;
	struct call_args args;
	const struct type *static_type; /* of the receiver, before pointers were followed */
};

static bool has_args(const struct call_args *args)
{
	return (args->nodes && args->nodes->count > 1) || args->final;
}

static const struct type_method *method_of_type(const struct type *type, sv name)
{
	for (size_t i = 0; i < type->method_count; i++)
		if (sv_eq_cstr(name, type->methods[i].name))
			return &type->methods[i];
	return NULL;
}

/* A method of the value, or of the pointer to it. */
static const struct type_method *find_method(const struct ref receiver, const struct value *pointer,
                                             sv name, const struct value **ret_on)
{
	const struct type_method *method = NULL;

	if (pointer) {
		*ret_on = pointer;
		method = method_of_type(pointer->type, name);
	}
	if (!method && receiver.v != pointer) {
		*ret_on = receiver.v;
		method = method_of_type(receiver.v->type, name);
	}
	return method;
}

/* Finds the method of an embedded struct or value; *ret_on is null if a nil pointer leads to it. */
static const struct type_method *find_promoted(const struct value *v, sv name,
                                               const struct value **ret_on)
{
	const struct type *type = v->type->kind == KIND_POINTER ? v->type->elem : v->type;
	const struct value *fields = v->type->kind == KIND_POINTER ? NULL : v->fields;

	if (type->kind != KIND_STRUCT)
		return NULL;
	for (size_t i = 0; type->fields && i < type->field_count; i++) {
		const struct type_method *method =
		    type->fields[i].embedded ? method_of_type(type->fields[i].type, name) : NULL;
		if (!method)
			continue;
		*ret_on = fields ? &fields[i] : NULL;
		return method;
	}
	return NULL;
}

static enum status method_of_nil(struct tmpl_call *call)
{
	return tmpl_fail(call, "runtime error: invalid memory address or nil pointer dereference");
}

static enum status call_method(struct tmpl_run *run, struct ref dot,
                               const struct field_access *access, const struct type_method *method,
                               const struct value *on, struct ref *ret_value)
{
	struct call_site site = {.name = access->name,
	                         .signature = method->signature,
	                         .impl = on ? method->impl : method_of_nil,
	                         .receiver = on,
	                         .node = access->node,
	                         .args = access->args};

	return exec_call(run, dot, &site, ret_value);
}

static enum status struct_field(struct tmpl_run *run, const struct field_access *access,
                                const struct value *v, bool *ret_found, struct ref *ret_value)
{
	const struct type_field *field;
	const struct value *found = go_value_field(v, access->name, &field);

	*ret_found = found != NULL;
	if (!found)
		return STATUS_OK;
	if (!field->exported)
		return EXEC_ERROR(run, "%s is an unexported field of struct type %s",
		                  value_string(access->name),
		                  value_string(access->static_type->name));
	if (has_args(&access->args))
		return EXEC_ERROR_ADVISED(run, RUN_ADVICE_FIELD_WITH_ARGUMENTS,
		                          "%s has arguments but cannot be invoked as function",
		                          value_string(access->name));
	*ret_value = (struct ref){.v = found, .boxed = field->type == &type_any};
	return STATUS_OK;
}

static const struct value *entry_under(struct tmpl_run *run, const struct value *map, sv key)
{
	if (map->type->key && map->type->key->kind == KIND_INTERFACE) {
		exec_count(run, value_count(map) / EXEC_NAMES_PER_STEP);
		for (size_t i = 0; i < value_count(map); i++) {
			const struct value_entry *entry = &map->map->entries[i];
			if (entry->typed_key ? entry->typed_key->type == &type_string &&
			                           sv_eq(entry->typed_key->string, key)
			                     : sv_eq(entry->key, key))
				return &entry->value;
		}
		return NULL;
	}
	return value_map_get(map, key);
}

static enum status map_field(struct tmpl_run *run, const struct field_access *access,
                             const struct value *map, struct ref *ret_value)
{
	if (has_args(&access->args))
		return EXEC_ERROR(run, "%s is not a method but has arguments",
		                  value_string(access->name));
	const struct value *found = entry_under(run, map, access->name);
	*ret_value = (struct ref){.v = found, .boxed = found && map->type->elem == &type_any};
	if (found)
		return STATUS_OK;
	/* If the map is derived from a secret, a missing key reveals something about it. */
	ret_value->secret = exec_deciding_secret(go_ref_of(map));
	switch (run->set->missing_key) {
	case TMPL_MISSING_DEFAULT:
		break;
	case TMPL_MISSING_ZERO:
		*ret_value = go_ref_zero(run->arena, map->type->elem);
		break;
	case TMPL_MISSING_ERROR:
		return EXEC_ERROR(run, "map has no entry for key %q", value_string(access->name));
	}
	return STATUS_OK;
}

static bool has_string_keys(const struct type *map)
{
	return map->key == &type_string || !map->key || map->key->kind == KIND_INTERFACE;
}

static enum status eval_field(struct tmpl_run *run, struct ref dot, struct field_access *access,
                              struct ref receiver, struct ref *ret_value)
{
	const struct value *pointer = NULL;
	const struct value *on = NULL;
	bool is_nil = false;
	bool found = false;

	*ret_value = (struct ref){.secret = go_ref_nil_secret(receiver)};
	if (!go_ref_valid(receiver)) {
		if (run->set->missing_key == TMPL_MISSING_ERROR)
			return EXEC_ERROR(run, "nil data; no entry for key %q",
			                  value_string(access->name));
		return STATUS_OK;
	}
	access->static_type = go_ref_type(receiver);
	while (!is_nil && (go_ref_kind(receiver) == KIND_POINTER || receiver.boxed)) {
		is_nil = go_ref_is_nil(receiver);
		if (!receiver.boxed)
			pointer = receiver.v;
		if (!is_nil)
			receiver =
			    receiver.boxed ? go_ref_unboxed(receiver) : go_ref_target(receiver.v);
	}
	struct value type_name = value_string(access->static_type->name);
	struct value field_name = value_string(access->name);
	if (receiver.boxed)
		return EXEC_ERROR_ADVISED(run,
		                          exec_advice_on_type(access->static_type, RUN_ADVICE_NONE),
		                          "nil pointer evaluating %s.%s", type_name, field_name);
	BUG_ON(!receiver.v);
	const struct type_method *method = find_method(receiver, pointer, access->name, &on);
	if (method)
		return call_method(run, dot, access, method, on, ret_value);
	enum type_kind kind = go_ref_kind(receiver);
	if (kind == KIND_STRUCT) {
		TRY(struct_field(run, access, receiver.v, &found, ret_value));
		if (found)
			return STATUS_OK;
	} else if (kind == KIND_MAP && has_string_keys(receiver.v->type)) {
		return map_field(run, access, receiver.v, ret_value);
	} else if (kind == KIND_POINTER) {
		const struct type *elem = receiver.v->type->elem;
		if (is_nil && (elem->kind != KIND_STRUCT || go_type_has_field(elem, access->name)))
			return EXEC_ERROR_ADVISED(
			    run, exec_advice_on_type(access->static_type, RUN_ADVICE_NONE),
			    "nil pointer evaluating %s.%s", type_name, field_name);
	}
	method = find_promoted(receiver.v, access->name, &on);
	if (method)
		return call_method(run, dot, access, method, on, ret_value);
	run->unknown.name = access->name;
	run->unknown.type = access->static_type;
	return EXEC_ERROR(run, "can't evaluate field %s in type %s", field_name, type_name);
}

/* ".A.B.C": the names after a value; the last one takes the arguments. */
struct chain {
	const struct parse_node *node;
	const sv *names;
	size_t count;
	struct call_args args;
};

/* Returns the position of the first name; a node of several names has that of the second. */
static uint32_t chain_start(const struct chain *chain)
{
	if (chain->node->kind == PARSE_NODE_FIELD && chain->count > 1)
		return chain->node->pos - (uint32_t)chain->names[0].len - 1;
	return chain->node->pos;
}

static enum status eval_chain(struct tmpl_run *run, struct ref dot, struct ref receiver,
                              const struct chain *chain, struct ref *ret_value)
{
	uint32_t pos = chain_start(chain);

	exec_count(run, chain->count);
	for (size_t i = 0; i < chain->count; i++) {
		struct field_access access = {.name = chain->names[i], .node = chain->node};
		exec_count(run, access.name.len / EXEC_BYTES_PER_STEP);
		if (i + 1 == chain->count)
			access.args = chain->args;
		const struct secret *outer = run->about;
		run->about = exec_deciding_secret(receiver);
		enum status status = eval_field(run, dot, &access, receiver, &receiver);
		run->about = outer;
		if (status != STATUS_OK) {
			/* A failure inside an argument has its own position. */
			if (!run->blamed && !has_args(&access.args)) {
				run->blamed = true;
				run->blame_pos = pos;
			}
			return STATUS_FAILED;
		}
		pos += (uint32_t)chain->names[i].len + 1;
	}
	*ret_value = receiver;
	return STATUS_OK;
}

/* ---- commands ---------------------------------------------------------------------------- */

static enum status not_a_function(struct tmpl_run *run, struct call_args args)
{
	if (has_args(&args))
		return EXEC_ERROR(run, "can't give argument to non-function %s",
		                  text_of_node(run, args.nodes->items[0]));
	return STATUS_OK;
}

static enum status eval_field_node(struct tmpl_run *run, struct ref dot,
                                   const struct field_node *field, struct call_args args,
                                   struct ref *ret_value)
{
	const struct chain names = {&field->node, field->idents.items, field->idents.count, args};

	run->node = &field->node;
	return eval_chain(run, dot, dot, &names, ret_value);
}

static enum status eval_chain_node(struct tmpl_run *run, struct ref dot,
                                   const struct chain_node *chain, struct call_args args,
                                   struct ref *ret_value)
{
	const struct chain names = {&chain->node, chain->fields.items, chain->fields.count, args};
	struct ref receiver = REF_INVALID;

	run->node = &chain->node;
	TRY(exec_arg(run, dot, NULL, chain->of, &receiver));
	return eval_chain(run, dot, receiver, &names, ret_value);
}

static enum status eval_variable_node(struct tmpl_run *run, struct ref dot,
                                      const struct variable_node *variable, struct call_args args,
                                      struct ref *ret_value)
{
	const struct chain names = {&variable->node, variable->idents.items + 1,
	                            variable->idents.count - 1, args};
	struct ref value = REF_INVALID;

	run->node = &variable->node;
	TRY(get_variable(run, variable->idents.items[0], &value));
	if (names.count > 0)
		return eval_chain(run, dot, value, &names, ret_value);
	*ret_value = value;
	return not_a_function(run, args);
}

/* at: the node that a failing call is blamed on. */
static enum status eval_identifier(struct tmpl_run *run, struct ref dot,
                                   const struct identifier_node *identifier,
                                   const struct parse_node *at, struct call_args args,
                                   struct ref *ret_value)
{
	struct call_site site = {.name = identifier->name,
	                         .signature = identifier->func->signature,
	                         .impl = identifier->func->impl,
	                         .func = identifier->func,
	                         .node = at,
	                         .args = args};

	run->node = &identifier->node;
	return exec_call(run, dot, &site, ret_value);
}

/* bool, dot, nil, number, string: no functions */
static enum status eval_operand(struct tmpl_run *run, struct ref dot, const struct parse_node *node,
                                struct call_args args, struct ref *ret_value)
{
	run->node = node;
	TRY(not_a_function(run, args));
	switch (node->kind) {
	case PARSE_NODE_BOOL:
	case PARSE_NODE_NUMBER:
	case PARSE_NODE_STRING:
		return exec_literal(run, &type_any, node, ret_value);
	case PARSE_NODE_DOT:
		*ret_value = dot;
		return STATUS_OK;
	case PARSE_NODE_NIL:
		return EXEC_ERROR(run, "nil is not a command");
	default: /* the parser puts nothing else here */
		return EXEC_ERROR(run, "can't evaluate command %q", text_of_node(run, node));
	}
}

static enum status eval_command(struct tmpl_run *run, struct ref dot,
                                const struct command_node *command, const struct ref *final,
                                struct ref *ret_value)
{
	const struct call_args args = {&command->args, final};
	const struct parse_node *first = args.nodes->items[0];

	switch (first->kind) {
	case PARSE_NODE_FIELD:
		return eval_field_node(run, dot, (const struct field_node *)first, args, ret_value);
	case PARSE_NODE_CHAIN:
		return eval_chain_node(run, dot, (const struct chain_node *)first, args, ret_value);
	case PARSE_NODE_IDENTIFIER:
		return eval_identifier(run, dot, (const struct identifier_node *)first,
		                       &command->node, args, ret_value);
	case PARSE_NODE_PIPE:
		TRY(not_a_function(run, args));
		return exec_pipeline(run, dot, (const struct pipe_node *)first, ret_value);
	case PARSE_NODE_VARIABLE:
		return eval_variable_node(run, dot, (const struct variable_node *)first, args,
		                          ret_value);
	default: /* constants and dot */
		return eval_operand(run, dot, first, args, ret_value);
	}
}

enum status exec_pipeline(struct tmpl_run *run, struct ref dot, const struct pipe_node *pipe,
                          struct ref *ret_value)
{
	struct ref value = REF_INVALID;

	run->node = &pipe->node;
	if (exec_descend(run) != STATUS_OK)
		return exec_error_pending(run, "", (sv){NULL, 0});
	exec_count(run, pipe->commands.count);
	for (size_t i = 0; i < pipe->commands.count; i++) {
		struct ref previous = value;
		TRY(eval_command(run, dot, pipe->commands.items[i], i > 0 ? &previous : NULL,
		                 &value));
		value = go_ref_unboxed(value);
	}
	for (size_t i = 0; i < pipe->decl_count; i++) {
		sv name = pipe->decls[i]->idents.items[0];
		if (pipe->is_assign)
			TRY(exec_set_variable(run, name, value));
		else
			VEC_PUSH(run->arena, &run->vars, ((struct exec_variable){name, value}));
	}
	*ret_value = value;
	return STATUS_OK;
}

/* ---- arguments --------------------------------------------------------------------------- */

enum status exec_arg(struct tmpl_run *run, struct ref dot, const struct type *type,
                     const struct parse_node *node, struct ref *ret_value)
{
	const struct call_args none = {NULL, NULL};
	struct ref value;

	run->node = node;
	switch (node->kind) {
	case PARSE_NODE_DOT:
		value = dot;
		break;
	case PARSE_NODE_NIL:
		if (!type)
			return EXEC_ERROR(run, "indirection through explicit nil in %s",
			                  text_of_node(run, node));
		return exec_nil(run, type, ret_value);
	case PARSE_NODE_FIELD:
		TRY(eval_field_node(run, dot, (const struct field_node *)node, none, &value));
		break;
	case PARSE_NODE_VARIABLE:
		TRY(eval_variable_node(run, dot, (const struct variable_node *)node, none, &value));
		break;
	case PARSE_NODE_PIPE:
		TRY(exec_pipeline(run, dot, (const struct pipe_node *)node, &value));
		break;
	case PARSE_NODE_IDENTIFIER:
		TRY(eval_identifier(run, dot, (const struct identifier_node *)node, node, none,
		                    &value));
		break;
	case PARSE_NODE_CHAIN:
		TRY(eval_chain_node(run, dot, (const struct chain_node *)node, none, &value));
		break;
	default: /* constants */
		return exec_literal(run, type, node, ret_value);
	}
	return exec_fit_type(run, value, type, ret_value);
}
