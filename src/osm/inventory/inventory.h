/*
 * The downloads of a unit's machines, as the inventory of its profile lists them (docs/profiles.md,
 * "The inventory"). Private to osm/ and its tests.
 *
 *   render.c  renders the inventory with the data of the profile's templates
 *   read.c    reads the result, line by line
 */
#ifndef OSM_GEN_OSM_INVENTORY_INVENTORY_H
#define OSM_GEN_OSM_INVENTORY_INVENTORY_H

#include "dialect/dialect.h"
#include "osm/objects.h"
#include "osm/osm.h"

/* ---- render.c ---------------------------------------------------------------------------- */

struct osm_fetches_request {
	const struct osm_inventories *annotations;
	const struct value *data; /* as for the profile's templates */
	const struct osm_rendered_config
	    *bootstrap; /* files in both may hold the setup's settings */
	const struct osm_rendered_config *provisioning;
	const struct osm_settings *settings;
	int64_t now;
	struct quota *steps;
};
/* Renders the inventory annotations as templates and reads them. Reports DIAG_INVENTORY. */
MUST_CHECK enum status osm_fetches(struct arena *arena, struct sink *sink,
                                   const struct osm_fetches_request *request,
                                   struct dialect_fetches *ret_fetches);
/* Report DIAG_NOT_INVENTORIED. */
void osm_report_not_inventoried(struct sink *sink, const struct osm_profile *profile);
void osm_report_extension_not_inventoried(struct sink *sink, const struct kube_object *extension);

/* ---- read.c ------------------------------------------------------------------------------ */

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
