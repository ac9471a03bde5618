/*
 * Facts for forms that mark lines of files: one annotation for each, in the order of the list.
 */
#include "report/render.h"
#include "report/tree.h"

#include "tmpl/tmpl.h"

/* ---- a fact in words --------------------------------------------------------------------- */

sv render_fact_title(struct arena *arena, const struct report_summary *summary,
                     const struct report_fact *fact)
{
	if (fact->note)
		return report_note_title(arena, summary, fact->note);
	if (fact->group && fact->group->class == REPORT_CLASS_NONE)
		return fact->headline;
	return ARENA_CONCAT(arena,
	                    report_class_word(fact->group ? fact->group->class : REPORT_CLASS_ADD),
	                    SV(": "), fact->headline);
}

/*
 * Sets the class in whose list the fact's units are named one by one. Returns false if they are
 * not; of a group these are the ones that it scales.
 */
static bool names_each(const struct report_summary *summary, const struct report_fact *fact,
                       enum report_class *ret_class)
{
	if (fact->group)
		*ret_class = REPORT_CLASS_SCALE;
	else if (!fact->note)
		*ret_class = REPORT_CLASS_ADD;
	else if (fact->note->kind == REPORT_NOTE_REMOVED)
		*ret_class = REPORT_CLASS_REMOVE;
	else
		return false;
	return render_names_each(summary, *ret_class);
}

static struct value units_value(struct tree *t, const struct report_fact *fact)
{
	struct value list = value_list_new(t->arena);
	enum report_class class;

	if (!names_each(t->summary, fact, &class))
		return list;
	for (size_t i = 0; i < fact->unit_count; i++) {
		const struct report_unit *row = &t->summary->units.items[fact->units[i]];

		if (render_is_listed(row, class))
			value_list_add(t->arena, &list, tree_listed_unit(t, row, class));
	}
	return list;
}

sv render_fact_text(struct render_lines_form *form, const struct report_fact *fact,
                    const struct render_copies_list *causes)
{
	struct tree *t = &form->tree;
	struct value units = units_value(t, fact);
	bool names_first = !fact->note && value_count(&units) == 0 && fact->unit_count > 1;
	struct value none = VALUE_INVALID;
	struct value root = VALUE_MAP(
	    t->arena, {"note", fact->note ? tree_note(t, fact->note) : none},
	    {"group", fact->group ? tree_group(t, fact->group) : none}, {"units", units},
	    {"first",
	     names_first
	         ? VALUE_MAP(t->arena, {"units", tree_unit_names(t, fact->units, fact->unit_count)},
	                     {"total", value_size(fact->unit_count)})
	         : none},
	    {"causes", tree_causes(t, causes)});

	return render_lines_text(form, &root);
}

/* ---- the tree for GitHub ----------------------------------------------------------------- */

/* The annotations of a level that GitHub shows of a step, and further facts that are named. */
enum { SHOWN_OF_LEVEL = 10, NAMED_OF_LEVEL = 30 };

/* Returns the fact in one line. */
static struct value headline_value(struct tree *t, const struct report_fact *fact)
{
	return tree_masked(t, fact->note ? fact->headline
	                                 : render_fact_title(t->arena, t->summary, fact));
}

/* Returns true if the warning is at the line of one of the fact's units, or about its clusters. */
static bool is_about(const struct report_summary *summary, const struct report_fact *fact,
                     const struct diag *diag)
{
	enum diag_code code = fact->note ? report_note_info(fact->note->kind)->code : 0;

	if (code == 0 || diag->code != code)
		return false;
	for (size_t i = 0; i < fact->unit_count && diag->at.source; i++) {
		const struct position *at = &summary->units.items[fact->units[i]].at;

		if (at->source && at->offset == diag->at.offset &&
		    sv_eq(at->source->path, diag->at.source->path))
			return true;
	}
	return fact->unit_count == 0;
}

/* Moves the causes that are about the fact to its own list. */
static struct render_copies_list take_causes(struct tree *t, const struct report_fact *fact,
                                             struct render_copies_list *causes)
{
	struct render_copies_list own = {0};
	size_t kept = 0;

	for (size_t i = 0; i < causes->count; i++) {
		struct render_copies *cause = causes->items[i];
		bool is_own = is_about(t->summary, fact, cause->diag);

		VEC_EACH (other, &cause->others)
			is_own = is_own || is_about(t->summary, fact, *other);
		if (is_own)
			VEC_PUSH(t->arena, &own, cause);
		else
			causes->items[kept++] = cause;
	}
	causes->count = kept;
	return own;
}

/* Returns an annotation; it is at the line of the fact, else of the warnings about it. */
static struct value annotation_value(struct tree *t, struct render_lines_form *form,
                                     const struct report_fact *fact,
                                     const struct render_copies_list *causes)
{
	struct position at = fact->at;

	if (!render_has_file(at) && !sv_empty(fact->path))
		at = position_of_source(source_new(t->arena, fact->path, SV(""), true));
	if (!render_has_file(at) && causes->count > 0)
		at = causes->items[0]->diag->at;
	return VALUE_MAP(t->arena,
	                 {"title", tree_masked(t, render_fact_title(t->arena, t->summary, fact))},
	                 {"headline", headline_value(t, fact)},
	                 {"text", value_string(render_fact_text(form, fact, causes))},
	                 {"mark", tree_mark(t, at)});
}

/* Returns the number of the facts that stop, or of the others, and the first of them. */
static struct value level_value(struct tree *t, struct render_lines_form *form, bool stops,
                                struct render_copies_list *causes)
{
	const struct render_copies_list no_causes = {0};
	struct value list = value_list_new(t->arena);
	struct value others = value_list_new(t->arena);
	size_t count = 0;

	VEC_EACH (fact, &t->summary->facts) {
		if ((fact->severity == REPORT_FACT_STOP) != stops)
			continue;
		/* The last annotation may be one that names several facts. */
		const struct render_copies_list own =
		    count + 1 < SHOWN_OF_LEVEL ? take_causes(t, fact, causes) : no_causes;
		if (count < SHOWN_OF_LEVEL)
			value_list_add(t->arena, &list, annotation_value(t, form, fact, &own));
		else if (count < NAMED_OF_LEVEL)
			value_list_add(t->arena, &others, headline_value(t, fact));
		count++;
	}
	return VALUE_MAP(t->arena, {"count", value_size(count)}, {"list", list},
	                 {"others", others});
}

struct value render_annotation_tree(struct arena *arena, const struct report_summary *summary,
                                    const struct sink *sink, const struct report_style *style)
{
	struct tree t = {
	    .arena = arena, .summary = summary, .mask = style->mask, .for_annotations = true};
	struct render_lines_form *form = render_lines_form(arena, summary, style->mask);
	struct render_copies_list causes = render_join_copies(arena, sink);
	struct value stops = level_value(&t, form, true, &causes);
	struct value others = level_value(&t, form, false, &causes);
	struct buf rollout = buf_in(arena);
	struct value table = VALUE_MAP(arena, {"table", tree_table(&form->tree)});

	report_add_rollout(&rollout, summary);
	return VALUE_MAP(arena, {"command", tmpl_word(summary->command)},
	                 {"outcome", tmpl_word(render_outcome_word(summary->outcome))},
	                 {"causes", tree_causes(&t, &causes)}, {"stops", stops}, {"others", others},
	                 {"rolloutLine", tree_masked(&t, buf_sv(&rollout))},
	                 {"table", value_string(render_lines_text(form, &table))});
}
