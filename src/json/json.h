/*
 * json: text to value and back, as Go's encoding/json reads and writes it.
 */
#ifndef OSM_GEN_JSON_JSON_H
#define OSM_GEN_JSON_JSON_H

#include "value/value.h"

#define JSON_MAX_DEPTH 100 /* lists and objects inside each other (Go: 10000) */
#define JSON_MAX_SIZE  ((size_t)64 * 1024 * 1024) /* bytes of one text */

/* ---- reading ----------------------------------------------------------------------------- */

/*
 * Reads a manifest: one value, and nothing but white space after it. Every node has its origin.
 * Integers that fit are type_int64 or type_uint64, other numbers type_float64 (one without a
 * fraction that fits is an integer: 1e3 is 1000); null is type_nil. A UTF-8 byte order mark is
 * skipped. Invalid UTF-8 in strings, and halves of surrogate pairs, become U+FFFD, as Go has it.
 *
 * Errors, class input: not JSON (DIAG_JSON_SYNTAX or DIAG_CONFLICT_MARKER, the first mistake only),
 * a key given twice in one object (DIAG_JSON_DUPLICATE_KEY, every one, with a note at the first), a
 * number outside float64's range, nesting or size (DIAG_JSON_LIMIT).
 */
MUST_CHECK enum status json_parse(struct arena *arena, struct sink *sink,
                                  const struct source *source, struct value *ret_value);

/*
 * The same for texts that a lenient Go decoder reads: the last of equal keys wins (and keeps the
 * place of the first).
 */
MUST_CHECK enum status json_parse_lenient(struct arena *arena, struct sink *sink,
                                          const struct source *source, struct value *ret_value);

/*
 * json.Unmarshal into interface{}: for templates, where an error is data. Numbers are type_float64,
 * the last of equal keys wins, no origins. False: *ret_error is Go's own text, such as
 * "invalid character 'x' looking for beginning of value". A number out of range leaves the rest in
 * *ret_value, with null in its place.
 */
MUST_CHECK bool json_decode(struct arena *arena, sv text, struct value *ret_value, sv *ret_error);

/* ---- writing ----------------------------------------------------------------------------- */

enum json_flags {
	JSON_ESCAPE_HTML = 1, /* < > & as \u003c \u003e \u0026: what json.Marshal does */
	JSON_SORT_KEYS = 2,   /* bytewise, as json.Marshal sorts a map; else the map's order */
	JSON_INDENT = 4,      /* two spaces, "key": value; for people. Ends without LF */
	JSON_GO = JSON_ESCAPE_HTML | JSON_SORT_KEYS,
};

/*
 * Appends the value: null, booleans, integers, floats (finite), strings, lists, maps; []byte as
 * base64; structs by their types' JSON names (Go's rules for omitempty and inline); pointers as
 * what they point to. Others are a BUG. Compact unless JSON_INDENT, no LF at the end. Floats in
 * Go's form (1e-7, 1e+21, else decimal). U+2028 and U+2029 are always escaped; invalid UTF-8 is
 * \ufffd.
 */
void json_emit(struct buf *buf, const struct value *value, unsigned flags);
/* The string alone, quoted: for texts that are put together by hand. */
void json_emit_string(struct buf *buf, sv s, unsigned flags);

#endif
