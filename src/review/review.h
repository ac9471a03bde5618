/*
 * review: what of a run's changes a person has to look at. The same change in many units is one
 * group, with old and new of the values that people know; what is easily overlooked is a note.
 *
 *   normal.c  the difference of a unit's clear files, in a form that is alike for like changes
 *   notes.c   what is worth a second look
 *   review.c  units collected on any thread, groups made of them
 *
 * The form: the unified differences of all of a unit's clear files that changed, without line
 * numbers, with marks in place of the unit's name, namespace and cluster, of fingerprints of sealed
 * values, and of annotations that are of one unit alone. Two units are of one group when it is
 * equal byte for byte, so what is shown for a group is what changes in each of its units. Texts are
 * compared and dropped: what is kept is one form a group.
 */
#ifndef OSM_GEN_REVIEW_REVIEW_H
#define OSM_GEN_REVIEW_REVIEW_H

#include "dialect/dialect.h"
#include "report/report.h"

struct review;

/* The arena lives as long as the review, and is its own. */
struct review *review_new(struct arena *arena);
void review_free(struct review *review);

/* A clear file of a unit that was there before and is another one now. */
struct review_file {
	sv path; /* CLUSTER/SIDE/..., in whichever part or bucket it stands */
	sv before;
	sv after;
	bool is_config; /* the dialect can describe it */
};

struct review_unit {
	const struct dialect *dialect;
	sv cluster;
	sv namespace;
	sv name;
	size_t place; /* the caller's number of it: see review_finish */
	const struct review_file *files;
	size_t file_count;
};

/* Any thread. What is kept is copied. */
void review_add(struct arena *scratch, struct review *review, const struct review_unit *unit);

/*
 * Groups and notes of the summary, whose units and recipients are there already. places: of each
 * number given as `place` its unit among the summary's.
 */
void review_finish(struct arena *arena, struct review *review, const size_t *places,
                   struct report_summary *summary);

#endif
