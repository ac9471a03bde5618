/*
 * Walking a tree. What is marked as current (run->node), and when, decides the place that errors
 * name: the order of marks is Go's.
 */
#include "tmpl/exec.h"

#include "golang/golang.h"

static enum status check_budgets(struct tmpl_run *run)
{
	if (exec_charge(run, 1) != STATUS_OK || exec_room(run, 0) != STATUS_OK ||
	    exec_descend(run) != STATUS_OK)
		return exec_error_pending(run, "", (sv){NULL, 0});
	return STATUS_OK;
}

/* ---- nodes ------------------------------------------------------------------------------- */

enum walk { WALK_ON, WALK_BREAK, WALK_CONTINUE, WALK_FAILED };

static enum walk walk(struct tmpl_run *run, struct ref dot, const struct parse_node *node);

/* Literal text costs no step for itself, only for its length. */
#define NODES_PER_STEP 8
#define TEXT_PER_STEP  64

static enum walk walk_list(struct tmpl_run *run, struct ref dot, const struct list_node *list)
{
	run->node = &list->node;
	exec_count(run, list->nodes.count / NODES_PER_STEP);
	VEC_EACH (node, &list->nodes) {
		enum walk result = walk(run, dot, *node);
		if (result != WALK_ON)
			return result;
	}
	return WALK_ON;
}

/* fmt.Fprint of one value: pointers are followed, nothing becomes "<no value>". */
static enum status print_result(struct tmpl_run *run, const struct parse_node *node,
                                struct ref value)
{
	struct printer p = exec_printer(run, run->out);
	struct exec_secrets secrets = {0};
	size_t start = run->out->buf.len;

	run->node = node;
	struct ref ref = go_ref_printable(value);
	if (!go_ref_valid(ref)) {
		TEXT_ADD_LIT(run->out, "<no value>");
		text_mark_derived(run->out, start, go_ref_nil_secret(ref));
		return STATUS_OK;
	}
	if (!ref.boxed && ref.v->type == &type_string) {
		size_t spans = ref.v->taint ? ref.v->taint->count : 0;
		size_t steps = 1 + ref.v->string.len / TEXT_PER_STEP + spans / NODES_PER_STEP;
		if (exec_charge(run, steps) != STATUS_OK ||
		    (taint_derived_from(ref.v->taint) &&
		     exec_note_secret(run, steps) != STATUS_OK) ||
		    exec_room(run, ref.v->string.len) != STATUS_OK)
			return exec_error_pending(run, "", (sv){NULL, 0});
		text_add_value(run->out, ref.v);
		return STATUS_OK;
	}
	if (go_ref_kind(ref) == KIND_FUNC)
		return EXEC_ERROR(run, "can't print %s of type %s",
		                  value_string(parse_node_text(run->arena, node)),
		                  value_string(ref.v->type->name));
	if (exec_find_secrets(run, ref, &secrets) != STATUS_OK)
		return exec_error_pending(run, "", (sv){NULL, 0});
	run->about = secrets.derived;
	if (!go_fmt_print(&p, &ref, 1))
		return exec_error_pending(run, "", (sv){NULL, 0});
	run->about = NULL;
	text_mark_derived(run->out, start, secrets.derived);
	return STATUS_OK;
}

/* Fails if a branch or a loop would depend on the value of a secret and so reveal it. */
static enum status check_decision(struct tmpl_run *run, const struct branch_node *branch,
                                  struct ref value)
{
	const struct secret *secret = exec_deciding_secret(value);

	return secret ? exec_error_decides(run, &branch->pipe->node, secret) : STATUS_OK;
}

static enum walk walk_action(struct tmpl_run *run, struct ref dot, const struct action_node *action)
{
	struct ref value;

	if (exec_pipeline(run, dot, action->pipe, &value) != STATUS_OK)
		return WALK_FAILED;
	if (action->pipe->decl_count > 0)
		return WALK_ON;
	struct text *out = run->out;
	struct text printed = text_in(run->arena);
	bool is_escaped = run->options.escape && exec_needs_escape(value);
	if (is_escaped && !go_ref_valid(go_ref_printable(value))) {
		EXEC_ERROR(run, "%s is not there to be printed",
		           value_string(parse_node_text(run->arena, &action->node)));
		return WALK_FAILED;
	}
	if (is_escaped)
		run->out = &printed;
	enum status status = print_result(run, &action->node, value);
	run->out = out;
	if (is_escaped && status == STATUS_OK)
		run->options.escape(out, text_sv(&printed), run->options.escape_context);
	return status == STATUS_OK ? WALK_ON : WALK_FAILED;
}

static enum walk walk_if_or_with(struct tmpl_run *run, struct ref dot,
                                 const struct branch_node *branch)
{
	size_t mark = run->vars.count;
	enum walk result = WALK_ON;
	struct ref value;

	if (exec_pipeline(run, dot, branch->pipe, &value) != STATUS_OK ||
	    check_decision(run, branch, value) != STATUS_OK)
		return WALK_FAILED;
	if (go_ref_truth(value))
		result = walk_list(run, branch->node.kind == PARSE_NODE_WITH ? value : dot,
		                   branch->list);
	else if (branch->else_list)
		result = walk_list(run, dot, branch->else_list);
	run->vars.count = mark;
	return result;
}

/* ---- range ------------------------------------------------------------------------------- */

struct range_loop {
	struct tmpl_run *run;
	const struct branch_node *branch;
	size_t mark;
};

static enum status set_range_variables(struct range_loop *loop, struct ref index,
                                       struct ref element)
{
	struct tmpl_run *run = loop->run;
	const struct pipe_node *pipe = loop->branch->pipe;
	struct exec_variable *top = run->vars.items + run->vars.count;

	if (pipe->decl_count == 0)
		return STATUS_OK;
	if (!pipe->is_assign) {
		top[-1].value = element;
		if (pipe->decl_count > 1)
			top[-2].value = index;
		return STATUS_OK;
	}
	if (pipe->decl_count == 1)
		return exec_set_variable(run, pipe->decls[0]->idents.items[0], element);
	TRY(exec_set_variable(run, pipe->decls[0]->idents.items[0], index));
	return exec_set_variable(run, pipe->decls[1]->idents.items[0], element);
}

/* WALK_ON: go on with the next one. */
static enum walk iterate(struct range_loop *loop, struct ref index, struct ref element)
{
	struct tmpl_run *run = loop->run;
	const struct parse_node *marked = run->node;

	/* If a budget is used up, the position is that of the loop, not of a node in it. */
	run->node = &loop->branch->pipe->node;
	if (check_budgets(run) != STATUS_OK)
		return WALK_FAILED;
	run->node = marked;
	if (set_range_variables(loop, index, element) != STATUS_OK)
		return WALK_FAILED;
	enum walk result = walk_list(run, element, loop->branch->list);
	run->vars.count = loop->mark;
	return result == WALK_CONTINUE ? WALK_ON : result;
}

static struct ref new_integer(struct tmpl_run *run, const struct type *type, uint64_t i)
{
	struct value *v = ARENA_NEW(run->arena, struct value);

	v->type = type;
	v->unsigned_integer = i;
	return go_ref_of(v);
}

static enum walk range_list(struct range_loop *loop, const struct value *list)
{
	struct tmpl_run *run = loop->run;
	bool needs_index = loop->branch->pipe->decl_count > 1;
	size_t count;

	(void)go_value_len(list, &count);
	for (size_t i = 0; i < count; i++) {
		struct ref index = needs_index ? new_integer(run, &type_int, i) : REF_INVALID;
		enum walk result = iterate(loop, index, go_value_element(run->arena, list, i));
		if (result != WALK_ON)
			return result;
	}
	return WALK_ON;
}

static enum walk range_map(struct range_loop *loop, const struct value *map)
{
	struct tmpl_run *run = loop->run;
	struct arena *arena = run->arena;
	size_t count;

	if (exec_charge(run, value_count(map)) != STATUS_OK ||
	    exec_charge_sorting(run, map) != STATUS_OK ||
	    exec_room(run, value_count(map) * 2 * sizeof(struct value_entry)) != STATUS_OK) {
		exec_error_pending(run, "", (sv){NULL, 0});
		return WALK_FAILED;
	}
	struct value_entry **entries = go_value_sorted_entries(arena, map, &count);
	/* The body may change the map: the values are those of the start. */
	struct value_entry *snapshot = ARENA_ARRAY(arena, struct value_entry, count);

	for (size_t i = 0; i < count; i++)
		snapshot[i] = *entries[i];
	for (size_t i = 0; i < count; i++) {
		enum walk result = iterate(loop, go_value_entry_key(arena, map, &snapshot[i]),
		                           go_value_entry_ref(map, &snapshot[i]));
		if (result != WALK_ON)
			return result;
	}
	return WALK_ON;
}

static enum walk range_integer(struct range_loop *loop, const struct value *v)
{
	uint64_t count = v->unsigned_integer;

	for (uint64_t i = 0; i < count; i++) {
		enum walk result = iterate(loop, REF_INVALID, new_integer(loop->run, v->type, i));
		if (result != WALK_ON)
			return result;
	}
	return WALK_ON;
}

/* Formats a value with %v for an error message. */
static struct value printed(struct tmpl_run *run, struct ref ref)
{
	struct text out = text_in(run->arena);
	struct printer p = exec_printer(run, &out);

	if (!go_fmt_print(&p, &ref, 1)) {
		run->is_pending = false;
		return value_string(SV("a value"));
	}
	if (taint_secret(text_taint(run->arena, &out)))
		return value_string(SV("<a secret>"));
	return value_string(text_sv(&out));
}

static enum walk walk_range(struct tmpl_run *run, struct ref dot, const struct branch_node *branch)
{
	size_t outer = run->vars.count;
	enum walk result = WALK_ON;
	struct ref value;
	bool is_nil;
	size_t len = 0;

	if (exec_pipeline(run, dot, branch->pipe, &value) != STATUS_OK ||
	    check_decision(run, branch, value) != STATUS_OK)
		return WALK_FAILED;
	value = go_ref_indirect(value, &is_nil);
	if (check_decision(run, branch, value) != STATUS_OK)
		return WALK_FAILED;
	struct range_loop loop = {run, branch, run->vars.count};
	enum type_kind kind = go_ref_kind(value);
	bool is_number = go_kind_is_int(kind) || go_kind_is_uint(kind);
	if (is_number && branch->pipe->decl_count > 1) {
		EXEC_ERROR(run, "can't use %v to iterate over more than one variable",
		           printed(run, value));
		return WALK_FAILED;
	}
	if (!is_number && kind != KIND_INVALID && kind != KIND_SLICE && kind != KIND_ARRAY &&
	    kind != KIND_MAP) {
		EXEC_ERROR_ADVISED(run, RUN_ADVICE_RANGE, "range can't iterate over %v",
		                   printed(run, value));
		return WALK_FAILED;
	}
	if (go_kind_is_int(kind) && value.v->integer > 0)
		result = range_integer(&loop, value.v);
	else if (go_kind_is_uint(kind) && value.v->unsigned_integer > 0)
		result = range_integer(&loop, value.v);
	else if (kind == KIND_MAP && value_count(value.v) > 0)
		result = range_map(&loop, value.v);
	else if (kind != KIND_INVALID && go_value_len(value.v, &len) && len > 0)
		result = range_list(&loop, value.v);
	else if (branch->else_list)
		result = walk_list(run, dot, branch->else_list);
	else
		result = WALK_ON;
	run->vars.count = outer;
	return result == WALK_BREAK ? WALK_ON : result;
}

/* ---- templates --------------------------------------------------------------------------- */

static const struct parse_tree *lookup(const struct tmpl_run *run, sv name)
{
	struct parse_tree **tree = run->overlay ? parse_tree_vec_find(run->overlay, name) : NULL;

	if (!tree)
		tree = parse_tree_vec_find(&run->set->trees, name);
	return tree ? *tree : NULL;
}

/* Executes a template of the set. It sees none of the caller's variables. */
static bool walk_tree(struct tmpl_run *run, struct ref dot, const struct parse_tree *callee)
{
	const struct parse_tree *caller = run->tree;
	__typeof__(run->vars) outer = run->vars;

	run->vars.items = NULL;
	run->vars.count = run->vars.cap = 0;
	VEC_PUSH(run->arena, &run->vars, ((struct exec_variable){SV("$"), dot}));
	run->tree = callee;
	if (walk_list(run, dot, callee->root) == WALK_FAILED)
		return false;
	run->tree = caller;
	run->vars = outer;
	return true;
}

static enum walk walk_template(struct tmpl_run *run, struct ref dot,
                               const struct template_node *node)
{
	const struct parse_tree *callee = lookup(run, node->name);
	struct ref argument = REF_INVALID;

	if (!callee) {
		EXEC_ERROR_ADVISED(run, RUN_ADVICE_UNDEFINED_TEMPLATE, "template %q not defined",
		                   value_string(node->name));
		return WALK_FAILED;
	}
	/*
	 * Go's limit is 100000 levels. A C stack ends sooner, and no useful template nests that
	 * deep.
	 */
	struct stack_guard guard = stack_guard_early(&run->guard);
	if (!stack_guard_ok(&guard)) {
		EXEC_ERROR_ADVISED(run, RUN_ADVICE_RECURSION,
		                   "exceeded maximum template depth (%v)", value_int(100000));
		return WALK_FAILED;
	}
	if (check_budgets(run) != STATUS_OK)
		return WALK_FAILED;
	if (node->pipe && exec_pipeline(run, dot, node->pipe, &argument) != STATUS_OK)
		return WALK_FAILED;
	return walk_tree(run, argument, callee) ? WALK_ON : WALK_FAILED;
}

enum status exec_include(struct tmpl_run *run, sv name, struct ref dot, struct text *out)
{
	const struct parse_tree *callee = lookup(run, name);
	struct text *outer = run->out;
	size_t outer_start = run->out_start;

	if (!callee)
		return exec_pend(run, TMPL_EXEC,
		                 ARENA_CONCAT(run->arena, name, SV(" is not defined")));
	TRY(exec_descend(run));
	run->out = out;
	run->out_start = out->buf.len;
	bool is_done = walk_tree(run, dot, callee);
	run->out = outer;
	run->out_start = outer_start;
	return is_done ? STATUS_OK : STATUS_FAILED;
}

/*
 * Returns the source offset of byte `offset` of a node's output. It is exact for literal text and
 * for constants without escapes, {{ `...` }}; for other actions it is that of the operand.
 */
static size_t written_at(const struct parse_node *node, size_t offset)
{
	if (node->kind == PARSE_NODE_TEXT)
		return node->pos + offset;
	const struct pipe_node *pipe = ((const struct action_node *)node)->pipe;
	const struct parse_node *operand = pipe->commands.items[0]->args.items[0];
	if (pipe->commands.count > 1 || pipe->commands.items[0]->args.count > 1 ||
	    operand->kind != PARSE_NODE_STRING)
		return operand->pos;
	const struct string_node *string = (const struct string_node *)operand;
	bool is_same = string->quoted.len == string->value.string.len + 2;
	return operand->pos + (is_same ? 1 + offset : 0);
}

/* Records the node if it wrote the traced byte; its output begins at `start`. */
static void trace(struct tmpl_run *run, const struct parse_node *node, size_t start)
{
	struct exec_trace *trace = run->trace;

	if (!trace || trace->offset < start || trace->offset >= run->out->buf.len)
		return;
	trace->source = run->tree->source;
	trace->at = written_at(node, trace->offset - start);
}

static enum walk walk(struct tmpl_run *run, struct ref dot, const struct parse_node *node)
{
	size_t start = run->out->buf.len;

	run->node = node;
	if (node->kind == PARSE_NODE_TEXT) {
		const struct text_node *text = (const struct text_node *)node;
		exec_count(run, text->text.len / TEXT_PER_STEP);
		if (text->taint)
			text_add_tainted(run->out, text->text, text->taint);
		else
			text_add(run->out, text->text);
		trace(run, node, start);
		return WALK_ON;
	}
	/* The call of a template reports its depth itself, in Go's words (walk_template). */
	if (node->kind != PARSE_NODE_TEMPLATE && check_budgets(run) != STATUS_OK)
		return WALK_FAILED;
	switch (node->kind) {
	case PARSE_NODE_ACTION:
		if (walk_action(run, dot, (const struct action_node *)node) == WALK_FAILED)
			return WALK_FAILED;
		trace(run, node, start);
		return WALK_ON;
	case PARSE_NODE_IF:
	case PARSE_NODE_WITH:
		return walk_if_or_with(run, dot, (const struct branch_node *)node);
	case PARSE_NODE_RANGE:
		return walk_range(run, dot, (const struct branch_node *)node);
	case PARSE_NODE_TEMPLATE:
		return walk_template(run, dot, (const struct template_node *)node);
	case PARSE_NODE_BREAK:
		return WALK_BREAK;
	case PARSE_NODE_CONTINUE:
		return WALK_CONTINUE;
	case PARSE_NODE_LIST:
		return walk_list(run, dot, (const struct list_node *)node);
	default: /* the parser puts nothing else into a list */
		BUG("node in a list");
	}
}

/* ---- the whole --------------------------------------------------------------------------- */

enum status exec_whole(struct tmpl_run *run, const struct value *data)
{
	struct ref dot = go_ref_unboxed(go_ref_of(data));
	const struct parse_tree *tree = lookup(run, run->set->name);

	run->out_start = run->out->buf.len;
	run->step_end = run->options.limits.steps;
	run->guard = stack_guard_here(run->options.limits.stack_bytes);
	if (!tree) {
		run->failed = true;
		run->failure = TMPL_EXEC;
		struct value args[] = {value_string(run->set->name), value_string(run->set->name)};
		run->error = go_fmt_sprintf(
		    run->arena, SV("template: %s: %q is an incomplete or empty template"), args,
		    COUNT_OF(args));
		return STATUS_FAILED;
	}
	run->tree = tree;
	run->data = go_ref_valid(dot) ? go_ref_type(dot) : NULL;
	VEC_PUSH(run->arena, &run->vars, ((struct exec_variable){SV("$"), dot}));
	return walk_list(run, dot, tree->root) == WALK_FAILED ? STATUS_FAILED : STATUS_OK;
}
