/*
 * Runs forms: the templates of src/report/forms over a result. What an action prints is escaped for
 * the form's syntax, so that no template can print a string of the inputs as it is.
 */
#include "report/render.h"

#include "tmpl/tmpl.h"

/*
 * The longest code span and its longest fence, so that one string of the inputs cannot fill a
 * comment; the longest diff.
 */
enum { CODE_MAX = 2000, FENCE_MAX = 16, DIFF_MAX = 4000 };

/* Words of a GitHub workflow command: a property ends at ":" and ",", which come before "::". */
static void escape_github(struct text *out, sv printed, const void *context)
{
	sv line = sv_after_last(text_sv(out), '\n');
	bool is_property = !sv_contains(sv_from_offset(line, 2), SV("::"));
	const struct report_style plain = {0};
	sv visible = render_joined(out->buf.arena, &plain, printed, SV("\n"));

	(void)context;
	for (size_t i = 0; i < visible.len; i++) {
		char c = visible.ptr[i];

		if (c == '%' || c == '\n' || (is_property && (c == ':' || c == ',')))
			buf_printf(&out->buf, "%%%02X", (unsigned)c);
		else if (render_is_command(visible, i))
			BUF_ADD_LIT(&out->buf, "%23");
		else
			buf_add_char(&out->buf, c);
	}
}

/* Appends the text with the special characters of HTML and XML escaped. */
static void add_markup(struct buf *buf, sv text)
{
	for (size_t i = 0; i < text.len; i++) {
		switch (text.ptr[i]) {
		case '&':
			BUF_ADD_LIT(buf, "&amp;");
			break;
		case '<':
			BUF_ADD_LIT(buf, "&lt;");
			break;
		case '>':
			BUF_ADD_LIT(buf, "&gt;");
			break;
		case '"':
			BUF_ADD_LIT(buf, "&quot;");
			break;
		case '\'':
			BUF_ADD_LIT(buf, "&#39;");
			break;
		default:
			buf_add_char(buf, text.ptr[i]);
		}
	}
}

static void escape_markup(struct text *out, sv printed, const void *context)
{
	struct buf visible = buf_in(out->buf.arena);

	(void)context;
	report_add_visible(&visible, printed);
	add_markup(&out->buf, buf_sv(&visible));
}

static void escape_terminal(struct text *out, sv printed, const void *context)
{
	(void)context;
	report_add_visible(&out->buf, printed);
}

/* Returns the length of the longest run of backticks. */
static size_t longest_run(sv text)
{
	size_t longest = 0;
	size_t run = 0;

	for (size_t i = 0; i < text.len; i++) {
		run = text.ptr[i] == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	return longest;
}

/*
 * CommonMark 6.1: a code span has more backticks than the text has in a row. Escapes take the place
 * of very many.
 */
static void add_code_span(struct buf *buf, sv text)
{
	struct buf visible = buf_in(buf->arena);
	struct buf shown = buf_in(buf->arena);

	if (sv_empty(text))
		return;
	report_add_visible(&visible, text);
	bool has_long_run = longest_run(buf_sv(&visible)) >= FENCE_MAX;
	for (size_t i = 0; i < visible.len; i++) {
		unsigned char c = (unsigned char)visible.ptr[i];

		if (shown.len >= CODE_MAX && (c & 0xC0) != 0x80) {
			BUF_ADD_LIT(&shown, "...");
			break;
		}
		/* A bar ends the cell of a table, even in code. */
		if (c == '|' || (c == '`' && has_long_run))
			buf_printf(&shown, "\\x%02x", c);
		else
			buf_add_char(&shown, (char)c);
	}
	size_t fence = longest_run(buf_sv(&shown)) + 1;
	buf_add_repeat(buf, '`', fence);
	if (fence > 1)
		buf_add_char(buf, ' ');
	buf_add(buf, buf_sv(&shown));
	if (fence > 1)
		buf_add_char(buf, ' ');
	buf_add_repeat(buf, '`', fence);
}

/*
 * Markdown, as GitHub, GitLab and Gitea show it, has strings as code spans: in these nobody is
 * mentioned (@name), nothing is linked (#1, !1, GH-1, owner/repo#1, the id of a commit, a URL) and
 * no HTML is opened. Escapes alone would not do: &#64;name still mentions.
 */
static void escape_markdown(struct text *out, sv printed, const void *context)
{
	(void)context;
	add_code_span(&out->buf, printed);
}

/* CommonMark 4.5: a fence is longer than any run of backticks in it. */
static enum status diff_fenced(struct tmpl_call *call)
{
	struct buf shown = buf_in(call->arena);
	struct buf block = buf_in(call->arena);
	struct sv_splitter lines = sv_split(sv_trim_right(call->receiver->string, "\n"), '\n');
	sv line;

	while (sv_split_next(&lines, &line)) {
		if (shown.len + line.len > DIFF_MAX) {
			BUF_ADD_LIT(&shown, "... and more\n");
			break;
		}
		report_add_visible(&shown, line);
		buf_add_char(&shown, '\n');
	}
	size_t fence = longest_run(buf_sv(&shown)) + 1;
	fence = fence < 3 ? 3 : fence;
	buf_add_repeat(&block, '`', fence);
	BUF_ADD_LIT(&block, "diff\n");
	buf_add(&block, buf_sv(&shown));
	buf_add_repeat(&block, '`', fence);
	return tmpl_return(call, tmpl_word(buf_sv(&block)));
}

struct value render_diff_value(sv diff)
{
	static const struct type_method methods[] = {{"Fenced", ">a", diff_fenced}};
	static const struct type type = {.kind = KIND_STRING,
	                                 .name = SV_INIT("diff"),
	                                 .methods = methods,
	                                 .method_count = COUNT_OF(methods)};
	struct value v = value_string(diff);

	v.type = &type;
	return v;
}

/*
 * No character starts a macro, and hyphens can be copied. A word that is longer than a line of a
 * narrow terminal has places where it may break.
 */
static void escape_roff(struct text *out, sv printed, const void *context)
{
	enum { LONG_WORD = 50 };
	bool is_long = false;

	(void)context;
	for (size_t i = 0; i < printed.len; i++) {
		char c = printed.ptr[i];
		bool starts_line = i == 0 || printed.ptr[i - 1] == '\n';

		if (starts_line || printed.ptr[i - 1] == ' ') {
			sv line = sv_from_offset(printed, i);

			line = sv_slice(line, 0, sv_find_char(line, '\n'));
			is_long = sv_slice(line, 0, sv_find_char(line, ' ')).len > LONG_WORD;
		}
		if (starts_line && (c == '.' || c == '\''))
			BUF_ADD_LIT(&out->buf, "\\&");
		if (c == '\\')
			BUF_ADD_LIT(&out->buf, "\\e");
		else if (c == '-')
			BUF_ADD_LIT(&out->buf, "\\-");
		else
			buf_add_char(&out->buf, c);
		if (is_long && (c == '/' || c == '|'))
			BUF_ADD_LIT(&out->buf, "\\:");
	}
}

/* Words of commands that people can run, or copy from a comment. */
static void escape_shell(struct text *out, sv printed, const void *context)
{
	struct buf visible = buf_in(out->buf.arena);

	(void)context;
	report_add_visible(&visible, printed);
	report_add_shell_word(&out->buf, sv_starts_with(sv_after_last(text_sv(out), '\n'), SV("#"))
	                                     ? buf_sv(&visible)
	                                     : printed);
}

static void (*const escapes[])(struct text *out, sv printed, const void *context) = {
    [REPORT_TERMINAL] = escape_terminal, [REPORT_MARKUP] = escape_markup,
    [REPORT_MARKDOWN] = escape_markdown, [REPORT_GITHUB] = escape_github,
    [REPORT_ROFF] = escape_roff,         [REPORT_PLAIN] = NULL,
    [REPORT_SHELL] = escape_shell,       [REPORT_TABLE] = escape_terminal,
};

/* Returns the text of a form. */
static struct tmpl_source source_of(struct arena *arena, sv name)
{
	for (size_t i = 0; i < report_form_file_count; i++) {
		const struct report_embedded_file *file = &report_form_files[i];
		struct value *text;

		if (!sv_eq(sv_after_last(sv_from_cstr(file->path), '/'), name))
			continue;
		text = ARENA_NEW(arena, struct value);
		*text = value_string(sv_from(file->text, file->len));
		return (struct tmpl_source){name, text};
	}
	BUG("form");
}

struct report_form {
	struct tmpl_set *set;
	enum report_syntax syntax;
};

/*
 * Adds a file to the form, whose root it becomes if it prints something by itself. Definitions
 * replace those of files before it.
 */
static enum status add_file_to_form(struct arena *arena, struct sink *sink, sv form, sv file,
                                    struct tmpl_set **set)
{
	const struct tmpl_source source = {form, source_of(arena, file).text};

	return *set ? tmpl_set_add(arena, sink, *set, &source, NULL)
	            : tmpl_parse(arena, sink, &tmpl_funcs_form, &source, set, NULL);
}

struct report_form *report_form_new(struct arena *arena, const char *name,
                                    enum report_syntax syntax)
{
	struct report_form *form = ARENA_NEW(arena, struct report_form);
	struct sink sink = sink_in(arena);
	sv file = ARENA_CONCAT(arena, sv_from_cstr(name), SV(".tmpl"));

	*form = (struct report_form){NULL, syntax};
	/* A form that fails is a mistake of the program, which its tests find. */
	if (add_file_to_form(arena, &sink, file, SV("shared.tmpl"), &form->set) != STATUS_OK ||
	    add_file_to_form(arena, &sink, file, file, &form->set) != STATUS_OK)
		BUG(arena_cstr(arena, sink.diags.items[0]->text));
	return form;
}

void report_form_run(struct buf *buf, const struct report_form *form, const struct value *root)
{
	struct arena *arena = buf->arena;
	struct sink sink = sink_in(arena);
	/* The result is the program's own: nothing limits it but memory. */
	const struct tmpl_options options = {
	    .limits = {.steps = INT64_MAX,
	               .secret_steps = INT64_MAX,
	               .output_bytes = INT64_MAX,
	               .memory_bytes = INT64_MAX,
	               .stack_bytes = (size_t)2 << 20},
	    .escape = escapes[form->syntax],
	};
	struct text out = text_in(arena);
	size_t start = buf->len;

	if (tmpl_execute(arena, &sink, form->set, root, &options, &out, NULL) != STATUS_OK)
		BUG(arena_cstr(arena, sink.diags.items[0]->text));
	if (form->syntax == REPORT_TABLE)
		render_table(buf, text_sv(&out));
	else
		buf_add(buf, text_sv(&out));
	/* The log of a CI system may be the terminal. */
	if (form->syntax == REPORT_TERMINAL || form->syntax == REPORT_TABLE)
		report_defuse(buf, start);
}

void report_form(struct buf *buf, const char *name, enum report_syntax syntax,
                 const struct value *root)
{
	report_form_run(buf, report_form_new(buf->arena, name, syntax), root);
}
