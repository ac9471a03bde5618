/*
 * json: JSON of two kinds.
 *
 *   parse.c, emit.c  text to value and back, as Go's encoding/json reads and writes it: manifests
 *                    and templates, where every value has its place and Go's results matter
 *   document.c       what programs write for programs: index.json, reports, what kubectl prints;
 *                    jansson's work
 */
#ifndef OSM_GEN_JSON_JSON_H
#define OSM_GEN_JSON_JSON_H

#include "value/value.h"

/* jansson's own type, which only json/document.c looks into. */
struct json_t;

#define JSON_MAX_DEPTH 100 /* lists and objects inside each other (Go: 10000) */
#define JSON_MAX_SIZE  ((size_t)64 * 1024 * 1024) /* bytes of one text */

/* To be called first in a program: jansson takes memory from base/memory.h from here on. */
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
 * the last of equal keys wins, no origins. False: *ret_error is Go's own text, such as
 * "invalid character 'x' looking for beginning of value". A number out of range leaves the rest in
 * *ret_value, with null in its place.
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
/* The string alone, quoted: for texts that are put together by hand. */
void json_emit_string(struct buf *buf, sv s, unsigned flags);

/* ---- documents --------------------------------------------------------------------------- */

/*
 * A document is a tree on the heap. Its root is freed, by JSON_DOC_AUTO; all below belongs to it,
 * texts included. Not for secrets: freed memory is not wiped.
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
/*
 * The same for what other programs print: the last of equal keys counts, and numbers are no
 * integers, so that large ones do not stand in the way.
 */
MUST_CHECK enum status json_doc_read_lenient(struct sink *sink, const struct source *source,
                                             struct json_t **ret_root);

/* Null when there is none, and when v (may be null) is no object. */
const struct json_t *json_doc_get(const struct json_t *v, const char *key);
bool json_doc_is_list(const struct json_t *v);
bool json_doc_is_text(const struct json_t *v);
bool json_doc_is_null(const struct json_t *v); /* also when there is no v */
bool json_doc_is_true(const struct json_t *v);
/* Items of a list; 0 for anything else. */
size_t json_doc_count(const struct json_t *v);
const struct json_t *json_doc_item(const struct json_t *list, size_t i);
/* The text; empty for anything else. It lives as long as the document. */
sv json_doc_text(const struct json_t *v);
/* The integer; 0 for anything else. */
int64_t json_doc_integer(const struct json_t *v);

struct json_t *json_doc_map(void);
struct json_t *json_doc_list(void);
/* The new value belongs to the map or list. Each key once, in the order that they are written. */
void json_doc_set(struct json_t *map, const char *key, struct json_t *value);
void json_doc_set_text(struct json_t *map, const char *key, sv text);
/* Nothing for an empty text. */
void json_doc_set_text_if(struct json_t *map, const char *key, sv text);
void json_doc_set_size(struct json_t *map, const char *key, size_t size);
void json_doc_set_bool(struct json_t *map, const char *key, bool b);
void json_doc_set_null(struct json_t *map, const char *key);
void json_doc_add(struct json_t *list, struct json_t *value);
void json_doc_add_text(struct json_t *list, sv text);

/*
 * Appends the document and LF: two spaces a level, "key": value. Bytes of texts that are not UTF-8
 * are U+FFFD.
 */
void json_doc_write(struct buf *buf, const struct json_t *root);

/* The version of jansson that it was built with. */
const char *json_library_version(void);

#endif
