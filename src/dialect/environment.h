/*
 * environment: variables of the environment that a dialect may see (--allow-env). Part of
 * dialect.h, which other folders include.
 */
#ifndef OSM_GEN_DIALECT_ENVIRONMENT_H
#define OSM_GEN_DIALECT_ENVIRONMENT_H

#include "base/base.h"
#include "value/value.h"

/* An environment variable that --allow-env may name. */
struct dialect_variable {
	sv name;
	bool is_plain; /* not a secret: the output has it in the clear anyway */
};

/*
 * A variable that --allow-env binds to a cluster: the cluster sees it as `name`, and the
 * environment holds it as `variable`.
 */
struct dialect_binding {
	sv cluster; /* or DIALECT_EVERY_CLUSTER */
	sv name;    /* of a struct dialect_variable */
	sv variable;
	struct value text; /* null if the variable is not set, or is not read here */
};
#define DIALECT_EVERY_CLUSTER SV("*")

struct dialect_environment {
	const struct dialect_binding *items;
	size_t count;
};

/* Returns all variables that --allow-env may name, sorted. */
const sv *dialect_variable_names(struct arena *arena, size_t *ret_count);
/* Returns the bindings with their strings tainted as "env:NAME", except plain ones. */
struct dialect_environment dialect_taint_environment(struct arena *secret_arena,
                                                     const struct dialect_environment *environment);

#endif
