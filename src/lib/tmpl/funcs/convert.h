/*
 * Conversions that several families share: spf13/cast's numbers, sprig's lists of strings.
 */
#ifndef OSM_GEN_TMPL_FUNCS_CONVERT_H
#define OSM_GEN_TMPL_FUNCS_CONVERT_H

#include "tmpl/exec.h"

/* cast.ToInt64, ToFloat64: anything to a number, 0 where it is none (docs/spec/templates.md 4.5).
 */
int64_t cast_int(const struct value *v);
double cast_float(const struct value *v);

bool value_is_empty(const struct value *v);

/* "[]string" with nothing in it, not nil. */
struct value string_list_new(struct arena *arena);
void list_add_string(struct arena *arena, struct value *list, sv s);

#endif
