/*
 * Appends to a file: strings are copied to a chunk of memory, and a full chunk is written by the
 * thread that filled it, while others fill the next one.
 */
#include "git/append.h"

#include "base/memory.h"
#include "os/os.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

struct git_append_chunk {
	struct git_append_chunk *next; /* another one that waits to be used again */
	uint64_t offset;
	size_t used;
	uint8_t bytes[GIT_APPEND_CHUNK_BYTES];
};

struct git_append {
	int fd;
	uint64_t size;
	struct git_append_chunk *chunk; /* null before the first string, and when one was full */
	struct os_mutex *mutex;         /* of spare */
	struct git_append_chunk *spare;
};

bool git_write_at(int fd, const uint8_t *bytes, size_t size, uint64_t offset)
{
	while (size > 0) {
		ssize_t put = pwrite(fd, bytes, size, (off_t)offset);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return false;
		bytes += put;
		size -= (size_t)put;
		offset += (uint64_t)put;
	}
	return true;
}

struct git_append *git_append_new(int fd, uint64_t size)
{
	struct git_append *append = memory_take(sizeof(*append));

	*append = (struct git_append){.fd = fd, .size = size, .mutex = os_mutex_new()};
	return append;
}

void git_append_free(struct git_append *append)
{
	if (!append)
		return;
	while (append->spare) {
		struct git_append_chunk *chunk = append->spare;

		append->spare = chunk->next;
		free(chunk);
	}
	free(append->chunk);
	os_mutex_free(append->mutex);
	free(append);
}

static struct git_append_chunk *chunk_take(struct git_append *append)
{
	os_mutex_lock(append->mutex);
	struct git_append_chunk *chunk = append->spare;
	if (chunk)
		append->spare = chunk->next;
	os_mutex_unlock(append->mutex);
	if (!chunk)
		chunk = memory_take(sizeof(*chunk));
	chunk->offset = append->size;
	chunk->used = 0;
	return chunk;
}

uint64_t git_append_size(const struct git_append *append)
{
	return append->size;
}

struct git_appended git_append_take(struct git_append *append, sv bytes)
{
	struct git_append_chunk *chunk = append->chunk;
	struct git_appended appended = {.offset = append->size};

	if (chunk && GIT_APPEND_CHUNK_BYTES - chunk->used < bytes.len) {
		appended.full = chunk;
		append->chunk = chunk = NULL;
	}
	if (bytes.len >= GIT_APPEND_CHUNK_BYTES) {
		appended.direct = bytes;
	} else if (bytes.len > 0) {
		if (!chunk)
			append->chunk = chunk = chunk_take(append);
		memcpy(chunk->bytes + chunk->used, bytes.ptr, bytes.len);
		chunk->used += bytes.len;
	}
	append->size += bytes.len;
	return appended;
}

static bool write_chunk(struct git_append *append, struct git_append_chunk *chunk)
{
	bool done = git_write_at(append->fd, chunk->bytes, chunk->used, chunk->offset);

	int error = errno;
	os_mutex_lock(append->mutex);
	chunk->next = append->spare;
	append->spare = chunk;
	os_mutex_unlock(append->mutex);
	errno = error;
	return done;
}

bool git_append_write(struct git_append *append, struct git_appended *appended)
{
	struct git_append_chunk *full = appended->full;

	appended->full = NULL;
	return (!full || write_chunk(append, full)) &&
	       git_write_at(append->fd, (const uint8_t *)appended->direct.ptr, appended->direct.len,
	                    appended->offset);
}

bool git_append_finish(struct git_append *append)
{
	struct git_append_chunk *chunk = append->chunk;

	append->chunk = NULL;
	return !chunk || write_chunk(append, chunk);
}
