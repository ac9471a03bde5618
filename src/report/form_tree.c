/*
 * The result with members that forms need and JSON does not have.
 */
#include "report/render.h"
#include "report/tree.h"

#include "tmpl/tmpl.h"

/* The names of units that a short tree has of a group, a note and a first output. */
enum { NAMES_IN_SHORT = 20 };

/* Returns true for the commands that ask whether the output is up to date, unless they failed. */
static bool is_compared(const struct report_summary *summary)
{
	return summary->outcome != REPORT_FAILED &&
	       (sv_eq(summary->command, SV("check")) || sv_eq(summary->command, SV("diff")));
}

sv tree_rollout(struct tree *t)
{
	struct buf rollout = buf_in(t->arena);

	if (render_has_classes(t->summary))
		report_add_rollout(&rollout, t->summary);
	return buf_sv(&rollout);
}

struct value tree_class_words(struct tree *t, const enum report_class *columns, size_t count)
{
	struct value words = value_list_new(t->arena);

	for (size_t i = 0; i < count; i++)
		value_list_add(t->arena, &words, tmpl_word(report_class_word(columns[i])));
	return words;
}

struct value tree_cluster_row(struct tree *t, sv name, const struct render_cluster *cluster,
                              const enum report_class *columns, size_t count)
{
	struct value cells = value_list_new(t->arena);

	for (size_t i = 0; i < count; i++)
		value_list_add(
		    t->arena, &cells,
		    tmpl_word(render_matrix_cell(t->arena, &cluster->classes[columns[i]])));
	return VALUE_MAP(t->arena, {"name", tree_masked(t, name)}, {"cells", cells});
}

/* Adds members that forms need besides those of JSON. */
static void add_form_members(struct tree *t, struct value *root)
{
	const struct report_summary *summary = t->summary;

	value_map_set(t->arena, root, SV("isCompared"), value_bool(is_compared(summary)));
	value_map_set(t->arena, root, SV("hasClasses"), value_bool(render_has_classes(summary)));
	value_map_set(t->arena, root, SV("unitKind"), tree_name(t, summary->unit_kind));
	value_map_set(t->arena, root, SV("rolloutLine"), value_string(tree_rollout(t)));
}

/* Returns the units and machines of a list of units, as far as they are known. */
static struct value total_value(struct tree *t, enum report_class class)
{
	struct report_count count = report_count_class(t->summary, class);
	bool is_scale = class == REPORT_CLASS_SCALE;
	bool has_machines = !is_scale && (count.machines > 0 || !count.unknown);
	struct value none = VALUE_INVALID;
	int64_t fewer = 0;
	int64_t more = 0;

	VEC_EACH (row, &t->summary->units) {
		fewer += row->scale.fewer;
		more += row->scale.more;
	}
	return VALUE_MAP(
	    t->arena, {"units", value_size(render_count_listed(t->summary, class))},
	    {"kind", tree_kind(t)}, {"machines", has_machines ? value_size(count.machines) : none},
	    {"isLeast", value_bool(count.unknown)}, {"fewer", is_scale ? value_int(fewer) : none},
	    {"more", is_scale ? value_int(more) : none});
}

struct value tree_leaving(struct tree *t, const struct value *root)
{
	static const char *const lists[RENDER_LISTED] = {"removed", "scaled", "added"};
	struct value list = value_list_new(t->arena);

	for (size_t i = 0; i < RENDER_LISTED && render_has_classes(t->summary); i++) {
		enum report_class class = render_listed[i];
		const struct value *units = value_map_get(root, sv_from_cstr(lists[i]));
		bool is_short = !t->every && !render_names_each(t->summary, class);

		if (value_count(units) > 0)
			value_list_add(
			    t->arena, &list,
			    VALUE_MAP(t->arena, {"class", tmpl_word(report_class_word(class))},
			              {"total", total_value(t, class)}, {"units", *units},
			              {"isShort", value_bool(is_short)}));
	}
	return list;
}

struct value tree_table(struct tree *t)
{
	const struct render_matrix matrix = render_matrix_of(t->arena, t->summary);
	size_t left_out;
	struct render_lines lines;

	if (matrix.changed_count < 2 || t->summary->is_first)
		return VALUE_INVALID;
	lines =
	    render_matrix_lines(t->arena, &matrix, t->every ? SIZE_MAX : RENDER_ROWS, &left_out);
	return VALUE_MAP(t->arena, {"titles", value_string(lines.items[0])},
	                 {"rows", tree_masked_list(t, lines.items + 1, lines.count - 1)},
	                 {"left", value_size(left_out)});
}

/* Adds what the template "changes" shows beside notes, rollout and groups. */
void tree_add_shown(struct tree *t, struct value *root, const struct report_style *style)
{
	const struct value_member members[] = {
	    {"color", report_colors(t->arena, style)},
	    {"margin", tmpl_word(SV(""))},
	    {"every", value_bool(t->every)},
	    {"kind", tree_kind(t)},
	    {"hasClasses", value_bool(render_has_classes(t->summary))},
	    {"leaving", tree_leaving(t, root)},
	    {"table", tree_table(t)},
	    {"noteTotal", value_size(t->summary->notes.count)},
	    {"groupTotal", value_size(t->summary->groups.count)},
	};

	value_map_set_all(t->arena, root, members, COUNT_OF(members));
}

struct value tree_kind_counts(struct tree *t)
{
	struct map kinds = render_kinds(t->arena, t->summary);
	struct value list = value_list_new(t->arena);

	for (size_t i = 0; i < kinds.count && kinds.count > 1; i++) {
		const size_t *count = kinds.entries[i].value;

		value_list_add(t->arena, &list,
		               VALUE_MAP(t->arena, {"kind", value_string(kinds.entries[i].key)},
		                         {"count", value_size(*count)}));
	}
	return list;
}

struct value tree_fullest(struct tree *t)
{
	const struct report_unit *row = render_fullest(t->summary);

	if (!row)
		return VALUE_INVALID;
	return VALUE_MAP(t->arena, {"cluster", tree_name(t, row->cluster)},
	                 {"namespace", tree_name(t, row->namespace)},
	                 {"name", tree_name(t, row->name)},
	                 {"bytes", value_size(row->bootstrap_bytes)},
	                 {"limit", value_size(row->bootstrap_limit)});
}

struct value render_form_tree(struct arena *arena, const struct report_summary *summary,
                              const struct sink *sink, const struct report_style *style)
{
	struct tree t = {
	    .arena = arena, .summary = summary, .mask = style->mask, .for_forms = true};
	struct value root = tree_whole(&t, sink);

	tree_add_shown(&t, &root, &(struct report_style){0});
	add_form_members(&t, &root);
	return root;
}

struct value render_short_tree(struct arena *arena, const struct report_summary *summary,
                               const struct sink *sink, const struct report_style *style)
{
	struct tree t = {.arena = arena,
	                 .summary = summary,
	                 .mask = style->mask,
	                 .for_forms = true,
	                 .is_short = true,
	                 .shown_max = NAMES_IN_SHORT};
	struct value root = tree_whole(&t, sink);

	add_form_members(&t, &root);
	return root;
}
