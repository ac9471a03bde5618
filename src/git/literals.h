/*
 * Compresses sealed files, of which most is base64: 6 bits a character, and no search for repeated
 * text, which ciphertext does not have. Private to git.
 */
#ifndef OSM_GEN_GIT_LITERALS_H
#define OSM_GEN_GIT_LITERALS_H

#include "base/base.h"

enum {
	GIT_LITERALS_LEAST = 8 << 10, /* bytes; the codes' own size counts for shorter ones */
	GIT_LITERALS_RUN = 512,       /* base64 that gets a block of its own */
	GIT_LITERALS_SHARE = 8,       /* at most this part of the bytes is something else */
};

struct git_literals;

struct git_literals *git_literals_new(void);
void git_literals_free(struct git_literals *literals);
/* Returns the most bytes that git_literals_write writes. */
size_t git_literals_bound(size_t len);
/*
 * Writes a zlib stream (RFC 1950) to `out`, which has git_literals_bound bytes. Returns its size,
 * or 0 if the bytes are too few or not base64 for the most part.
 */
size_t git_literals_write(const struct git_literals *literals, sv bytes, uint8_t *out);

#endif
