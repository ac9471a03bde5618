/*
 * Part of dialect.h: the members of two values that differ, for people (difference.c).
 */
#ifndef OSM_GEN_DIALECT_DIFFERENCE_H
#define OSM_GEN_DIALECT_DIFFERENCE_H

#include "base/base.h"
#include "value/value.h"

/* A member that differs, with its old and new value; without values the name describes the change.
 */
struct dialect_difference {
	sv path; /* "spec.versions.kubelet" */
	sv name;
	sv before; /* empty if it had no value */
	sv after;  /* likewise */
};
VEC_TYPE(dialect_differences, struct dialect_difference);

struct dialect_comparison {
	struct arena *arena;
	/* Returns a member's name for people. `path` is as "spec.versions.kubelet". */
	sv (*name)(struct arena *arena, sv path);
	/* Returns true if a member of that name has a credential. If it is null, names mean
	 * nothing, and values decide. */
	bool (*hides)(sv member);
	/* Adds the differences of a member that needs more than its value, and returns true, or
	 * returns false. Either value may be null. May be null itself. */
	bool (*compare)(const struct dialect_comparison *c, sv path, const struct value *before,
	                const struct value *now);
	struct dialect_differences *to;
};
/*
 * Adds the members that differ, those of maps one by one. A value that is tainted, encrypted, very
 * long, or looks like a secret is not given.
 */
void dialect_compare(const struct dialect_comparison *c, const struct value *before,
                     const struct value *now);

#endif
