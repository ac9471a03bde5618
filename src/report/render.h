/*
 * Private to report/: texts made safe, and what the renderers share.
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

/* Masked and made visible (report_add_visible). */
void render_text(struct buf *buf, const struct report_style *style, sv text);
/* "##[" and the like begin at that byte: commands of CI systems; the second "#" is escaped. */
bool render_is_command(sv text, size_t at);
/* True when the rune is shown as an escape: controls, and what turns text around. */
bool render_is_hidden(uint32_t rune);
/* Columns that a rune takes on a terminal: 0, 1 or 2. Not for runes shown as escapes. */
size_t render_columns(uint32_t rune);
/* Columns of a text without hidden runes. */
size_t render_text_columns(sv text);
/* "1 error", "2 errors". */
void render_count(struct buf *buf, size_t count, const char *one, const char *many);
/* 1234567 as "1,234,567". */
void render_number(struct buf *buf, size_t number);
sv render_change_word(enum report_change change);
sv render_outcome_word(enum report_outcome outcome);
size_t render_count_severity(const struct sink *sink, enum diag_severity severity);
/* Kinds of the units that there are now, in the order of the rows: how many (size_t *) by kind. */
struct map render_kinds(struct arena *arena, const struct report_summary *summary);
/* "1 MachineDeployment", "2 MachineDeployments" */
void render_units(struct buf *buf, const struct report_summary *summary, size_t count);
/* Whether the units' classes are known: an output was compared. */
bool render_has_classes(const struct report_summary *summary);
/* "CLUSTER/NAMESPACE/NAME" */
sv render_unit_name(struct arena *arena, const struct report_unit *unit);
/* The unit whose bootstrap user-data is nearest to its limit; null when none has a limit. */
const struct report_unit *render_fullest(const struct report_summary *summary);

/* a is nearer to its limit than b. */
bool render_is_fuller(const struct report_unit *a, const struct report_unit *b);
/* Flags and keys have names, not files; files outside of the repository have absolute paths. */
bool render_has_file(struct position at);

/* ---- groups and notes -------------------------------------------------------------------- */

/* "the same in 214 MachineDeployments of 31 clusters, 640 machines", or the only unit's name. */
sv render_group_title(struct arena *arena, const struct report_summary *summary,
                      const struct report_group *group);
/* "ROLL: " before the title, where the class is known. */
sv render_group_head(struct arena *arena, const struct report_summary *summary,
                     const struct report_group *group);
/* Old and new of a group's first fields, then the names of its first units: a line each. */
void render_group_lines(struct buf *buf, const struct report_summary *summary,
                        const struct report_group *group, const struct report_style *style);
/* The text of a note, and of which units it is. */
sv render_note_line(struct arena *arena, const struct report_summary *summary,
                    const struct report_note *note);
/* Of a note that has some: the only one's name, or "in 214 MachineDeployments". */
void render_note_units(struct buf *buf, const struct report_summary *summary,
                       const struct report_note *note);
/*
 * Lines of the summary: what changes in how many, and what is worth a second look. Without
 * every_group, where units are listed anyway, not those of one unit without old and new values.
 */
void render_groups(struct buf *buf, const struct report_summary *summary, bool every_group,
                   const struct report_style *style);
size_t render_count_groups(const struct report_summary *summary, bool every_group);
void render_notes(struct buf *buf, const struct report_summary *summary, bool every_note,
                  const struct report_style *style);
/* A line of a unified difference, coloured. */
void render_diff_line(struct buf *buf, sv line, const struct report_style *style);
struct json_t;
struct json_t *render_groups_value(struct arena *arena, const struct report_summary *summary,
                                   const struct report_style *style);
struct json_t *render_notes_value(struct arena *arena, const struct report_summary *summary,
                                  const struct report_style *style);

/* ---- JSON -------------------------------------------------------------------------------- */

struct json_t;
/* Members class and replicas. */
void render_set_class(struct json_t *map, const struct report_unit *row);
/* A list of words: what became of a sealed file. */
struct json_t *render_sealed(unsigned sealed);
/*
 * json_doc_write, with what is hidden (render_is_hidden) and the second "#" of "##" as escapes: the
 * values are the same, and no log shows or obeys them.
 */
void render_json(struct buf *buf, const struct json_t *root);

/* ---- codes ------------------------------------------------------------------------------- */

/* "OSG3001" */
sv render_code(struct arena *arena, enum diag_code code);

/* ---- excerpts ---------------------------------------------------------------------------- */

/* The source line with its number, underlined; nothing for a position without a place. */
void render_excerpt(struct buf *buf, struct position at, const struct report_style *style);

#endif
