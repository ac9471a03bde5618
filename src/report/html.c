/*
 * One HTML page with everything about a run: forms/html.tmpl. It makes no request and loads no font
 * or library. Its content policy allows only the style and the script that are built into the
 * program, by their digests, so that a string of the inputs could do no harm even if it were not
 * escaped. The page can be read without scripts, too.
 */
#include "report/html.h"

#include "codec/codec.h"
#include "report/page.h"
#include "tmpl/tmpl.h"

enum {
	ROWS_WITHOUT_SCRIPT = 200,
	CLUSTERS_SHOWN = 200,
	FULLEST_SHOWN = 10,
};

static struct value html_string(const struct html *html, sv text)
{
	return value_string(secret_mask_apply(html->arena, html->mask, text));
}

static struct value html_number(size_t number)
{
	return value_int((int64_t)number);
}

/* Returns the style or the script, and its digest as the content policy has it. */
static struct value page_file(const struct html *html, size_t i)
{
	uint8_t digest[DIGEST_MAX_SIZE];
	struct buf source = buf_in(html->arena);

	BUG_ON(i >= report_page_file_count);
	sv text = sv_from(report_page_files[i].text, report_page_files[i].len);
	digest_of(DIGEST_SHA256, text, digest);
	base64_add(&source, BASE64_STD, sv_from((const char *)digest, 32));
	return VALUE_MAP(html->arena, {"text", tmpl_word(text)},
	                 {"sha256", tmpl_word(buf_sv(&source))});
}

/* ---- effect on machines ------------------------------------------------------------------ */

static bool is_changed(const struct report_unit *row)
{
	return row->change != REPORT_UNCHANGED || row->class != REPORT_CLASS_NONE;
}

/* Returns the numbers of each class that changed units have, the worst class first. */
static struct value cards_value(const struct html *html)
{
	struct report_count counts[RENDER_CLASSES] = {0};
	struct value list = value_list_new(html->arena);

	VEC_EACH (row, &html->summary->units) {
		int64_t machines = render_row_machines(row);

		if (!is_changed(row))
			continue;
		counts[row->class].units++;
		counts[row->class].machines += machines > 0 ? (size_t)machines : 0;
		counts[row->class].unknown |= machines < 0;
	}
	for (size_t i = RENDER_CLASSES; i-- > 0;)
		if (counts[i].units > 0)
			value_list_add(
			    html->arena, &list,
			    VALUE_MAP(html->arena,
			              {"class", tmpl_word(report_class_word((enum report_class)i))},
			              {"units", html_number(counts[i].units)},
			              {"machines", html_number(counts[i].machines)},
			              {"isAtLeast", value_bool(counts[i].unknown)}));
	return list;
}

/* ---- clusters ---------------------------------------------------------------------------- */

static struct value cluster_row(const struct html *html, sv name,
                                const struct render_cluster *cluster,
                                const enum report_class *columns, size_t count)
{
	struct value cells = value_list_new(html->arena);

	for (size_t i = 0; i < count; i++)
		value_list_add(
		    html->arena, &cells,
		    tmpl_word(render_matrix_cell(html->arena, &cluster->classes[columns[i]])));
	return VALUE_MAP(html->arena, {"name", html_string(html, name)}, {"cells", cells});
}

/* Returns the table of clusters and classes: a few rows, and if these lack some, all clusters. */
static struct value matrix_value(const struct html *html)
{
	struct arena *arena = html->arena;
	struct render_matrix matrix = render_matrix_of(arena, html->summary);
	enum report_class columns[RENDER_CLASSES];
	size_t count = render_matrix_columns(&matrix, columns);
	struct value titles = value_list_new(arena);
	struct value some = value_list_new(arena);
	struct value every = value_list_new(arena);

	if (matrix.changed_count < 2 || !render_has_classes(html->summary))
		return VALUE_INVALID;
	struct render_rows rows = render_matrix_rows(arena, &matrix, RENDER_ROWS);
	for (size_t i = 0; i < count; i++)
		value_list_add(arena, &titles, tmpl_word(report_class_word(columns[i])));
	VEC_EACH (row, &rows.rows)
		value_list_add(arena, &some,
		               cluster_row(html, row->name, row->cells, columns, count));
	VEC_EACH (cluster, &matrix.clusters)
		if ((*cluster)->changes && matrix.changed_count > rows.rows.count &&
		    value_count(&every) < CLUSTERS_SHOWN)
			value_list_add(
			    arena, &every,
			    cluster_row(html, (*cluster)->name, *cluster, columns, count));
	return VALUE_MAP(arena, {"columns", titles}, {"rows", some},
	                 {"leftOut", html_number(rows.left_out)},
	                 {"all", cluster_row(html, matrix.all.name, &matrix.all, columns, count)},
	                 {"every", every}, {"changed", html_number(matrix.changed_count)});
}

/* ---- units and others -------------------------------------------------------------------- */

static struct value string_list(const struct html *html, const sv *items, size_t count)
{
	struct value list = value_list_new(html->arena);

	for (size_t i = 0; i < count; i++)
		value_list_add(html->arena, &list, html_string(html, items[i]));
	return list;
}

static struct value recipients_value(const struct html *html)
{
	struct value list = value_list_new(html->arena);

	VEC_EACH (change, &html->summary->recipients)
		value_list_add(
		    html->arena, &list,
		    VALUE_MAP(
		        html->arena, {"cluster", html_string(html, change->cluster)},
		        {"added", string_list(html, change->added, change->added_count)},
		        {"removed", string_list(html, change->removed, change->removed_count)}));
	return list;
}

static struct value html_unit(const struct html *html, const struct report_unit *row)
{
	return VALUE_MAP(html->arena, {"change", tmpl_word(render_change_word(row->change))},
	                 {"class", tmpl_word(report_class_word(row->class))},
	                 {"cluster", html_string(html, row->cluster)},
	                 {"namespace", html_string(html, row->namespace)},
	                 {"name", html_string(html, row->name)},
	                 {"provider", html_string(html, row->provider)},
	                 {"profile", html_string(html, row->profile)},
	                 {"profileVersion", html_string(html, row->profile_version)},
	                 {"bytes", html_number(row->bootstrap_bytes)},
	                 {"limit", html_number(row->bootstrap_limit)});
}

/* Returns the units whose user-data is nearest to its limit. */
static struct value fullest_value(const struct html *html)
{
	const struct report_unit *rows[FULLEST_SHOWN];
	struct value list = value_list_new(html->arena);
	size_t count = 0;

	/* Keep a short list of the fullest, sorted by insertion. */
	VEC_EACH (row, &html->summary->units) {
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
	for (size_t i = 0; i < count; i++)
		value_list_add(html->arena, &list, html_unit(html, rows[i]));
	return list;
}

/* Adds the units for readers without scripts: changed ones, or the first if none changed. */
static void add_rows(const struct html *html, struct value *root)
{
	struct value rows = value_list_new(html->arena);
	size_t changed = 0;

	VEC_EACH (row, &html->summary->units)
		changed += is_changed(row);
	VEC_EACH (row, &html->summary->units) {
		if (value_count(&rows) == ROWS_WITHOUT_SCRIPT)
			break;
		if (changed == 0 || is_changed(row))
			value_list_add(html->arena, &rows, html_unit(html, row));
	}
	value_map_set(html->arena, root, SV("rows"), rows);
	value_map_set(html->arena, root, SV("rowCount"),
	              html_number(changed > 0 ? changed : html->summary->units.count));
}

/* ---- the whole --------------------------------------------------------------------------- */

void report_html(struct buf *buf, const struct report_summary *summary, const struct sink *sink,
                 const struct report_style *style)
{
	const struct html html = {buf->arena, summary, style->mask};
	struct render_lines pace = {0};
	struct value root = render_short_tree(buf->arena, summary, sink, style);
	size_t start = buf->len;

	if (render_has_classes(summary))
		pace = render_pace_lines(buf->arena, summary);
	const struct value_member members[] = {
	    {"style", page_file(&html, 0)},
	    {"script", page_file(&html, 1)},
	    {"cards", cards_value(&html)},
	    {"matrix", matrix_value(&html)},
	    {"pace", string_list(&html, pace.items, pace.count)},
	    {"recipients", recipients_value(&html)},
	    {"pictures", html_pictures(&html)},
	    {"fullest", fullest_value(&html)},
	    {"data", tmpl_word(html_data(&html))},
	};

	for (size_t i = 0; i < COUNT_OF(members); i++)
		if (members[i].value.type)
			value_map_set(html.arena, &root, sv_from_cstr(members[i].key),
			              members[i].value);
	add_rows(&html, &root);
	report_form(buf, "html", REPORT_MARKUP, &root);
	report_defuse(buf, start);
}
