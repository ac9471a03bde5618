/*
 * Private to toml/.
 */
#ifndef OSM_GEN_TOML_ENCODE_H
#define OSM_GEN_TOML_ENCODE_H

#include "base/base.h"

/* One part of a key, quoted unless it is bare: letters, digits, _ and -. */
void toml_add_key(struct buf *buf, sv key);

#endif
