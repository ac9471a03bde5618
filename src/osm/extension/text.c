/*
 * Builds files from parts of extensions and profiles. Each part keeps its origin (value_joined), so
 * that a mistake in it is reported where it is written.
 */
#include "osm/extension/internal.h"

/* Begins a part with a copy of the value, since the result may replace the value itself. */
static void begin_part(struct extension_text *text, const struct value *value)
{
	struct origin_part part = {.at = text->buf.len};

	if (value) {
		struct value *copy = ARENA_NEW(text->buf.arena, struct value);
		*copy = *value;
		part.value = copy;
	}
	VEC_PUSH(text->buf.arena, &text->parts, part);
}

void extension_text_add(struct extension_text *text, sv own)
{
	if (sv_empty(own))
		return;
	begin_part(text, NULL);
	buf_add(&text->buf, own);
}

void extension_text_add_for(struct extension_text *text, sv own, const struct value *given)
{
	struct value part = value_joined(text->buf.arena, own, NULL, 0, given->origin);

	begin_part(text, &part);
	buf_add(&text->buf, own);
}

void extension_text_add_value(struct extension_text *text, const struct value *value)
{
	size_t count;
	size_t start = text->buf.len;
	const struct origin_part *parts = value_parts(value, &count);

	if (!parts)
		begin_part(text, value);
	for (size_t i = 0; parts && i < count; i++) {
		struct origin_part part = {start + parts[i].at, parts[i].value};

		VEC_PUSH(text->buf.arena, &text->parts, part);
	}
	buf_add(&text->buf, value_text(value));
}

void extension_text_add_key(struct extension_text *text, const struct value_entry *entry)
{
	struct value key = value_string(entry->key);

	key.origin = entry->key_origin;
	extension_text_add_value(text, &key);
}

void extension_text_end_line(struct extension_text *text)
{
	if (text->buf.len > 0 && !sv_ends_with(buf_sv(&text->buf), SV("\n")))
		extension_text_add(text, SV("\n"));
}

void extension_text_trim(struct extension_text *text)
{
	text->buf.len = sv_trim_right(buf_sv(&text->buf), "\n").len;
	while (text->parts.count > 0 &&
	       text->parts.items[text->parts.count - 1].at >= text->buf.len)
		text->parts.count--;
}

void extension_text_add_lines(struct extension_text *text, const struct value *list)
{
	for (size_t i = 0; i < value_count(list); i++) {
		extension_text_add_value(text, value_item(list, i));
		extension_text_end_line(text);
	}
}

struct value extension_text_value(const struct extension_text *text, const struct value *given)
{
	return value_joined(text->buf.arena, buf_sv(&text->buf), text->parts.items,
	                    text->parts.count, given ? given->origin : (struct origin){0});
}
