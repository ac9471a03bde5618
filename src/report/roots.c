/*
 * The result of a command as a tree of values: what JSON prints, and what every other form is
 * rendered from.
 */
#include "report/tree.h"

#include "tmpl/tmpl.h"

/* ---- facts --------------------------------------------------------------------------------- */

static const char *severity_word(enum report_severity severity)
{
	switch (severity) {
	case REPORT_FACT_STOP:
		return "stop";
	case REPORT_FACT_LOOK:
		return "look";
	case REPORT_FACT_ROUTINE:
		return "routine";
	}
	BUG("severity");
}

static struct value fact_value(struct tree *t, const struct report_fact *fact)
{
	size_t machines;
	bool is_exact =
	    report_count_machines(t->summary, fact->units, fact->unit_count, &machines) &&
	    fact->unit_count > 0;
	struct value at = VALUE_MAP(t->arena, {"path", value_string_if(fact->path)},
	                            {"line", tree_line(&fact->at)});

	return VALUE_MAP(t->arena, {"kind", tree_word(fact->kind)},
	                 {"severity", tree_word(severity_word(fact->severity))},
	                 {"headline", tree_masked(t, fact->headline)},
	                 {"units", value_size(fact->unit_count)},
	                 {"machines", is_exact ? value_size(machines) : value_null()},
	                 {"clusters", value_size(fact->cluster_count)},
	                 {"where", value_strings(t->arena, fact->where, fact->where_count)},
	                 {"at", sv_empty(fact->path) ? VALUE_INVALID : at});
}

static struct value facts_value(struct tree *t)
{
	struct value list = value_list_new(t->arena);

	VEC_EACH (fact, &t->summary->facts)
		value_list_add(t->arena, &list, fact_value(t, fact));
	return list;
}

/* ---- clusters and classes ------------------------------------------------------------------ */

/* Returns the number of units and machines by class; of a cluster of the classes that it has. */
static struct value classes_value(struct tree *t, const struct render_cluster *cluster,
                                  bool is_whole)
{
	struct value map = value_map_new(t->arena);

	for (size_t i = 0; i < RENDER_CLASSES; i++) {
		const struct report_count *count = &cluster->classes[render_by_weight[i]];

		if (is_whole || count->units > 0)
			value_map_set(t->arena, &map, report_class_word(render_by_weight[i]),
			              VALUE_MAP(t->arena, {"units", value_size(count->units)},
			                        {"replicas", value_size(count->machines)},
			                        {"isAtLeast", t->for_forms && count->unknown
			                                          ? value_bool(true)
			                                          : VALUE_INVALID}));
	}
	return map;
}

static struct value clusters_value(struct tree *t, const struct render_matrix *matrix)
{
	struct value list = value_list_new(t->arena);

	VEC_EACH (cluster, &matrix->clusters)
		value_list_add(t->arena, &list,
		               VALUE_MAP(t->arena, {"cluster", value_string((*cluster)->name)},
		                         {"classes", classes_value(t, *cluster, false)}));
	return list;
}

/* ---- counts --------------------------------------------------------------------------------- */

/* Units of this kind are in the list of format 1.0; the list "units" came later. */
static bool is_machine_deployment(const struct report_unit *row)
{
	return sv_eq(row->kind, SV("MachineDeployment"));
}

static struct value kinds_value(struct tree *t)
{
	struct value map = value_map_new(t->arena);
	struct map kinds = render_kinds(t->arena, t->summary);

	for (size_t i = 0; i < kinds.count; i++)
		value_map_set(t->arena, &map, kinds.entries[i].key,
		              value_size(*(const size_t *)kinds.entries[i].value));
	return map;
}

struct value tree_counts(struct tree *t, const struct sink *sink)
{
	const struct report_summary *summary = t->summary;
	struct value files = value_map_new(t->arena);
	size_t others = 0;

	for (int change = REPORT_ADDED; change <= REPORT_REMOVED; change++)
		value_map_set(t->arena, &files, render_change_word((enum report_change)change),
		              value_size(report_count_files(summary, (enum report_change)change)));
	value_map_set(t->arena, &files, render_change_word(REPORT_UNCHANGED),
	              value_size(report_count_files(summary, REPORT_UNCHANGED)));
	VEC_EACH (row, &summary->units)
		others += row->change != REPORT_REMOVED && !is_machine_deployment(row);
	return VALUE_MAP(t->arena, {"clusters", value_size(summary->cluster_count)},
	                 {"profiles", value_size(summary->profile_count)},
	                 {"units", value_size(summary->unit_count)},
	                 {"machineDeployments", value_size(summary->unit_count - others)},
	                 {"kinds", kinds_value(t)}, {"files", files},
	                 {"errors", value_size(render_count_severity(sink, DIAG_ERROR))},
	                 {"warnings", value_size(render_count_severity(sink, DIAG_WARNING))});
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* Adds what reviewers ask for, before the long lists. */
static void add_changes(struct tree *t, struct value *root)
{
	struct render_matrix matrix = render_matrix_of(t->arena, t->summary);
	const struct value_member members[] = {
	    {"facts", facts_value(t)},
	    {"removed", tree_listed_units(t, REPORT_CLASS_REMOVE)},
	    {"scaled", tree_listed_units(t, REPORT_CLASS_SCALE)},
	    {"added", tree_listed_units(t, REPORT_CLASS_ADD)},
	    {"notes", tree_notes(t)},
	    {"classes", classes_value(t, &matrix.all, true)},
	    {"clusters", clusters_value(t, &matrix)},
	    {"rollout", render_pace_value(t->arena, t->summary)},
	    {"groups", tree_groups(t)},
	};

	value_map_set_all(t->arena, root, members, COUNT_OF(members));
}

static struct value push_value(struct tree *t)
{
	const struct report_push *push = &t->summary->push;

	if (sv_empty(push->remote))
		return VALUE_INVALID;
	return VALUE_MAP(
	    t->arena, {"remote", value_string(push->remote)},
	    {"branch", value_string(push->branch)}, {"brought", value_string_if(push->brought)},
	    {"commit", value_string_if(push->commit)}, {"notes", value_string_if(push->notes)},
	    {"retries", value_int(push->retries)});
}

/* Returns what the command did. */
struct value tree_run(struct tree *t)
{
	struct arena *arena = t->arena;
	const struct report_summary *summary = t->summary;

	return VALUE_MAP(arena, {"formatVersion", value_string(SV(REPORT_JSON_VERSION))},
	                 {"tool", VALUE_MAP(arena, {"name", tree_word("osm-gen")},
	                                    {"version", value_string(summary->version)})},
	                 {"command", tmpl_word(summary->command)},
	                 {"outcome", tmpl_word(render_outcome_word(summary->outcome))},
	                 {"sourceCommit", value_string_if(summary->source_commit)},
	                 {"commit", value_string_if(summary->commit)},
	                 {"branch", value_string_if(summary->branch)},
	                 {"replaced", value_string_if(summary->replaced)}, {"push", push_value(t)},
	                 {"out", value_string_if(summary->out)});
}

struct value tree_whole(struct tree *t, const struct sink *sink)
{
	struct arena *arena = t->arena;
	const struct report_summary *summary = t->summary;
	struct value units = value_list_new(arena);
	struct value machine_deployments = value_list_new(arena);
	struct value diags = value_list_new(arena);
	struct value root = tree_run(t);

	VEC_EACH (row, &summary->units) {
		if (t->is_short)
			break;
		struct value unit = tree_unit(t, row, true);

		value_list_add(arena, &units, unit);
		if (is_machine_deployment(row))
			value_list_add(arena, &machine_deployments, unit);
	}
	VEC_EACH (diag, &sink->diags)
		value_list_add(arena, &diags, tree_diag(t, *diag, SV("")));
	add_changes(t, &root);
	if (summary->programs.count > 0)
		value_map_set(
		    arena, &root, SV("programs"),
		    value_strings(t->arena, summary->programs.items, summary->programs.count));
	value_map_set(arena, &root, SV("counts"), tree_counts(t, sink));
	value_map_set(arena, &root, SV("units"), units);
	value_map_set(arena, &root, SV("machineDeployments"), machine_deployments);
	if (!t->is_short)
		value_map_set(arena, &root, SV("files"), tree_files(t, false));
	value_map_set(arena, &root, SV("diagnostics"), diags);
	return root;
}

struct value render_tree(struct arena *arena, const struct report_summary *summary,
                         const struct sink *sink, const struct report_style *style)
{
	struct tree t = {.arena = arena, .summary = summary, .mask = style->mask};

	return tree_whole(&t, sink);
}

struct value render_plan_tree(struct arena *arena, const struct report_summary *summary,
                              const struct report_style *style)
{
	struct tree t = {.arena = arena, .summary = summary, .mask = style->mask};
	struct value units = value_list_new(arena);
	struct value root =
	    VALUE_MAP(arena, {"formatVersion", value_string(SV(REPORT_PLAN_VERSION))});

	add_changes(&t, &root);
	VEC_EACH (row, &summary->units)
		value_list_add(arena, &units, tree_unit(&t, row, false));
	value_map_set(arena, &root, SV("units"), units);
	value_map_set(arena, &root, SV("sealed"), tree_files(&t, true));
	value_map_set(arena, &root, SV("withoutSeed"), value_bool(summary->without_seed));
	value_map_set(arena, &root, SV("notCompared"), value_size(summary->not_compared_count));
	return root;
}
