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

/* Adds a finding about the run as a whole. */
static void add_info(struct arena *arena, struct json_t *list, struct map *known, sv check_name,
                     sv description, sv identity)
{
	const struct finding finding = {
	    .check_name = check_name,
	    .description = description,
	    .severity = "info",
	    .path = SV(NO_FILE),
	    .line = 1,
	    .identity = identity,
	};

	add_finding(arena, list, known, &finding);
}

static void add_note(struct arena *arena, struct json_t *list, struct map *known,
                     const struct report_summary *summary, const struct report_note *note,
                     const struct report_style *style)
{
	sv text = shown(arena, style, render_note_line(arena, summary, note));

	add_info(arena, list, known, SV("worth-a-second-look"),
	         ARENA_CONCAT(arena, shown(arena, style, note->title), SV(": "), text),
	         shown(arena, style, note->text));
}

/* Adds a group; its fingerprint does not depend on the units that it has. */
static void add_group(struct arena *arena, struct json_t *list, struct map *known,
                      const struct report_summary *summary, const struct report_group *group,
                      const struct report_style *style)
{
	struct buf lines = buf_in(arena);
	struct buf fields = buf_in(arena);

	render_group_lines(&lines, summary, group, &(struct report_style){0});
	sv text = joined(arena, style, sv_trim_right(buf_sv(&lines), "\n"), SV("; "));
	for (size_t i = 0; i < group->field_count; i++)
		buf_printf(&fields, "%.*s\n%.*s\n%.*s\n", SV_ARG(group->fields[i].name),
		           SV_ARG(group->fields[i].before), SV_ARG(group->fields[i].after));
	add_info(arena, list, known,
	         ARENA_CONCAT(arena, SV("rollout-"), report_class_word(group->class)),
	         ARENA_CONCAT(arena, shown(arena, style, render_group_head(arena, summary, group)),
	                      sv_empty(text) ? SV("") : SV(": "), text),
	         ARENA_CONCAT(arena, buf_sv(&fields), group->diff));
}

static void add_groups(struct arena *arena, struct json_t *list, struct map *known,
                       const struct report_summary *summary, const struct report_style *style)
{
	for (size_t i = 0; i < summary->groups.count; i++) {
		if (i == GROUPS_MAX) {
			sv text = arena_printf(arena, "%zu more changes: `osm-gen diff` shows them",
			                       summary->groups.count - GROUPS_MAX);
			add_info(arena, list, known, SV("rollout-more"), text, SV(""));
			return;
		}
		add_group(arena, list, known, summary, &summary->groups.items[i], style);
	}
}

void report_gitlab(struct buf *buf, const struct report_summary *summary, const struct sink *sink,
                   const struct report_style *style)
{
	JSON_DOC_AUTO root = json_doc_list();
	struct map known = map_in(buf->arena);

	VEC_EACH (diag, &sink->diags)
		add_diag(buf->arena, root, &known, *diag, style);
	VEC_EACH (note, &summary->notes)
		add_note(buf->arena, root, &known, summary, note, style);
	add_groups(buf->arena, root, &known, summary, style);
	render_json(buf, root);
}
