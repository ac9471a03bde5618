/*
 * A manifest, with the file and line that each of its lines comes from.
 *
 * The object is printed, parsed again for the line of each of its values, and compared with the
 * object that was printed, whose values have their origins.
 */
#include "internal.h"

#include "secrecy/secrecy.h"
#include "yaml/yaml.h"

/* The origin of each line of the printed manifest. */
struct origins {
	struct arena *arena;
	struct position *lines;
	size_t count;
};

static void set_line(struct origins *origins, struct position printed, struct position at)
{
	size_t line = position_line_column(printed).line;

	if (printed.source && at.source && line >= 1 && line <= origins->count)
		origins->lines[line - 1] = at;
}

/* Returns the position of the first byte in [from, to] that was not added by osm-gen. */
static struct position line_of(const struct value *made, size_t from, size_t to)
{
	for (size_t i = from; i <= to; i++) {
		size_t offset = i;
		const struct value *part = value_part_at(made, &offset);

		if (part)
			return value_text_position(part, offset);
	}
	return NOWHERE;
}

/* In a block string each line has an origin of its own. */
static void set_text_origins(struct origins *origins, const struct value *made,
                             const struct value *printed)
{
	sv text = value_text(printed);
	size_t at = 0;

	set_line(origins, value_position(printed), value_position(made));
	if (printed->origin.style != ORIGIN_LITERAL)
		return;
	while (at < text.len) {
		size_t end = sv_find_char(sv_from_offset(text, at), '\n');

		set_line(origins, value_text_position(printed, at),
		         line_of(made, at, end == SV_NPOS ? text.len - 1 : at + end));
		if (end == SV_NPOS)
			return;
		at += end + 1;
	}
}

static void set_all(struct origins *origins, const struct value *made, const struct value *printed)
{
	if (value_is_string(printed)) {
		set_text_origins(origins, made, printed);
		return;
	}
	set_line(origins, value_position(printed), value_position(made));
	for (size_t i = 0; value_is_list(printed) && i < value_count(printed); i++)
		set_all(origins, value_item(made, i), value_item(printed, i));
	for (size_t i = 0; value_is_map(printed) && i < value_count(printed); i++) {
		const struct value_entry *entry = &printed->map->entries[i];
		const struct value_entry *from = value_map_find(made, entry->key);

		set_line(origins, origin_position(entry->key_origin),
		         origin_position(from->key_origin));
		set_all(origins, &from->value, &entry->value);
	}
}

static void print_beside(struct buf *buf, const struct origins *origins, sv text)
{
	sv *places = ARENA_ARRAY(origins->arena, sv, origins->count + 1);
	size_t width = 0;

	for (size_t i = 0; i < origins->count; i++) {
		places[i] = effective_place(origins->arena, origins->lines[i]);
		if (sv_empty(places[i])) /* osm-gen itself wrote the line */
			places[i] = SV("osm-gen");
		if (places[i].len > width)
			width = places[i].len;
	}
	for (size_t i = 0; i < origins->count; i++) {
		sv line;

		if (!sv_cut(text, SV("\n"), &line, &text))
			return;
		buf_add(buf, places[i]);
		buf_add_repeat(buf, ' ', width - places[i].len);
		buf_printf(buf, sv_empty(line) ? " |" : " | ");
		buf_add(buf, line);
		buf_add_char(buf, '\n');
	}
}

enum status effective_add_origins(struct arena *arena, struct sink *sink,
                                  const struct value *object, struct buf *buf)
{
	struct value shown = secrecy_redact_all(arena, &(struct redaction){0}, object);
	struct buf text = buf_in(arena);
	struct yml_documents documents = {0};

	yml_emit(&text, &shown, (struct yml_format){0});
	struct source *source = source_new(arena, SV("profile"), buf_sv(&text), false);
	if (yml_parse(arena, sink, source, &documents) != STATUS_OK || documents.count != 1)
		return STATUS_FAILED;
	struct origins origins = {.arena = arena};
	for (size_t i = 0; i < text.len; i++)
		origins.count += buf_sv(&text).ptr[i] == '\n';
	origins.lines = ARENA_ARRAY(arena, struct position, origins.count + 1);
	set_all(&origins, object, &documents.items[0].root);
	print_beside(buf, &origins, buf_sv(&text));
	return STATUS_OK;
}
