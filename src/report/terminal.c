/*
 * Reports for terminals: the summary of a run, `plan` and `diff`. They are forms over a tree of
 * what they show. Its lists are cut, since a fleet has thousands of units.
 */
#include "report/render.h"
#include "report/tree.h"

#include "tmpl/tmpl.h"

static void add_run(struct tree *t, struct value *root)
{
	const struct report_summary *summary = t->summary;
	const struct sink none = sink_in(t->arena);
	size_t changed = 0;

	VEC_EACH (row, &summary->units)
		changed += row->change != REPORT_UNCHANGED;
	const struct value_member members[] = {
	    {"programs", value_strings(t->arena, summary->programs.items, summary->programs.count)},
	    {"counts", tree_counts(t, &none)},
	    {"kindCounts", tree_kind_counts(t)},
	    {"hasFiles", value_bool(summary->files.count > 0 || summary->unchanged_file_count > 0)},
	    {"isHalfDone", value_bool(summary->is_half_done)},
	    {"commitCount", value_size(summary->commit_count)},
	    {"notCompared", value_size(summary->not_compared_count)},
	    {"rendered", value_size(summary->rendered_count)},
	    {"kept", value_size(summary->kept_count)},
	    {"changedUnits", value_size(changed)},
	    {"files", tree_changed_files(t, t->shown_max)},
	    {"fullest", tree_fullest(t)},
	};

	value_map_set_all(t->arena, root, members, COUNT_OF(members));
}

static void add_plan(struct tree *t, struct value *root)
{
	struct value names = value_list_new(t->arena);
	size_t unchanged = 0;
	size_t unknown = 0;

	VEC_EACH (row, &t->summary->units) {
		unknown += row->template_unknown && row->class != REPORT_CLASS_REMOVE;
		if (row->class != REPORT_CLASS_NONE)
			continue;
		unchanged++;
		if (t->every)
			value_list_add(t->arena, &names,
			               tree_masked(t, report_unit_name(t->arena, row)));
	}
	const struct value_member members[] = {
	    {"isEmpty", value_bool(t->summary->units.count == 0)},
	    {"unchanged", value_size(unchanged)},
	    {"unchangedNames", names},
	    {"unknownTemplates", value_size(unknown)},
	};

	value_map_set_all(t->arena, root, members, COUNT_OF(members));
}

/* Their trees have different parts. */
enum terminal_text { TEXT_OF_RUN, TEXT_OF_PLAN, TEXT_OF_DIFF };

/* The items of a list that is not shown as a whole: more than any form shows of it. */
enum { SHOWN_MAX = 32 };

static struct value terminal_tree(struct arena *arena, const struct report_summary *summary,
                                  enum terminal_text text, bool every,
                                  const struct report_style *style)
{
	struct tree t = {
	    .arena = arena,
	    .summary = summary,
	    .mask = style->mask,
	    .for_forms = true,
	    .every = every,
	    .shown_max = every ? 0 : SHOWN_MAX,
	    .notes_max = every ? 0 : SHOWN_MAX,
	    .groups_max = every || text == TEXT_OF_DIFF ? 0 : SHOWN_MAX,
	};
	struct value root = tree_run(&t);
	struct buf rollout = buf_in(arena);

	report_add_rollout(&rollout, summary);
	const struct value_member members[] = {
	    {"rolloutLine", value_string(buf_sv(&rollout))},
	    {"removed", tree_listed_units(&t, REPORT_CLASS_REMOVE)},
	    {"scaled", tree_listed_units(&t, REPORT_CLASS_SCALE)},
	    {"added", tree_listed_units(&t, REPORT_CLASS_ADD)},
	    {"notes", tree_notes(&t)},
	    {"rollout", render_pace_value(arena, summary)},
	    {"groups", tree_groups(&t)},
	};
	value_map_set_all(t.arena, &root, members, COUNT_OF(members));
	tree_add_shown(&t, &root, style);
	if (text == TEXT_OF_RUN)
		add_run(&t, &root);
	if (text == TEXT_OF_PLAN)
		add_plan(&t, &root);
	return root;
}

void report_summary_text(struct buf *buf, const struct report_summary *summary, bool every_file,
                         const struct report_style *style)
{
	struct value root = terminal_tree(buf->arena, summary, TEXT_OF_RUN, every_file, style);

	report_form(buf, "summary", REPORT_TERMINAL, &root);
}

void report_plan_text(struct buf *buf, const struct report_summary *summary, bool every_unit,
                      const struct report_style *style)
{
	struct value root = terminal_tree(buf->arena, summary, TEXT_OF_PLAN, every_unit, style);

	report_form(buf, "plan", REPORT_TERMINAL, &root);
}

void report_groups_text(struct buf *buf, const struct report_summary *summary,
                        const struct report_style *style)
{
	struct value root = terminal_tree(buf->arena, summary, TEXT_OF_DIFF, false, style);

	report_form(buf, "groups", REPORT_TERMINAL, &root);
}
