/*
 * Shared by the files of effective/.
 */
#ifndef OSM_GEN_EFFECTIVE_INTERNAL_H
#define OSM_GEN_EFFECTIVE_INTERNAL_H

#include "effective/effective.h"

/* Returns "FILE:LINE", or an empty string for NOWHERE. */
sv effective_place(struct arena *arena, struct position at);

/* origins.c: adds the object as YAML, secrets masked, with "FILE:LINE | " before each line. */
MUST_CHECK enum status effective_add_origins(struct arena *arena, struct sink *sink,
                                             const struct value *object, struct buf *buf);

#endif
