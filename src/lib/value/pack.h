/*
 * Packed values: a decoded manifest in a tenth of its memory, for the time in which nobody looks at
 * it. Strings that the source has byte for byte stay there, and all else is some bytes a value.
 */
#ifndef OSM_GEN_VALUE_PACK_H
#define OSM_GEN_VALUE_PACK_H

#include "value/value.h"

/*
 * Appends the packed value, which is as secret as its source. Returns false, with the buffer as it
 * was, for a value that no parser makes of this source: a part of it has a taint, another source,
 * or a type that manifests do not have.
 */
bool value_pack(struct buf *buf, const struct source *source, const struct value *v);
/*
 * Returns the value that was packed, with the same types and origins, in an arena. Its strings
 * refer to the packed bytes and to the source, which must outlive it.
 */
struct value value_unpack(struct arena *arena, const struct source *source, const char *packed);

#endif
