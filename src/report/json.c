/*
 * Diagnostics and summary as JSON.
 */
#include "json/json.h"

#include "report/render.h"

static void set_place(struct json_t *map, struct position at)
{
	if (!at.source)
		return;
	json_doc_set_text(map, "path", at.source->path);
	if (at.offset == SV_NPOS)
		return;
	struct line_column place = position_line_column(at);
	json_doc_set_size(map, "line", place.line);
	json_doc_set_size(map, "column", place.column);
	json_doc_set_size(map, "length", at.length);
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

static struct json_t *notes_value(struct arena *arena, const struct diag *diag,
                                  const struct report_style *style)
{
	struct json_t *notes = json_doc_list();

	VEC_EACH (note, &diag->notes) {
		struct json_t *map = json_doc_map();

		set_place(map, note->at);
		json_doc_set_text(map, "message",
		                  secret_mask_apply(arena, style->mask, note->text));
		json_doc_add(notes, map);
	}
	return notes;
}

static struct json_t *diag_value(struct arena *arena, const struct diag *diag,
                                 const struct report_style *style)
{
	const struct diag_code_info *info = diag_code_find((unsigned)diag->code);
	struct json_t *map = json_doc_map();

	json_doc_set_text(map, "code", render_code(arena, diag->code));
	json_doc_set_text(map, "severity",
	                  diag->severity == DIAG_ERROR ? SV("error") : SV("warning"));
	json_doc_set_text(map, "class", sv_from_cstr(class_word(info->class)));
	json_doc_set_text(map, "title", sv_from_cstr(info->title));
	json_doc_set_text(map, "message", secret_mask_apply(arena, style->mask, diag->text));
	set_place(map, diag->at);
	json_doc_set_text_if(map, "object", secret_mask_apply(arena, style->mask, diag->object));
	json_doc_set_text_if(map, "cluster", diag->cluster);
	if (diag->notes.count > 0)
		json_doc_set(map, "notes", notes_value(arena, diag, style));
	json_doc_set_text_if(map, "help", secret_mask_apply(arena, style->mask, diag->help));
	return map;
}

/* Units of this kind are in the list of format 1.0; the list "units" came later. */
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

static struct json_t *kinds_value(struct arena *arena, const struct report_summary *summary)
{
	struct json_t *map = json_doc_map();
	struct map kinds = render_kinds(arena, summary);

	for (size_t i = 0; i < kinds.count; i++)
		json_doc_set_size(map, arena_cstr(arena, kinds.entries[i].key),
		                  *(const size_t *)kinds.entries[i].value);
	return map;
}

static struct json_t *counts_value(struct arena *arena, const struct report_summary *summary,
                                   const struct sink *sink)
{
	struct json_t *map = json_doc_map();
	struct json_t *files = json_doc_map();

	json_doc_set_size(files, "added", report_count_files(summary, REPORT_ADDED));
	json_doc_set_size(files, "changed", report_count_files(summary, REPORT_CHANGED));
	json_doc_set_size(files, "removed", report_count_files(summary, REPORT_REMOVED));
	json_doc_set_size(files, "unchanged", report_count_files(summary, REPORT_UNCHANGED));
	json_doc_set_size(map, "clusters", summary->cluster_count);
	json_doc_set_size(map, "profiles", summary->profile_count);
	json_doc_set_size(map, "units", summary->unit_count);
	json_doc_set_size(map, "machineDeployments", count_machine_deployments(summary));
	json_doc_set(map, "kinds", kinds_value(arena, summary));
	json_doc_set(map, "files", files);
	json_doc_set_size(map, "errors", render_count_severity(sink, DIAG_ERROR));
	json_doc_set_size(map, "warnings", render_count_severity(sink, DIAG_WARNING));
	return map;
}

static struct json_t *bytes_value(size_t bytes, size_t limit)
{
	struct json_t *map = json_doc_map();

	json_doc_set_size(map, "bytes", bytes);
	if (limit > 0)
		json_doc_set_size(map, "limit", limit);
	return map;
}

static struct json_t *row_value(const struct report_summary *summary, const struct report_unit *row)
{
	struct json_t *map = json_doc_map();
	struct json_t *profile = json_doc_map();

	json_doc_set_text(profile, "name", row->profile);
	json_doc_set_text(profile, "version", row->profile_version);
	json_doc_set_text(map, "cluster", row->cluster);
	json_doc_set_text(map, "kind", row->kind);
	json_doc_set_text(map, "namespace", row->namespace);
	json_doc_set_text(map, "name", row->name);
	json_doc_set_text(map, "provider", row->provider);
	json_doc_set_text(map, "operatingSystem", row->operating_system);
	json_doc_set(map, "profile", profile);
	json_doc_set(map, "bootstrap", bytes_value(row->bootstrap_bytes, row->bootstrap_limit));
	json_doc_set(map, "provisioning",
	             bytes_value(row->provisioning_bytes, row->provisioning_limit));
	json_doc_set_text(map, "change", render_change_word(row->change));
	if (render_has_classes(summary))
		render_set_class(map, row);
	render_set_source(map, row);
	return map;
}

static struct json_t *push_value(const struct report_push *push)
{
	struct json_t *map = json_doc_map();

	json_doc_set_text(map, "remote", push->remote);
	json_doc_set_text(map, "branch", push->branch);
	json_doc_set_text_if(map, "brought", push->brought);
	json_doc_set_text_if(map, "commit", push->commit);
	json_doc_set_text_if(map, "notes", push->notes);
	json_doc_set_size(map, "retries", push->retries);
	return map;
}

static struct json_t *programs_value(const struct report_summary *summary)
{
	struct json_t *programs = json_doc_list();

	VEC_EACH (program, &summary->programs)
		json_doc_add_text(programs, *program);
	return programs;
}

void report_json(struct buf *buf, const struct report_summary *summary, const struct sink *sink,
                 const struct report_style *style)
{
	struct arena *arena = buf->arena;
	JSON_DOC_AUTO root = json_doc_map();
	struct json_t *tool = json_doc_map();
	struct json_t *units = json_doc_list();
	struct json_t *machine_deployments = json_doc_list();
	struct json_t *files = json_doc_list();
	struct json_t *diags = json_doc_list();

	VEC_EACH (row, &summary->units) {
		json_doc_add(units, row_value(summary, row));
		if (is_machine_deployment(row))
			json_doc_add(machine_deployments, row_value(summary, row));
	}
	VEC_EACH (file, &summary->files) {
		struct json_t *map = json_doc_map();

		json_doc_set_text(map, "path", file->path);
		json_doc_set_text(map, "change", render_change_word(file->change));
		if (file->sealed)
			json_doc_set(map, "sealed", render_sealed(file->sealed));
		json_doc_add(files, map);
	}
	VEC_EACH (diag, &sink->diags)
		json_doc_add(diags, diag_value(arena, *diag, style));

	json_doc_set_text(tool, "name", SV("osm-gen"));
	json_doc_set_text(tool, "version", summary->version);
	json_doc_set_text(root, "formatVersion", SV(REPORT_JSON_VERSION));
	json_doc_set(root, "tool", tool);
	json_doc_set_text(root, "command", summary->command);
	json_doc_set_text(root, "outcome", render_outcome_word(summary->outcome));
	json_doc_set_text_if(root, "sourceCommit", summary->source_commit);
	json_doc_set_text_if(root, "commit", summary->commit);
	json_doc_set_text_if(root, "branch", summary->branch);
	json_doc_set_text_if(root, "replaced", summary->replaced);
	if (!sv_empty(summary->push.remote))
		json_doc_set(root, "push", push_value(&summary->push));
	json_doc_set_text_if(root, "out", summary->out);
	render_set_changes(arena, root, summary, style);
	if (summary->programs.count > 0)
		json_doc_set(root, "programs", programs_value(summary));
	json_doc_set(root, "counts", counts_value(arena, summary, sink));
	json_doc_set(root, "units", units);
	json_doc_set(root, "machineDeployments", machine_deployments);
	json_doc_set(root, "files", files);
	json_doc_set(root, "diagnostics", diags);
	render_json(buf, root);
}

static struct json_t *code_value(struct arena *arena, const struct diag_code_info *code)
{
	struct json_t *map = json_doc_map();

	json_doc_set_text(map, "code", arena_printf(arena, "OSG%04u", (unsigned)code->code));
	json_doc_set_text(map, "severity",
	                  code->severity == DIAG_ERROR ? SV("error") : SV("warning"));
	json_doc_set_text(map, "class", sv_from_cstr(class_word(code->class)));
	json_doc_set_text(map, "title", sv_from_cstr(code->title));
	json_doc_set_text(map, "explanation", sv_from_cstr(code->explanation));
	return map;
}

void report_codes_json(struct buf *buf, const struct diag_code_info *only)
{
	JSON_DOC_AUTO root = json_doc_map();
	struct json_t *list = json_doc_list();
	size_t count;
	const struct diag_code_info *codes = diag_codes(&count);

	json_doc_set_text(root, "formatVersion", SV("1.0"));
	for (size_t i = 0; i < count; i++)
		if (!only || only == &codes[i])
			json_doc_add(list, code_value(buf->arena, &codes[i]));
	json_doc_set(root, "diagnostics", list);
	json_doc_write(buf, root);
}
