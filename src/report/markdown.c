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

static struct value row_value(struct arena *arena, sv name, const struct render_cluster *cluster,
                              const enum report_class *columns, size_t count)
{
	struct value cells = value_list_new(arena);

	for (size_t i = 0; i < count; i++)
		value_list_add(arena, &cells,
		               tmpl_word(render_matrix_cell(arena, &cluster->classes[columns[i]])));
	return VALUE_MAP(arena, {"name", value_string(name)}, {"cells", cells});
}

/*
 * Returns the classes, the rows and the number of clusters in no row; the last row is that of all
 * clusters. Returns VALUE_INVALID if the table would have a single row.
 */
static struct value matrix_value(struct tree *t)
{
	const struct render_matrix matrix = render_matrix_of(t->arena, t->summary);
	enum report_class columns[RENDER_CLASSES];
	size_t count = render_matrix_columns(&matrix, columns);
	struct value classes = value_list_new(t->arena);
	struct value list = value_list_new(t->arena);

	if (!render_has_classes(t->summary) || matrix.changed_count < 2 || t->summary->is_first)
		return VALUE_INVALID;
	struct render_rows rows = render_matrix_rows(t->arena, &matrix, RENDER_ROWS);
	for (size_t i = 0; i < count; i++)
		value_list_add(t->arena, &classes, tmpl_word(report_class_word(columns[i])));
	VEC_EACH (row, &rows.rows) {
		sv name = secret_mask_apply(t->arena, t->mask, row->name);

		value_list_add(t->arena, &list,
		               row_value(t->arena, name, row->cells, columns, count));
	}
	value_list_add(t->arena, &list,
	               row_value(t->arena, matrix.all.name, &matrix.all, columns, count));
	return VALUE_MAP(t->arena, {"classes", classes}, {"rows", list},
	                 {"leftOut", value_int((int64_t)rows.left_out)});
}

/* Returns how many machines are replaced at once, as lines. */
static struct value pace_value(struct tree *t)
{
	const struct render_lines lines = render_pace_lines(t->arena, t->summary);
	struct value list = value_list_new(t->arena);

	VEC_EACH (line, &lines)
		value_list_add(t->arena, &list, tree_masked(t, *line));
	return render_has_classes(t->summary) ? list : VALUE_INVALID;
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
	    {"noteTotal", value_int((int64_t)t->summary->notes.count)},
	    {"matrix", matrix_value(t)},
	    {"pace", pace_value(t)},
	    {"groups", tree_groups(t)},
	    {"groupTotal", value_int((int64_t)t->summary->groups.count)},
	    {"causes", tree_causes(t, &causes)},
	    {"causeTotal", value_int((int64_t)causes.count)},
	    {"changedUnits", value_int((int64_t)changed)},
	    {"units", changed_units(t, changed)},
	    {"files", tree_changed_files(t, ITEMS_MAX)},
	};

	tree_set_members(t, root, members, COUNT_OF(members));
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
	struct buf rollout = buf_in(t.arena);
	size_t start = buf->len;

	if (render_has_classes(summary))
		report_add_rollout(&rollout, summary);
	const struct value_member members[] = {
	    /* The last part of the comment is for the lines that count what is left out. */
	    {"room", value_int(REPORT_MARKDOWN_MAX_SIZE * 9 / 10)},
	    {"rolloutLine", tmpl_word(buf_sv(&rollout))},
	    {"unitKind", tmpl_word(summary->unit_kind)},
	    {"kind", tree_kind(&t)},
	    {"kindCounts", tree_kind_counts(&t)},
	    {"counts", tree_counts(&t, sink)},
	    {"fullest", tree_fullest(&t)},
	};
	tree_set_members(&t, &root, members, COUNT_OF(members));
	add_lists(&t, &root, sink);
	report_form(buf, "markdown", REPORT_MARKDOWN, &root);
	report_defuse(buf, start);
}
