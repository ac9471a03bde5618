/*
 * How Go's YAML writers, yaml.v2 and yaml.v3, put down indentation, indicators and scalars (private
 * to yaml/). Both are made after libyaml's: the writer knows its column, and whether the line holds
 * nothing but white space and indicators so far.
 *
 * COMPAT: everything here is as those writers have it, pretty or not.
 */
#ifndef OSM_GEN_YAML_GO_WRITER_H
#define OSM_GEN_YAML_GO_WRITER_H

#include "base/base.h"

struct go_writer {
	struct buf *buf;
	bool is_v3;
	int width; /* lines are folded at the first space behind it */
	int column;
	int indent;     /* of the node being written; -1 outside of all */
	bool is_spaced; /* the last thing written was white space */
	bool is_fresh;  /* the line holds only white space and indicators */
	sv refused;     /* why something cannot be written, in Go's words */
};

/* To the indentation, on a new line unless this one is still fresh. */
void go_writer_put_indent(struct go_writer *writer);
void go_writer_put_indicator(struct go_writer *writer, const char *text, bool needs_space,
                             bool is_space, bool keeps_fresh);
/* A text that is known to need no quotes. */
void go_writer_put_plain(struct go_writer *writer, sv s, bool may_fold);
/* A text in the style that those writers choose for it. */
void go_writer_put_string(struct go_writer *writer, sv s, bool is_simple_key);
/* The key may stand before its colon on one line. */
bool go_writer_is_simple_key(const struct go_writer *writer, sv key);

#endif
