/*
 * Compressed bytes of unknown origin. Less of them may be asked for, which is where more begins;
 * and what was compressed is what comes out.
 */
#include "codec/codec.h"

#include <stdlib.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 1 << 20 };

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void check_some(struct arena *arena, sv bytes)
{
	const size_t limits[] = {1, 7, 4096, 16384, 16385};
	sv whole;
	sv part;
	bool found = gzip_open_some(arena, bytes, MOST, &whole);

	check(whole.len <= MOST && found == (whole.len > 0));
	for (size_t i = 0; i < COUNT_OF(limits); i++) {
		check(gzip_open_some(arena, bytes, limits[i], &part) == found);
		check(
		    sv_eq(part, sv_slice(whole, 0, limits[i] < whole.len ? limits[i] : whole.len)));
	}
}

static void check_again(struct arena *arena, sv text)
{
	uLongf size = compressBound(text.len);
	char *bytes = arena_alloc_text(arena, size);
	sv again;

	check(compress2((Bytef *)bytes, &size, (const Bytef *)text.ptr, text.len, 1) == Z_OK);
	check(gzip_open_some(arena, sv_from(bytes, size), MOST, &again) == (text.len > 0));
	check(sv_eq(again, text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	sv bytes = sv_from((const char *)data, size);

	if (size > MOST)
		return 0;
	check_some(arena, bytes);
	check_again(arena, bytes);
	return 0;
}
