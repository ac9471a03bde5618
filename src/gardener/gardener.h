/*
 * gardener: the documents of Gardener's dialect as tables of their members. JSON Schemas are made
 * of them. The rest of the program uses the dialect through its table (dialect/dialect.h).
 */
#ifndef OSM_GEN_GARDENER_GARDENER_H
#define OSM_GEN_GARDENER_GARDENER_H

#include "shape/shape.h"

enum gardener_shape_flags {
	GARDENER_ONLY_CURRENT = SHAPE_OWN,   /* only contract current has it */
	GARDENER_ONLY_2021 = SHAPE_OWN << 1, /* only contract 2021 has it */
	GARDENER_MISPLACED = SHAPE_OWN << 2, /* in neither contract: a mistake with a reason */
	GARDENER_MISSPELT = SHAPE_OWN << 3,  /* in neither contract: read with a warning */
};

/* OperatingSystemConfig of extensions.gardener.cloud/v1alpha1. */
extern const struct shape gardener_osc_shape;
/* OperatingSystemExtension of osm-gen.dev/v1alpha1; its contract is one of its members. */
extern const struct shape gardener_system_shape;

#endif
