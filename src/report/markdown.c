/*
 * Markdown as GitHub, GitLab and Gitea show it. Texts of the inputs are escaped: a name cannot
 * break a table, mention a person or open HTML.
 */
#include "report/render.h"

static void add_escaped(struct buf *buf, const struct report_style *style, sv text)
{
	struct buf visible = buf_in(buf->arena);

	render_text(&visible, style, text);
	for (size_t i = 0; i < visible.len; i++) {
		char c = visible.ptr[i];

		if (c == '<')
			BUF_ADD_LIT(buf, "&lt;");
		else if (c == '>')
			BUF_ADD_LIT(buf, "&gt;");
		else if (c == '&')
			BUF_ADD_LIT(buf, "&amp;");
		else if (c == '@')
			BUF_ADD_LIT(buf, "&#64;");
		else if (c == '|')
			BUF_ADD_LIT(buf, "&#124;");
		else if (strchr("\\`*_[]#~!$", c))
			buf_printf(buf, "\\%c", c);
		else
			buf_add_char(buf, c);
	}
}

static void add_cell(struct buf *buf, const struct report_style *style, sv text)
{
	BUF_ADD_LIT(buf, " ");
	add_escaped(buf, style, text);
	BUF_ADD_LIT(buf, " |");
}

/* True when there is room for more; else says once how many were left out. */
static bool has_room(struct buf *buf, size_t start, size_t left_out, const char *what)
{
	if (buf->len - start < REPORT_MARKDOWN_MAX_SIZE * 9 / 10)
		return true;
	buf_printf(buf, "\n... and %zu more %s: see the text or JSON report.\n", left_out, what);
	return false;
}

static void add_row(struct buf *buf, const struct report_unit *row,
                    const struct report_style *style)
{
	buf_add_char(buf, '|');
	add_cell(buf, style, row->cluster);
	add_cell(buf, style, ARENA_CONCAT(buf->arena, row->namespace, SV("/"), row->name));
	add_cell(buf, style, row->provider);
	add_cell(buf, style, row->operating_system);
	add_cell(buf, style, ARENA_CONCAT(buf->arena, row->profile, SV(" "), row->profile_version));
	buf_add_char(buf, ' ');
	render_number(buf, row->bootstrap_bytes);
	if (row->bootstrap_limit > 0) {
		BUF_ADD_LIT(buf, " / ");
		render_number(buf, row->bootstrap_limit);
	}
	BUF_ADD_LIT(buf, " |");
	add_cell(buf, style, render_change_word(row->change));
	buf_add_char(buf, '\n');
}

static void add_rows(struct buf *buf, size_t start, const struct report_summary *summary,
                     const struct report_style *style)
{
	size_t changed = 0;

	VEC_EACH (row, &summary->units)
		changed += row->change != REPORT_UNCHANGED;
	if (changed == 0)
		return;
	BUF_ADD_LIT(buf, "\n| Cluster |");
	add_cell(buf, style, summary->unit_kind);
	BUF_ADD_LIT(buf, " Provider | OS | Profile | Bootstrap bytes | Change |\n"
	                 "|---|---|---|---|---|---:|---|\n");
	VEC_EACH (row, &summary->units) {
		if (row->change == REPORT_UNCHANGED)
			continue;
		if (!has_room(buf, start, changed, "rows"))
			return;
		add_row(buf, row, style);
		changed--;
	}
}

static void add_diags(struct buf *buf, size_t start, const struct sink *sink,
                      const struct report_style *style)
{
	size_t left = sink->diags.count;

	if (left == 0)
		return;
	BUF_ADD_LIT(buf, "\n| | Where | What |\n|---|---|---|\n");
	VEC_EACH (item, &sink->diags) {
		const struct diag *diag = *item;

		if (!has_room(buf, start, left--, "diagnostics"))
			return;
		buf_printf(buf, "| %s OSG%04u |",
		           diag->severity == DIAG_ERROR ? "error" : "warning",
		           (unsigned)diag->code);
		add_cell(buf, style, report_place(buf->arena, diag->at));
		buf_add_char(buf, ' ');
		add_escaped(buf, style, diag->text);
		if (!sv_empty(diag->object)) {
			BUF_ADD_LIT(buf, "<br>in ");
			add_escaped(buf, style, diag->object);
		}
		if (!sv_empty(diag->help)) {
			BUF_ADD_LIT(buf, "<br>help: ");
			add_escaped(buf, style, diag->help);
		}
		BUF_ADD_LIT(buf, " |\n");
	}
}

static void add_files(struct buf *buf, size_t start, const struct report_summary *summary,
                      const struct report_style *style)
{
	size_t left = summary->files.count - (report_count_files(summary, REPORT_UNCHANGED) -
	                                      summary->unchanged_file_count);

	if (left == 0)
		return;
	BUF_ADD_LIT(buf, "\n<details><summary>Files</summary>\n\n");
	VEC_EACH (file, &summary->files) {
		if (file->change == REPORT_UNCHANGED)
			continue;
		if (!has_room(buf, start, left--, "files"))
			break;
		BUF_ADD_LIT(buf, "- ");
		buf_add(buf, render_change_word(file->change));
		buf_add_char(buf, ' ');
		add_escaped(buf, style, file->path);
		buf_add_char(buf, '\n');
	}
	BUF_ADD_LIT(buf, "\n</details>\n");
}

static void add_counts(struct buf *buf, const struct report_summary *summary,
                       const struct sink *sink)
{
	render_count(buf, summary->cluster_count, "cluster", "clusters");
	BUF_ADD_LIT(buf, ", ");
	render_units(buf, summary);
	BUF_ADD_LIT(buf, "; files: ");
	render_number(buf, report_count_files(summary, REPORT_ADDED));
	BUF_ADD_LIT(buf, " added, ");
	render_number(buf, report_count_files(summary, REPORT_CHANGED));
	BUF_ADD_LIT(buf, " changed, ");
	render_number(buf, report_count_files(summary, REPORT_REMOVED));
	BUF_ADD_LIT(buf, " removed, ");
	render_number(buf, report_count_files(summary, REPORT_UNCHANGED));
	BUF_ADD_LIT(buf, " unchanged; ");
	render_count(buf, render_count_severity(sink, DIAG_ERROR), "error", "errors");
	BUF_ADD_LIT(buf, ", ");
	render_count(buf, render_count_severity(sink, DIAG_WARNING), "warning", "warnings");
	BUF_ADD_LIT(buf, ".\n");
}

void report_markdown(struct buf *buf, const struct report_summary *summary, const struct sink *sink,
                     const struct report_style *style)
{
	const struct report_unit *fullest = render_fullest(summary);
	size_t start = buf->len;

	/* The comment lets a bot find its earlier text and replace it. */
	BUF_ADD_LIT(buf, "<!-- osm-gen -->\n### osm-gen ");
	add_escaped(buf, style, summary->command);
	BUF_ADD_LIT(buf, ": ");
	buf_add(buf, render_outcome_word(summary->outcome));
	if (!sv_empty(summary->commit)) {
		buf_add_char(buf, ' ');
		add_escaped(buf, style, summary->commit);
	}
	BUF_ADD_LIT(buf, "\n\n");
	add_counts(buf, summary, sink);
	if (fullest) {
		BUF_ADD_LIT(buf, "Fullest user-data: ");
		add_escaped(buf, style,
		            ARENA_CONCAT(buf->arena, fullest->cluster, SV("/"), fullest->namespace,
		                         SV("/"), fullest->name));
		BUF_ADD_LIT(buf, ", ");
		render_number(buf, fullest->bootstrap_bytes);
		BUF_ADD_LIT(buf, " of ");
		render_number(buf, fullest->bootstrap_limit);
		BUF_ADD_LIT(buf, " bytes.\n");
	}
	add_diags(buf, start, sink, style);
	add_rows(buf, start, summary, style);
	add_files(buf, start, summary, style);
}
