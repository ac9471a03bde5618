/*
 * Helpers of the functions on dicts: a dict records the secret that its keys come from.
 */
#ifndef OSM_GEN_TMPL_FUNCS_DICTS_H
#define OSM_GEN_TMPL_FUNCS_DICTS_H

#include "tmpl/exec.h"

/* Records the secret that keys of the dict come from; does nothing if it is null. */
static inline void dict_mark_keys(struct value *dict, const struct secret *secret)
{
	if (secret && dict->map)
		dict->map->key_secret = secret;
}

/* Returns the secret that keys of the dict come from, or null. `dict` may be null. */
static inline const struct secret *dict_key_secret(const struct value *dict)
{
	return dict && dict->map ? dict->map->key_secret : NULL;
}

#endif
