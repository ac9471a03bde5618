/*
 * Private to git/: the index of a pack, and the name by which git finds both.
 *
 * Source: git's gitformat-pack(5), version 2 of the index.
 */
#ifndef OSM_GEN_GIT_PACK_INDEX_H
#define OSM_GEN_GIT_PACK_INDEX_H

#include "git/git.h"

enum { GIT_PACK_TRAILER_SIZE = 20 }; /* the SHA-1 of all before it, with which a pack ends */

/* The place of an object in a pack. */
struct git_pack_entry {
	struct git_id id;
	uint32_t crc; /* CRC-32 of the entry */
	uint64_t offset;
	uint64_t size;
};
VEC_TYPE(git_pack_entries, struct git_pack_entry);

/* Sorts by id. */
void git_pack_entries_sort(struct git_pack_entries *entries);

/*
 * Makes git see a pack, which is complete and synced: writes the index, and renames the file
 * `temporary` and the index, within their folder. `entries` are sorted. git_pack_sync_names must
 * follow. After a failure the file is still there.
 */
MUST_CHECK enum status git_pack_publish(struct sink *sink, sv temporary,
                                        const struct git_pack_entries *entries,
                                        const uint8_t trailer[GIT_PACK_TRAILER_SIZE]);
/* Syncs the folder's names. */
MUST_CHECK enum status git_pack_sync_names(struct sink *sink, sv folder);

#endif
