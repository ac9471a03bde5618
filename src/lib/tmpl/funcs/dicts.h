/*
 * What the functions on dicts share: a dict whose keys a secret went into says so.
 */
#ifndef OSM_GEN_TMPL_FUNCS_DICTS_H
#define OSM_GEN_TMPL_FUNCS_DICTS_H

#include "tmpl/exec.h"

/* Nothing for a null secret. */
static inline void dict_mark_keys(struct value *dict, const struct secret *secret)
{
	if (secret && dict->map)
		dict->map->key_secret = secret;
}

/* Null when there is none. */
static inline const struct secret *dict_key_secret(const struct value *dict)
{
	return dict && dict->map ? dict->map->key_secret : NULL;
}

#endif
