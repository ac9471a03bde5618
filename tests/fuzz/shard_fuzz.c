/*
 * The file of a shard, whose MAC is taken to hold: damaged content is refused, content that is read
 * is written again byte for byte, and memory follows from its size.
 */
#include "run/shard/format.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { BYTES_PER_BYTE = 64, BASE = 1 << 16 };
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	sv content = sv_from((const char *)data, size);
	struct run_shard_head head;
	struct run_shard shard;

	bool is_read = run_shard_decode(arena, content, &shard);
	check(arena_used(arena) <= size * BYTES_PER_BYTE + BASE);
	if (!is_read)
		return 0;
	check(run_shard_decode_head(content, &head));
	check(sv_eq(head.version, shard.head.version) && sv_eq(head.build, shard.head.build));
	check(sv_eq(run_shard_encode(arena, &shard), content));
	return 0;
}
