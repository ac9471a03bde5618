/*
 * Private to git/: a file that several threads append to. Small strings wait in chunks and are
 * written many at once, since a call of the system for each of them costs more than copying it.
 */
#ifndef OSM_GEN_GIT_APPEND_H
#define OSM_GEN_GIT_APPEND_H

#include "base/base.h"

struct git_append;

/* Strings of so many bytes are not copied. */
enum { GIT_APPEND_CHUNK_BYTES = 512 * 1024 };

/* The descriptor, which is open for writing, is the caller's. The first byte is put at `size`. */
struct git_append *git_append_new(int fd, uint64_t size);
void git_append_free(struct git_append *append);

/* The place of a string in the file, and the bytes that are to be written now. */
struct git_appended {
	sv direct; /* the string itself if it is large; else empty */
	uint64_t offset;
	struct git_append_chunk *full; /* null if none is */
};

/* Returns the place of the next string. One thread at a time. */
uint64_t git_append_size(const struct git_append *append);
/* Takes a string, which must live until git_append_write returns. One thread at a time. */
struct git_appended git_append_take(struct git_append *append, sv bytes);
/*
 * Writes the pending bytes that are due. May be called from any thread. Returns false, with errno,
 * on failure.
 */
MUST_CHECK bool git_append_write(struct git_append *append, struct git_appended *appended);
/* Writes what still waits. One thread; the others are done. Returns false, with errno. */
MUST_CHECK bool git_append_finish(struct git_append *append);

/* Writes the bytes at the offset. Returns false, with errno, if that fails. */
MUST_CHECK bool git_write_at(int fd, const uint8_t *bytes, size_t size, uint64_t offset);

#endif
