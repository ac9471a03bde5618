/*
 * Scalars on their way to JSON (private to yaml/).
 */
#ifndef OSM_GEN_YAML_SCALAR_H
#define OSM_GEN_YAML_SCALAR_H

#include "value/value.h"

#define YML_TAG_PREFIX "tag:yaml.org,2002:"

/*
 * Applies a scalar's tag: !!int "5" is 5. Tags that are not YAML's own leave a string. Returns
 * false if tag and content contradict each other.
 */
MUST_CHECK bool yml_apply_tag(struct arena *arena, sv tag, sv text, struct value *ret);

/* Converts a key as sigs.k8s.io/yaml does for JSON. Fails for null, lists, maps and uint64. */
MUST_CHECK bool yml_key_text(struct arena *arena, const struct value *v, sv *ret);

/* A finite float without a fraction becomes an integer: JSON does not distinguish them. */
void yml_settle_number(struct value *v);

#endif
