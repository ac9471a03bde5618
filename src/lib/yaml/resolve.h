/*
 * Private to yaml/: types of plain scalars, and scalars on their way to JSON.
 */
#ifndef OSM_GEN_YAML_RESOLVE_H
#define OSM_GEN_YAML_RESOLVE_H

#include "value/value.h"

/*
 * Resolves an untagged plain scalar as yaml.v2 does: to nil, bool, int64, uint64, float64 (not
 * finite for .inf and .nan), or else to the string itself.
 */
struct value yml_resolve(sv text);

/* Returns true if yaml.v2 takes it for a time: "2020-1-2", "2020-01-02T03:04:05Z", "2020-01-02
 * 03:04:05.5". */
bool yml_is_timestamp(sv text);

/* Returns true if the text is one of the words, whose list ends with a null pointer. */
bool yml_is_one_of(sv text, const char *const *words);

/* Returns true for a number in base 60, which YAML 1.1 has: 12:30, 1:02:03.5. */
bool yml_is_base60(sv text);

/*
 * Returns true if every reader of YAML 1.1 or 1.2 takes the plain scalar for a string. Returns
 * false for anything that looks like a number, date, boolean or null to any of them.
 */
bool yml_is_surely_string(sv text);

/* ---- scalar.c ------------------------------------------------------------------------------ */

#define YML_TAG_PREFIX "tag:yaml.org,2002:"

/*
 * Applies a scalar's tag: !!int "5" is 5. Tags that are not YAML's own leave a string. Returns
 * false if tag and content contradict each other.
 */
MUST_CHECK bool yml_apply_tag(struct arena *arena, sv tag, sv text, struct value *ret);

/* Returns the string with U+FFFD for each byte that is not UTF-8, as Go's encoding/json has it. */
sv yml_json_text(struct arena *arena, sv s);

/* Converts a key as sigs.k8s.io/yaml does for JSON. Fails for null, lists, maps and uint64. */
MUST_CHECK bool yml_key_text(struct arena *arena, const struct value *v, sv *ret);

/* A finite float without a fraction becomes an integer: JSON does not distinguish them. */
void yml_settle_number(struct value *v);

#endif
