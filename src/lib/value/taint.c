/*
 * The bytes of a string that came from a secret.
 */
#include "value/value.h"

const struct taint *taint_whole(struct arena *arena, size_t len, const struct secret *secret)
{
	if (len == 0 || !secret)
		return NULL;
	struct taint *taint = ARENA_NEW(arena, struct taint);
	struct taint_span *span = ARENA_NEW(arena, struct taint_span);

	*span = (struct taint_span){0, len, secret};
	*taint = (struct taint){.spans = span, .count = 1};
	return taint;
}

const struct taint *taint_derived(struct arena *arena, size_t len, const struct secret *secret)
{
	const struct taint *whole = taint_whole(arena, len, secret);

	if (!secret)
		return NULL;
	struct taint *taint = ARENA_NEW(arena, struct taint);
	if (whole)
		*taint = *whole;
	taint->derived = secret;
	return taint;
}

/* Finds the first span that ends after `at`, by halving: a string may have a span on each line. */
static size_t first_span_behind(const struct taint *taint, size_t at)
{
	size_t low = 0;
	size_t high = taint->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (taint->spans[middle].end <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct taint *taint_slice(struct arena *arena, const struct taint *taint, size_t from,
                                size_t to)
{
	if (!taint || (from >= to && !taint->derived))
		return NULL;
	size_t first = first_span_behind(taint, from);
	size_t count = 0;

	for (size_t i = first; from < to && i < taint->count && taint->spans[i].start < to; i++)
		count++;
	struct taint_span *spans = ARENA_ARRAY(arena, struct taint_span, count);
	for (size_t i = 0; i < count; i++) {
		struct taint_span span = taint->spans[first + i];

		span.start = span.start > from ? span.start - from : 0;
		span.end = (span.end < to ? span.end : to) - from;
		spans[i] = span;
	}
	if (count == 0 && !taint->derived)
		return NULL;
	struct taint *slice = ARENA_NEW(arena, struct taint);
	*slice = (struct taint){spans, count, taint->derived};
	return slice;
}

struct value value_secret_string(struct arena *arena, sv s, const struct secret *secret)
{
	struct value v = value_string(s);

	v.taint = taint_whole(arena, s.len, secret);
	return v;
}
