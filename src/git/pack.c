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
	SHA1_SIZE = 20,
	SHA256_SIZE = 32,
	READ_SIZE = 1 << 20,
};

struct entry {
	struct git_id id; /* first: entries sort by it */
	uint32_t crc;
	uint64_t offset;
	uint64_t size;
	sv digest; /* SHA-256, 32 bytes; only for git_pack_new_file */
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
	VEC(struct entry) entries;
	struct map claimed;                  /* ids, 20 bytes */
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
	pack->claimed = map_in(arena);
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
	arena_free(pack->arena);
}

uint64_t git_pack_size(const struct git_pack *pack)
{
	return pack->append ? git_append_size(pack->append) : 0;
}

static enum status fail(struct sink *sink, struct git_pack *pack, const char *action,
                        const char *path)
{
	int error = errno;

	os_mutex_lock(pack->mutex);
	pack->failed = true;
	os_mutex_unlock(pack->mutex);
	os_report_error(sink, error, action, sv_from_cstr(path));
	return STATUS_FAILED;
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
	sv key = sv_from((const char *)id.bytes, sizeof(id.bytes));
	*ret_mine = !failed && !map_get(&pack->claimed, key);
	if (*ret_mine)
		map_put(&pack->claimed, arena_dup(pack->arena, key), pack);
	bool open = failed || pack->fd >= 0 || open_temporary(pack);
	int error = errno;
	os_mutex_unlock(pack->mutex);
	if (!open) {
		errno = error;
		return fail(sink, pack, "make a pack in", pack->folder);
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
	struct entry entry = {
	    .id = id,
	    .crc = libdeflate_crc32(0, bytes.ptr, bytes.len),
	    .offset = offset,
	    .size = bytes.len,
	};
	uint8_t digest[DIGEST_MAX_SIZE];

	if (pack->path)
		digest_of(DIGEST_SHA256, bytes, digest);
	os_mutex_lock(pack->mutex);
	if (pack->path)
		entry.digest = arena_dup(pack->arena, sv_from((const char *)digest, SHA256_SIZE));
	VEC_PUSH(pack->arena, &pack->entries, entry);
	os_mutex_unlock(pack->mutex);
}

static enum status put_entry(struct sink *sink, struct git_pack *pack, struct git_id id, sv entry,
                             struct git_appended *appended)
{
	keep_entry(pack, id, entry, appended->offset);
	if (!git_append_write(pack->append, appended))
		return fail(sink, pack, "write", pack->temporary);
	return STATUS_OK;
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
	/* Another run takes single objects out of a pack that it is given. */
	git_compressor_take(compressor, object->type, object->bytes,
	                    !pack->path && object->has_likes);
	os_mutex_lock(pack->mutex);
	uint64_t offset = git_append_size(pack->append);
	sv entry = git_compressor_entry(compressor, offset);
	struct git_appended appended = git_append_take(pack->append, entry);
	os_mutex_unlock(pack->mutex);
	git_compressor_keep(compressor, offset);
	return put_entry(sink, pack, object->id, entry, &appended);
}

enum status git_pack_add_entry(struct sink *sink, struct git_pack *pack, struct git_id id, sv entry)
{
	bool mine = false;

	if (claim(sink, pack, id, &mine) != STATUS_OK)
		return STATUS_FAILED;
	if (!mine)
		return STATUS_OK;
	os_mutex_lock(pack->mutex);
	struct git_appended appended = git_append_take(pack->append, entry);
	os_mutex_unlock(pack->mutex);
	return put_entry(sink, pack, id, entry, &appended);
}

/* ---- finishing --------------------------------------------------------------------------- */

/* The trailer covers the object count in the header, so the file is read once more. */
static bool hash_file(struct git_pack *pack, uint8_t digest_bytes[SHA1_SIZE])
{
	DIGEST_AUTO digest = digest_new(DIGEST_SHA1);
	uint8_t *chunk = malloc(READ_SIZE);
	uint64_t end = git_append_size(pack->append);
	uint64_t at = 0;

	if (!chunk)
		base_out_of_memory();
	while (at < end) {
		size_t want = end - at < READ_SIZE ? (size_t)(end - at) : READ_SIZE;
		ssize_t got = pread(pack->fd, chunk, want, (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			errno = got == 0 ? EIO : errno;
			break;
		}
		digest_add(digest, sv_from((const char *)chunk, (size_t)got));
		at += (uint64_t)got;
	}
	digest_finish(digest, digest_bytes);
	free(chunk);
	return at == end;
}

static enum status sync_names(struct sink *sink, struct git_pack *pack)
{
	int fd = open(pack->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* Some file systems refuse to sync a folder; they order it themselves. */
	bool done = fd >= 0 && (fsync(fd) == 0 || errno == EINVAL);
	enum status status = done ? STATUS_OK : fail(sink, pack, "sync", pack->folder);

	if (fd >= 0)
		close(fd);
	return status;
}

static bool complete(struct git_pack *pack, uint8_t trailer[SHA1_SIZE])
{
	uint32_t header[3] = {0, htobe32(2), htobe32((uint32_t)pack->entries.count)};

	memcpy(header, "PACK", 4);
	return git_append_finish(pack->append) &&
	       git_write_at(pack->fd, (const uint8_t *)header, sizeof(header), 0) &&
	       hash_file(pack, trailer) &&
	       git_write_at(pack->fd, trailer, SHA1_SIZE, git_append_size(pack->append)) &&
	       fchmod(pack->fd, 0444) == 0 && fsync(pack->fd) == 0;
}

static int compare_entries(const void *a, const void *b, void *context)
{
	(void)context;
	return memcmp(a, b, SHA1_SIZE);
}

static void add_be32(struct buf *buf, uint32_t number)
{
	uint32_t big = htobe32(number);

	buf_add(buf, sv_from((const char *)&big, sizeof(big)));
}

/* Offsets from 2 GiB on are in a second table; the first has their index in it. */
static void add_offsets(const struct git_pack *pack, struct buf *buf)
{
	uint32_t large = 0;

	VEC_EACH (entry, &pack->entries) {
		if (entry->offset < 0x80000000u)
			add_be32(buf, (uint32_t)entry->offset);
		else
			add_be32(buf, 0x80000000u | large++);
	}
	VEC_EACH (entry, &pack->entries) {
		if (entry->offset >= 0x80000000u) {
			add_be32(buf, (uint32_t)(entry->offset >> 32));
			add_be32(buf, (uint32_t)entry->offset);
		}
	}
}

static void sort_entries(struct git_pack *pack)
{
	sort_stable(pack->entries.items, pack->entries.count, sizeof(struct entry), compare_entries,
	            NULL);
}

static sv index_text(struct git_pack *pack, const uint8_t trailer[SHA1_SIZE])
{
	struct buf buf = buf_in(pack->arena);
	uint8_t digest[SHA1_SIZE];
	size_t at = 0;

	sort_entries(pack);
	buf_add(&buf, sv_from("\377tOc", 4));
	add_be32(&buf, 2);
	for (unsigned first = 0; first < 256; first++) {
		while (at < pack->entries.count && pack->entries.items[at].id.bytes[0] <= first)
			at++;
		add_be32(&buf, (uint32_t)at);
	}
	VEC_EACH (entry, &pack->entries)
		buf_add(&buf, sv_from((const char *)entry->id.bytes, SHA1_SIZE));
	VEC_EACH (entry, &pack->entries)
		add_be32(&buf, entry->crc);
	add_offsets(pack, &buf);
	buf_add(&buf, sv_from((const char *)trailer, SHA1_SIZE));
	digest_of(DIGEST_SHA1, buf_sv(&buf), digest);
	buf_add(&buf, sv_from((const char *)digest, SHA1_SIZE));
	return buf_sv(&buf);
}

/*
 * Git looks for packs by their index: it comes last, and once it is there it is complete. A pack
 * that has its name is never removed again: another run may have made the same one, and rely on
 * it. Unused, it goes with the next git gc.
 */
static enum status publish(struct sink *sink, struct git_pack *pack,
                           const uint8_t trailer[SHA1_SIZE])
{
	struct arena *arena = pack->arena;
	sv hex = hex_encode(arena, sv_from((const char *)trailer, SHA1_SIZE));
	char *pack_path =
	    arena_cstr(arena, arena_printf(arena, "%s/pack-%.*s.pack", pack->folder, SV_ARG(hex)));
	char *index_path =
	    arena_cstr(arena, arena_printf(arena, "%s/pack-%.*s.idx", pack->folder, SV_ARG(hex)));
	char *index_temporary = arena_cstr(arena, arena_printf(arena, "%s.idx", pack->temporary));

	if (os_write_new(sink, sv_from_cstr(index_temporary), index_text(pack, trailer),
	                 OS_WRITE_SYNC) != STATUS_OK)
		return STATUS_FAILED;
	(void)chmod(index_temporary, 0444); /* as git's; only a courtesy */
	if (rename(pack->temporary, pack_path) < 0 || rename(index_temporary, index_path) < 0) {
		enum status status = fail(sink, pack, "rename to", pack_path);

		unlink(index_temporary);
		return status;
	}
	pack->temporary = NULL;
	return sync_names(sink, pack);
}

/* Gives a pack for another run its name. */
static enum status publish_file(struct sink *sink, struct git_pack *pack)
{
	sort_entries(pack);
	if (rename(pack->temporary, pack->path) < 0)
		return fail(sink, pack, "rename to", pack->path);
	pack->temporary = NULL;
	return sync_names(sink, pack);
}

bool git_pack_find(const struct git_pack *pack, struct git_id id, struct git_pack_place *ret_place)
{
	size_t low = 0;
	size_t high = pack->entries.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct entry *entry = &pack->entries.items[middle];
		int order = memcmp(entry->id.bytes, id.bytes, SHA1_SIZE);

		if (order == 0) {
			*ret_place = (struct git_pack_place){
			    .offset = entry->offset,
			    .size = entry->size,
			    .digest_bytes = entry->digest,
			};
			return true;
		}
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

enum status git_pack_finish(struct sink *sink, struct git_pack *pack)
{
	uint8_t trailer[SHA1_SIZE];

	if (pack->failed) {
		diag_report(sink, DIAG_GIT_WRITE, NOWHERE, "cannot write the pack in %s",
		            pack->folder);
		return STATUS_FAILED;
	}
	if (pack->fd < 0)
		return STATUS_OK;
	if (!complete(pack, trailer))
		return fail(sink, pack, "write", pack->temporary);
	if (close(pack->fd) < 0) {
		pack->fd = -1;
		return fail(sink, pack, "write", pack->temporary);
	}
	pack->fd = -1;
	return pack->path ? publish_file(sink, pack) : publish(sink, pack, trailer);
}
