/*
 * Reads the rendered inventory of a profile, the list of the downloads of its machines
 * (docs/profiles.md, "The inventory"). Private to osm/ and its tests.
 */
#ifndef OSM_GEN_OSM_FETCHES_H
#define OSM_GEN_OSM_FETCHES_H

#include "dialect/dialect.h"

struct osm_inventory_text {
	sv text;
	struct position at; /* of the annotation, for messages */
};

struct osm_inventory {
	/*
	 * The profile's, then those of its extensions. A variable set in one applies to the next.
	 */
	const struct osm_inventory_text *texts;
	size_t text_count;
	/*
	 * Returns the content of a file that the user-data writes, or an empty string. Variables
	 * set in it override those of the inventory.
	 */
	sv (*file)(const void *context, sv path);
	const void *context;
};

/*
 * Appends the downloads, each once for an architecture, in the order of the lines. Fails with one
 * DIAG_INVENTORY for each invalid line. Time and memory are proportional to the inventory's size:
 * the length of lines, and of what they expand to, is limited.
 */
MUST_CHECK enum status osm_inventory_read(struct arena *arena, struct sink *sink,
                                          const struct osm_inventory *inventory,
                                          struct dialect_fetches *fetches);

#endif
