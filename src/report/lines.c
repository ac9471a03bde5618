/*
 * Parts of a result as lines of text, for members of other forms: forms/lines.tmpl.
 */
#include "report/render.h"
#include "report/tree.h"

#include "tmpl/tmpl.h"

struct render_lines_form *render_lines_form(struct arena *arena,
                                            const struct report_summary *summary,
                                            const struct secret_mask *mask)
{
	struct render_lines_form *form = ARENA_NEW(arena, struct render_lines_form);

	*form = (struct render_lines_form){
	    .tree = {.arena = arena, .summary = summary, .mask = mask, .for_forms = true},
	    .form = report_form_new(arena, "lines", REPORT_TERMINAL),
	};
	return form;
}

sv render_lines_text(struct render_lines_form *form, struct value *root)
{
	struct tree *t = &form->tree;
	struct buf text = buf_in(t->arena);
	const struct value_member members[] = {
	    {"color", report_colors(t->arena, &(struct report_style){0})},
	    {"margin", tmpl_word(SV(""))},
	    {"kind", tree_kind(t)},
	};

	value_map_set_all(t->arena, root, members, COUNT_OF(members));
	report_form_run(&text, form->form, root);
	return sv_trim_right(buf_sv(&text), "\n");
}

struct value tree_pace(struct tree *t)
{
	struct render_lines_form *form = render_lines_form(t->arena, t->summary, t->mask);
	struct value root =
	    VALUE_MAP(t->arena, {"rollout", render_pace_value(t->arena, t->summary)});
	struct sv_splitter lines;
	struct value list = value_list_new(t->arena);
	sv line;

	if (!render_has_classes(t->summary))
		return list;
	lines = sv_split(render_lines_text(form, &root), '\n');
	while (sv_split_next(&lines, &line))
		if (!sv_empty(line))
			value_list_add(t->arena, &list, tree_masked(t, line));
	return list;
}

/* Appends the parts of the sentence about the effect on machines, if there are any. */
static bool add_effects(struct buf *buf, const struct report_summary *summary, struct value effects)
{
	struct render_lines_form *form;
	struct value root;

	if (value_count(&effects) == 0)
		return false;
	form = render_lines_form(buf->arena, summary, NULL);
	root = VALUE_MAP(buf->arena, {"effects", effects});
	buf_add(buf, render_lines_text(form, &root));
	return true;
}

bool report_add_rollout(struct buf *buf, const struct report_summary *summary)
{
	return add_effects(buf, summary, render_effects(buf->arena, summary));
}

void report_add_class(struct buf *buf, const struct report_summary *summary,
                      enum report_class class)
{
	struct value effects = value_list_new(buf->arena);

	value_list_add(buf->arena, &effects, render_class_effect(buf->arena, summary, class));
	add_effects(buf, summary, effects);
}
