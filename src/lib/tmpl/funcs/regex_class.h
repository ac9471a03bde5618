/*
 * The classes of characters that \p{...} names: Go knows more names than RE2 (private to regex).
 */
#ifndef OSM_GEN_TMPL_FUNCS_REGEX_CLASS_H
#define OSM_GEN_TMPL_FUNCS_REGEX_CLASS_H

#include "base/base.h"

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
