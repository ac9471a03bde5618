/*
 * Shared by the files of inventory/.
 */
#ifndef OSM_GEN_INVENTORY_INTERNAL_H
#define OSM_GEN_INVENTORY_INTERNAL_H

#include "inventory/inventory.h"

/* Returns true for files that a mirror serves; false for packages, images and bare addresses. */
bool inventory_is_file(const struct inventory_item *item);
/* Returns the address without "***@", which replaces user and password. */
sv inventory_bare(struct arena *arena, sv url);
/*
 * Returns the address that a mirror copies the item from: its own, or the original one if a setting
 * moved it to a mirror.
 */
sv inventory_source(struct arena *arena, const struct inventory_item *item);
/*
 * Returns "HOST/PATH" of such an address, which is the file's path below a mirror's folder. Returns
 * an empty string if it has no such path: another scheme than HTTP, a path that leaves the folder,
 * or a path without a file name.
 */
sv inventory_place(sv source);
/* Returns the item that is the published checksum ("URL.sha256") of `item`, or null. */
const struct inventory_item *inventory_checksum(const struct inventory *inventory,
                                                const struct inventory_item *item);

/* mirror.sh, as ci/embed lays it out at build time. */
struct inventory_script {
	const char *path;
	const char *text;
	size_t len;
};
extern const struct inventory_script inventory_scripts[];

#endif
