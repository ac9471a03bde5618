/*
 * Hexadecimal digits.
 */
#include "codec/codec.h"

void hex_add(struct buf *buf, sv bytes)
{
	static const char digits[] = "0123456789abcdef";

	if (bytes.len == 0)
		return;
	char *out = buf_reserve(buf, bytes.len * 2);
	for (size_t i = 0; i < bytes.len; i++) {
		uint8_t byte = (uint8_t)bytes.ptr[i];

		*out++ = digits[byte >> 4];
		*out++ = digits[byte & 15];
	}
	buf->len += bytes.len * 2;
}

sv hex_encode(struct arena *arena, sv bytes)
{
	struct buf buf = buf_with_room(arena, bytes.len * 2);

	hex_add(&buf, bytes);
	return buf_sv(&buf);
}

bool hex_decode(struct arena *arena, sv text, sv *ret_bytes)
{
	if (text.len % 2 != 0)
		return false;
	char *bytes = arena_alloc_text(arena, text.len / 2);

	for (size_t i = 0; i < text.len; i += 2) {
		unsigned high = ascii_digit_value(text.ptr[i]);
		unsigned low = ascii_digit_value(text.ptr[i + 1]);

		if (high > 15 || low > 15)
			return false;
		bytes[i / 2] = (char)(high << 4 | low);
	}
	*ret_bytes = sv_from(bytes, text.len / 2);
	return true;
}
