/*
 * Markdown as GitHub, GitLab and Gitea show it. Strings of the inputs are written as code spans: in
 * these nobody is mentioned (@name), nothing is linked (#1, !1, GH-1, owner/repo#1, the id of a
 * commit, a URL) and no HTML is opened. Escapes alone would not do: &#64;name still mentions.
 */
#include "report/render.h"

/* The longest code span, so that one string of the inputs cannot fill the comment. */
enum { CODE_MAX = 2000 };
/* The most rows of a table. */
enum { ROWS_MAX = 100 };
enum { DIAG_NOTES_MAX = 5 };

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

static void add_code(struct buf *buf, const struct report_style *style, sv text)
{
	render_add_code(buf, secret_mask_apply(buf->arena, style->mask, text));
}

/* Appends a code span (CommonMark 6.1), with more backticks than the text has in a row. */
void render_add_code(struct buf *buf, sv text)
{
	struct buf visible = buf_in(buf->arena);

	if (sv_empty(text))
		return;
	report_add_visible(&visible, text);
	if (visible.len > CODE_MAX) {
		while (visible.len > CODE_MAX ||
		       ((unsigned char)visible.ptr[visible.len] & 0xC0) == 0x80)
			visible.len--;
		BUF_ADD_LIT(&visible, "...");
	}
	size_t fence = longest_run(buf_sv(&visible)) + 1;
	buf_add_repeat(buf, '`', fence);
	if (fence > 1)
		buf_add_char(buf, ' ');
	for (size_t i = 0; i < visible.len; i++) {
		/* A bar ends the cell of a table, even in code. */
		if (visible.ptr[i] == '|')
			BUF_ADD_LIT(buf, "\\x7c");
		else
			buf_add_char(buf, visible.ptr[i]);
	}
	if (fence > 1)
		buf_add_char(buf, ' ');
	buf_add_repeat(buf, '`', fence);
}

/* Appends a code span for each line. */
static void add_code_lines(struct buf *buf, const struct report_style *style, sv text)
{
	struct sv_splitter lines = sv_split(text, '\n');
	bool first = true;
	sv line;

	while (sv_split_next(&lines, &line)) {
		buf_add(buf, first ? SV("") : SV("<br>"));
		first = false;
		add_code(buf, style, line);
	}
}

static void add_cell(struct buf *buf, const struct report_style *style, sv text)
{
	BUF_ADD_LIT(buf, " ");
	add_code(buf, style, text);
	BUF_ADD_LIT(buf, " |");
}

/* Returns true if there is room for more; else appends the number of items that are left out. */
static bool has_room(struct buf *buf, size_t start, size_t left_out, const char *one,
                     const char *many)
{
	if (buf->len - start < REPORT_MARKDOWN_MAX_SIZE * 9 / 10)
		return true;
	BUF_ADD_LIT(buf, "\n... ");
	render_and_more(buf, left_out, one, many);
	BUF_ADD_LIT(buf, ": see the text or JSON report.\n");
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
	buf_add_char(buf, ' ');
	buf_add(buf, render_change_word(row->change));
	BUF_ADD_LIT(buf, " | ");
	buf_add(buf, report_class_word(row->class));
	BUF_ADD_LIT(buf, " | ");
	if (row->replicas != REPORT_REPLICAS_UNKNOWN)
		render_number(buf, (size_t)row->replicas);
	BUF_ADD_LIT(buf, " |\n");
}

static void add_rows(struct buf *buf, size_t start, const struct report_summary *summary,
                     const struct report_style *style)
{
	size_t changed = 0;

	VEC_EACH (row, &summary->units)
		changed += row->change != REPORT_UNCHANGED;
	if (changed == 0)
		return;
	/* If many units change, the groups show the changes. */
	if (changed > ROWS_MAX && summary->groups.count > 0)
		return;
	BUF_ADD_LIT(buf, "\n| Cluster |");
	buf_add_char(buf, ' ');
	buf_add(buf, summary->unit_kind);
	BUF_ADD_LIT(buf, " |");
	BUF_ADD_LIT(buf,
	            " Provider | OS | Profile | Bootstrap bytes | Change | Roll-out | Machines |\n"
	            "|---|---|---|---|---|---:|---|---|---:|\n");
	VEC_EACH (row, &summary->units) {
		if (row->change == REPORT_UNCHANGED)
			continue;
		if (!has_room(buf, start, changed, "row", "rows"))
			return;
		add_row(buf, row, style);
		changed--;
	}
}

static void add_diag_notes(struct buf *buf, const struct diag *diag,
                           const struct report_style *style)
{
	size_t shown = 0;

	VEC_EACH (note, &diag->notes) {
		if (shown++ == DIAG_NOTES_MAX) {
			BUF_ADD_LIT(buf, "<br>");
			render_and_more(buf, diag->notes.count - DIAG_NOTES_MAX, "note", "notes");
			return;
		}
		BUF_ADD_LIT(buf, "<br>note: ");
		add_code(buf, style, note->text);
	}
}

static void add_diags(struct buf *buf, size_t start, const struct sink *sink,
                      const struct report_style *style)
{
	struct render_copies_list list = render_join_copies(buf->arena, sink);
	size_t left = list.count;

	if (left == 0)
		return;
	BUF_ADD_LIT(buf, "\n| | Where | What |\n|---|---|---|\n");
	VEC_EACH (copies, &list) {
		const struct diag *diag = (*copies)->diag;
		sv others = render_other_places(buf->arena, *copies);

		if (!has_room(buf, start, left--, "diagnostic", "diagnostics"))
			return;
		buf_printf(buf, "| %s OSG%04u |",
		           diag->severity == DIAG_ERROR ? "error" : "warning",
		           (unsigned)diag->code);
		add_cell(buf, style, report_place(buf->arena, diag->at));
		buf_add_char(buf, ' ');
		add_code(buf, style, diag->text);
		if (!sv_empty(diag->object)) {
			BUF_ADD_LIT(buf, "<br>in ");
			add_code(buf, style, diag->object);
		}
		if (!sv_empty(others)) {
			BUF_ADD_LIT(buf, "<br>");
			add_code(buf, style, others);
		}
		add_diag_notes(buf, diag, style);
		if (!sv_empty(diag->help)) {
			BUF_ADD_LIT(buf, "<br>help: ");
			add_code_lines(buf, style, diag->help);
		}
		BUF_ADD_LIT(buf, " |\n");
	}
}

/* ---- groups and notes -------------------------------------------------------------------- */

enum { DIFF_MAX = 4000, NOTES_MAX = 50, FIRST_MAX = 20 };

static void add_notes(struct buf *buf, size_t start, const struct report_summary *summary,
                      const struct report_style *style)
{
	size_t left = summary->notes.count;

	if (left == 0)
		return;
	BUF_ADD_LIT(buf, "\n**Worth a second look**\n\n");
	VEC_EACH (note, &summary->notes) {
		if (summary->notes.count - left == NOTES_MAX) {
			buf_printf(buf, "- and %zu more\n", left);
			return;
		}
		if (!has_room(buf, start, left--, "note", "notes"))
			return;
		BUF_ADD_LIT(buf, "- ");
		add_code(buf, style, report_note_title(buf->arena, summary, note));
		BUF_ADD_LIT(buf, ": ");
		add_code(buf, style, note->text);
		if (note->unit_count > 0) {
			struct buf units = buf_in(buf->arena);

			render_note_units(&units, summary, note);
			BUF_ADD_LIT(buf, ", ");
			add_code(buf, style, buf_sv(&units));
		}
		buf_add_char(buf, '\n');
	}
}

/* Appends a diff in a fence that is longer than any run of backticks in the diff. */
static void add_diff(struct buf *buf, const struct report_group *group,
                     const struct report_style *style)
{
	struct buf shown = buf_in(buf->arena);
	struct sv_splitter lines = sv_split(sv_trim_right(group->diff, "\n"), '\n');
	const struct report_style of_diff = render_style_of_diff(style);
	sv line;

	while (sv_split_next(&lines, &line)) {
		if (shown.len + line.len > DIFF_MAX) {
			BUF_ADD_LIT(&shown, "... and more\n");
			break;
		}
		render_text(&shown, &of_diff, line);
		buf_add_char(&shown, '\n');
	}
	size_t fence = longest_run(buf_sv(&shown)) + 1;
	fence = fence < 3 ? 3 : fence;
	BUF_ADD_LIT(buf, "\n<details><summary>The difference");
	if (group->diff_leaves_out)
		BUF_ADD_LIT(buf,
		            " (<code>...</code> is a revision, digest, fingerprint or token's id)");
	BUF_ADD_LIT(buf, "</summary>\n\n");
	buf_add_repeat(buf, '`', fence);
	BUF_ADD_LIT(buf, "diff\n");
	buf_add(buf, buf_sv(&shown));
	buf_add_repeat(buf, '`', fence);
	BUF_ADD_LIT(buf, "\n\n</details>\n");
}

static void add_field(struct buf *buf, const struct report_field *field,
                      const struct report_style *style)
{
	BUF_ADD_LIT(buf, "- ");
	add_code(buf, style, field->name);
	if (!sv_empty(field->before) || !sv_empty(field->after)) {
		BUF_ADD_LIT(buf, ": ");
		add_code(buf, style, sv_empty(field->before) ? SV("none") : field->before);
		BUF_ADD_LIT(buf, " → ");
		add_code(buf, style, sv_empty(field->after) ? SV("none") : field->after);
	}
	buf_add_char(buf, '\n');
}

static void add_heading(struct buf *buf, const struct report_group *group,
                        const struct report_style *style)
{
	if (group->class != REPORT_CLASS_NONE) {
		buf_add(buf, report_class_word(group->class));
		BUF_ADD_LIT(buf, ": ");
	}
	add_code(buf, style, group->heading);
	buf_add_char(buf, '\n');
}

/* Appends what each class of the groups means, for readers who do not know the words. */
static void add_meanings(struct buf *buf, const struct report_summary *summary)
{
	bool given[RENDER_CLASSES] = {false};
	bool first = true;

	VEC_EACH (group, &summary->groups) {
		if (given[group->class] || group->class == REPORT_CLASS_NONE)
			continue;
		given[group->class] = true;
		buf_add(buf, first ? SV("\n") : SV(". "));
		first = false;
		buf_add(buf, report_class_word(group->class));
		BUF_ADD_LIT(buf, ": ");
		buf_add(buf, render_class_meaning(group->class));
	}
	if (!first)
		BUF_ADD_LIT(buf, ".\n");
}

/* Appends the headings of the groups, numbered, so that all can be seen at once. */
static void add_headings(struct buf *buf, size_t start, const struct report_summary *summary,
                         const struct report_style *style)
{
	size_t left = summary->groups.count;

	if (left == 0)
		return;
	BUF_ADD_LIT(buf, "\n**Changes**\n\n");
	VEC_EACH (group, &summary->groups) {
		if (!has_room(buf, start, left, "change", "changes"))
			return;
		buf_printf(buf, "%zu. ", summary->groups.count - left-- + 1);
		add_heading(buf, group, style);
	}
	add_meanings(buf, summary);
}

static void add_group(struct buf *buf, size_t number, const struct report_group *group,
                      const struct report_style *style)
{
	buf_printf(buf, "\n#### Change %zu\n\n", number);
	add_heading(buf, group, style);
	buf_add_char(buf, '\n');
	for (size_t i = 0; i < group->field_count; i++)
		add_field(buf, &group->fields[i], style);
	if (!sv_empty(group->diff))
		add_diff(buf, group, style);
}

static void add_groups(struct buf *buf, size_t start, const struct report_summary *summary,
                       const struct report_style *style)
{
	size_t left = summary->groups.count;

	VEC_EACH (group, &summary->groups) {
		size_t before = buf->len;

		if (!has_room(buf, start, left, "change", "changes"))
			return;
		add_group(buf, summary->groups.count - left + 1, group, style);
		/* Leave room for the parts that follow. */
		if (buf->len - start > REPORT_MARKDOWN_MAX_SIZE * 9 / 10) {
			buf->len = before;
			BUF_ADD_LIT(buf, "\n... ");
			render_and_more(buf, left, "change", "changes");
			BUF_ADD_LIT(buf, ": see the JSON report.\n");
			return;
		}
		left--;
	}
}

/* ---- removed and added units, clusters ---------------------------------------------------- */

static void add_leaving(struct buf *buf, size_t start, const struct report_summary *summary,
                        enum report_class class, const struct report_style *style)
{
	size_t count = render_count_listed(summary, class);
	size_t left = count;

	if (left == 0 || !render_has_classes(summary))
		return;
	BUF_ADD_LIT(buf, "\n**");
	buf_add(buf, report_class_word(class));
	BUF_ADD_LIT(buf, ": ");
	render_class_total(buf, summary, class);
	BUF_ADD_LIT(buf, "**\n\n");
	VEC_EACH (row, &summary->units) {
		sv why = render_why(buf->arena, row, class);

		if (!render_is_listed(row, class))
			continue;
		if (!render_names_each(summary, class) && count - left == FIRST_MAX) {
			buf_printf(buf, "- and %zu more\n", left);
			return;
		}
		if (!has_room(buf, start, left--, "of these", "of these"))
			return;
		BUF_ADD_LIT(buf, "- ");
		add_code(buf, style, report_unit_name(buf->arena, row));
		BUF_ADD_LIT(buf, ", ");
		render_machines(buf, row, class);
		buf_add(buf, sv_empty(why) ? SV("") : SV(": "));
		add_code(buf, style, why);
		buf_add_char(buf, '\n');
	}
}

static void add_matrix_row(struct buf *buf, sv name, const struct render_cluster *cluster,
                           const enum report_class *columns, size_t count,
                           const struct report_style *style)
{
	buf_add_char(buf, '|');
	add_cell(buf, style, name);
	for (size_t i = 0; i < count; i++) {
		buf_add_char(buf, ' ');
		buf_add(buf, render_matrix_cell(buf->arena, &cluster->classes[columns[i]]));
		BUF_ADD_LIT(buf, " |");
	}
	buf_add_char(buf, '\n');
}

static void add_matrix(struct buf *buf, const struct report_summary *summary,
                       const struct report_style *style)
{
	struct render_matrix matrix = render_matrix_of(buf->arena, summary);
	enum report_class columns[RENDER_CLASSES];
	size_t count = render_matrix_columns(&matrix, columns);

	if (!render_has_classes(summary) || matrix.changed_count < 2 || summary->is_first)
		return;
	struct render_rows rows = render_matrix_rows(buf->arena, &matrix, RENDER_ROWS);
	BUF_ADD_LIT(buf, "\n| Cluster |");
	for (size_t i = 0; i < count; i++)
		buf_printf(buf, " %.*s (machines) |", SV_ARG(report_class_word(columns[i])));
	BUF_ADD_LIT(buf, "\n|---|");
	for (size_t i = 0; i < count; i++)
		BUF_ADD_LIT(buf, "---:|");
	buf_add_char(buf, '\n');
	VEC_EACH (row, &rows.rows)
		add_matrix_row(buf, row->name, row->cells, columns, count, style);
	if (rows.left_out > 0) {
		BUF_ADD_LIT(buf, "| ");
		render_and_more(buf, rows.left_out, "cluster", "clusters");
		BUF_ADD_LIT(buf, " |\n");
	}
	add_matrix_row(buf, matrix.all.name, &matrix.all, columns, count, style);
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
		if (!has_room(buf, start, left--, "file", "files"))
			break;
		BUF_ADD_LIT(buf, "- ");
		buf_add(buf, render_change_word(file->change));
		buf_add_char(buf, ' ');
		add_code(buf, style, file->path);
		if (file->sealed) {
			BUF_ADD_LIT(buf, ": ");
			report_add_sealed(buf, file->sealed);
		}
		buf_add_char(buf, '\n');
	}
	BUF_ADD_LIT(buf, "\n</details>\n");
}

static void add_counts(struct buf *buf, const struct report_summary *summary,
                       const struct sink *sink)
{
	render_count(buf, summary->cluster_count, "cluster", "clusters");
	BUF_ADD_LIT(buf, ", ");
	report_add_units(buf, summary, summary->unit_count);
	report_add_kinds(buf, summary);
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

/* Appends the effect on machines as one sentence. */
static void add_rollout(struct buf *buf, const struct report_summary *summary)
{
	size_t start = buf->len;

	BUF_ADD_LIT(buf, "**");
	if (!render_has_classes(summary) || !report_add_rollout(buf, summary))
		buf->len = start;
	else
		BUF_ADD_LIT(buf, "**\n");
}

static void add_fullest(struct buf *buf, const struct report_summary *summary,
                        const struct report_style *style)
{
	const struct report_unit *fullest = render_fullest(summary);

	if (!fullest)
		return;
	BUF_ADD_LIT(buf, "Fullest user-data: ");
	add_code(buf, style, report_unit_name(buf->arena, fullest));
	BUF_ADD_LIT(buf, ", ");
	render_number(buf, fullest->bootstrap_bytes);
	BUF_ADD_LIT(buf, " of ");
	render_number(buf, fullest->bootstrap_limit);
	BUF_ADD_LIT(buf, " bytes.\n");
}

static void add_pace(struct buf *buf, const struct report_summary *summary,
                     const struct report_style *style)
{
	struct render_lines lines = render_pace_lines(buf->arena, summary);

	if (lines.count == 0 || !render_has_classes(summary))
		return;
	buf_add_char(buf, '\n');
	VEC_EACH (line, &lines) {
		BUF_ADD_LIT(buf, "- ");
		add_code(buf, style, *line);
		buf_add_char(buf, '\n');
	}
}

void report_markdown(struct buf *buf, const struct report_summary *summary, const struct sink *sink,
                     const struct report_style *style)
{
	size_t start = buf->len;

	/* By this HTML comment a bot finds its earlier comment and replaces it. */
	BUF_ADD_LIT(buf, "<!-- osm-gen -->\n### osm-gen ");
	buf_add(buf, summary->command);
	BUF_ADD_LIT(buf, ": ");
	buf_add(buf, render_outcome_title(summary->outcome));
	if (!sv_empty(summary->commit)) {
		buf_add_char(buf, ' ');
		add_code(buf, style, summary->commit);
	}
	BUF_ADD_LIT(buf, "\n\n");
	add_rollout(buf, summary);
	for (size_t i = 0; i < RENDER_LISTED; i++)
		add_leaving(buf, start, summary, render_listed[i], style);
	add_notes(buf, start, summary, style);
	add_matrix(buf, summary, style);
	add_pace(buf, summary, style);
	add_headings(buf, start, summary, style);
	buf_add_char(buf, '\n');
	add_counts(buf, summary, sink);
	add_fullest(buf, summary, style);
	add_diags(buf, start, sink, style);
	add_groups(buf, start, summary, style);
	add_rows(buf, start, summary, style);
	add_files(buf, start, summary, style);
	report_defuse(buf, start);
}
