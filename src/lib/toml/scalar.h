/*
 * Values of TOML's words (private to toml/).
 */
#ifndef OSM_GEN_TOML_SCALAR_H
#define OSM_GEN_TOML_SCALAR_H

#include "toml/lex.h"
#include "value/value.h"

/*
 * Reads a scalar; `item` must not be an array or inline table. Returns false and the library's
 * message in *ret_error.
 */
bool toml_scalar(struct arena *arena, const struct toml_item *item, struct value *ret,
                 sv *ret_error);

#endif
