/*
 * The results of all stages, for those that report them.
 */
#ifndef OSM_GEN_RUN_FACTS_H
#define OSM_GEN_RUN_FACTS_H

#include "git/git.h"
#include "plan/plan.h"
#include "run/inputs/inputs.h"
#include "run/rendered.h"

/* A pointer is null if the run did not get that far. */
struct run_facts {
	const struct run_inputs *inputs;
	const struct plan *plan;
	const struct previous *previous;
	const struct run_rendered *rendered;
	const struct git_changes *changes;
	const struct plan_recipient_changes *recipient_changes;
	sv cluster; /* the only one that is reported; empty for all */
	sv branch;  /* of the output; empty for HEAD's */
	bool without_seed;
};

/* Returns false for clusters that are not asked for. */
static inline bool run_is_reported(const struct run_facts *facts, sv cluster)
{
	return sv_empty(facts->cluster) || sv_eq(facts->cluster, cluster);
}

#endif
