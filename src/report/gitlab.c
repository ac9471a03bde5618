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
#define FACTS_MAX 100

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
	bool has_file =
	    at.source && render_has_file(at) && !sv_starts_with(at.source->path, SV("/"));
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

static void add_rollout(struct list *list)
{
	struct buf text = buf_in(list->arena);

	if (render_has_classes(list->summary) && report_add_rollout(&text, list->summary))
		add_finding(list, (struct finding){.check_name = SV("rollout"),
		                                   .description = buf_sv(&text)});
}

/*
 * Returns the input of a fact's fingerprint: a group's change and not the units that have it, a
 * note's text, and names of removed and added units.
 */
static sv identity_of(struct list *list, const struct report_fact *fact)
{
	const struct report_group *group = fact->group;
	struct buf buf = buf_in(list->arena);

	for (size_t i = 0; group && i < group->field_count; i++)
		buf_printf(&buf, "%.*s\n%.*s\n%.*s\n", SV_ARG(group->fields[i].name),
		           SV_ARG(group->fields[i].before), SV_ARG(group->fields[i].after));
	if (group)
		buf_add(&buf, group->diff);
	if (fact->note)
		buf_add(&buf, shown(list, fact->note->text));
	for (size_t i = 0; i < fact->where_count &&
	                   (!fact->note || fact->note->kind == REPORT_NOTE_REMOVED) && !group;
	     i++)
		buf_printf(&buf, "\n%.*s", SV_ARG(fact->where[i]));
	return buf_sv(&buf);
}

static void add_fact(struct list *list, struct render_lines_form *form,
                     const struct report_fact *fact)
{
	struct arena *arena = list->arena;
	const struct render_copies_list none = {0};
	sv title = shown(list, render_fact_title(arena, list->summary, fact));
	sv text = one_line(list, render_fact_text(form, fact, &none), SV("; "));

	add_finding(list, (struct finding){
	                      .check_name = sv_from_cstr(fact->kind),
	                      .description = ARENA_CONCAT(arena, title,
	                                                  sv_empty(text) ? SV("") : SV(": "), text),
	                      .severity = fact->severity == REPORT_FACT_STOP ? "major" : NULL,
	                      .identity = identity_of(list, fact),
	                      .at = fact->at,
	                      .path = fact->path,
	                  });
}

/* Adds the first facts, and after those that stop the effect on machines. */
static void add_facts(struct list *list, struct render_lines_form *form)
{
	const struct report_summary *summary = list->summary;
	size_t count = summary->facts.count;
	size_t shown_count = count < FACTS_MAX ? count : FACTS_MAX;
	size_t i = 0;

	for (; i < shown_count && summary->facts.items[i].severity == REPORT_FACT_STOP; i++)
		add_fact(list, form, &summary->facts.items[i]);
	add_rollout(list);
	for (; i < shown_count; i++)
		add_fact(list, form, &summary->facts.items[i]);
	if (shown_count == count)
		return;
	struct buf more = buf_in(list->arena);
	render_count(&more, count - shown_count, "more change: `osm-gen diff` shows it",
	             "more changes: `osm-gen diff` shows them");
	add_finding(list, (struct finding){.check_name = SV("more"), .description = buf_sv(&more)});
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

	add_diags(&list, sink, DIAG_ERROR);
	add_facts(&list, render_lines_form(buf->arena, summary, style->mask));
	add_diags(&list, sink, DIAG_WARNING);
	report_add_json(buf, &list.findings);
}
