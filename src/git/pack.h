/*
 * Private to git/: one new pack, written object by object by several threads.
 *
 * Source: git's gitformat-pack(5), version 2 of pack and index. Files that are nearly the same,
 * such as OperatingSystemConfigs of one profile, are written as differences from one of them
 * (OFS_DELTA); that one is whole, and in the same pack.
 */
#ifndef OSM_GEN_GIT_PACK_H
#define OSM_GEN_GIT_PACK_H

#include "git/git.h"
#include "git/pack_index.h"

enum git_pack_type {
	GIT_PACK_COMMIT = 1,
	GIT_PACK_TREE = 2,
	GIT_PACK_BLOB = 3,
	GIT_PACK_DELTA = 6, /* of an entry: a difference from an object before it in the pack */
};

struct git_pack_object {
	enum git_pack_type type;
	struct git_id id;
	sv bytes;
	bool has_likes; /* other objects of the pack may be nearly the same */
};

struct git_pack;

/*
 * Returns a new pack for `objects`, the repository's folder of objects. The first git_pack_add
 * makes its file, which is named `temporary`, with the index `temporary`.idx, until
 * git_pack_finish.
 */
struct git_pack *git_pack_new(sv objects, sv temporary, unsigned workers);
/*
 * Returns a new pack for another run, of blobs only, which becomes the file `path` without an
 * index. It is written as PATH.tmp until git_pack_finish.
 */
struct git_pack *git_pack_new_file(sv path, unsigned workers);
/* Frees the pack, and removes its files if it is not finished. */
void git_pack_free(struct git_pack *pack);

/*
 * Adds an object once; a second one of the same id is left out. Any thread, with its worker
 * number. After a failure the pack can only be freed.
 */
MUST_CHECK enum status git_pack_add(struct sink *sink, struct git_pack *pack, unsigned worker,
                                    const struct git_pack_object *object);

/*
 * Finds an object of a finished pack of git_pack_new_file. Returns false if the pack does not have
 * it.
 */
bool git_pack_find(const struct git_pack *pack, struct git_id id, struct git_pack_entry *ret_entry);
/*
 * Returns the SHA-256 of the file of such a pack, 32 bytes, which live as long as the pack; or an
 * empty string if it has no file.
 */
sv git_pack_digest(const struct git_pack *pack);

/* Returns the bytes written so far, without the trailer. */
uint64_t git_pack_size(const struct git_pack *pack);

/* Completes, syncs and renames the pack, so that git sees its objects. An empty pack has no file.
 */
MUST_CHECK enum status git_pack_finish(struct sink *sink, struct git_pack *pack);

#endif
