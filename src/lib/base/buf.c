/*
 * Growing strings and arrays.
 */
#include "base/buf.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <limits.h>
#include <stdio.h>

struct buf buf_with_room(struct arena *arena, size_t size)
{
	return (struct buf){arena, arena_alloc_text(arena, size), 0, size};
}

char *buf_grow(struct buf *buf, size_t extra)
{
	size_t needed;

	if (__builtin_add_overflow(buf->len, extra, &needed))
		base_out_of_memory();
	if (needed > buf->cap) {
		size_t cap = buf->cap ? buf->cap : 128;

		while (cap < needed)
			if (__builtin_mul_overflow(cap, 2, &cap))
				base_out_of_memory();
		buf->ptr = arena_grow(buf->arena, buf->ptr, buf->cap, cap);
		buf->cap = cap;
	}
	/* An empty buffer may have a null pointer, and null plus 0 is undefined in C. */
	return buf->ptr ? buf->ptr + buf->len : NULL;
}

void buf_add_cstr(struct buf *buf, const char *s)
{
	buf_add(buf, sv_from_cstr(s));
}

void buf_add_repeat(struct buf *buf, char c, size_t count)
{
	if (count > 0)
		memset(buf_reserve(buf, count), c, count);
	buf->len += count;
}

void buf_add_rune(struct buf *buf, uint32_t rune)
{
	char bytes[4];
	size_t len = utf8_write(rune, bytes);

	buf_add(buf, (sv){bytes, len});
}

void buf_add_valid(struct buf *buf, sv s)
{
	size_t width;

	for (size_t i = 0; i < s.len; i += width)
		buf_add_rune(buf, utf8_decode_at(s, i, &width));
}

static void add_digits(struct buf *buf, size_t number, unsigned base)
{
	char digits[sizeof(number) * CHAR_BIT];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + number % base);
		number /= base;
	} while (number > 0);
	buf_add(buf, sv_from(digits + at, sizeof(digits) - at));
}

void buf_add_octal(struct buf *buf, uint32_t number)
{
	add_digits(buf, number, 8);
}

void buf_add_decimal(struct buf *buf, size_t number)
{
	add_digits(buf, number, 10);
}

void buf_add_field(struct buf *buf, sv field)
{
	buf_add_decimal(buf, field.len);
	buf_add_char(buf, ':');
	buf_add(buf, field);
}

void buf_add_item(struct buf *buf, sv item)
{
	if (buf->len > 0)
		BUF_ADD_LIT(buf, ", ");
	buf_add(buf, item);
}

void buf_printf(struct buf *buf, const char *format, ...)
{
	va_list args;
	va_list again;

	va_start(args, format);
	va_copy(again, args);
	int len = vsnprintf(NULL, 0, format, again);
	va_end(again);
	BUG_ON(len < 0);
	vsnprintf(buf_reserve(buf, (size_t)len + 1), (size_t)len + 1, format, args);
	buf->len += (size_t)len;
	va_end(args);
}

void vec_grow(struct arena *arena, void **items, size_t *cap, size_t item_size)
{
	size_t old_bytes;
	size_t new_bytes;
	size_t new_cap = *cap ? *cap * 2 : 4;
	if (__builtin_mul_overflow(*cap, item_size, &old_bytes) ||
	    __builtin_mul_overflow(new_cap, item_size, &new_bytes))
		base_out_of_memory();
	*items = arena ? arena_grow(arena, *items, old_bytes, new_bytes)
	               : memory_resize(*items, new_bytes);
	*cap = new_cap;
}

void vec_expect(struct arena *arena, void **items, size_t *cap, size_t count, size_t number,
                size_t item_size)
{
	if (number <= *cap)
		return;
	void *room = vec_room(arena, number, item_size);
	if (count > 0)
		memcpy(room, *items, count * item_size);
	*items = room;
	*cap = number;
}

void *vec_room(struct arena *arena, size_t number, size_t item_size)
{
	size_t bytes;

	if (__builtin_mul_overflow(number, item_size, &bytes))
		base_out_of_memory();
	return arena_grow(arena, NULL, 0, bytes);
}

sv buf_listed(struct arena *arena, const sv *items, size_t count)
{
	struct buf buf = buf_in(arena);

	for (size_t i = 0; i < count; i++)
		buf_add_item(&buf, items[i]);
	return buf_sv(&buf);
}

sv buf_replaced(struct arena *arena, sv text, sv mark, sv by)
{
	struct buf buf = buf_in(arena);

	for (size_t at; (at = sv_find(text, mark)) != SV_NPOS;) {
		buf_add(&buf, sv_slice(text, 0, at));
		buf_add(&buf, by);
		text = sv_from_offset(text, at + mark.len);
	}
	buf_add(&buf, text);
	return buf_sv(&buf);
}
