/*
 * Private to report/: the parts of a tree, for the files that make one.
 */
#ifndef OSM_GEN_REPORT_TREE_H
#define OSM_GEN_REPORT_TREE_H

#include "report/render.h"

/* The arguments of every part. */
struct tree {
	struct arena *arena;
	const struct report_summary *summary;
	const struct secret_mask *mask;
	bool for_forms; /* with members that forms need and JSON does not have */
	bool every;     /* the form shows all items of long lists */
	bool is_short;  /* without the strings of diagnostics and lists of all units and files */
	bool for_annotations; /* with marks */
	/* For a comment: diffs of groups for Markdown (render_diff_value), without units. */
	bool for_comment;
	/* The most items of lists that a form shows only the first of; 0 for all. */
	size_t shown_max;
	size_t listed_max; /* the same of units that are named one by one, and of causes */
	size_t notes_max;  /* the same of the notes */
	size_t groups_max; /* the same of the groups */
};

/* Returns true if a list has as many items as the form can show. */
bool tree_is_full(size_t count, size_t max);
/* Returns a string of the inputs without secrets, and a list of them. */
struct value tree_masked(struct tree *t, sv text);
struct value tree_masked_list(struct tree *t, const sv *items, size_t count);
/* Returns a part of a unit's name. JSON has it as it is. */
struct value tree_name(struct tree *t, sv name);
/* Returns a word of the program, which no form escapes. */
struct value tree_word(const char *word);
/* Returns the line of a place in a file, or VALUE_INVALID. */
struct value tree_line(const struct position *at);
/* Returns the kind of all units for one unit, and for many. */
struct value tree_kind(struct tree *t);
/* Returns the place for a form that marks lines of files, if it is in a file of the repository. */
struct value tree_mark(struct tree *t, struct position at);
/* Returns a diagnostic; `also_at` is about others of the same cause, and may be empty. */
struct value tree_diag(struct tree *t, const struct diag *diag, sv also_at);
/* Returns the diagnostics, warnings of one cause as one. */
struct value tree_causes(struct tree *t, const struct render_copies_list *causes);
/* Returns the unit as the plan has it; as the report has it with the rest. */
struct value tree_unit(struct tree *t, const struct report_unit *row, bool is_whole);
/* Returns the units of a class that are named one by one. */
struct value tree_listed_units(struct tree *t, enum report_class class);
/* Returns one of them. */
struct value tree_listed_unit(struct tree *t, const struct report_unit *row,
                              enum report_class class);
/* Returns cluster, namespace and name of each unit. */
struct value tree_unit_names(struct tree *t, const size_t *units, size_t count);
struct value tree_group(struct tree *t, const struct report_group *group);
struct value tree_groups(struct tree *t);
struct value tree_note(struct tree *t, const struct report_note *note);
struct value tree_notes(struct tree *t);
/* Returns the files; only sealed ones for the plan, which has no others. */
struct value tree_files(struct tree *t, bool only_sealed);
/* Returns the numbers of units, files and diagnostics. */
struct value tree_counts(struct tree *t, const struct sink *sink);
/* Returns the first files that are added, changed or removed; all if `max` is 0. */
struct value tree_changed_files(struct tree *t, size_t max);
/* Returns a root with what the command did. */
struct value tree_run(struct tree *t);
/* Returns the root that JSON has. */
struct value tree_whole(struct tree *t, const struct sink *sink);

/* ---- parts as lines (lines.c) -------------------------------------------------------------- */

/* The form "lines" and the tree that its roots are made of. */
struct render_lines_form {
	struct tree tree;
	const struct report_form *form;
};
/* Returns what the form shows of the members that the root has. */
sv render_lines_text(struct render_lines_form *form, struct value *root);
/*
 * Returns how many machines are replaced at once, a line for each maxSurge and maxUnavailable, and
 * one for each kubelet and control plane. No lines if nothing is replaced.
 */
struct value tree_pace(struct tree *t);

/* ---- parts of the HTML page (html_pictures.c, html_data.c) ----------------------------------- */

/*
 * Returns the data of bars: machines by cluster and class and by kubelet, user-data against its
 * limit. A picture without bars is left out.
 */
struct value html_pictures(struct tree *t);
/*
 * Returns the units as one JSON document for the page's script. It contains no "<", no hidden
 * characters and no commands of CI systems.
 */
sv html_data(struct tree *t);

/* ---- what JSON does not have (form_tree.c) ------------------------------------------------- */

/* Returns the effect on machines in one line; an empty string if the output was not compared. */
sv tree_rollout(struct tree *t);
/* Returns the titles of a table of clusters and classes, and the row of a cluster. */
struct value tree_class_words(struct tree *t, const enum report_class *columns, size_t count);
struct value tree_cluster_row(struct tree *t, sv name, const struct render_cluster *cluster,
                              const enum report_class *columns, size_t count);
/* Returns the removed, the scaled and the added units, whose lists the root has. */
struct value tree_leaving(struct tree *t, const struct value *root);
/*
 * Returns the table of the clusters that change as aligned lines, or VALUE_INVALID if it would have
 * a single row.
 */
struct value tree_table(struct tree *t);
/* Returns the numbers of units by kind, if they have several kinds. */
struct value tree_kind_counts(struct tree *t);
/* Returns the unit whose bootstrap user-data is nearest to its limit. */
struct value tree_fullest(struct tree *t);
/* Adds what the template "changes" shows beside notes, rollout and groups. */
void tree_add_shown(struct tree *t, struct value *root, const struct report_style *style);

#endif
