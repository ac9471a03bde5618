/*
 * Private to osm/kubeone/: how tables of members are written.
 */
#ifndef OSM_GEN_OSM_KUBEONE_FIELDS_H
#define OSM_GEN_OSM_KUBEONE_FIELDS_H

#include "shape/shape.h"

enum kubeone_flags {
	KUBEONE_V1BETA2 = SHAPE_OWN,      /* only of v1beta2 */
	KUBEONE_V1BETA3 = SHAPE_OWN << 1, /* only of v1beta3 */
	/* A pointer in KubeOne: merged also if it is 0 or false. */
	KUBEONE_NULLABLE = SHAPE_OWN << 2,
	KUBEONE_APART = SHAPE_OWN << 3, /* known, but not merged */
	/* A member with two rows: one for the decoder, one for the JSON Schema. */
	KUBEONE_DECODED = SHAPE_OWN << 4,
	KUBEONE_SHOWN = SHAPE_OWN << 5,
};

/* Defines a shape that several files use, and its members. */
#define SHARED_TABLE(id, text, ...)                                                                \
	static const struct shape_member id##_members[] = {__VA_ARGS__};                           \
	const struct shape id = SHAPE(text, id##_members)

#endif
