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

/* What a format has a place for. */
enum userdata_places {
	USERDATA_SCRIPT = 1,       /* node_script, but for once */
	USERDATA_LINKS = 2,        /* links */
	USERDATA_CLOUD_CONFIG = 4, /* cloud_config */
	USERDATA_REBOOT = 8,       /* reboot_strategy */
};

/*
 * Reports what a format cannot say (DIAG_USERDATA_TEXT): paths that are not absolute, that name no
 * file or hold a NUL; names of units and drop-ins that are no file's name; a NUL in a transparent
 * file or in a script; what it has no place for. places: enum userdata_places.
 */
void userdata_check_node(struct userdata_writer *w, const struct node_config *node,
                         unsigned places);
/* Reports a text that is not UTF-8. what, name: as in struct userdata_problem. */
void userdata_check_utf8(struct userdata_writer *w, const char *what, const struct value *name,
                         const struct value *text);
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

/* `mkdir -p 'FOLDER' && ln -sfT -- 'TARGET' 'PATH'`, without a line break. */
void shell_add_link(struct userdata_writer *w, const struct value *path,
                    const struct value *target);

/* ---- quoted.c ---------------------------------------------------------------------------- */

/*
 * A string in double quotes that JSON, YAML 1.1 and YAML 1.2 read alike, on one line; the text is
 * UTF-8. What coreos-cloudinit replaces in all of its input ($public_ipv4 and the like) is escaped,
 * < and > are not.
 */
void quoted_add(struct userdata_writer *w, const struct value *text);

/* The bytes in base64; tainted whole when any of them is. */
void base64_add_value(struct userdata_writer *w, const struct value *bytes);

/* ---- one file a format --------------------------------------------------------------------- */

MUST_CHECK enum status userdata_bash(struct arena *arena, struct sink *sink,
                                     const struct node_config *node, struct value *ret_text);
MUST_CHECK enum status userdata_cloud_config(struct arena *arena, struct sink *sink,
                                             const struct node_config *node,
                                             struct value *ret_text);
MUST_CHECK enum status userdata_coreos(struct arena *arena, struct sink *sink,
                                       const struct node_config *node, struct value *ret_text);
MUST_CHECK enum status userdata_ignition3(struct arena *arena, struct sink *sink,
                                          const struct node_config *node, struct value *ret_text);

#endif
