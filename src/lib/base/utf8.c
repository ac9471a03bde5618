/*
 * Runes from bytes, and back.
 */
#include "base/utf8.h"

static bool is_continuation(unsigned char c)
{
	return (c & 0xC0) == 0x80;
}

uint32_t utf8_decode(sv s, size_t *ret_width)
{
	const unsigned char *p = (const unsigned char *)s.ptr;
	uint32_t rune;

	*ret_width = s.len ? 1 : 0;
	if (s.len == 0)
		return UTF8_REPLACEMENT;
	if (p[0] < 0x80)
		return p[0];
	if (p[0] >= 0xC2 && p[0] <= 0xDF && s.len >= 2 && is_continuation(p[1])) {
		*ret_width = 2;
		return ((p[0] & 0x1Fu) << 6) | (p[1] & 0x3Fu);
	}
	if ((p[0] & 0xF0) == 0xE0 && s.len >= 3 && is_continuation(p[1]) && is_continuation(p[2])) {
		rune = ((p[0] & 0x0Fu) << 12) | ((p[1] & 0x3Fu) << 6) | (p[2] & 0x3Fu);
		if (rune >= 0x800 && (rune < 0xD800 || rune > 0xDFFF)) {
			*ret_width = 3;
			return rune;
		}
		return UTF8_REPLACEMENT;
	}
	if (p[0] >= 0xF0 && p[0] <= 0xF4 && s.len >= 4 && is_continuation(p[1]) &&
	    is_continuation(p[2]) && is_continuation(p[3])) {
		rune = ((p[0] & 0x07u) << 18) | ((p[1] & 0x3Fu) << 12) | ((p[2] & 0x3Fu) << 6) |
		       (p[3] & 0x3Fu);
		if (rune >= 0x10000 && rune <= UTF8_MAX_RUNE) {
			*ret_width = 4;
			return rune;
		}
	}
	return UTF8_REPLACEMENT;
}

uint32_t utf8_decode_last(sv s, size_t *ret_width)
{
	for (size_t width = 1; width <= 4 && width <= s.len; width++) {
		sv tail = {s.ptr + s.len - width, width};
		size_t got;
		uint32_t rune = utf8_decode(tail, &got);

		if (got == width && (width > 1 || rune < 0x80)) {
			*ret_width = width;
			return rune;
		}
	}
	*ret_width = s.len ? 1 : 0;
	return UTF8_REPLACEMENT;
}

size_t utf8_write(uint32_t rune, char out[4])
{
	if (rune > UTF8_MAX_RUNE || (rune >= 0xD800 && rune <= 0xDFFF))
		rune = UTF8_REPLACEMENT;
	if (rune < 0x80) {
		out[0] = (char)rune;
		return 1;
	}
	if (rune < 0x800) {
		out[0] = (char)(0xC0 | (rune >> 6));
		out[1] = (char)(0x80 | (rune & 0x3F));
		return 2;
	}
	if (rune < 0x10000) {
		out[0] = (char)(0xE0 | (rune >> 12));
		out[1] = (char)(0x80 | ((rune >> 6) & 0x3F));
		out[2] = (char)(0x80 | (rune & 0x3F));
		return 3;
	}
	out[0] = (char)(0xF0 | (rune >> 18));
	out[1] = (char)(0x80 | ((rune >> 12) & 0x3F));
	out[2] = (char)(0x80 | ((rune >> 6) & 0x3F));
	out[3] = (char)(0x80 | (rune & 0x3F));
	return 4;
}

bool utf8_valid(sv s)
{
	while (s.len > 0) {
		uint64_t eight;
		size_t width;

		/* Most strings are ASCII: test eight bytes at a time. */
		if (s.len >= sizeof(eight)) {
			memcpy(&eight, s.ptr, sizeof(eight));
			if (!(eight & 0x8080808080808080u)) {
				s = sv_from_offset(s, sizeof(eight));
				continue;
			}
		}
		if (utf8_decode(s, &width) == UTF8_REPLACEMENT && width == 1)
			return false;
		s = sv_from_offset(s, width);
	}
	return true;
}

size_t utf8_count(sv s)
{
	size_t count = 0;

	while (s.len > 0) {
		size_t width;

		utf8_decode(s, &width);
		s = sv_from_offset(s, width);
		count++;
	}
	return count;
}

bool utf8_is_space(uint32_t rune)
{
	switch (rune) {
	case '\t':
	case '\n':
	case '\v':
	case '\f':
	case '\r':
	case ' ':
	case 0x85:
	case 0xA0:
	case 0x1680:
	case 0x2028:
	case 0x2029:
	case 0x202F:
	case 0x205F:
	case 0x3000:
		return true;
	default:
		return rune >= 0x2000 && rune <= 0x200A;
	}
}

bool utf8_is_shown_as_written(sv s)
{
	static const struct {
		uint32_t first;
		uint32_t last;
	} hidden[] = {{0x00, 0x1F},     {0x7F, 0x9F},     {0x061C, 0x061C}, {0x200E, 0x200F},
	              {0x2028, 0x202E}, {0x2066, 0x2069}, {0xFEFF, 0xFEFF}};
	size_t width;

	if (!utf8_valid(s))
		return false;
	for (size_t at = 0; at < s.len; at += width) {
		uint32_t rune = utf8_decode_at(s, at, &width);

		for (size_t i = 0; i < sizeof(hidden) / sizeof(*hidden); i++)
			if (rune >= hidden[i].first && rune <= hidden[i].last)
				return false;
	}
	return true;
}
