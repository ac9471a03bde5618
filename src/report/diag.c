#include "report/render.h"

static void add_place(struct buf *buf, struct position at, const struct report_style *style)
{
	sv place = report_place(buf->arena, at);

	if (sv_empty(place))
		return;
	render_color_on(buf, style, RENDER_BOLD);
	buf_add(buf, place);
	buf_add_char(buf, ':');
	render_color_off(buf, style);
	buf_add_char(buf, ' ');
}

static void add_head(struct buf *buf, const struct diag *diag, const struct report_style *style)
{
	bool error = diag->severity == DIAG_ERROR;

	add_place(buf, diag->at, style);
	render_color_on(buf, style, error ? RENDER_ERROR : RENDER_WARNING);
	buf_printf(buf, "%s[OSG%04u]:", error ? "error" : "warning", (unsigned)diag->code);
	render_color_off(buf, style);
	buf_add_char(buf, ' ');
	render_text(buf, style, diag->text);
	buf_add_char(buf, '\n');
}

static void add_object(struct buf *buf, const struct diag *diag, const struct report_style *style)
{
	if (sv_empty(diag->object) && sv_empty(diag->cluster))
		return;
	BUF_ADD_LIT(buf, "  in ");
	render_text(buf, style, diag->object);
	if (!sv_empty(diag->object) && !sv_empty(diag->cluster))
		BUF_ADD_LIT(buf, ", ");
	if (!sv_empty(diag->cluster)) {
		BUF_ADD_LIT(buf, "cluster ");
		render_text(buf, style, diag->cluster);
	}
	buf_add_char(buf, '\n');
}

/* "note: ..." or "help: ..."; further lines of the text stand under its first. */
static void add_remark(struct buf *buf, sv word, sv text, const struct report_style *style)
{
	struct sv_splitter lines = sv_split(text, '\n');
	bool first = true;
	sv line;

	render_color_on(buf, style, RENDER_NOTE);
	buf_add(buf, word);
	render_color_off(buf, style);
	while (sv_split_next(&lines, &line)) {
		if (!first)
			buf_add_repeat(buf, ' ', word.len + 2);
		first = false;
		buf_add_char(buf, ' ');
		render_text(buf, style, line);
		buf_add_char(buf, '\n');
	}
}

void report_diag_text(struct buf *buf, const struct diag *diag, const struct report_style *style)
{
	add_head(buf, diag, style);
	add_object(buf, diag, style);
	render_excerpt(buf, diag->at, style);
	VEC_EACH (note, &diag->notes) {
		/* A note about the same place needs no second picture of it. */
		bool elsewhere =
		    note->at.source != diag->at.source || note->at.offset != diag->at.offset;

		BUF_ADD_LIT(buf, "  ");
		if (elsewhere)
			add_place(buf, note->at, style);
		add_remark(buf, SV("note:"), note->text, style);
		if (elsewhere)
			render_excerpt(buf, note->at, style);
	}
	if (!sv_empty(diag->help)) {
		BUF_ADD_LIT(buf, "  ");
		add_remark(buf, SV("help:"), diag->help, style);
	}
}

size_t render_count_severity(const struct sink *sink, enum diag_severity severity)
{
	size_t count = 0;

	VEC_EACH (diag, &sink->diags)
		count += (*diag)->severity == severity;
	return count;
}

void report_diags_text(struct buf *buf, const struct sink *sink, const struct report_style *style)
{
	size_t errors = render_count_severity(sink, DIAG_ERROR);
	size_t warnings = render_count_severity(sink, DIAG_WARNING);

	if (sink->diags.count == 0)
		return;
	VEC_EACH (diag, &sink->diags) {
		report_diag_text(buf, *diag, style);
		buf_add_char(buf, '\n');
	}
	if (errors > 0)
		render_count(buf, errors, "error", "errors");
	if (errors > 0 && warnings > 0)
		BUF_ADD_LIT(buf, ", ");
	if (warnings > 0)
		render_count(buf, warnings, "warning", "warnings");
	buf_add_char(buf, '\n');
}
