/*
 * The parts of the tree of values that a result is: units, groups, notes, files, diagnostics.
 * Secrets are masked here, once.
 */
#include "report/tree.h"
#include "report/render.h"

#include "tmpl/tmpl.h"

/* Returns true if a list has as many items as the form can show. */
bool tree_is_full(size_t count, size_t max)
{
	return max > 0 && count >= max;
}

struct value tree_masked(struct tree *t, sv text)
{
	return value_string(secret_mask_apply(t->arena, t->mask, text));
}

struct value tree_masked_list(struct tree *t, const sv *items, size_t count)
{
	struct value list = value_list_new(t->arena);

	for (size_t i = 0; i < count; i++)
		value_list_add(t->arena, &list, tree_masked(t, items[i]));
	return list;
}

static struct value named_if(struct tree *t, sv name)
{
	return sv_empty(name) ? VALUE_INVALID : tree_name(t, name);
}

static struct value masked_if(struct tree *t, sv text)
{
	return sv_empty(text) ? VALUE_INVALID : tree_masked(t, text);
}

/* Returns a part of a unit's name. JSON has it as it is. */
struct value tree_name(struct tree *t, sv name)
{
	return t->for_forms ? tree_masked(t, name) : value_string(name);
}

struct value tree_word(const char *word)
{
	return tmpl_word(sv_from_cstr(word));
}

struct value tree_kind(struct tree *t)
{
	sv kind = t->summary->unit_kind;

	return VALUE_MAP(t->arena, {"one", value_string(kind)},
	                 {"many", value_string(ARENA_CONCAT(t->arena, kind, SV("s")))});
}

/* ---- diagnostics -------------------------------------------------------------------------- */

/* The members path, line, column and length; VALUE_INVALID for those that the place lacks. */
struct place {
	struct value path;
	struct value line;
	struct value column;
	struct value length;
};

static struct place tree_place(struct position at)
{
	struct place place = {0};

	if (!at.source)
		return place;
	place.path = value_string(at.source->path);
	if (at.offset == SV_NPOS)
		return place;
	struct line_column found = position_line_column(at);
	place.line = value_size(found.line);
	place.column = value_size(found.column);
	place.length = value_size(at.length);
	return place;
}
#define PLACE_MEMBERS(place)                                                                       \
	{"path", (place).path}, {"line", (place).line}, {"column", (place).column},                \
	{                                                                                          \
		"length", (place).length                                                           \
	}

struct value tree_mark(struct tree *t, struct position at)
{
	if (!t->for_annotations || !at.source || !render_has_file(at) ||
	    sv_starts_with(at.source->path, SV("/")))
		return VALUE_INVALID;
	const struct place place = tree_place(at);
	return VALUE_MAP(t->arena, {"path", tree_masked(t, at.source->path)}, {"line", place.line},
	                 {"column", place.column});
}

static struct value diag_notes(struct tree *t, const struct diag *diag)
{
	struct value list = value_list_new(t->arena);

	if (diag->notes.count == 0)
		return VALUE_INVALID;
	VEC_EACH (note, &diag->notes) {
		const struct place place = tree_place(note->at);

		value_list_add(t->arena, &list,
		               VALUE_MAP(t->arena, PLACE_MEMBERS(place),
		                         {"message", tree_masked(t, note->text)}));
	}
	return list;
}

/* Returns the diagnostic as lines of text, with its source line. */
static struct value diag_text(struct tree *t, const struct diag *diag)
{
	struct buf text = buf_in(t->arena);

	report_diag_text(&text, diag, &(struct report_style){.mask = t->mask});
	return value_string(sv_trim_right(buf_sv(&text), "\n"));
}

struct value tree_diag(struct tree *t, const struct diag *diag, sv also_at)
{
	const struct diag_code_info *info = diag_code_find((unsigned)diag->code);
	struct value none = VALUE_INVALID;
	const struct place place = tree_place(diag->at);

	return VALUE_MAP(
	    t->arena, {"code", tmpl_word(diag_code_text(t->arena, diag->code))},
	    {"severity", tree_word(diag->severity == DIAG_ERROR ? "error" : "warning")},
	    {"class", tree_word(render_diag_class(info->class))},
	    {"title", value_string(sv_from_cstr(info->title))},
	    {"message", tree_masked(t, diag->text)}, PLACE_MEMBERS(place),
	    {"object", masked_if(t, diag->object)}, {"cluster", value_string_if(diag->cluster)},
	    {"notes", diag_notes(t, diag)}, {"help", masked_if(t, diag->help)},
	    {"alsoAt", masked_if(t, also_at)}, {"mark", tree_mark(t, diag->at)},
	    {"shown", t->for_forms && !t->is_short ? diag_text(t, diag) : none},
	    {"place", t->for_forms ? named_if(t, report_place(t->arena, diag->at)) : none});
}

static struct value cause_value(struct tree *t, const struct render_copies *cause)
{
	return tree_diag(t, cause->diag, render_other_places(t->arena, cause));
}

struct value tree_causes(struct tree *t, const struct render_copies_list *causes)
{
	struct value list = value_list_new(t->arena);

	VEC_EACH (cause, causes)
		if (!tree_is_full(value_count(&list), t->listed_max))
			value_list_add(t->arena, &list, cause_value(t, *cause));
	return list;
}

/* ---- units -------------------------------------------------------------------------------- */

static struct value bytes_value(struct tree *t, size_t bytes, size_t limit)
{
	return VALUE_MAP(t->arena, {"bytes", value_size(bytes)},
	                 {"limit", limit > 0 ? value_size(limit) : VALUE_INVALID});
}

static struct value scale_value(struct tree *t, const struct report_scale *scale)
{
	struct value none = VALUE_INVALID;

	return VALUE_MAP(
	    t->arena, {"before", value_int_or_null(scale->before)},
	    {"after", value_int_or_null(scale->after)},
	    {"effect", t->for_forms ? value_string(render_scale_effect(t->arena, scale)) : none});
}

struct value tree_line(const struct position *at)
{
	return render_has_file(*at) && at->offset != SV_NPOS
	           ? value_size(position_line_column(*at).line)
	           : VALUE_INVALID;
}

struct value tree_unit(struct tree *t, const struct report_unit *row, bool is_whole)
{
	bool has_class = !is_whole || t->for_comment || render_has_classes(t->summary);
	bool restarts = has_class && (row->class == REPORT_CLASS_IN_PLACE ||
	                              row->restarts.count > 0 || row->stops.count > 0);
	struct value profile = is_whole ? VALUE_MAP(t->arena, {"name", tree_name(t, row->profile)},
	                                            {"version", tree_name(t, row->profile_version)})
	                                : value_string_if(row->profile);
	struct value none = VALUE_INVALID;

	return VALUE_MAP(
	    t->arena, {"cluster", tree_name(t, row->cluster)}, {"kind", value_string(row->kind)},
	    {"namespace", tree_name(t, row->namespace)}, {"name", tree_name(t, row->name)},
	    {"provider", is_whole ? tree_name(t, row->provider) : none},
	    {"operatingSystem", is_whole ? tree_name(t, row->operating_system) : none},
	    {"profile", profile},
	    {"bootstrap",
	     is_whole ? bytes_value(t, row->bootstrap_bytes, row->bootstrap_limit) : none},
	    {"provisioning",
	     is_whole ? bytes_value(t, row->provisioning_bytes, row->provisioning_limit) : none},
	    {"change", is_whole ? tmpl_word(render_change_word(row->change)) : none},
	    {"class", has_class ? tmpl_word(report_class_word(row->class)) : none},
	    {"replicas", has_class ? value_int_or_null(row->replicas) : none},
	    {"scale", has_class && row->scale.changes ? scale_value(t, &row->scale) : none},
	    {"reason",
	     has_class && row->class == REPORT_CLASS_UNKNOWN ? value_string_if(row->reason) : none},
	    {"templateUnknown", has_class && row->template_unknown ? value_bool(true) : none},
	    {"restarts",
	     restarts ? value_strings(t->arena, row->restarts.items, row->restarts.count) : none},
	    {"stops",
	     restarts ? value_strings(t->arena, row->stops.items, row->stops.count) : none},
	    {"source", value_string_if(row->source)}, {"line", tree_line(&row->at)});
}

/* Returns cluster, namespace and name of each. */
struct value tree_unit_names(struct tree *t, const size_t *units, size_t count)
{
	struct value list = value_list_new(t->arena);

	for (size_t i = 0; i < count && !tree_is_full(i, t->shown_max); i++) {
		const struct report_unit *row = &t->summary->units.items[units[i]];

		value_list_add(t->arena, &list,
		               VALUE_MAP(t->arena, {"cluster", tree_name(t, row->cluster)},
		                         {"namespace", tree_name(t, row->namespace)},
		                         {"name", tree_name(t, row->name)}));
	}
	return list;
}

struct value tree_listed_unit(struct tree *t, const struct report_unit *row,
                              enum report_class class)
{
	struct value none = VALUE_INVALID;
	bool has_profile = t->for_forms && !sv_empty(row->profile);
	bool is_scale = t->for_forms && class == REPORT_CLASS_SCALE;

	return VALUE_MAP(
	    t->arena, {"cluster", tree_name(t, row->cluster)},
	    {"namespace", tree_name(t, row->namespace)}, {"name", tree_name(t, row->name)},
	    {"replicas", value_int_or_null(row->replicas)},
	    {"scale", class == REPORT_CLASS_SCALE ? scale_value(t, &row->scale) : none},
	    {"source", named_if(t, row->source)}, {"reason", masked_if(t, row->reason)},
	    {"class", t->for_forms ? tmpl_word(report_class_word(class)) : none},
	    {"losesMachines", t->for_forms ? value_bool(report_loses_machines(row, class)) : none},
	    {"fewer", is_scale ? value_int(row->scale.fewer) : none},
	    {"more", is_scale ? value_int(row->scale.more) : none},
	    {"profile", has_profile ? tree_masked(t, row->profile) : none},
	    {"profileVersion", has_profile ? tree_masked(t, row->profile_version) : none},
	    {"provider", has_profile ? tree_masked(t, row->provider) : none});
}

/* Returns the units of a class that are named one by one. */
struct value tree_listed_units(struct tree *t, enum report_class class)
{
	struct value list = value_list_new(t->arena);
	size_t max = render_names_each(t->summary, class) ? t->listed_max : t->shown_max;

	VEC_EACH (row, &t->summary->units)
		if (render_is_listed(row, class) && !tree_is_full(value_count(&list), max))
			value_list_add(t->arena, &list, tree_listed_unit(t, row, class));
	return list;
}

/* ---- groups and notes --------------------------------------------------------------------- */

/* Returns the lines of a unified diff, each with the kind that its first character states. */
static struct value diff_lines(struct tree *t, sv diff)
{
	struct value list = value_list_new(t->arena);
	struct sv_splitter lines = sv_split(sv_trim_right(diff, "\n"), '\n');
	sv line;

	while (!sv_empty(diff) && sv_split_next(&lines, &line)) {
		const char *kind = "context";

		if (sv_starts_with(line, SV("+")))
			kind = "added";
		else if (sv_starts_with(line, SV("-")))
			kind = "removed";
		else if (sv_starts_with(line, SV("@@")))
			kind = "hunk";
		value_list_add(
		    t->arena, &list,
		    VALUE_MAP(t->arena, {"kind", tree_word(kind)}, {"text", value_string(line)}));
	}
	return list;
}

/*
 * Returns a group. Its diff is not masked: it is of clear files, which the leak scan has searched.
 * The author of a pull request can add a Secret, and a mask of its value would hide a line.
 */
struct value tree_group(struct tree *t, const struct report_group *group)
{
	struct value fields = value_list_new(t->arena);
	struct value none = VALUE_INVALID;
	bool has_lines = t->for_forms && !t->for_comment;

	for (size_t i = 0; i < group->field_count; i++)
		value_list_add(
		    t->arena, &fields,
		    VALUE_MAP(t->arena, {"name", tree_masked(t, group->fields[i].name)},
		              {"before", tree_masked(t, group->fields[i].before)},
		              {"after", tree_masked(t, group->fields[i].after)},
		              {"isInHeading",
		               t->for_forms ? value_bool(render_is_in_heading(group, i)) : none}));
	return VALUE_MAP(
	    t->arena, {"heading", tree_masked(t, group->heading)},
	    {"class", tmpl_word(report_class_word(group->class))},
	    {"clusters", value_size(group->cluster_count)}, {"fields", fields},
	    {"diff", t->for_comment ? render_diff_value(group->diff) : value_string(group->diff)},
	    {"diffLines", has_lines ? diff_lines(t, group->diff) : none},
	    {"leavesOut", t->for_comment ? value_bool(group->diff_leaves_out) : none},
	    {"units", t->for_comment ? none : tree_unit_names(t, group->units, group->unit_count)},
	    {"total", t->for_forms ? value_size(group->unit_count) : none},
	    {"isHeadingWhole", t->for_forms ? value_bool(render_heading_has_all(group)) : none});
}

struct value tree_groups(struct tree *t)
{
	struct value list = value_list_new(t->arena);

	VEC_EACH (group, &t->summary->groups)
		if (!tree_is_full(value_count(&list), t->groups_max))
			value_list_add(t->arena, &list, tree_group(t, group));
	return list;
}

struct value tree_note(struct tree *t, const struct report_note *note)
{
	sv title = report_note_title(t->arena, t->summary, note);
	struct value none = VALUE_INVALID;

	return VALUE_MAP(t->arena, {"title", value_string(title)},
	                 {"text", tree_masked(t, note->text)},
	                 {"units", tree_unit_names(t, note->units, note->unit_count)},
	                 {"total", t->for_forms ? value_size(note->unit_count) : none},
	                 {"kind", t->for_forms ? tree_kind(t) : none});
}

struct value tree_notes(struct tree *t)
{
	struct value list = value_list_new(t->arena);

	VEC_EACH (note, &t->summary->notes)
		if (!tree_is_full(value_count(&list), t->notes_max))
			value_list_add(t->arena, &list, tree_note(t, note));
	return list;
}

/* ---- files ------------------------------------------------------------------------------- */

/* Returns a set of REPORT_SEALED_... as a list of words. */
static struct value sealed_value(struct tree *t, unsigned sealed)
{
	static const struct {
		unsigned bit;
		const char *word;
	} parts[] = {
	    {REPORT_SEALED_VALUE, "value"},
	    {REPORT_SEALED_RECIPIENTS, "recipients"},
	    {REPORT_SEALED_SEED, "seed"},
	    {REPORT_SEALED_UNKNOWN, "unknown"},
	};
	struct value list = value_list_new(t->arena);

	for (size_t i = 0; i < COUNT_OF(parts); i++)
		if (sealed & parts[i].bit)
			value_list_add(t->arena, &list, tree_word(parts[i].word));
	return list;
}

static struct value file_value(struct tree *t, const struct report_file *file, bool has_change)
{
	sv change = render_change_word(file->change);

	return VALUE_MAP(t->arena, {"path", tree_name(t, file->path)},
	                 {"change", has_change ? tmpl_word(change) : VALUE_INVALID},
	                 {"sealed", file->sealed ? sealed_value(t, file->sealed) : VALUE_INVALID});
}

struct value tree_files(struct tree *t, bool only_sealed)
{
	struct value list = value_list_new(t->arena);

	VEC_EACH (file, &t->summary->files)
		if (!only_sealed || file->sealed)
			value_list_add(t->arena, &list, file_value(t, file, !only_sealed));
	return list;
}

struct value tree_changed_files(struct tree *t, size_t max)
{
	struct value list = value_list_new(t->arena);

	VEC_EACH (file, &t->summary->files)
		if (file->change != REPORT_UNCHANGED && !tree_is_full(value_count(&list), max))
			value_list_add(t->arena, &list, file_value(t, file, true));
	return list;
}
