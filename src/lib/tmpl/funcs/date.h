/*
 * Go's time.Time and time.Duration as template values.
 */
#ifndef OSM_GEN_TMPL_FUNCS_DATE_H
#define OSM_GEN_TMPL_FUNCS_DATE_H

#include "golang/golang.h"
#include "tmpl/exec.h"

/* ---- time.c ------------------------------------------------------------------------------ */

struct value time_value(struct arena *arena, struct go_time time);
/* Returns Go's message on why RFC 3339 cannot express the time, or null if it can. */
const char *time_json_range(const struct value *v);
/* Charges for formatting or parsing a time by the layout. */
enum status time_charge_layout(struct tmpl_call *call, sv layout);

/* ---- times.c: times in documents --------------------------------------------------------- */

/*
 * Replaces the strings of the type `from` by times, at any depth of a tree that the caller owns.
 * Leaves a pending failure if the budget is used up.
 */
enum status times_from_texts(struct tmpl_call *call, struct value *v, const struct type *from);
/* Replaces times by strings of the type `to` for an encoder. Copies the parts that hold times. */
enum status times_to_texts(struct tmpl_call *call, const struct value *v, const struct type *to,
                           struct value *ret_value);

#endif
