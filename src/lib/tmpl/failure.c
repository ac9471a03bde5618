/*
 * Failures of an execution: Go's messages with their positions.
 */
#include "tmpl/exec.h"

#include "golang/golang.h"

static void count_position(const struct parse_tree *tree, uint32_t pos, size_t *ret_line,
                           size_t *ret_column)
{
	sv before = sv_slice(value_text(tree->source), 0, pos);
	size_t line_start = sv_rfind_char(before, '\n');

	*ret_line = 1;
	for (size_t i = 0; i < before.len; i++)
		*ret_line += before.ptr[i] == '\n';
	*ret_column = line_start == SV_NPOS ? pos : pos - line_start - 1;
}

static sv double_percent(struct arena *arena, sv s)
{
	struct buf buf = buf_in(arena);

	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '%')
			buf_add_char(&buf, '%');
		buf_add_char(&buf, s.ptr[i]);
	}
	return buf_sv(&buf);
}

/* Our own failures need no more of a node than its beginning: a loop may go on for pages. */
static sv parse_node_beginning(struct tmpl_run *run)
{
	enum { LONGEST = 80 };
	sv text = parse_node_text(run->arena, run->node);
	size_t end = sv_find_char(text, '\n');

	if (end == SV_NPOS && text.len <= LONGEST)
		return text;
	end = end < LONGEST ? end : LONGEST;
	while (end > 0 && (text.ptr[end] & 0xC0) == 0x80)
		end--;
	return ARENA_CONCAT(run->arena, sv_slice(text, 0, end), SV("..."));
}

/* The location goes into the format as it is, as in Go: a '%' in it eats arguments. */
enum status exec_error(struct tmpl_run *run, enum tmpl_failure failure, enum run_advice advice,
                       const char *format, const struct value *args, size_t count)
{
	struct buf full = buf_in(run->arena);
	size_t line;
	size_t column;

	if (run->failed)
		return STATUS_FAILED;
	if (failure == TMPL_SECRET || run->about || (failure == TMPL_LIMIT && run->secret_cost)) {
		run->error = SV(TMPL_SECRET_TEXT);
		run->failure = TMPL_SECRET;
		run->failed = true;
		return STATUS_FAILED;
	}
	/* A source that was itself rendered from secrets is not quoted. */
	bool is_secret = run->tree->source && run->tree->source->taint;
	sv node = is_secret               ? SV("...")
	          : failure == TMPL_LIMIT ? parse_node_beginning(run)
	                                  : parse_node_text(run->arena, run->node);
	sv name =
	    run->tree->has_secret_name ? SV("...") : double_percent(run->arena, run->tree->name);
	if (is_secret && failure == TMPL_EXEC) {
		format = "(the reason is not shown: the text holds a secret)";
		count = 0;
	}
	count_position(run->tree, run->node->pos, &line, &column);
	buf_printf(&full, "template: %.*s:", SV_ARG(run->tree->parse_name));
	/* A position after a secret reveals the secret's length. */
	if (!is_secret)
		buf_printf(&full, "%zu:%zu:", line, column);
	BUF_ADD_LIT(&full, " executing ");
	go_strconv_quote_add(&full, name);
	BUF_ADD_LIT(&full, " at <");
	buf_add(&full, double_percent(run->arena, node));
	BUF_ADD_LIT(&full, ">: ");
	buf_add_cstr(&full, format);
	run->error = go_fmt_sprintf(run->arena, buf_sv(&full), args, count);
	run->failure = failure;
	run->advice = advice;
	run->failed = true;
	return STATUS_FAILED;
}

enum status exec_error_decides(struct tmpl_run *run, const struct parse_node *node,
                               const struct secret *secret)
{
	const struct value name = value_string(secret->name);

	/* The templates alone show that the decision depends on the secret. */
	run->about = NULL;
	run->node = node;
	return exec_error(run, TMPL_DECIDES, RUN_ADVICE_NONE,
	                  "the template decides by the secret %s", &name, 1);
}

enum status exec_pend(struct tmpl_run *run, enum tmpl_failure failure, sv text)
{
	return exec_pend_advised(run, failure, RUN_ADVICE_NONE, text);
}

enum status exec_pend_advised(struct tmpl_run *run, enum tmpl_failure failure,
                              enum run_advice advice, sv text)
{
	if (!run->is_pending) {
		run->is_pending = true;
		run->pending_failure = failure;
		run->pending_advice = advice;
		run->pending = text;
	}
	return STATUS_FAILED;
}

enum status exec_pend_by_type(struct tmpl_run *run, enum run_advice advice, sv text)
{
	run->pending_by_type |= !run->is_pending;
	return exec_pend_advised(run, TMPL_EXEC, advice, text);
}

static bool is_pointer_to_string(const struct type *type)
{
	return type->kind == KIND_POINTER && sv_eq(type->name, SV("*string"));
}

enum run_advice exec_advice_on_type(const struct type *type, enum run_advice other)
{
	if (sv_eq(type->name, SV("v1alpha1.CloudProvider")))
		return RUN_ADVICE_CLOUD_PROVIDER;
	if (type->kind == KIND_POINTER && sv_eq(type->name, SV("*int32")))
		return RUN_ADVICE_NUMBER_POINTER;
	return other;
}

enum run_advice exec_advice_on_types(const struct type *left, const struct type *right,
                                     enum run_advice other)
{
	enum run_advice either = exec_advice_on_type(left, exec_advice_on_type(right, other));

	if (either == RUN_ADVICE_NUMBER_POINTER &&
	    exec_advice_on_type(right, other) == RUN_ADVICE_CLOUD_PROVIDER)
		return RUN_ADVICE_CLOUD_PROVIDER;
	if (is_pointer_to_string(left) && sv_eq(right->name, SV("string")))
		return RUN_ADVICE_LEFT_STRING_POINTER;
	if (is_pointer_to_string(right) && sv_eq(left->name, SV("string")))
		return RUN_ADVICE_RIGHT_STRING_POINTER;
	return either;
}

enum status exec_error_pending(struct tmpl_run *run, const char *prefix, sv name)
{
	struct value args[] = {value_string(sv_from_cstr(prefix)), value_string(name),
	                       value_string(name.len > 0 ? SV(": ") : SV("")),
	                       value_string(run->pending)};

	run->is_pending = false;
	run->pending_by_type = false;
	return exec_error(run, run->pending_failure, run->pending_advice, "%s%s%s%s", args,
	                  COUNT_OF(args));
}
