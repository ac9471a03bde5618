/*
 * Indentation, indicators and scalars as Go's YAML writers, yaml.v2 and yaml.v3, emit them (private
 * to yaml/). Both follow libyaml's writer: it tracks the column, and whether the line has only
 * white space and indicators so far.
 *
 * COMPAT: everything here does as those writers do, so its choice of quotes is not yml_emit's,
 * which quotes whatever a reader of YAML 1.1 or 1.2 could take for another type.
 */
#ifndef OSM_GEN_YAML_GO_WRITER_H
#define OSM_GEN_YAML_GO_WRITER_H

#include "base/base.h"

struct go_writer {
	struct buf *buf;
	bool is_v3;
	int width; /* lines are folded at the first space after this column */
	int column;
	int indent;     /* of the node being written; -1 outside of all */
	bool is_spaced; /* the last thing written was white space */
	bool is_fresh;  /* the line has only white space and indicators */
	sv refused;     /* Go's message, if something cannot be written */
};

/* Moves to the indentation, on a new line unless this one is still fresh. */
void go_writer_put_indent(struct go_writer *writer);
void go_writer_put_indicator(struct go_writer *writer, const char *text, bool needs_space,
                             bool is_space, bool keeps_fresh);
/* Writes a string that needs no quotes. */
void go_writer_put_plain(struct go_writer *writer, sv s, bool may_fold);
/* Writes a string in the style that those writers choose. */
void go_writer_put_string(struct go_writer *writer, sv s, bool is_simple_key);
/* Returns true if the key and its colon fit on one line. */
bool go_writer_is_simple_key(const struct go_writer *writer, sv key);

#endif
