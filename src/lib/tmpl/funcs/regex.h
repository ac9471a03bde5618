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
 * Compiles a pattern; free it with regex_free. Returns null with Go's message in *ret_error ("error
 * parsing regexp: ..."), or with *ret_too_large if the pattern exceeds RE2's memory, where Go has
 * another limit.
 */
struct regex_pattern *regex_compile_go(struct arena *arena, sv text, sv *ret_error,
                                       bool *ret_too_large);

#endif
