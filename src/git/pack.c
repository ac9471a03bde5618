/*
 * New objects of a run as one pack with its index, written by several threads.
 */
#include "git/pack.h"

#include "codec/codec.h"
#include "git/append.h"
#include "git/compress.h"
#include "os/os.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	HEADER_SIZE = 12, /* "PACK", version, object count */
	SHA256_SIZE = 32,
	READ_SIZE = 256 * 1024,
};

/*
 * A set of ids: a table of slots, of which those without an object are all zero. In an arena, what
 * it outgrows would stay.
 */
struct ids {
	struct git_id *slots;
	size_t slot_count; /* a power of two */
	size_t count;
};

struct git_pack {
	struct arena *arena;
	struct os_mutex *mutex;
	char *folder;    /* objects/pack */
	char *temporary; /* set from the first object on */
	sv temporary_name;
	char *path; /* for git_pack_new_file; else null */
	int fd;
	struct git_append *append; /* set from the first object on */
	bool failed;
	sv digest;                       /* of the finished file, for git_pack_new_file */
	struct git_pack_entries entries; /* in memory of their own, which grows */
	struct ids claimed;
	struct git_compressor **compressors; /* one a worker */
	unsigned workers;
};

static struct git_pack *new_in(sv folder, sv temporary, unsigned workers)
{
	struct arena *arena = arena_new(ARENA_PLAIN);
	struct git_pack *pack = ARENA_NEW(arena, struct git_pack);

	pack->arena = arena;
	pack->mutex = os_mutex_new();
	pack->folder = arena_cstr(arena, folder);
	pack->temporary_name = arena_dup(arena, temporary);
	pack->fd = -1;
	pack->workers = workers < 1 ? 1 : workers;
	pack->compressors = ARENA_ARRAY(arena, struct git_compressor *, pack->workers);
	for (unsigned i = 0; i < pack->workers; i++)
		pack->compressors[i] = git_compressor_new();
	return pack;
}

struct git_pack *git_pack_new(sv objects, sv temporary, unsigned workers)
{
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);

	return new_in(ARENA_CONCAT(scratch, objects, SV("/pack")), temporary, workers);
}

struct git_pack *git_pack_new_file(sv path, unsigned workers)
{
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	size_t slash = sv_rfind_char(path, '/');

	BUG_ON(slash == SV_NPOS);
	struct git_pack *pack =
	    new_in(sv_slice(path, 0, slash),
	           ARENA_CONCAT(scratch, sv_after_last(path, '/'), SV(".tmp")), workers);
	pack->path = arena_cstr(pack->arena, path);
	return pack;
}

void git_pack_free(struct git_pack *pack)
{
	if (!pack)
		return;
	git_append_free(pack->append);
	if (pack->fd >= 0)
		close(pack->fd);
	if (pack->temporary)
		unlink(pack->temporary);
	for (unsigned i = 0; i < pack->workers; i++)
		git_compressor_free(pack->compressors[i]);
	os_mutex_free(pack->mutex);
	free(pack->entries.items);
	free(pack->claimed.slots);
	arena_free(pack->arena);
}

uint64_t git_pack_size(const struct git_pack *pack)
{
	return pack->append ? git_append_size(pack->append) : 0;
}

static enum status fail_pack(struct sink *sink, struct git_pack *pack, const char *action,
                             const char *path)
{
	int error = errno;

	os_mutex_lock(pack->mutex);
	pack->failed = true;
	os_mutex_unlock(pack->mutex);
	os_report_error(sink, error, action, sv_from_cstr(path));
	return STATUS_FAILED;
}

/* ---- ids --------------------------------------------------------------------------------- */

/* Returns the slot of the id, or the free one where it belongs. */
static struct git_id *find_slot(const struct ids *ids, struct git_id id)
{
	const struct git_id none = {0};
	size_t mask = ids->slot_count - 1;
	size_t at = (size_t)sv_hash(git_id_sv(&id), 0) & mask;

	while (!git_id_equal(ids->slots[at], none) && !git_id_equal(ids->slots[at], id))
		at = (at + 1) & mask;
	return &ids->slots[at];
}

static void grow_ids(struct ids *ids)
{
	enum { FIRST_SLOTS = 64 };
	struct ids grown = {.slot_count = ids->slot_count ? ids->slot_count * 2 : FIRST_SLOTS};
	const struct git_id none = {0};

	grown.slots = memory_take_zeroed(grown.slot_count, sizeof(*grown.slots));
	for (size_t i = 0; i < ids->slot_count; i++)
		if (!git_id_equal(ids->slots[i], none))
			*find_slot(&grown, ids->slots[i]) = ids->slots[i];
	grown.count = ids->count;
	free(ids->slots);
	*ids = grown;
}

/* Adds an id; returns false if the set has it. At most three quarters of the slots are taken. */
static bool add_id(struct ids *ids, struct git_id id)
{
	if ((ids->count + 1) * 4 > ids->slot_count * 3)
		grow_ids(ids);
	struct git_id *slot = find_slot(ids, id);
	if (git_id_equal(*slot, id))
		return false;
	*slot = id;
	ids->count++;
	return true;
}

/* ---- adding ------------------------------------------------------------------------------ */

/* The name is in the journal of the run, so that the next one removes what a crash left. */
static bool open_temporary(struct git_pack *pack)
{
	if (mkdir(pack->folder, 0755) < 0 && errno != EEXIST)
		return false;
	char *name = arena_cstr(pack->arena, ARENA_CONCAT(pack->arena, sv_from_cstr(pack->folder),
	                                                  SV("/"), pack->temporary_name));
	if (pack->path)
		unlink(name); /* a run that was killed may have left it */
	pack->fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (pack->fd < 0)
		return false;
	pack->temporary = name;
	pack->append = git_append_new(pack->fd, HEADER_SIZE);
	return true;
}

/* True when this thread is to add the object; the file is then open. */
static enum status claim(struct sink *sink, struct git_pack *pack, struct git_id id, bool *ret_mine)
{
	os_mutex_lock(pack->mutex);
	bool failed = pack->failed;
	*ret_mine = !failed && add_id(&pack->claimed, id);
	bool open = failed || pack->fd >= 0 || open_temporary(pack);
	int error = errno;
	os_mutex_unlock(pack->mutex);
	if (!open) {
		errno = error;
		return fail_pack(sink, pack, "make a pack in", pack->folder);
	}
	if (failed) {
		/* The thread that failed has reported the reason; this one's sink needs an error
		 * too. */
		diag_report(sink, DIAG_GIT_WRITE, NOWHERE, "cannot write the pack in %s",
		            pack->folder);
		return STATUS_FAILED;
	}
	return STATUS_OK;
}

/* Remembers an entry, which is at `offset`, for the index or for git_pack_find. */
static void keep_entry(struct git_pack *pack, struct git_id id, sv bytes, uint64_t offset)
{
	struct git_pack_entry entry = {
	    .id = id,
	    .crc = libdeflate_crc32(0, bytes.ptr, bytes.len),
	    .offset = offset,
	    .size = bytes.len,
	};

	os_mutex_lock(pack->mutex);
	VEC_PUSH(NULL, &pack->entries, entry);
	os_mutex_unlock(pack->mutex);
}

enum status git_pack_add(struct sink *sink, struct git_pack *pack, unsigned worker,
                         const struct git_pack_object *object)
{
	bool mine = false;

	BUG_ON(worker >= pack->workers);
	if (claim(sink, pack, object->id, &mine) != STATUS_OK)
		return STATUS_FAILED;
	if (!mine)
		return STATUS_OK;
	struct git_compressor *compressor = pack->compressors[worker];
	git_compressor_take(compressor, object->type, object->bytes, object->has_likes);
	os_mutex_lock(pack->mutex);
	uint64_t offset = git_append_size(pack->append);
	sv entry = git_compressor_entry(compressor, offset);
	struct git_appended appended = git_append_take(pack->append, entry);
	os_mutex_unlock(pack->mutex);
	git_compressor_keep(compressor, offset);
	keep_entry(pack, object->id, entry, offset);
	if (!git_append_write(pack->append, &appended))
		return fail_pack(sink, pack, "write", pack->temporary);
	return STATUS_OK;
}

/* ---- finishing --------------------------------------------------------------------------- */

/*
 * Adds the file's first `end` bytes to the digests, of which the second one may be null. The
 * trailer covers the object count in the header, so the file is read once more.
 */
static bool hash_file(struct git_pack *pack, uint64_t end, struct digest *trailer,
                      struct digest *whole)
{
	char *chunk = memory_take(READ_SIZE);
	uint64_t at = 0;

	while (at < end) {
		size_t want = end - at < READ_SIZE ? (size_t)(end - at) : READ_SIZE;
		ssize_t got = pread(pack->fd, chunk, want, (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			errno = got == 0 ? EIO : errno;
			break;
		}
		digest_add(trailer, sv_from(chunk, (size_t)got));
		if (whole)
			digest_add(whole, sv_from(chunk, (size_t)got));
		at += (uint64_t)got;
	}
	free(chunk);
	return at == end;
}

/* Writes header and trailer. */
static bool complete(struct git_pack *pack, uint8_t ret_trailer[GIT_PACK_TRAILER_SIZE])
{
	DIGEST_AUTO trailer = digest_new(DIGEST_SHA1);
	DIGEST_AUTO whole = pack->path ? digest_new(DIGEST_SHA256) : NULL;
	uint32_t header[3] = {0, htobe32(2), htobe32((uint32_t)pack->entries.count)};
	uint64_t end = git_append_size(pack->append);
	uint8_t digest[DIGEST_MAX_SIZE];

	memcpy(header, "PACK", 4);
	if (!git_append_finish(pack->append) ||
	    !git_write_at(pack->fd, (const uint8_t *)header, sizeof(header), 0) ||
	    !hash_file(pack, end, trailer, whole))
		return false;
	digest_finish(trailer, ret_trailer);
	if (whole) {
		digest_add(whole, sv_from_bytes(ret_trailer, GIT_PACK_TRAILER_SIZE));
		digest_finish(whole, digest);
		pack->digest = arena_dup(pack->arena, sv_from_bytes(digest, SHA256_SIZE));
	}
	return git_write_at(pack->fd, ret_trailer, GIT_PACK_TRAILER_SIZE, end) &&
	       fchmod(pack->fd, 0444) == 0 && fsync(pack->fd) == 0;
}

/* Gives a pack for another run its name. */
static enum status publish_file(struct sink *sink, struct git_pack *pack)
{
	git_pack_entries_sort(&pack->entries);
	if (rename(pack->temporary, pack->path) < 0)
		return fail_pack(sink, pack, "rename to", pack->path);
	pack->temporary = NULL;
	return git_pack_sync_names(sink, sv_from_cstr(pack->folder));
}

/* Gives the pack the name by which git finds it. */
static enum status publish(struct sink *sink, struct git_pack *pack,
                           const uint8_t trailer[GIT_PACK_TRAILER_SIZE])
{
	git_pack_entries_sort(&pack->entries);
	if (git_pack_publish(sink, sv_from_cstr(pack->temporary), &pack->entries, trailer) !=
	    STATUS_OK)
		return STATUS_FAILED;
	pack->temporary = NULL;
	return git_pack_sync_names(sink, sv_from_cstr(pack->folder));
}

bool git_pack_find(const struct git_pack *pack, struct git_id id, struct git_pack_entry *ret_entry)
{
	size_t low = 0;
	size_t high = pack->entries.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct git_pack_entry *entry = &pack->entries.items[middle];
		int order = memcmp(entry->id.bytes, id.bytes, sizeof(id.bytes));

		if (order == 0) {
			*ret_entry = *entry;
			return true;
		}
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

sv git_pack_digest(const struct git_pack *pack)
{
	return pack->digest;
}

enum status git_pack_finish(struct sink *sink, struct git_pack *pack)
{
	uint8_t trailer[GIT_PACK_TRAILER_SIZE];

	if (pack->failed) {
		diag_report(sink, DIAG_GIT_WRITE, NOWHERE, "cannot write the pack in %s",
		            pack->folder);
		return STATUS_FAILED;
	}
	if (pack->fd < 0)
		return STATUS_OK;
	if (!complete(pack, trailer))
		return fail_pack(sink, pack, "write", pack->temporary);
	if (close(pack->fd) < 0) {
		pack->fd = -1;
		return fail_pack(sink, pack, "write", pack->temporary);
	}
	pack->fd = -1;
	return pack->path ? publish_file(sink, pack) : publish(sink, pack, trailer);
}
