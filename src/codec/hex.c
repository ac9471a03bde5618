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
	struct buf buf = buf_in(arena);

	hex_add(&buf, bytes);
	return buf_sv(&buf);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

bool hex_decode(struct arena *arena, sv text, sv *ret_bytes)
{
	if (text.len % 2 != 0)
		return false;
	char *bytes = arena_alloc_text(arena, text.len / 2);

	for (size_t i = 0; i < text.len; i += 2) {
		int high = hex_digit(text.ptr[i]);
		int low = hex_digit(text.ptr[i + 1]);

		if (high < 0 || low < 0)
			return false;
		bytes[i / 2] = (char)(high << 4 | low);
	}
	*ret_bytes = sv_from(bytes, text.len / 2);
	return true;
}
