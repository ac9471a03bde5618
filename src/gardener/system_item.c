/*
 * Files, units, links and MIME parts of an OperatingSystemExtension's stage.
 */
#include "gardener/system.h"

#define DEFAULT_MODE 0644

static struct arena *arena_of(const struct system_reader *r)
{
	return r->schema.arena;
}

/* A check of a string, and its help. */
struct rule {
	const char *what;
	const char *(*mistake_of)(sv);
	const char *help;
};

static const struct rule path_rule = {"path", system_path_mistake,
                                      "write the absolute path of a file"};
static const struct rule unit_rule = {"unit", system_unit_mistake,
                                      "write the whole name, such as docker.service"};
static const struct rule drop_in_rule = {"drop-in", system_drop_in_mistake,
                                         "write a name such as 10-limits.conf"};

/* Checks a string that is not a template; others are checked when they are rendered. */
static void check_text(struct system_reader *r, const struct system_text *text,
                       const struct rule *rule)
{
	const char *mistake =
	    text->source.type && !text->set ? rule->mistake_of(text->source.string) : NULL;

	if (!mistake)
		return;
	struct diag *diag = system_report(r, value_position(&text->source), "%s \"%.*s\" %s",
	                                  rule->what, SV_ARG(text->source.string), mistake);
	diag_set_help(r->schema.sink, diag, "%s", rule->help);
}

static struct system_item read_item(struct system_reader *r, const struct value *map,
                                    const char *name)
{
	return (struct system_item){
	    .at = value_position(map),
	    .when = system_text_read(r, value_map_get(map, SV("when")), name),
	    .is_after = system_is_true(map, "after"),
	};
}

/* Reports two items of one name, unless a condition may make them exclude each other. */
static void check_twice(struct system_reader *r, struct map *seen, const struct system_text *name,
                        const struct system_item *item, const char *what)
{
	if (!name->source.type || item->when.source.type)
		return;
	const struct value *first = map_get(seen, name->source.string);
	if (!first) {
		map_put(seen, name->source.string, (void *)&name->source);
		return;
	}
	struct diag *diag =
	    system_report(r, value_position(&name->source), "%s %.*s is given twice", what,
	                  SV_ARG(name->source.string));
	diag_add_note(r->schema.sink, diag, value_position(first), "the other one");
	diag_set_help(r->schema.sink, diag, "remove one of them, or give each a `when`");
}

/* ---- files ------------------------------------------------------------------------------- */

/* Requires a leading zero: 644 is a different number than 0644, and looks as right. */
static bool is_written_octal(const struct value *v)
{
	const struct source *source = v->origin.source;

	if (!source || v->integer == 0)
		return true;
	return source->text.ptr[v->origin.offset] == '0';
}

static bool mode_of_text(sv text, int *ret_mode)
{
	int mode = 0;

	if (text.len < 3 || text.len > 4 || (text.len == 4 && text.ptr[0] > '7'))
		return false;
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] < '0' || text.ptr[i] > '7')
			return false;
		mode = mode * 8 + (text.ptr[i] - '0');
	}
	*ret_mode = mode;
	return true;
}

void system_report_mode(struct system_reader *r, const struct value *v)
{
	struct diag *diag =
	    system_report(r, value_position(v), "permissions must be octal digits after a zero");

	diag_set_help(r->schema.sink, diag, "write 0644, or \"0644\" in JSON");
}

static int read_mode(struct system_reader *r, const struct value *map)
{
	const struct value *v = value_map_get(map, SV("permissions"));
	int mode;

	if (value_is_null(v))
		return DEFAULT_MODE;
	if (value_is_string(v) && mode_of_text(v->string, &mode))
		return mode;
	if (value_is(v, KIND_INT64) && v->integer >= 0 && v->integer <= 07777 &&
	    is_written_octal(v))
		return (int)v->integer;
	system_report_mode(r, v);
	return DEFAULT_MODE;
}

void system_files_read(struct system_reader *r, const struct value *list,
                       struct system_stage *stage)
{
	struct map seen = map_in(arena_of(r));

	stage->files = ARENA_ARRAY(arena_of(r), struct system_file, value_count(list) + 1);
	for (size_t i = 0; i < value_count(list); i++) {
		const struct value *map = value_item(list, i);
		struct system_file *file = &stage->files[stage->file_count++];

		*file = (struct system_file){
		    .item = read_item(r, map, "files.when"),
		    .path = system_text_read(r, value_map_get(map, SV("path")), "files.path"),
		    .mode = read_mode(r, map),
		    .content =
		        system_text_read(r, value_map_get(map, SV("content")), "files.content"),
		};
		check_text(r, &file->path, &path_rule);
		check_twice(r, &seen, &file->path, &file->item, "file");
	}
}

/* ---- units ------------------------------------------------------------------------------- */

static void read_drop_ins(struct system_reader *r, const struct value *list,
                          struct system_unit *unit)
{
	unit->drop_ins = ARENA_ARRAY(arena_of(r), struct system_drop_in, value_count(list) + 1);
	for (size_t i = 0; i < value_count(list); i++) {
		const struct value *map = value_item(list, i);
		struct system_drop_in *drop_in = &unit->drop_ins[unit->drop_in_count++];

		*drop_in = (struct system_drop_in){
		    .name =
		        system_text_read(r, value_map_get(map, SV("name")), "units.dropIns.name"),
		    .content = system_text_read(r, value_map_get(map, SV("content")),
		                                "units.dropIns.content"),
		};
		check_text(r, &drop_in->name, &drop_in_rule);
	}
}

static void read_file_paths(struct system_reader *r, const struct value *list,
                            struct system_unit *unit)
{
	unit->file_paths = ARENA_ARRAY(arena_of(r), struct system_text, value_count(list) + 1);
	for (size_t i = 0; i < value_count(list); i++) {
		struct system_text *path = &unit->file_paths[unit->file_path_count++];

		*path = system_text_read(r, value_item(list, i), "units.filePaths");
		check_text(r, path, &path_rule);
	}
}

static void read_unit(struct system_reader *r, const struct value *map, struct system_unit *unit)
{
	unit->item = read_item(r, map, "units.when");
	unit->name = system_text_read(r, value_map_get(map, SV("name")), "units.name");
	check_text(r, &unit->name, &unit_rule);
	unit->command = value_text(value_map_get(map, SV("command")));
	unit->enable = gardener_enable(value_map_get(map, SV("enable")));
	unit->mask = system_is_true(map, "mask");
	unit->is_reported = system_is_true(map, "reported");
	unit->content = system_text_read(r, value_map_get(map, SV("content")), "units.content");
	read_drop_ins(r, value_map_get(map, SV("dropIns")), unit);
	read_file_paths(r, value_map_get(map, SV("filePaths")), unit);
}

void system_units_read(struct system_reader *r, const struct value *list,
                       struct system_stage *stage)
{
	struct map seen = map_in(arena_of(r));

	stage->units = ARENA_ARRAY(arena_of(r), struct system_unit, value_count(list) + 1);
	for (size_t i = 0; i < value_count(list); i++) {
		const struct value *map = value_item(list, i);
		struct system_unit *unit = &stage->units[stage->unit_count++];

		*unit = (struct system_unit){0};
		read_unit(r, map, unit);
		check_twice(r, &seen, &unit->name, &unit->item, "unit");
	}
}

/* ---- links and parts --------------------------------------------------------------------- */

void system_links_read(struct system_reader *r, const struct value *list,
                       struct system_stage *stage)
{
	stage->links = ARENA_ARRAY(arena_of(r), struct system_link, value_count(list) + 1);
	for (size_t i = 0; i < value_count(list); i++) {
		const struct value *map = value_item(list, i);
		struct system_link *link = &stage->links[stage->link_count++];

		*link = (struct system_link){
		    .item = read_item(r, map, "links.when"),
		    .path = system_text_read(r, value_map_get(map, SV("path")), "links.path"),
		    .target = system_text_read(r, value_map_get(map, SV("target")), "links.target"),
		};
		check_text(r, &link->path, &path_rule);
	}
}

/* Checks a content type such as "text/x-vsmp; section=vsmp". */
static const char *content_type_mistake(sv type)
{
	sv main;
	sv rest;

	if (!sv_cut(type, SV("/"), &main, &rest) || sv_empty(main) || sv_empty(rest))
		return "must be TYPE/SUBTYPE, with parameters after ;";
	for (size_t i = 0; i < type.len; i++)
		if ((unsigned char)type.ptr[i] < 0x20 || (unsigned char)type.ptr[i] > 0x7e)
			return "must be one line of ASCII";
	return NULL;
}

static const struct rule content_type_rule = {"contentType", content_type_mistake,
                                              "write one such as text/x-shellscript"};

void system_parts_read(struct system_reader *r, const struct value *list,
                       struct system_stage *stage)
{
	stage->parts = ARENA_ARRAY(arena_of(r), struct system_part, value_count(list) + 1);
	for (size_t i = 0; i < value_count(list); i++) {
		const struct value *map = value_item(list, i);
		struct system_part *part = &stage->parts[stage->part_count++];
		const struct value *given = value_map_get(map, SV("contentType"));
		const struct system_text type = {.source = given ? *given : VALUE_INVALID};

		check_text(r, &type, &content_type_rule);
		*part = (struct system_part){
		    .item = read_item(r, map, "multipart.when"),
		    .content_type = value_text(&type.source),
		    .text = system_text_read(r, value_map_get(map, SV("text")), "multipart.text"),
		};
	}
}
