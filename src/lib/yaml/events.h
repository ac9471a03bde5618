/*
 * libyaml's events of a text, one at a time (private to yaml/).
 */
#ifndef OSM_GEN_YAML_EVENTS_H
#define OSM_GEN_YAML_EVENTS_H

#include "base/base.h"

#include <yaml.h>

struct yml_events {
	yaml_parser_t parser; /* says what is wrong after yml_events_next failed */
	yaml_event_t current; /* until the next is read */
	bool has_current;
};

/* The text must stay as long as the events are read. */
void yml_events_open(struct yml_events *events, sv text, yaml_encoding_t encoding);

void yml_events_close(struct yml_events *events);

/* Makes the next event the current one. False: the text is not YAML; there is no current event. */
MUST_CHECK bool yml_events_next(struct yml_events *events);

/* A scalar's text, while it is the current event. */
sv yml_scalar_text(const yaml_event_t *scalar);

#endif
