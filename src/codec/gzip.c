#include "codec/codec.h"

#include <zlib.h>

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

/* Compresses bytes as one gzip member, adding it to buf (may be null). Returns its size. */
static size_t deflate_all(sv bytes, struct buf *buf)
{
	z_stream stream = {0};
	gz_header header = {.os = 255}; /* unknown: the bytes must not name the system */
	unsigned char chunk[16384];
	size_t total = 0;
	size_t taken = 0;
	int result;

	deflate_open(&stream);
	BUG_ON(deflateSetHeader(&stream, &header) != Z_OK);
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
		stream.avail_out = sizeof(chunk);
		result = deflate(&stream, taken == bytes.len ? Z_FINISH : Z_NO_FLUSH);
		BUG_ON(result == Z_STREAM_ERROR);
		size_t made = sizeof(chunk) - stream.avail_out;

		if (buf)
			buf_add(buf, sv_from((const char *)chunk, made));
		total += made;
	} while (result != Z_STREAM_END);
	deflateEnd(&stream);
	return total;
}

sv gzip_compress(struct arena *arena, sv bytes)
{
	struct buf buf = buf_in(arena);

	deflate_all(bytes, &buf);
	return buf_sv(&buf);
}

size_t gzip_size(sv bytes)
{
	return deflate_all(bytes, NULL);
}

uint32_t adler32_of(sv bytes)
{
	return (uint32_t)adler32_z(1, (const Bytef *)bytes.ptr, bytes.len);
}
