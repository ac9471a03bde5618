/*
 * Private to userdata/: checks and strings that osm-gen's own formats share (userdata.h).
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

/* Returns true for a unit or drop-in with empty content, which some formats take for no content. */
static inline bool userdata_is_empty(const struct value *content)
{
	return value_is_string(content) && sv_empty(content->string);
}

/* ---- check.c ----------------------------------------------------------------------------- */

/* The members of a node configuration that not every format has a place for. */
enum userdata_places {
	USERDATA_SCRIPT = 1,       /* node_script, except its member `once` */
	USERDATA_LINKS = 2,        /* links */
	USERDATA_CLOUD_CONFIG = 4, /* cloud_config */
	USERDATA_REBOOT = 8,       /* reboot_strategy */
};

/*
 * Reports whatever the format cannot express (DIAG_USERDATA_TEXT): a path that is not absolute, is
 * that of a folder or contains a NUL; a name of a unit or drop-in that is not a valid file name; a
 * NUL in a transparent file or in a script; members that the format has no place for. `places` is
 * the set (enum userdata_places) of members that it has a place for.
 */
void userdata_check_node(struct userdata_writer *w, const struct node_config *node,
                         unsigned places);
/* Reports a string that is not UTF-8; `what` and `name` as in struct userdata_problem. */
void userdata_check_utf8(struct userdata_writer *w, const char *what, const struct value *name,
                         const struct value *text);
/* Returns the position in the text if it is in a manifest unchanged, else the name's. */
struct position userdata_place(const struct value *text, size_t offset, const struct value *name);
/* A string that cannot be written, and the reason. */
struct userdata_problem {
	const char *what;         /* "file", "unit", ... */
	const struct value *name; /* the name of the file, unit, ... */
	const struct value *text; /* the wrong string; may be the name itself */
	size_t offset;            /* of the mistake in `text` */
	const char *problem;      /* "a path holds no NUL byte" */
	const char *help;
};
void userdata_fail(struct userdata_writer *w, struct userdata_problem problem);

/* ---- shell.c ----------------------------------------------------------------------------- */

/*
 * Appends a word for a POSIX shell: in single quotes, with each quote inside written as '\''.
 * Secret bytes are marked; the rest stays clear. The string must not contain a NUL.
 */
void shell_add_word(struct userdata_writer *w, const struct value *text);
/* Appends `systemctl enable 'NAME' && systemctl restart 'NAME'`, without a line break. */
void shell_add_start(struct userdata_writer *w, const struct node_start *start);
/* Appends lines of a script, with a line break at the end; appends nothing if `text` is empty. */
void shell_add_lines(struct userdata_writer *w, const struct value *text);

/* Appends `mkdir -p 'FOLDER' && ln -sfT -- 'TARGET' 'PATH'`, without a line break. */
void shell_add_link(struct userdata_writer *w, const struct value *path,
                    const struct value *target);

/* ---- quoted.c ---------------------------------------------------------------------------- */

/*
 * Appends a string in double quotes, on one line, that JSON, YAML 1.1 and YAML 1.2 read alike.
 * `text` must be UTF-8. Variables that coreos-cloudinit replaces anywhere in its input
 * ($public_ipv4 and the like) are escaped; < and > are not.
 */
void quoted_add(struct userdata_writer *w, const struct value *text);

/* Appends the bytes in base64; the result is tainted as a whole if any byte is. */
void base64_add_value(struct userdata_writer *w, const struct value *bytes);

/* ---- one file a format --------------------------------------------------------------------- */

MUST_CHECK enum status userdata_bash(struct arena *arena, struct sink *sink,
                                     const struct node_config *node, struct value *ret_text);
MUST_CHECK enum status userdata_cloud_config(struct arena *arena, struct sink *sink,
                                             const struct node_config *node,
                                             struct value *ret_text);
MUST_CHECK enum status userdata_coreos(struct arena *arena, struct sink *sink,
                                       const struct node_config *node, struct value *ret_text);
MUST_CHECK enum status userdata_ignition2(struct arena *arena, struct sink *sink,
                                          const struct node_config *node, struct value *ret_text);
MUST_CHECK enum status userdata_ignition3(struct arena *arena, struct sink *sink,
                                          const struct node_config *node, struct value *ret_text);

#endif
