/*
 * The pace at which the machines of a unit are replaced.
 */
#ifndef OSM_GEN_DIALECT_PACE_H
#define OSM_GEN_DIALECT_PACE_H

#include "base/base.h"

/* How many machines of a unit are replaced at once. */
struct dialect_pace {
	sv max_surge; /* as written, "1" or "25%", or the default */
	sv max_unavailable;
	size_t surge;       /* machines that are there besides the unit's while they are replaced */
	size_t unavailable; /* machines that may be missing then */
};

#endif
