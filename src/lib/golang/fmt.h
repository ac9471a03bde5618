/*
 * The parts of fmt's printer. Private to golang.
 */
#ifndef OSM_GEN_GOLANG_FMT_H
#define OSM_GEN_GOLANG_FMT_H

#include "golang/golang.h"

static inline void fmt_add(struct printer *p, sv s)
{
	text_add(p->out, s);
}

/* ---- by type (fmt.c) -------------------------------------------------------------------- */

/* Prints one argument by a verb. */
void fmt_arg(struct printer *p, struct ref arg, uint32_t verb);
/* Writes %!d(string=x). With as_arg the value prints as an argument, without its methods. */
void fmt_bad_verb(struct printer *p, struct ref ref, uint32_t verb, bool as_arg);
/* "%!" and the verb */
void fmt_add_verb(struct printer *p, uint32_t verb);

/* ---- single values (verb.c) ------------------------------------------------------------- */

void fmt_pad(struct printer *p, sv s);
void fmt_integer(struct printer *p, uint64_t magnitude, bool negative, unsigned base, uint32_t verb,
                 bool upper);
void fmt_boolean(struct printer *p, bool b);
void fmt_unicode(struct printer *p, uint64_t u);
void fmt_char(struct printer *p, uint64_t c);
void fmt_quoted_char(struct printer *p, uint64_t c);
/* Prints a string with its taint by the verb s, q, x or X. */
void fmt_string(struct printer *p, sv s, const struct taint *taint, uint32_t verb);
void fmt_float(struct printer *p, double value, int bits, char verb, int precision);

#endif
