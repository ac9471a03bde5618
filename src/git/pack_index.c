/*
 * Writes the index of a pack, and gives both their names.
 */
#include "git/pack_index.h"

#include "codec/codec.h"
#include "os/os.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int compare_entries(const void *a, const void *b, void *context)
{
	const struct git_pack_entry *left = a;
	const struct git_pack_entry *right = b;

	(void)context;
	return memcmp(left->id.bytes, right->id.bytes, sizeof(left->id.bytes));
}

void git_pack_entries_sort(struct git_pack_entries *entries)
{
	sort_stable(entries->items, entries->count, sizeof(*entries->items), compare_entries, NULL);
}

static void add_be32(struct buf *buf, uint32_t number)
{
	uint32_t big = htobe32(number);

	buf_add(buf, sv_from_bytes(&big, sizeof(big)));
}

/* Offsets from 2 GiB on are in a second table; the first has their index in it. */
static void add_offsets(const struct git_pack_entries *entries, struct buf *buf)
{
	uint32_t large = 0;

	VEC_EACH (entry, entries) {
		if (entry->offset < 0x80000000u)
			add_be32(buf, (uint32_t)entry->offset);
		else
			add_be32(buf, 0x80000000u | large++);
	}
	VEC_EACH (entry, entries) {
		if (entry->offset >= 0x80000000u) {
			add_be32(buf, (uint32_t)(entry->offset >> 32));
			add_be32(buf, (uint32_t)entry->offset);
		}
	}
}

static sv index_text(struct arena *arena, const struct git_pack_entries *entries,
                     const uint8_t trailer[GIT_PACK_TRAILER_SIZE])
{
	struct buf buf = buf_in(arena);
	uint8_t digest[DIGEST_MAX_SIZE];
	size_t at = 0;

	buf_add(&buf, sv_from("\377tOc", 4));
	add_be32(&buf, 2);
	for (unsigned first = 0; first < 256; first++) {
		while (at < entries->count && entries->items[at].id.bytes[0] <= first)
			at++;
		add_be32(&buf, (uint32_t)at);
	}
	VEC_EACH (entry, entries)
		buf_add(&buf, git_id_sv(&entry->id));
	VEC_EACH (entry, entries)
		add_be32(&buf, entry->crc);
	add_offsets(entries, &buf);
	buf_add(&buf, sv_from_bytes(trailer, GIT_PACK_TRAILER_SIZE));
	digest_of(DIGEST_SHA1, buf_sv(&buf), digest);
	buf_add(&buf, sv_from_bytes(digest, GIT_PACK_TRAILER_SIZE));
	return buf_sv(&buf);
}

static enum status fail_pack_index(struct sink *sink, const char *action, sv path)
{
	os_report_error(sink, errno, action, path);
	return STATUS_FAILED;
}

/*
 * Git looks for packs by their index: it comes last, and once it is there it is complete. A pack
 * that has its name is never removed again: another run may have made the same one, and rely on
 * it. Unused, it goes with the next git gc.
 */
enum status git_pack_publish(struct sink *sink, sv temporary,
                             const struct git_pack_entries *entries,
                             const uint8_t trailer[GIT_PACK_TRAILER_SIZE])
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	sv folder = sv_slice(temporary, 0, sv_rfind_char(temporary, '/'));
	sv hex = hex_encode(arena, sv_from_bytes(trailer, GIT_PACK_TRAILER_SIZE));
	sv stem = ARENA_CONCAT(arena, folder, SV("/pack-"), hex);
	char *pack_path = arena_cstr(arena, ARENA_CONCAT(arena, stem, SV(".pack")));
	char *index_path = arena_cstr(arena, ARENA_CONCAT(arena, stem, SV(".idx")));
	sv index = ARENA_CONCAT(arena, temporary, SV(".idx"));
	char *index_temporary = arena_cstr(arena, index);

	if (os_write_new(sink, index, index_text(arena, entries, trailer), OS_WRITE_SYNC) !=
	    STATUS_OK)
		return STATUS_FAILED;
	(void)chmod(index_temporary, 0444); /* as git's; only a courtesy */
	if (rename(arena_cstr(arena, temporary), pack_path) < 0 ||
	    rename(index_temporary, index_path) < 0) {
		enum status status = fail_pack_index(sink, "rename to", sv_from_cstr(pack_path));

		unlink(index_temporary);
		return status;
	}
	return STATUS_OK;
}

enum status git_pack_sync_names(struct sink *sink, sv folder)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	int fd = open(arena_cstr(arena, folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* Some file systems refuse to sync a folder; they order it themselves. */
	bool done = fd >= 0 && (fsync(fd) == 0 || errno == EINVAL);
	enum status status = done ? STATUS_OK : fail_pack_index(sink, "sync", folder);

	if (fd >= 0)
		close(fd);
	return status;
}
