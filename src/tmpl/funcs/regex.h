/*
 * Patterns in Go's syntax.
 */
#ifndef OSM_GEN_TMPL_FUNCS_REGEX_H
#define OSM_GEN_TMPL_FUNCS_REGEX_H

#include "base/base.h"
#include "tmpl/re2.h"

/* Null with *ret_error = Go's text ("error parsing regexp: ..."). Free with regex_free. */
struct regex_pattern *regex_compile_go(struct arena *arena, sv text, sv *ret_error);

#endif
