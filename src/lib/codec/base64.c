/*
 * Base64 (RFC 4648), in its standard and URL alphabets, with and without padding.
 */
#include "codec/codec.h"

#include <endian.h>

struct alphabet {
	const char *digits;
	bool padded;
};

static const struct alphabet alphabets[] = {
    [BASE64_STD] = {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", true},
    [BASE64_URL] = {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", true},
    [BASE64_STD_RAW] = {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", false},
    [BASE64_URL_RAW] = {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", false},
};

size_t base64_encoded_size(enum base64_kind kind, size_t byte_count)
{
	size_t rest = byte_count % 3;

	if (alphabets[kind].padded)
		return byte_count / 3 * 4 + (rest ? 4 : 0);
	return byte_count / 3 * 4 + (rest ? rest + 1 : 0);
}

/* Two digits of the standard alphabet for each number of twelve bits: half the look-ups. */
#define PAIR8(a, b, c, d, e, f, g, h, i)                                                           \
	{a, b}, {a, c}, {a, d}, {a, e}, {a, f}, {a, g}, {a, h},                                    \
	{                                                                                          \
		a, i                                                                               \
	}
#define PAIRS(a)                                                                                   \
	PAIR8(a, 'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'),                                          \
	    PAIR8(a, 'I', 'J', 'K', 'L', 'M', 'N', 'O', 'P'),                                      \
	    PAIR8(a, 'Q', 'R', 'S', 'T', 'U', 'V', 'W', 'X'),                                      \
	    PAIR8(a, 'Y', 'Z', 'a', 'b', 'c', 'd', 'e', 'f'),                                      \
	    PAIR8(a, 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n'),                                      \
	    PAIR8(a, 'o', 'p', 'q', 'r', 's', 't', 'u', 'v'),                                      \
	    PAIR8(a, 'w', 'x', 'y', 'z', '0', '1', '2', '3'),                                      \
	    PAIR8(a, '4', '5', '6', '7', '8', '9', '+', '/')
#define PAIRS8(a, b, c, d, e, f, g, h)                                                             \
	PAIRS(a), PAIRS(b), PAIRS(c), PAIRS(d), PAIRS(e), PAIRS(f), PAIRS(g), PAIRS(h)

static const char pairs[64 * 64][2] = {
    PAIRS8('A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'), PAIRS8('I', 'J', 'K', 'L', 'M', 'N', 'O', 'P'),
    PAIRS8('Q', 'R', 'S', 'T', 'U', 'V', 'W', 'X'), PAIRS8('Y', 'Z', 'a', 'b', 'c', 'd', 'e', 'f'),
    PAIRS8('g', 'h', 'i', 'j', 'k', 'l', 'm', 'n'), PAIRS8('o', 'p', 'q', 'r', 's', 't', 'u', 'v'),
    PAIRS8('w', 'x', 'y', 'z', '0', '1', '2', '3'), PAIRS8('4', '5', '6', '7', '8', '9', '+', '/'),
};

/* Writes the first six of eight bytes as eight digits of the standard alphabet. */
static void encode_six(const char *in, char *out)
{
	uint64_t bits = be64toh(ascii_load8(in));

	memcpy(out, pairs[bits >> 52], 2);
	memcpy(out + 2, pairs[bits >> 40 & 0xfff], 2);
	memcpy(out + 4, pairs[bits >> 28 & 0xfff], 2);
	memcpy(out + 6, pairs[bits >> 16 & 0xfff], 2);
}

/* Writes base64_encoded_size(kind, bytes.len) characters, no terminator. */
static void encode_to(enum base64_kind kind, sv bytes, char *out)
{
	const char *digits = alphabets[kind].digits;
	const uint8_t *in = (const uint8_t *)bytes.ptr;
	size_t i = 0;

	if (kind == BASE64_STD || kind == BASE64_STD_RAW)
		for (; i + sizeof(uint64_t) <= bytes.len; i += 6, out += 8)
			encode_six(bytes.ptr + i, out);
	for (; i + 3 <= bytes.len; i += 3, out += 4) {
		uint32_t group = (uint32_t)in[i] << 16 | (uint32_t)in[i + 1] << 8 | in[i + 2];

		out[0] = digits[group >> 18];
		out[1] = digits[group >> 12 & 63];
		out[2] = digits[group >> 6 & 63];
		out[3] = digits[group & 63];
	}
	if (i == bytes.len)
		return;
	bool two = bytes.len - i == 2;
	uint32_t group = (uint32_t)in[i] << 16 | (two ? (uint32_t)in[i + 1] << 8 : 0);

	*out++ = digits[group >> 18];
	*out++ = digits[group >> 12 & 63];
	if (two)
		*out++ = digits[group >> 6 & 63];
	if (alphabets[kind].padded) {
		*out++ = '=';
		if (!two)
			*out++ = '=';
	}
}

void base64_add(struct buf *buf, enum base64_kind kind, sv bytes)
{
	size_t size = base64_encoded_size(kind, bytes.len);

	if (size == 0)
		return;
	encode_to(kind, bytes, buf_reserve(buf, size));
	buf->len += size;
}

sv base64_encode(struct arena *arena, enum base64_kind kind, sv bytes)
{
	size_t size = base64_encoded_size(kind, bytes.len);
	char *out = arena_alloc_text(arena, size);

	encode_to(kind, bytes, out);
	return sv_from(out, size);
}

#define NO_DIGIT 0xff

static uint8_t digit_value(enum base64_kind kind, char c)
{
	bool url = kind == BASE64_URL || kind == BASE64_URL_RAW;

	if (ascii_is_upper(c))
		return (uint8_t)(c - 'A');
	if (ascii_is_lower(c))
		return (uint8_t)(c - 'a' + 26);
	if (ascii_is_digit(c))
		return (uint8_t)(c - '0' + 52);
	if (c == (url ? '-' : '+'))
		return 62;
	if (c == (url ? '_' : '/'))
		return 63;
	return NO_DIGIT;
}

static size_t skip_line_breaks(sv text, size_t at)
{
	while (at < text.len && (text.ptr[at] == '\n' || text.ptr[at] == '\r'))
		at++;
	return at;
}

/*
 * Padding was met at `at`, after `count` digits of its group. Returns the offset of the mistake, or
 * SV_NPOS: the text may only end here.
 */
static size_t check_padding(sv text, size_t at, unsigned count)
{
	size_t next = at + 1;

	if (count < 2)
		return at;
	if (count == 2) {
		next = skip_line_breaks(text, next);
		if (next == text.len)
			return text.len;
		if (text.ptr[next] != '=')
			return next - 1;
		next++;
	}
	next = skip_line_breaks(text, next);
	return next < text.len ? next : SV_NPOS;
}

/* Adds the bytes of a group of count digits, left-aligned in 24 bits. */
static char *put_group(char *out, uint32_t group, unsigned count)
{
	if (count > 1)
		*out++ = (char)(group >> 16);
	if (count > 2)
		*out++ = (char)(group >> 8);
	if (count > 3)
		*out++ = (char)group;
	return out;
}

bool base64_decode(struct arena *arena, enum base64_kind kind, sv text, sv *ret_bytes,
                   size_t *ret_error_at)
{
	char *bytes = arena_alloc_text(arena, text.len / 4 * 3 + 3);
	char *out = bytes;
	uint32_t group = 0;
	unsigned count = 0;

	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];
		uint8_t value = digit_value(kind, c);

		if (value == NO_DIGIT && (c == '\n' || c == '\r'))
			continue;
		if (value == NO_DIGIT) {
			bool padding = c == '=' && alphabets[kind].padded;
			size_t error_at = padding ? check_padding(text, i, count) : i;

			if (error_at != SV_NPOS) {
				*ret_error_at = error_at;
				return false;
			}
			out = put_group(out, group, count);
			count = 0;
			break;
		}
		group |= (uint32_t)value << (18 - 6 * count);
		if (++count == 4) {
			out = put_group(out, group, count);
			group = 0;
			count = 0;
		}
	}
	if (count == 1 || (count > 0 && alphabets[kind].padded)) {
		/* COMPAT: Go counts back the digits of the group, although line breaks may be
		 * between them. */
		*ret_error_at = text.len - count;
		return false;
	}
	out = put_group(out, group, count);
	*ret_bytes = sv_from(bytes, (size_t)(out - bytes));
	return true;
}

bool base64_decode_canonical(struct arena *arena, enum base64_kind kind, sv text, sv *ret_bytes)
{
	size_t error_at;
	sv bytes;

	if (!base64_decode(arena, kind, text, &bytes, &error_at))
		return false;
	/* Line breaks and stray bits are what encoding again does not give back. */
	if (!sv_eq(base64_encode(arena, kind, bytes), text))
		return false;
	*ret_bytes = bytes;
	return true;
}
