/*
 * Private to git/: reads single entries of a pack. Their bytes may be anybody's.
 *
 * Source: git's gitformat-pack(5), "Pack entry header" and "Deltified representation".
 */
#ifndef OSM_GEN_GIT_PACK_READ_H
#define OSM_GEN_GIT_PACK_READ_H

#include "base/base.h"

/* Objects of this program are smaller; larger contents are not read. */
#define GIT_ENTRY_MAX_BYTES ((uint64_t)64 * 1024 * 1024)

/* An entry: an object, or the difference between two (OFS_DELTA). */
struct git_entry {
	bool is_difference;     /* else a whole blob */
	uint64_t back;          /* the bytes from the base's entry to this one, for a difference */
	uint64_t content_bytes; /* inflated */
	sv packed;              /* a zlib stream */
};

/* Returns false for entries of other types, and if the header does not end. */
MUST_CHECK bool git_entry_parse(sv bytes, struct git_entry *ret_entry);
/* Returns false if the stream is damaged or has another size. */
MUST_CHECK bool git_entry_inflate(struct arena *arena, const struct git_entry *entry,
                                  sv *ret_content);
/*
 * Makes the target of a base and a difference. Returns false if the difference is damaged or is
 * from a base of another size.
 */
MUST_CHECK bool git_entry_apply_delta(struct arena *arena, sv base, sv delta, sv *ret_target);

#endif
