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

#endif
