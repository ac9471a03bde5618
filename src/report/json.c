/*
 * Diagnostics and summary as JSON.
 */
#include "json/json.h"

#include "report/render.h"

static void set_text_if(struct arena *arena, struct value *map, const char *key, sv text)
{
	if (!sv_empty(text))
		render_set_text(arena, map, key, text);
}

static void set_count(struct arena *arena, struct value *map, const char *key, size_t count)
{
	render_set(arena, map, key, value_int((int64_t)count));
}

static void set_place(struct arena *arena, struct value *map, struct position at)
{
	if (!at.source)
		return;
	render_set_text(arena, map, "path", at.source->path);
	if (at.offset == SV_NPOS)
		return;
	struct line_column place = position_line_column(at);
	set_count(arena, map, "line", place.line);
	set_count(arena, map, "column", place.column);
	set_count(arena, map, "length", at.length);
}

static const char *class_word(enum diag_class class)
{
	switch (class) {
	case DIAG_CLASS_INPUT:
		return "input";
	case DIAG_CLASS_SURROUNDINGS:
		return "surroundings";
	case DIAG_CLASS_USAGE:
		return "usage";
	}
	BUG("diagnostic class");
}

static struct value notes_value(struct arena *arena, const struct diag *diag,
                                const struct report_style *style)
{
	struct value notes = value_list_new(arena);

	VEC_EACH (note, &diag->notes) {
		struct value map = value_map_new(arena);

		set_place(arena, &map, note->at);
		render_set_text(arena, &map, "message",
		                secret_mask_apply(arena, style->mask, note->text));
		value_list_add(arena, &notes, map);
	}
	return notes;
}

static struct value diag_value(struct arena *arena, const struct diag *diag,
                               const struct report_style *style)
{
	const struct diag_code_info *info = diag_code_find((unsigned)diag->code);
	struct value map = value_map_new(arena);

	render_set_text(arena, &map, "code", render_code(arena, diag->code));
	render_set_text(arena, &map, "severity",
	                diag->severity == DIAG_ERROR ? SV("error") : SV("warning"));
	render_set_text(arena, &map, "class", sv_from_cstr(class_word(info->class)));
	render_set_text(arena, &map, "title", sv_from_cstr(info->title));
	render_set_text(arena, &map, "message", secret_mask_apply(arena, style->mask, diag->text));
	set_place(arena, &map, diag->at);
	set_text_if(arena, &map, "object", secret_mask_apply(arena, style->mask, diag->object));
	set_text_if(arena, &map, "cluster", diag->cluster);
	if (diag->notes.count > 0)
		render_set(arena, &map, "notes", notes_value(arena, diag, style));
	set_text_if(arena, &map, "help", secret_mask_apply(arena, style->mask, diag->help));
	return map;
}

/* As members of format 1.0: "units" came later. */
static bool is_machine_deployment(const struct report_unit *row)
{
	return sv_eq(row->kind, SV("MachineDeployment"));
}

static size_t count_machine_deployments(const struct report_summary *summary)
{
	size_t others = 0;

	VEC_EACH (row, &summary->units)
		others += row->change != REPORT_REMOVED && !is_machine_deployment(row);
	return summary->unit_count - others;
}

static struct value counts_value(struct arena *arena, const struct report_summary *summary,
                                 const struct sink *sink)
{
	struct value map = value_map_new(arena);
	struct value files = value_map_new(arena);

	set_count(arena, &files, "added", report_count_files(summary, REPORT_ADDED));
	set_count(arena, &files, "changed", report_count_files(summary, REPORT_CHANGED));
	set_count(arena, &files, "removed", report_count_files(summary, REPORT_REMOVED));
	set_count(arena, &files, "unchanged", report_count_files(summary, REPORT_UNCHANGED));
	set_count(arena, &map, "clusters", summary->cluster_count);
	set_count(arena, &map, "profiles", summary->profile_count);
	set_count(arena, &map, "units", summary->unit_count);
	set_count(arena, &map, "machineDeployments", count_machine_deployments(summary));
	render_set(arena, &map, "files", files);
	set_count(arena, &map, "errors", render_count_severity(sink, DIAG_ERROR));
	set_count(arena, &map, "warnings", render_count_severity(sink, DIAG_WARNING));
	return map;
}

static struct value bytes_value(struct arena *arena, size_t bytes, size_t limit)
{
	struct value map = value_map_new(arena);

	set_count(arena, &map, "bytes", bytes);
	if (limit > 0)
		set_count(arena, &map, "limit", limit);
	return map;
}

static struct value row_value(struct arena *arena, const struct report_unit *row)
{
	struct value map = value_map_new(arena);
	struct value profile = value_map_new(arena);

	render_set_text(arena, &profile, "name", row->profile);
	render_set_text(arena, &profile, "version", row->profile_version);
	render_set_text(arena, &map, "cluster", row->cluster);
	render_set_text(arena, &map, "kind", row->kind);
	render_set_text(arena, &map, "namespace", row->namespace);
	render_set_text(arena, &map, "name", row->name);
	render_set_text(arena, &map, "provider", row->provider);
	render_set_text(arena, &map, "operatingSystem", row->operating_system);
	render_set(arena, &map, "profile", profile);
	render_set(arena, &map, "bootstrap",
	           bytes_value(arena, row->bootstrap_bytes, row->bootstrap_limit));
	render_set(arena, &map, "provisioning",
	           bytes_value(arena, row->provisioning_bytes, row->provisioning_limit));
	render_set_text(arena, &map, "change", render_change_word(row->change));
	return map;
}

void report_json(struct buf *buf, const struct report_summary *summary, const struct sink *sink,
                 const struct report_style *style)
{
	struct arena *arena = buf->arena;
	struct value root = value_map_new(arena);
	struct value tool = value_map_new(arena);
	struct value units = value_list_new(arena);
	struct value machine_deployments = value_list_new(arena);
	struct value files = value_list_new(arena);
	struct value diags = value_list_new(arena);

	VEC_EACH (row, &summary->units) {
		struct value map = row_value(arena, row);

		value_list_add(arena, &units, map);
		if (is_machine_deployment(row))
			value_list_add(arena, &machine_deployments, map);
	}
	VEC_EACH (file, &summary->files) {
		struct value map = value_map_new(arena);

		render_set_text(arena, &map, "path", file->path);
		render_set_text(arena, &map, "change", render_change_word(file->change));
		value_list_add(arena, &files, map);
	}
	VEC_EACH (diag, &sink->diags)
		value_list_add(arena, &diags, diag_value(arena, *diag, style));

	render_set_text(arena, &tool, "name", SV("osm-gen"));
	render_set_text(arena, &tool, "version", summary->version);
	render_set_text(arena, &root, "formatVersion", SV(REPORT_JSON_VERSION));
	render_set(arena, &root, "tool", tool);
	render_set_text(arena, &root, "command", summary->command);
	render_set_text(arena, &root, "outcome", render_outcome_word(summary->outcome));
	set_text_if(arena, &root, "sourceCommit", summary->source_commit);
	set_text_if(arena, &root, "commit", summary->commit);
	set_text_if(arena, &root, "branch", summary->branch);
	set_text_if(arena, &root, "out", summary->out);
	render_set(arena, &root, "counts", counts_value(arena, summary, sink));
	render_set(arena, &root, "units", units);
	render_set(arena, &root, "machineDeployments", machine_deployments);
	render_set(arena, &root, "files", files);
	render_set(arena, &root, "diagnostics", diags);
	json_emit(buf, &root, JSON_INDENT);
	buf_add_char(buf, '\n');
}
