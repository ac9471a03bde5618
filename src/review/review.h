/*
 * review: summarizes a run's changes for people. The same change in many units is one group, with
 * old and new values of what people know ("kubelet"). A change that is easily overlooked is a note.
 *
 *   normal.c  brings the difference of a unit's clear files into a normal form
 *   fields.c  finds the fields that differ: old and new values
 *   lines.c   looks at the lines of a form that differ
 *   notes.c   finds changes that are easily overlooked
 *   review.c  collects the changes of units, on any thread
 *   groups.c  makes groups of them
 *   finish.c  makes groups, notes and facts of them
 *   whole.c   notes of the run as a whole: removed units, recipients, sizes
 *   facts.c   lists what a reviewer must know, the worst first
 *
 * The normal form has the unified differences of all clear files of a unit that changed, without
 * line numbers. Marks replace the unit's name, namespace and cluster, fingerprints of sealed
 * values, and annotations that differ between all units. Two units with forms that are equal byte
 * for byte have the same change, of which one form is kept. Changes are one group if their fields
 * are equal, and so are the lines of which these fields do not show all: only the text around them
 * differs. The group shows each form that changes other lines.
 */
#ifndef OSM_GEN_REVIEW_REVIEW_H
#define OSM_GEN_REVIEW_REVIEW_H

#include "dialect/dialect.h"
#include "report/report.h"

struct review;

/* The arena must live as long as the review, which is its only user. */
struct review *review_new(struct arena *arena);
void review_free(struct review *review);

/* A clear file of a unit that existed before and has changed. */
struct review_file {
	sv path; /* CLUSTER/SIDE/..., without the folders of parts and buckets */
	sv before;
	sv after;
	bool is_config; /* the dialect can describe it */
	bool is_status; /* of the unit: it only follows from what is in other files */
};

struct review_unit {
	const struct dialect *dialect;
	sv cluster;
	sv namespace;
	sv name;
	/* The kubelet's version, also where no file has it; empty if it is not known. */
	sv kubelet_before;
	sv kubelet_after;
	size_t place; /* a number that the caller chooses: see review_finish */
	const struct review_file *files;
	size_t file_count;
};

/* Adds a unit, on any thread. Strings that are kept are copied. */
void review_add(struct arena *scratch, struct review *review, const struct review_unit *unit);

/* The hosts that configs of the previous output name in URLs, and their lines that are not safe. */
struct review_hosts;
struct review_hosts *review_hosts_new(struct arena *arena);
/* Adds those of a config's file. Takes the text as it is: many are read for one unit. */
void review_hosts_add(struct review_hosts *hosts, sv config);
/*
 * Adds a unit that the previous output does not have, with the file of its config: notes the hosts
 * that it downloads from and the lines that are not safe, if no config of the previous output has
 * them. A renamed unit is such a unit, and a new one with known hosts has no note.
 */
void review_add_new(struct arena *scratch, struct review *review, const struct review_unit *unit,
                    sv config, const struct review_hosts *known);

/*
 * Two digests (32 bytes each) of the changed lines that no field shows in full: with placeholders
 * for the unit's names, and with the first unit's names.
 */
struct review_rest {
	sv normal;
	sv plain;
};

/*
 * A change as a review knows it, for the review of another run that renders other units of the same
 * plan. The findings have no units.
 */
struct review_change {
	sv key;  /* 32 bytes: the digest of the form */
	sv form; /* empty if all forms together were too large */
	struct review_rest rest;
	size_t first; /* the smallest place: fields and findings are of that unit */
	const size_t *places;
	size_t place_count;
	const struct report_field *fields;
	size_t field_count;
	bool is_line; /* the field is only the first line that differs */
	const struct report_note *findings;
	size_t finding_count;
	bool is_new; /* of units that the previous output does not have: it has notes alone */
};
/* Returns all changes, in no particular order. Their strings belong to the review. */
struct review_change *review_list(struct arena *arena, struct review *review, size_t *ret_count);
/* Adds the units of such a change, as review_add would. Strings are copied. */
void review_join(struct review *review, const struct review_change *from);

/*
 * Fills groups and notes of the summary, which must have its units and recipients. `places` maps
 * each number given as `place` to the index of its unit in the summary.
 */
void review_finish(struct arena *arena, struct review *review, const size_t *places,
                   struct report_summary *summary);

#endif
