/*
 * The job of rendering: what all units share.
 */
#ifndef OSM_GEN_RUN_JOB_H
#define OSM_GEN_RUN_JOB_H

#include "plan/plan.h"

struct run_parts;
struct run_proofs;

/* The inputs for rendering a unit, on any thread. */
struct run_job {
	const struct plan *plan;
	const struct previous *previous; /* null before the first output */
	int64_t now;                     /* the source commit's date */
	sv out;                          /* relative to the repository; empty if it is outside */
	sv only_cluster;                 /* the one that is reviewed; empty for all */
	struct quota *steps;
	bool without_seed;
	bool wants_fetches;
	bool allows_roll;                /* --allow-roll */
	const struct run_parts *parts;   /* null if this run renders all units */
	bool *asks_now;                  /* see struct dialect_job; may be null */
	const struct run_proofs *proofs; /* proofs/proofs.h; may be null */
};

#endif
