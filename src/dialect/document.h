/*
 * document: osm-gen's own documents that a dialect reads, for the JSON Schema. Part of dialect.h,
 * which other folders include.
 */
#ifndef OSM_GEN_DIALECT_DOCUMENT_H
#define OSM_GEN_DIALECT_DOCUMENT_H

#include "base/base.h"
#include "value/value.h"

/* A member of one of osm-gen's own documents that a dialect reads. The JSON Schema has it. */
enum dialect_member_type {
	DIALECT_MEMBER_TEXT,
	DIALECT_MEMBER_BOOL,
	DIALECT_MEMBER_NUMBER, /* a whole number, not negative */
	DIALECT_MEMBER_MAP,    /* of any values without `of` */
	DIALECT_MEMBER_LIST,   /* of strings without `of` */
};
struct dialect_member {
	const char *map; /* the map that has it: "spec of a KIND", or the `of` of another member */
	const char *name;
	enum dialect_member_type type;
	const char *of;      /* the name of its map, or of its items' map; may be null */
	const char *choices; /* the allowed strings, "a|b"; may be null */
	const char *help;
};
struct dialect_document {
	const char *kind; /* of osm-gen.dev/v1alpha1 */
	const struct dialect_member *members;
	const size_t *member_count;
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
