/*
 * Part of dialect.h: the periods of a derived token (rotation.c).
 */
#ifndef OSM_GEN_DIALECT_PERIODS_H
#define OSM_GEN_DIALECT_PERIODS_H

#include "base/base.h"

/* A time in which derived bootstrap tokens stay the same. */
struct dialect_period {
	sv rotation;   /* goes into the derivation of its token; empty without a period before */
	sv expiration; /* RFC 3339, UTC: when the token expires; empty if it does not */
};
struct dialect_periods {
	struct dialect_period now;
	struct dialect_period before; /* its token is valid for one more period */
};
/*
 * Returns the periods of a tokenRotation at a time (seconds since 1970). Daily, weekly and monthly
 * have periods; any other string is one period without an end.
 */
struct dialect_periods dialect_periods_of(struct arena *arena, sv rotation, int64_t now);

#endif
