/*
 * Sets of trees, the diagnostics of what fails in them, and the public calls for single templates.
 */
#include "tmpl/set.h"

#include "tmpl/lex.h"

/* ---- diagnostics ------------------------------------------------------------------------- */

static enum diag_code code_of(enum tmpl_failure failure)
{
	switch (failure) {
	case TMPL_PARSE:
		return DIAG_TEMPLATE_SYNTAX;
	case TMPL_EXEC:
		return DIAG_TEMPLATE_RUNTIME;
	case TMPL_REFUSED:
		return DIAG_TEMPLATE_REFUSED;
	case TMPL_LIMIT:
		return DIAG_TEMPLATE_LIMIT;
	case TMPL_DECIDES:
		return DIAG_TEMPLATE_DECIDES;
	case TMPL_SECRET:
		return DIAG_TEMPLATE_SECRET;
	}
	BUG("template failure");
}

static bool is_name_char(char c)
{
	return ascii_is_alphanumeric(c) || c == '_';
}

/* The name that begins at the offset, or the one byte there. */
static struct position place_in_text(const struct value *text, size_t offset)
{
	struct position at = value_text_position(text, offset);
	sv s = value_text(text);
	size_t end = offset + 1;

	if (!at.source || at.offset == SV_NPOS || end >= s.len)
		return at;
	if (is_name_char(s.ptr[offset]) || s.ptr[offset] == '.' || s.ptr[offset] == '$')
		while (end < s.len && is_name_char(s.ptr[end]))
			end++;
	struct position last = value_text_position(text, end - 1);
	if (last.offset > at.offset)
		at.length = last.offset + last.length - at.offset;
	return at;
}

static struct diag *report_template(struct sink *sink, enum tmpl_failure failure,
                                    const struct value *text, size_t offset, sv message)
{
	enum { LONGEST = 4000 };
	size_t len = message.len;

	/* Values that it quotes may have any length; who reads it has seen enough. */
	while (len > LONGEST || (len < message.len && (message.ptr[len] & 0xC0) == 0x80))
		len = len > LONGEST ? LONGEST : len - 1;
	return diag_report(sink, code_of(failure), place_in_text(text, offset), "%.*s%s", (int)len,
	                   message.ptr, len < message.len ? "..." : "");
}

struct diag *set_report_secret(struct sink *sink, struct tmpl_error *ret_error)
{
	sv text = SV(TMPL_SECRET_TEXT);

	if (ret_error)
		*ret_error = (struct tmpl_error){.failure = TMPL_SECRET, .text = text};
	return diag_report(sink, DIAG_TEMPLATE_SECRET, NOWHERE, "%.*s", SV_ARG(text));
}

/* ---- sets -------------------------------------------------------------------------------- */

void set_install(struct arena *arena, struct parse_tree_vec *trees,
                 const struct parse_tree_vec *base, const struct parse_tree_vec *parsed)
{
	VEC_EACH (tree, parsed) {
		struct parse_tree **old = parse_tree_vec_find(trees, (*tree)->name);
		if ((*tree)->is_empty &&
		    (old || (base && parse_tree_vec_find(base, (*tree)->name))))
			continue;
		if (old)
			*old = *tree;
		else
			parse_tree_vec_add(arena, trees, *tree);
	}
}

struct budget budget_of(const struct arena *arena, const struct tmpl_options *options)
{
	return (struct budget){.limits = options->limits, .memory_start = arena_used(arena)};
}

/* The limit is higher than for rendering: a template is parsed only once. */
struct budget budget_of_parsing(const struct arena *arena)
{
	struct tmpl_options options = tmpl_options_default();

	options.limits.memory_bytes = (size_t)256 << 20;
	return budget_of(arena, &options);
}

/*
 * Returns true if a secret is anywhere but in literal text. Output that is parsed once more would
 * run it as a part of the template. White space of a secret may have been trimmed away.
 */
static bool has_secret_action(struct arena *arena, const struct value *text)
{
	struct lexer lexer = lexer_on(arena, value_text(text));
	size_t from = 0;

	if (taint_derived_from(text->taint))
		return sv_contains(text->string, SV("{{"));
	for (;;) {
		struct item item = lexer_next(&lexer);
		bool is_last = item.type == ITEM_EOF || item.type == ITEM_ERROR;
		size_t to = is_last ? text->string.len : item.pos;

		if (!is_last && item.type != ITEM_TEXT)
			continue;
		const struct taint *taint = taint_slice(arena, text->taint, from, to);
		for (size_t i = 0; taint && i < taint->count; i++) {
			sv part = sv_slice(text->string, from + taint->spans[i].start,
			                   from + taint->spans[i].end);
			if (!sv_empty(sv_trim_space(part)))
				return true;
		}
		if (is_last)
			return false;
		from = item.pos + item.text.len;
	}
}

/* Texts with little but actions take the longest. */
#define PARSED_BYTES_PER_STEP 4

enum status set_parse(struct arena *arena, struct sink *sink,
                      const struct set_parse_request *request, struct budget *budget,
                      struct parse_tree_vec *ret_trees, struct tmpl_error *ret_error)
{
	const struct tmpl_source *source = request->source;
	struct parse_job job = {.arena = arena, .funcs = request->funcs, .source = source};

	job.memory_end = budget->memory_start + budget->limits.memory_bytes;
	budget->steps += value_text(source->text).len / PARSED_BYTES_PER_STEP;

	if (source->text->taint && has_secret_action(arena, source->text)) {
		set_report_secret(sink, ret_error);
		return STATUS_FAILED;
	}
	if (template_parse_text(&job)) {
		*ret_trees = job.trees;
		return STATUS_OK;
	}
	if (job.over_limit && budget->secret_cost) {
		set_report_secret(sink, ret_error);
		return STATUS_FAILED;
	}
	sv reason = source->text->taint
	                ? ARENA_CONCAT(arena, SV("template: "), source->name,
	                               SV(": (the reason is not shown: the text holds a secret)"))
	                : job.error;
	sv text = ARENA_CONCAT(arena, request->prefix, reason);
	enum tmpl_failure failure = job.over_limit ? TMPL_LIMIT : TMPL_PARSE;
	if (ret_error)
		*ret_error = (struct tmpl_error){.failure = failure,
		                                 .text = text,
		                                 .prefix_len = request->prefix.len,
		                                 .in = source->text,
		                                 .offset = job.error_offset};
	struct diag *diag = report_template(sink, failure, source->text, job.error_offset, text);
	if (failure == TMPL_LIMIT)
		return STATUS_FAILED;
	if (job.open_action && source->text->origin.source)
		diag_add_note(sink, diag, value_text_position(source->text, job.open_offset),
		              "the block that is still open begins here");
	help_parse(arena, sink, diag, &job);
	return STATUS_FAILED;
}

enum status set_execute(struct arena *arena, struct sink *sink,
                        const struct set_execute_request *request, struct budget *budget,
                        struct text *out, struct tmpl_error *ret_error)
{
	struct tmpl_run run = {
	    .arena = arena, .set = request->set, .overlay = request->overlay, .out = out};

	run.trace = request->trace;
	run.options = *request->options;
	run.options.limits = budget->limits;
	run.memory_start = budget->memory_start;
	run.steps = budget->steps;
	run.charged_steps = budget->steps;
	run.secret_cost = budget->secret_cost;
	run.secret_steps = budget->secret_steps;
	enum status status = exec_whole(&run, request->data);
	budget->steps = run.steps;
	budget->secret_cost = run.secret_cost;
	budget->secret_steps = run.secret_steps;
	/* Who is above it is found out by the next one that charges, or by the run. */
	(void)quota_take(run.options.total_steps, run.steps - run.charged_steps);
	if (status == STATUS_OK)
		return STATUS_OK;
	BUG_ON(!run.failed);
	if (run.failure == TMPL_SECRET) {
		set_report_secret(sink, ret_error);
		return STATUS_FAILED;
	}
	sv text = ARENA_CONCAT(arena, request->prefix, run.error);
	const struct value none = {0};
	const struct value *in = run.tree ? run.tree->source : &none;
	size_t offset = run.blamed ? run.blame_pos : run.node ? run.node->pos : 0;
	if (ret_error)
		*ret_error = (struct tmpl_error){.failure = run.failure,
		                                 .text = text,
		                                 .prefix_len = request->prefix.len,
		                                 .in = run.tree ? in : NULL,
		                                 .offset = offset,
		                                 .lacks_template =
		                                     run.advice == RUN_ADVICE_UNDEFINED_TEMPLATE};
	struct diag *diag = report_template(sink, run.failure, in, offset, text);
	help_run(sink, diag, &run);
	return STATUS_FAILED;
}

struct position set_trace(struct arena *arena, const struct tmpl_set *set, const struct value *data,
                          const struct tmpl_options *options, size_t offset)
{
	struct text out = text_in(arena);
	struct exec_trace trace = {.offset = offset};
	struct tmpl_run run = {.arena = arena, .set = set, .out = &out, .trace = &trace};

	run.options = options ? *options : tmpl_options_default();
	run.memory_start = arena_used(arena);
	if (exec_whole(&run, data) != STATUS_OK || !trace.source)
		return NOWHERE;
	return place_in_text(trace.source, trace.at);
}

/* ---- the public calls -------------------------------------------------------------------- */

struct tmpl_options tmpl_options_default(void)
{
	return (struct tmpl_options){.limits = {.steps = 10000000,
	                                        .secret_steps = 20000,
	                                        .output_bytes = (size_t)8 << 20,
	                                        .memory_bytes = (size_t)64 << 20,
	                                        .stack_bytes = STACK_BYTES_RUN}};
}

enum status tmpl_parse(struct arena *arena, struct sink *sink, const struct tmpl_funcs *funcs,
                       const struct tmpl_source *source, struct tmpl_set **ret_set,
                       struct tmpl_error *ret_error)
{
	struct tmpl_set *set = ARENA_NEW(arena, struct tmpl_set);

	set->name = source->name;
	set->funcs = funcs;
	if (tmpl_set_add(arena, sink, set, source, ret_error) != STATUS_OK)
		return STATUS_FAILED;
	*ret_set = set;
	return STATUS_OK;
}

enum status tmpl_set_add(struct arena *arena, struct sink *sink, struct tmpl_set *set,
                         const struct tmpl_source *source, struct tmpl_error *ret_error)
{
	const struct set_parse_request request = {.funcs = set->funcs, .source = source};
	struct budget budget = budget_of_parsing(arena);
	struct parse_tree_vec parsed;

	TRY(set_parse(arena, sink, &request, &budget, &parsed, ret_error));
	set_install(arena, &set->trees, NULL, &parsed);
	return STATUS_OK;
}

void tmpl_set_missing_key(struct tmpl_set *set, enum tmpl_missing_key option)
{
	set->missing_key = option;
}

enum status tmpl_execute(struct arena *arena, struct sink *sink, const struct tmpl_set *set,
                         const struct value *data, const struct tmpl_options *options,
                         struct text *out, struct tmpl_error *ret_error)
{
	const struct tmpl_options defaults = tmpl_options_default();
	const struct set_execute_request request = {
	    .set = set, .data = data, .options = options ? options : &defaults};
	struct budget budget = budget_of(arena, request.options);

	return set_execute(arena, sink, &request, &budget, out, ret_error);
}
