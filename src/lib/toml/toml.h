/*
 * toml: TOML to values and back, for fromToml and toToml of templates. It behaves as
 * BurntSushi/toml v1.6.0 (docs/spec/templates.md 4.3).
 */
#ifndef OSM_GEN_TOML_TOML_H
#define OSM_GEN_TOML_TOML_H

#include "value/value.h"

#define TOML_MAX_DEPTH 100
#define TOML_MAX_SIZE  ((size_t)16 * 1024 * 1024)

/* []map[string]interface {}: arrays of tables. */
extern const struct type toml_type_tables;
/*
 * Dates and times: a string in the form that the library writes (RFC 3339, or its date or time
 * alone), which toml_encode writes without quotes. In Go it is a time.Time, which prints itself
 * differently.
 */
extern const struct type toml_type_time;

/*
 * toml.Unmarshal into map[string]interface{}. Tables are type_any_map, arrays type_any_list, arrays
 * of tables toml_type_tables, integers type_int64, floats type_float64 (inf and nan included).
 *
 * Returns false and the library's message in *ret_error, such as
 * "toml: line 1 (last key \"a\"): unexpected EOF; expected value".
 */
MUST_CHECK bool toml_decode(struct arena *arena, sv text, struct value *ret_value, sv *ret_error);
/* Returns the line (from 1) of the mistake that toml_decode reports, with its message; 0 if none.
 */
MUST_CHECK size_t toml_mistake_line(struct arena *arena, sv text, sv *ret_error);

/*
 * toml.Encoder with its default two-space indent: keys sorted, plain values before tables, nulls
 * left out; a list or scalar alone is written as such, without LF. Returns false and the
 * library's message if TOML has no form for a value; the buffer is then unchanged.
 */
MUST_CHECK bool toml_encode(struct buf *buf, const struct value *value, sv *ret_error);

#endif
