/*
 * libyaml's events of one text, one at a time; the one that is current is freed with the next.
 */
#include "yaml/events.h"

static void drop_current(struct yml_events *events)
{
	if (events->has_current)
		yaml_event_delete(&events->current);
	events->has_current = false;
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
	drop_current(events);
	yaml_parser_delete(&events->parser);
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
	return sv_from((const char *)scalar->data.scalar.value, scalar->data.scalar.length);
}
