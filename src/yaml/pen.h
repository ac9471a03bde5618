/*
 * The pen of Go's YAML writers, yaml.v2 and yaml.v3, which are libyaml's (private to yaml/): it
 * knows its column, and whether the line holds nothing but white space and indicators so far.
 *
 * COMPAT: everything here is as those writers have it, pretty or not.
 */
#ifndef OSM_GEN_YAML_PEN_H
#define OSM_GEN_YAML_PEN_H

#include "base/base.h"

struct pen {
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
void pen_put_indent(struct pen *pen);
void pen_put_indicator(struct pen *pen, const char *text, bool needs_space, bool is_space,
                       bool keeps_fresh);
/* A text that is known to need no quotes. */
void pen_put_plain(struct pen *pen, sv s, bool may_fold);
/* A text in the style that those writers choose for it. */
void pen_put_string(struct pen *pen, sv s, bool is_simple_key);
/* The key may stand before its colon on one line. */
bool pen_is_simple_key(const struct pen *pen, sv key);

#endif
