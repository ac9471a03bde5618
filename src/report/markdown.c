/*
 * The run for a comment on a pull request, in Markdown: forms/markdown.tmpl. A comment has little
 * room, so that its tree has of each list no more than could fill it.
 */
#include "report/tree.h"

#include "tmpl/tmpl.h"

enum {
	/* In the mean a unit or a diagnostic takes 32 bytes or more, a file or a group 16. */
	ROOM = (int)REPORT_MARKDOWN_MAX_SIZE,
	LISTED_MAX = ROOM / 32,
	ITEMS_MAX = ROOM / 16,
	/* The form shows one less of these. */
	NOTES_MAX = 51,
	FIRST_MAX = 21,
	/* The most units that are rows, where groups show what changes. */
	ROWS_MAX = 100,
};

/*
 * Returns the classes, the rows and the number of clusters in no row; the last row is that of all
 * clusters. Returns VALUE_INVALID if the table would have a single row.
 */
static struct value matrix_value(struct tree *t)
{
	const struct render_matrix matrix = render_matrix_of(t->arena, t->summary);
	enum report_class columns[RENDER_CLASSES];
	size_t count = render_matrix_columns(&matrix, columns);
	struct value list = value_list_new(t->arena);

	if (!render_has_classes(t->summary) || matrix.changed_count < 2 || t->summary->is_first)
		return VALUE_INVALID;
	struct render_rows rows = render_matrix_rows(t->arena, &matrix, RENDER_ROWS);
	VEC_EACH (row, &rows.rows)
		value_list_add(t->arena, &list,
		               tree_cluster_row(t, row->name, row->cells, columns, count));
	value_list_add(t->arena, &list,
	               tree_cluster_row(t, matrix.all.name, &matrix.all, columns, count));
	return VALUE_MAP(t->arena, {"classes", tree_class_words(t, columns, count)}, {"rows", list},
	                 {"leftOut", value_size(rows.left_out)});
}

/* Returns the units that change, or none of many if groups show what changes. */
static struct value changed_units(struct tree *t, size_t count)
{
	struct value list = value_list_new(t->arena);

	if (count > ROWS_MAX && t->summary->groups.count > 0)
		return list;
	VEC_EACH (row, &t->summary->units)
		if (row->change != REPORT_UNCHANGED &&
		    !tree_is_full(value_count(&list), t->listed_max))
			value_list_add(t->arena, &list, tree_unit(t, row, true));
	return list;
}

static void add_lists(struct tree *t, struct value *root, const struct sink *sink)
{
	const struct render_copies_list causes = render_join_copies(t->arena, sink);
	size_t changed = 0;

	VEC_EACH (row, &t->summary->units)
		changed += row->change != REPORT_UNCHANGED;
	const struct value_member members[] = {
	    {"removed", tree_listed_units(t, REPORT_CLASS_REMOVE)},
	    {"scaled", tree_listed_units(t, REPORT_CLASS_SCALE)},
	    {"added", tree_listed_units(t, REPORT_CLASS_ADD)},
	    {"notes", tree_notes(t)},
	    {"noteTotal", value_size(t->summary->notes.count)},
	    {"matrix", matrix_value(t)},
	    {"pace", tree_pace(t)},
	    {"groups", tree_groups(t)},
	    {"groupTotal", value_size(t->summary->groups.count)},
	    {"causes", tree_causes(t, &causes)},
	    {"causeTotal", value_size(causes.count)},
	    {"changedUnits", value_size(changed)},
	    {"units", changed_units(t, changed)},
	    {"files", tree_changed_files(t, ITEMS_MAX)},
	};

	value_map_set_all(t->arena, root, members, COUNT_OF(members));
	value_map_set(t->arena, root, SV("leaving"), tree_leaving(t, root));
}

void report_markdown(struct buf *buf, const struct report_summary *summary, const struct sink *sink,
                     const struct report_style *style)
{
	struct tree t = {
	    .arena = buf->arena,
	    .summary = summary,
	    .mask = style->mask,
	    .for_forms = true,
	    .is_short = true,
	    .for_comment = true,
	    .shown_max = FIRST_MAX,
	    .listed_max = LISTED_MAX,
	    .notes_max = NOTES_MAX,
	    .groups_max = ITEMS_MAX,
	};
	struct value root = tree_run(&t);
	size_t start = buf->len;

	const struct value_member members[] = {
	    /* The last part of the comment is for the lines that count what is left out. */
	    {"room", value_int(REPORT_MARKDOWN_MAX_SIZE * 9 / 10)},
	    {"rolloutLine", tmpl_word(tree_rollout(&t))},
	    {"unitKind", tmpl_word(summary->unit_kind)},
	    {"kind", tree_kind(&t)},
	    {"kindCounts", tree_kind_counts(&t)},
	    {"counts", tree_counts(&t, sink)},
	    {"fullest", tree_fullest(&t)},
	};
	value_map_set_all(t.arena, &root, members, COUNT_OF(members));
	add_lists(&t, &root, sink);
	report_form(buf, "markdown", REPORT_MARKDOWN, &root);
	report_defuse(buf, start);
}
