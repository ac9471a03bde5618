/*
 * The parser: items to trees (docs/spec/templates.md 3.2). One lexer serves the whole text; each
 * template in it (the root, a define, a block) has its own look-ahead and its own variables,
 * because the line that an error names is that of the template's last item.
 */
#include "tmpl/parse.h"
#include "golang/golang.h"

static bool expect(struct parser *p, enum item_type type, sv context, struct item *ret_item)
{
	*ret_item = parse_next_non_space(p);
	return ret_item->type == type || parse_unexpected(p, *ret_item, context);
}

static bool unquote_name(struct parser *p, struct item item, sv context, sv *ret_name)
{
	if (item.type != ITEM_STRING && item.type != ITEM_RAW_STRING)
		return parse_unexpected(p, item, context);
	return go_strconv_unquote(p->text->arena, item.text, ret_name) ||
	       PARSE_ERROR_PLAIN(p, item.pos, PARSE_ADVICE_ESCAPE, "invalid syntax");
}

/* ---- trees ------------------------------------------------------------------------------- */

static bool is_blank_list(const struct list_node *list)
{
	VEC_EACH (node, &list->nodes) {
		if ((*node)->kind != PARSE_NODE_TEXT)
			return false;
		if (go_trim_space(((struct text_node *)*node)->text).len > 0)
			return false;
	}
	return true;
}

/* Within one text the first definition that is not blank stays; two of them are a mistake. */
static bool add_tree(struct parser *p, uint32_t name_pos)
{
	struct parse_job *job = p->text->job;

	p->tree->is_empty = is_blank_list(p->tree->root);
	struct parse_tree **other = parse_tree_vec_find(&job->trees, p->tree->name);
	if (!other)
		parse_tree_vec_add(job->arena, &job->trees, p->tree);
	else if ((*other)->is_empty)
		*other = p->tree;
	else if (!p->tree->is_empty)
		return PARSE_ERROR(p, name_pos, PARSE_ADVICE_DEFINED_TWICE,
		                   "template: multiple definition of template %q",
		                   value_string(p->tree->name));
	return true;
}

static struct parser parser_for(struct parse_text *text, sv name)
{
	struct parser p = {.text = text};

	p.tree = ARENA_NEW(text->arena, struct parse_tree);
	p.tree->name = name;
	p.tree->parse_name = text->job->source->name;
	p.tree->source = text->job->source->text;
	p.var_index = map_in(text->arena);
	parse_declare(&p, SV("$"));
	return p;
}

static bool parse_list(struct parser *p, struct list_node **ret_list, struct parse_node **ret_end);

/* Parses the list that the action at open_pos opened, up to its {{end}} or {{else}}. */
static bool parse_body(struct parser *p, uint32_t open_pos, struct list_node **ret_list,
                       struct parse_node **ret_end)
{
	struct parse_job *job = p->text->job;

	if (parse_list(p, ret_list, ret_end))
		return true;
	/* Report the end of input at the innermost open action. */
	if (job->at_end && !job->open_action) {
		job->open_action = true;
		job->open_offset = open_pos;
	}
	return false;
}

static bool is_secret(const struct parser *p, struct item item)
{
	const struct taint *taint = p->tree->source->taint;

	return taint_slice(p->text->arena, taint, item.pos, item.pos + item.text.len);
}

/* Parses {{define "name"}} list {{end}} after the word define. */
static bool parse_definition(struct parse_text *text, uint32_t delim_pos)
{
	struct parser p = parser_for(text, SV("definition"));
	struct item name = parse_next_non_space(&p);
	struct item item;
	struct parse_node *end;

	p.tree->has_secret_name = is_secret(&p, name);
	if (!unquote_name(&p, name, SV("define clause"), &p.tree->name) ||
	    !expect(&p, ITEM_RIGHT_DELIM, SV("define clause"), &item) ||
	    !parse_body(&p, delim_pos, &p.tree->root, &end))
		return false;
	if (end->kind != PARSE_NODE_END)
		return PARSE_ERROR(&p, p.action_pos, PARSE_ADVICE_SURPLUS_ELSE,
		                   "unexpected %s in %s",
		                   value_string(parse_node_text(text->arena, end)),
		                   value_string(SV("define clause")));
	return add_tree(&p, name.pos);
}

/* ---- actions ----------------------------------------------------------------------------- */

static bool parse_branch(struct parser *p, enum parse_node_kind kind, sv word,
                         struct parse_node **ret_node);

/* Parses the list between {{else}} and {{end}}; "else if" and "else with" nest without an end. */
static bool parse_else(struct parser *p, enum parse_node_kind kind, sv word,
                       const struct parse_node *at, struct list_node **ret_list)
{
	enum item_type same = kind == PARSE_NODE_IF ? ITEM_IF : ITEM_WITH;
	struct parse_node *node;

	if (kind != PARSE_NODE_RANGE && parse_peek(p).type == same) {
		parse_next(p);
		*ret_list = NEW_NODE(p, struct list_node, PARSE_NODE_LIST, at->pos);
		if (!parse_branch(p, kind, word, &node))
			return false;
		VEC_PUSH(p->text->arena, &(*ret_list)->nodes, node);
		return true;
	}
	if (!parse_body(p, p->action_pos, ret_list, &node))
		return false;
	return node->kind == PARSE_NODE_END ||
	       PARSE_ERROR(p, p->action_pos, PARSE_ADVICE_ELSE_AFTER_ELSE, "expected end; found %s",
	                   value_string(parse_node_text(p->text->arena, node)));
}

static bool parse_branch(struct parser *p, enum parse_node_kind kind, sv word,
                         struct parse_node **ret_node)
{
	struct branch_node *branch = NEW_NODE(p, struct branch_node, kind, 0);
	size_t var_count = p->vars.count;
	uint32_t open_pos = p->action_pos;
	struct parse_node *end;

	if (!stack_guard_ok(&p->text->guard))
		return PARSE_ERROR_PLAIN(p, LAST_POS(p), PARSE_ADVICE_NONE,
		                         "max expression depth exceeded");
	if (!parse_pipeline(p, word, ITEM_RIGHT_DELIM, &branch->pipe))
		return false;
	branch->node.pos = branch->pipe->node.pos;
	p->range_depth += kind == PARSE_NODE_RANGE;
	if (!parse_body(p, open_pos, &branch->list, &end))
		return false;
	p->range_depth -= kind == PARSE_NODE_RANGE;
	if (end->kind == PARSE_NODE_ELSE && !parse_else(p, kind, word, end, &branch->else_list))
		return false;
	p->vars.count = var_count;
	*ret_node = &branch->node;
	return true;
}

static bool parse_loop_control(struct parser *p, struct item word, enum parse_node_kind kind,
                               sv name, struct parse_node **ret_node)
{
	struct item item = parse_next_non_space(p);

	if (item.type != ITEM_RIGHT_DELIM)
		return parse_unexpected(p, item, name);
	if (p->range_depth == 0)
		return PARSE_ERROR(p, word.pos, PARSE_ADVICE_OUTSIDE_RANGE, "%s outside {{range}}",
		                   value_string(name));
	*ret_node = NEW_NODE(p, struct parse_node, kind, word.pos);
	return true;
}

static bool parse_else_action(struct parser *p, struct parse_node **ret_node)
{
	struct item item = parse_peek_non_space(p);

	if (item.type != ITEM_IF && item.type != ITEM_WITH &&
	    !expect(p, ITEM_RIGHT_DELIM, SV("else"), &item))
		return false;
	*ret_node = NEW_NODE(p, struct parse_node, PARSE_NODE_ELSE, item.pos);
	return true;
}

static bool parse_end_action(struct parser *p, struct parse_node **ret_node)
{
	struct item item;

	if (!expect(p, ITEM_RIGHT_DELIM, SV("end"), &item))
		return false;
	*ret_node = NEW_NODE(p, struct parse_node, PARSE_NODE_END, item.pos);
	return true;
}

static bool parse_template_action(struct parser *p, struct parse_node **ret_node)
{
	struct item item = parse_next_non_space(p);
	struct template_node *node =
	    NEW_NODE(p, struct template_node, PARSE_NODE_TEMPLATE, item.pos);

	*ret_node = &node->node;
	if (!unquote_name(p, item, SV("template clause"), &node->name))
		return false;
	if (parse_next_non_space(p).type == ITEM_RIGHT_DELIM)
		return true;
	parse_backup(p);
	return parse_pipeline(p, SV("template clause"), ITEM_RIGHT_DELIM, &node->pipe);
}

/* {{block "name" pipeline}} list {{end}}: a definition and its call. */
static bool parse_block_action(struct parser *p, struct parse_node **ret_node)
{
	struct item item = parse_next_non_space(p);
	struct template_node *node =
	    NEW_NODE(p, struct template_node, PARSE_NODE_TEMPLATE, item.pos);
	struct parse_node *end;

	*ret_node = &node->node;
	if (!stack_guard_ok(&p->text->guard))
		return PARSE_ERROR_PLAIN(p, LAST_POS(p), PARSE_ADVICE_NONE,
		                         "max expression depth exceeded");
	if (!unquote_name(p, item, SV("block clause"), &node->name) ||
	    !parse_pipeline(p, SV("block clause"), ITEM_RIGHT_DELIM, &node->pipe))
		return false;
	struct parser block = parser_for(p->text, node->name);
	block.tree->has_secret_name = is_secret(p, item);
	if (!parse_body(&block, p->action_pos, &block.tree->root, &end))
		return false;
	if (end->kind != PARSE_NODE_END)
		return PARSE_ERROR(p, block.action_pos, PARSE_ADVICE_SURPLUS_ELSE,
		                   "unexpected %s in %s",
		                   value_string(parse_node_text(p->text->arena, end)),
		                   value_string(SV("block clause")));
	return add_tree(&block, item.pos);
}

static bool parse_action(struct parser *p, struct parse_node **ret_node)
{
	struct item item = parse_next_non_space(p);

	if (item.type == ITEM_BLOCK)
		return parse_block_action(p, ret_node);
	if (item.type == ITEM_BREAK)
		return parse_loop_control(p, item, PARSE_NODE_BREAK, SV("{{break}}"), ret_node);
	if (item.type == ITEM_CONTINUE)
		return parse_loop_control(p, item, PARSE_NODE_CONTINUE, SV("{{continue}}"),
		                          ret_node);
	if (item.type == ITEM_ELSE)
		return parse_else_action(p, ret_node);
	if (item.type == ITEM_END)
		return parse_end_action(p, ret_node);
	if (item.type == ITEM_IF)
		return parse_branch(p, PARSE_NODE_IF, SV("if"), ret_node);
	if (item.type == ITEM_RANGE)
		return parse_branch(p, PARSE_NODE_RANGE, SV("range"), ret_node);
	if (item.type == ITEM_TEMPLATE)
		return parse_template_action(p, ret_node);
	if (item.type == ITEM_WITH)
		return parse_branch(p, PARSE_NODE_WITH, SV("with"), ret_node);
	parse_backup(p);
	struct action_node *action =
	    NEW_NODE(p, struct action_node, PARSE_NODE_ACTION, parse_peek(p).pos);
	*ret_node = &action->node;
	return parse_pipeline(p, SV("command"), ITEM_RIGHT_DELIM, &action->pipe);
}

static bool parse_text_or_action(struct parser *p, struct parse_node **ret_node)
{
	struct item item = parse_next_non_space(p);

	if (item.type == ITEM_TEXT) {
		struct text_node *text = NEW_NODE(p, struct text_node, PARSE_NODE_TEXT, item.pos);
		text->text = item.text;
		text->taint = taint_slice(p->text->arena, p->tree->source->taint, item.pos,
		                          item.pos + item.text.len);
		*ret_node = &text->node;
		return true;
	}
	if (item.type != ITEM_LEFT_DELIM) {
		(void)parse_unexpected(p, item, SV("input"));
		return false;
	}
	p->action_line = item.line;
	p->action_pos = item.pos;
	if (!parse_action(p, ret_node))
		return false;
	p->action_line = 0;
	return true;
}

/* Nodes up to {{end}} or {{else}}, which comes back in *ret_end. */
static bool parse_list(struct parser *p, struct list_node **ret_list, struct parse_node **ret_end)
{
	struct list_node *list =
	    NEW_NODE(p, struct list_node, PARSE_NODE_LIST, parse_peek_non_space(p).pos);

	*ret_list = list;
	while (parse_peek_non_space(p).type != ITEM_EOF) {
		struct parse_node *node;
		if (!parse_text_or_action(p, &node))
			return false;
		if (node->kind == PARSE_NODE_END || node->kind == PARSE_NODE_ELSE) {
			*ret_end = node;
			return true;
		}
		VEC_PUSH(p->text->arena, &list->nodes, node);
	}
	p->text->job->at_end = true;
	return PARSE_ERROR_PLAIN(p, LAST_POS(p), PARSE_ADVICE_MISSING_END, "unexpected EOF");
}

/* Parses the root template, the only one that may contain definitions. */
static bool parse_root(struct parser *p)
{
	p->tree->root = NEW_NODE(p, struct list_node, PARSE_NODE_LIST, parse_peek(p).pos);
	while (parse_peek(p).type != ITEM_EOF) {
		struct parse_node *node;
		if (parse_peek(p).type == ITEM_LEFT_DELIM) {
			struct item delim = parse_next(p);
			if (parse_next_non_space(p).type == ITEM_DEFINE) {
				if (!parse_definition(p->text, delim.pos))
					return false;
				continue;
			}
			parse_backup2(p, delim);
		}
		if (!parse_text_or_action(p, &node))
			return false;
		if (node->kind == PARSE_NODE_END || node->kind == PARSE_NODE_ELSE)
			return PARSE_ERROR(p, p->action_pos,
			                   node->kind == PARSE_NODE_END ? PARSE_ADVICE_SURPLUS_END
			                                                : PARSE_ADVICE_SURPLUS_ELSE,
			                   "unexpected %s",
			                   value_string(parse_node_text(p->text->arena, node)));
		VEC_PUSH(p->text->arena, &p->tree->root->nodes, node);
	}
	return add_tree(p, LAST_POS(p));
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
