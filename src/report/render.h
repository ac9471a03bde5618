/*
 * Private to report/: makes strings safe to show, and renders the parts that several reports share.
 */
#ifndef OSM_GEN_REPORT_RENDER_H
#define OSM_GEN_REPORT_RENDER_H

#include "report/report.h"

/* ---- colour ------------------------------------------------------------------------------ */

enum render_color {
	RENDER_BOLD,
	RENDER_ERROR,
	RENDER_WARNING,
	RENDER_NOTE,
	RENDER_GUTTER,
	RENDER_ADDED,
	RENDER_REMOVED,
};

void render_color_on(struct buf *buf, const struct report_style *style, enum render_color color);
void render_color_off(struct buf *buf, const struct report_style *style);

/* ---- text -------------------------------------------------------------------------------- */

/* Appends a string with secrets masked and control characters made visible (report_add_visible). */
void render_text(struct buf *buf, const struct report_style *style, sv text);
/* Returns the lines of a string as render_text shows them, joined by `between`. */
sv render_joined(struct arena *arena, const struct report_style *style, sv text, sv between);
/* Returns true if a command of a CI system ("##[" and the like) begins at that byte. */
bool render_is_command(sv text, size_t at);
/* Returns true if the rune is shown as an escape: controls, and changes of the text's direction. */
bool render_is_hidden(uint32_t rune);
/* Returns the columns (0 to 2) that a rune takes on a terminal. The rune must not be hidden. */
size_t render_columns(uint32_t rune);
/* Appends "1 error" or "2 errors". */
void render_count(struct buf *buf, size_t count, const char *one, const char *many);
/* Appends 1234567 as "1,234,567". */
void render_number(struct buf *buf, size_t number);
sv render_change_word(enum report_change change);
sv render_outcome_word(enum report_outcome outcome);
size_t render_count_severity(const struct sink *sink, enum diag_severity severity);
/* Returns the number (size_t *) of current units by kind, in the order of the rows. */
struct map render_kinds(struct arena *arena, const struct report_summary *summary);
/* Returns true if the units have classes, which they have if the output was compared. */
bool render_has_classes(const struct report_summary *summary);
/* Returns the unit whose bootstrap user-data is nearest to its limit; null if none has a limit. */
const struct report_unit *render_fullest(const struct report_summary *summary);

/* Returns true if the user-data of `a` is nearer to its limit than that of `b`. */
bool render_is_fuller(const struct report_unit *a, const struct report_unit *b);
/* Returns true if the position is in a file, and not in a flag or a key. */
bool render_has_file(struct position at);

/* ---- another number of machines (scale.c) -------------------------------------------------- */

/*
 * Returns the machines of a unit that its class is about: those that are deleted or added, else the
 * larger one of both numbers; REPORT_REPLICAS_UNKNOWN if it is not known.
 */
int64_t render_row_machines(const struct report_unit *row);
/*
 * Adds the effects of units whose applier deletes or adds machines: of all that have fewer, more,
 * or a number that is not known.
 */
void render_add_scales(struct arena *arena, const struct report_summary *summary,
                       struct value *effects);
/* Adds the effect of units whose manifests, with another number, somebody else applies. */
void render_add_manifest_scale(struct arena *arena, const struct report_summary *summary,
                               struct value *effects);
/* Returns "10 machines are deleted". */
sv render_scale_effect(struct arena *arena, const struct report_scale *scale);

/* ---- delivery (delivery.c) ----------------------------------------------------------------- */

/* Adds an effect for each way in which the delivery of clusters changes. */
void render_add_deliveries(struct arena *arena, const struct report_summary *summary,
                           struct value *effects);

/* ---- the effect on machines (rollout.c) ------------------------------------------------------ */

/* Returns the parts of the sentence of report_add_rollout, for forms/lines.tmpl. */
struct value render_effects(struct arena *arena, const struct report_summary *summary);
struct value render_class_effect(struct arena *arena, const struct report_summary *summary,
                                 enum report_class class);

/* ---- removed, scaled and added units ------------------------------------------------------ */

/* The classes whose units are named one by one, in the order in which they are shown. */
enum { RENDER_LISTED = 3 };
extern const enum report_class render_listed[RENDER_LISTED];
/*
 * Returns true if the list of that class has the unit. That of REPORT_CLASS_SCALE also has units
 * that roll.
 */
bool render_is_listed(const struct report_unit *row, enum report_class class);
/* Returns the number of units that the list of that class has. */
size_t render_count_listed(const struct report_summary *summary, enum report_class class);
/* Returns true unless the units are new because there was no output before. */
bool render_names_each(const struct report_summary *summary, enum report_class class);

/* ---- clusters and classes ---------------------------------------------------------------- */

#define RENDER_CLASSES (REPORT_CLASS_REMOVE + 1)
/* The classes in the order in which they are shown, the worst first. */
extern const enum report_class render_by_weight[RENDER_CLASSES];

struct render_cluster {
	sv name;
	bool changes; /* it has a unit of a class other than REPORT_CLASS_NONE */
	struct report_count classes[RENDER_CLASSES];
};
struct render_matrix {
	VEC(struct render_cluster *) clusters; /* in the order of the units */
	size_t changed_count;                  /* number of clusters that change */
	struct render_cluster all;
};
struct render_matrix render_matrix_of(struct arena *arena, const struct report_summary *summary);
/* Returns "3 (12)": units and machines; "3 (12+)" if more machines may exist; "" for no unit. */
sv render_matrix_cell(struct arena *arena, const struct report_count *count);
/* Sets the classes that occur, without REPORT_CLASS_NONE, and returns their number. */
size_t render_matrix_columns(const struct render_matrix *matrix,
                             enum report_class columns[RENDER_CLASSES]);
/* A row of the table: clusters with the same counts. */
struct render_row {
	/* The clusters' names: "prod-eu-1", "a, b: each", "12 clusters such as a: each". */
	sv name;
	size_t cluster_count;
	const struct render_cluster *cells; /* the cells of the first of them */
};
struct render_rows {
	VEC(struct render_row) rows;
	size_t left_out; /* the number of clusters in no row */
};
/* The usual number of rows. */
#define RENDER_ROWS 10
/* Returns at most that many rows, those with removed and added units first. */
struct render_rows render_matrix_rows(struct arena *arena, const struct render_matrix *matrix,
                                      size_t rows_max);
VEC_TYPE(render_lines, sv);
/*
 * Returns the table as aligned lines: titles, at most that many rows, all clusters. Sets the number
 * of clusters that are left out.
 */
struct render_lines render_matrix_lines(struct arena *arena, const struct render_matrix *matrix,
                                        size_t rows_max, size_t *ret_left_out);
/* Returns a table as aligned lines; `texts` has the cells of each row. */
struct render_lines render_table_lines(struct arena *arena, const char *const *titles,
                                       size_t columns, const sv *texts, size_t rows);

/* ---- warnings of one cause (copies.c) ---------------------------------------------------- */

/* A diagnostic, and the later ones with the same code, text and help if it is a warning. */
struct render_copies {
	const struct diag *diag;
	VEC(const struct diag *) others;
};
VEC_TYPE(render_copies_list, struct render_copies *);
struct render_copies_list render_join_copies(struct arena *arena, const struct sink *sink);
/* Returns "also at PLACE, PLACE and 5 more", or an empty string. */
sv render_other_places(struct arena *arena, const struct render_copies *copies);

/* ---- groups and notes -------------------------------------------------------------------- */

/* A heading shows that many fields, and values of that many bytes. */
enum { HEADING_FIELDS = 3, HEADING_VALUE_MAX = 40 };
/* Returns true if the group's heading has the field with its values. */
bool render_is_in_heading(const struct report_group *group, size_t field);
/* Returns true if the heading shows all that the group's fields have, apart from details. */
bool render_heading_has_all(const struct report_group *group);

/* ---- facts as annotations (annotations.c, lines.c) ----------------------------------------- */

/* Returns "ROLL: kubelet 1.34.1 -> 1.34.2 in 3 MachineDeployments", or the title of a note. */
sv render_fact_title(struct arena *arena, const struct report_summary *summary,
                     const struct report_fact *fact);
/*
 * Returns the lines below it, without secrets and made visible: what the title lacks, the units of
 * removed, scaled and added ones one by one, and the causes. May be empty.
 */
struct render_lines_form;
sv render_fact_text(struct render_lines_form *form, const struct report_fact *fact,
                    const struct render_copies_list *causes);
struct render_lines_form *render_lines_form(struct arena *arena,
                                            const struct report_summary *summary,
                                            const struct secret_mask *mask);

/* ---- the result as a tree of values -------------------------------------------------------- */

/*
 * Returns the result of a run as the JSON report has it, with secrets masked. Words of the program,
 * such as "ROLL", are of tmpl_type_word. Strings live as long as the summary and the sink.
 */
struct value render_tree(struct arena *arena, const struct report_summary *summary,
                         const struct sink *sink, const struct report_style *style);
/* Returns it with members that JSON does not have. */
struct value render_form_tree(struct arena *arena, const struct report_summary *summary,
                              const struct sink *sink, const struct report_style *style);
/*
 * Returns it without the lists of all units and files. Of other long lists of units it has the
 * first names, and their number as "total".
 */
struct value render_short_tree(struct arena *arena, const struct report_summary *summary,
                               const struct sink *sink, const struct report_style *style);
/*
 * Returns the result for annotations of two levels: of the facts that stop, `stops`, and of the
 * `others`, the number as `count`, and the first ones as `list`; then the lines of `table`.
 * `causes` are the diagnostics, warnings of one cause as one, without those that are in the text of
 * a fact. Each has its place in a file of the repository as `mark`, if it has one.
 */
struct value render_annotation_tree(struct arena *arena, const struct report_summary *summary,
                                    const struct sink *sink, const struct report_style *style);
/* Returns it as `plan -o json` has it. */
struct value render_plan_tree(struct arena *arena, const struct report_summary *summary,
                              const struct report_style *style);
/* Returns the member "rollout": how many machines are replaced at once, and versions. */
struct value render_pace_value(struct arena *arena, const struct report_summary *summary);
/* Returns its member "steps": the machines that are replaced in each step (steps.c). */
struct value render_steps_value(struct arena *arena, const struct report_summary *summary);
/* Appends a value as report_add_json does, with these flags of json.h and without LF. */
void render_value_json(struct buf *buf, const struct value *root, unsigned flags);
/* Appends lines; cells of those that have tabs are aligned as columns (table.c). */
void render_table(struct buf *buf, sv text);
/*
 * Returns a diff for a form in Markdown. {{ .Fenced }} is its first lines, made visible, in a fence
 * that none of them ends; {{ . }} is a code span as of any string.
 */
struct value render_diff_value(sv diff);

/* Returns "input", "surroundings" or "usage". */
const char *render_diag_class(enum diag_class class);

/* ---- excerpts ---------------------------------------------------------------------------- */

/*
 * Appends the source line with its number, and the place underlined. Appends nothing if the
 * position has no place in a file.
 */
void render_excerpt(struct buf *buf, struct position at, const struct report_style *style);

/* ---- files that ci/embed turns into C at build time ---------------------------------------- */

struct report_embedded_file {
	const char *path;
	const char *text;
	size_t len;
};

/* The style of the HTML page, page.css, then its script, page.js. */
extern const struct report_embedded_file report_page_files[];
extern const size_t report_page_file_count;

/* The forms, by their paths. */
extern const struct report_embedded_file report_form_files[];
extern const size_t report_form_file_count;

#endif
