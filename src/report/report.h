/*
 * report: diagnostics, the summary of a run, differences and explanations as text, JSON, SARIF,
 * JUnit XML, Markdown and more. Everything is rendered into a buffer; cmd/ writes it out.
 *
 *   text.c      strings made safe to show: escapes, masks, columns, colour
 *   excerpt.c   the source line under a diagnostic, underlined
 *   diag.c      diagnostics as text
 *   explain.c   the meaning of a code as values and as text
 *   summary.h   the result of a run: units, groups, notes and facts, as report/ is given them
 *   terminal.c  the summary of a run, `plan` and `diff` as text
 *   summary.c   outcomes and changes in words
 *   rollout.c   the effect on machines
 *   lines.c     parts of a result as lines of text
 *   leaving.c   removed, scaled and added units
 *   scale.c     units with another number of machines
 *   matrix.c    units and machines of each cluster by class
 *   heading.c   the headings of groups
 *   roots.c     the result as a tree of values; json.c prints it
 *   tree.c      its parts: units, groups, notes, files, diagnostics
 *   form_tree.c what forms have besides
 *   annotations.c one annotation for each fact, and their tree
 *   sarif.c     diagnostics as SARIF, for code scanning
 *   junit.c     units and diagnostics as JUnit XML, for test reports
 *   markdown.c  the run for a comment on a pull request, as a tree and form
 *   html.c      the run as an HTML page, with page.*; html_data.c, html_pictures.c
 *   table.c     columns of cells, aligned
 *   form.c      runs the forms of the folder forms
 *   copies.c    warnings of one cause, as one
 *   github.c    diagnostics as annotations of a GitHub workflow
 *   gitlab.c    diagnostics as GitLab's Code Quality
 *   groups.c    groups and notes in words
 *   facts.c     the kinds of notes and facts
 *   pace.c      how many machines are replaced at once
 *   steps.c     the roll-out over time
 *   delivery.c  clusters that are applied from elsewhere, or in another way
 *   diff.c      unified differences
 *
 * Every report is safe for a terminal and for the log of a CI system. Control characters of the
 * inputs are shown as escapes. Commands of CI systems are broken (report_defuse). Markdown shows
 * strings of the inputs as code, so that they mention nobody and link to nothing. Reports depend on
 * their arguments only: not on the clock, not on the locale.
 */
#ifndef OSM_GEN_REPORT_REPORT_H
#define OSM_GEN_REPORT_REPORT_H

#include "diag/diag.h"
#include "report/summary.h"
#include "secrecy/secrecy.h"
#include "value/value.h"

/* ---- style ------------------------------------------------------------------------------- */

#define REPORT_DEFAULT_WIDTH 100

struct report_style {
	bool color;
	size_t width; /* columns that a source line may take; 0 for REPORT_DEFAULT_WIDTH */
	/*
	 * Secrets that are replaced by "***" in messages and source lines; may be null. This is the
	 * last line of defence: messages should hold no secrets, and lines of confidential sources
	 * are never shown.
	 */
	const struct secret_mask *mask;
	/*
	 * The number of diagnostics of one code, and of notes of each, that report_diags_text
	 * shows; 0 for all.
	 */
	size_t diags_per_code;
};

/* The usual diags_per_code: enough to see a pattern. The others are counted. */
#define REPORT_DIAGS_PER_CODE 20

/* ---- diagnostics as text (docs/spec/run.md 5) --------------------------------------------- */

/*
 *   osps/ubuntu.yaml:41:23: error[OSG3007]: function "fooBar" not defined
 *     in OperatingSystemProfile kube-system/osp-ubuntu, cluster prod
 *      |
 *   41 |               token: {{ fooBar .Token }}
 *      |                         ^~~~~~
 *   osps/ubuntu.yaml:12:3: note: the template begins here
 *   help: did you mean "foobar"?
 *
 * The line of a confidential source is not shown.
 */
void report_diag_text(struct buf *buf, const struct diag *diag, const struct report_style *style);
/*
 * Appends all diagnostics of a sink in the order reported, each followed by an empty line, then the
 * count: "2 errors, 1 warning". Appends nothing if the sink is empty. If the style has a
 * diags_per_code, warnings of one text are one, with the places of the others; and if a code has
 * more errors than that, more than three warnings, or more than three errors of one text, only the
 * number and the places of the others are shown.
 */
void report_diags_text(struct buf *buf, const struct sink *sink, const struct report_style *style);
/* Returns "path:line:col", "path", or an empty string if the position has neither. */
sv report_place(struct arena *arena, struct position at);
/*
 * Breaks what CI systems would execute in a log, from byte `from` of the buffer on: the first colon
 * of a line that begins with "::" becomes \x3a, the second "#" of "##[", "##vso[" and "##teamcity["
 * becomes \x23. Every report for a log goes through it.
 */
void report_defuse(struct buf *buf, size_t from);
/* Appends a string with control characters and invalid UTF-8 made visible: \n, \x1b, \u202e. */
void report_add_visible(struct buf *buf, sv text);
/*
 * Adds a word of a command that people can run as it is printed: in quotes where a shell needs
 * them, and without control characters, which a terminal would obey.
 */
void report_add_shell_word(struct buf *buf, sv word);
/*
 * Returns what a form prints before and after a coloured word: the members bold, error, warning,
 * note, gutter, added, removed and off, empty if the style has no colours.
 */
struct value report_colors(struct arena *arena, const struct report_style *style);

/* ---- explain ----------------------------------------------------------------------------- */

/* Returns the code for "OSG3007", "osg3007" or "3007"; null if there is no such code. */
const struct diag_code_info *report_find_code(sv text);
/* Appends title, severity, exit status and meaning, wrapped at the style's width. */
void report_explain_text(struct buf *buf, const struct diag_code_info *code,
                         const struct report_style *style);
/* Appends all codes, one a line. */
void report_codes_text(struct buf *buf, const struct report_style *style);
/* Returns one code, or all codes if `only` is null (docs/spec/run.md 5). */
struct value report_codes_tree(struct arena *arena, const struct diag_code_info *only);
/* Appends them as JSON. */
void report_codes_json(struct buf *buf, const struct diag_code_info *only);

/* ---- the summary of a run ---------------------------------------------------------------- */

/* Returns the number of files with this change, including those that `files` lacks. */
size_t report_count_files(const struct report_summary *summary, enum report_change change);

/*
 * Appends a few lines for people: the outcome, the units that change, the user-data nearest to its
 * limit. Changed files are listed if no unit changes, or if `every_file` is set.
 */
void report_summary_text(struct buf *buf, const struct report_summary *summary, bool every_file,
                         const struct report_style *style);

/*
 * Appends " (3 MachineDeployments, 2 OperatingSystemConfigs)" if the units have several kinds, else
 * nothing.
 */
void report_add_kinds(struct buf *buf, const struct report_summary *summary);

/* Returns "ROLL", "NEW-NODES-ONLY", ... */
sv report_class_word(enum report_class class);
/*
 * Sets the heading of each group, which must have everything else: what changes, where, for how
 * many machines. No two groups of one class have the same heading.
 */
void report_name_groups(struct arena *arena, struct report_summary *summary);
/*
 * Appends "cluster beta moves to another management cluster", or "3 clusters move ..."; appends
 * nothing, and returns false, if no cluster moves.
 */
bool report_add_moves(struct buf *buf, const struct report_summary *summary);
/* Units that roll or are new, with one kubelet and one control plane. */
struct report_skew {
	sv kubelet;
	sv control_plane;
	uint64_t behind;     /* minor versions that the kubelet is older */
	uint64_t ahead;      /* minor versions that it is newer */
	const size_t *units; /* as in report_group */
	size_t unit_count;
};
struct report_skew *report_skews(struct arena *arena, const struct report_summary *summary,
                                 size_t *ret_count);
/* Returns the title of a note: "MachineDeployment removed". */
sv report_note_title(struct arena *arena, const struct report_summary *summary,
                     const struct report_note *note);
/* Returns "replicas 10 -> 0: 10 machines are deleted". */
sv report_scale_text(struct arena *arena, const struct report_scale *scale);
/* Units of one class. */
struct report_count {
	size_t units;
	size_t machines; /* of units whose number of machines is known */
	bool unknown;    /* true if the number is unknown for a unit */
};
struct report_count report_count_class(const struct report_summary *summary,
                                       enum report_class class);
/* Sums the units' machines; returns false if the number is unknown for one of them. */
bool report_count_machines(const struct report_summary *summary, const size_t *units, size_t count,
                           size_t *ret_machines);
/* Returns true if machines are deleted, or may be: such a unit is worth a warning. */
bool report_loses_machines(const struct report_unit *row, enum report_class class);
/* Returns "CLUSTER/NAMESPACE/NAME". */
sv report_unit_name(struct arena *arena, const struct report_unit *unit);
/* Appends "1 MachineDeployment" or "2 MachineDeployments". */
void report_add_units(struct buf *buf, const struct report_summary *summary, size_t count);
/*
 * Appends one line without its line break: "6 machines in 3 MachineDeployments roll, 1
 * MachineDeployment is new". Returns false, and appends nothing, if every unit is of
 * REPORT_CLASS_NONE.
 */
bool report_add_rollout(struct buf *buf, const struct report_summary *summary);
/* Appends "1 MachineDeployment (4 machines) is new" and the like of the units of that class. */
void report_add_class(struct buf *buf, const struct report_summary *summary,
                      enum report_class class);
/*
 * Appends the effect of a run on machines: the line of report_add_rollout, the units by class, the
 * worst first, the fields that change, and the notes. Of long lists only the first items, unless
 * `every_unit` is set.
 */
void report_plan_text(struct buf *buf, const struct report_summary *summary, bool every_unit,
                      const struct report_style *style);
#define REPORT_PLAN_VERSION "1.4"
/* Appends the same as one JSON document, ending with LF (docs/spec/reports.md 2). */
void report_plan_json(struct buf *buf, const struct report_summary *summary,
                      const struct report_style *style);

/*
 * Appends the removed and the added units, then the groups with the names of a few units and their
 * diffs.
 */
void report_groups_text(struct buf *buf, const struct report_summary *summary,
                        const struct report_style *style);

/*
 * Appends a value as indented JSON, ending with LF, with hidden runes and the second "#" of "##" as
 * JSON escapes. The values are the same, and a CI system does not find commands in them.
 */
void report_add_json(struct buf *buf, const struct value *root);

#define REPORT_JSON_VERSION "1.6"
/*
 * Appends one JSON document, indented, ending with LF. Its member formatVersion is
 * REPORT_JSON_VERSION: the minor number grows when members are added, the major number when members
 * are removed or change their meaning.
 */
void report_json(struct buf *buf, const struct report_summary *summary, const struct sink *sink,
                 const struct report_style *style);

/*
 * Appends SARIF 2.1.0 (OASIS, 27 March 2020): one run, a rule for each code that occurs, a result
 * for each diagnostic. Columns count code points. A diagnostic that is not in a file (but in a flag
 * or a key) has no location.
 */
void report_sarif(struct buf *buf, const struct report_summary *summary, const struct sink *sink,
                  const struct report_style *style);

/*
 * Appends JUnit XML as CI systems read it: a test case for each unit that was rendered, a failed
 * one for each error, and for `check` and `diff` one that fails if something differs, with the
 * groups and the first files. Warnings are in system-out, and so are groups if nothing fails.
 */
void report_junit(struct buf *buf, const struct report_summary *summary, const struct sink *sink,
                  const struct report_style *style);

#define REPORT_MARKDOWN_MAX_SIZE                                                                   \
	((size_t)60000) /* a pull-request comment holds 65,536 characters */
/*
 * Appends Markdown for a pull-request comment or a job summary: outcome, table of changed units,
 * diagnostics, files. At most REPORT_MARKDOWN_MAX_SIZE bytes; parts that are left out are counted.
 */
void report_markdown(struct buf *buf, const struct report_summary *summary, const struct sink *sink,
                     const struct report_style *style);

/*
 * Appends one self-contained HTML page: it loads nothing, and works offline, on a phone, in a dark
 * theme, on paper and without scripts. The page's script searches and pages the table of units.
 */
void report_html(struct buf *buf, const struct report_summary *summary, const struct sink *sink,
                 const struct report_style *style);

/*
 * Appends workflow commands (::error file=...::message) that GitHub shows as annotations: errors,
 * one for each of the first facts, the effect on machines, and warnings. It is the only report with
 * commands, and none of them comes from the inputs.
 */
void report_github(struct buf *buf, const struct report_summary *summary, const struct sink *sink,
                   const struct report_style *style);

/* Appends the first facts and the diagnostics as GitLab's Code Quality: one JSON list. */
void report_gitlab(struct buf *buf, const struct report_summary *summary, const struct sink *sink,
                   const struct report_style *style);

/* ---- forms (form.c) ------------------------------------------------------------------------ */

/* The syntax of a form, in which the strings that it prints are escaped. */
enum report_syntax {
	REPORT_TERMINAL,
	REPORT_MARKUP,   /* HTML and XML: elements, and attributes in double quotes */
	REPORT_MARKDOWN, /* a code span */
	REPORT_GITHUB,   /* a property or the message of a workflow command */
	REPORT_ROFF,     /* a string in a manual page */
	REPORT_PLAIN,    /* nothing: for forms that print no string of the inputs */
	REPORT_SHELL,    /* a word of a command */
	REPORT_TABLE,    /* as REPORT_TERMINAL; tabs in the form are aligned as columns */
};
/*
 * Appends the form src/report/forms/NAME.tmpl of a result, whose tree is its dot. It can call what
 * shared.tmpl defines.
 */
void report_form(struct buf *buf, const char *name, enum report_syntax syntax,
                 const struct value *root);
/* The same for a form that is read once and run for several results. */
struct report_form;
struct report_form *report_form_new(struct arena *arena, const char *name,
                                    enum report_syntax syntax);
void report_form_run(struct buf *buf, const struct report_form *form, const struct value *root);

/* ---- differences ------------------------------------------------------------------------- */

/* Lines that do not change, around those that do. */
#define REPORT_DIFF_CONTEXT 3
/* Appends a line of a unified diff: a sign, and the text made visible. Its tabs stay. */
void report_diff_line(struct buf *buf, char sign, sv line, const struct report_style *style);
/*
 * Appends a unified diff with three lines of context; appends nothing if old and new are equal.
 * Paths are shown as given ("a/out/x.yaml"); an empty path means that the file is missing, and is
 * shown as /dev/null. The arena is for scratch memory. Returns the byte of the buffer where the
 * first hunk begins, after the lines with the paths.
 */
size_t report_diff_text(struct arena *arena, struct buf *buf, sv old_path, sv old_text, sv new_path,
                        sv new_text, const struct report_style *style);
/*
 * Appends the diff of two files that differ only in sealed values, without these values.
 * `same_clear_text` is for those that were opened and found equal.
 */
size_t report_diff_sealed(struct buf *buf, sv old_path, sv new_path, bool same_clear_text,
                          const struct report_style *style);

#endif
