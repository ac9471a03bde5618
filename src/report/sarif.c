/*
 * Facts and diagnostics as SARIF, for code scanning.
 */
#include "report/render.h"
#include "report/tree.h"

#define SCHEMA                                                                                     \
	"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"                      \
	"sarif-schema-2.1.0.json"

/* Up to where a line has been counted: a file with one long line may have many mistakes. */
struct counted {
	const char *line;
	size_t bytes;
	size_t code_points;
};

/* A log that is being made. */
struct log {
	struct arena *arena;
	const struct report_summary *summary;
	const struct sink *sink;
	const struct report_style *style;
	struct value rules;
	struct value results;
	/* One for the places of results, one for those of notes. */
	struct counted counted;
	struct counted counted_notes;
};

/* Returns {"text": TEXT}, SARIF's form of every message. */
static struct value message_value(struct arena *arena, sv text)
{
	return VALUE_MAP(arena, {"text", value_string(text)});
}

/*
 * Returns a message of strings of the inputs, made visible. SARIF 3.11.6 has links in messages,
 * [text](target); a backslash before the brackets of such a line prevents that.
 */
static struct value shown_value(struct log *log, sv text)
{
	sv visible = render_joined(log->arena, log->style, text, SV("\n"));
	struct sv_splitter lines = sv_split(visible, '\n');
	struct buf buf = buf_in(log->arena);
	sv line;

	if (!sv_contains(visible, SV("](")))
		return message_value(log->arena, visible);
	while (sv_split_next(&lines, &line)) {
		bool has_link = sv_contains(line, SV("]("));

		for (size_t i = 0; i < line.len; i++) {
			if (has_link && strchr("[]", line.ptr[i]))
				buf_add_char(&buf, '\\');
			buf_add_char(&buf, line.ptr[i]);
		}
		buf_add_char(&buf, '\n');
	}
	return message_value(log->arena, sv_slice(buf_sv(&buf), 0, buf.len - 1));
}

/* ---- places ------------------------------------------------------------------------------ */

/* Returns a path as a relative reference (RFC 3986): "%", "?", spaces and the like are escaped. */
static sv path_as_uri(struct arena *arena, sv path)
{
	struct buf buf = buf_in(arena);

	buf_add(&buf, sv_starts_with(path, SV("/")) ? SV("file://") : SV(""));
	for (size_t i = 0; i < path.len; i++) {
		unsigned char c = (unsigned char)path.ptr[i];

		if (ascii_is_alphanumeric(c) || (c != '\0' && strchr("-._~/!$&'()*+,;=@", c)))
			buf_add_char(&buf, (char)c);
		else
			buf_printf(&buf, "%%%02X", c);
	}
	return buf_sv(&buf);
}

/* Returns the column in code points for a column in bytes; both count from 1. */
static struct value code_point_column(struct counted *counted, sv line, size_t column)
{
	size_t end = column - 1 < line.len ? column - 1 : line.len;

	if (!line.ptr)
		return value_int(1);
	if (counted->line != line.ptr || counted->bytes > end)
		*counted = (struct counted){.line = line.ptr};
	for (; counted->bytes < end; counted->bytes++)
		counted->code_points += ((unsigned char)line.ptr[counted->bytes] & 0xC0) != 0x80;
	return value_size(counted->code_points + 1);
}

/* Returns a region that ends with its first line, as excerpts do. */
static struct value region_value(struct arena *arena, struct counted *counted, struct position at)
{
	struct line_column place = position_line_column(at);
	sv line = position_line(at);
	size_t end = place.column + at.length;
	struct value none = VALUE_INVALID;

	if (at.offset == SV_NPOS)
		return none;
	if (end > line.len + 1)
		end = line.len + 1;
	struct value start = code_point_column(counted, line, place.column);
	return VALUE_MAP(
	    arena, {"startLine", value_size(place.line)}, {"startColumn", start},
	    {"endColumn", end > place.column ? code_point_column(counted, line, end) : none});
}

/* Returns a place in a file; `message` may be VALUE_INVALID. */
static struct value location_value(struct arena *arena, struct counted *counted, struct position at,
                                   struct value message)
{
	BUG_ON(!at.source);
	sv uri = path_as_uri(arena, at.source->path);
	struct value physical =
	    VALUE_MAP(arena, {"artifactLocation", VALUE_MAP(arena, {"uri", value_string(uri)})},
	              {"region", region_value(arena, counted, at)});

	return VALUE_MAP(arena, {"physicalLocation", physical}, {"message", message});
}

/* ---- rules and results ------------------------------------------------------------------- */

static struct value level_value(enum diag_severity severity)
{
	return value_string(severity == DIAG_ERROR ? SV("error") : SV("warning"));
}

/* Adds a rule; `info` has more about that of a code, and is null for others. */
static void add_rule(struct log *log, sv id, sv description, const struct diag_code_info *info)
{
	struct arena *arena = log->arena;
	struct value none = VALUE_INVALID;
	struct value help = info ? message_value(arena, sv_from_cstr(info->explanation)) : none;

	value_list_add(
	    arena, &log->rules,
	    VALUE_MAP(arena, {"id", value_string(id)},
	              {"shortDescription", message_value(arena, description)},
	              {"fullDescription", help}, {"help", help},
	              {"defaultConfiguration",
	               info ? VALUE_MAP(arena, {"level", level_value(info->severity)}) : none}));
}

struct result {
	sv rule;
	struct value level;
	sv text;
	struct position at;
	struct value related; /* may be VALUE_INVALID */
};

static void add_result(struct log *log, struct result result)
{
	struct arena *arena = log->arena;
	struct value locations = value_list_new(arena);
	struct value none = VALUE_INVALID;

	if (render_has_file(result.at))
		value_list_add(arena, &locations,
		               location_value(arena, &log->counted, result.at, none));
	value_list_add(arena, &log->results,
	               VALUE_MAP(arena, {"ruleId", value_string(result.rule)},
	                         {"level", result.level},
	                         {"message", shown_value(log, result.text)},
	                         {"locations", locations}, {"relatedLocations", result.related}));
}

/* ---- diagnostics ------------------------------------------------------------------------- */

static bool occurs(const struct sink *sink, enum diag_code code)
{
	VEC_EACH (diag, &sink->diags)
		if ((*diag)->code == code)
			return true;
	return false;
}

/* Adds a rule for each code that occurs, sorted by number. */
static void add_code_rules(struct log *log)
{
	size_t count;
	const struct diag_code_info *codes = diag_codes(&count);

	for (size_t i = 0; i < count; i++)
		if (occurs(log->sink, codes[i].code))
			add_rule(log, diag_code_text(log->arena, codes[i].code),
			         sv_from_cstr(codes[i].title), &codes[i]);
}

/* Adds a diagnostic with its object, its notes and its help; notes in files are related places. */
static void add_diag(struct log *log, const struct diag *diag)
{
	struct arena *arena = log->arena;
	struct value related = value_list_new(arena);
	struct value none = VALUE_INVALID;
	struct buf text = buf_in(arena);

	buf_add(&text, diag->text);
	if (!sv_empty(diag->object))
		buf_printf(&text, "\nin %.*s%s%.*s", SV_ARG(diag->object),
		           sv_empty(diag->cluster) ? "" : ", cluster ", SV_ARG(diag->cluster));
	VEC_EACH (note, &diag->notes)
		if (render_has_file(note->at))
			value_list_add(arena, &related,
			               location_value(arena, &log->counted_notes, note->at,
			                              shown_value(log, note->text)));
		else
			buf_printf(&text, "\nnote: %.*s", SV_ARG(note->text));
	if (!sv_empty(diag->help))
		buf_printf(&text, "\nhelp: %.*s", SV_ARG(diag->help));
	add_result(log, (struct result){
	                    .rule = diag_code_text(arena, diag->code),
	                    .level = level_value(diag->severity),
	                    .text = buf_sv(&text),
	                    .at = diag->at,
	                    .related = value_count(&related) > 0 ? related : none,
	                });
}

/* ---- facts ------------------------------------------------------------------------------- */

/* Adds a rule for each kind of fact that occurs. */
static void add_fact_rules(struct log *log, struct render_lines_form *form)
{
	struct map known = map_in(log->arena);

	VEC_EACH (fact, &log->summary->facts) {
		sv kind = sv_from_cstr(fact->kind);
		sv class = report_class_word(fact->group ? fact->group->class : REPORT_CLASS_ADD);
		struct value root = VALUE_MAP(log->arena, {"class", value_string(class)});

		if (map_get(&known, kind))
			continue;
		map_put(&known, kind, fact);
		add_rule(log, kind,
		         fact->note ? report_note_title(log->arena, log->summary, fact->note)
		                    : render_lines_text(form, &root),
		         NULL);
	}
}

/* Returns the place of the fact; of one that several manifests cause, that of its first unit. */
static struct position fact_place(struct log *log, const struct report_fact *fact)
{
	const struct report_unit *first =
	    fact->unit_count > 0 ? &log->summary->units.items[fact->units[0]] : NULL;
	sv path = sv_empty(fact->path) && first ? first->source : fact->path;

	if (render_has_file(fact->at))
		return fact->at;
	if (sv_empty(fact->path) && first && render_has_file(first->at))
		return first->at;
	return sv_empty(path) ? NOWHERE
	                      : position_of_source(source_new(log->arena, path, SV(""), true));
}

/* Adds a result for each fact: a warning if it stops, else a note. */
static void add_facts(struct log *log, struct render_lines_form *form)
{
	const struct render_copies_list none = {0};

	VEC_EACH (fact, &log->summary->facts) {
		sv title = render_fact_title(log->arena, log->summary, fact);
		sv text = render_fact_text(form, fact, &none);
		sv between = sv_empty(text) ? SV("") : fact->note ? SV(": ") : SV("\n");

		add_result(log,
		           (struct result){
		               .rule = sv_from_cstr(fact->kind),
		               .level = value_string(
		                   fact->severity == REPORT_FACT_STOP ? SV("warning") : SV("note")),
		               .text = ARENA_CONCAT(log->arena, title, between, text),
		               .at = fact_place(log, fact),
		           });
	}
}

void report_sarif(struct buf *buf, const struct report_summary *summary, const struct sink *sink,
                  const struct report_style *style)
{
	struct arena *arena = buf->arena;
	struct log log = {
	    .arena = arena,
	    .summary = summary,
	    .sink = sink,
	    .style = style,
	    .rules = value_list_new(arena),
	    .results = value_list_new(arena),
	};
	struct value runs = value_list_new(arena);

	add_code_rules(&log);
	/* Changes are results of commands that compare; a commit that was made needs no second
	 * look. */
	if (summary->outcome == REPORT_DIFFERS) {
		struct render_lines_form *form = render_lines_form(arena, summary, style->mask);

		add_fact_rules(&log, form);
		add_facts(&log, form);
	}
	VEC_EACH (diag, &sink->diags)
		add_diag(&log, *diag);
	struct value driver =
	    VALUE_MAP(arena, {"name", value_string(SV("osm-gen"))},
	              {"version", value_string(summary->version)}, {"rules", log.rules});
	value_list_add(arena, &runs,
	               VALUE_MAP(arena, {"tool", VALUE_MAP(arena, {"driver", driver})},
	                         {"columnKind", value_string(SV("unicodeCodePoints"))},
	                         {"results", log.results}));
	struct value root = VALUE_MAP(arena, {"$schema", value_string(SV(SCHEMA))},
	                              {"version", value_string(SV("2.1.0"))}, {"runs", runs});
	report_add_json(buf, &root);
}
