/*
 * json: JSON of two kinds.
 *
 *   parse.c, emit.c  JSON to values and back, as Go's encoding/json does it: for manifests and
 *                    templates, where every value has its place and Go's results matter
 *   document.c       JSON that programs exchange: index.json, reports; uses jansson
 */
#ifndef OSM_GEN_JSON_JSON_H
#define OSM_GEN_JSON_JSON_H

#include "value/value.h"

/* jansson's own type, which only json/document.c looks into. */
struct json_t;

#define JSON_MAX_DEPTH 100 /* lists and objects inside each other (Go: 10000) */
#define JSON_MAX_SIZE  ((size_t)64 * 1024 * 1024) /* bytes of one document */

/* Makes jansson take memory from base/memory.h. Call it first in a program. */
void json_start(void);

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
 * json.Unmarshal into interface{}: for templates, where an error is data. Numbers are type_float64,
 * the last of equal keys wins, values have no origin. Returns false and Go's message in *ret_error,
 * such as "invalid character 'x' looking for beginning of value". After a number out of range
 * *ret_value has the rest, with null in its place.
 */
MUST_CHECK bool json_decode(struct arena *arena, sv text, struct value *ret_value, sv *ret_error);

/* ---- writing ----------------------------------------------------------------------------- */

enum json_flags {
	JSON_ESCAPE_HTML = 1, /* < > & as \u003c \u003e \u0026: what json.Marshal does */
	JSON_SORTED = 2,      /* bytewise, as json.Marshal sorts a map; else the map's order */
	JSON_PRETTY = 4,      /* two spaces, "key": value, as json.MarshalIndent */
	JSON_GO = JSON_ESCAPE_HTML | JSON_SORTED,
};

/*
 * Appends the value: null, booleans, integers, floats (finite), strings, lists, maps; []byte as
 * base64; structs by their types' JSON names (Go's rules for omitempty and inline); pointers as
 * what they point to. Others are a BUG. Compact unless JSON_PRETTY, no LF at the end. Floats in
 * Go's form (1e-7, 1e+21, else decimal). U+2028 and U+2029 are always escaped; invalid UTF-8 is
 * \ufffd.
 */
void json_emit(struct buf *buf, const struct value *value, unsigned flags);
/* Appends a quoted string: for JSON that is written by hand. */
void json_emit_string(struct buf *buf, sv s, unsigned flags);

/* ---- documents --------------------------------------------------------------------------- */

/*
 * A document is a tree on the heap. Free its root, with JSON_DOC_AUTO: everything below belongs to
 * it, strings included. Not for secrets: freed memory is not wiped.
 */
void json_doc_free(struct json_t *root);
static inline void json_doc_freep(struct json_t **root)
{
	json_doc_free(*root);
}
#define JSON_DOC_AUTO CLEANUP(json_doc_freep) struct json_t *

/*
 * Reads a list or an object. A UTF-8 byte order mark is skipped. Errors, class input, the first
 * mistake only: not JSON (DIAG_JSON_SYNTAX or DIAG_CONFLICT_MARKER), a key given twice in one
 * object (DIAG_JSON_DUPLICATE_KEY), a number out of range, nesting (DIAG_JSON_LIMIT).
 */
MUST_CHECK enum status json_doc_read(struct sink *sink, const struct source *source,
                                     struct json_t **ret_root);

/* Returns the member, or null if it is missing or v is not an object. v may be null. */
const struct json_t *json_doc_get(const struct json_t *v, const char *key);
bool json_doc_is_list(const struct json_t *v);
bool json_doc_is_true(const struct json_t *v);
/* Returns the number of items of a list, or 0 for anything else. */
size_t json_doc_count(const struct json_t *v);
const struct json_t *json_doc_item(const struct json_t *list, size_t i);
/* Returns the string, or an empty one for anything else. It lives as long as the document. */
sv json_doc_text(const struct json_t *v);
/* Returns the integer, or 0 for anything else. */
int64_t json_doc_integer(const struct json_t *v);

struct json_t *json_doc_map(void);
struct json_t *json_doc_list(void);
/* The map or list takes ownership of the value. Set each key once, in the order of writing. */
void json_doc_set(struct json_t *map, const char *key, struct json_t *value);
void json_doc_set_text(struct json_t *map, const char *key, sv text);
/* Does nothing if the string is empty. */
void json_doc_set_text_if(struct json_t *map, const char *key, sv text);
void json_doc_set_size(struct json_t *map, const char *key, size_t size);
void json_doc_add(struct json_t *list, struct json_t *value);
void json_doc_add_text(struct json_t *list, sv text);

/*
 * Appends the document and LF, indented by two spaces a level. Bytes of strings that are not UTF-8
 * become U+FFFD.
 */
void json_doc_write(struct buf *buf, const struct json_t *root);

/* Returns the version of jansson that the program was built with. */
const char *json_library_version(void);

#endif
