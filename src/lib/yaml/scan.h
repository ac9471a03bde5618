/*
 * What stands between a source and the library (private to yaml/): the encoding, and the way back
 * from the library's positions to bytes.
 */
#ifndef OSM_GEN_YAML_SCAN_H
#define OSM_GEN_YAML_SCAN_H

#include "diag/diag.h"

/* A source's text, without its byte order mark. */
struct yml_text {
	const struct source *source;
	sv body;
	size_t count;          /* characters in body */
	size_t base;           /* where body starts in the source */
	const uint32_t *marks; /* byte offset of every MARK_STEP-th character; null: ASCII only */
};

/* Reports DIAG_YAML_ENCODING or DIAG_YAML_LIMIT where the bytes cannot be YAML. */
MUST_CHECK enum status yml_text_open(struct arena *arena, struct sink *sink,
                                     const struct source *source, struct yml_text *ret_text);

/*
 * libyaml's marks count characters from the start. The offset in the source of character `index`;
 * of its end when there are fewer.
 */
size_t yml_text_offset(const struct yml_text *text, size_t index);

#endif
