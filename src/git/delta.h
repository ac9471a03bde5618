/*
 * Private to git/: an object as the difference from another one, as packs hold it.
 *
 * Source: git's gitformat-pack(5), "Deltified representation".
 */
#ifndef OSM_GEN_GIT_DELTA_H
#define OSM_GEN_GIT_DELTA_H

#include "base/base.h"

/* Longer objects are neither a base nor written as a difference. */
enum { GIT_DELTA_MAX_SIZE = 256 * 1024 };

/* The index of a base: where it has which 16 bytes. Used for one base after the other. */
struct git_delta_base;
struct git_delta_base *git_delta_base_new(void);
void git_delta_base_free(struct git_delta_base *base);

/* Makes the text, of at most GIT_DELTA_MAX_SIZE bytes, the base. It is copied. */
void git_delta_base_set(struct git_delta_base *base, sv text);

/*
 * Writes what makes `target` of the base, at most `most` bytes, to `out`. Returns the size, or 0 if
 * it does not fit or a long part of the target is not the base's: then the two have too little in
 * common. `target` has at most GIT_DELTA_MAX_SIZE bytes.
 */
size_t git_delta_write(const struct git_delta_base *base, sv target, uint8_t *out, size_t most);

#endif
