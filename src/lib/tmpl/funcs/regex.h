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

/* ---- regex_class.c (private to regex) ------------------------------------------------------ */

/* Returns true if RE2 has a class of exactly this name. */
bool regex_class_is_known(struct arena *arena, sv name);

/*
 * Returns the name that RE2, or this module, has for Go's class of this name, or an empty string if
 * neither has it.
 * COMPAT: Go looks names up without case and separators, and so finds none of two words but those
 * of categories.
 */
sv regex_class_name(struct arena *arena, sv name);

/* Returns a class of regex_class_name, or its complement, in RE2's syntax. */
sv regex_class_pattern(struct arena *arena, sv class, bool negated, bool in_brackets);

#endif
