/*
 * Inside git/: one new pack, written object by object by several threads.
 *
 * Source: git's gitformat-pack(5), version 2 of pack and index. Objects are whole, never deltas:
 * sealed texts have none, and the repository's next gc finds those of the clear ones.
 */
#ifndef OSM_GEN_GIT_PACK_H
#define OSM_GEN_GIT_PACK_H

#include "git/git.h"

enum git_pack_type { GIT_PACK_COMMIT = 1, GIT_PACK_TREE = 2, GIT_PACK_BLOB = 3 };

struct git_pack;

/*
 * objects: the repository's folder of objects. The file is made at the first git_pack_add, under
 * the name `temporary` until git_pack_finish; its index is `temporary`.idx.
 */
struct git_pack *git_pack_new(sv objects, sv temporary, unsigned workers);
/* Drops what is not finished. */
void git_pack_free(struct git_pack *pack);

/*
 * Adds an object once; a second one of the same id is left out. Any thread, with its worker
 * number. After a failure the pack can only be freed.
 */
MUST_CHECK enum status git_pack_add(struct sink *sink, struct git_pack *pack, unsigned worker,
                                    enum git_pack_type type, struct git_id id, sv bytes);

/* Bytes written so far. */
uint64_t git_pack_size(const struct git_pack *pack);

/* Completes, syncs and names the pack: git sees its objects. An empty pack makes no file. */
MUST_CHECK enum status git_pack_finish(struct sink *sink, struct git_pack *pack);

#endif
