/*
 * Private to osm/: sorts the keys of maps.
 */
#ifndef OSM_GEN_OSM_SORTED_H
#define OSM_GEN_OSM_SORTED_H

#include "value/value.h"

/* Returns a deep copy with sorted keys, which is the order of sigs.k8s.io/yaml. */
struct value osm_sorted(struct arena *arena, const struct value *v);

#endif
