/*
 * Numbers and text as Go's strconv has them: ParseFloat, ParseInt with base 0, FormatFloat.
 */
#ifndef OSM_GEN_TMPL_FLOAT_H
#define OSM_GEN_TMPL_FLOAT_H

#include "base/base.h"

enum number_status { NUMBER_OK, NUMBER_SYNTAX, NUMBER_RANGE };

/* On NUMBER_RANGE the value is the nearest one that fits (an infinity, the largest integer). */
enum number_status go_parse_float(sv s, double *ret_value);
/* base 0: prefixes 0x 0o 0b 0, underscores */
enum number_status go_parse_uint(sv s, unsigned base, uint64_t *ret_value);
enum number_status go_parse_int(sv s, unsigned base, int64_t *ret_value);

/* format: e E f g G x X b; precision -1: the shortest text that reads back; bits 32 or 64. */
void go_format_float(struct buf *buf, double value, char format, int precision, int bits);

/* Conversions as amd64 does them; C leaves out-of-range ones undefined. */
int64_t go_float_to_int(double value);
uint64_t go_float_to_uint(double value);

#endif
