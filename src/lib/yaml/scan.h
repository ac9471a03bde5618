/*
 * Prepares a source for libyaml: checks its encoding, and maps libyaml's positions back to bytes
 * (private to yaml/).
 */
#ifndef OSM_GEN_YAML_SCAN_H
#define OSM_GEN_YAML_SCAN_H

#include "diag/diag.h"

/* The content of a source without its byte order mark. */
struct yml_text {
	const struct source *source;
	sv body;
	size_t count; /* characters in body */
	size_t base;  /* where body starts in the source */
	const uint32_t
	    *marks; /* byte offset of every MARK_STEP-th character, or null if all is ASCII */
};

/* Fails with DIAG_YAML_ENCODING or DIAG_YAML_LIMIT if the bytes cannot be YAML. */
MUST_CHECK enum status yml_text_open(struct arena *arena, struct sink *sink,
                                     const struct source *source, struct yml_text *ret_text);

/*
 * Returns the byte offset in the source of character `index`, which libyaml counts from the start,
 * or the end of the source if there are fewer.
 */
size_t yml_text_offset(const struct yml_text *text, size_t index);

#endif
