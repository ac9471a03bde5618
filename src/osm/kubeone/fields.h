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

/* Defines a shape and its members: of one file, or of several. */
#define TABLE(id, text, ...)                                                                       \
	static const struct shape_member id##_members[] = {__VA_ARGS__};                           \
	static const struct shape id = SHAPE(text, id##_members)
#define SHARED_TABLE(id, text, ...)                                                                \
	static const struct shape_member id##_members[] = {__VA_ARGS__};                           \
	const struct shape id = SHAPE(text, id##_members)

/* Rows: a name, perhaps the shape of its map, help, and other members of struct shape_member. */
#define ROW(text, kind, how, ...)                                                                  \
	{                                                                                          \
		.name = (text), .type = (kind), .form = (how), .help = __VA_ARGS__                 \
	}
#define TEXT(text, ...)        ROW(text, SHAPE_TEXT, SHAPE_ONE, __VA_ARGS__)
#define BOOL(text, ...)        ROW(text, SHAPE_BOOL, SHAPE_ONE, __VA_ARGS__)
#define INT(text, ...)         ROW(text, SHAPE_INT, SHAPE_ONE, __VA_ARGS__)
#define INT32(text, ...)       ROW(text, SHAPE_INT32, SHAPE_ONE, __VA_ARGS__)
#define DURATION(text, ...)    ROW(text, SHAPE_DURATION, SHAPE_ONE, __VA_ARGS__)
#define BASE64(text, ...)      ROW(text, SHAPE_BASE64, SHAPE_ONE, __VA_ARGS__)
#define ANY(text, ...)         ROW(text, SHAPE_ANY, SHAPE_ONE, __VA_ARGS__)
#define TEXTS(text, ...)       ROW(text, SHAPE_TEXT, SHAPE_LIST, __VA_ARGS__)
#define TEXT_MAP(text, ...)    ROW(text, SHAPE_TEXT, SHAPE_DICT, __VA_ARGS__)
#define MAP(text, shape, ...)  ROW(text, SHAPE_MAP, SHAPE_ONE, __VA_ARGS__, .of = &(shape))
#define LIST(text, shape, ...) ROW(text, SHAPE_MAP, SHAPE_LIST, __VA_ARGS__, .of = &(shape))
#define MAPS(text, shape, ...) ROW(text, SHAPE_MAP, SHAPE_DICT, __VA_ARGS__, .of = &(shape))

#endif
