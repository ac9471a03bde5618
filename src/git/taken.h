/*
 * Private to git/: a pack that another run saved, and that this one commits from.
 *
 * A large pack becomes one of the repository's as it is: its bytes are copied and hashed once. The
 * contents of a small one are packed again with this run's, so that runs which change little do not
 * leave many packs.
 */
#ifndef OSM_GEN_GIT_TAKEN_H
#define OSM_GEN_GIT_TAKEN_H

#include "git/pack_index.h"

struct git_taken {
	struct arena *arena;
	struct git_pack_entries by_offset;
	uint64_t size;
	sv bytes; /* the content of a small pack; else empty */
	int fd;   /* descriptor of a large pack, a copy in the folder of packs; else negative */
	char *temporary; /* its name until git_taken_publish; else null */
	uint8_t trailer[GIT_PACK_TRAILER_SIZE];
};

/*
 * Takes the pack `path`, which must be a regular file and no symbolic link. `temporary` is the path
 * of a copy in the folder of packs. *ret_taken is null if the file has other bytes than `saved`
 * asks for, or other entries than `blobs`. Free with git_taken_free.
 */
MUST_CHECK enum status git_taken_open(struct sink *sink, sv path, sv temporary,
                                      const struct git_saved *saved, const struct git_blobs *blobs,
                                      struct git_taken **ret_taken);
/* Removes the copy if it is not published. `taken` may be null. */
void git_taken_free(struct git_taken *taken);
/* Makes git see the copy, if there is one. git_pack_sync_names must follow. */
MUST_CHECK enum status git_taken_publish(struct sink *sink, struct git_taken *taken);

/*
 * Reads the content of a blob that the pack has, whole or as a difference. Returns false if the
 * entry is damaged. Any thread.
 */
MUST_CHECK bool git_taken_read(struct arena *arena, const struct git_taken *taken,
                               const struct git_blob *blob, sv *ret_text);

#endif
