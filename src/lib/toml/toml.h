/*
 * toml: text to value and back, as templates' fromToml and toToml have it: the behaviour of
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
 * Dates and times: a text in the form the library writes (RFC 3339, or its date or time alone),
 * which toml_encode writes without quotes again. Go has a time.Time there, which prints itself
 * otherwise.
 */
extern const struct type toml_type_time;

/*
 * toml.Unmarshal into map[string]interface{}. Tables are type_any_map, arrays type_any_list, arrays
 * of tables toml_type_tables, integers type_int64, floats type_float64 (inf and nan included).
 *
 * False: *ret_error is a text in that library's form, such as
 * "toml: line 1 (last key \"a\"): unexpected EOF; expected value".
 */
MUST_CHECK bool toml_decode(struct arena *arena, sv text, struct value *ret_value, sv *ret_error);

/*
 * toml.Encoder with its default two-space indent: keys sorted, plain values before tables, nulls
 * left out; a list or scalar alone is written as such, without LF. False: *ret_error is the
 * library's text (for a value that TOML has no form for), and the buffer is as it was.
 */
MUST_CHECK bool toml_encode(struct buf *buf, const struct value *value, sv *ret_error);

#endif
