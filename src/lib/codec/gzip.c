/*
 * gzip and checksums, by zlib.
 */
#include "codec/codec.h"

#include <zlib.h>

/*
 * zlib keeps what it reads and writes in memory of its own. Where that may be a secret, the memory
 * is locked and wiped.
 */
static void *allocate(void *arena, unsigned count, unsigned size)
{
	return arena_alloc_array(arena, count, size);
}

static void leave(void *arena, void *address)
{
	(void)arena;
	(void)address;
}

static z_stream stream_in(struct arena *arena)
{
	return (z_stream){.zalloc = allocate, .zfree = leave, .opaque = arena};
}

enum { CHUNK_BYTES = 16384 };

/* zlib refuses only a wrong call or a lack of memory, and neither is the input's fault. */
static void deflate_open(z_stream *stream)
{
	/* 16 more than the window's 15 bits: a gzip header instead of zlib's. */
	int result =
	    deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);

	if (result == Z_MEM_ERROR)
		base_out_of_memory();
	BUG_ON(result != Z_OK);
}

size_t gzip_size(struct arena *scratch, sv bytes)
{
	z_stream stream = stream_in(scratch);
	unsigned char *chunk = arena_alloc(scratch, CHUNK_BYTES);
	size_t total = 0;
	size_t taken = 0;
	int result;

	deflate_open(&stream);
	do {
		size_t rest = bytes.len - taken;
		uInt part = rest > (1u << 30) ? 1u << 30 : (uInt)rest;

		if (stream.avail_in == 0) {
			/* SAFETY: zlib's interface lacks the const; it does not write there. */
			stream.next_in = (Bytef *)(uintptr_t)(bytes.ptr + taken);
			stream.avail_in = part;
			taken += part;
		}
		stream.next_out = chunk;
		stream.avail_out = CHUNK_BYTES;
		result = deflate(&stream, taken == bytes.len ? Z_FINISH : Z_NO_FLUSH);
		BUG_ON(result == Z_STREAM_ERROR);
		total += CHUNK_BYTES - stream.avail_out;
	} while (result != Z_STREAM_END);
	deflateEnd(&stream);
	return total;
}

sv gzip_open(struct arena *arena, sv bytes, size_t size)
{
	char *text = arena_alloc(arena, size + 1);
	z_stream stream = {0};
	int result = inflateInit2(&stream, 15 + 16);

	if (result == Z_MEM_ERROR)
		base_out_of_memory();
	BUG_ON(result != Z_OK || bytes.len > UINT_MAX || size >= UINT_MAX);
	/* SAFETY: zlib's interface lacks the const; it does not write there. */
	stream.next_in = (Bytef *)(uintptr_t)bytes.ptr;
	stream.avail_in = (uInt)bytes.len;
	stream.next_out = (Bytef *)text;
	/* One byte more than expected, to notice data that are too long. */
	stream.avail_out = (uInt)size + 1;
	result = inflate(&stream, Z_FINISH);
	if (result == Z_MEM_ERROR)
		base_out_of_memory();
	BUG_ON(result != Z_STREAM_END || stream.avail_out != 1);
	inflateEnd(&stream);
	return sv_from(text, size);
}

bool gzip_open_some(struct arena *arena, sv bytes, size_t max, sv *ret_bytes)
{
	ARENA_AUTO scratch = arena_new(ARENA_SECRET);
	unsigned char *chunk = arena_alloc(scratch, CHUNK_BYTES);
	struct buf text = buf_in(arena);
	z_stream stream = stream_in(scratch);
	/* 32 more: either header. */
	int result = inflateInit2(&stream, 15 + 32);

	if (result == Z_MEM_ERROR)
		base_out_of_memory();
	BUG_ON(result != Z_OK || bytes.len > UINT_MAX);
	/* SAFETY: zlib's interface lacks the const; it does not write there. */
	stream.next_in = (Bytef *)(uintptr_t)bytes.ptr;
	stream.avail_in = (uInt)bytes.len;
	do {
		stream.next_out = chunk;
		stream.avail_out = CHUNK_BYTES;
		result = inflate(&stream, Z_NO_FLUSH);
		if (result == Z_MEM_ERROR)
			base_out_of_memory();
		buf_add(&text, sv_from_bytes(chunk, CHUNK_BYTES - stream.avail_out));
	} while (result == Z_OK && text.len < max);
	inflateEnd(&stream);
	*ret_bytes = sv_slice(buf_sv(&text), 0, max);
	return text.len > 0;
}

uint32_t adler32_of(sv bytes)
{
	return (uint32_t)adler32_z(1, (const Bytef *)bytes.ptr, bytes.len);
}

const char *codec_zlib_version(void)
{
	return zlibVersion();
}
