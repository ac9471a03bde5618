/*
 * Compresses objects to entries of a pack, and writes those that are nearly the same as others as
 * differences.
 */
#include "git/compress.h"

#include "git/pack.h"

#include <stdlib.h>

enum {
	ENTRY_HEADER_MAX = 20, /* type and size, then the base's place, seven bits a byte */
	BASES = 8,
	DELTA_DEPTH = 4, /* differences between an object and a whole one */
	DELTA_GOOD_SHARE =
	    128,         /* a difference of this part is not worth a search for a smaller one */
	DELTA_SHARE = 4, /* a difference is at most a fourth of the object */
	DELTA_MIN_SIZE = 256, /* shorter objects are written whole */
};

/* An object of the pack that others may be written as differences from. */
struct base {
	struct git_delta_base *index;
	size_t size;
	uint64_t offset; /* in the pack */
	unsigned depth;  /* differences between it and a whole object */
};

/* The content of an entry of the pack. */
struct content {
	unsigned type;
	sv bytes;
	uint64_t base; /* offset of the base; 0: the object is whole */
	unsigned depth;
};

struct git_compressor {
	struct git_deflate *deflate; /* made by the first use */
	uint8_t *out;                /* room for an entry's header, then the stream */
	size_t out_size;
	size_t stream_size;
	sv object; /* the last one taken, if it may be a base */
	struct content content;
	uint8_t *deltas[2];       /* made by the first use */
	struct base bases[BASES]; /* the last ones that were of use first */
	size_t base_count;
};

struct git_compressor *git_compressor_new(void)
{
	return memory_take_zeroed(1, sizeof(struct git_compressor));
}

void git_compressor_free(struct git_compressor *compressor)
{
	git_deflate_free(compressor->deflate);
	free(compressor->out);
	free(compressor->deltas[0]);
	free(compressor->deltas[1]);
	for (size_t i = 0; i < compressor->base_count; i++)
		git_delta_base_free(compressor->bases[i].index);
	free(compressor);
}

static void make_ready(struct git_compressor *compressor, size_t len)
{
	if (!compressor->deflate)
		compressor->deflate = git_deflate_new();
	size_t bound = git_deflate_bound(compressor->deflate, len) + ENTRY_HEADER_MAX;
	if (compressor->out_size >= bound)
		return;
	free(compressor->out);
	compressor->out = malloc(bound);
	if (!compressor->out)
		base_out_of_memory();
	compressor->out_size = bound;
}

/*
 * Writes the header of an entry at `offset` in front of its stream. Returns where it begins. The
 * base's place is the way back to it.
 */
static uint8_t *add_entry_header(struct git_compressor *compressor, const struct content *content,
                                 uint64_t offset)
{
	uint8_t header[ENTRY_HEADER_MAX], way[ENTRY_HEADER_MAX];
	size_t size = 0, way_at = sizeof(way);
	uint64_t rest = content->bytes.len >> 4;
	uint8_t byte = (uint8_t)(content->type << 4 | (content->bytes.len & 15));

	for (; rest > 0; rest >>= 7) {
		header[size++] = byte | 0x80;
		byte = rest & 0x7f;
	}
	header[size++] = byte;
	if (content->base > 0) {
		/* From the last byte to the first; each further one counts from where those
		 * without it end. */
		uint64_t back = offset - content->base;

		way[--way_at] = back & 0x7f;
		while (back >>= 7)
			way[--way_at] = 0x80 | (--back & 0x7f);
		memcpy(header + size, way + way_at, sizeof(way) - way_at);
		size += sizeof(way) - way_at;
	}
	uint8_t *begin = compressor->out + ENTRY_HEADER_MAX - size;
	memcpy(begin, header, size);
	return begin;
}

/* ---- differences ------------------------------------------------------------------------- */

/* Moves the base to the front of the others. */
static void move_to_front(struct git_compressor *compressor, size_t number)
{
	struct base base = compressor->bases[number];

	memmove(&compressor->bases[1], &compressor->bases[0], number * sizeof(base));
	compressor->bases[0] = base;
}

/*
 * Returns the object as the smallest difference from a base, or whole if it is like none of them.
 * Nearly all of a fleet's files have a base from which little is different, mostly the last one.
 */
static struct content choose_content(struct git_compressor *compressor, unsigned type, sv bytes)
{
	struct content best = {.type = type, .bytes = bytes};
	size_t most = bytes.len / DELTA_SHARE;
	size_t of = BASES;

	for (size_t i = 0; i < 2 && !compressor->deltas[i]; i++)
		compressor->deltas[i] = memory_take(GIT_DELTA_MAX_SIZE / DELTA_SHARE);
	for (size_t i = 0; i < compressor->base_count && most > bytes.len / DELTA_GOOD_SHARE; i++) {
		const struct base *base = &compressor->bases[i];

		/* Skip bases of very different size: they hold another kind of content. */
		if (base->size / 2 > bytes.len || bytes.len / 2 > base->size)
			continue;
		size_t size = git_delta_write(base->index, bytes, compressor->deltas[1], most);
		if (size == 0)
			continue;
		uint8_t *delta = compressor->deltas[1];
		compressor->deltas[1] = compressor->deltas[0];
		compressor->deltas[0] = delta;
		best = (struct content){
		    .type = GIT_PACK_DELTA,
		    .bytes = sv_from_bytes(delta, size),
		    .base = base->offset,
		    .depth = base->depth + 1,
		};
		most = size - 1;
		of = i;
	}
	if (of < BASES)
		move_to_front(compressor, of);
	return best;
}

/*
 * Keeps an object as a base for others, in place of the one that was of use longest ago: not if it
 * is nearly the same as one of them, or at the end of a chain.
 */
static void keep_base(struct git_compressor *compressor, sv bytes, const struct content *content,
                      uint64_t offset)
{
	if (content->depth == DELTA_DEPTH ||
	    (content->base > 0 && content->bytes.len <= bytes.len / DELTA_GOOD_SHARE))
		return;
	if (compressor->base_count < BASES)
		compressor->bases[compressor->base_count++].index = git_delta_base_new();
	move_to_front(compressor, compressor->base_count - 1);
	git_delta_base_set(compressor->bases[0].index, bytes);
	compressor->bases[0].size = bytes.len;
	compressor->bases[0].offset = offset;
	compressor->bases[0].depth = content->depth;
}

/* ---- entries ----------------------------------------------------------------------------- */

void git_compressor_take(struct git_compressor *compressor, unsigned type, sv bytes,
                         bool may_differ)
{
	may_differ = may_differ && bytes.len >= DELTA_MIN_SIZE && bytes.len <= GIT_DELTA_MAX_SIZE;
	compressor->object = may_differ ? bytes : (sv){0};
	compressor->content = may_differ ? choose_content(compressor, type, bytes)
	                                 : (struct content){.type = type, .bytes = bytes};
	make_ready(compressor, compressor->content.bytes.len);
	compressor->stream_size = git_deflate_write(compressor->deflate, compressor->content.bytes,
	                                            compressor->out + ENTRY_HEADER_MAX);
}

sv git_compressor_entry(struct git_compressor *compressor, uint64_t offset)
{
	uint8_t *end = compressor->out + ENTRY_HEADER_MAX;
	uint8_t *begin = add_entry_header(compressor, &compressor->content, offset);

	return sv_from_bytes(begin, (size_t)(end - begin) + compressor->stream_size);
}

void git_compressor_keep(struct git_compressor *compressor, uint64_t offset)
{
	if (compressor->object.ptr)
		keep_base(compressor, compressor->object, &compressor->content, offset);
}
