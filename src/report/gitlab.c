/*
 * GitLab's Code Quality (docs.gitlab.com, "Code Quality report format"): a list of findings. Each
 * has a place, and a fingerprint that stays the same as long as the mistake exists, so that a merge
 * request shows which findings are new and which are fixed.
 */
#include "codec/codec.h"

#include "report/render.h"

/* GitLab requires a file: findings without one are shown at the fleet's. */
#define NO_FILE "osm-gen.yaml"
/* GitLab shows a few at a time; a list of thousands would be useless. */
#define GROUPS_MAX 100

/* A list of findings that is being made. */
struct list {
	struct arena *arena;
	struct value findings;
	struct map known; /* numbers of equal findings, for fingerprints */
	const struct report_summary *summary;
	const struct report_style *style;
};

struct finding {
	sv check_name;
	sv description;
	const char *severity; /* "info" (null), "minor", "major", "critical", "blocker" */
	sv identity;          /* input of the fingerprint, with check_name and path */
	/* The place is `at` if that is in a file of the repository, else the file `path`, else the
	 * fleet's file. */
	struct position at;
	sv path;
};

/* Returns the lines of a string as one line, without empty ones at its start. */
static sv one_line(struct list *list, sv text, sv between)
{
	while (sv_starts_with(text, SV("\n")))
		text = sv_from_offset(text, 1);
	return render_joined(list->arena, list->style, text, between);
}

static sv shown(struct list *list, sv text)
{
	return one_line(list, text, SV(" "));
}

/*
 * Returns a fingerprint of the finding without its line, which moves. Equal findings in one file
 * are numbered, so that their fingerprints differ.
 */
static sv fingerprint(struct list *list, sv kind, sv path, sv text)
{
	sv key = ARENA_CONCAT(list->arena, kind, SV("\n"), path, SV("\n"), text);
	uintptr_t number = (uintptr_t)map_get(&list->known, key) + 1;

	map_put(&list->known, key, (void *)number);
	return digest_hex(list->arena, DIGEST_SHA256,
	                  arena_printf(list->arena, "%zu\n%.*s", (size_t)number, SV_ARG(key)));
}

static void add_finding(struct list *list, struct finding finding)
{
	struct arena *arena = list->arena;
	struct position at = finding.at;
	bool has_file = render_has_file(at) && !sv_starts_with(at.source->path, SV("/"));
	bool has_line = has_file && at.offset != SV_NPOS;
	sv path = has_file ? at.source->path : finding.path;
	sv place =
	    sv_empty(path) || sv_starts_with(path, SV("/")) ? SV(NO_FILE) : shown(list, path);
	size_t line = has_line ? position_line_column(at).line : 1;
	struct value lines = VALUE_MAP(arena, {"begin", value_size(line)});

	value_list_add(
	    arena, &list->findings,
	    VALUE_MAP(
	        arena, {"description", value_string(finding.description)},
	        {"check_name", value_string(finding.check_name)},
	        {"fingerprint",
	         value_string(fingerprint(list, finding.check_name, place, finding.identity))},
	        {"severity",
	         value_string(sv_from_cstr(finding.severity ? finding.severity : "info"))},
	        {"location", VALUE_MAP(arena, {"path", value_string(place)}, {"lines", lines})}));
}

static void add_diags(struct list *list, const struct sink *sink, enum diag_severity severity)
{
	struct arena *arena = list->arena;

	VEC_EACH (item, &sink->diags) {
		const struct diag *diag = *item;

		if (diag->severity != severity)
			continue;
		sv text = shown(list, diag->text);
		sv object = shown(list, diag->object);
		sv help = shown(list, diag->help);
		add_finding(list, (struct finding){
		                      .check_name = diag_code_text(arena, diag->code),
		                      .description = ARENA_CONCAT(
		                          arena, text, sv_empty(object) ? SV("") : SV(", in "),
		                          object, sv_empty(help) ? SV("") : SV(". Help: "), help),
		                      .severity = severity == DIAG_ERROR ? "critical" : "minor",
		                      .identity = ARENA_CONCAT(arena, object, SV("\n"), text),
		                      .at = diag->at,
		                  });
	}
}

/* Adds a finding for each unit of the class. */
static void add_leaving(struct list *list, enum report_class class)
{
	sv word = report_class_word(class);

	if (!render_has_classes(list->summary) || !render_names_each(list->summary, class))
		return;
	VEC_EACH (row, &list->summary->units) {
		if (!render_is_listed(row, class))
			continue;
		sv line = render_leaving_line(list->arena, row, class);
		add_finding(
		    list,
		    (struct finding){
		        .check_name = word,
		        .description = ARENA_CONCAT(list->arena, word, SV(": "), shown(list, line)),
		        .severity = report_loses_machines(row, class) ? "major" : NULL,
		        .identity = report_unit_name(list->arena, row),
		        .at = row->at,
		        .path = row->source,
		    });
	}
}

static void add_rollout(struct list *list)
{
	struct buf text = buf_in(list->arena);

	if (render_has_classes(list->summary) && report_add_rollout(&text, list->summary))
		add_finding(list, (struct finding){.check_name = SV("rollout"),
		                                   .description = buf_sv(&text)});
}

static void add_note(struct list *list, const struct report_note *note)
{
	struct arena *arena = list->arena;
	sv title = report_note_title(arena, list->summary, note);
	sv line = render_note_line(arena, list->summary, note);

	add_finding(list, (struct finding){
	                      .check_name = SV("worth-a-second-look"),
	                      .description = ARENA_CONCAT(arena, shown(list, title), SV(": "),
	                                                  shown(list, line)),
	                      .identity = shown(list, note->text),
	                  });
}

/* Adds a group; its fingerprint does not depend on the units that it has. */
static void add_group(struct list *list, const struct report_group *group)
{
	struct arena *arena = list->arena;
	struct buf lines = buf_in(arena);
	struct buf fields = buf_in(arena);

	render_group_lines(&lines, list->summary, group, &(struct report_style){0});
	sv text = one_line(list, sv_trim_right(buf_sv(&lines), "\n"), SV("; "));
	for (size_t i = 0; i < group->field_count; i++)
		buf_printf(&fields, "%.*s\n%.*s\n%.*s\n", SV_ARG(group->fields[i].name),
		           SV_ARG(group->fields[i].before), SV_ARG(group->fields[i].after));
	add_finding(
	    list,
	    (struct finding){
	        .check_name = ARENA_CONCAT(arena, SV("rollout-"), report_class_word(group->class)),
	        .description = ARENA_CONCAT(arena, shown(list, render_group_head(arena, group)),
	                                    sv_empty(text) ? SV("") : SV(": "), text),
	        .identity = ARENA_CONCAT(arena, buf_sv(&fields), group->diff),
	        .at = list->summary->units.items[group->units[0]].at,
	    });
}

static void add_groups(struct list *list)
{
	size_t count = list->summary->groups.count;
	size_t shown_count = count < GROUPS_MAX ? count : GROUPS_MAX;
	struct buf more = buf_in(list->arena);

	for (size_t i = 0; i < shown_count; i++)
		add_group(list, &list->summary->groups.items[i]);
	if (shown_count == count)
		return;
	render_count(&more, count - shown_count, "more change: `osm-gen diff` shows them",
	             "more changes: `osm-gen diff` shows them");
	add_finding(
	    list, (struct finding){.check_name = SV("rollout-more"), .description = buf_sv(&more)});
}

void report_gitlab(struct buf *buf, const struct report_summary *summary, const struct sink *sink,
                   const struct report_style *style)
{
	struct list list = {
	    .arena = buf->arena,
	    .findings = value_list_new(buf->arena),
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
	report_add_json(buf, &list.findings);
}
