/*
 * Diagnostics as SARIF, for code scanning.
 */
#include "json/json.h"

#include "report/render.h"

#define SCHEMA                                                                                     \
	"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"                      \
	"sarif-schema-2.1.0.json"

/*
 * Appends one line of a message, made visible. SARIF 3.11.6 has links in messages, [text](target);
 * a backslash before the bracket prevents that.
 */
static void add_line(struct buf *buf, const struct report_style *style, sv line)
{
	struct buf visible = buf_in(buf->arena);

	render_text(&visible, style, line);
	bool has_link = sv_contains(buf_sv(&visible), SV("]("));
	for (size_t i = 0; i < visible.len; i++) {
		if (has_link && strchr("[]", visible.ptr[i]))
			buf_add_char(buf, '\\');
		buf_add_char(buf, visible.ptr[i]);
	}
}

static sv shown(struct arena *arena, const struct report_style *style, sv text)
{
	struct sv_splitter lines = sv_split(text, '\n');
	struct buf buf = buf_in(arena);
	bool first = true;
	sv line;

	while (sv_split_next(&lines, &line)) {
		buf_add(&buf, first ? SV("") : SV("\n"));
		first = false;
		add_line(&buf, style, line);
	}
	return buf_sv(&buf);
}

/* Returns {"text": TEXT}, SARIF's form of every message. */
static struct json_t *message_value(sv text)
{
	struct json_t *map = json_doc_map();

	json_doc_set_text(map, "text", text);
	return map;
}

/* ---- places ------------------------------------------------------------------------------ */

/* Returns a path as a relative reference (RFC 3986): "%", "?", spaces and the like are escaped. */
static sv path_as_uri(struct arena *arena, sv path)
{
	struct buf buf = buf_in(arena);

	for (size_t i = 0; i < path.len; i++) {
		unsigned char c = (unsigned char)path.ptr[i];

		if (ascii_is_alphanumeric(c) || (c != '\0' && strchr("-._~/!$&'()*+,;=@", c)))
			buf_add_char(&buf, (char)c);
		else
			buf_printf(&buf, "%%%02X", c);
	}
	return buf_sv(&buf);
}

/* Up to where a line has been counted: a file with one long line may have many mistakes. */
struct counted {
	const char *line;
	size_t bytes;
	size_t code_points;
};

/* Returns the column in code points for a column in bytes; both count from 1. */
static size_t code_point_column(struct counted *counted, sv line, size_t column)
{
	size_t end = column - 1 < line.len ? column - 1 : line.len;

	if (!line.ptr)
		return 1;
	if (counted->line != line.ptr || counted->bytes > end)
		*counted = (struct counted){.line = line.ptr};
	for (; counted->bytes < end; counted->bytes++)
		counted->code_points += ((unsigned char)line.ptr[counted->bytes] & 0xC0) != 0x80;
	return counted->code_points + 1;
}

/* Returns a region that ends with its first line, as excerpts do. */
static struct json_t *region_value(struct counted *counted, struct position at)
{
	struct line_column place = position_line_column(at);
	sv line = position_line(at);
	struct json_t *region = json_doc_map();
	size_t end = place.column + at.length;

	if (end > line.len + 1)
		end = line.len + 1;
	json_doc_set_size(region, "startLine", place.line);
	json_doc_set_size(region, "startColumn", code_point_column(counted, line, place.column));
	if (end > place.column)
		json_doc_set_size(region, "endColumn", code_point_column(counted, line, end));
	return region;
}

static struct json_t *location_value(struct arena *arena, struct counted *counted,
                                     struct position at)
{
	struct json_t *artifact = json_doc_map();
	struct json_t *physical = json_doc_map();
	struct json_t *location = json_doc_map();
	bool absolute = sv_starts_with(at.source->path, SV("/"));
	sv uri = path_as_uri(arena, at.source->path);

	json_doc_set_text(artifact, "uri",
	                  absolute ? ARENA_CONCAT(arena, SV("file://"), uri) : uri);
	json_doc_set(physical, "artifactLocation", artifact);
	if (at.offset != SV_NPOS)
		json_doc_set(physical, "region", region_value(counted, at));
	json_doc_set(location, "physicalLocation", physical);
	return location;
}

static struct json_t *locations_value(struct arena *arena, struct counted *counted,
                                      struct position at)
{
	struct json_t *list = json_doc_list();

	if (at.source && render_has_file(at))
		json_doc_add(list, location_value(arena, counted, at));
	return list;
}

/* Sets the notes that have a place in a file as related locations. */
static void set_related(struct arena *arena, struct counted *counted, struct json_t *result,
                        const struct diag *diag, const struct report_style *style)
{
	struct json_t *list = json_doc_list();

	VEC_EACH (note, &diag->notes) {
		if (!render_has_file(note->at))
			continue;
		struct json_t *location = location_value(arena, counted, note->at);

		json_doc_set(location, "message", message_value(shown(arena, style, note->text)));
		json_doc_add(list, location);
	}
	if (json_doc_count(list) > 0)
		json_doc_set(result, "relatedLocations", list);
	else
		json_doc_free(list);
}

/* ---- rules and results ------------------------------------------------------------------- */

static sv level(enum diag_severity severity)
{
	return severity == DIAG_ERROR ? SV("error") : SV("warning");
}

static struct json_t *rule_value(struct arena *arena, const struct diag_code_info *info)
{
	struct json_t *rule = json_doc_map();
	struct json_t *configuration = json_doc_map();
	sv explanation = sv_from_cstr(info->explanation);

	json_doc_set_text(configuration, "level", level(info->severity));
	json_doc_set_text(rule, "id", render_code(arena, info->code));
	json_doc_set(rule, "shortDescription", message_value(sv_from_cstr(info->title)));
	json_doc_set(rule, "fullDescription", message_value(explanation));
	json_doc_set(rule, "help", message_value(explanation));
	json_doc_set(rule, "defaultConfiguration", configuration);
	return rule;
}

static bool occurs(const struct sink *sink, enum diag_code code)
{
	VEC_EACH (diag, &sink->diags)
		if ((*diag)->code == code)
			return true;
	return false;
}

/* Returns a rule for each code that occurs, sorted by number. */
static struct json_t *rules_value(struct arena *arena, const struct sink *sink)
{
	struct json_t *rules = json_doc_list();
	size_t count;
	const struct diag_code_info *codes = diag_codes(&count);

	for (size_t i = 0; i < count; i++)
		if (occurs(sink, codes[i].code))
			json_doc_add(rules, rule_value(arena, &codes[i]));
	return rules;
}

/* Returns the message, its object and its help as one text. */
static sv result_text(struct arena *arena, const struct diag *diag,
                      const struct report_style *style)
{
	struct buf buf = buf_in(arena);

	buf_add(&buf, shown(arena, style, diag->text));
	if (!sv_empty(diag->object))
		buf_printf(&buf, "\nin %.*s%s%.*s", SV_ARG(shown(arena, style, diag->object)),
		           sv_empty(diag->cluster) ? "" : ", cluster ",
		           SV_ARG(shown(arena, style, diag->cluster)));
	VEC_EACH (note, &diag->notes)
		if (!render_has_file(note->at))
			buf_printf(&buf, "\nnote: %.*s", SV_ARG(shown(arena, style, note->text)));
	if (!sv_empty(diag->help))
		buf_printf(&buf, "\nhelp: %.*s", SV_ARG(shown(arena, style, diag->help)));
	return buf_sv(&buf);
}

static struct json_t *result_value(struct arena *arena, struct counted counted[2],
                                   const struct diag *diag, const struct report_style *style)
{
	struct json_t *result = json_doc_map();

	json_doc_set_text(result, "ruleId", render_code(arena, diag->code));
	json_doc_set_text(result, "level", level(diag->severity));
	json_doc_set(result, "message", message_value(result_text(arena, diag, style)));
	json_doc_set(result, "locations", locations_value(arena, &counted[0], diag->at));
	set_related(arena, &counted[1], result, diag, style);
	return result;
}

/* ---- changes ----------------------------------------------------------------------------- */

/* Changes are results of commands that compare; a commit that was made needs no second look. */
static bool has_changes(const struct report_summary *summary)
{
	return summary->outcome == REPORT_DIFFERS;
}

/* Adds a rule for each class that a unit has. */
static void add_class_rules(struct json_t *rules, const struct report_summary *summary)
{
	for (size_t i = 0; i < RENDER_CLASSES && has_changes(summary); i++) {
		enum report_class class = render_by_weight[i];
		struct json_t *rule;

		if (class == REPORT_CLASS_NONE || (report_count_class(summary, class).units == 0 &&
		                                   render_count_listed(summary, class) == 0))
			continue;
		rule = json_doc_map();
		json_doc_set_text(rule, "id", report_class_word(class));
		json_doc_set(rule, "shortDescription", message_value(render_class_meaning(class)));
		json_doc_add(rules, rule);
	}
}

#define NOTE_RULE "worth-a-second-look"

/* Adds a rule for the notes, if there are any. */
static void add_note_rule(struct json_t *rules, const struct report_summary *summary)
{
	struct json_t *rule;

	if (!has_changes(summary) || summary->notes.count == 0)
		return;
	rule = json_doc_map();
	json_doc_set_text(rule, "id", SV(NOTE_RULE));
	json_doc_set(rule, "shortDescription", message_value(SV("Worth a second look")));
	json_doc_add(rules, rule);
}

/* Returns the place of a unit in its manifest. */
static struct position place_of(struct arena *arena, const struct report_unit *row)
{
	if (render_has_file(row->at) || sv_empty(row->source))
		return row->at;
	return position_of_source(source_new(arena, row->source, SV(""), true));
}

static struct json_t *note_value(struct arena *arena, const struct report_summary *summary,
                                 const struct report_note *note, const struct report_style *style)
{
	struct json_t *result = json_doc_map();
	struct position at =
	    note->unit_count > 0 ? place_of(arena, &summary->units.items[note->units[0]]) : NOWHERE;
	sv text = ARENA_CONCAT(arena, report_note_title(arena, summary, note), SV(": "),
	                       render_note_line(arena, summary, note));

	json_doc_set_text(result, "ruleId", SV(NOTE_RULE));
	json_doc_set_text(result, "level", SV("warning"));
	json_doc_set(result, "message", message_value(shown(arena, style, text)));
	json_doc_set(result, "locations", locations_value(arena, &(struct counted){0}, at));
	return result;
}

static struct json_t *change_value(struct arena *arena, const struct report_unit *row,
                                   enum report_class class, sv text)
{
	struct json_t *result = json_doc_map();

	json_doc_set_text(result, "ruleId", report_class_word(class));
	json_doc_set_text(result, "level",
	                  report_loses_machines(row, class) ? SV("warning") : SV("note"));
	json_doc_set(result, "message", message_value(text));
	json_doc_set(result, "locations",
	             locations_value(arena, &(struct counted){0}, place_of(arena, row)));
	return result;
}

/* Adds a result for each removed, scaled and added unit, for each note and for each group. */
static void add_changes(struct arena *arena, struct json_t *results,
                        const struct report_summary *summary, const struct report_style *style)
{
	if (!has_changes(summary))
		return;
	for (size_t i = 0; i < RENDER_LISTED; i++) {
		enum report_class class = render_listed[i];

		VEC_EACH (row, &summary->units) {
			if (!render_is_listed(row, class) || !render_names_each(summary, class))
				continue;
			sv text = ARENA_CONCAT(arena, report_class_word(class), SV(": "),
			                       render_leaving_line(arena, row, class));
			json_doc_add(results,
			             change_value(arena, row, class, shown(arena, style, text)));
		}
	}
	VEC_EACH (note, &summary->notes)
		json_doc_add(results, note_value(arena, summary, note, style));
	VEC_EACH (group, &summary->groups)
		json_doc_add(results,
		             change_value(arena, &summary->units.items[group->units[0]],
		                          group->class,
		                          shown(arena, style, render_group_head(arena, group))));
}

void report_sarif(struct buf *buf, const struct report_summary *summary, const struct sink *sink,
                  const struct report_style *style)
{
	struct arena *arena = buf->arena;
	JSON_DOC_AUTO root = json_doc_map();
	struct json_t *runs = json_doc_list();
	struct json_t *run = json_doc_map();
	struct json_t *tool = json_doc_map();
	struct json_t *driver = json_doc_map();
	struct json_t *results = json_doc_list();
	struct counted counted[2] = {{0}}; /* of diagnostics, of their notes */

	struct json_t *rules = rules_value(arena, sink);

	add_class_rules(rules, summary);
	add_note_rule(rules, summary);
	add_changes(arena, results, summary, style);
	VEC_EACH (diag, &sink->diags)
		json_doc_add(results, result_value(arena, counted, *diag, style));
	json_doc_set_text(driver, "name", SV("osm-gen"));
	json_doc_set_text(driver, "version", summary->version);
	json_doc_set(driver, "rules", rules);
	json_doc_set(tool, "driver", driver);
	json_doc_set(run, "tool", tool);
	json_doc_set_text(run, "columnKind", SV("unicodeCodePoints"));
	json_doc_set(run, "results", results);
	json_doc_add(runs, run);
	json_doc_set_text(root, "$schema", SV(SCHEMA));
	json_doc_set_text(root, "version", SV("2.1.0"));
	json_doc_set(root, "runs", runs);
	render_json(buf, root);
}
