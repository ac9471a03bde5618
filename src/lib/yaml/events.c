/*
 * libyaml's events of one text, one at a time; the one that is current is freed with the next.
 */
#include "yaml/events.h"

#include <string.h>

/* The library frees what it read without wiping, and a manifest may hold a Secret. */
static void drop_current(struct yml_events *events)
{
	yaml_event_t *event = &events->current;

	if (events->has_current && event->type == YAML_SCALAR_EVENT)
		explicit_bzero(event->data.scalar.value, event->data.scalar.length);
	if (events->has_current)
		yaml_event_delete(event);
	events->has_current = false;
}

static void wipe_buffer(unsigned char *start, const unsigned char *end)
{
	if (start)
		explicit_bzero(start, (size_t)(end - start));
}

void yml_events_open(struct yml_events *events, sv text, yaml_encoding_t encoding)
{
	*events = (struct yml_events){0};
	if (!yaml_parser_initialize(&events->parser))
		base_out_of_memory();
	yaml_parser_set_encoding(&events->parser, encoding);
	yaml_parser_set_input_string(&events->parser,
	                             (const unsigned char *)(text.ptr ? text.ptr : ""), text.len);
}

void yml_events_close(struct yml_events *events)
{
	yaml_parser_t *parser = &events->parser;

	drop_current(events);
	wipe_buffer(parser->raw_buffer.start, parser->raw_buffer.end);
	wipe_buffer(parser->buffer.start, parser->buffer.end);
	yaml_parser_delete(parser);
}

bool yml_events_next(struct yml_events *events)
{
	drop_current(events);
	events->has_current = yaml_parser_parse(&events->parser, &events->current);
	if (events->parser.error == YAML_MEMORY_ERROR)
		base_out_of_memory();
	return events->has_current;
}

sv yml_scalar_text(const yaml_event_t *scalar)
{
	return sv_from_bytes(scalar->data.scalar.value, scalar->data.scalar.length);
}
