/*
 * What a profile's inventory says once it is rendered (docs/profiles.md, "The inventory"). Private
 * to osm/, and to what tests it.
 */
#ifndef OSM_GEN_OSM_FETCHES_H
#define OSM_GEN_OSM_FETCHES_H

#include "dialect/dialect.h"

struct osm_inventory_text {
	sv text;
	struct position at; /* of the annotation, for messages */
};

struct osm_inventory {
	/* The profile's, then those of its extensions: what one sets holds in those behind it. */
	const struct osm_inventory_text *texts;
	size_t text_count;
	/* Gives the text of a file that the user-data writes, or nothing: its settings win. */
	sv (*file)(const void *context, sv path);
	const void *context;
};

/*
 * Appends what machines fetch, each thing once an architecture, in the order of the lines. Fails
 * with DIAG_INVENTORY, one for each line that is wrong. Takes time and memory in proportion to the
 * texts: lines, and what they expand to, have a limit.
 */
MUST_CHECK enum status osm_inventory_read(struct arena *arena, struct sink *sink,
                                          const struct osm_inventory *inventory,
                                          struct dialect_fetches *fetches);

#endif
