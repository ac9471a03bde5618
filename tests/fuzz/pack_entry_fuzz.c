/*
 * An entry of a pack, and differences. The first byte chooses: "e" an entry; "d" a base, whose size
 * is the next two bytes, and a difference from it; "w" a base and a target, whose difference makes
 * the target again. Memory follows from the sizes.
 */
#include "git/compress.h"
#include "git/pack_read.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SIZE_BYTES = 2, BASE_BYTES = 1 << 16 };

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void try_entry(struct arena *arena, sv bytes)
{
	enum { BYTES_PER_BYTE = 1100 };
	struct git_entry entry;
	sv content;

	if (!git_entry_parse(bytes, &entry))
		return;
	check(entry.packed.len < bytes.len && sv_ends_with(bytes, entry.packed));
	check(entry.is_difference == (entry.back > 0));
	if (git_entry_inflate(arena, &entry, &content))
		check(content.len == entry.content_bytes);
	check(arena_used(arena) <= bytes.len * BYTES_PER_BYTE + BASE_BYTES);
}

/* A copy takes a byte, and is the whole base at most. */
static void try_difference(struct arena *arena, sv base, sv delta)
{
	enum { GROWTH = 4 };
	sv target;

	if (git_entry_apply_delta(arena, base, delta, &target))
		check(target.len <= (base.len + 1) * delta.len);
	check(arena_used(arena) <= GROWTH * (base.len + 1) * (delta.len + 1) + BASE_BYTES);
}

static void try_both_ways(struct arena *arena, sv base, sv target)
{
	struct git_delta_base *index = git_delta_base_new();
	size_t most = target.len + BASE_BYTES;
	uint8_t *out = (uint8_t *)arena_alloc_text(arena, most);
	sv again;

	git_delta_base_set(index, base);
	size_t written = git_delta_write(index, target, out, most);
	git_delta_base_free(index);
	if (written == 0)
		return;
	check(git_entry_apply_delta(arena, base, sv_from((const char *)out, written), &again));
	check(sv_eq(again, target));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	sv bytes = sv_from((const char *)data, size);

	if (size > 0 && data[0] == 'e')
		try_entry(arena, sv_from_offset(bytes, 1));
	if (size < 1 + SIZE_BYTES || size > BASE_BYTES || (data[0] != 'd' && data[0] != 'w'))
		return 0;
	size_t base_size = (size_t)data[1] << 8 | data[2];
	sv rest = sv_from_offset(bytes, 1 + SIZE_BYTES);
	if (base_size > rest.len)
		return 0;
	sv base = sv_slice(rest, 0, base_size);
	sv other = sv_from_offset(rest, base_size);
	if (data[0] == 'd')
		try_difference(arena, base, other);
	else
		try_both_ways(arena, base, other);
	return 0;
}
