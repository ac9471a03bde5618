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
};

static void add_code(struct buf *buf, const struct report_style *style, sv text)
{
	if (sv_empty(text))
		return;
	BUF_ADD_LIT(buf, "<code>");
	html_text(buf, style, text);
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
	buf_add(buf, render_outcome_word(summary->outcome));
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

static void add_title(struct buf *buf, const struct report_summary *summary,
                      const struct sink *sink, const struct report_style *style)
{
	BUF_ADD_LIT(buf, "<header>\n<h1>osm-gen ");
	buf_add(buf, summary->command);
	BUF_ADD_LIT(buf, ": ");
	buf_add(buf, render_outcome_word(summary->outcome));
	BUF_ADD_LIT(buf, "</h1>\n<p>");
	render_count(buf, summary->cluster_count, "cluster", "clusters");
	BUF_ADD_LIT(buf, ", ");
	struct buf units = buf_in(buf->arena);
	render_units(&units, summary, summary->unit_count);
	html_escape(buf, buf_sv(&units));
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
	html_text(buf, style, summary->version);
	add_fact(buf, style, "source", summary->source_commit);
	add_fact(buf, style, "commit", summary->commit);
	add_fact(buf, style, "branch", summary->branch);
	add_fact(buf, style, "output", summary->out);
	BUF_ADD_LIT(buf, "</p>\n</header>\n");
}

/* ---- what becomes of machines ------------------------------------------------------------ */

static bool is_changed(const struct report_unit *row)
{
	return row->change != REPORT_UNCHANGED || row->class != REPORT_CLASS_NONE;
}

static const char *class_meaning(enum report_class class)
{
	switch (class) {
	case REPORT_CLASS_NONE:
		return "nothing changes";
	case REPORT_CLASS_METADATA:
		return "no machine reads what changes";
	case REPORT_CLASS_NEW_NODES:
		return "running nodes keep their user-data";
	case REPORT_CLASS_ADD:
		return "new";
	case REPORT_CLASS_ROLL:
		return "machines are replaced";
	case REPORT_CLASS_REMOVE:
		return "gone";
	}
	BUG("class");
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
		is_exact &= row->replicas >= 0;
		machines += row->replicas > 0 ? (size_t)row->replicas : 0;
	}
	if (units == 0)
		return;
	BUF_ADD_LIT(buf, "<div class=\"card\">");
	html_class(buf, class);
	BUF_ADD_LIT(buf, "<p class=\"big\">");
	render_number(buf, units);
	BUF_ADD_LIT(buf, "</p><p>");
	html_text(buf, style, summary->unit_kind);
	buf_add(buf, units == 1 ? SV("") : SV("s"));
	if (machines > 0) {
		BUF_ADD_LIT(buf, ", ");
		render_number(buf, machines);
		buf_add(buf, is_exact ? SV("") : SV("+"));
		buf_add(buf, machines == 1 ? SV(" machine") : SV(" machines"));
	}
	buf_printf(buf, "</p><p class=\"soft\">%s</p></div>\n",
	           class == REPORT_CLASS_NONE ? "files change, machines do not"
	                                      : class_meaning(class));
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

/* ---- what to look at --------------------------------------------------------------------- */

static void add_notes(struct buf *buf, const struct report_summary *summary,
                      const struct report_style *style)
{
	if (summary->notes.count == 0)
		return;
	BUF_ADD_LIT(
	    buf, "<section class=\"look\">\n<h2>Worth a second look</h2>\n<ul class=\"plain\">\n");
	VEC_EACH (note, &summary->notes) {
		BUF_ADD_LIT(buf, "<li><h3>");
		html_text(buf, style, note->title);
		BUF_ADD_LIT(buf, "</h3><p>");
		html_text(buf, style, note->text);
		if (note->unit_count > 0) {
			struct buf units = buf_in(buf->arena);

			render_note_units(&units, summary, note);
			BUF_ADD_LIT(buf, " <span class=\"soft\">(");
			html_escape(buf, buf_sv(&units));
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
		html_text(buf, style, change->cluster);
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
	html_text(buf, style, diag->text);
	BUF_ADD_LIT(buf, "</h3>");
	sv place = report_place(buf->arena, diag->at);
	if (!sv_empty(place) || !sv_empty(diag->object)) {
		BUF_ADD_LIT(buf, "<p class=\"soft\">");
		add_code(buf, style, place);
		buf_add(buf, sv_empty(place) || sv_empty(diag->object) ? SV("") : SV(" in "));
		html_text(buf, style, diag->object);
		BUF_ADD_LIT(buf, "</p>");
	}
	VEC_EACH (note, &diag->notes) {
		BUF_ADD_LIT(buf, "<p>note: ");
		html_text(buf, style, note->text);
		BUF_ADD_LIT(buf, "</p>");
	}
	for (bool first = true; !sv_empty(diag->help) && sv_split_next(&lines, &line);
	     first = false) {
		buf_add(buf, first ? SV("<p>help: ") : SV("<p>"));
		html_text(buf, style, line);
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

/* ---- clusters ---------------------------------------------------------------------------- */

struct cluster {
	sv name;
	size_t units;
	size_t classes[REPORT_CLASS_REMOVE + 1]; /* changed units */
	size_t rolled_machines;
};
VEC_TYPE(cluster_list, struct cluster *);

static struct cluster_list count_clusters(struct arena *arena, const struct report_summary *summary)
{
	struct cluster_list list = {0};
	struct map known = map_in(arena);

	VEC_EACH (row, &summary->units) {
		struct cluster *cluster = map_get(&known, row->cluster);

		if (!cluster) {
			cluster = ARENA_NEW(arena, struct cluster);
			*cluster = (struct cluster){.name = row->cluster};
			map_put(&known, row->cluster, cluster);
			VEC_PUSH(arena, &list, cluster);
		}
		cluster->units++;
		cluster->classes[row->class] += is_changed(row);
		if (row->class == REPORT_CLASS_ROLL && row->replicas > 0)
			cluster->rolled_machines += (size_t)row->replicas;
	}
	return list;
}

static bool cluster_changes(const struct cluster *cluster)
{
	for (size_t i = 0; i < COUNT_OF(cluster->classes); i++)
		if (cluster->classes[i] > 0)
			return true;
	return false;
}

static void add_cluster(struct buf *buf, const struct cluster *cluster,
                        const struct report_style *style)
{
	BUF_ADD_LIT(buf, "<tr><td>");
	html_text(buf, style, cluster->name);
	BUF_ADD_LIT(buf, "</td><td class=\"number\">");
	render_number(buf, cluster->units);
	BUF_ADD_LIT(buf, "</td><td class=\"number\">");
	render_number(buf, cluster->rolled_machines);
	BUF_ADD_LIT(buf, "</td><td>");
	for (int class = REPORT_CLASS_REMOVE; class >= REPORT_CLASS_NONE; class --) {
		if (cluster->classes[class] == 0)
			continue;
		if (class == REPORT_CLASS_NONE)
			BUF_ADD_LIT(buf, "<span class=\"badge\">changed</span>");
		else
			html_class(buf, (enum report_class) class);
		buf_add_char(buf, ' ');
		render_number(buf, cluster->classes[class]);
		buf_add_char(buf, ' ');
	}
	BUF_ADD_LIT(buf, "</td></tr>\n");
}

/* Appends the table of clusters, with changed ones first. */
static void add_clusters(struct buf *buf, const struct report_summary *summary,
                         const struct report_style *style)
{
	struct cluster_list list = count_clusters(buf->arena, summary);
	size_t shown = 0;

	if (list.count == 0)
		return;
	begin_section(buf, "Clusters");
	BUF_ADD_LIT(
	    buf, "<div class=\"wide\"><table>\n<thead><tr><th>Cluster</th><th class=\"number\">");
	html_text(buf, style, summary->unit_kind);
	BUF_ADD_LIT(buf, "s</th><th class=\"number\">Machines that roll</th><th>Change</th></tr>"
	                 "</thead>\n<tbody>\n");
	for (int pass = 0; pass < 2; pass++) {
		VEC_EACH (cluster, &list)
			if (cluster_changes(*cluster) == (pass == 0) && shown++ < CLUSTERS_SHOWN)
				add_cluster(buf, *cluster, style);
	}
	BUF_ADD_LIT(buf, "</tbody>\n</table></div>\n");
	if (shown > CLUSTERS_SHOWN)
		buf_printf(buf, "<p class=\"soft\">and %zu more</p>\n", shown - CLUSTERS_SHOWN);
	BUF_ADD_LIT(buf, "</section>\n");
}

/* ---- budgets ----------------------------------------------------------------------------- */

static void add_full(struct buf *buf, const struct report_unit *row,
                     const struct report_style *style)
{
	size_t percent = row->bootstrap_bytes * 100 / row->bootstrap_limit;

	BUF_ADD_LIT(buf, "<tr><td>");
	html_text(buf, style, render_unit_name(buf->arena, row));
	BUF_ADD_LIT(buf, "</td><td>");
	html_text(buf, style, row->provider);
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
	html_text(buf, style, render_unit_name(buf->arena, row));
	BUF_ADD_LIT(buf, "</td><td>");
	html_text(buf, style, row->provider);
	BUF_ADD_LIT(buf, "</td><td>");
	html_text(buf, style,
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
	html_text(buf, style, summary->unit_kind);
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
	html_text(buf, style, summary->unit_kind);
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
	add_title(buf, summary, sink, style);
	BUF_ADD_LIT(buf, "<main>\n");
	add_diags(buf, sink, style);
	add_notes(buf, summary, style);
	add_rollout(buf, summary, style);
	add_recipients(buf, summary, style);
	html_groups(buf, summary, style);
	if (summary->units.count > 0)
		add_units(buf, summary, style);
	add_clusters(buf, summary, style);
	add_budgets(buf, summary, style);
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
