/*
 * inventory: what the machines of a fleet fetch over the network. Each thing is listed once, with
 * the units whose machines fetch it.
 *
 *   collect.c  merges what the units of a run fetch
 *   print.c    a table for people, JSON for programs
 *   bom.c      a CycloneDX document
 *   files.c    the items that are files: their place in a mirror, their checksum
 *   mirror.c   what a mirror lacks; the script that fills one
 *   mirror.sh  the beginning of that script, the same for every fleet
 */
#ifndef OSM_GEN_INVENTORY_INVENTORY_H
#define OSM_GEN_INVENTORY_INVENTORY_H

#include "base/base.h"
#include "diag/diag.h"
#include "dialect/dialect.h"
#include "run/run.h"

struct inventory_item {
	struct dialect_fetch fetch;
	VEC(sv) units; /* "CLUSTER/NAMESPACE/NAME" */
	sv last_cluster;
	size_t cluster_count;
};
VEC_TYPE(inventory_items, struct inventory_item *);

struct inventory {
	struct inventory_items items; /* by kind, name, version, architecture, URL */
	/* "CLUSTER/NAMESPACE/NAME" of each unit whose profile or extension lacks an inventory. */
	VEC(sv) unknown;
};

/*
 * Collects what the units of `cluster` fetch, or of all clusters if it is empty. The run must have
 * been asked for it (wants_fetches). Returns false if no cluster of that name has units.
 */
bool inventory_collect(struct arena *arena, const struct run_result *result, sv cluster,
                       struct inventory *ret_inventory);

void inventory_add_table(struct buf *buf, const struct inventory *inventory);
void inventory_add_json(struct buf *buf, const struct inventory *inventory);
/*
 * Adds a CycloneDX 1.6 document: the same bytes for the same inventory. `version` is that of
 * osm-gen.
 */
void inventory_add_bom(struct buf *buf, const struct inventory *inventory, sv version);
/*
 * Compares the inventory with a mirror: a folder, or a file that lists one URL a line. Adds a line
 * for each file that is missing or damaged, and the counts. *ret_lacks is true if there is such a
 * file, or a unit whose inventory is not known. Fails if the mirror cannot be read.
 */
MUST_CHECK enum status inventory_check_mirror(struct arena *arena, struct sink *sink,
                                              const struct inventory *inventory, sv mirror,
                                              struct buf *buf, bool *ret_lacks);
/* Adds a bash script that downloads the files into a folder, which then is a mirror. */
void inventory_add_script(struct buf *buf, const struct inventory *inventory);

#endif
