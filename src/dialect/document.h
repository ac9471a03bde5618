/*
 * document: osm-gen's own documents that a dialect reads, for the JSON Schema. Part of dialect.h,
 * which other folders include.
 */
#ifndef OSM_GEN_DIALECT_DOCUMENT_H
#define OSM_GEN_DIALECT_DOCUMENT_H

#include "base/base.h"
#include "value/value.h"

struct shape;

/* A document of osm-gen.dev/v1alpha1, other than Fleet and Cluster, that a dialect reads. */
struct dialect_document {
	const char *kind;
	const struct shape *shape; /* of the whole document */
};

/* A kind of document that somebody writes, with its JSON Schema. */
struct dialect_schema {
	const char *group; /* of the API: "cluster.k8s.io"; null for none */
	const char *version;
	const char *kind;
	const char *variant; /* the documents that it is for, if not for all: "aws"; may be null */
	const char *about;   /* what such a document is, in a line */
	struct value schema;
};
VEC_TYPE(dialect_schemas, struct dialect_schema);

#endif
