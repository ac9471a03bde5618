/*
 * Private to yaml/: prepares a source for libyaml, and reports its errors with what to do.
 */
#ifndef OSM_GEN_YAML_PROBLEM_H
#define OSM_GEN_YAML_PROBLEM_H

#include "diag/diag.h"
#include "value/value.h"

#include <yaml.h>

/* ---- scan.c: checks the encoding, and maps libyaml's positions to bytes -------------------- */

/* Bytes that libyaml does not read: of a ciphertext, with base64 on both sides, or lines. */
struct yml_cut {
	size_t at; /* in what libyaml reads */
	size_t length;
	bool of_lines;
};

/* The content of a source without its byte order mark. */
struct yml_text {
	const struct source *source;
	sv body;
	sv read;              /* what libyaml reads: `body` without the cuts */
	struct yml_cut *cuts; /* in their order */
	size_t cut_count;
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

/* ---- cut.c --------------------------------------------------------------------------------- */

/*
 * Cuts long ciphertexts of SOPS, `ENC[AES256_GCM,data:...`, and long literals: libyaml takes a
 * hundred instructions a character. Returns false if there are none.
 */
bool yml_text_cut(struct arena *scratch, struct yml_text *text);

/* Returns the number of bytes that are cut before character `index` of what libyaml reads. */
size_t yml_cut_before(const struct yml_text *text, size_t index);

enum yml_cut_result {
	YML_NOT_CUT,
	YML_CUT,
	YML_CUT_UNKNOWN, /* the text has to be read whole */
};

/*
 * Sets the text of a scalar, with what was cut of it, in `scratch` or as libyaml has it. `passed`
 * counts the cuts up to the scalar before, as scalars are asked for in their order; it begins with
 * 0.
 */
enum yml_cut_result yml_whole_text(struct arena *scratch, const struct yml_text *text,
                                   const yaml_event_t *scalar, size_t *passed, sv *ret_text);
/* Returns false if lines were cut after the last scalar: the text has to be read whole. */
bool yml_cuts_end(const struct yml_text *text, size_t passed);

/* ---- origin.c ------------------------------------------------------------------------------ */

/* Returns the place of a scalar, an alias, or what begins a list or a mapping, as it is written. */
struct origin yml_event_origin(const struct yml_text *text, const yaml_event_t *event);

/* ---- problem.c ----------------------------------------------------------------------------- */

/* Reports the parser's error as one diagnostic. */
void yml_report_problem(struct sink *sink, const struct yml_text *text,
                        const yaml_parser_t *parser);

/* Returns true if the line has a template action, which YAML takes for a flow mapping. */
bool yml_line_has_action(struct position at);

/* The help for such a line. */
#define YML_HELP_ACTION "put a value that holds {{ ... }} in quotes, or in a block after |"

#endif
