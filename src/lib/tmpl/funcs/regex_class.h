/*
 * The classes of characters that \p{...} names: Go knows more names than RE2 (private to regex).
 */
#ifndef OSM_GEN_TMPL_FUNCS_REGEX_CLASS_H
#define OSM_GEN_TMPL_FUNCS_REGEX_CLASS_H

#include "base/base.h"

/* Whether RE2 has a class of just this name. */
bool regex_class_is_known(struct arena *arena, sv name);

/*
 * The name that RE2, or we, have for what Go knows by this one; empty: there is none.
 * COMPAT: Go looks names up without case and separators, and so finds none of two words but those
 * of categories.
 */
sv regex_class_name(struct arena *arena, sv name);

/* A class of regex_class_name, or all but it, in RE2's words. */
sv regex_class_pattern(struct arena *arena, sv class, bool negated, bool in_brackets);

#endif
