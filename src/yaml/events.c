#include "yaml/events.h"

static void drop_current(struct yaml_events *events)
{
	if (events->has_current)
		yaml_event_delete(&events->current);
	events->has_current = false;
}

void yaml_events_open(struct yaml_events *events, sv text, yaml_encoding_t encoding)
{
	*events = (struct yaml_events){0};
	if (!yaml_parser_initialize(&events->parser))
		base_out_of_memory();
	yaml_parser_set_encoding(&events->parser, encoding);
	yaml_parser_set_input_string(&events->parser,
	                             (const unsigned char *)(text.ptr ? text.ptr : ""), text.len);
}

void yaml_events_close(struct yaml_events *events)
{
	drop_current(events);
	yaml_parser_delete(&events->parser);
}

bool yaml_events_next(struct yaml_events *events)
{
	drop_current(events);
	events->has_current = yaml_parser_parse(&events->parser, &events->current);
	if (events->parser.error == YAML_MEMORY_ERROR)
		base_out_of_memory();
	return events->has_current;
}

sv yaml_scalar_text(const yaml_event_t *scalar)
{
	return sv_from((const char *)scalar->data.scalar.value, scalar->data.scalar.length);
}
