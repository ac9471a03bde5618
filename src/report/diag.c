/*
 * Diagnostics as text.
 */
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

/* Appends "note: ..." or "help: ..."; further lines of the text are aligned with its first. */
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

/* Returns true if render_excerpt does not show the line, since its source is confidential. */
static bool is_hidden(struct position at)
{
	return at.source && at.source->confidential && at.offset != SV_NPOS;
}

static void add_diag(struct buf *buf, const struct diag *diag, const struct report_style *style)
{
	add_head(buf, diag, style);
	add_object(buf, diag, style);
	render_excerpt(buf, diag->at, style);
	bool is_said = is_hidden(diag->at); /* mention hidden lines once */
	size_t shown = diag->notes.count;
	if (style->diags_per_code > 0 && shown > style->diags_per_code)
		shown = style->diags_per_code;
	for (size_t i = 0; i < shown; i++) {
		const struct diag_note *note = &diag->notes.items[i];
		/* A note about the same place needs no second excerpt. */
		bool elsewhere =
		    note->at.source != diag->at.source || note->at.offset != diag->at.offset;

		BUF_ADD_LIT(buf, "  ");
		if (elsewhere)
			add_place(buf, note->at, style);
		add_remark(buf, SV("note:"), note->text, style);
		if (elsewhere && !(is_said && is_hidden(note->at)))
			render_excerpt(buf, note->at, style);
		is_said |= elsewhere && is_hidden(note->at);
	}
	if (shown < diag->notes.count) {
		BUF_ADD_LIT(buf, "  ");
		add_remark(buf, SV("note:"),
		           arena_printf(buf->arena, "and %zu more", diag->notes.count - shown),
		           style);
	}
	if (!sv_empty(diag->help)) {
		BUF_ADD_LIT(buf, "  ");
		add_remark(buf, SV("help:"), diag->help, style);
	}
}

void report_diag_text(struct buf *buf, const struct diag *diag, const struct report_style *style)
{
	size_t start = buf->len;

	add_diag(buf, diag, style);
	report_defuse(buf, start);
}

size_t render_count_severity(const struct sink *sink, enum diag_severity severity)
{
	size_t count = 0;

	VEC_EACH (diag, &sink->diags)
		count += (*diag)->severity == severity;
	return count;
}

/* The number of diagnostics of each code, in the order of the table of codes. */
struct tally {
	const struct diag_code_info *codes;
	size_t code_count;
	size_t *seen;
	size_t hidden;
};

static struct tally tally_new(struct arena *arena)
{
	struct tally tally = {0};

	tally.codes = diag_codes(&tally.code_count);
	tally.seen = ARENA_ARRAY(arena, size_t, tally.code_count);
	return tally;
}

/* Counts a diagnostic; returns false if `limit` of its code were shown before. */
static bool is_shown(struct tally *tally, const struct diag *diag, size_t limit)
{
	for (size_t i = 0; i < tally->code_count; i++) {
		if (tally->codes[i].code != diag->code)
			continue;
		bool shown = limit == 0 || tally->seen[i] < limit;

		tally->seen[i]++;
		tally->hidden += !shown;
		return shown;
	}
	BUG("a diagnostic's code");
}

static void add_hidden(struct buf *buf, const struct tally *tally, size_t limit)
{
	if (tally->hidden == 0)
		return;
	for (size_t i = 0; i < tally->code_count; i++) {
		const struct diag_code_info *code = &tally->codes[i];

		if (tally->seen[i] <= limit)
			continue;
		BUF_ADD_LIT(buf, "and ");
		render_number(buf, tally->seen[i] - limit);
		buf_printf(buf, " more %s[OSG%04u]: %s\n",
		           code->severity == DIAG_ERROR ? "error" : "warning", (unsigned)code->code,
		           code->title);
	}
	BUF_ADD_LIT(buf,
	            "  help: -v shows all of them, --report json=FILE writes them to a file\n\n");
}

void report_diags_text(struct buf *buf, const struct sink *sink, const struct report_style *style)
{
	size_t errors = render_count_severity(sink, DIAG_ERROR);
	size_t warnings = render_count_severity(sink, DIAG_WARNING);

	if (sink->diags.count == 0)
		return;
	struct tally tally = tally_new(buf->arena);
	VEC_EACH (diag, &sink->diags) {
		if (!is_shown(&tally, *diag, style->diags_per_code))
			continue;
		report_diag_text(buf, *diag, style);
		buf_add_char(buf, '\n');
	}
	add_hidden(buf, &tally, style->diags_per_code);
	if (errors > 0)
		render_count(buf, errors, "error", "errors");
	if (errors > 0 && warnings > 0)
		BUF_ADD_LIT(buf, ", ");
	if (warnings > 0)
		render_count(buf, warnings, "warning", "warnings");
	buf_add_char(buf, '\n');
}
