/*
 * Private to report/: the parts of the tree that tree.c and terminal.c make it of.
 */
#ifndef OSM_GEN_REPORT_TREE_H
#define OSM_GEN_REPORT_TREE_H

#include "report/report.h"

/* The arguments of every part. */
struct tree {
	struct arena *arena;
	const struct report_summary *summary;
	const struct secret_mask *mask;
	bool for_forms; /* with members that forms need and JSON does not have */
	bool every;     /* the form shows all items of long lists */
	bool is_short;  /* without the lines of diagnostics and the lists of all units and files */
	/* For annotations: with their lines and marks, without lists of all units. */
	bool for_annotations;
	/* The most items of lists that a form shows only the first of; 0 for all. */
	size_t shown_max;
	size_t notes_max;  /* the same of the notes */
	size_t groups_max; /* the same of the groups */
};

/* Returns true if a list has as many items as the form can show. */
bool tree_is_full(size_t count, size_t max);
/* Returns a string of the inputs without secrets. */
struct value tree_masked(struct tree *t, sv text);
/* Returns a part of a unit's name. JSON has it as it is. */
struct value tree_name(struct tree *t, sv name);
struct value tree_list(struct tree *t, const sv *items, size_t count);
/* Returns the units of a class that are named one by one. */
struct value tree_listed_units(struct tree *t, enum report_class class);
struct value tree_groups(struct tree *t);
struct value tree_notes(struct tree *t);
/* Returns the numbers of units, files and diagnostics. */
struct value tree_counts(struct tree *t, const struct sink *sink);
/* Returns a root with what the command did. */
struct value tree_run(struct tree *t);
/* Sets members of the root, except those with VALUE_INVALID. */
void tree_set_members(struct tree *t, struct value *root, const struct value_member *members,
                      size_t count);
/* Adds what the template "changes" shows beside notes, rollout and groups. */
void tree_add_shown(struct tree *t, struct value *root, const struct report_style *style);

#endif
