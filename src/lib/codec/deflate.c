/*
 * Writes gzip, by libdeflate, which is faster than zlib.
 */
#include "codec/codec.h"

#include <libdeflate.h>

enum { LEVEL = 6 };

void gzip_add(struct buf *buf, sv bytes)
{
	struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(LEVEL);

	if (!compressor)
		base_out_of_memory();
	size_t bound = libdeflate_gzip_compress_bound(compressor, bytes.len);
	size_t size = libdeflate_gzip_compress(compressor, bytes.ptr ? bytes.ptr : "", bytes.len,
	                                       buf_reserve(buf, bound), bound);
	BUG_ON(size == 0);
	buf->len += size;
	libdeflate_free_compressor(compressor);
}
