/*
 * The inside of an action: operands, commands, pipelines with their declarations.
 */
#include "golang/golang.h"
#include "tmpl/func.h"
#include "tmpl/parse.h"

/* ---- operands ---------------------------------------------------------------------------- */

static struct variable_node *new_variable(struct parser *p, uint32_t pos, sv name)
{
	struct variable_node *variable =
	    NEW_NODE(p, struct variable_node, PARSE_NODE_VARIABLE, pos);

	VEC_PUSH(p->text->arena, &variable->idents, name);
	return variable;
}

static bool parse_variable(struct parser *p, struct item item, struct parse_node **ret_node)
{
	if (parse_is_declared(p, item.text)) {
		*ret_node = &new_variable(p, item.pos, item.text)->node;
		return true;
	}
	return PARSE_ERROR(p, item.pos, PARSE_ADVICE_UNDECLARED_VARIABLE, "undefined variable %q",
	                   value_string(item.text));
}

static bool parse_identifier(struct parser *p, struct item item, struct parse_node **ret_node)
{
	struct parse_job *job = p->text->job;
	const struct tmpl_func *func = tmpl_func_find(job->funcs, item.text);

	if (!func) {
		job->unknown_function = item.text;
		return PARSE_ERROR(p, item.pos, PARSE_ADVICE_NONE, "function %q not defined",
		                   value_string(item.text));
	}
	struct identifier_node *node =
	    NEW_NODE(p, struct identifier_node, PARSE_NODE_IDENTIFIER, item.pos);
	node->name = item.text;
	node->func = func;
	*ret_node = &node->node;
	return true;
}

static bool parse_number_item(struct parser *p, struct item item, struct parse_node **ret_node)
{
	struct number_node *number = NEW_NODE(p, struct number_node, PARSE_NODE_NUMBER, item.pos);
	enum literal_kind kind = item.type == ITEM_CHAR_CONSTANT ? LITERAL_CHAR
	                         : item.type == ITEM_COMPLEX     ? LITERAL_COMPLEX
	                                                         : LITERAL_NUMBER;
	enum parse_advice advice = PARSE_ADVICE_NONE;
	sv error;

	number->text = item.text;
	*ret_node = &number->node;
	return number_parse(p->text->arena, number, kind, &advice, &error) ||
	       PARSE_ERROR(p, item.pos, advice, "%s", value_string(error));
}

static bool parse_string_item(struct parser *p, struct item item, struct parse_node **ret_node)
{
	struct string_node *node = NEW_NODE(p, struct string_node, PARSE_NODE_STRING, item.pos);
	sv text;

	if (!go_strconv_unquote(p->text->arena, item.text, &text))
		return PARSE_ERROR_PLAIN(p, item.pos, PARSE_ADVICE_ESCAPE, "invalid syntax");
	node->quoted = item.text;
	node->value = value_string(text);
	/* A constant in a source that was rendered from secrets is secret. */
	const struct taint *taint =
	    taint_slice(p->text->arena, p->tree->source->taint, item.pos, item.pos + item.text.len);
	if (taint)
		node->value.taint = taint_whole(p->text->arena, text.len, taint->spans[0].secret);
	*ret_node = &node->node;
	return true;
}

static bool parse_parenthesized(struct parser *p, struct parse_node **ret_node)
{
	struct pipe_node *pipe;

	if (!stack_guard_ok(&p->text->guard))
		return PARSE_ERROR_PLAIN(p, LAST_POS(p), PARSE_ADVICE_NONE,
		                         "max expression depth exceeded");
	if (!parse_pipeline(p, SV("parenthesized pipeline"), ITEM_RIGHT_PAREN, &pipe))
		return false;
	*ret_node = &pipe->node;
	return true;
}

/* *ret_node is null when the next item starts no term. */
static bool parse_term(struct parser *p, struct parse_node **ret_node)
{
	struct item item = parse_next_non_space(p);

	*ret_node = NULL;
	if (item.type == ITEM_IDENTIFIER)
		return parse_identifier(p, item, ret_node);
	if (item.type == ITEM_VARIABLE)
		return parse_variable(p, item, ret_node);
	if (item.type == ITEM_NUMBER || item.type == ITEM_COMPLEX ||
	    item.type == ITEM_CHAR_CONSTANT)
		return parse_number_item(p, item, ret_node);
	if (item.type == ITEM_STRING || item.type == ITEM_RAW_STRING)
		return parse_string_item(p, item, ret_node);
	if (item.type == ITEM_LEFT_PAREN)
		return parse_parenthesized(p, ret_node);
	if (item.type == ITEM_DOT || item.type == ITEM_NIL) {
		*ret_node =
		    NEW_NODE(p, struct parse_node,
		             item.type == ITEM_DOT ? PARSE_NODE_DOT : PARSE_NODE_NIL, item.pos);
	} else if (item.type == ITEM_FIELD) {
		struct field_node *field =
		    NEW_NODE(p, struct field_node, PARSE_NODE_FIELD, item.pos);
		VEC_PUSH(p->text->arena, &field->idents, sv_from_offset(item.text, 1));
		*ret_node = &field->node;
	} else if (item.type == ITEM_BOOL) {
		struct bool_node *node = NEW_NODE(p, struct bool_node, PARSE_NODE_BOOL, item.pos);
		node->value = value_bool(item.text.ptr[0] == 't');
		*ret_node = &node->node;
	} else {
		parse_backup(p);
	}
	return true;
}

/* Parses the ".field" items after a term. A field or variable of several names gets the position of
 * its second name, as in Go. */
static bool parse_chain(struct parser *p, struct parse_node *term, struct parse_node **ret_node)
{
	struct arena *arena = p->text->arena;
	struct chain_node *chain =
	    NEW_NODE(p, struct chain_node, PARSE_NODE_CHAIN, parse_peek(p).pos);

	chain->of = term;
	*ret_node = &chain->node;
	while (parse_peek(p).type == ITEM_FIELD)
		VEC_PUSH(arena, &chain->fields, sv_from_offset(parse_next(p).text, 1));
	switch (term->kind) {
	case PARSE_NODE_FIELD: {
		struct field_node *field = (struct field_node *)term;
		VEC_EACH (name, &chain->fields)
			VEC_PUSH(arena, &field->idents, *name);
		term->pos = chain->node.pos;
		*ret_node = term;
		return true;
	}
	case PARSE_NODE_VARIABLE: {
		struct variable_node *variable = (struct variable_node *)term;
		VEC_EACH (name, &chain->fields)
			VEC_PUSH(arena, &variable->idents, *name);
		term->pos = chain->node.pos;
		*ret_node = term;
		return true;
	}
	case PARSE_NODE_BOOL:
	case PARSE_NODE_STRING:
	case PARSE_NODE_NUMBER:
	case PARSE_NODE_NIL:
	case PARSE_NODE_DOT:
		return PARSE_ERROR(p, chain->node.pos, PARSE_ADVICE_FIELD_OF_CONSTANT,
		                   "unexpected . after term %q",
		                   value_string(parse_node_text(arena, term)));
	default: /* parentheses and functions */
		return true;
	}
}

static bool parse_operand(struct parser *p, struct parse_node **ret_node)
{
	if (!parse_term(p, ret_node))
		return false;
	if (*ret_node && parse_peek(p).type == ITEM_FIELD)
		return parse_chain(p, *ret_node, ret_node);
	return true;
}

/* Operands up to a pipe or the closer, which stays unread. */
static bool parse_command(struct parser *p, struct command_node **ret_command)
{
	struct command_node *command =
	    NEW_NODE(p, struct command_node, PARSE_NODE_COMMAND, parse_peek_non_space(p).pos);

	for (;;) {
		struct parse_node *operand;
		parse_peek_non_space(p);
		if (!parse_operand(p, &operand))
			return false;
		if (operand)
			VEC_PUSH(p->text->arena, &command->args, operand);
		struct item item = parse_next(p);
		if (item.type == ITEM_SPACE)
			continue;
		if (item.type == ITEM_RIGHT_DELIM || item.type == ITEM_RIGHT_PAREN)
			parse_backup(p);
		else if (item.type != ITEM_PIPE)
			return parse_unexpected(p, item, SV("operand"));
		break;
	}
	*ret_command = command;
	return command->args.count > 0 ||
	       PARSE_ERROR_PLAIN(p, LAST_POS(p), PARSE_ADVICE_NONE, "empty command");
}

/* ---- pipelines --------------------------------------------------------------------------- */

static void declare(struct parser *p, struct pipe_node *pipe, struct item variable)
{
	pipe->decls[pipe->decl_count++] = new_variable(p, variable.pos, variable.text);
	parse_declare(p, variable.text);
}

/* "$v :=", "$v =", and in range "$a, $b :=". */
static bool parse_declarations(struct parser *p, sv context, struct pipe_node *pipe)
{
	for (;;) {
		struct item variable = parse_peek_non_space(p);
		if (variable.type != ITEM_VARIABLE)
			return true;
		parse_next(p);
		/* Three items may have to go back: the variable, a space, what follows. */
		struct item after = parse_peek(p);
		struct item follower = parse_peek_non_space(p);
		if (follower.type == ITEM_ASSIGN || follower.type == ITEM_DECLARE) {
			pipe->is_assign = follower.type == ITEM_ASSIGN;
			parse_next_non_space(p);
			declare(p, pipe, variable);
			return true;
		}
		if (follower.type != ITEM_CHAR || !sv_eq(follower.text, SV(","))) {
			if (after.type == ITEM_SPACE)
				parse_backup3(p, variable, after);
			else
				parse_backup2(p, variable);
			return true;
		}
		parse_next_non_space(p);
		declare(p, pipe, variable);
		if (!sv_eq(context, SV("range")) || pipe->decl_count >= 2)
			return PARSE_ERROR(p, variable.pos, PARSE_ADVICE_DECLARATIONS,
			                   "too many declarations in %s", value_string(context));
		struct item item = parse_peek_non_space(p);
		if (item.type != ITEM_VARIABLE && item.type != ITEM_RIGHT_DELIM &&
		    item.type != ITEM_RIGHT_PAREN)
			return PARSE_ERROR_PLAIN(p, item.pos, PARSE_ADVICE_NONE,
			                         "range can only initialize variables");
	}
}

static bool check_pipeline(struct parser *p, const struct pipe_node *pipe, sv context)
{
	if (pipe->commands.count == 0)
		return PARSE_ERROR(p, LAST_POS(p), PARSE_ADVICE_MISSING_VALUE,
		                   "missing value for %s", value_string(context));
	for (size_t i = 1; i < pipe->commands.count; i++) {
		const struct parse_node *first = pipe->commands.items[i]->args.items[0];
		enum parse_node_kind kind = first->kind;
		if (kind == PARSE_NODE_BOOL || kind == PARSE_NODE_DOT || kind == PARSE_NODE_NIL ||
		    kind == PARSE_NODE_NUMBER || kind == PARSE_NODE_STRING)
			return PARSE_ERROR(p, first->pos, PARSE_ADVICE_NOT_A_FUNCTION,
			                   "non executable command in pipeline stage %d",
			                   value_int((int64_t)i + 1));
	}
	return true;
}

static bool starts_command(enum item_type type)
{
	return type == ITEM_BOOL || type == ITEM_CHAR_CONSTANT || type == ITEM_COMPLEX ||
	       type == ITEM_DOT || type == ITEM_FIELD || type == ITEM_IDENTIFIER ||
	       type == ITEM_NUMBER || type == ITEM_NIL || type == ITEM_RAW_STRING ||
	       type == ITEM_STRING || type == ITEM_VARIABLE || type == ITEM_LEFT_PAREN;
}

bool parse_pipeline(struct parser *p, sv context, enum item_type end, struct pipe_node **ret_pipe)
{
	struct pipe_node *pipe =
	    NEW_NODE(p, struct pipe_node, PARSE_NODE_PIPE, parse_peek_non_space(p).pos);

	*ret_pipe = pipe;
	if (!parse_declarations(p, context, pipe))
		return false;
	for (;;) {
		struct item item = parse_next_non_space(p);
		struct command_node *command = NULL;
		if (item.type == end)
			return check_pipeline(p, pipe, context);
		if (!starts_command(item.type))
			return parse_unexpected(p, item, context);
		parse_backup(p);
		if (!parse_command(p, &command))
			return false;
		VEC_PUSH(p->text->arena, &pipe->commands, command);
	}
}
