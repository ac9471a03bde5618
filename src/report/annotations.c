/*
 * The result for forms that mark lines of files.
 */
#include "report/render.h"
#include "report/tree.h"

#include "tmpl/tmpl.h"

/* Returns the units of a class that are named one by one, each as a line. */
static struct value annotated_list(struct tree *t, enum report_class class)
{
	struct value lines = value_list_new(t->arena);
	struct position at = NOWHERE;
	struct buf total = buf_in(t->arena);
	bool is_loss = false;

	VEC_EACH (row, &t->summary->units) {
		if (!render_is_listed(row, class))
			continue;
		is_loss |= report_loses_machines(row, class);
		at = render_has_file(at) ? at : row->at;
		value_list_add(t->arena, &lines,
		               tree_masked(t, render_leaving_line(t->arena, row, class)));
	}
	render_class_total(&total, t->summary, class);
	return VALUE_MAP(t->arena, {"class", tmpl_word(report_class_word(class))},
	                 {"total", value_string(buf_sv(&total))},
	                 {"losesMachines", value_bool(is_loss)}, {"mark", tree_mark(t, at)},
	                 {"lines", lines});
}

/* Returns that of each class that has such units. */
static struct value lists_value(struct tree *t)
{
	struct value list = value_list_new(t->arena);

	for (size_t i = 0; i < RENDER_LISTED && render_has_classes(t->summary); i++)
		if (render_count_listed(t->summary, render_listed[i]) > 0 &&
		    render_names_each(t->summary, render_listed[i]))
			value_list_add(t->arena, &list, annotated_list(t, render_listed[i]));
	return list;
}

struct value render_annotation_tree(struct arena *arena, const struct report_summary *summary,
                                    const struct sink *sink, const struct report_style *style)
{
	struct tree t = {.arena = arena,
	                 .summary = summary,
	                 .mask = style->mask,
	                 .for_annotations = true,
	                 .groups_max = RENDER_ANNOTATED_GROUPS};
	const struct render_copies_list causes = render_join_copies(arena, sink);
	struct buf rollout = buf_in(arena);
	struct buf matrix = buf_in(arena);

	report_add_rollout(&rollout, summary);
	render_matrix_text(&matrix, summary);
	return VALUE_MAP(
	    arena, {"command", tmpl_word(summary->command)},
	    {"outcome", tmpl_word(render_outcome_word(summary->outcome))},
	    {"causes", tree_causes(&t, &causes)}, {"lists", lists_value(&t)},
	    {"notes", tree_notes(&t)}, {"rolloutLine", tree_masked(&t, buf_sv(&rollout))},
	    {"matrix", tree_masked(&t, sv_trim_right(buf_sv(&matrix), "\n"))},
	    {"groups", tree_groups(&t)}, {"groupCount", value_size(summary->groups.count)});
}
