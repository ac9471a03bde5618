/*
 * Explains diagnostic codes, as text.
 */
#include "report/render.h"

#define TEXT_WIDTH 100

const struct diag_code_info *report_find_code(sv text)
{
	int64_t number;

	if (text.len > 3 && sv_eq_fold_ascii(sv_slice(text, 0, 3), SV("OSG")))
		text = sv_from_offset(text, 3);
	if (text.len != 4 || !sv_parse_int64(text, &number) || number <= 0)
		return NULL;
	return diag_code_find((unsigned)number);
}

/* Appends a paragraph, wrapped into lines of at most `width` columns. */
static void add_wrapped(struct buf *buf, sv paragraph, size_t width)
{
	struct sv_splitter words = sv_split(paragraph, ' ');
	size_t column = 0;
	sv word;

	while (sv_split_next(&words, &word)) {
		size_t columns = render_text_columns(word);

		if (sv_empty(word))
			continue;
		if (column > 0 && column + 1 + columns > width) {
			buf_add_char(buf, '\n');
			column = 0;
		}
		if (column > 0) {
			buf_add_char(buf, ' ');
			column++;
		}
		buf_add(buf, word);
		column += columns;
	}
	buf_add_char(buf, '\n');
}

/* Returns true for errors after a commit that was made: they do not undo it. */
static bool comes_after_commit(enum diag_code code)
{
	return code == DIAG_GIT_STANDS || code == DIAG_PUSH_REFUSED || code == DIAG_PUSH_RACE ||
	       code == DIAG_PUSH_NOTE;
}

static const char *class_words(const struct diag_code_info *code)
{
	if (comes_after_commit(code->code))
		return "an error of the surroundings: exit status 3, the commit stays";
	if (code->severity == DIAG_WARNING)
		return "a warning: the run goes on";
	switch (code->class) {
	case DIAG_CLASS_INPUT:
		return "an error in the inputs: exit status 2, nothing is written";
	case DIAG_CLASS_SURROUNDINGS:
		return "an error of the surroundings: exit status 3, nothing is changed";
	case DIAG_CLASS_USAGE:
		return "an error on the command line: exit status 64, nothing is done";
	}
	BUG("diagnostic class");
}

void report_explain_text(struct buf *buf, const struct diag_code_info *code,
                         const struct report_style *style)
{
	size_t width = style->width ? style->width : TEXT_WIDTH;
	sv rest = sv_from_cstr(code->explanation);
	sv paragraph;
	bool more;

	render_color_on(buf, style, RENDER_BOLD);
	buf_printf(buf, "OSG%04u: %s", (unsigned)code->code, code->title);
	render_color_off(buf, style);
	buf_printf(buf, "\n%s\n", class_words(code));
	do {
		more = sv_cut(rest, SV("\n\n"), &paragraph, &rest);
		buf_add_char(buf, '\n');
		add_wrapped(buf, paragraph, width);
	} while (more);
}

void report_codes_text(struct buf *buf, const struct report_style *style)
{
	size_t count;
	const struct diag_code_info *codes = diag_codes(&count);

	for (size_t i = 0; i < count; i++) {
		bool error = codes[i].severity == DIAG_ERROR;

		render_color_on(buf, style, error ? RENDER_ERROR : RENDER_WARNING);
		buf_printf(buf, "OSG%04u", (unsigned)codes[i].code);
		render_color_off(buf, style);
		buf_printf(buf, "  %s  %s\n", error ? "error  " : "warning", codes[i].title);
	}
}
