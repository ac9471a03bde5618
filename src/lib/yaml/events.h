/*
 * libyaml's events, one at a time (private to yaml/).
 */
#ifndef OSM_GEN_YAML_EVENTS_H
#define OSM_GEN_YAML_EVENTS_H

#include "base/base.h"

#include <yaml.h>

struct yml_events {
	yaml_parser_t parser; /* has the problem after yml_events_next failed */
	yaml_event_t current; /* until the next is read */
	bool has_current;
};

/* The input must live as long as the events are read. */
void yml_events_open(struct yml_events *events, sv text, yaml_encoding_t encoding);

void yml_events_close(struct yml_events *events);

/* Makes the next event the current one. Returns false, with no current event, if it is not YAML. */
MUST_CHECK bool yml_events_next(struct yml_events *events);

/* Returns the content of a scalar, valid while it is the current event. */
sv yml_scalar_text(const yaml_event_t *scalar);

#endif
