#include "json/json.h"

#include "report/render.h"

#define SCHEMA                                                                                     \
	"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"                      \
	"sarif-schema-2.1.0.json"

static void set(struct arena *arena, struct value *map, const char *key, struct value value)
{
	value_map_set(arena, map, sv_from_cstr(key), value);
}

static void set_text(struct arena *arena, struct value *map, const char *key, sv text)
{
	set(arena, map, key, value_string(text));
}

static void set_number(struct arena *arena, struct value *map, const char *key, size_t number)
{
	set(arena, map, key, value_int((int64_t)number));
}

/* {"text": TEXT}, SARIF's form of every message. */
static struct value message_value(struct arena *arena, sv text)
{
	struct value map = value_map_new(arena);

	set_text(arena, &map, "text", text);
	return map;
}

/* ---- places ------------------------------------------------------------------------------- */

/* A path as a relative reference (RFC 3986): "%", "?", spaces and the like are escaped. */
static sv path_as_uri(struct arena *arena, sv path)
{
	struct buf buf = buf_in(arena);

	for (size_t i = 0; i < path.len; i++) {
		unsigned char c = (unsigned char)path.ptr[i];

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		    (c != '\0' && strchr("-._~/!$&'()*+,;=@", c)))
			buf_add_char(&buf, (char)c);
		else
			buf_printf(&buf, "%%%02X", c);
	}
	return buf_sv(&buf);
}

/* Code points before the byte at column (from 1), plus 1. */
static size_t code_point_column(sv line, size_t column)
{
	size_t count = 1;

	for (size_t i = 0; i + 1 < column && i < line.len; i++)
		count += ((unsigned char)line.ptr[i] & 0xC0) != 0x80;
	return count;
}

/* Within its first line: excerpts underline no more either. */
static struct value region_value(struct arena *arena, struct position at)
{
	struct line_column place = position_line_column(at);
	sv line = position_line(at);
	struct value region = value_map_new(arena);
	size_t end = place.column + at.length;

	if (end > line.len + 1)
		end = line.len + 1;
	set_number(arena, &region, "startLine", place.line);
	set_number(arena, &region, "startColumn", code_point_column(line, place.column));
	if (end > place.column)
		set_number(arena, &region, "endColumn", code_point_column(line, end));
	return region;
}

/* Flags and keys have names, not files; files outside of the repository have absolute paths. */
static bool has_file(struct position at)
{
	return at.source && !sv_empty(at.source->path) &&
	       !sv_starts_with(at.source->path, SV("-")) &&
	       (sv_find_char(at.source->path, '/') != SV_NPOS ||
	        sv_find_char(at.source->path, '.') != SV_NPOS);
}

static struct value location_value(struct arena *arena, struct position at)
{
	struct value artifact = value_map_new(arena);
	struct value physical = value_map_new(arena);
	struct value location = value_map_new(arena);
	bool absolute = sv_starts_with(at.source->path, SV("/"));
	sv uri = path_as_uri(arena, at.source->path);

	set_text(arena, &artifact, "uri", absolute ? ARENA_CONCAT(arena, SV("file://"), uri) : uri);
	set(arena, &physical, "artifactLocation", artifact);
	if (at.offset != SV_NPOS)
		set(arena, &physical, "region", region_value(arena, at));
	set(arena, &location, "physicalLocation", physical);
	return location;
}

static struct value locations_value(struct arena *arena, struct position at)
{
	struct value list = value_list_new(arena);

	if (has_file(at))
		value_list_add(arena, &list, location_value(arena, at));
	return list;
}

/* Notes that stand somewhere. */
static struct value related_value(struct arena *arena, const struct diag *diag,
                                  const struct report_style *style)
{
	struct value list = value_list_new(arena);

	VEC_EACH (note, &diag->notes) {
		if (!has_file(note->at))
			continue;
		struct value location = location_value(arena, note->at);

		set(arena, &location, "message",
		    message_value(arena, render_masked(arena, style, note->text)));
		value_list_add(arena, &list, location);
	}
	return list;
}

/* ---- rules and results -------------------------------------------------------------------- */

static sv rule_id(struct arena *arena, enum diag_code code)
{
	return arena_printf(arena, "OSG%04u", (unsigned)code);
}

static sv level(enum diag_severity severity)
{
	return severity == DIAG_ERROR ? SV("error") : SV("warning");
}

static struct value rule_value(struct arena *arena, const struct diag_code_info *info)
{
	struct value rule = value_map_new(arena);
	struct value configuration = value_map_new(arena);
	sv explanation = sv_from_cstr(info->explanation);

	set_text(arena, &configuration, "level", level(info->severity));
	set_text(arena, &rule, "id", rule_id(arena, info->code));
	set(arena, &rule, "shortDescription", message_value(arena, sv_from_cstr(info->title)));
	set(arena, &rule, "fullDescription", message_value(arena, explanation));
	set(arena, &rule, "help", message_value(arena, explanation));
	set(arena, &rule, "defaultConfiguration", configuration);
	return rule;
}

static bool occurs(const struct sink *sink, enum diag_code code)
{
	VEC_EACH (diag, &sink->diags)
		if ((*diag)->code == code)
			return true;
	return false;
}

/* The codes that occur, in number order. */
static struct value rules_value(struct arena *arena, const struct sink *sink)
{
	struct value rules = value_list_new(arena);
	size_t count;
	const struct diag_code_info *codes = diag_codes(&count);

	for (size_t i = 0; i < count; i++)
		if (occurs(sink, codes[i].code))
			value_list_add(arena, &rules, rule_value(arena, &codes[i]));
	return rules;
}

/* One paragraph: the text, what it is about, what to do. */
static sv result_text(struct arena *arena, const struct diag *diag,
                      const struct report_style *style)
{
	struct buf buf = buf_in(arena);

	buf_add(&buf, render_masked(arena, style, diag->text));
	if (!sv_empty(diag->object))
		buf_printf(&buf, "\nin %.*s%s%.*s",
		           SV_ARG(render_masked(arena, style, diag->object)),
		           sv_empty(diag->cluster) ? "" : ", cluster ", SV_ARG(diag->cluster));
	VEC_EACH (note, &diag->notes)
		if (!has_file(note->at))
			buf_printf(&buf, "\nnote: %.*s",
			           SV_ARG(render_masked(arena, style, note->text)));
	if (!sv_empty(diag->help))
		buf_printf(&buf, "\nhelp: %.*s", SV_ARG(render_masked(arena, style, diag->help)));
	return buf_sv(&buf);
}

static struct value result_value(struct arena *arena, const struct diag *diag,
                                 const struct report_style *style)
{
	struct value result = value_map_new(arena);
	struct value related = related_value(arena, diag, style);

	set_text(arena, &result, "ruleId", rule_id(arena, diag->code));
	set_text(arena, &result, "level", level(diag->severity));
	set(arena, &result, "message", message_value(arena, result_text(arena, diag, style)));
	set(arena, &result, "locations", locations_value(arena, diag->at));
	if (value_count(&related) > 0)
		set(arena, &result, "relatedLocations", related);
	return result;
}

void report_sarif(struct buf *buf, const struct report_summary *summary, const struct sink *sink,
                  const struct report_style *style)
{
	struct arena *arena = buf->arena;
	struct value root = value_map_new(arena);
	struct value runs = value_list_new(arena);
	struct value run = value_map_new(arena);
	struct value tool = value_map_new(arena);
	struct value driver = value_map_new(arena);
	struct value results = value_list_new(arena);

	VEC_EACH (diag, &sink->diags)
		value_list_add(arena, &results, result_value(arena, *diag, style));
	set_text(arena, &driver, "name", SV("osm-gen"));
	set_text(arena, &driver, "version", summary->version);
	set(arena, &driver, "rules", rules_value(arena, sink));
	set(arena, &tool, "driver", driver);
	set(arena, &run, "tool", tool);
	set_text(arena, &run, "columnKind", SV("unicodeCodePoints"));
	set(arena, &run, "results", results);
	value_list_add(arena, &runs, run);
	set_text(arena, &root, "$schema", SV(SCHEMA));
	set_text(arena, &root, "version", SV("2.1.0"));
	set(arena, &root, "runs", runs);
	json_emit(buf, &root, JSON_INDENT);
	buf_add_char(buf, '\n');
}
