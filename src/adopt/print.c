/*
 * Trees of what adopt took and of a comparison, which JSON prints and forms show.
 */
#include "adopt/internal.h"

#include "report/report.h"
#include "tmpl/tmpl.h"

static const char *const results[] = {
    [ADOPT_EQUAL] = "equal",         [ADOPT_EQUAL_BUT] = "equalBut",
    [ADOPT_DIFFERS] = "differs",     [ADOPT_ONLY_HERE] = "onlyHere",
    [ADOPT_ONLY_THERE] = "onlyLive", [ADOPT_NOT_COMPARED] = "notCompared",
};

static const char *const templates[] = {
    [ADOPT_TEMPLATE_SAME] = "same",
    [ADOPT_TEMPLATE_OTHER] = "other",
    [ADOPT_TEMPLATE_UNKNOWN] = "unknown",
};

struct value adopt_counts_value(struct arena *arena, const char *const *names, const size_t *counts,
                                size_t count)
{
	struct value list = value_list_new(arena);

	for (size_t i = 0; i < count; i++)
		if (counts[i] > 0)
			value_list_add(arena, &list,
			               VALUE_MAP(arena,
			                         {"name", value_string(sv_from_cstr(names[i]))},
			                         {"count", value_size(counts[i])}));
	return list;
}

/* ---- an adoption ------------------------------------------------------------------------- */

static struct value lines_value(struct arena *arena, const struct adopt_lines *lines,
                                enum adopt_fate fate)
{
	struct value list = value_list_new(arena);

	VEC_EACH (line, lines)
		if (line->fate == fate)
			value_list_add(arena, &list,
			               VALUE_MAP(arena, {"what", value_string(line->what)},
			                         {"why", value_string_if(line->why)},
			                         {"names", value_strings(arena, line->names.items,
			                                                 line->names.count)}));
	return list;
}

/* Returns a word of a command; VALUE_INVALID for an empty one. */
static struct value shell_word(struct arena *arena, sv word)
{
	struct buf quoted = buf_in(arena);

	if (sv_empty(word))
		return VALUE_INVALID;
	report_add_shell_word(&quoted, word);
	return tmpl_word(buf_sv(&quoted));
}

void adopt_result_text(struct buf *buf, const struct adopt_request *request,
                       const struct adopt_result *result, bool all)
{
	struct arena *arena = buf->arena;
	sv revisions = result->revisions;
	sv message = ARENA_CONCAT(arena, SV("adopt "), request->cluster);
	struct value shell =
	    VALUE_MAP(arena, {"folder", shell_word(arena, result->folder)},
	              {"revisions", shell_word(arena, revisions)},
	              {"revisionsFolder",
	               shell_word(arena, sv_slice(revisions, 0, sv_rfind_char(revisions, '/')))},
	              {"message", shell_word(arena, message)},
	              {"cluster", shell_word(arena, request->cluster)});
	const struct value root =
	    VALUE_MAP(arena, {"taken", lines_value(arena, &result->lines, ADOPT_TAKEN)},
	              {"left", lines_value(arena, &result->lines, ADOPT_LEFT)},
	              {"notes", lines_value(arena, &result->lines, ADOPT_NOTE)},
	              {"appliers", adopt_appliers_value(arena, &result->appliers)},
	              {"all", value_bool(all)}, {"files", value_size(result->file_count)},
	              {"encrypted", value_size(result->sealed_count)},
	              {"folder", value_string(result->folder)}, {"shell", shell});

	report_form(buf, "adopt", REPORT_TERMINAL, &root);
}

/* ---- objects ----------------------------------------------------------------------------- */

static bool is_news(const struct adopt_finding *finding)
{
	return finding->kind == ADOPT_DIFFERS || finding->kind == ADOPT_ONLY_HERE ||
	       finding->kind == ADOPT_ONLY_THERE;
}

static struct value finding_value(struct arena *arena, const struct adopt_finding *finding)
{
	bool differs = finding->kind == ADOPT_DIFFERS;
	struct value none = VALUE_INVALID;

	return VALUE_MAP(arena, {"result", value_string(sv_from_cstr(results[finding->kind]))},
	                 {"kind", value_string(finding->id.kind)},
	                 {"namespace", value_string(finding->id.namespace)},
	                 {"name", value_string(finding->id.name)},
	                 {"but", value_string_if(finding->but)},
	                 {"place", differs ? value_string(finding->place) : none},
	                 {"line", differs && finding->line > 0 ? value_size(finding->line) : none},
	                 {"here", differs ? value_string(finding->here) : none},
	                 {"live", differs ? value_string(finding->there) : none});
}

/* ---- units ------------------------------------------------------------------------------- */

static bool is_behind(const struct adopt_unit *unit)
{
	return !sv_empty(unit->revision_here) && !sv_empty(unit->revision_there) &&
	       !sv_eq(unit->revision_here, unit->revision_there);
}

static struct value int_if_known(int64_t i)
{
	return i >= 0 ? value_int(i) : VALUE_INVALID;
}

static struct value changes_value(struct arena *arena, const struct adopt_changes *changes)
{
	struct value list = value_list_new(arena);

	VEC_EACH (change, changes)
		value_list_add(arena, &list,
		               VALUE_MAP(arena, {"place", value_string(change->place)},
		                         {"here", value_string(change->here)},
		                         {"live", value_string(change->there)}));
	return list;
}

static struct value unit_value(struct arena *arena, const struct adopt_unit *unit, bool for_form)
{
	bool is_other = unit->template == ADOPT_TEMPLATE_OTHER;
	struct value none = VALUE_INVALID;

	return VALUE_MAP(arena, {"kind", for_form ? value_string(unit->id.kind) : none},
	                 {"namespace", value_string(unit->id.namespace)},
	                 {"name", value_string(unit->id.name)},
	                 {"template", value_string(sv_from_cstr(templates[unit->template]))},
	                 {"revision", value_string_if(unit->revision_here)},
	                 {"liveRevision", value_string_if(unit->revision_there)},
	                 {"isBehind", for_form ? value_bool(is_behind(unit)) : none},
	                 {"changes", is_other ? changes_value(arena, &unit->changes) : none},
	                 {"applied", value_bool(unit->is_applied)},
	                 {"replicas", int_if_known(unit->replicas_here)},
	                 {"liveReplicas", int_if_known(unit->replicas_there)},
	                 {"isScaled", for_form ? value_bool(adopt_is_scaled(unit)) : none});
}

/* Returns what becomes of machines of the output's units; VALUE_INVALID if it has none of them. */
static struct value machines_value(struct arena *arena, const struct adopt_units *units)
{
	int64_t counts[ADOPT_TEMPLATE_UNKNOWN + 1] = {0};
	int64_t replaced = 0;
	sv kind = {0};

	VEC_EACH (unit, units) {
		if (!unit->is_applied)
			continue;
		kind = unit->id.kind;
		counts[unit->template]++;
		if (unit->template == ADOPT_TEMPLATE_OTHER && unit->replicas_there > 0)
			replaced += unit->replicas_there;
	}
	if (sv_empty(kind))
		return VALUE_INVALID;
	return VALUE_MAP(arena, {"kind", value_string(kind)},
	                 {"same", value_int(counts[ADOPT_TEMPLATE_SAME])},
	                 {"other", value_int(counts[ADOPT_TEMPLATE_OTHER])},
	                 {"unknown", value_int(counts[ADOPT_TEMPLATE_UNKNOWN])},
	                 {"replaced", value_int(replaced)});
}

void adopt_add_unit(struct buf *buf, const struct report_form *form, const struct adopt_unit *unit)
{
	struct value units = value_list_new(buf->arena);

	value_list_add(buf->arena, &units, unit_value(buf->arena, unit, true));
	const struct value root = VALUE_MAP(buf->arena, {"machineDeployments", units});
	report_form_run(buf, form, &root);
}

void adopt_add_machines(struct buf *buf, const struct report_form *form,
                        const struct adopt_units *units)
{
	const struct value root =
	    VALUE_MAP(buf->arena, {"machines", machines_value(buf->arena, units)});

	report_form_run(buf, form, &root);
}

/* ---- the comparison ---------------------------------------------------------------------- */

static struct value ignored_value(struct arena *arena)
{
	const struct adopt_sentences sentences = adopt_ignored(arena);
	struct value list = value_list_new(arena);

	VEC_EACH (sentence, &sentences)
		value_list_add(arena, &list, value_string(sv_from_cstr(*sentence)));
	return list;
}

/* Returns it without objects and units that are equal, unless `all` is set. */
static struct value comparison_tree(struct arena *arena, const struct adopt_comparison *comparison,
                                    bool all, bool for_form)
{
	struct value objects = value_list_new(arena);
	struct value units = value_list_new(arena);
	struct value none = VALUE_INVALID;

	VEC_EACH (finding, &comparison->findings)
		if (all || is_news(finding))
			value_list_add(arena, &objects, finding_value(arena, finding));
	VEC_EACH (unit, &comparison->units)
		if (all || unit->template != ADOPT_TEMPLATE_SAME || is_behind(unit) ||
		    adopt_is_scaled(unit))
			value_list_add(arena, &units, unit_value(arena, unit, for_form));
	return VALUE_MAP(
	    arena, {"formatVersion", value_string(SV("1.0"))},
	    {"cluster", value_string(comparison->cluster)},
	    {"equal", value_bool(!comparison->differs)}, {"objects", objects},
	    {"machineDeployments", units},
	    {"appliers", adopt_appliers_value(arena, &comparison->appliers)},
	    {"all", for_form ? value_bool(all) : none},
	    {"differsByNature", all ? ignored_value(arena) : none},
	    {"machines", for_form ? machines_value(arena, &comparison->units) : none},
	    {"counts",
	     for_form ? adopt_counts_value(arena, results, comparison->counts, COUNT_OF(results))
	              : none});
}

void adopt_comparison_text(struct buf *buf, const struct adopt_comparison *comparison, bool all)
{
	const struct value root = comparison_tree(buf->arena, comparison, all, true);

	report_form(buf, "compare", REPORT_TERMINAL, &root);
}

void adopt_comparison_json(struct buf *buf, const struct adopt_comparison *comparison)
{
	const struct value root = comparison_tree(buf->arena, comparison, true, false);

	report_add_json(buf, &root);
}
