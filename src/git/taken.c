/*
 * Takes packs that other runs saved, and reads single objects of them.
 */
#include "git/taken.h"

#include "codec/codec.h"
#include "git/append.h"
#include "git/pack_read.h"
#include "os/os.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	HEADER_SIZE = 12, /* "PACK", version, object count */
	SHA256_SIZE = 32,
	CHUNK_SIZE = 1024 * 1024,
	BLOCK_SIZE = 4096, /* writes past the page cache are of such blocks */
	SMALL_SIZE = 256 * 1024,
	CHAIN_MAX = 16, /* entries from a difference to a whole object; this program writes 5 */
};

/* ---- entries ----------------------------------------------------------------------------- */

static int compare_offsets(const void *a, const void *b, void *context)
{
	const struct git_pack_entry *left = a;
	const struct git_pack_entry *right = b;

	(void)context;
	return left->offset < right->offset ? -1 : left->offset > right->offset;
}

/*
 * Lists each entry once: files with the same content share one. Returns false if they do not fill
 * the pack between header and trailer.
 */
static bool list_entries(struct git_taken *taken, const struct git_blobs *blobs)
{
	struct git_pack_entries all = {0};
	uint64_t end = HEADER_SIZE;

	VEC_EACH (blob, blobs)
		VEC_PUSH(taken->arena, &all,
		         ((struct git_pack_entry){blob->id, blob->crc, blob->offset,
		                                  blob->entry_bytes}));
	sort_stable(all.items, all.count, sizeof(*all.items), compare_offsets, NULL);
	VEC_EACH (entry, &all) {
		const struct git_pack_entry *last =
		    taken->by_offset.count > 0 ? &taken->by_offset.items[taken->by_offset.count - 1]
		                               : NULL;

		if (last && entry->offset == last->offset && entry->size == last->size &&
		    git_id_equal(entry->id, last->id))
			continue;
		if (entry->offset != end || entry->size == 0 || entry->size > taken->size - end)
			return false;
		end += entry->size;
		VEC_PUSH(taken->arena, &taken->by_offset, *entry);
	}
	return end == taken->size - GIT_PACK_TRAILER_SIZE;
}

static bool has_header(const struct git_taken *taken, const uint8_t header[HEADER_SIZE])
{
	uint32_t words[2] = {htobe32(2), htobe32((uint32_t)taken->by_offset.count)};

	return memcmp(header, "PACK", 4) == 0 && memcmp(header + 4, words, sizeof(words)) == 0;
}

/* ---- the copy ---------------------------------------------------------------------------- */

/* Reads until the buffer is full or the file ends. Returns the bytes read; negative with errno. */
static ssize_t read_full(int fd, char *bytes, size_t size)
{
	size_t at = 0;

	while (at < size) {
		ssize_t got = read(fd, bytes + at, size - at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		at += (size_t)got;
	}
	return (ssize_t)at;
}

/* A pack on its way to this run. */
struct taking {
	struct sink *sink;
	struct git_taken *taken;
	struct digest *digest;
	int from;
	sv path;
	bool is_direct; /* the copy is written past the page cache */
};

static enum status fail_taking(const struct taking *t, const char *action, sv path)
{
	os_report_error(t->sink, errno, action, path);
	return STATUS_FAILED;
}

/*
 * Begins or ends writing the copy past the page cache, where the file system can do that. It saves
 * processor time: the copy may have gigabytes, is synced before it is published, and hardly read.
 */
static void set_direct(struct taking *t, bool is_direct)
{
	int flags = fcntl(t->taken->fd, F_GETFL);

	if (is_direct == t->is_direct || flags < 0)
		return;
	flags = is_direct ? flags | O_DIRECT : flags & ~O_DIRECT;
	if (fcntl(t->taken->fd, F_SETFL, flags) == 0)
		t->is_direct = is_direct;
}

static enum status make_copy(struct taking *t, sv temporary)
{
	struct git_taken *taken = t->taken;
	char *name = arena_cstr(taken->arena, temporary);

	taken->fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (taken->fd < 0)
		return fail_taking(t, "write", temporary);
	taken->temporary = name;
	set_direct(t, true);
	return STATUS_OK;
}

/* Writes bytes of the copy, through the page cache if it cannot be passed. */
static bool write_copy(struct taking *t, const char *bytes, size_t size, uint64_t at)
{
	const uint8_t *start = (const uint8_t *)bytes;

	if (size % BLOCK_SIZE != 0)
		set_direct(t, false);
	if (git_write_at(t->taken->fd, start, size, at))
		return true;
	if (errno != EINVAL || !t->is_direct)
		return false;
	set_direct(t, false);
	return git_write_at(t->taken->fd, start, size, at);
}

static void free_chunk(char **chunk)
{
	free(*chunk);
}

/*
 * Reads the file once. What is hashed is what is kept: in memory, or in the copy. A file that ends
 * early has another digest.
 */
static enum status read_all(struct taking *t, uint8_t ret_header[HEADER_SIZE])
{
	struct git_taken *taken = t->taken;
	bool is_small = taken->fd < 0;
	size_t room = is_small ? (size_t)taken->size : CHUNK_SIZE;
	CLEANUP(free_chunk) char *memory = is_small ? NULL : memory_take(room + BLOCK_SIZE);
	char *chunk = is_small ? arena_alloc_text(taken->arena, room)
	                       : memory + BLOCK_SIZE - (uintptr_t)memory % BLOCK_SIZE;
	uint64_t at = 0;

	while (at < taken->size) {
		size_t want = taken->size - at < room ? (size_t)(taken->size - at) : room;
		ssize_t got = read_full(t->from, chunk, want);

		if (got < 0)
			return fail_taking(t, "read", t->path);
		digest_add(t->digest, sv_from(chunk, (size_t)got));
		if ((size_t)got < want)
			break;
		if (at == 0)
			memcpy(ret_header, chunk, HEADER_SIZE);
		if (!is_small && !write_copy(t, chunk, want, at))
			return fail_taking(t, "write", sv_from_cstr(taken->temporary));
		at += want;
	}
	if (is_small)
		taken->bytes = sv_from(chunk, (size_t)at);
	else
		set_direct(t,
		           false); /* direct reads need aligned sizes; later ones have any size */
	return STATUS_OK;
}

/* Reads bytes of the pack that is kept. */
static bool read_at(const struct git_taken *taken, uint64_t offset, char *bytes, size_t size)
{
	size_t at = 0;

	if (offset > taken->size || size > taken->size - offset)
		return false;
	if (taken->fd < 0) {
		memcpy(bytes, taken->bytes.ptr + offset, size);
		return true;
	}
	while (at < size) {
		ssize_t got = pread(taken->fd, bytes + at, size - at, (off_t)(offset + at));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		at += (size_t)got;
	}
	return true;
}

/* Sets *ret_is_saved if the file has the bytes and entries that another run saved. */
static enum status take_saved(struct taking *t, sv temporary, const struct git_saved *saved,
                              const struct git_blobs *blobs, bool *ret_is_saved)
{
	struct git_taken *taken = t->taken;
	uint8_t header[HEADER_SIZE] = {0};
	uint8_t digest[DIGEST_MAX_SIZE];
	struct stat info;

	*ret_is_saved = false;
	/* Opening a pipe must not wait for a writer. */
	t->from =
	    open(arena_cstr(taken->arena, t->path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (t->from < 0 || fstat(t->from, &info) < 0)
		return fail_taking(t, "read", t->path);
	if (!S_ISREG(info.st_mode)) {
		errno = EINVAL;
		return fail_taking(t, "read", t->path);
	}
	/* Memory is only taken for bytes that are there. */
	if ((uint64_t)info.st_size != saved->size_bytes ||
	    saved->size_bytes < HEADER_SIZE + GIT_PACK_TRAILER_SIZE)
		return STATUS_OK;
	taken->size = saved->size_bytes;
	if (taken->size > SMALL_SIZE && make_copy(t, temporary) != STATUS_OK)
		return STATUS_FAILED;
	if (read_all(t, header) != STATUS_OK)
		return STATUS_FAILED;
	digest_finish(t->digest, digest);
	*ret_is_saved = sv_eq(sv_from_bytes(digest, SHA256_SIZE), saved->digest) &&
	                list_entries(taken, blobs) && has_header(taken, header) &&
	                read_at(taken, taken->size - GIT_PACK_TRAILER_SIZE, (char *)taken->trailer,
	                        GIT_PACK_TRAILER_SIZE);
	return STATUS_OK;
}

enum status git_taken_open(struct sink *sink, sv path, sv temporary, const struct git_saved *saved,
                           const struct git_blobs *blobs, struct git_taken **ret_taken)
{
	struct arena *arena = arena_new(ARENA_PLAIN);
	struct git_taken *taken = ARENA_NEW(arena, struct git_taken);
	DIGEST_AUTO digest = digest_new(DIGEST_SHA256);
	struct taking t = {sink, taken, digest, -1, path, false};
	bool is_saved;

	*taken = (struct git_taken){.arena = arena, .fd = -1};
	enum status status = take_saved(&t, temporary, saved, blobs, &is_saved);
	if (t.from >= 0)
		close(t.from);
	if (status != STATUS_OK || !is_saved) {
		git_taken_free(taken);
		taken = NULL;
	}
	if (status == STATUS_OK)
		*ret_taken = taken;
	return status;
}

void git_taken_free(struct git_taken *taken)
{
	if (!taken)
		return;
	if (taken->fd >= 0)
		close(taken->fd);
	if (taken->temporary)
		unlink(taken->temporary);
	arena_free(taken->arena);
}

enum status git_taken_publish(struct sink *sink, struct git_taken *taken)
{
	struct git_pack_entries by_id = {0};

	if (!taken->temporary)
		return STATUS_OK;
	sv temporary = sv_from_cstr(taken->temporary);
	if (fchmod(taken->fd, 0444) < 0 || fsync(taken->fd) < 0) {
		os_report_error(sink, errno, "write", temporary);
		return STATUS_FAILED;
	}
	VEC_RESERVE(taken->arena, &by_id, taken->by_offset.count);
	VEC_EACH (entry, &taken->by_offset)
		VEC_PUSH(taken->arena, &by_id, *entry);
	git_pack_entries_sort(&by_id);
	if (git_pack_publish(sink, temporary, &by_id, taken->trailer) != STATUS_OK)
		return STATUS_FAILED;
	taken->temporary = NULL;
	return STATUS_OK;
}

/* ---- contents ---------------------------------------------------------------------------- */

static const struct git_pack_entry *find_entry(const struct git_taken *taken, uint64_t offset)
{
	size_t low = 0;
	size_t high = taken->by_offset.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct git_pack_entry *entry = &taken->by_offset.items[middle];

		if (entry->offset == offset)
			return entry;
		if (entry->offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* Reads one entry: a whole object, or a difference with the offset of its base, which is not 0. */
static bool read_content(struct arena *arena, const struct git_taken *taken,
                         const struct git_pack_entry *place, sv *ret_content, uint64_t *ret_base)
{
	char *bytes = arena_alloc_text(arena, (size_t)place->size);
	struct git_entry entry;

	if (!read_at(taken, place->offset, bytes, (size_t)place->size) ||
	    !git_entry_parse(sv_from(bytes, (size_t)place->size), &entry) ||
	    (entry.is_difference && entry.back >= place->offset))
		return false;
	*ret_base = entry.is_difference ? place->offset - entry.back : 0;
	return git_entry_inflate(arena, &entry, ret_content);
}

bool git_taken_read(struct arena *arena, const struct git_taken *taken, const struct git_blob *blob,
                    sv *ret_text)
{
	uint64_t at = blob->offset;
	sv contents[CHAIN_MAX]; /* differences, then what is whole */
	size_t count = 0;

	do {
		const struct git_pack_entry *place = find_entry(taken, at);

		if (!place || count == CHAIN_MAX ||
		    !read_content(arena, taken, place, &contents[count], &at))
			return false;
		count++;
	} while (at > 0);
	sv text = contents[--count];
	while (count > 0)
		if (!git_entry_apply_delta(arena, text, contents[--count], &text))
			return false;
	*ret_text = text;
	return text.len == blob->size_bytes && git_id_equal(git_id_of_blob(text), blob->id);
}
