/*
 * fetch: things that machines download. Part of dialect.h, which other folders
 * include.
 */
#ifndef OSM_GEN_DIALECT_FETCH_H
#define OSM_GEN_DIALECT_FETCH_H

#include "base/base.h"

/*
 * One thing that a unit's machines fetch over the network, according to its definition
 * (docs/profiles.md, "The inventory"). Strings that do not apply are empty. Passwords in addresses
 * are masked.
 */
struct dialect_fetch {
	sv kind; /* "binary", "archive", "checksum", "package", "image", "key", "repository", "api"
	          */
	sv name;
	sv version;
	sv architecture; /* "amd64", "arm64"; empty if it is the same for all */
	sv url;
	sv sha256;      /* if the definition pins it */
	sv fingerprint; /* of a key */
	sv from;        /* the repository of a package; "image" if the machine's image names that */
	sv setting;     /* the setting that moves it to a mirror */
	sv upstream;    /* its address without the mirror, if that setting is used */
};
VEC_TYPE(dialect_fetches, struct dialect_fetch);
/* Returns the address with user and password as "***". */
sv dialect_fetch_masked(struct arena *arena, sv url);
/* Returns true for 64 hexadecimal digits in lower case. */
bool dialect_fetch_is_sha256(sv text);
/* Splits the name of an image, "NAME:TAG@sha256:DIGEST". The tag becomes the version. */
void dialect_fetch_image(struct dialect_fetch *fetch);

#endif
