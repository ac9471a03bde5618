/*
 * Contents that one run saves in a pack of its own and another one commits.
 */
#include "git/output.h"

#include "codec/codec.h"
#include "os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <unistd.h>

/* ---- the run that makes them ------------------------------------------------------------- */

enum status git_output_save(struct sink *sink, struct git_output *output)
{
	BUG_ON(sv_empty(output->options.blobs));
	git_output_collect(output);
	return git_pack_finish(sink, output->pack);
}

static const struct git_put *find_put(const struct git_output *output, sv path)
{
	size_t low = 0;
	size_t high = output->all.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct git_put *put = &output->all.items[middle];
		int order = sv_cmp(put->path, path);

		if (order == 0)
			return put;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

bool git_output_find_blob(const struct git_output *output, sv path, struct git_blob *ret_blob)
{
	const struct git_put *put = find_put(output, path);
	struct git_pack_place place;

	BUG_ON(!output->collected);
	if (!put || put->remove)
		return false;
	*ret_blob = (struct git_blob){.id = put->id, .size_bytes = (size_t)put->size_bytes};
	if (!git_put_changes(put))
		return true;
	if (!git_pack_find(output->pack, put->id, &place))
		BUG("a changed file is not in the pack");
	ret_blob->is_changed = true;
	ret_blob->offset = (size_t)place.offset;
	ret_blob->entry_bytes = (size_t)place.size;
	ret_blob->entry_digest = place.digest_bytes;
	return true;
}

/* ---- the run that commits them ----------------------------------------------------------- */

struct git_entries {
	int fd;
};

enum status git_entries_open(struct arena *arena, struct sink *sink, sv path,
                             struct git_entries **ret_entries)
{
	struct git_entries *entries = ARENA_NEW(arena, struct git_entries);
	struct stat info;

	/* Opening a pipe must not wait for a writer. */
	entries->fd = open(arena_cstr(arena, path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	int error = entries->fd < 0 ? errno : 0;
	if (error == 0 && (fstat(entries->fd, &info) < 0 || !S_ISREG(info.st_mode)))
		error = EINVAL;
	if (error != 0) {
		git_entries_close(entries);
		os_report_error(sink, error, "read", path);
		return STATUS_FAILED;
	}
	*ret_entries = entries;
	return STATUS_OK;
}

void git_entries_close(struct git_entries *entries)
{
	if (entries && entries->fd >= 0)
		close(entries->fd);
}

bool git_entries_read(struct arena *arena, const struct git_entries *entries,
                      const struct git_blob *blob, sv *ret_entry)
{
	size_t size = blob->entry_bytes;
	uint8_t digest[DIGEST_MAX_SIZE];
	struct stat info;
	size_t at = 0;

	/* Memory is only taken for bytes that are there. */
	if (fstat(entries->fd, &info) < 0 || blob->offset > (uint64_t)info.st_size ||
	    size > (uint64_t)info.st_size - blob->offset)
		return false;
	char *bytes = arena_alloc_text(arena, size);
	while (at < size) {
		ssize_t got = pread(entries->fd, bytes + at, size - at, (off_t)(blob->offset + at));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		at += (size_t)got;
	}
	digest_of(DIGEST_SHA256, sv_from(bytes, size), digest);
	if (!sv_eq(sv_from((const char *)digest, 32), blob->entry_digest))
		return false;
	*ret_entry = sv_from(bytes, size);
	return true;
}

/* Reads the header of an entry. Returns its size, or 0 if it is not that of a blob so large. */
static size_t header_size(sv entry, uint64_t size_bytes)
{
	enum { LENGTH_BITS = 7, FIRST_BITS = 4, SIZE_BITS = 64 };
	const uint8_t *bytes = (const uint8_t *)entry.ptr;
	unsigned shift = FIRST_BITS;
	size_t at = 0;

	if (entry.len == 0 || (bytes[0] >> FIRST_BITS & 7) != GIT_PACK_BLOB)
		return 0;
	uint64_t size = bytes[0] & 15;
	while (bytes[at++] & 0x80) {
		if (at == entry.len || shift >= SIZE_BITS - LENGTH_BITS)
			return 0;
		size |= (uint64_t)(bytes[at] & 0x7f) << shift;
		shift += LENGTH_BITS;
	}
	return size == size_bytes ? at : 0;
}

static bool inflate_entry(struct arena *arena, sv entry, uint64_t size_bytes, sv *ret_text)
{
	enum { DEFLATE_RATIO = 1032 }; /* no byte of a zlib stream becomes more */
	size_t header = header_size(entry, size_bytes);
	sv packed = sv_from_offset(entry, header);

	if (header == 0 || size_bytes / DEFLATE_RATIO > packed.len)
		return false;
	struct libdeflate_decompressor *inflate = libdeflate_alloc_decompressor();
	if (!inflate)
		base_out_of_memory();
	char *text = arena_alloc_text(arena, (size_t)size_bytes + 1);
	size_t read = 0;
	bool is_whole =
	    libdeflate_zlib_decompress_ex(inflate, packed.ptr, packed.len, text, (size_t)size_bytes,
	                                  &read, NULL) == LIBDEFLATE_SUCCESS &&
	    read == packed.len;
	libdeflate_free_decompressor(inflate);
	*ret_text = sv_from(text, (size_t)size_bytes);
	return is_whole;
}

static enum status report_entry(struct sink *sink, sv path)
{
	diag_report(sink, DIAG_GIT_OBJECT, NOWHERE, "the packed content of %.*s is damaged",
	            SV_ARG(path));
	return STATUS_FAILED;
}

static enum status store_entry(struct arena *scratch, struct sink *sink, struct git_output *output,
                               struct git_output_worker *worker, struct git_put *put, sv entry)
{
	sv text;

	if (git_pack_add_entry(sink, output->pack, put->id, entry) != STATUS_OK)
		return STATUS_FAILED;
	if (!output->stage)
		return STATUS_OK;
	if (!inflate_entry(scratch, entry, put->size_bytes, &text))
		return report_entry(sink, put->path);
	put->name = arena_printf(worker->arena, "%zu-%zu", (size_t)(worker - output->workers),
	                         worker->staged_count++);
	put->staged = true;
	return git_stage_write(sink, output->stage, put->name, text);
}

enum status git_output_put_entry(struct arena *scratch, struct sink *sink,
                                 struct git_output *output, unsigned worker, sv path,
                                 const struct git_blob *blob, sv entry)
{
	struct git_output_worker *mine = &output->workers[worker];
	struct git_put put = {
	    .previous = git_output_find(output, path),
	    .id = blob->id,
	    .size_bytes = blob->size_bytes,
	};

	BUG_ON(worker >= output->options.workers || output->collected ||
	       output->options.mode != GIT_OUTPUT_COMMIT);
	if (git_output_check_path(sink, path) != STATUS_OK || os_check_signals(sink) != STATUS_OK)
		return STATUS_FAILED;
	if (blob->is_changed != git_put_changes(&put) ||
	    (blob->is_changed && header_size(entry, blob->size_bytes) == 0))
		return report_entry(sink, path);
	put.path = arena_dup(mine->arena, path);
	if (blob->is_changed && store_entry(scratch, sink, output, mine, &put, entry) != STATUS_OK)
		return STATUS_FAILED;
	VEC_PUSH(mine->arena, &mine->puts, put);
	return STATUS_OK;
}
