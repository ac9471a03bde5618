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
/* Returns true if a command of a CI system ("##[" and the like) begins at that byte. */
bool render_is_command(sv text, size_t at);
/* Returns true if the rune is shown as an escape: controls, and changes of the text's direction. */
bool render_is_hidden(uint32_t rune);
/* Returns the columns (0 to 2) that a rune takes on a terminal. The rune must not be hidden. */
size_t render_columns(uint32_t rune);
/* Returns the columns of a string, which must have no hidden runes. */
size_t render_text_columns(sv text);
/* Appends "1 error" or "2 errors". */
void render_count(struct buf *buf, size_t count, const char *one, const char *many);
/* Appends 1234567 as "1,234,567". */
void render_number(struct buf *buf, size_t number);
sv render_change_word(enum report_change change);
sv render_outcome_word(enum report_outcome outcome);
size_t render_count_severity(const struct sink *sink, enum diag_severity severity);
/* Returns the number (size_t *) of current units by kind, in the order of the rows. */
struct map render_kinds(struct arena *arena, const struct report_summary *summary);
/* Appends "1 MachineDeployment" or "2 MachineDeployments". */
void render_units(struct buf *buf, const struct report_summary *summary, size_t count);
/* Returns true if the units have classes, which they have if the output was compared. */
bool render_has_classes(const struct report_summary *summary);
/* Returns "CLUSTER/NAMESPACE/NAME". */
sv render_unit_name(struct arena *arena, const struct report_unit *unit);
/* Returns the unit whose bootstrap user-data is nearest to its limit; null if none has a limit. */
const struct report_unit *render_fullest(const struct report_summary *summary);

/* Returns true if the user-data of `a` is nearer to its limit than that of `b`. */
bool render_is_fuller(const struct report_unit *a, const struct report_unit *b);
/* Returns true if the position is in a file, and not in a flag or a key. */
bool render_has_file(struct position at);

/* ---- groups and notes -------------------------------------------------------------------- */

/*
 * Returns "the same in 214 MachineDeployments of 31 clusters, 640 machines", or the unit's name if
 * the group has only one.
 */
sv render_group_title(struct arena *arena, const struct report_summary *summary,
                      const struct report_group *group);
/* Returns the title after the class ("ROLL: "), if the class is known. */
sv render_group_head(struct arena *arena, const struct report_summary *summary,
                     const struct report_group *group);
/*
 * Appends a line for each of the group's first fields, with old and new value, then one line with
 * the names of its first units if it has several.
 */
void render_group_lines(struct buf *buf, const struct report_summary *summary,
                        const struct report_group *group, const struct report_style *style);
/* Returns the text of a note, followed by its units in brackets if it has any. */
sv render_note_line(struct arena *arena, const struct report_summary *summary,
                    const struct report_note *note);
/*
 * Appends the unit's name, or "in 214 MachineDeployments" if the note has several. The note must
 * have at least one unit.
 */
void render_note_units(struct buf *buf, const struct report_summary *summary,
                       const struct report_note *note);
/*
 * Append the groups and the notes as lines of the summary. Without `every_group` (the units are
 * listed too) groups that would only repeat a unit's name are left out: those of one unit without
 * fields. render_count_groups returns the number of groups that render_groups counts.
 */
void render_groups(struct buf *buf, const struct report_summary *summary, bool every_group,
                   const struct report_style *style);
size_t render_count_groups(const struct report_summary *summary, bool every_group);
void render_notes(struct buf *buf, const struct report_summary *summary, bool every_note,
                  const struct report_style *style);
/* Appends a line of a unified diff, with its colour. */
void render_diff_line(struct buf *buf, sv line, const struct report_style *style);
struct json_t;
struct json_t *render_groups_value(struct arena *arena, const struct report_summary *summary,
                                   const struct report_style *style);
struct json_t *render_notes_value(struct arena *arena, const struct report_summary *summary,
                                  const struct report_style *style);

/* ---- JSON -------------------------------------------------------------------------------- */

struct json_t;
/* Sets the members "class" and "replicas". */
void render_set_class(struct json_t *map, const struct report_unit *row);
/* Returns a set of REPORT_SEALED_... as a list of words. */
struct json_t *render_sealed(unsigned sealed);
/*
 * Appends a JSON document as json_doc_write does, but with hidden runes (render_is_hidden) and the
 * second "#" of "##" as JSON escapes. The values are the same, and a CI system does not find
 * commands in them.
 */
void render_json(struct buf *buf, const struct json_t *root);

/* ---- codes ------------------------------------------------------------------------------- */

/* Returns the code as in "OSG3001". */
sv render_code(struct arena *arena, enum diag_code code);

/* ---- excerpts ---------------------------------------------------------------------------- */

/*
 * Appends the source line with its number, and the place underlined. Appends nothing if the
 * position has no place in a file.
 */
void render_excerpt(struct buf *buf, struct position at, const struct report_style *style);

#endif
