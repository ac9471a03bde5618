/*
 * A string under construction that keeps taints.
 */
#include "value/text.h"

static void add_span(struct text *text, struct taint_span span)
{
	struct taint_span *last =
	    text->spans.count ? &text->spans.items[text->spans.count - 1] : NULL;

	if (span.start >= span.end)
		return;
	if (last && last->end == span.start && last->secret == span.secret)
		last->end = span.end;
	else
		VEC_PUSH(text->buf.arena, &text->spans, span);
}

void text_mark_secret(struct text *text, size_t from, const struct secret *secret)
{
	size_t end = text->buf.len;
	size_t first = text->spans.count;

	if (!secret || from >= end)
		return;
	while (first > 0 && text->spans.items[first - 1].end > from)
		first--;
	size_t marked = text->spans.count - first;
	struct taint_span *spans = ARENA_ARRAY(text->buf.arena, struct taint_span, marked);
	if (marked > 0)
		memcpy(spans, text->spans.items + first, marked * sizeof(*spans));
	text->spans.count = first;
	/* Existing spans stay; the gaps between them are filled. */
	for (size_t i = 0; i < marked; i++) {
		add_span(text, (struct taint_span){from, spans[i].start, secret});
		add_span(text, spans[i]);
		from = spans[i].end;
	}
	add_span(text, (struct taint_span){from, end, secret});
}

void text_mark_derived(struct text *text, size_t from, const struct secret *secret)
{
	text_mark_secret(text, from, secret);
	if (!text->derived)
		text->derived = secret;
}

void text_mark_taint(struct text *text, size_t from, const struct taint *taint)
{
	if (taint_derived_from(taint))
		text_mark_derived(text, from, taint->derived);
	else
		text_mark_secret(text, from, taint_secret(taint));
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
	if (!text->derived)
		text->derived = taint->derived;
	for (size_t i = 0; i < taint->count; i++) {
		struct taint_span span = taint->spans[i];

		BUG_ON(span.end > s.len);
		span.start += base;
		span.end += base;
		add_span(text, span);
	}
}

void text_add_value(struct text *text, const struct value *string)
{
	text_add_tainted(text, value_text(string), string->taint);
}

void text_add_indented(struct text *text, const struct value *string, size_t indent)
{
	struct arena *arena = text->buf.arena;
	sv s = value_text(string);
	size_t from = 0;

	for (;;) {
		size_t feed = sv_find_char(sv_from_offset(s, from), '\n');
		size_t end = feed == SV_NPOS ? s.len : from + feed + 1;
		size_t start = text->buf.len;

		buf_add_repeat(&text->buf, ' ', indent);
		if (from > 0)
			text_mark_taint(text, start,
			                taint_slice(arena, string->taint, from - 1, from));
		text_add_tainted(text, sv_slice(s, from, end),
		                 taint_slice(arena, string->taint, from, end));
		from = end;
		if (feed == SV_NPOS)
			return;
	}
}

const struct taint *text_taint(struct arena *arena, const struct text *text)
{
	if (text->spans.count == 0 && !text->derived)
		return NULL;
	struct taint *taint = ARENA_NEW(arena, struct taint);

	*taint = (struct taint){text->spans.items, text->spans.count, text->derived};
	return taint;
}

struct value text_value(struct arena *arena, const struct text *text)
{
	struct value v = value_string(text_sv(text));

	v.taint = text_taint(arena, text);
	return v;
}

struct value text_valid_utf8(struct arena *arena, const struct value *string)
{
	sv s = value_text(string);
	struct text text = text_in(arena);
	size_t done = 0;
	size_t width;

	if (utf8_valid(s))
		return *string;
	for (size_t at = 0; at < s.len; at += width) {
		if (utf8_decode_at(s, at, &width) != UTF8_REPLACEMENT || width != 1)
			continue;
		text_add_tainted(&text, sv_slice(s, done, at),
		                 taint_slice(arena, string->taint, done, at));
		const struct taint *taint = taint_slice(arena, string->taint, at, at + 1);
		text_add_secret(&text, SV("\xEF\xBF\xBD"), taint_secret(taint));
		done = at + 1;
	}
	text_add_tainted(&text, sv_from_offset(s, done),
	                 taint_slice(arena, string->taint, done, s.len));
	struct value valid = text_value(arena, &text);
	valid.origin = string->origin;
	return valid;
}
