/*
 * Functions that the parser's files share: new nodes, errors, items that are looked at before they
 * are taken, variables.
 */
#include "golang/golang.h"
#include "tmpl/parse.h"

void *parse_new_node(struct parser *p, size_t size, enum parse_node_kind kind, uint32_t pos)
{
	struct parse_node *node = arena_alloc(p->text->arena, size);

	node->kind = kind;
	node->pos = pos;
	return node;
}

/* ---- errors ------------------------------------------------------------------------------ */

/*
 * Go formats name and line into the format first: a name with '%' eats arguments. Its line is that
 * of the last item read; `at` is the position of the mistake.
 */
bool parse_error(struct parser *p, uint32_t at, enum parse_advice advice, const char *format,
                 const struct value *args, size_t count)
{
	struct parse_job *job = p->text->job;
	struct buf full = buf_in(job->arena);

	buf_printf(&full, "template: %.*s:%u: %s", SV_ARG(p->tree->parse_name), p->items[0].line,
	           format);
	job->error = go_fmt_sprintf(job->arena, buf_sv(&full), args, count);
	job->error_offset = at;
	job->advice = advice;
	if (p->items[0].type == ITEM_ERROR) {
		job->error_offset = p->text->lexer.error_pos;
		/* COMPAT: Go's messages do so, too, if the action has several lines. */
		job->open_action = p->action_line != 0 && p->action_line != p->items[0].line;
		job->open_offset = p->action_pos;
	}
	return false;
}

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
		go_strconv_quote_add(&buf, item.text);
		return buf_sv(&buf);
	}
	for (; cut < item.text.len && runes < 10; runes++, cut += width)
		utf8_decode_at(item.text, cut, &width);
	go_strconv_quote_add(&buf, sv_slice(item.text, 0, cut));
	BUF_ADD_LIT(&buf, "...");
	return buf_sv(&buf);
}

/* If two kinds of advice fit, the more specific one comes first: a define in a template clause. */
static enum parse_advice advice_on_unexpected(struct item item, sv context)
{
	static const struct {
		sv text;
		enum parse_advice advice;
	} advice_on[] = {
	    {SV_INIT("="), PARSE_ADVICE_OPERATOR},     {SV_INIT("&"), PARSE_ADVICE_OPERATOR},
	    {SV_INIT("!"), PARSE_ADVICE_OPERATOR},     {SV_INIT("<"), PARSE_ADVICE_OPERATOR},
	    {SV_INIT(">"), PARSE_ADVICE_OPERATOR},     {SV_INIT("*"), PARSE_ADVICE_OPERATOR},
	    {SV_INIT("}"), PARSE_ADVICE_SINGLE_BRACE}, {SV_INIT("|"), PARSE_ADVICE_PIPE},
	};

	if (item.type == ITEM_EOF)
		return PARSE_ADVICE_MISSING_END;
	if (item.type == ITEM_DOT)
		return PARSE_ADVICE_DOT_ALONE;
	for (size_t i = 0; i < COUNT_OF(advice_on); i++)
		if (sv_eq(item.text, advice_on[i].text))
			return advice_on[i].advice;
	if (sv_eq(item.text, SV("/")) && sv_eq(context, SV("command")))
		return PARSE_ADVICE_COMMENT_SPACES;
	if (sv_eq(context, SV("template clause")))
		return PARSE_ADVICE_TEMPLATE_NAME;
	if (sv_eq(context, SV("define clause")))
		return PARSE_ADVICE_DEFINE_NAME;
	return item.type == ITEM_DEFINE ? PARSE_ADVICE_NESTED_DEFINE : PARSE_ADVICE_NONE;
}

bool parse_unexpected(struct parser *p, struct item item, sv context)
{
	struct arena *arena = p->text->arena;

	if (item.type != ITEM_ERROR)
		return PARSE_ERROR(p, item.pos, advice_on_unexpected(item, context),
		                   "unexpected %s in %s", value_string(item_text(arena, item)),
		                   value_string(context));
	sv extra = SV("");
	if (p->action_line != 0 && p->action_line != item.line)
		extra = arena_printf(arena, "%s started at %.*s:%u",
		                     sv_ends_with(item.text, SV(" action")) ? "" : " in action",
		                     SV_ARG(p->tree->parse_name), p->action_line);
	return PARSE_ERROR(p, item.pos, item.advice, "%s%s", value_string(item.text),
	                   value_string(extra));
}

/* ---- items ------------------------------------------------------------------------------- */

/* Checks the memory limit here, since nodes take many times the memory of their source. */
static struct item next_item(struct parser *p)
{
	struct parse_job *job = p->text->job;
	struct item item = lexer_next(&p->text->lexer);

	if (arena_used(job->arena) <= job->memory_end || item.type == ITEM_ERROR)
		return item;
	job->over_limit = true;
	p->text->lexer.error_pos = item.pos;
	item.type = ITEM_ERROR;
	item.text = SV("more to parse than there is memory for");
	return item;
}

struct item parse_next(struct parser *p)
{
	if (p->peeked > 0)
		p->peeked--;
	else
		p->items[0] = next_item(p);
	return p->items[p->peeked];
}

void parse_backup(struct parser *p)
{
	p->peeked++;
}

/* The item before the one in items[0] is next again. */
void parse_backup2(struct parser *p, struct item first)
{
	p->items[1] = first;
	p->peeked = 2;
}

void parse_backup3(struct parser *p, struct item first, struct item second)
{
	p->items[1] = second;
	p->items[2] = first;
	p->peeked = 3;
}

struct item parse_peek(struct parser *p)
{
	if (p->peeked > 0)
		return p->items[p->peeked - 1];
	p->peeked = 1;
	p->items[0] = next_item(p);
	return p->items[0];
}

struct item parse_next_non_space(struct parser *p)
{
	struct item item;

	do {
		item = parse_next(p);
	} while (item.type == ITEM_SPACE);
	return item;
}

struct item parse_peek_non_space(struct parser *p)
{
	struct item item = parse_next_non_space(p);

	parse_backup(p);
	return item;
}

/* ---- variables --------------------------------------------------------------------------- */

bool parse_is_declared(const struct parser *p, sv name)
{
	uintptr_t number = (uintptr_t)map_get(&p->var_index, name);

	return number > 0 && number <= p->vars.count && sv_eq(p->vars.items[number - 1], name);
}

void parse_declare(struct parser *p, sv name)
{
	bool is_new = !parse_is_declared(p, name);

	VEC_PUSH(p->text->arena, &p->vars, name);
	if (is_new)
		map_put(&p->var_index, name, (void *)(uintptr_t)p->vars.count); /* NOLINT */
}
