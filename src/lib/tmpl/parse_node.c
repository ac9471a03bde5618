/*
 * The source of nodes in canonical form, and trees by their names.
 */
#include "tmpl/parse_node.h"

#include "golang/golang.h"

static void print_node(struct buf *buf, const struct parse_node *node);

static void print_list(struct buf *buf, const struct list_node *list)
{
	VEC_EACH (node, &list->nodes)
		print_node(buf, *node);
}

static void print_pipe(struct buf *buf, const struct pipe_node *pipe)
{
	for (size_t i = 0; i < pipe->decl_count; i++) {
		if (i > 0)
			BUF_ADD_LIT(buf, ", ");
		print_node(buf, &pipe->decls[i]->node);
	}
	if (pipe->decl_count > 0)
		buf_add(buf, pipe->is_assign ? SV(" = ") : SV(" := "));
	for (size_t i = 0; i < pipe->commands.count; i++) {
		if (i > 0)
			BUF_ADD_LIT(buf, " | ");
		print_node(buf, &pipe->commands.items[i]->node);
	}
}

/* An operand: pipelines need their parentheses back. */
static void print_operand(struct buf *buf, const struct parse_node *node)
{
	if (node->kind != PARSE_NODE_PIPE) {
		print_node(buf, node);
		return;
	}
	buf_add_char(buf, '(');
	print_node(buf, node);
	buf_add_char(buf, ')');
}

/* if, range, with */
static void print_branch(struct buf *buf, const struct branch_node *branch)
{
	enum parse_node_kind kind = branch->node.kind;

	BUF_ADD_LIT(buf, "{{");
	buf_add_cstr(buf, kind == PARSE_NODE_IF      ? "if "
	                  : kind == PARSE_NODE_RANGE ? "range "
	                                             : "with ");
	print_pipe(buf, branch->pipe);
	BUF_ADD_LIT(buf, "}}");
	print_list(buf, branch->list);
	if (branch->else_list) {
		BUF_ADD_LIT(buf, "{{else}}");
		print_list(buf, branch->else_list);
	}
	BUF_ADD_LIT(buf, "{{end}}");
}

static void print_template(struct buf *buf, const struct template_node *node)
{
	BUF_ADD_LIT(buf, "{{template ");
	go_strconv_quote_add(buf, node->name);
	if (node->pipe) {
		buf_add_char(buf, ' ');
		print_pipe(buf, node->pipe);
	}
	BUF_ADD_LIT(buf, "}}");
}

static void print_dotted(struct buf *buf, const sv *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		buf_add_char(buf, '.');
		buf_add(buf, names[i]);
	}
}

static void print_variable(struct buf *buf, const struct variable_node *variable)
{
	buf_add(buf, variable->idents.items[0]);
	print_dotted(buf, variable->idents.items + 1, variable->idents.count - 1);
}

static void print_field(struct buf *buf, const struct field_node *field)
{
	print_dotted(buf, field->idents.items, field->idents.count);
}

static void print_chain(struct buf *buf, const struct chain_node *chain)
{
	print_operand(buf, chain->of);
	print_dotted(buf, chain->fields.items, chain->fields.count);
}

static void print_command(struct buf *buf, const struct command_node *command)
{
	for (size_t i = 0; i < command->args.count; i++) {
		if (i > 0)
			buf_add_char(buf, ' ');
		print_operand(buf, command->args.items[i]);
	}
}

static void print_node(struct buf *buf, const struct parse_node *node)
{
	switch (node->kind) {
	case PARSE_NODE_LIST:
		print_list(buf, (const struct list_node *)node);
		return;
	case PARSE_NODE_TEXT:
		buf_add(buf, ((const struct text_node *)node)->text);
		return;
	case PARSE_NODE_ACTION:
		BUF_ADD_LIT(buf, "{{");
		print_pipe(buf, ((const struct action_node *)node)->pipe);
		BUF_ADD_LIT(buf, "}}");
		return;
	case PARSE_NODE_IF:
	case PARSE_NODE_RANGE:
	case PARSE_NODE_WITH:
		print_branch(buf, (const struct branch_node *)node);
		return;
	case PARSE_NODE_TEMPLATE:
		print_template(buf, (const struct template_node *)node);
		return;
	case PARSE_NODE_BREAK:
		BUF_ADD_LIT(buf, "{{break}}");
		return;
	case PARSE_NODE_CONTINUE:
		BUF_ADD_LIT(buf, "{{continue}}");
		return;
	case PARSE_NODE_END:
		BUF_ADD_LIT(buf, "{{end}}");
		return;
	case PARSE_NODE_ELSE:
		BUF_ADD_LIT(buf, "{{else}}");
		return;
	case PARSE_NODE_PIPE:
		print_pipe(buf, (const struct pipe_node *)node);
		return;
	case PARSE_NODE_COMMAND:
		print_command(buf, (const struct command_node *)node);
		return;
	case PARSE_NODE_IDENTIFIER:
		buf_add(buf, ((const struct identifier_node *)node)->name);
		return;
	case PARSE_NODE_VARIABLE:
		print_variable(buf, (const struct variable_node *)node);
		return;
	case PARSE_NODE_FIELD:
		print_field(buf, (const struct field_node *)node);
		return;
	case PARSE_NODE_CHAIN:
		print_chain(buf, (const struct chain_node *)node);
		return;
	case PARSE_NODE_DOT:
		buf_add_char(buf, '.');
		return;
	case PARSE_NODE_NIL:
		BUF_ADD_LIT(buf, "nil");
		return;
	case PARSE_NODE_BOOL:
		buf_add(buf,
		        ((const struct bool_node *)node)->value.boolean ? SV("true") : SV("false"));
		return;
	case PARSE_NODE_NUMBER:
		buf_add(buf, ((const struct number_node *)node)->text);
		return;
	case PARSE_NODE_STRING:
		buf_add(buf, ((const struct string_node *)node)->quoted);
		return;
	}
	BUG("unknown node");
}

sv parse_node_text(struct arena *arena, const struct parse_node *node)
{
	struct buf buf = buf_in(arena);

	print_node(&buf, node);
	return buf_sv(&buf);
}

/* More than these are looked up by an index: most profiles have fewer. */
#define TREES_WITHOUT_INDEX 16

struct parse_tree **parse_tree_vec_find(const struct parse_tree_vec *trees, sv name)
{
	if (trees->count > TREES_WITHOUT_INDEX) {
		uintptr_t number = (uintptr_t)map_get(&trees->index, name);

		return number ? &trees->items[number - 1] : NULL;
	}
	VEC_EACH (tree, trees)
		if (sv_eq((*tree)->name, name))
			return tree;
	return NULL;
}

void parse_tree_vec_add(struct arena *arena, struct parse_tree_vec *trees, struct parse_tree *tree)
{
	VEC_PUSH(arena, trees, tree);
	if (trees->count <= TREES_WITHOUT_INDEX)
		return;
	bool is_first = !trees->index.arena;
	if (is_first)
		trees->index = map_in(arena);
	for (size_t i = is_first ? 0 : trees->count - 1; i < trees->count; i++)
		map_put(&trees->index, trees->items[i]->name,
		        (void *)(uintptr_t)(i + 1)); /* NOLINT */
}
