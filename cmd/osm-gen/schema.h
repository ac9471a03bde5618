/*
 * schema: JSON Schemas of what osm-gen reads and prints.
 */
#ifndef OSM_GEN_CMD_SCHEMA_H
#define OSM_GEN_CMD_SCHEMA_H

#include "report/report.h"
#include "shape/shape.h"

/* output_shapes.c: returns the JSON Schema of what commands print with -o json. */
struct value output_schema(struct arena *arena);
/* schema.c: adds one JSON Schema for all documents that osm-gen reads, on one line. */
void schema_add_all(struct buf *buf);

#endif
