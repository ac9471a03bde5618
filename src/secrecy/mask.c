/*
 * Masks: where secrets stand in a text that is to be printed.
 */
#include "secrecy/secrecy.h"

#define LINE_MIN     8 /* of a line of a longer one: "-----" must not become a secret */
#define BUCKET_COUNT 4096

struct piece {
	sv text;
	const struct piece *next;
};

/* Pieces by the hash of their first SECRET_MIN_SIZE bytes, so that a text is walked once. */
struct secret_mask {
	const struct piece *buckets[BUCKET_COUNT];
};

static size_t bucket_of(const char *bytes)
{
	return (size_t)(sv_hash(sv_from(bytes, SECRET_MIN_SIZE), 0) % BUCKET_COUNT);
}

static void add_piece(struct arena *arena, struct secret_mask *mask, sv text)
{
	const struct piece **bucket = &mask->buckets[bucket_of(text.ptr)];
	struct piece *piece = ARENA_NEW(arena, struct piece);

	*piece = (struct piece){text, *bucket};
	*bucket = piece;
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
	return mask;
}

/* Length of the longest piece that text has at from; 0 for none. */
static size_t piece_length_at(const struct secret_mask *mask, sv text, size_t from)
{
	size_t longest = 0;

	for (const struct piece *p = mask->buckets[bucket_of(text.ptr + from)]; p; p = p->next) {
		if (p->text.len > longest && sv_starts_with(sv_from_offset(text, from), p->text))
			longest = p->text.len;
	}
	return longest;
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
