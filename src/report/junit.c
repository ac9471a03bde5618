/*
 * Units and diagnostics as JUnit XML, for test reports.
 */
#include "report/markup.h"
#include "report/render.h"

/* GitLab does not read very long XML elements. */
enum { FILES_MAX = 100 };

/* Appends text of an attribute or element: escaped, without characters that XML forbids. */
/* Appends lines: keeps line breaks, which render_text would show as \n. */
static void add_lines(struct buf *buf, const struct report_style *style, sv text)
{
	struct sv_splitter lines = sv_split(text, '\n');
	sv line;

	while (sv_split_next(&lines, &line)) {
		markup_text(buf, style, line);
		buf_add_char(buf, '\n');
	}
}

static void begin_case(struct buf *buf, const struct report_style *style, sv class, sv name)
{
	BUF_ADD_LIT(buf, "    <testcase classname=\"");
	markup_text(buf, style, class);
	BUF_ADD_LIT(buf, "\" name=\"");
	markup_text(buf, style, name);
	BUF_ADD_LIT(buf, "\"");
}

static void add_diag_lines(struct buf *buf, const struct diag *diag,
                           const struct report_style *style)
{
	struct report_style plain = {.width = style->width, .mask = style->mask};
	struct buf text = buf_in(buf->arena);

	report_diag_text(&text, diag, &plain);
	add_lines(buf, style, sv_trim_right(buf_sv(&text), "\n"));
}

/* ---- cases ------------------------------------------------------------------------------- */

static size_t count_cases(const struct report_summary *summary)
{
	size_t count = 0;

	VEC_EACH (row, &summary->units)
		count += row->change != REPORT_REMOVED;
	return count;
}

static void add_unit(struct buf *buf, const struct report_unit *row,
                     const struct report_style *style)
{
	sv name = ARENA_CONCAT(buf->arena, row->namespace, SV("/"), row->name);

	begin_case(buf, style, row->cluster, name);
	BUF_ADD_LIT(buf, "/>\n");
}

static void add_error(struct buf *buf, const struct diag *diag, const struct report_style *style)
{
	const struct diag_code_info *info = diag_code_find((unsigned)diag->code);
	sv code = render_code(buf->arena, diag->code);
	sv place = report_place(buf->arena, diag->at);
	sv name = ARENA_CONCAT(buf->arena, code, SV(" "), sv_from_cstr(info->title),
	                       sv_empty(place) ? SV("") : SV(" at "), place);

	begin_case(buf, style, diag->at.source ? diag->at.source->path : SV("osm-gen"), name);
	BUF_ADD_LIT(buf, ">\n      <failure type=\"");
	markup_text(buf, style, code);
	BUF_ADD_LIT(buf, "\" message=\"");
	markup_text(buf, style, diag->text);
	BUF_ADD_LIT(buf, "\">");
	add_diag_lines(buf, diag, style);
	BUF_ADD_LIT(buf, "</failure>\n    </testcase>\n");
}

/* Appends the effect on machines, the groups and the notes. */
static void add_changes(struct buf *buf, const struct report_summary *summary,
                        const struct report_style *style)
{
	const struct report_style plain = {0}; /* add_lines masks */
	struct buf text = buf_in(buf->arena);

	if (render_has_classes(summary) && report_add_rollout(&text, summary))
		buf_add_char(&text, '\n');
	render_changes(&text, summary, false, &plain);
	if (text.len > 0)
		add_lines(buf, style, sv_trim_right(buf_sv(&text), "\n"));
}

static void add_files(struct buf *buf, const struct report_summary *summary,
                      const struct report_style *style)
{
	size_t changed = 0;

	VEC_EACH (file, &summary->files) {
		if (file->change == REPORT_UNCHANGED || changed++ >= FILES_MAX)
			continue;
		markup_text(buf, style, render_change_word(file->change));
		buf_add_char(buf, ' ');
		markup_text(buf, style, file->path);
		buf_add_char(buf, '\n');
	}
	if (changed > FILES_MAX) {
		render_and_more(buf, changed - FILES_MAX, "file", "files");
		buf_add_char(buf, '\n');
	}
}

/* Appends the test case of `check` and `diff`: the output is up to date. */
static void add_comparison(struct buf *buf, const struct report_summary *summary,
                           const struct report_style *style)
{
	begin_case(buf, style, SV("osm-gen"),
	           ARENA_CONCAT(buf->arena, summary->out, SV(" is up to date")));
	if (summary->outcome != REPORT_DIFFERS) {
		BUF_ADD_LIT(buf, "/>\n");
		return;
	}
	BUF_ADD_LIT(buf, ">\n      <failure type=\"difference\" message=\"");
	markup_text(buf, style, summary->out);
	BUF_ADD_LIT(buf, " does not match the inputs\">");
	add_changes(buf, summary, style);
	add_files(buf, summary, style);
	BUF_ADD_LIT(buf, "</failure>\n    </testcase>\n");
}

/*
 * Appends a test case that always passes and is named after the effect on machines, for commands
 * that do not compare. Returns false if nothing changes.
 */
static bool add_plan(struct buf *buf, const struct report_summary *summary,
                     const struct report_style *style)
{
	struct buf rollout = buf_in(buf->arena);

	if (!render_has_classes(summary) || !report_add_rollout(&rollout, summary))
		return false;
	begin_case(buf, style, SV("osm-gen"), buf_sv(&rollout));
	BUF_ADD_LIT(buf, ">\n      <system-out>");
	add_changes(buf, summary, style);
	BUF_ADD_LIT(buf, "</system-out>\n    </testcase>\n");
	return true;
}

/* Appends system-out, for readers of a run that succeeded. */
static void add_output(struct buf *buf, const struct sink *sink, const struct report_style *style)
{
	struct buf text = buf_in(buf->arena);

	VEC_EACH (diag, &sink->diags)
		if ((*diag)->severity == DIAG_WARNING)
			add_diag_lines(&text, *diag, style);
	if (text.len == 0)
		return;
	BUF_ADD_LIT(buf, "    <system-out>");
	buf_add(buf, buf_sv(&text));
	BUF_ADD_LIT(buf, "</system-out>\n");
}

void report_junit(struct buf *buf, const struct report_summary *summary, const struct sink *sink,
                  const struct report_style *style)
{
	bool compared =
	    summary->outcome != REPORT_FAILED &&
	    (sv_eq(summary->command, SV("check")) || sv_eq(summary->command, SV("diff")));
	size_t failures = render_count_severity(sink, DIAG_ERROR) +
	                  (compared && summary->outcome == REPORT_DIFFERS ? 1 : 0);
	size_t tests =
	    count_cases(summary) + render_count_severity(sink, DIAG_ERROR) + (compared ? 1 : 0);
	size_t start = buf->len;
	struct buf first = buf_in(buf->arena);

	if (compared)
		add_comparison(&first, summary, style);
	else
		tests += add_plan(&first, summary, style);
	sv totals = arena_printf(buf->arena, "tests=\"%zu\" failures=\"%zu\" errors=\"0\"", tests,
	                         failures);

	buf_printf(buf,
	           "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	           "<testsuites name=\"osm-gen\" %.*s>\n  <testsuite name=\"osm-gen %.*s\" %.*s "
	           "skipped=\"0\">\n",
	           SV_ARG(totals), SV_ARG(summary->command), SV_ARG(totals));
	buf_add(buf, buf_sv(&first));
	VEC_EACH (row, &summary->units)
		if (row->change != REPORT_REMOVED)
			add_unit(buf, row, style);
	VEC_EACH (diag, &sink->diags)
		if ((*diag)->severity == DIAG_ERROR)
			add_error(buf, *diag, style);
	add_output(buf, sink, style);
	BUF_ADD_LIT(buf, "  </testsuite>\n</testsuites>\n");
	report_defuse(buf, start);
}
