/*
 * Compresses entries of a pack (RFC 1950, RFC 1951).
 */
#include "git/compress.h"

#include "git/git.h"
#include "git/literals.h"

#include <libdeflate.h>
#include <stdlib.h>
#ifdef OSM_GEN_ISAL
#include <isa-l.h>
#endif

/* libdeflate's level 1: base64 (sealed data) to 0.746 of its size at 170 MB/s a core, ordinary text
 * to 0.30 at 270 MB/s; zlib's takes twice the time and leaves more. */
enum { LEVEL = 1 };

#ifdef OSM_GEN_ISAL
enum {
	ISAL_MOST = 1 << 30,     /* it counts in 32 bits */
	STORED_BLOCK = 65535,    /* the most that a block without compression holds */
	STORED_BLOCK_HEADER = 5, /* and what it has in front */
	ISAL_ROOM = 64,          /* the stream's header and checksum, and room to write ahead */
};

struct fast {
	struct isal_zstream stream;
	uint8_t level_buffer[ISAL_DEF_LVL1_DEFAULT];
};
#endif

struct git_deflate {
	struct libdeflate_compressor *ordinary; /* made by the first use */
	struct git_literals *literals;          /* the same */
#ifdef OSM_GEN_ISAL
	struct fast *fast;
#endif
};

struct git_deflate *git_deflate_new(void)
{
	return memory_take_zeroed(1, sizeof(struct git_deflate));
}

void git_deflate_free(struct git_deflate *deflate)
{
	if (!deflate)
		return;
	libdeflate_free_compressor(deflate->ordinary);
	git_literals_free(deflate->literals);
#ifdef OSM_GEN_ISAL
	free(deflate->fast);
#endif
	free(deflate);
}

static struct libdeflate_compressor *ordinary(struct git_deflate *deflate)
{
	if (!deflate->ordinary)
		deflate->ordinary = libdeflate_alloc_compressor(LEVEL);
	if (!deflate->ordinary)
		base_out_of_memory();
	return deflate->ordinary;
}

static size_t write_ordinary(struct git_deflate *deflate, sv bytes, uint8_t *out, size_t room)
{
	size_t size = libdeflate_zlib_compress(ordinary(deflate), bytes.ptr ? bytes.ptr : "",
	                                       bytes.len, out, room);

	BUG_ON(size == 0);
	return size;
}

#ifdef OSM_GEN_ISAL
static size_t fast_bound(struct git_deflate *deflate, size_t len)
{
	if (len > ISAL_MOST)
		return libdeflate_zlib_compress_bound(ordinary(deflate), len);
	/* ISA-L stores what it cannot make smaller. */
	return len + (len / STORED_BLOCK + 1) * STORED_BLOCK_HEADER + ISAL_ROOM;
}

static size_t write_fast(struct git_deflate *deflate, sv bytes, uint8_t *out)
{
	size_t room = fast_bound(deflate, bytes.len);

	if (bytes.len > ISAL_MOST)
		return write_ordinary(deflate, bytes, out, room);
	if (!deflate->fast)
		deflate->fast = memory_take_zeroed(1, sizeof(*deflate->fast));
	struct isal_zstream *stream = &deflate->fast->stream;

	isal_deflate_stateless_init(stream);
	stream->level = LEVEL;
	stream->level_buf = deflate->fast->level_buffer;
	stream->level_buf_size = sizeof(deflate->fast->level_buffer);
	stream->gzip_flag = IGZIP_ZLIB;
	stream->hist_bits = 0; /* isal_deflate_stateless_init leaves it; the whole window */
	stream->end_of_stream = 1;
	stream->flush = NO_FLUSH;
	stream->next_in = (uint8_t *)(uintptr_t)(bytes.ptr ? bytes.ptr : "");
	stream->avail_in = (uint32_t)bytes.len;
	stream->next_out = out;
	stream->avail_out = (uint32_t)room;
	BUG_ON(isal_deflate_stateless(stream) != COMP_OK || stream->avail_in > 0);
	return stream->total_out;
}

const char *git_isal_version(void)
{
#define TEXT_OF(number) #number
#define DOTTED(a, b, c) TEXT_OF(a) "." TEXT_OF(b) "." TEXT_OF(c)
	return DOTTED(ISAL_MAJOR_VERSION, ISAL_MINOR_VERSION, ISAL_PATCH_VERSION);
}
#else
static size_t fast_bound(struct git_deflate *deflate, size_t len)
{
	return libdeflate_zlib_compress_bound(ordinary(deflate), len);
}

static size_t write_fast(struct git_deflate *deflate, sv bytes, uint8_t *out)
{
	return write_ordinary(deflate, bytes, out, fast_bound(deflate, bytes.len));
}

const char *git_isal_version(void)
{
	return NULL;
}
#endif

size_t git_deflate_bound(struct git_deflate *deflate, size_t len)
{
	size_t literals = git_literals_bound(len);
	size_t fast = fast_bound(deflate, len);

	return literals > fast ? literals : fast;
}

size_t git_deflate_write(struct git_deflate *deflate, sv bytes, uint8_t *out)
{
	if (bytes.len >= GIT_LITERALS_LEAST && !deflate->literals)
		deflate->literals = git_literals_new();
	size_t size = git_literals_write(deflate->literals, bytes, out);
	return size > 0 ? size : write_fast(deflate, bytes, out);
}

const char *git_deflate_version(void)
{
	return LIBDEFLATE_VERSION_STRING;
}
