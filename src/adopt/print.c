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

/* `names` has those of a group for the form, and may be null. */
static struct value finding_value(struct arena *arena, const struct adopt_finding *finding,
                                  const struct adopt_names *names)
{
	bool differs = finding->kind == ADOPT_DIFFERS;
	struct value none = VALUE_INVALID;

	return VALUE_MAP(arena, {"result", value_string(sv_from_cstr(results[finding->kind]))},
	                 {"names", names ? value_strings(arena, names->items, names->count) : none},
	                 {"kind", value_string(finding->id.kind)},
	                 {"namespace", value_string(finding->id.namespace)},
	                 {"name", value_string(finding->id.name)},
	                 {"but", value_string_if(finding->but)},
	                 {"place", differs ? value_string(finding->place) : none},
	                 {"line", differs && finding->line > 0 ? value_size(finding->line) : none},
	                 {"here", differs ? value_string(finding->here) : none},
	                 {"live", differs ? value_string(finding->there) : none});
}

/* Objects of one kind with the same difference. */
struct finding_group {
	struct adopt_finding first; /* its line is 0 if the objects differ in several lines */
	struct adopt_names names;
};
VEC_TYPE(finding_groups, struct finding_group *);

/* Between the strings of a key. */
#define KEY_PART SV("\0")

/* Returns a string that findings of one group have in common. */
static sv finding_key(struct arena *arena, const struct adopt_finding *f)
{
	return ARENA_CONCAT(arena, sv_from_cstr(results[f->kind]), KEY_PART, f->id.kind, KEY_PART,
	                    f->but, KEY_PART, f->place, KEY_PART, f->here, KEY_PART, f->there);
}

static sv path_of(struct arena *arena, const struct kube_id *id)
{
	return sv_empty(id->namespace) ? id->name
	                               : ARENA_CONCAT(arena, id->namespace, SV("/"), id->name);
}

static void add_to_group(struct arena *arena, const struct adopt_finding *finding,
                         struct map *known, struct finding_groups *groups)
{
	sv key = finding_key(arena, finding);
	struct finding_group *group = map_get(known, key);

	if (!group) {
		group = ARENA_NEW(arena, struct finding_group);
		*group = (struct finding_group){.first = *finding};
		map_put(known, key, group);
		VEC_PUSH(arena, groups, group);
	}
	if (group->first.line != finding->line)
		group->first.line = 0;
	VEC_PUSH(arena, &group->names, path_of(arena, &finding->id));
}

/* Returns the findings that are news, equal ones of several objects as one. */
static struct value finding_groups_value(struct arena *arena,
                                         const struct adopt_comparison *comparison)
{
	struct value list = value_list_new(arena);
	struct map known = map_in(arena); /* struct finding_group * by finding_key */
	struct finding_groups groups = {0};

	VEC_EACH (finding, &comparison->findings)
		if (is_news(finding))
			add_to_group(arena, finding, &known, &groups);
	VEC_EACH (group, &groups)
		value_list_add(arena, &list,
		               finding_value(arena, &(*group)->first, &(*group)->names));
	return list;
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

/* `names` has those of a group, and may be null. */
static struct value unit_value(struct arena *arena, const struct adopt_unit *unit, bool for_form,
                               const struct adopt_names *names)
{
	bool is_other = unit->template == ADOPT_TEMPLATE_OTHER;
	struct value none = VALUE_INVALID;

	return VALUE_MAP(arena, {"kind", for_form ? value_string(unit->id.kind) : none},
	                 {"names", names ? value_strings(arena, names->items, names->count) : none},
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

/* Units of one kind with the same result. */
struct unit_group {
	struct adopt_unit first; /* replicas_there is that of all if their machines are replaced */
	struct adopt_names names;
};
VEC_TYPE(unit_groups, struct unit_group *);

static bool is_news_of_unit(const struct adopt_unit *unit)
{
	return unit->template != ADOPT_TEMPLATE_SAME || is_behind(unit) || adopt_is_scaled(unit);
}

/* Returns a string that units of one group have in common; its own for one that forms no group. */
static sv unit_key(struct arena *arena, const struct adopt_unit *unit)
{
	struct buf key = buf_in(arena);

	if (is_behind(unit) || adopt_is_scaled(unit))
		return adopt_key(arena, &unit->id);
	buf_add(&key, ARENA_CONCAT(arena, unit->id.kind, KEY_PART,
	                           sv_from_cstr(templates[unit->template])));
	buf_printf(&key, " %d %d", unit->is_applied, unit->replicas_there >= 0);
	VEC_EACH (change, &unit->changes)
		buf_add(&key, ARENA_CONCAT(arena, KEY_PART, change->place, KEY_PART, change->here,
		                           KEY_PART, change->there));
	return buf_sv(&key);
}

static void add_unit_to_group(struct arena *arena, const struct adopt_unit *unit, struct map *known,
                              struct unit_groups *groups)
{
	sv key = unit_key(arena, unit);
	struct unit_group *group = map_get(known, key);

	if (!group) {
		group = ARENA_NEW(arena, struct unit_group);
		*group = (struct unit_group){.first = *unit};
		map_put(known, key, group);
		VEC_PUSH(arena, groups, group);
	} else if (unit->replicas_there > 0) {
		group->first.replicas_there += unit->replicas_there;
		group->first.replicas_here = -1;
	}
	VEC_PUSH(arena, &group->names, path_of(arena, &unit->id));
}

static struct value unit_groups_value(struct arena *arena, const struct adopt_units *units)
{
	struct value list = value_list_new(arena);
	struct map known = map_in(arena); /* struct unit_group * by unit_key */
	struct unit_groups groups = {0};

	VEC_EACH (unit, units)
		if (is_news_of_unit(unit))
			add_unit_to_group(arena, unit, &known, &groups);
	VEC_EACH (group, &groups)
		value_list_add(arena, &list,
		               unit_value(arena, &(*group)->first, true, &(*group)->names));
	return list;
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

	value_list_add(buf->arena, &units, unit_value(buf->arena, unit, true, NULL));
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

/* Returns a comparison with all of its objects and units. */
static struct value whole_comparison(struct arena *arena, const struct adopt_comparison *comparison,
                                     bool for_form)
{
	struct value objects = value_list_new(arena);
	struct value units = value_list_new(arena);

	VEC_EACH (finding, &comparison->findings)
		value_list_add(arena, &objects, finding_value(arena, finding, NULL));
	VEC_EACH (unit, &comparison->units)
		value_list_add(arena, &units, unit_value(arena, unit, for_form, NULL));
	return VALUE_MAP(arena, {"formatVersion", value_string(SV("1.0"))},
	                 {"cluster", value_string(comparison->cluster)},
	                 {"equal", value_bool(!comparison->differs)}, {"objects", objects},
	                 {"machineDeployments", units},
	                 {"appliers", adopt_appliers_value(arena, &comparison->appliers)},
	                 {"differsByNature", ignored_value(arena)});
}

void adopt_comparison_text(struct buf *buf, const struct adopt_comparison *comparison, bool all)
{
	struct arena *arena = buf->arena;
	struct value root = whole_comparison(arena, comparison, true);

	if (!all) {
		value_map_set(arena, &root, SV("objects"), finding_groups_value(arena, comparison));
		value_map_set(arena, &root, SV("machineDeployments"),
		              unit_groups_value(arena, &comparison->units));
		value_map_set(arena, &root, SV("differsByNature"), VALUE_INVALID);
	}
	value_map_set(arena, &root, SV("all"), value_bool(all));
	value_map_set(arena, &root, SV("machines"), machines_value(arena, &comparison->units));
	value_map_set(arena, &root, SV("counts"),
	              adopt_counts_value(arena, results, comparison->counts, COUNT_OF(results)));
	report_form(buf, "compare", REPORT_TERMINAL, &root);
}

void adopt_comparison_json(struct buf *buf, const struct adopt_comparison *comparison)
{
	const struct value root = whole_comparison(buf->arena, comparison, false);

	report_add_json(buf, &root);
}
