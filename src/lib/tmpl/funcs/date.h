/*
 * Go's time.Time and time.Duration as template values.
 */
#ifndef OSM_GEN_TMPL_FUNCS_DATE_H
#define OSM_GEN_TMPL_FUNCS_DATE_H

#include "golang/golang.h"
#include "tmpl/exec.h"

/* ---- time.c ------------------------------------------------------------------------------ */

struct value time_value(struct arena *arena, struct go_time time);
/* Why RFC 3339 cannot say the time, in Go's words; or null. */
const char *time_json_range(const struct value *v);
/* Before a time is written or read by the layout. */
enum status time_charge_layout(struct tmpl_call *call, sv layout);

/* ---- times.c: times in documents --------------------------------------------------------- */

/*
 * Texts of the type `from` become times, wherever they stand in a tree that is the caller's own.
 * Pends when the budget is used up.
 */
enum status times_from_texts(struct tmpl_call *call, struct value *v, const struct type *from);
/* The other way, for an encoder that knows `to`; the tree is copied where it holds a time. */
enum status times_to_texts(struct tmpl_call *call, const struct value *v, const struct type *to,
                           struct value *ret_value);

#endif
