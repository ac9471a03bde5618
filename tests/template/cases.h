/*
 * What the case runner makes data of: JSON with typed wrappers ({"$int": 3}), and data sets that
 * mimic the controller's.
 */
#ifndef OSM_GEN_TESTS_TEMPLATE_CASES_H
#define OSM_GEN_TESTS_TEMPLATE_CASES_H

#include "value/value.h"

#include <jansson.h>

/* Null for a wrapper that is not known. */
const struct value *case_data(struct arena *arena, const json_t *json);

/* "osp-min", "osp-full", "generator"; null when there is none of that name. */
const struct value *case_dataset(struct arena *arena, const char *name);

/* types.c */
struct value *case_new(struct arena *arena, struct value v);
struct value case_pointer(struct arena *arena, const struct type *type, struct value target);
struct value case_ip(struct arena *arena, const char *text);
struct value case_test_struct(struct arena *arena, bool as_pointer);
struct value case_string_map(struct arena *arena, const char *const *pairs, size_t count);

extern const struct type type_named_string; /* main.NamedString */
extern const struct type type_stringer;
extern const struct type type_error_pointer;
extern const struct type type_ip_list;
extern const struct type type_int_ptr;

#endif
