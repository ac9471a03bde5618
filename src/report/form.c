/*
 * Runs forms: the templates of src/report/forms over a result. What an action prints is escaped for
 * the form's syntax, so that no template can print a string of the inputs as it is.
 */
#include "report/page.h"
#include "report/render.h"

#include "tmpl/tmpl.h"

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

static void escape_markdown(struct text *out, sv printed, const void *context)
{
	(void)context;
	render_add_code(&out->buf, printed);
}

static void (*const escapes[])(struct text *out, sv printed, const void *context) = {
    [REPORT_TERMINAL] = escape_terminal,
    [REPORT_MARKUP] = escape_markup,
    [REPORT_MARKDOWN] = escape_markdown,
    [REPORT_GITHUB] = escape_github,
};

/* Returns the text of a form. */
static struct tmpl_source source_of(struct arena *arena, sv name)
{
	for (size_t i = 0; i < report_form_file_count; i++) {
		const struct report_page_file *file = &report_form_files[i];
		struct value *text;

		if (!sv_eq(sv_after_last(sv_from_cstr(file->path), '/'), name))
			continue;
		text = ARENA_NEW(arena, struct value);
		*text = value_string(sv_from(file->text, file->len));
		return (struct tmpl_source){name, text};
	}
	BUG("form");
}

/* Adds what the form is made of besides its own file: shared.tmpl and NAME_*.tmpl. */
static enum status add_parts(struct arena *arena, struct sink *sink, sv name, struct tmpl_set *set)
{
	sv prefix = ARENA_CONCAT(arena, name, SV("_"));

	for (size_t i = 0; i < report_form_file_count; i++) {
		sv file = sv_after_last(sv_from_cstr(report_form_files[i].path), '/');

		if (!sv_eq(file, SV("shared.tmpl")) && !sv_starts_with(file, prefix))
			continue;
		const struct tmpl_source source = source_of(arena, file);
		if (tmpl_set_add(arena, sink, set, &source, NULL) != STATUS_OK)
			return STATUS_FAILED;
	}
	return STATUS_OK;
}

void report_form(struct buf *buf, const char *name, enum report_syntax syntax,
                 const struct value *root)
{
	struct arena *arena = buf->arena;
	struct sink sink = sink_in(arena);
	const struct tmpl_source source =
	    source_of(arena, ARENA_CONCAT(arena, sv_from_cstr(name), SV(".tmpl")));
	/* The result is the program's own: nothing limits it but memory. */
	const struct tmpl_options options = {
	    .limits = {.steps = INT64_MAX,
	               .secret_steps = INT64_MAX,
	               .output_bytes = INT64_MAX,
	               .memory_bytes = INT64_MAX,
	               .stack_bytes = (size_t)2 << 20},
	    .escape = escapes[syntax],
	};
	struct text out = text_in(arena);
	struct tmpl_set *set;

	/* A form that fails is a mistake of the program, which its tests find. */
	if (tmpl_parse(arena, &sink, &tmpl_funcs_form, &source, &set, NULL) != STATUS_OK ||
	    add_parts(arena, &sink, sv_from_cstr(name), set) != STATUS_OK ||
	    tmpl_execute(arena, &sink, set, root, &options, &out, NULL) != STATUS_OK)
		BUG(arena_cstr(arena, sink.diags.items[0]->text));
	buf_add(buf, text_sv(&out));
}
