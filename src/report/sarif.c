/*
 * Diagnostics as SARIF, for code scanning.
 */
#include "json/json.h"

#include "report/render.h"

#define SCHEMA                                                                                     \
	"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"                      \
	"sarif-schema-2.1.0.json"

static void set_number(struct arena *arena, struct value *map, const char *key, size_t number)
{
	render_set(arena, map, key, value_int((int64_t)number));
}

/* {"text": TEXT}, SARIF's form of every message. */
static struct value message_value(struct arena *arena, sv text)
{
	struct value map = value_map_new(arena);

	render_set_text(arena, &map, "text", text);
	return map;
}

/* ---- places ------------------------------------------------------------------------------ */

/* A path as a relative reference (RFC 3986): "%", "?", spaces and the like are escaped. */
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

	render_set_text(arena, &artifact, "uri",
	                absolute ? ARENA_CONCAT(arena, SV("file://"), uri) : uri);
	render_set(arena, &physical, "artifactLocation", artifact);
	if (at.offset != SV_NPOS)
		render_set(arena, &physical, "region", region_value(arena, at));
	render_set(arena, &location, "physicalLocation", physical);
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

		render_set(arena, &location, "message",
		           message_value(arena, secret_mask_apply(arena, style->mask, note->text)));
		value_list_add(arena, &list, location);
	}
	return list;
}

/* ---- rules and results ------------------------------------------------------------------- */

static sv level(enum diag_severity severity)
{
	return severity == DIAG_ERROR ? SV("error") : SV("warning");
}

static struct value rule_value(struct arena *arena, const struct diag_code_info *info)
{
	struct value rule = value_map_new(arena);
	struct value configuration = value_map_new(arena);
	sv explanation = sv_from_cstr(info->explanation);

	render_set_text(arena, &configuration, "level", level(info->severity));
	render_set_text(arena, &rule, "id", render_code(arena, info->code));
	render_set(arena, &rule, "shortDescription",
	           message_value(arena, sv_from_cstr(info->title)));
	render_set(arena, &rule, "fullDescription", message_value(arena, explanation));
	render_set(arena, &rule, "help", message_value(arena, explanation));
	render_set(arena, &rule, "defaultConfiguration", configuration);
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

	buf_add(&buf, secret_mask_apply(arena, style->mask, diag->text));
	if (!sv_empty(diag->object))
		buf_printf(&buf, "\nin %.*s%s%.*s",
		           SV_ARG(secret_mask_apply(arena, style->mask, diag->object)),
		           sv_empty(diag->cluster) ? "" : ", cluster ", SV_ARG(diag->cluster));
	VEC_EACH (note, &diag->notes)
		if (!has_file(note->at))
			buf_printf(&buf, "\nnote: %.*s",
			           SV_ARG(secret_mask_apply(arena, style->mask, note->text)));
	if (!sv_empty(diag->help))
		buf_printf(&buf, "\nhelp: %.*s",
		           SV_ARG(secret_mask_apply(arena, style->mask, diag->help)));
	return buf_sv(&buf);
}

static struct value result_value(struct arena *arena, const struct diag *diag,
                                 const struct report_style *style)
{
	struct value result = value_map_new(arena);
	struct value related = related_value(arena, diag, style);

	render_set_text(arena, &result, "ruleId", render_code(arena, diag->code));
	render_set_text(arena, &result, "level", level(diag->severity));
	render_set(arena, &result, "message",
	           message_value(arena, result_text(arena, diag, style)));
	render_set(arena, &result, "locations", locations_value(arena, diag->at));
	if (value_count(&related) > 0)
		render_set(arena, &result, "relatedLocations", related);
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
	render_set_text(arena, &driver, "name", SV("osm-gen"));
	render_set_text(arena, &driver, "version", summary->version);
	render_set(arena, &driver, "rules", rules_value(arena, sink));
	render_set(arena, &tool, "driver", driver);
	render_set(arena, &run, "tool", tool);
	render_set_text(arena, &run, "columnKind", SV("unicodeCodePoints"));
	render_set(arena, &run, "results", results);
	value_list_add(arena, &runs, run);
	render_set_text(arena, &root, "$schema", SV(SCHEMA));
	render_set_text(arena, &root, "version", SV("2.1.0"));
	render_set(arena, &root, "runs", runs);
	json_emit(buf, &root, JSON_INDENT);
	buf_add_char(buf, '\n');
}
