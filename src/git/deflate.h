/*
 * Private to git/: compression of pack entries as zlib streams, by ISA-L if the program was built
 * with it, else by libdeflate. Ids of objects do not depend on it; bytes of packs do. What must be
 * the same bytes everywhere is not compressed here.
 */
#ifndef OSM_GEN_GIT_DEFLATE_H
#define OSM_GEN_GIT_DEFLATE_H

#include "base/base.h"

/* A worker's compressor. */
struct git_deflate;
struct git_deflate *git_deflate_new(void);
void git_deflate_free(struct git_deflate *deflate);

/* Returns the largest size of the stream of so many bytes. */
size_t git_deflate_bound(struct git_deflate *deflate, size_t len);
/* Writes the stream to `out`, which has git_deflate_bound bytes. Returns its size. */
size_t git_deflate_write(struct git_deflate *deflate, sv bytes, uint8_t *out);

#endif
