/*
 * Masks: finds secrets in a string that will be printed.
 */
#include "secrecy/secrecy.h"

#define LINE_MIN   8 /* of a line of a longer one: "-----" must not become a secret */
#define BITS_LOG2  16
#define WORD_COUNT ((size_t)1 << (BITS_LOG2 - 6))

struct piece {
	sv text;
	const struct piece *within; /* the longest other one that this begins with; or null */
};

/*
 * Sorted pieces without duplicates. The last piece that does not sort after a string either is one
 * of the pieces that the string begins with, or begins with all of them.
 */
struct secret_mask {
	VEC(struct piece) pieces;
	size_t longest;                  /* bytes of one */
	uint64_t beginnings[WORD_COUNT]; /* a bit for the hash of the first SECRET_MIN_SIZE bytes */
};

static size_t bit_of(const char *bytes)
{
	return (size_t)(sv_hash(sv_from(bytes, SECRET_MIN_SIZE), 0) % ((size_t)1 << BITS_LOG2));
}

static void add_piece(struct arena *arena, struct secret_mask *mask, sv text)
{
	size_t bit = bit_of(text.ptr);

	mask->beginnings[bit / 64] |= (uint64_t)1 << bit % 64;
	if (text.len > mask->longest)
		mask->longest = text.len;
	VEC_PUSH(arena, &mask->pieces, ((struct piece){.text = text}));
}

static void sort_pieces(struct secret_mask *mask)
{
	size_t kept = 0;

	if (mask->pieces.count == 0)
		return;
	SORT_BY(mask->pieces.items, mask->pieces.count, text);
	for (size_t i = 0; i < mask->pieces.count; i++) {
		struct piece *piece = &mask->pieces.items[i];
		const struct piece *before = kept > 0 ? &mask->pieces.items[kept - 1] : NULL;

		if (before && sv_eq(before->text, piece->text))
			continue;
		while (before && !sv_starts_with(piece->text, before->text))
			before = before->within;
		mask->pieces.items[kept++] = (struct piece){piece->text, before};
	}
	mask->pieces.count = kept;
}

struct secret_mask *secret_mask_new(struct arena *arena, const struct secret *const *secrets,
                                    size_t count)
{
	struct secret_mask *mask = ARENA_NEW(arena, struct secret_mask);

	for (size_t i = 0; i < count; i++) {
		sv text = secrets[i]->text;
		struct sv_splitter lines = sv_split(text, '\n');
		sv line;

		if (text.len >= SECRET_MIN_SIZE)
			add_piece(arena, mask, text);
		if (sv_find_char(text, '\n') == SV_NPOS)
			continue;
		while (sv_split_next(&lines, &line)) {
			line = sv_trim_space(line);
			if (line.len >= LINE_MIN)
				add_piece(arena, mask, line);
		}
	}
	sort_pieces(mask);
	return mask;
}

/* Length of the longest piece that text has at from; 0 for none. */
static size_t piece_length_at(const struct secret_mask *mask, sv text, size_t from)
{
	size_t bit = bit_of(text.ptr + from);
	size_t low = 0;
	size_t high = mask->pieces.count;

	if (!(mask->beginnings[bit / 64] >> bit % 64 & 1))
		return 0;
	text = sv_from_offset(text, from);
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (sv_cmp(mask->pieces.items[middle].text, text) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	const struct piece *piece = low > 0 ? &mask->pieces.items[low - 1] : NULL;
	while (piece && !sv_starts_with(text, piece->text))
		piece = piece->within;
	return piece ? piece->text.len : 0;
}

size_t secret_mask_longest(const struct secret_mask *mask)
{
	return mask ? mask->longest : 0;
}

bool secret_mask_find(const struct secret_mask *mask, sv text, size_t from, size_t *ret_start,
                      size_t *ret_end)
{
	if (!mask)
		return false;
	for (size_t i = from; i + SECRET_MIN_SIZE <= text.len; i++) {
		size_t length = piece_length_at(mask, text, i);
		size_t end = i + length;

		if (length == 0)
			continue;
		/* Secrets may overlap: what begins inside this one is part of it. */
		for (size_t j = i + 1; j < end && j + SECRET_MIN_SIZE <= text.len; j++) {
			size_t other = piece_length_at(mask, text, j);

			if (j + other > end)
				end = j + other;
		}
		*ret_start = i;
		*ret_end = end;
		return true;
	}
	return false;
}

sv secret_mask_apply(struct arena *arena, const struct secret_mask *mask, sv text)
{
	struct buf out = buf_in(arena);
	size_t done = 0;
	size_t start;
	size_t end;

	while (secret_mask_find(mask, text, done, &start, &end)) {
		buf_add(&out, sv_slice(text, done, start));
		buf_add(&out, SECRET_MASKED);
		done = end;
	}
	if (done == 0)
		return text;
	buf_add(&out, sv_from_offset(text, done));
	return buf_sv(&out);
}
