/*
 * Private to git/: makes the entries of a pack, each a header and a deflated content. The content
 * is an object, or its difference from one that the same compressor has put in the pack before
 * (OFS_DELTA). Each thread has a compressor of its own.
 *
 * Source: git's gitformat-pack(5).
 */
#ifndef OSM_GEN_GIT_COMPRESS_H
#define OSM_GEN_GIT_COMPRESS_H

#include "base/base.h"

struct git_compressor;

struct git_compressor *git_compressor_new(void);
void git_compressor_free(struct git_compressor *compressor);

/*
 * Compresses an object, whose type is an `enum git_pack_type`. With `may_differ` it becomes a
 * difference from an earlier one if it is like one. `bytes` is used until git_compressor_keep.
 */
void git_compressor_take(struct git_compressor *compressor, unsigned type, sv bytes,
                         bool may_differ);
/*
 * Returns the entry of the object taken last, for that offset of the pack: the way back to a base
 * is longer the later the entry is. It is valid until the next object.
 */
sv git_compressor_entry(struct git_compressor *compressor, uint64_t offset);
/* Keeps the object as a base for later ones. Its entry is at that offset. */
void git_compressor_keep(struct git_compressor *compressor, uint64_t offset);

/* ---- deflate.c: zlib streams --------------------------------------------------------------- */

/* A worker's compressor. */
struct git_deflate;
struct git_deflate *git_deflate_new(void);
void git_deflate_free(struct git_deflate *deflate);

/* Returns the largest size of the stream of so many bytes. */
size_t git_deflate_bound(struct git_deflate *deflate, size_t len);
/* Writes the stream to `out`, which has git_deflate_bound bytes. Returns its size. */
size_t git_deflate_write(struct git_deflate *deflate, sv bytes, uint8_t *out);

/* ---- delta.c: an object as the difference from another one --------------------------------- */

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
