/*
 * Reads the header of a pack's entry, its content, and differences.
 */
#include "git/pack_read.h"

#include "git/pack.h"

#include <libdeflate.h>

/* ---- the header -------------------------------------------------------------------------- */

static bool take_byte(sv *rest, uint8_t *ret_byte)
{
	if (sv_empty(*rest))
		return false;
	*ret_byte = (uint8_t)rest->ptr[0];
	*rest = sv_from_offset(*rest, 1);
	return true;
}

/* Takes further digits of a size, seven bits a byte, the lowest first, from bit `shift` on. */
static bool take_size(sv *rest, unsigned shift, uint64_t *size)
{
	enum { DIGIT_BITS = 7, LAST_SHIFT = 56 };
	uint8_t byte;

	do {
		if (shift > LAST_SHIFT || !take_byte(rest, &byte))
			return false;
		*size |= (uint64_t)(byte & 0x7f) << shift;
		shift += DIGIT_BITS;
	} while (byte & 0x80);
	return true;
}

/* Takes the way back to the base: the highest digit first, each further one counts from one. */
static bool take_way(sv *rest, uint64_t *ret_back)
{
	uint64_t back = 0;
	uint8_t byte;

	if (!take_byte(rest, &byte))
		return false;
	back = byte & 0x7f;
	while (byte & 0x80) {
		if (back >= UINT64_MAX >> 8 || !take_byte(rest, &byte))
			return false;
		back = (back + 1) << 7 | (byte & 0x7f);
	}
	*ret_back = back;
	return true;
}

bool git_entry_parse(sv bytes, struct git_entry *ret_entry)
{
	enum { FIRST_BITS = 4 };
	struct git_entry entry = {0};
	uint8_t byte;

	if (!take_byte(&bytes, &byte))
		return false;
	unsigned type = byte >> FIRST_BITS & 7;
	entry.content_bytes = byte & 15;
	if (byte & 0x80 && !take_size(&bytes, FIRST_BITS, &entry.content_bytes))
		return false;
	entry.is_difference = type == GIT_PACK_DELTA;
	if (!entry.is_difference && type != GIT_PACK_BLOB)
		return false;
	if (entry.is_difference && (!take_way(&bytes, &entry.back) || entry.back == 0))
		return false;
	entry.packed = bytes;
	*ret_entry = entry;
	return true;
}

/* ---- the content ------------------------------------------------------------------------- */

bool git_entry_inflate(struct arena *arena, const struct git_entry *entry, sv *ret_content)
{
	enum { DEFLATE_RATIO = 1032 }; /* no byte of a zlib stream becomes more */
	uint64_t size = entry->content_bytes;
	size_t used = 0;

	/* Memory is only taken for bytes that are there. */
	if (size > GIT_ENTRY_MAX_BYTES || size / DEFLATE_RATIO > entry->packed.len)
		return false;
	struct libdeflate_decompressor *inflate = libdeflate_alloc_decompressor();
	if (!inflate)
		base_out_of_memory();
	char *text = arena_alloc_text(arena, (size_t)size + 1);
	bool is_whole =
	    libdeflate_zlib_decompress_ex(inflate, entry->packed.ptr, entry->packed.len, text,
	                                  (size_t)size, &used, NULL) == LIBDEFLATE_SUCCESS &&
	    used == entry->packed.len;
	libdeflate_free_decompressor(inflate);
	*ret_content = sv_from(text, (size_t)size);
	return is_whole;
}

/* ---- differences ------------------------------------------------------------------------- */

enum { COPY = 0x80, COPY_OFFSET_BYTES = 4, COPY_PARTS = 7, COPY_MAX = 0x10000 };

/* Takes the bytes of an offset and a size; those that are 0 are left out. */
static bool take_copy(sv *delta, uint8_t operation, sv base, sv *ret_part)
{
	uint64_t numbers[2] = {0};
	uint8_t byte;

	for (unsigned i = 0; i < COPY_PARTS; i++) {
		unsigned number = i >= COPY_OFFSET_BYTES;

		if (!(operation & 1u << i))
			continue;
		if (!take_byte(delta, &byte))
			return false;
		numbers[number] |= (uint64_t)byte << 8 * (i - number * COPY_OFFSET_BYTES);
	}
	uint64_t size = numbers[1] > 0 ? numbers[1] : COPY_MAX;
	if (numbers[0] > base.len || size > base.len - numbers[0])
		return false;
	*ret_part = sv_slice(base, (size_t)numbers[0], (size_t)(numbers[0] + size));
	return true;
}

bool git_entry_apply_delta(struct arena *arena, sv base, sv delta, sv *ret_target)
{
	uint64_t base_bytes = 0;
	uint64_t target_bytes = 0;
	uint8_t operation;
	sv part;

	if (!take_size(&delta, 0, &base_bytes) || !take_size(&delta, 0, &target_bytes) ||
	    base_bytes != base.len || target_bytes > GIT_ENTRY_MAX_BYTES ||
	    /* Seven bytes of a copy become 64 KiB at most. */
	    target_bytes / COPY_MAX > delta.len)
		return false;
	struct buf target = buf_in(arena);
	while (take_byte(&delta, &operation)) {
		if (operation & COPY) {
			if (!take_copy(&delta, operation, base, &part))
				return false;
		} else if (operation == 0 || operation > delta.len) {
			return false;
		} else {
			part = sv_slice(delta, 0, operation);
			delta = sv_from_offset(delta, operation);
		}
		if (part.len > target_bytes - target.len)
			return false;
		buf_add(&target, part);
	}
	*ret_target = buf_sv(&target);
	return target.len == target_bytes;
}
