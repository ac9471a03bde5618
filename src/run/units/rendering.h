/*
 * The state of rendering, and the part of it that puts a unit's files.
 */
#ifndef OSM_GEN_RUN_UNITS_RENDERING_H
#define OSM_GEN_RUN_UNITS_RENDERING_H

#include "os/os.h"
#include "review/review.h"
#include "run/units/exceeded.h"
#include "run/units/units.h"

/* The state of one thread. */
struct run_worker {
	struct arena *results;           /* clear, kept to the end */
	struct map words;                /* see run_tree_file */
	struct arena *scratch;           /* of the secret kind, reset after each unit */
	struct sealer *sealer;           /* null without a seed */
	VEC(struct review_file) changed; /* clear files of the unit, in scratch */
	sv added; /* the config of a unit that the previous output does not have; or empty */
};

/* The state that all threads share while they render. */
struct run_rendering {
	const struct run_env *env;
	const struct run_job *job;
	bool writes;
	struct run_writer *writer;
	struct run_rendered *rendered;
	struct run_worker *workers;
	struct run_exceeded *exceeded;
	const size_t *order;   /* places of units in the plan */
	struct os_mutex *lock; /* protects the following members */
	size_t done;
	bool *is_right; /* for each unit of the plan: true if it was rendered without a mistake */
	struct review_hosts *hosts; /* of the previous output, read when a unit needs them */
	bool are_hosts_read;
	bool has_configs; /* the previous output has any, so that a host can be new */
	size_t forgotten; /* the number of units, from the first on, whose values are forgotten */
};

/*
 * Seals and puts the files of a rendered unit, and notes how they differ from those before.
 * Mistakes are in the unit's sink. `worker` is the number of the calling thread.
 */
MUST_CHECK enum status run_put_unit(struct run_rendering *r, const struct plan_unit *unit,
                                    unsigned worker, struct run_unit *result,
                                    const struct plan_revision *revision,
                                    struct dialect_rendered *rendered);
/* Adds the unit's clear files that differ to the review. Call it after each unit. */
void run_review_unit(struct run_rendering *r, const struct plan_unit *unit, unsigned worker,
                     sv kubelet_version);

#endif
