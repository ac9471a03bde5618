/*
 * Go's fmt package: Sprint, Sprintln, Sprintf over values, into a text that keeps taints.
 */
#ifndef OSM_GEN_TMPL_FMT_H
#define OSM_GEN_TMPL_FMT_H

#include "tmpl/tmpl.h"

struct tmpl_run;

struct fmt_flags {
	bool sharp;
	bool zero;
	bool plus;
	bool minus;
	bool space;
	bool plus_v;
	bool sharp_v;
	bool has_width;
	bool has_precision;
	int width;
	int precision;
};

struct printer {
	struct text *out;
	struct arena *arena;
	struct tmpl_run *run; /* budgets and refusals; null: plain values of our own */
	struct fmt_flags flags;
	bool erroring; /* inside %!verb(...): no methods */
	bool failed;   /* the run has the reason */
};

/* fmt.Sprint etc. of arguments as interfaces hold them. False: the run has a pending failure. */
MUST_CHECK bool fmt_print(struct printer *p, const struct tmpl_ref *args, size_t count);
MUST_CHECK bool fmt_println(struct printer *p, const struct tmpl_ref *args, size_t count);
MUST_CHECK bool fmt_printf(struct printer *p, const struct value *format,
                           const struct tmpl_ref *args, size_t count);

/* Sprintf of plain values: for error texts. */
sv fmt_sprintf(struct arena *arena, sv format, const struct value *args, size_t count);

/* ---- inside: by type (fmt.c) ------------------------------------------------------------- */

/* One argument under a verb. */
void fmt_arg(struct printer *p, struct tmpl_ref arg, uint32_t verb);
/* %!d(string=x); as_arg: the value prints as an argument does, with its methods off. */
void fmt_bad_verb(struct printer *p, struct tmpl_ref ref, uint32_t verb, bool as_arg);
/* "%!" and the verb */
void fmt_add_verb(struct printer *p, uint32_t verb);

/* ---- inside (verb.c) --------------------------------------------------------------------- */

void fmt_pad(struct printer *p, sv s);
void fmt_integer(struct printer *p, uint64_t magnitude, bool negative, unsigned base, uint32_t verb,
                 bool upper);
void fmt_boolean(struct printer *p, bool b);
void fmt_unicode(struct printer *p, uint64_t u);
void fmt_char(struct printer *p, uint64_t c);
void fmt_quoted_char(struct printer *p, uint64_t c);
/* v's text and taint; s, q, x, X */
void fmt_string(struct printer *p, sv s, const struct taint *taint, uint32_t verb);
void fmt_float(struct printer *p, double value, int bits, char verb, int precision);

#endif
