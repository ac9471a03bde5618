/*
 * GitLab's Code Quality (docs.gitlab.com, "Code Quality report format"): a list of findings. Each
 * has a place, and a fingerprint that stays the same as long as the mistake exists, so that a merge
 * request shows which findings are new and which are fixed.
 */
#include "codec/codec.h"
#include "json/json.h"

#include "report/render.h"

/* GitLab requires a file: findings without one are shown at the fleet's. */
#define NO_FILE "osm-gen.yaml"
/* GitLab shows a few at a time; a list of thousands would be useless. */
#define GROUPS_MAX 100

/* Returns the lines of a string as one line, made visible and joined by `between`. */
static sv joined(struct arena *arena, const struct report_style *style, sv text, sv between)
{
	struct sv_splitter lines = sv_split(text, '\n');
	struct buf buf = buf_in(arena);
	sv line;

	while (sv_split_next(&lines, &line)) {
		buf_add(&buf, buf.len > 0 ? between : SV(""));
		render_text(&buf, style, line);
	}
	return buf_sv(&buf);
}

static sv shown(struct arena *arena, const struct report_style *style, sv text)
{
	return joined(arena, style, text, SV(" "));
}

/*
 * Returns a fingerprint of the finding without its line, which moves. Equal findings in one file
 * are numbered, so that their fingerprints differ.
 */
static sv fingerprint(struct arena *arena, struct map *known, sv kind, sv path, sv text)
{
	sv key = ARENA_CONCAT(arena, kind, SV("\n"), path, SV("\n"), text);
	uintptr_t number = (uintptr_t)map_get(known, key) + 1;

	map_put(known, key, (void *)number);
	return digest_hex(arena, DIGEST_SHA256,
	                  arena_printf(arena, "%zu\n%.*s", (size_t)number, SV_ARG(key)));
}

struct finding {
	sv check_name;
	sv description;
	const char *severity; /* "info", "minor", "major", "critical", "blocker" */
	sv path;
	size_t line;
	sv identity; /* input of the fingerprint, with check_name and path */
};

static void add_finding(struct arena *arena, struct json_t *list, struct map *known,
                        const struct finding *finding)
{
	struct json_t *map = json_doc_map();
	struct json_t *location = json_doc_map();
	struct json_t *lines = json_doc_map();

	json_doc_set_text(map, "description", finding->description);
	json_doc_set_text(map, "check_name", finding->check_name);
	json_doc_set_text(
	    map, "fingerprint",
	    fingerprint(arena, known, finding->check_name, finding->path, finding->identity));
	json_doc_set_text(map, "severity", sv_from_cstr(finding->severity));
	json_doc_set_text(location, "path", finding->path);
	json_doc_set_size(lines, "begin", finding->line);
	json_doc_set(location, "lines", lines);
	json_doc_set(map, "location", location);
	json_doc_add(list, map);
}

static void add_diag(struct arena *arena, struct json_t *list, struct map *known,
                     const struct diag *diag, const struct report_style *style)
{
	bool has_file =
	    render_has_file(diag->at) && !sv_starts_with(diag->at.source->path, SV("/"));
	sv text = shown(arena, style, diag->text);
	sv object = shown(arena, style, diag->object);
	sv help = shown(arena, style, diag->help);
	struct finding finding = {
	    .check_name = render_code(arena, diag->code),
	    .severity = diag->severity == DIAG_ERROR ? "critical" : "minor",
	    .path = has_file ? shown(arena, style, diag->at.source->path) : SV(NO_FILE),
	    .line = 1,
	    .identity = ARENA_CONCAT(arena, object, SV("\n"), text),
	};

	finding.description = ARENA_CONCAT(arena, text, sv_empty(object) ? SV("") : SV(", in "),
	                                   object, sv_empty(help) ? SV("") : SV(". Help: "), help);
	if (has_file && diag->at.offset != SV_NPOS)
		finding.line = position_line_column(diag->at).line;
	add_finding(arena, list, known, &finding);
}

/* A list of findings that is being written. */
struct list {
	struct arena *arena;
	struct json_t *json;
	struct map known; /* fingerprints, see above */
	const struct report_summary *summary;
	const struct report_style *style;
};

/* Adds a finding about the run. Its place is `at`, else the file `path`, else the fleet's file. */
static void add_change(struct list *list, struct position at, sv path, struct finding finding)
{
	bool has_file =
	    at.source && render_has_file(at) && !sv_starts_with(at.source->path, SV("/"));

	finding.path = SV(NO_FILE);
	finding.line = 1;
	if (has_file)
		path = at.source->path;
	if (!sv_empty(path))
		finding.path = shown(list->arena, list->style, path);
	if (has_file && at.offset != SV_NPOS)
		finding.line = position_line_column(at).line;
	if (!finding.severity)
		finding.severity = "info";
	add_finding(list->arena, list->json, &list->known, &finding);
}

/* Adds a finding for each unit of the class. */
static void add_leaving(struct list *list, enum report_class class)
{
	if (!render_has_classes(list->summary) || !render_names_each(list->summary, class))
		return;
	VEC_EACH (row, &list->summary->units) {
		sv line;

		if (!render_is_listed(row, class))
			continue;
		line =
		    shown(list->arena, list->style, render_leaving_line(list->arena, row, class));
		add_change(list, row->at, row->source,
		           (struct finding){
		               .check_name = report_class_word(class),
		               .description = ARENA_CONCAT(list->arena, report_class_word(class),
		                                           SV(": "), line),
		               .severity = report_loses_machines(row, class) ? "major" : "info",
		               .identity = report_unit_name(list->arena, row),
		           });
	}
}

static void add_rollout(struct list *list)
{
	struct buf text = buf_in(list->arena);

	if (!render_has_classes(list->summary) || !report_add_rollout(&text, list->summary))
		return;
	add_change(list, NOWHERE, SV(""),
	           (struct finding){.check_name = SV("rollout"), .description = buf_sv(&text)});
}

static void add_note(struct list *list, const struct report_note *note)
{
	struct arena *arena = list->arena;
	sv text = shown(arena, list->style, render_note_line(arena, list->summary, note));

	add_change(
	    list, NOWHERE, SV(""),
	    (struct finding){
	        .check_name = SV("worth-a-second-look"),
	        .description = ARENA_CONCAT(
	            arena, shown(arena, list->style, report_note_title(arena, list->summary, note)),
	            SV(": "), text),
	        .identity = shown(arena, list->style, note->text),
	    });
}

/* Adds a group; its fingerprint does not depend on the units that it has. */
static void add_group(struct list *list, const struct report_group *group)
{
	struct arena *arena = list->arena;
	struct buf lines = buf_in(arena);
	struct buf fields = buf_in(arena);

	render_group_lines(&lines, list->summary, group, &(struct report_style){0});
	sv text = joined(arena, list->style, sv_trim_right(buf_sv(&lines), "\n"), SV("; "));
	for (size_t i = 0; i < group->field_count; i++)
		buf_printf(&fields, "%.*s\n%.*s\n%.*s\n", SV_ARG(group->fields[i].name),
		           SV_ARG(group->fields[i].before), SV_ARG(group->fields[i].after));
	add_change(
	    list, list->summary->units.items[group->units[0]].at, SV(""),
	    (struct finding){
	        .check_name = ARENA_CONCAT(arena, SV("rollout-"), report_class_word(group->class)),
	        .description =
	            ARENA_CONCAT(arena, shown(arena, list->style, render_group_head(arena, group)),
	                         sv_empty(text) ? SV("") : SV(": "), text),
	        .identity = ARENA_CONCAT(arena, buf_sv(&fields), group->diff),
	    });
}

static void add_groups(struct list *list)
{
	const struct report_summary *summary = list->summary;

	for (size_t i = 0; i < summary->groups.count; i++) {
		if (i == GROUPS_MAX) {
			struct buf text = buf_in(list->arena);

			render_count(&text, summary->groups.count - GROUPS_MAX, "more change",
			             "more changes");
			BUF_ADD_LIT(&text, ": `osm-gen diff` shows them");
			add_change(list, NOWHERE, SV(""),
			           (struct finding){.check_name = SV("rollout-more"),
			                            .description = buf_sv(&text)});
			return;
		}
		add_group(list, &summary->groups.items[i]);
	}
}

static void add_diags(struct list *list, const struct sink *sink, enum diag_severity severity)
{
	VEC_EACH (diag, &sink->diags)
		if ((*diag)->severity == severity)
			add_diag(list->arena, list->json, &list->known, *diag, list->style);
}

void report_gitlab(struct buf *buf, const struct report_summary *summary, const struct sink *sink,
                   const struct report_style *style)
{
	JSON_DOC_AUTO root = json_doc_list();
	struct list list = {
	    .arena = buf->arena,
	    .json = root,
	    .known = map_in(buf->arena),
	    .summary = summary,
	    .style = style,
	};

	for (size_t i = 0; i < RENDER_LISTED; i++)
		add_leaving(&list, render_listed[i]);
	add_rollout(&list);
	add_diags(&list, sink, DIAG_ERROR);
	VEC_EACH (note, &summary->notes)
		add_note(&list, note);
	add_groups(&list);
	add_diags(&list, sink, DIAG_WARNING);
	render_json(buf, root);
}
