/*
 * One HTML page with everything about a run. It makes no request and loads no font or library. Its
 * content policy allows only the style and the script that are built into the program, by their
 * digests, so that a string of the inputs could do no harm even if it were not escaped. The page
 * can be read without scripts, too.
 */
#include "codec/codec.h"

#include "report/html.h"
#include "report/page.h"

enum {
	ROWS_WITHOUT_SCRIPT = 200,
	CLUSTERS_SHOWN = 200,
	DIAGS_SHOWN = 500,
	FULLEST_SHOWN = 10,
	FIRST_SHOWN = 20, /* of the units of a first output */
};

static void add_code(struct buf *buf, const struct report_style *style, sv text)
{
	if (sv_empty(text))
		return;
	BUF_ADD_LIT(buf, "<code>");
	markup_text(buf, style, text);
	BUF_ADD_LIT(buf, "</code>");
}

static void begin_section(struct buf *buf, const char *title)
{
	buf_printf(buf, "<section>\n<h2>%s</h2>\n", title);
}

/* ---- the head ---------------------------------------------------------------------------- */

static sv page_file(size_t i)
{
	BUG_ON(i >= report_page_file_count);
	return sv_from(report_page_files[i].text, report_page_files[i].len);
}

static void add_source_digest(struct buf *buf, sv text)
{
	uint8_t digest[DIGEST_MAX_SIZE];

	digest_of(DIGEST_SHA256, text, digest);
	BUF_ADD_LIT(buf, "'sha256-");
	base64_add(buf, BASE64_STD, sv_from((const char *)digest, 32));
	BUF_ADD_LIT(buf, "'");
}

static void add_head(struct buf *buf, const struct report_summary *summary)
{
	BUF_ADD_LIT(buf,
	            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	            "style-src ");
	add_source_digest(buf, page_file(0));
	BUF_ADD_LIT(buf, "; script-src ");
	add_source_digest(buf, page_file(1));
	BUF_ADD_LIT(buf,
	            "; base-uri 'none'; form-action 'none'\">\n"
	            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	            "<meta name=\"referrer\" content=\"no-referrer\">\n<title>osm-gen ");
	buf_add(buf, summary->command);
	BUF_ADD_LIT(buf, ": ");
	buf_add(buf, render_outcome_title(summary->outcome));
	BUF_ADD_LIT(buf, "</title>\n<style>");
	buf_add(buf, page_file(0));
	BUF_ADD_LIT(buf, "</style>\n</head>\n<body>\n");
}

static void add_fact(struct buf *buf, const struct report_style *style, const char *name, sv text)
{
	if (sv_empty(text))
		return;
	buf_printf(buf, " · %s ", name);
	add_code(buf, style, text);
}

/* Appends the effect on machines as one sentence. */
static void add_sentence(struct buf *buf, const struct report_summary *summary)
{
	struct buf text = buf_in(buf->arena);

	if (!render_has_classes(summary) || !report_add_rollout(&text, summary))
		return;
	BUF_ADD_LIT(buf, "<p class=\"sentence\">");
	markup_escape(buf, buf_sv(&text));
	BUF_ADD_LIT(buf, "</p>\n");
}

static void add_title(struct buf *buf, const struct report_summary *summary)
{
	BUF_ADD_LIT(buf, "<header>\n<h1>osm-gen ");
	buf_add(buf, summary->command);
	BUF_ADD_LIT(buf, ": ");
	buf_add(buf, render_outcome_title(summary->outcome));
	BUF_ADD_LIT(buf, "</h1>\n");
	add_sentence(buf, summary);
	BUF_ADD_LIT(buf, "</header>\n");
}

/* Appends numbers and names of the run, for the end of the page. */
static void add_run(struct buf *buf, const struct report_summary *summary, const struct sink *sink,
                    const struct report_style *style)
{
	BUF_ADD_LIT(buf, "<section>\n<h2>Run</h2>\n<p>");
	render_count(buf, summary->cluster_count, "cluster", "clusters");
	BUF_ADD_LIT(buf, ", ");
	struct buf units = buf_in(buf->arena);
	report_add_units(&units, summary, summary->unit_count);
	markup_escape(buf, buf_sv(&units));
	BUF_ADD_LIT(buf, ", ");
	render_count(buf, summary->profile_count, "profile", "profiles");
	BUF_ADD_LIT(buf, "; files: ");
	for (int i = REPORT_UNCHANGED; i <= REPORT_REMOVED; i++) {
		buf_add(buf, i ? SV(", ") : SV(""));
		render_number(buf, report_count_files(summary, (enum report_change)i));
		buf_add_char(buf, ' ');
		buf_add(buf, render_change_word((enum report_change)i));
	}
	BUF_ADD_LIT(buf, "; ");
	render_count(buf, render_count_severity(sink, DIAG_ERROR), "error", "errors");
	BUF_ADD_LIT(buf, ", ");
	render_count(buf, render_count_severity(sink, DIAG_WARNING), "warning", "warnings");
	BUF_ADD_LIT(buf, ".</p>\n<p class=\"soft\">osm-gen ");
	markup_text(buf, style, summary->version);
	add_fact(buf, style, "source", summary->source_commit);
	add_fact(buf, style, "commit", summary->commit);
	add_fact(buf, style, "branch", summary->branch);
	add_fact(buf, style, "output", summary->out);
	BUF_ADD_LIT(buf, "</p>\n</section>\n");
}

/* ---- effect on machines ------------------------------------------------------------------ */

static bool is_changed(const struct report_unit *row)
{
	return row->change != REPORT_UNCHANGED || row->class != REPORT_CLASS_NONE;
}

static void add_card(struct buf *buf, const struct report_summary *summary, enum report_class class,
                     const struct report_style *style)
{
	size_t units = 0;
	size_t machines = 0;
	bool is_exact = true;

	VEC_EACH (row, &summary->units) {
		if (row->class != class || !is_changed(row))
			continue;
		units++;
		is_exact &= render_row_machines(row) >= 0;
		machines += render_row_machines(row) > 0 ? (size_t)render_row_machines(row) : 0;
	}
	if (units == 0)
		return;
	BUF_ADD_LIT(buf, "<div class=\"card\">");
	html_class(buf, class);
	BUF_ADD_LIT(buf, "<p class=\"big\">");
	render_number(buf, units);
	BUF_ADD_LIT(buf, "</p><p>");
	markup_text(buf, style, summary->unit_kind);
	buf_add(buf, units == 1 ? SV("") : SV("s"));
	if (machines > 0) {
		BUF_ADD_LIT(buf, ", ");
		render_number(buf, machines);
		buf_add(buf, is_exact ? SV("") : SV("+"));
		buf_add(buf, machines == 1 ? SV(" machine") : SV(" machines"));
	}
	BUF_ADD_LIT(buf, "</p><p class=\"soft\">");
	buf_add(buf, class == REPORT_CLASS_NONE ? SV("files change, machines do not")
	                                        : render_class_meaning(class));
	BUF_ADD_LIT(buf, "</p></div>\n");
}

static void add_rollout(struct buf *buf, const struct report_summary *summary,
                        const struct report_style *style)
{
	size_t changed = 0;

	VEC_EACH (row, &summary->units)
		changed += is_changed(row);
	if (changed == 0)
		return;
	begin_section(buf, "Roll-out");
	BUF_ADD_LIT(buf, "<div class=\"cards\">\n");
	for (int class = REPORT_CLASS_REMOVE; class >= REPORT_CLASS_NONE; class --)
		add_card(buf, summary, (enum report_class) class, style);
	BUF_ADD_LIT(buf, "</div>\n</section>\n");
}

/* ---- places to check --------------------------------------------------------------------- */

static void add_notes(struct buf *buf, const struct report_summary *summary,
                      const struct report_style *style)
{
	if (summary->notes.count == 0)
		return;
	BUF_ADD_LIT(
	    buf, "<section class=\"look\">\n<h2>Worth a second look</h2>\n<ul class=\"plain\">\n");
	VEC_EACH (note, &summary->notes) {
		BUF_ADD_LIT(buf, "<li><h3>");
		markup_text(buf, style, report_note_title(buf->arena, summary, note));
		BUF_ADD_LIT(buf, "</h3><p>");
		markup_text(buf, style, note->text);
		if (note->unit_count > 0) {
			struct buf units = buf_in(buf->arena);

			render_note_units(&units, summary, note);
			BUF_ADD_LIT(buf, " <span class=\"soft\">(");
			markup_escape(buf, buf_sv(&units));
			BUF_ADD_LIT(buf, ")</span>");
		}
		BUF_ADD_LIT(buf, "</p></li>\n");
	}
	BUF_ADD_LIT(buf, "</ul>\n</section>\n");
}

static void add_recipients(struct buf *buf, const struct report_summary *summary,
                           const struct report_style *style)
{
	if (summary->recipients.count == 0)
		return;
	begin_section(buf, "Recipients change");
	BUF_ADD_LIT(buf, "<ul class=\"plain\">\n");
	VEC_EACH (change, &summary->recipients) {
		BUF_ADD_LIT(buf, "<li><h3>");
		markup_text(buf, style, change->cluster);
		BUF_ADD_LIT(buf, "</h3>");
		for (size_t i = 0; i < change->added_count; i++) {
			BUF_ADD_LIT(buf, "<p><span class=\"after\">can read from now on:</span> ");
			add_code(buf, style, change->added[i]);
			BUF_ADD_LIT(buf, "</p>");
		}
		for (size_t i = 0; i < change->removed_count; i++) {
			BUF_ADD_LIT(buf, "<p><span class=\"lost\">can read no longer:</span> ");
			add_code(buf, style, change->removed[i]);
			BUF_ADD_LIT(buf, "</p>");
		}
		BUF_ADD_LIT(buf, "</li>\n");
	}
	BUF_ADD_LIT(buf, "</ul>\n</section>\n");
}

static void add_diag(struct buf *buf, const struct diag *diag, const struct report_style *style)
{
	struct sv_splitter lines = sv_split(diag->help, '\n');
	bool error = diag->severity == DIAG_ERROR;
	sv line;

	buf_printf(buf, "<li><h3><span class=\"badge %s\">%s OSG%04u</span> ",
	           error ? "error" : "warning", error ? "error" : "warning", (unsigned)diag->code);
	markup_text(buf, style, diag->text);
	BUF_ADD_LIT(buf, "</h3>");
	sv place = report_place(buf->arena, diag->at);
	if (!sv_empty(place) || !sv_empty(diag->object)) {
		BUF_ADD_LIT(buf, "<p class=\"soft\">");
		add_code(buf, style, place);
		buf_add(buf, sv_empty(place) || sv_empty(diag->object) ? SV("") : SV(" in "));
		markup_text(buf, style, diag->object);
		BUF_ADD_LIT(buf, "</p>");
	}
	VEC_EACH (note, &diag->notes) {
		BUF_ADD_LIT(buf, "<p>note: ");
		markup_text(buf, style, note->text);
		BUF_ADD_LIT(buf, "</p>");
	}
	for (bool first = true; !sv_empty(diag->help) && sv_split_next(&lines, &line);
	     first = false) {
		buf_add(buf, first ? SV("<p>help: ") : SV("<p>"));
		markup_text(buf, style, line);
		BUF_ADD_LIT(buf, "</p>");
	}
	BUF_ADD_LIT(buf, "</li>\n");
}

static void add_diags(struct buf *buf, const struct sink *sink, const struct report_style *style)
{
	static const enum diag_severity severities[] = {DIAG_ERROR, DIAG_WARNING};
	size_t shown = 0;

	if (sink->diags.count == 0)
		return;
	begin_section(buf, "Diagnostics");
	BUF_ADD_LIT(buf, "<ul class=\"plain\">\n");
	for (size_t i = 0; i < COUNT_OF(severities); i++) {
		VEC_EACH (diag, &sink->diags)
			if ((*diag)->severity == severities[i] && shown++ < DIAGS_SHOWN)
				add_diag(buf, *diag, style);
	}
	if (shown > DIAGS_SHOWN)
		buf_printf(buf, "<li>and %zu more: see the JSON report</li>\n",
		           shown - DIAGS_SHOWN);
	BUF_ADD_LIT(buf, "</ul>\n</section>\n");
}

/* ---- removed and added units -------------------------------------------------------------- */

static void add_leaving(struct buf *buf, const struct report_summary *summary,
                        enum report_class class, const struct report_style *style)
{
	size_t count = render_count_listed(summary, class);
	bool is_loss = false;
	size_t shown = 0;

	if (count == 0 || !render_has_classes(summary))
		return;
	VEC_EACH (row, &summary->units)
		is_loss |= report_loses_machines(row, class);
	buf_add(buf,
	        is_loss ? SV("<section class=\"look lost-units\">\n<h2>") : SV("<section>\n<h2>"));
	html_class(buf, class);
	buf_add_char(buf, ' ');
	render_class_total(buf, summary, class);
	BUF_ADD_LIT(buf, "</h2>\n<ul class=\"plain\">\n");
	VEC_EACH (row, &summary->units) {
		sv why = render_why(buf->arena, row, class);

		if (!render_is_listed(row, class))
			continue;
		if (shown++ == FIRST_SHOWN && !render_names_each(summary, class)) {
			buf_printf(buf, "<li>and %zu more</li>\n", count - FIRST_SHOWN);
			break;
		}
		BUF_ADD_LIT(buf, "<li><strong>");
		markup_text(buf, style, report_unit_name(buf->arena, row));
		BUF_ADD_LIT(buf, "</strong>, ");
		render_machines(buf, row, class);
		if (!sv_empty(why)) {
			BUF_ADD_LIT(buf, ": ");
			markup_text(buf, style, why);
		}
		BUF_ADD_LIT(buf, "</li>\n");
	}
	BUF_ADD_LIT(buf, "</ul>\n</section>\n");
}

/* ---- clusters ---------------------------------------------------------------------------- */

static void begin_clusters(struct buf *buf, const enum report_class *columns, size_t count)
{
	BUF_ADD_LIT(buf, "<div class=\"wide\"><table>\n<thead><tr><th>Cluster</th>");
	for (size_t i = 0; i < count; i++) {
		BUF_ADD_LIT(buf, "<th class=\"number\">");
		html_class(buf, columns[i]);
		BUF_ADD_LIT(buf, "</th>");
	}
	BUF_ADD_LIT(buf, "</tr></thead>\n<tbody>\n");
}

static void add_cluster(struct buf *buf, sv name, const struct render_cluster *cluster,
                        const enum report_class *columns, size_t count,
                        const struct report_style *style)
{
	BUF_ADD_LIT(buf, "<tr><td>");
	markup_text(buf, style, name);
	for (size_t i = 0; i < count; i++) {
		BUF_ADD_LIT(buf, "</td><td class=\"number\">");
		buf_add(buf, render_matrix_cell(buf->arena, &cluster->classes[columns[i]]));
	}
	BUF_ADD_LIT(buf, "</td></tr>\n");
}

/* Appends the table of clusters and classes: a few rows, and all clusters in a part that opens. */
static void add_clusters(struct buf *buf, const struct report_summary *summary,
                         const struct report_style *style)
{
	struct render_matrix matrix = render_matrix_of(buf->arena, summary);
	enum report_class columns[RENDER_CLASSES];
	size_t count = render_matrix_columns(&matrix, columns);
	size_t shown = 0;

	if (matrix.changed_count < 2 || !render_has_classes(summary))
		return;
	struct render_rows rows = render_matrix_rows(buf->arena, &matrix, RENDER_ROWS);
	begin_section(buf, "Clusters");
	begin_clusters(buf, columns, count);
	VEC_EACH (row, &rows.rows)
		add_cluster(buf, row->name, row->cells, columns, count, style);
	if (rows.left_out > 0) {
		BUF_ADD_LIT(buf, "<tr><td>");
		render_and_more(buf, rows.left_out, "cluster", "clusters");
		BUF_ADD_LIT(buf, "</td></tr>\n");
	}
	add_cluster(buf, matrix.all.name, &matrix.all, columns, count, style);
	BUF_ADD_LIT(buf, "</tbody>\n</table></div>\n<p class=\"soft\">");
	markup_text(buf, style, summary->unit_kind);
	BUF_ADD_LIT(buf, "s; machines are in brackets.</p>\n");
	if (matrix.changed_count > rows.rows.count) {
		BUF_ADD_LIT(buf, "<details><summary>Every cluster that changes</summary>\n");
		begin_clusters(buf, columns, count);
		VEC_EACH (cluster, &matrix.clusters)
			if ((*cluster)->changes && shown++ < CLUSTERS_SHOWN)
				add_cluster(buf, (*cluster)->name, *cluster, columns, count, style);
		BUF_ADD_LIT(buf, "</tbody>\n</table></div>\n");
		if (shown > CLUSTERS_SHOWN) {
			BUF_ADD_LIT(buf, "<p class=\"soft\">");
			render_and_more(buf, shown - CLUSTERS_SHOWN, "cluster", "clusters");
			BUF_ADD_LIT(buf, "</p>\n");
		}
		BUF_ADD_LIT(buf, "</details>\n");
	}
	BUF_ADD_LIT(buf, "</section>\n");
}

/* ---- the way through a change ------------------------------------------------------------ */

static void add_pace(struct buf *buf, const struct report_summary *summary,
                     const struct report_style *style)
{
	struct render_lines lines = render_pace_lines(buf->arena, summary);

	if (lines.count == 0 || !render_has_classes(summary))
		return;
	begin_section(buf, "Changes across the fleet");
	BUF_ADD_LIT(buf, "<ul>\n");
	VEC_EACH (line, &lines) {
		BUF_ADD_LIT(buf, "<li>");
		markup_text(buf, style, *line);
		BUF_ADD_LIT(buf, "</li>\n");
	}
	BUF_ADD_LIT(buf, "</ul>\n</section>\n");
}

/* ---- budgets ----------------------------------------------------------------------------- */

static void add_full(struct buf *buf, const struct report_unit *row,
                     const struct report_style *style)
{
	size_t percent = row->bootstrap_bytes * 100 / row->bootstrap_limit;

	BUF_ADD_LIT(buf, "<tr><td>");
	markup_text(buf, style, report_unit_name(buf->arena, row));
	BUF_ADD_LIT(buf, "</td><td>");
	markup_text(buf, style, row->provider);
	BUF_ADD_LIT(buf, "</td><td class=\"number\">");
	render_number(buf, row->bootstrap_bytes);
	BUF_ADD_LIT(buf, " of ");
	render_number(buf, row->bootstrap_limit);
	buf_printf(buf,
	           "</td><td class=\"number\"><meter min=\"0\" max=\"100\" low=\"75\" high=\"90\" "
	           "optimum=\"0\" value=\"%zu\"></meter> %zu %%</td></tr>\n",
	           percent, percent);
}

static void add_budgets(struct buf *buf, const struct report_summary *summary,
                        const struct report_style *style)
{
	const struct report_unit *rows[FULLEST_SHOWN];
	size_t count = 0;

	/* Keep a short list of the fullest, sorted by insertion. */
	VEC_EACH (row, &summary->units) {
		size_t at = count;

		if (row->bootstrap_limit == 0)
			continue;
		while (at > 0 && render_is_fuller(row, rows[at - 1]))
			at--;
		if (at == FULLEST_SHOWN)
			continue;
		count += count < FULLEST_SHOWN;
		for (size_t i = count - 1; i > at; i--)
			rows[i] = rows[i - 1];
		rows[at] = row;
	}
	if (count == 0)
		return;
	begin_section(buf, "Fullest user-data");
	BUF_ADD_LIT(buf, "<div class=\"wide\"><table>\n<thead><tr><th>Where</th><th>Provider</th>"
	                 "<th class=\"number\">Bytes</th><th class=\"number\">Budget</th></tr>"
	                 "</thead>\n<tbody>\n");
	for (size_t i = 0; i < count; i++)
		add_full(buf, rows[i], style);
	BUF_ADD_LIT(buf, "</tbody>\n</table></div>\n</section>\n");
}

/* ---- units ------------------------------------------------------------------------------- */

static void add_static_row(struct buf *buf, const struct report_unit *row,
                           const struct report_style *style)
{
	BUF_ADD_LIT(buf, "<tr><td>");
	if (row->class == REPORT_CLASS_NONE)
		buf_add(buf, render_change_word(row->change));
	else
		html_class(buf, row->class);
	BUF_ADD_LIT(buf, "</td><td>");
	markup_text(buf, style, report_unit_name(buf->arena, row));
	BUF_ADD_LIT(buf, "</td><td>");
	markup_text(buf, style, row->provider);
	BUF_ADD_LIT(buf, "</td><td>");
	markup_text(buf, style,
	            ARENA_CONCAT(buf->arena, row->profile, SV(" "), row->profile_version));
	BUF_ADD_LIT(buf, "</td></tr>\n");
}

/* Appends the units for readers without scripts: changed ones, or the first if none changed. */
static void add_static_units(struct buf *buf, const struct report_summary *summary,
                             const struct report_style *style)
{
	size_t changed = 0;
	size_t shown = 0;

	VEC_EACH (row, &summary->units)
		changed += is_changed(row);
	BUF_ADD_LIT(buf, "<noscript>\n<div class=\"wide\"><table>\n<thead><tr><th>Change</th><th>");
	markup_text(buf, style, summary->unit_kind);
	BUF_ADD_LIT(buf, "</th><th>Provider</th><th>Profile</th></tr></thead>\n<tbody>\n");
	VEC_EACH (row, &summary->units) {
		if ((changed == 0 || is_changed(row)) && shown++ < ROWS_WITHOUT_SCRIPT)
			add_static_row(buf, row, style);
	}
	BUF_ADD_LIT(buf, "</tbody>\n</table></div>\n");
	if (shown > ROWS_WITHOUT_SCRIPT)
		buf_printf(buf, "<p>and %zu more: a browser that runs scripts shows them</p>\n",
		           shown - ROWS_WITHOUT_SCRIPT);
	BUF_ADD_LIT(buf, "</noscript>\n");
}

static void add_sort(struct buf *buf, const char *class, const char *key, const char *title)
{
	buf_printf(buf, "<th%s><button type=\"button\" data-sort=\"%s\">%s</button></th>", class,
	           key, title);
}

static void add_units(struct buf *buf, const struct report_summary *summary,
                      const struct report_style *style)
{
	BUF_ADD_LIT(buf, "<section id=\"units\">\n<h2>");
	markup_text(buf, style, summary->unit_kind);
	BUF_ADD_LIT(
	    buf,
	    "s</h2>\n<div class=\"controls needs-script\">\n"
	    "<input type=\"search\" id=\"search\" placeholder=\"Search cluster, name, provider, "
	    "profile\" aria-label=\"Search\">\n"
	    "<select id=\"which\" aria-label=\"Class\"><option value=\"changed\">changed</option>"
	    "<option value=\"all\">all</option></select>\n"
	    "<select id=\"cluster\" aria-label=\"Cluster\"><option value=\"\">every "
	    "cluster</option>"
	    "</select>\n"
	    "<select id=\"group\" aria-label=\"Change\"><option value=\"\">every change</option>"
	    "</select>\n</div>\n"
	    "<p class=\"soft needs-script\" id=\"found\" role=\"status\"></p>\n"
	    "<div class=\"wide needs-script\"><table class=\"rows\">\n<thead><tr>");
	add_sort(buf, "", "what", "Change");
	add_sort(buf, "", "cluster", "Cluster");
	add_sort(buf, "", "unit", "Name");
	add_sort(buf, " class=\"number\"", "machines", "Machines");
	add_sort(buf, "", "provider", "Provider, system");
	add_sort(buf, "", "profile", "Profile");
	add_sort(buf, " class=\"number\"", "bytes", "User-data");
	BUF_ADD_LIT(buf,
	            "</tr></thead>\n<tbody id=\"rows\"></tbody>\n</table></div>\n"
	            "<div class=\"pager needs-script\" id=\"pager\">"
	            "<button type=\"button\" class=\"button\" id=\"previous\">Previous</button>"
	            "<span class=\"soft\" id=\"page\"></span>"
	            "<button type=\"button\" class=\"button\" id=\"next\">Next</button></div>\n");
	add_static_units(buf, summary, style);
	BUF_ADD_LIT(buf, "</section>\n");
}

/* ---- the whole --------------------------------------------------------------------------- */

void report_html(struct buf *buf, const struct report_summary *summary, const struct sink *sink,
                 const struct report_style *style)
{
	add_head(buf, summary);
	size_t start = buf->len;
	add_title(buf, summary);
	BUF_ADD_LIT(buf, "<main>\n");
	for (size_t i = 0; i < RENDER_LISTED; i++)
		add_leaving(buf, summary, render_listed[i], style);
	add_notes(buf, summary, style);
	add_clusters(buf, summary, style);
	add_pace(buf, summary, style);
	html_groups(buf, summary, style);
	add_recipients(buf, summary, style);
	add_rollout(buf, summary, style);
	add_diags(buf, sink, style);
	html_pictures(buf, summary, style);
	if (summary->units.count > 0)
		add_units(buf, summary, style);
	add_budgets(buf, summary, style);
	add_run(buf, summary, sink, style);
	BUF_ADD_LIT(buf, "</main>\n");
	report_defuse(buf, start);
	if (summary->units.count > 0) {
		BUF_ADD_LIT(buf, "<script type=\"application/json\" id=\"data\">");
		html_data(buf, summary, style);
		BUF_ADD_LIT(buf, "</script>\n<script>");
		buf_add(buf, page_file(1));
		BUF_ADD_LIT(buf, "</script>\n");
	}
	BUF_ADD_LIT(buf, "</body>\n</html>\n");
}
