/*
 * document: osm-gen's own documents that a dialect reads, for the JSON Schema. Part of dialect.h,
 * which other folders include.
 */
#ifndef OSM_GEN_DIALECT_DOCUMENT_H
#define OSM_GEN_DIALECT_DOCUMENT_H

#include "base/base.h"

struct shape;

/* A document of osm-gen.dev/v1alpha1, other than Fleet and Cluster, that a dialect reads. */
struct dialect_document {
	const char *kind;
	const struct shape *shape; /* of the whole document */
};

#endif
