/*
 * Private to secrecy/: what its files share.
 */
#ifndef OSM_GEN_SECRECY_INTERNAL_H
#define OSM_GEN_SECRECY_INTERNAL_H

#include "secrecy/secrecy.h"

/* ---- credential.c ------------------------------------------------------------------------ */

/*
 * Where user and password of a URL stand that begins at or after `from`: "SCHEME://USER:PW@HOST",
 * also without the scheme, then only with a password: "USER:PW@HOST". A password may hold an "@",
 * though it should not: the last one counts.
 */
bool secrecy_find_userinfo(sv text, size_t from, size_t *ret_start, size_t *ret_end);
/* Keys of Secrets whose values are public by what Kubernetes and its tools say of them. */
bool secrecy_is_public_key(sv key);
/* A URL that gives nothing away: without user, path and query. */
bool secrecy_is_public_url(sv text);

/* ---- layers.c ---------------------------------------------------------------------------- */

/* Whether the bytes are one DER sequence and nothing after it. */
bool secrecy_is_der(sv der);

#endif
