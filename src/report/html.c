/*
 * One HTML page with everything about a run: forms/html.tmpl. It makes no request and loads no font
 * or library. Its content policy allows only the style and the script that are built into the
 * program, by their digests, so that a string of the inputs could do no harm even if it were not
 * escaped. The page can be read without scripts, too.
 */
#include "report/tree.h"

#include "codec/codec.h"
#include "tmpl/tmpl.h"

enum {
	ROWS_WITHOUT_SCRIPT = 200,
	CLUSTERS_SHOWN = 200,
	FULLEST_SHOWN = 10,
};

/* Returns the style or the script, and its digest as the content policy has it. */
static struct value page_file(struct tree *t, size_t i)
{
	uint8_t digest[DIGEST_MAX_SIZE];
	struct buf source = buf_in(t->arena);

	BUG_ON(i >= report_page_file_count);
	sv text = sv_from(report_page_files[i].text, report_page_files[i].len);
	digest_of(DIGEST_SHA256, text, digest);
	base64_add(&source, BASE64_STD, sv_from((const char *)digest, 32));
	return VALUE_MAP(t->arena, {"text", tmpl_word(text)},
	                 {"sha256", tmpl_word(buf_sv(&source))});
}

/* ---- effect on machines ------------------------------------------------------------------ */

static bool is_changed(const struct report_unit *row)
{
	return row->change != REPORT_UNCHANGED || row->class != REPORT_CLASS_NONE;
}

/* Returns the numbers of each class that changed units have, the worst class first. */
static struct value cards_value(struct tree *t)
{
	struct report_count counts[RENDER_CLASSES] = {0};
	struct value list = value_list_new(t->arena);

	VEC_EACH (row, &t->summary->units) {
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
			    t->arena, &list,
			    VALUE_MAP(t->arena,
			              {"class", tmpl_word(report_class_word((enum report_class)i))},
			              {"units", value_size(counts[i].units)},
			              {"machines", value_size(counts[i].machines)},
			              {"isAtLeast", value_bool(counts[i].unknown)}));
	return list;
}

/* ---- clusters ---------------------------------------------------------------------------- */

/* Returns the table of clusters and classes: a few rows, and if these lack some, all clusters. */
static struct value matrix_value(struct tree *t)
{
	struct arena *arena = t->arena;
	struct render_matrix matrix = render_matrix_of(arena, t->summary);
	enum report_class columns[RENDER_CLASSES];
	size_t count = render_matrix_columns(&matrix, columns);
	struct value some = value_list_new(arena);
	struct value every = value_list_new(arena);

	if (matrix.changed_count < 2 || !render_has_classes(t->summary))
		return VALUE_INVALID;
	struct render_rows rows = render_matrix_rows(arena, &matrix, RENDER_ROWS);
	VEC_EACH (row, &rows.rows)
		value_list_add(arena, &some,
		               tree_cluster_row(t, row->name, row->cells, columns, count));
	VEC_EACH (cluster, &matrix.clusters)
		if ((*cluster)->changes && matrix.changed_count > rows.rows.count &&
		    value_count(&every) < CLUSTERS_SHOWN)
			value_list_add(
			    arena, &every,
			    tree_cluster_row(t, (*cluster)->name, *cluster, columns, count));
	return VALUE_MAP(arena, {"columns", tree_class_words(t, columns, count)}, {"rows", some},
	                 {"leftOut", value_size(rows.left_out)},
	                 {"all", tree_cluster_row(t, matrix.all.name, &matrix.all, columns, count)},
	                 {"every", every}, {"changed", value_size(matrix.changed_count)});
}

/* ---- units and others -------------------------------------------------------------------- */

static struct value recipients_value(struct tree *t)
{
	struct value list = value_list_new(t->arena);

	VEC_EACH (change, &t->summary->recipients)
		value_list_add(
		    t->arena, &list,
		    VALUE_MAP(
		        t->arena, {"cluster", tree_masked(t, change->cluster)},
		        {"added", tree_masked_list(t, change->added, change->added_count)},
		        {"removed", tree_masked_list(t, change->removed, change->removed_count)}));
	return list;
}

static struct value html_unit(struct tree *t, const struct report_unit *row)
{
	return VALUE_MAP(
	    t->arena, {"change", tmpl_word(render_change_word(row->change))},
	    {"class", tmpl_word(report_class_word(row->class))},
	    {"cluster", tree_masked(t, row->cluster)},
	    {"namespace", tree_masked(t, row->namespace)}, {"name", tree_masked(t, row->name)},
	    {"provider", tree_masked(t, row->provider)}, {"profile", tree_masked(t, row->profile)},
	    {"profileVersion", tree_masked(t, row->profile_version)},
	    {"bytes", value_size(row->bootstrap_bytes)},
	    {"limit", value_size(row->bootstrap_limit)});
}

/* Returns the units whose user-data is nearest to its limit. */
static struct value fullest_value(struct tree *t)
{
	const struct report_unit *rows[FULLEST_SHOWN];
	struct value list = value_list_new(t->arena);
	size_t count = 0;

	/* Keep a short list of the fullest, sorted by insertion. */
	VEC_EACH (row, &t->summary->units) {
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
		value_list_add(t->arena, &list, html_unit(t, rows[i]));
	return list;
}

/* Adds the units for readers without scripts: changed ones, or the first if none changed. */
static void add_rows(struct tree *t, struct value *root)
{
	struct value rows = value_list_new(t->arena);
	size_t changed = 0;

	VEC_EACH (row, &t->summary->units)
		changed += is_changed(row);
	VEC_EACH (row, &t->summary->units) {
		if (value_count(&rows) == ROWS_WITHOUT_SCRIPT)
			break;
		if (changed == 0 || is_changed(row))
			value_list_add(t->arena, &rows, html_unit(t, row));
	}
	value_map_set(t->arena, root, SV("rows"), rows);
	value_map_set(t->arena, root, SV("rowCount"),
	              value_size(changed > 0 ? changed : t->summary->units.count));
}

/* ---- the whole --------------------------------------------------------------------------- */

void report_html(struct buf *buf, const struct report_summary *summary, const struct sink *sink,
                 const struct report_style *style)
{
	struct tree t = {.arena = buf->arena, .summary = summary, .mask = style->mask};
	struct value root = render_short_tree(buf->arena, summary, sink, style);
	size_t start = buf->len;

	const struct value_member members[] = {
	    {"style", page_file(&t, 0)},
	    {"script", page_file(&t, 1)},
	    {"cards", cards_value(&t)},
	    {"matrix", matrix_value(&t)},
	    {"pace", tree_pace(&t)},
	    {"recipients", recipients_value(&t)},
	    {"pictures", html_pictures(&t)},
	    {"fullest", fullest_value(&t)},
	    {"data", tmpl_word(html_data(&t))},
	};

	value_map_set_all(t.arena, &root, members, COUNT_OF(members));
	add_rows(&t, &root);
	report_form(buf, "html", REPORT_MARKUP, &root);
	report_defuse(buf, start);
}
