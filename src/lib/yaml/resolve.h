/*
 * What a plain scalar means (private to yaml/).
 */
#ifndef OSM_GEN_YAML_RESOLVE_H
#define OSM_GEN_YAML_RESOLVE_H

#include "value/value.h"

/*
 * An untagged plain scalar as yaml.v2 resolves it: nil, bool, int64, uint64, float64 (not finite
 * for .inf and .nan), else the string itself.
 */
struct value yml_resolve(sv text);

/* yaml.v2 takes it for a time: "2020-1-2", "2020-01-02T03:04:05Z", "2020-01-02 03:04:05.5". */
bool yml_is_timestamp(sv text);

/* A number in base 60, as YAML 1.1 has them: 12:30, 1:02:03.5. */
bool yml_is_base60(sv text);

/*
 * No reader of YAML 1.1 or 1.2 takes the plain text for anything but a string. Stricter than the
 * readers are: all that looks like a number, date, boolean or null in any of them.
 */
bool yml_is_surely_string(sv text);

#endif
