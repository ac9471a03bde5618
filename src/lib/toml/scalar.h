/*
 * What the words of a TOML text mean (private to toml/).
 */
#ifndef OSM_GEN_TOML_SCALAR_H
#define OSM_GEN_TOML_SCALAR_H

#include "toml/lex.h"
#include "value/value.h"

/* False: *ret_error is the library's text. item is no array and no inline table. */
bool toml_scalar(struct arena *arena, const struct toml_item *item, struct value *ret,
                 sv *ret_error);

#endif
