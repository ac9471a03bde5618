/*
 * Finds where the node of an event is in the source, and how it is written there.
 */
#include "yaml/events.h"
#include "yaml/problem.h"

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Skips anchor and tag, which the library counts to the node. */
static size_t skip_properties(sv text, size_t i, size_t end)
{
	while (i < end && (text.ptr[i] == '&' || text.ptr[i] == '!')) {
		while (i < end && !is_space(text.ptr[i]))
			i++;
		while (i < end && (is_space(text.ptr[i]) || text.ptr[i] == '#')) {
			if (text.ptr[i] == '#')
				while (i < end && text.ptr[i] != '\n')
					i++;
			else
				i++;
		}
	}
	return i;
}

static enum origin_style style_of(const yaml_event_t *event, sv written)
{
	if (event->type != YAML_SCALAR_EVENT)
		return ORIGIN_EXACT;
	switch (event->data.scalar.style) {
	case YAML_SINGLE_QUOTED_SCALAR_STYLE:
		return ORIGIN_SINGLE_QUOTED;
	case YAML_DOUBLE_QUOTED_SCALAR_STYLE:
		return ORIGIN_DOUBLE_QUOTED;
	case YAML_LITERAL_SCALAR_STYLE:
		return ORIGIN_LITERAL;
	case YAML_FOLDED_SCALAR_STYLE:
		return ORIGIN_FOLDED;
	case YAML_ANY_SCALAR_STYLE:
	case YAML_PLAIN_SCALAR_STYLE:
		break;
	}
	/* A plain scalar changes only where it continues on the next line. */
	return sv_eq(written, yml_scalar_text(event)) ? ORIGIN_EXACT : ORIGIN_PLAIN;
}

struct origin yml_event_origin(const struct yml_text *text, const yaml_event_t *event)
{
	const struct source *source = text->source;
	size_t start = yml_text_offset(text, event->start_mark.index);
	size_t end = yml_text_offset(text, event->end_mark.index);

	start = skip_properties(source->text, start, end);
	sv written = sv_slice(source->text, start, end);
	enum origin_style style = style_of(event, written);
	if (style == ORIGIN_LITERAL || style == ORIGIN_FOLDED)
		/* libyaml ends a block after the indentation of the next node. */
		written = sv_trim_right(written, " \t");
	return (struct origin){source, (uint32_t)start, (uint32_t)written.len, style};
}
