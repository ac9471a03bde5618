/*
 * data: URLs whose bytes are percent-encoded.
 */
#include "codec/codec.h"

void percent_add(struct buf *buf, char c)
{
	static const char digits[] = "0123456789ABCDEF";
	uint8_t byte = (uint8_t)c;
	char *out = buf_reserve(buf, 3);

	out[0] = '%';
	out[1] = digits[byte >> 4];
	out[2] = digits[byte & 15];
	buf->len += 3;
}

void data_url_add(struct buf *buf, sv bytes)
{
	BUF_ADD_LIT(buf, "data:,");
	data_url_add_bytes(buf, bytes);
}

void data_url_add_bytes(struct buf *buf, sv bytes)
{
	for (size_t i = 0; i < bytes.len; i++) {
		char c = bytes.ptr[i];

		if (ascii_is_alphanumeric(c) || (c && strchr("-_.!~*'()", c)))
			buf_add_char(buf, c);
		else
			percent_add(buf, c);
	}
}
