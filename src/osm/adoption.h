/*
 * Private to osm/: live objects of this dialect, for adopt, compare and observe
 * (dialect/adoption.h).
 */
#ifndef OSM_GEN_OSM_ADOPTION_H
#define OSM_GEN_OSM_ADOPTION_H

#include "osm/osm.h"

#define OSM_LIVE_KIND_COUNT       5
#define OSM_LIVE_ANNOTATION_COUNT 7
extern const struct dialect_live_kind osm_live_kinds[OSM_LIVE_KIND_COUNT];
extern const struct dialect_mark osm_live_annotations[OSM_LIVE_ANNOTATION_COUNT];
extern const struct dialect_adoption osm_adoption;

#endif
