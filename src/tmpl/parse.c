/*
 * The parser: items to trees (gotemplate.md A.2). One lexer serves the whole text; each template
 * in it (the root, a define, a block) has its own look-ahead and its own variables, because the
 * line that an error names is that of the template's last item.
 */
#include "codec/codec.h"
#include "tmpl/fmt.h"
#include "tmpl/func.h"
#include "tmpl/lex.h"
#include "tmpl/node.h"
#include "tmpl/rune.h"
#include "tmpl/stack.h"

/* Shared by all templates of one text. */
struct parse_text {
	struct parse_job *job;
	struct arena *arena;
	struct lexer lexer;
	struct stack_guard guard;
};

struct parser {
	struct parse_text *text;
	struct tree *tree;
	struct item items[3]; /* look-ahead; items[0] is the last one read */
	int peeked;
	uint32_t action_line; /* 0: outside an action */
	int range_depth;
	VEC(sv) vars;
};

#define NEW_NODE(p, type, node_kind, at) ((type *)new_node((p), sizeof(type), (node_kind), (at)))

static void *new_node(struct parser *p, size_t size, enum node_kind kind, uint32_t pos)
{
	struct node *node = arena_alloc(p->text->arena, size);

	node->kind = kind;
	node->pos = pos;
	return node;
}

/* ---- errors ------------------------------------------------------------------------------- */

/* Go formats name and line into the format first: a name with '%' eats arguments. */
static bool parse_error(struct parser *p, const char *format, const struct value *args,
                        size_t count)
{
	struct parse_job *job = p->text->job;
	struct buf full = buf_in(job->arena);

	buf_printf(&full, "template: %.*s:%u: %s", SV_ARG(p->tree->parse_name), p->items[0].line,
	           format);
	job->error = fmt_sprintf(job->arena, buf_sv(&full), args, count);
	job->error_offset = p->items[0].pos;
	if (p->items[0].type == ITEM_ERROR)
		job->error_offset = p->text->lexer.error_pos;
	return false;
}

#define PARSE_ERROR(p, format, ...)                                                                \
	parse_error((p), (format), (const struct value[]){__VA_ARGS__},                            \
	            COUNT_OF(((const struct value[]){__VA_ARGS__})))
#define PARSE_ERROR_PLAIN(p, format) parse_error((p), (format), NULL, 0)

static sv item_text(struct arena *arena, struct item item)
{
	struct buf buf = buf_in(arena);
	size_t runes = 0;
	size_t cut = 0;
	size_t width;

	if (item.type == ITEM_EOF)
		return SV("EOF");
	if (item.type == ITEM_ERROR)
		return item.text;
	if (item.type > ITEM_KEYWORD)
		return arena_printf(arena, "<%.*s>", SV_ARG(item.text));
	if (item.text.len <= 10) {
		strconv_quote_add(&buf, item.text);
		return buf_sv(&buf);
	}
	for (; cut < item.text.len && runes < 10; runes++, cut += width)
		utf8_decode(sv_from_offset(item.text, cut), &width);
	strconv_quote_add(&buf, sv_slice(item.text, 0, cut));
	BUF_ADD_LIT(&buf, "...");
	return buf_sv(&buf);
}

static bool unexpected(struct parser *p, struct item item, sv context)
{
	struct arena *arena = p->text->arena;

	if (item.type != ITEM_ERROR)
		return PARSE_ERROR(p, "unexpected %s in %s", value_string(item_text(arena, item)),
		                   value_string(context));
	sv extra = SV("");
	if (p->action_line != 0 && p->action_line != item.line)
		extra = arena_printf(arena, "%s started at %.*s:%u",
		                     sv_ends_with(item.text, SV(" action")) ? "" : " in action",
		                     SV_ARG(p->tree->parse_name), p->action_line);
	return PARSE_ERROR(p, "%s%s", value_string(item.text), value_string(extra));
}

/* ---- items -------------------------------------------------------------------------------- */

static struct item next(struct parser *p)
{
	if (p->peeked > 0)
		p->peeked--;
	else
		p->items[0] = lexer_next(&p->text->lexer);
	return p->items[p->peeked];
}

static void backup(struct parser *p)
{
	p->peeked++;
}

/* The item before the one in items[0] is next again. */
static void backup2(struct parser *p, struct item first)
{
	p->items[1] = first;
	p->peeked = 2;
}

static void backup3(struct parser *p, struct item first, struct item second)
{
	p->items[1] = second;
	p->items[2] = first;
	p->peeked = 3;
}

static struct item peek(struct parser *p)
{
	if (p->peeked > 0)
		return p->items[p->peeked - 1];
	p->peeked = 1;
	p->items[0] = lexer_next(&p->text->lexer);
	return p->items[0];
}

static struct item next_non_space(struct parser *p)
{
	struct item item;

	do {
		item = next(p);
	} while (item.type == ITEM_SPACE);
	return item;
}

static struct item peek_non_space(struct parser *p)
{
	struct item item = next_non_space(p);

	backup(p);
	return item;
}

static bool expect(struct parser *p, enum item_type type, sv context, struct item *ret_item)
{
	*ret_item = next_non_space(p);
	return ret_item->type == type || unexpected(p, *ret_item, context);
}

static bool unquote_name(struct parser *p, struct item item, sv context, sv *ret_name)
{
	if (item.type != ITEM_STRING && item.type != ITEM_RAW_STRING)
		return unexpected(p, item, context);
	return strconv_unquote(p->text->arena, item.text, ret_name) ||
	       PARSE_ERROR_PLAIN(p, "invalid syntax");
}

/* ---- trees -------------------------------------------------------------------------------- */

static bool is_blank(const struct list_node *list)
{
	VEC_EACH (node, &list->nodes) {
		if ((*node)->kind != NODE_TEXT)
			return false;
		if (text_trim_space(((struct text_node *)*node)->text).len > 0)
			return false;
	}
	return true;
}

/* Within one text the first definition that is not blank stays; two of them are a mistake. */
static bool add_tree(struct parser *p)
{
	struct parse_job *job = p->text->job;

	p->tree->is_empty = is_blank(p->tree->root);
	VEC_EACH (other, &job->trees) {
		if (!sv_eq((*other)->name, p->tree->name))
			continue;
		if ((*other)->is_empty)
			*other = p->tree;
		else if (!p->tree->is_empty)
			return PARSE_ERROR(p, "template: multiple definition of template %q",
			                   value_string(p->tree->name));
		return true;
	}
	VEC_PUSH(job->arena, &job->trees, p->tree);
	return true;
}

static struct parser parser_for(struct parse_text *text, sv name)
{
	struct parser p = {.text = text};

	p.tree = ARENA_NEW(text->arena, struct tree);
	p.tree->name = name;
	p.tree->parse_name = text->job->source->name;
	p.tree->source = text->job->source->text;
	VEC_PUSH(text->arena, &p.vars, SV("$"));
	return p;
}

static bool parse_list(struct parser *p, struct list_node **ret_list, struct node **ret_end);

/* {{define "name"}} list {{end}}, behind the word define. */
static bool parse_definition(struct parse_text *text)
{
	struct parser p = parser_for(text, SV("definition"));
	struct item item = next_non_space(&p);
	struct node *end;

	if (!unquote_name(&p, item, SV("define clause"), &p.tree->name) ||
	    !expect(&p, ITEM_RIGHT_DELIM, SV("define clause"), &item) ||
	    !parse_list(&p, &p.tree->root, &end))
		return false;
	if (end->kind != NODE_END)
		return PARSE_ERROR(&p, "unexpected %s in %s",
		                   value_string(node_text(text->arena, end)),
		                   value_string(SV("define clause")));
	return add_tree(&p);
}

/* ---- operands ----------------------------------------------------------------------------- */

static bool parse_pipeline(struct parser *p, sv context, enum item_type end,
                           struct pipe_node **ret_pipe);

static struct variable_node *new_variable(struct parser *p, uint32_t pos, sv name)
{
	struct variable_node *variable = NEW_NODE(p, struct variable_node, NODE_VARIABLE, pos);

	VEC_PUSH(p->text->arena, &variable->idents, name);
	return variable;
}

static bool parse_variable(struct parser *p, struct item item, struct node **ret_node)
{
	VEC_EACH (name, &p->vars) {
		if (sv_eq(*name, item.text)) {
			*ret_node = &new_variable(p, item.pos, item.text)->node;
			return true;
		}
	}
	return PARSE_ERROR(p, "undefined variable %q", value_string(item.text));
}

static bool parse_identifier(struct parser *p, struct item item, struct node **ret_node)
{
	struct parse_job *job = p->text->job;
	const struct tmpl_func *func = tmpl_func_find(job->funcs, item.text);

	if (!func) {
		job->unknown_function = item.text;
		return PARSE_ERROR(p, "function %q not defined", value_string(item.text));
	}
	struct identifier_node *node =
	    NEW_NODE(p, struct identifier_node, NODE_IDENTIFIER, item.pos);
	node->name = item.text;
	node->func = func;
	*ret_node = &node->node;
	return true;
}

static bool parse_number_item(struct parser *p, struct item item, struct node **ret_node)
{
	struct number_node *number = NEW_NODE(p, struct number_node, NODE_NUMBER, item.pos);
	enum literal_kind kind = item.type == ITEM_CHAR_CONSTANT ? LITERAL_CHAR
	                         : item.type == ITEM_COMPLEX     ? LITERAL_COMPLEX
	                                                         : LITERAL_NUMBER;
	sv error;

	number->text = item.text;
	*ret_node = &number->node;
	return number_parse(p->text->arena, number, kind, &error) ||
	       PARSE_ERROR(p, "%s", value_string(error));
}

static bool parse_string_item(struct parser *p, struct item item, struct node **ret_node)
{
	struct string_node *node = NEW_NODE(p, struct string_node, NODE_STRING, item.pos);
	sv text;

	if (!strconv_unquote(p->text->arena, item.text, &text))
		return PARSE_ERROR_PLAIN(p, "invalid syntax");
	node->quoted = item.text;
	node->value = value_string(text);
	/* A constant in a text that was rendered from secrets. */
	const struct taint *taint =
	    taint_slice(p->text->arena, p->tree->source->taint, item.pos, item.pos + item.text.len);
	if (taint)
		node->value.taint = taint_whole(p->text->arena, text.len, taint->spans[0].secret);
	*ret_node = &node->node;
	return true;
}

static bool parse_parenthesized(struct parser *p, struct node **ret_node)
{
	struct pipe_node *pipe;

	if (!stack_guard_ok(&p->text->guard))
		return PARSE_ERROR_PLAIN(p, "max expression depth exceeded");
	if (!parse_pipeline(p, SV("parenthesized pipeline"), ITEM_RIGHT_PAREN, &pipe))
		return false;
	*ret_node = &pipe->node;
	return true;
}

/* *ret_node is null when the next item starts no term. */
static bool parse_term(struct parser *p, struct node **ret_node)
{
	struct item item = next_non_space(p);

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
		    NEW_NODE(p, struct node, item.type == ITEM_DOT ? NODE_DOT : NODE_NIL, item.pos);
	} else if (item.type == ITEM_FIELD) {
		struct field_node *field = NEW_NODE(p, struct field_node, NODE_FIELD, item.pos);
		VEC_PUSH(p->text->arena, &field->idents, sv_from_offset(item.text, 1));
		*ret_node = &field->node;
	} else if (item.type == ITEM_BOOL) {
		struct bool_node *node = NEW_NODE(p, struct bool_node, NODE_BOOL, item.pos);
		node->value = value_bool(item.text.ptr[0] == 't');
		*ret_node = &node->node;
	} else {
		backup(p);
	}
	return true;
}

/* The ".field" items behind a term. A longer field or variable stands where its second name does.
 */
static bool parse_chain(struct parser *p, struct node *term, struct node **ret_node)
{
	struct arena *arena = p->text->arena;
	struct chain_node *chain = NEW_NODE(p, struct chain_node, NODE_CHAIN, peek(p).pos);

	chain->of = term;
	*ret_node = &chain->node;
	while (peek(p).type == ITEM_FIELD)
		VEC_PUSH(arena, &chain->fields, sv_from_offset(next(p).text, 1));
	switch (term->kind) {
	case NODE_FIELD: {
		struct field_node *field = (struct field_node *)term;
		VEC_EACH (name, &chain->fields)
			VEC_PUSH(arena, &field->idents, *name);
		term->pos = chain->node.pos;
		*ret_node = term;
		return true;
	}
	case NODE_VARIABLE: {
		struct variable_node *variable = (struct variable_node *)term;
		VEC_EACH (name, &chain->fields)
			VEC_PUSH(arena, &variable->idents, *name);
		term->pos = chain->node.pos;
		*ret_node = term;
		return true;
	}
	case NODE_BOOL:
	case NODE_STRING:
	case NODE_NUMBER:
	case NODE_NIL:
	case NODE_DOT:
		return PARSE_ERROR(p, "unexpected . after term %q",
		                   value_string(node_text(arena, term)));
	default: /* parentheses and functions */
		return true;
	}
}

static bool parse_operand(struct parser *p, struct node **ret_node)
{
	if (!parse_term(p, ret_node))
		return false;
	if (*ret_node && peek(p).type == ITEM_FIELD)
		return parse_chain(p, *ret_node, ret_node);
	return true;
}

/* Operands up to a pipe or the closer, which stays unread. */
static bool parse_command(struct parser *p, struct command_node **ret_command)
{
	struct command_node *command =
	    NEW_NODE(p, struct command_node, NODE_COMMAND, peek_non_space(p).pos);

	for (;;) {
		struct node *operand;
		peek_non_space(p);
		if (!parse_operand(p, &operand))
			return false;
		if (operand)
			VEC_PUSH(p->text->arena, &command->args, operand);
		struct item item = next(p);
		if (item.type == ITEM_SPACE)
			continue;
		if (item.type == ITEM_RIGHT_DELIM || item.type == ITEM_RIGHT_PAREN)
			backup(p);
		else if (item.type != ITEM_PIPE)
			return unexpected(p, item, SV("operand"));
		break;
	}
	*ret_command = command;
	return command->args.count > 0 || PARSE_ERROR_PLAIN(p, "empty command");
}

/* ---- pipelines ---------------------------------------------------------------------------- */

static void declare(struct parser *p, struct pipe_node *pipe, struct item variable)
{
	pipe->decls[pipe->decl_count++] = new_variable(p, variable.pos, variable.text);
	VEC_PUSH(p->text->arena, &p->vars, variable.text);
}

/* "$v :=", "$v =", and in range "$a, $b :=". */
static bool parse_declarations(struct parser *p, sv context, struct pipe_node *pipe)
{
	for (;;) {
		struct item variable = peek_non_space(p);
		if (variable.type != ITEM_VARIABLE)
			return true;
		next(p);
		/* Three items may have to go back: the variable, a space, what follows. */
		struct item after = peek(p);
		struct item follower = peek_non_space(p);
		if (follower.type == ITEM_ASSIGN || follower.type == ITEM_DECLARE) {
			pipe->is_assign = follower.type == ITEM_ASSIGN;
			next_non_space(p);
			declare(p, pipe, variable);
			return true;
		}
		if (follower.type != ITEM_CHAR || !sv_eq(follower.text, SV(","))) {
			if (after.type == ITEM_SPACE)
				backup3(p, variable, after);
			else
				backup2(p, variable);
			return true;
		}
		next_non_space(p);
		declare(p, pipe, variable);
		if (!sv_eq(context, SV("range")) || pipe->decl_count >= 2)
			return PARSE_ERROR(p, "too many declarations in %s", value_string(context));
		struct item item = peek_non_space(p);
		if (item.type != ITEM_VARIABLE && item.type != ITEM_RIGHT_DELIM &&
		    item.type != ITEM_RIGHT_PAREN)
			return PARSE_ERROR_PLAIN(p, "range can only initialize variables");
	}
}

static bool check_pipeline(struct parser *p, const struct pipe_node *pipe, sv context)
{
	if (pipe->commands.count == 0)
		return PARSE_ERROR(p, "missing value for %s", value_string(context));
	for (size_t i = 1; i < pipe->commands.count; i++) {
		enum node_kind kind = pipe->commands.items[i]->args.items[0]->kind;
		if (kind == NODE_BOOL || kind == NODE_DOT || kind == NODE_NIL ||
		    kind == NODE_NUMBER || kind == NODE_STRING)
			return PARSE_ERROR(p, "non executable command in pipeline stage %d",
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

static bool parse_pipeline(struct parser *p, sv context, enum item_type end,
                           struct pipe_node **ret_pipe)
{
	struct pipe_node *pipe = NEW_NODE(p, struct pipe_node, NODE_PIPE, peek_non_space(p).pos);

	*ret_pipe = pipe;
	if (!parse_declarations(p, context, pipe))
		return false;
	for (;;) {
		struct item item = next_non_space(p);
		struct command_node *command = NULL;
		if (item.type == end)
			return check_pipeline(p, pipe, context);
		if (!starts_command(item.type))
			return unexpected(p, item, context);
		backup(p);
		if (!parse_command(p, &command))
			return false;
		VEC_PUSH(p->text->arena, &pipe->commands, command);
	}
}

/* ---- actions ------------------------------------------------------------------------------ */

static bool parse_branch(struct parser *p, enum node_kind kind, sv word, struct node **ret_node);

/* What stands between {{else}} and {{end}}; "else if" and "else with" nest without an end. */
static bool parse_else(struct parser *p, enum node_kind kind, sv word, const struct node *at,
                       struct list_node **ret_list)
{
	enum item_type same = kind == NODE_IF ? ITEM_IF : ITEM_WITH;
	struct node *node;

	if (kind != NODE_RANGE && peek(p).type == same) {
		next(p);
		*ret_list = NEW_NODE(p, struct list_node, NODE_LIST, at->pos);
		if (!parse_branch(p, kind, word, &node))
			return false;
		VEC_PUSH(p->text->arena, &(*ret_list)->nodes, node);
		return true;
	}
	if (!parse_list(p, ret_list, &node))
		return false;
	return node->kind == NODE_END || PARSE_ERROR(p, "expected end; found %s",
	                                             value_string(node_text(p->text->arena, node)));
}

static bool parse_branch(struct parser *p, enum node_kind kind, sv word, struct node **ret_node)
{
	struct branch_node *branch = NEW_NODE(p, struct branch_node, kind, 0);
	size_t var_count = p->vars.count;
	struct node *end;

	if (!stack_guard_ok(&p->text->guard))
		return PARSE_ERROR_PLAIN(p, "max expression depth exceeded");
	if (!parse_pipeline(p, word, ITEM_RIGHT_DELIM, &branch->pipe))
		return false;
	branch->node.pos = branch->pipe->node.pos;
	p->range_depth += kind == NODE_RANGE;
	if (!parse_list(p, &branch->list, &end))
		return false;
	p->range_depth -= kind == NODE_RANGE;
	if (end->kind == NODE_ELSE && !parse_else(p, kind, word, end, &branch->else_list))
		return false;
	p->vars.count = var_count;
	*ret_node = &branch->node;
	return true;
}

static bool parse_loop_control(struct parser *p, struct item word, enum node_kind kind, sv name,
                               struct node **ret_node)
{
	struct item item = next_non_space(p);

	if (item.type != ITEM_RIGHT_DELIM)
		return unexpected(p, item, name);
	if (p->range_depth == 0)
		return PARSE_ERROR(p, "%s outside {{range}}", value_string(name));
	*ret_node = NEW_NODE(p, struct node, kind, word.pos);
	return true;
}

static bool parse_else_action(struct parser *p, struct node **ret_node)
{
	struct item item = peek_non_space(p);

	if (item.type != ITEM_IF && item.type != ITEM_WITH &&
	    !expect(p, ITEM_RIGHT_DELIM, SV("else"), &item))
		return false;
	*ret_node = NEW_NODE(p, struct node, NODE_ELSE, item.pos);
	return true;
}

static bool parse_end_action(struct parser *p, struct node **ret_node)
{
	struct item item;

	if (!expect(p, ITEM_RIGHT_DELIM, SV("end"), &item))
		return false;
	*ret_node = NEW_NODE(p, struct node, NODE_END, item.pos);
	return true;
}

static bool parse_template_action(struct parser *p, struct node **ret_node)
{
	struct item item = next_non_space(p);
	struct template_node *node = NEW_NODE(p, struct template_node, NODE_TEMPLATE, item.pos);

	*ret_node = &node->node;
	if (!unquote_name(p, item, SV("template clause"), &node->name))
		return false;
	if (next_non_space(p).type == ITEM_RIGHT_DELIM)
		return true;
	backup(p);
	return parse_pipeline(p, SV("template clause"), ITEM_RIGHT_DELIM, &node->pipe);
}

/* {{block "name" pipeline}} list {{end}}: a definition and its call. */
static bool parse_block_action(struct parser *p, struct node **ret_node)
{
	struct item item = next_non_space(p);
	struct template_node *node = NEW_NODE(p, struct template_node, NODE_TEMPLATE, item.pos);
	struct node *end;

	*ret_node = &node->node;
	if (!stack_guard_ok(&p->text->guard))
		return PARSE_ERROR_PLAIN(p, "max expression depth exceeded");
	if (!unquote_name(p, item, SV("block clause"), &node->name) ||
	    !parse_pipeline(p, SV("block clause"), ITEM_RIGHT_DELIM, &node->pipe))
		return false;
	struct parser block = parser_for(p->text, node->name);
	if (!parse_list(&block, &block.tree->root, &end))
		return false;
	if (end->kind != NODE_END)
		return PARSE_ERROR(p, "unexpected %s in %s",
		                   value_string(node_text(p->text->arena, end)),
		                   value_string(SV("block clause")));
	return add_tree(&block);
}

static bool parse_action(struct parser *p, struct node **ret_node)
{
	struct item item = next_non_space(p);

	if (item.type == ITEM_BLOCK)
		return parse_block_action(p, ret_node);
	if (item.type == ITEM_BREAK)
		return parse_loop_control(p, item, NODE_BREAK, SV("{{break}}"), ret_node);
	if (item.type == ITEM_CONTINUE)
		return parse_loop_control(p, item, NODE_CONTINUE, SV("{{continue}}"), ret_node);
	if (item.type == ITEM_ELSE)
		return parse_else_action(p, ret_node);
	if (item.type == ITEM_END)
		return parse_end_action(p, ret_node);
	if (item.type == ITEM_IF)
		return parse_branch(p, NODE_IF, SV("if"), ret_node);
	if (item.type == ITEM_RANGE)
		return parse_branch(p, NODE_RANGE, SV("range"), ret_node);
	if (item.type == ITEM_TEMPLATE)
		return parse_template_action(p, ret_node);
	if (item.type == ITEM_WITH)
		return parse_branch(p, NODE_WITH, SV("with"), ret_node);
	backup(p);
	struct action_node *action = NEW_NODE(p, struct action_node, NODE_ACTION, peek(p).pos);
	*ret_node = &action->node;
	return parse_pipeline(p, SV("command"), ITEM_RIGHT_DELIM, &action->pipe);
}

static bool parse_text_or_action(struct parser *p, struct node **ret_node)
{
	struct item item = next_non_space(p);

	if (item.type == ITEM_TEXT) {
		struct text_node *text = NEW_NODE(p, struct text_node, NODE_TEXT, item.pos);
		text->text = item.text;
		text->taint = taint_slice(p->text->arena, p->tree->source->taint, item.pos,
		                          item.pos + item.text.len);
		*ret_node = &text->node;
		return true;
	}
	if (item.type != ITEM_LEFT_DELIM)
		return unexpected(p, item, SV("input"));
	p->action_line = item.line;
	if (!parse_action(p, ret_node))
		return false;
	p->action_line = 0;
	return true;
}

/* Nodes up to {{end}} or {{else}}, which comes back in *ret_end. */
static bool parse_list(struct parser *p, struct list_node **ret_list, struct node **ret_end)
{
	struct list_node *list = NEW_NODE(p, struct list_node, NODE_LIST, peek_non_space(p).pos);

	*ret_list = list;
	while (peek_non_space(p).type != ITEM_EOF) {
		struct node *node;
		if (!parse_text_or_action(p, &node))
			return false;
		if (node->kind == NODE_END || node->kind == NODE_ELSE) {
			*ret_end = node;
			return true;
		}
		VEC_PUSH(p->text->arena, &list->nodes, node);
	}
	return PARSE_ERROR_PLAIN(p, "unexpected EOF");
}

/* The root: definitions stand only here. */
static bool parse_root(struct parser *p)
{
	p->tree->root = NEW_NODE(p, struct list_node, NODE_LIST, peek(p).pos);
	while (peek(p).type != ITEM_EOF) {
		struct node *node;
		if (peek(p).type == ITEM_LEFT_DELIM) {
			struct item delim = next(p);
			if (next_non_space(p).type == ITEM_DEFINE) {
				if (!parse_definition(p->text))
					return false;
				continue;
			}
			backup2(p, delim);
		}
		if (!parse_text_or_action(p, &node))
			return false;
		if (node->kind == NODE_END || node->kind == NODE_ELSE)
			return PARSE_ERROR(p, "unexpected %s",
			                   value_string(node_text(p->text->arena, node)));
		VEC_PUSH(p->text->arena, &p->tree->root->nodes, node);
	}
	return add_tree(p);
}

bool template_parse_text(struct parse_job *job)
{
	struct parse_text text = {
	    .job = job,
	    .arena = job->arena,
	    .lexer = lexer_on(job->arena, value_text(job->source->text)),
	    .guard = stack_guard_here(STACK_BYTES_PARSE),
	};
	struct parser root = parser_for(&text, job->source->name);

	return parse_root(&root);
}
