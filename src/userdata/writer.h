/*
 * Private to userdata/: what the formats that write what a node configuration says have in common.
 */
#ifndef OSM_GEN_USERDATA_WRITER_H
#define OSM_GEN_USERDATA_WRITER_H

#include "diag/diag.h"
#include "node/node.h"
#include "value/text.h"

struct userdata_writer {
	struct arena *arena;
	struct sink *sink;
	struct text out;
	bool failed;
};

/* ---- check.c ----------------------------------------------------------------------------- */

/*
 * Reports what no format can say (DIAG_USERDATA_TEXT): paths that are not absolute, that name no
 * file or hold a NUL; names of units and drop-ins that are no file's name; a NUL in a transparent
 * file, in a unit or in a script.
 */
void userdata_check_node(struct userdata_writer *w, const struct node_config *node);
/* A text that cannot be written, and why. */
struct userdata_problem {
	const char *what;         /* "file", "unit", ... */
	const struct value *name; /* which one */
	const struct value *text; /* what is wrong: of a name the name */
	size_t offset;            /* where in text */
	const char *problem;      /* "a path has no NUL byte" */
	const char *help;
};
void userdata_fail(struct userdata_writer *w, struct userdata_problem problem);

/* ---- shell.c ----------------------------------------------------------------------------- */

/*
 * A word for a POSIX shell: in single quotes, a quote in it as '\''. What stands between two quotes
 * of the text stays in one piece. No NUL.
 */
void shell_add_word(struct userdata_writer *w, const struct value *text);
/* `systemctl enable 'NAME' && systemctl restart 'NAME'`, without a line break. */
void shell_add_start(struct userdata_writer *w, const struct node_start *start);
/* Lines of a script: with a line break at the end, nothing for an empty text. */
void shell_add_lines(struct userdata_writer *w, const struct value *text);

/* ---- one file a format --------------------------------------------------------------------- */

enum status userdata_bash(struct arena *arena, struct sink *sink, const struct node_config *node,
                          struct value *ret_text) MUST_CHECK;

#endif
