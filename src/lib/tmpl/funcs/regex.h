/*
 * Patterns in Go's syntax.
 */
#ifndef OSM_GEN_TMPL_FUNCS_REGEX_H
#define OSM_GEN_TMPL_FUNCS_REGEX_H

#include "base/base.h"
#include "regex/regex.h"

static inline void regex_freep(struct regex_pattern **pattern)
{
	regex_free(*pattern);
}
#define REGEX_AUTO CLEANUP(regex_freep) struct regex_pattern *

/*
 * Null with *ret_error = Go's text ("error parsing regexp: ..."); *ret_too_large: the pattern is
 * beyond RE2's memory, where Go has another limit. Free with regex_free.
 */
struct regex_pattern *regex_compile_go(struct arena *arena, sv text, sv *ret_error,
                                       bool *ret_too_large);

#endif
