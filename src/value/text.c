#include "value/text.h"

void text_mark_secret(struct text *text, size_t from, const struct secret *secret)
{
	size_t end = text->buf.len;

	if (!secret || from >= end)
		return;
	if (text->spans.count > 0) {
		struct taint_span *last = &text->spans.items[text->spans.count - 1];

		/* What is marked is what was added last: it can only touch the last span. */
		if (last->end >= from && last->secret == secret) {
			last->end = end;
			return;
		}
		if (last->end > from)
			from = last->end;
		if (from >= end)
			return;
	}
	VEC_PUSH(text->buf.arena, &text->spans, (struct taint_span){from, end, secret});
}

void text_add_secret(struct text *text, sv s, const struct secret *secret)
{
	size_t from = text->buf.len;

	buf_add(&text->buf, s);
	text_mark_secret(text, from, secret);
}

void text_add_tainted(struct text *text, sv s, const struct taint *taint)
{
	size_t base = text->buf.len;

	buf_add(&text->buf, s);
	if (!taint)
		return;
	for (size_t i = 0; i < taint->count; i++) {
		struct taint_span span = taint->spans[i];
		struct taint_span *last =
		    text->spans.count ? &text->spans.items[text->spans.count - 1] : NULL;

		BUG_ON(span.end > s.len);
		span.start += base;
		span.end += base;
		if (last && last->end == span.start && last->secret == span.secret)
			last->end = span.end;
		else
			VEC_PUSH(text->buf.arena, &text->spans, span);
	}
}

void text_add_value(struct text *text, const struct value *string)
{
	text_add_tainted(text, value_text(string), string->taint);
}

const struct taint *text_taint(struct arena *arena, const struct text *text)
{
	if (text->spans.count == 0)
		return NULL;
	struct taint *taint = ARENA_NEW(arena, struct taint);

	*taint = (struct taint){text->spans.items, text->spans.count};
	return taint;
}

struct value text_value(struct arena *arena, const struct text *text)
{
	struct value v = value_string(text_sv(text));

	v.taint = text_taint(arena, text);
	return v;
}
