/*
 * Conversions that several families share: spf13/cast's numbers, sprig's lists of strings.
 */
#ifndef OSM_GEN_TMPL_FUNCS_CONVERT_H
#define OSM_GEN_TMPL_FUNCS_CONVERT_H

#include "tmpl/exec.h"

/*
 * Convert any value to a number as cast.ToInt64 and cast.ToFloat64 do, or to 0 if it cannot be
 * converted (docs/spec/templates.md 4.5).
 */
int64_t cast_int(const struct value *v);
double cast_float(const struct value *v);

/* Returns true if sprig counts the value as empty; `v` may be null. */
bool value_is_empty(const struct value *v);

/* Returns an empty list of the type []string, which is not nil. */
struct value string_list_new(struct arena *arena);
void list_add_string(struct arena *arena, struct value *list, sv s);

#endif
