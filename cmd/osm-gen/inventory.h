/*
 * inventory: what the machines of a fleet fetch, each thing once with the units that fetch it.
 */
#ifndef OSM_GEN_CMD_INVENTORY_H
#define OSM_GEN_CMD_INVENTORY_H

#include "commands.h"

struct inventory_item {
	struct dialect_fetch fetch;
	VEC(sv) units; /* "CLUSTER/NAMESPACE/NAME" */
	sv last_cluster;
	size_t cluster_count;
};
VEC_TYPE(inventory_items, struct inventory_item *);

struct inventory {
	struct inventory_items items; /* by kind, name, version, architecture, URL */
	VEC(sv) unknown; /* "CLUSTER/NAMESPACE/NAME" of units of which not all is known */
};

/* inventory_files.c: a file that a mirror serves; not of packages, images and addresses. */
bool inventory_is_file(const struct inventory_item *item);
/* An address without the mark that stands for user and password. */
sv inventory_bare(struct arena *arena, sv url);
/* Where a mirror has it from: its address, or what that was before a setting moved it. */
sv inventory_source(struct arena *arena, const struct inventory_item *item);
/*
 * "HOST/PATH" of such an address, where a mirror's folder has it; empty: it has no such place, as
 * it is of another scheme, leads out of the folder or names no file.
 */
sv inventory_place(sv source);
/* The published checksum of a file that is not pinned, or null. */
const struct inventory_item *inventory_checksum(const struct inventory *inventory,
                                                const struct inventory_item *item);

/* inventory_bom.c: CycloneDX 1.6; the same bytes for the same inventory. */
void inventory_bom(struct arena *arena, struct buf *buf, const struct inventory *inventory);
/*
 * inventory_mirror.c: what the folder or the list of URLs at --check-mirror lacks, a line each.
 * Fails when it cannot be read.
 */
MUST_CHECK enum status inventory_check_mirror(struct context *context, struct buf *buf,
                                              const struct inventory *inventory, bool *ret_lacks);
/* inventory_mirror.c: a bash script that fills a folder. */
void inventory_script(struct buf *buf, const struct inventory *inventory);

#endif
