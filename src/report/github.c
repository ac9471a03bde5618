/*
 * Annotations of a GitHub workflow: commands that the runner carries out when a job prints them.
 * These commands are ours; what comes from the inputs stands in them escaped as the runner reads it
 * (docs.github.com, "Workflow commands for GitHub Actions"), on one line each.
 */
#include "report/render.h"

/* GitHub shows ten of a kind a step; the rest is in the log only. */

static void add_escaped(struct buf *buf, sv text, bool is_property)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (c == '%' || c == '\r' || c == '\n' || (is_property && (c == ':' || c == ',')))
			buf_printf(buf, "%%%02X", (unsigned)c);
		else if (render_is_command(text, i))
			BUF_ADD_LIT(buf, "%23");
		else
			buf_add_char(buf, c);
	}
}

/* Line by line made visible, then escaped. */
static void add_data(struct buf *buf, const struct report_style *style, sv text, bool is_property)
{
	struct sv_splitter lines = sv_split(text, '\n');
	struct buf visible = buf_in(buf->arena);
	bool first = true;
	sv line;

	while (sv_split_next(&lines, &line)) {
		buf_add(&visible, first ? SV("") : SV("\n"));
		first = false;
		render_text(&visible, style, line);
	}
	add_escaped(buf, buf_sv(&visible), is_property);
}

static void add_place(struct buf *buf, const struct report_style *style, struct position at)
{
	if (!render_has_file(at) || sv_starts_with(at.source->path, SV("/")))
		return;
	BUF_ADD_LIT(buf, "file=");
	add_data(buf, style, at.source->path, true);
	if (at.offset != SV_NPOS) {
		struct line_column place = position_line_column(at);

		buf_printf(buf, ",line=%zu,col=%zu", place.line, place.column);
	}
	buf_add_char(buf, ',');
}

static void add_line(struct buf *buf, const struct report_style *style, const char *word, sv text)
{
	if (sv_empty(text))
		return;
	buf_printf(buf, "%%0A%s", word);
	add_data(buf, style, text, false);
}

static void add_diag(struct buf *buf, const struct diag *diag, const struct report_style *style)
{
	const struct diag_code_info *info = diag_code_find((unsigned)diag->code);

	buf_add(buf, diag->severity == DIAG_ERROR ? SV("::error ") : SV("::warning "));
	add_place(buf, style, diag->at);
	BUF_ADD_LIT(buf, "title=");
	add_data(buf, style,
	         arena_printf(buf->arena, "OSG%04u: %s", (unsigned)diag->code, info->title), true);
	BUF_ADD_LIT(buf, "::");
	add_data(buf, style, diag->text, false);
	add_line(buf, style, "in ", diag->object);
	add_line(buf, style, "cluster ", diag->cluster);
	VEC_EACH (note, &diag->notes)
		add_line(buf, style, "note: ", note->text);
	add_line(buf, style, "help: ", diag->help);
	buf_add_char(buf, '\n');
}

static void add_notice(struct buf *buf, const struct report_style *style, const char *level,
                       sv title, sv text)
{
	buf_printf(buf, "::%s title=", level);
	add_data(buf, style, title, true);
	BUF_ADD_LIT(buf, "::");
	add_data(buf, style, text, false);
	buf_add_char(buf, '\n');
}

static void add_summary(struct buf *buf, const struct report_summary *summary,
                        const struct report_style *style)
{
	struct buf text = buf_in(buf->arena);

	if (!report_add_rollout(&text, summary))
		return;
	add_notice(buf, style, "notice",
	           ARENA_CONCAT(buf->arena, SV("osm-gen "), summary->command, SV(": "),
	                        render_outcome_word(summary->outcome)),
	           buf_sv(&text));
}

void report_github(struct buf *buf, const struct report_summary *summary, const struct sink *sink,
                   const struct report_style *style)
{
	static const enum diag_severity severities[] = {DIAG_ERROR, DIAG_WARNING};

	for (size_t i = 0; i < COUNT_OF(severities); i++)
		VEC_EACH (diag, &sink->diags)
			if ((*diag)->severity == severities[i])
				add_diag(buf, *diag, style);
	VEC_EACH (note, &summary->notes) {
		struct buf text = buf_in(buf->arena);

		buf_add(&text, note->text);
		if (note->unit_count > 0) {
			BUF_ADD_LIT(&text, " (");
			render_note_units(&text, summary, note);
			buf_add_char(&text, ')');
		}
		add_notice(buf, style, "warning",
		           ARENA_CONCAT(buf->arena, SV("Worth a second look: "), note->title),
		           buf_sv(&text));
	}
	add_summary(buf, summary, style);
}
