/*
 * Classifies each changed file: does it change user-data, and did a sealed value change or only its
 * recipients?
 */
#ifndef OSM_GEN_RUN_UNITS_CLASSIFY_H
#define OSM_GEN_RUN_UNITS_CLASSIFY_H

#include "run/output/output.h"
#include "run/rendered.h"

/* A file that was put and that differs from the one before. */
struct run_comparison {
	struct arena *results;
	struct arena *scratch; /* a secret arena */
	const struct seal_root *root;
	const struct plan_sealed_before *before;
	const struct tree_seal_request *seal; /* that the file was made with */
	const struct artifact *artifact;
	bool is_patch;
	bool is_sealed;
	sv path;
	sv text;
	sv path_before; /* the same unless it has moved */
	bool was_there;
	sv text_before; /* set if was_there */
};

/*
 * Compares spec.replicas of a MachineDeployment with that of its file in the previous output, for
 * the unit's facts. Does nothing for other artifacts.
 */
void run_find_scale(struct arena *scratch, const struct artifact *artifact, sv text_before,
                    struct run_unit *unit);
/* Adds what differs to the unit's facts and sealed changes. */
MUST_CHECK enum status run_classify(struct sink *sink, const struct run_comparison *c,
                                    struct run_unit *unit);

/*
 * Compares the unit itself with the previous file: does its template change, and does it do so by
 * the roll annotation alone? The index has digests of both, but anybody can edit it. A template
 * that cannot be compared, since the file is gone or damaged, counts as one that rolls.
 */
void run_compare_templates(const struct run_comparison *c, const struct previous *previous,
                           struct run_unit *unit);

/* The units that running machines restart: see run_find_applied. */
struct run_applied {
	struct arena *results;
	struct arena *scratch;
	const struct review_file *changed; /* the clear files of the unit that differ */
	size_t changed_count;
	const struct artifacts *artifacts;
	const struct seal_root *root; /* null without a seed */
};

/*
 * Sets the units that running machines restart and stop, if the unit's class is IN-PLACE, or if it
 * is ROLL and they apply the config until they are replaced.
 */
void run_find_applied(const struct run_applied *a, struct run_unit *unit);

#endif
