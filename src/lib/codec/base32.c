/*
 * Base32 (RFC 4648).
 */
#include "codec/codec.h"

static const char base32_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

sv base32_encode(struct arena *arena, sv bytes)
{
	size_t size = (bytes.len + 4) / 5 * 8;
	char *text = arena_alloc_text(arena, size);
	char *out = text;

	for (size_t i = 0; i < bytes.len; i += 5) {
		size_t count = bytes.len - i < 5 ? bytes.len - i : 5;
		size_t digits = (count * 8 + 4) / 5;
		uint64_t group = 0;

		for (size_t j = 0; j < 5; j++)
			group = group << 8 | (j < count ? (uint8_t)bytes.ptr[i + j] : 0);
		for (size_t j = 0; j < 8; j++)
			*out++ = j < digits ? base32_digits[group >> (35 - 5 * j) & 31] : '=';
	}
	return sv_from(text, size);
}

static int base32_digit(char c)
{
	if (ascii_is_upper(c))
		return c - 'A';
	if (c >= '2' && c <= '7')
		return c - '2' + 26;
	return -1;
}

static sv without_line_breaks(struct arena *arena, sv text)
{
	char *out = arena_alloc_text(arena, text.len);
	size_t len = 0;

	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] != '\n' && text.ptr[i] != '\r')
			out[len++] = text.ptr[i];
	return sv_from(out, len);
}

/*
 * Checks padding: "=" is at `at`, after `count` (2 or more) digits of its group. Returns the offset
 * of the mistake, or SV_NPOS. COMPAT: the offsets are Go's, one too small included; what follows a
 * group that ended with padding is never looked at.
 */
static size_t check_padding(sv text, size_t at, size_t count)
{
	size_t rest = text.len - at - 1;

	if (rest + count < 7)
		return text.len;
	for (size_t k = 0; k < 7 - count; k++)
		if (k < rest && text.ptr[at + 1 + k] != '=')
			return at + k;
	return count == 3 || count == 6 ? at : SV_NPOS;
}

bool base32_decode(struct arena *arena, sv text, sv *ret_bytes, size_t *ret_error_at)
{
	sv digits = without_line_breaks(arena, text);
	char *bytes = arena_alloc_text(arena, digits.len / 8 * 5 + 5);
	char *out = bytes;

	for (size_t i = 0; i < digits.len;) {
		uint64_t group = 0;
		size_t count = 0;
		bool end = false;

		for (; count < 8 && !end; i++) {
			if (i == digits.len) {
				*ret_error_at = digits.len - count;
				return false;
			}
			char c = digits.ptr[i];
			bool padding = c == '=' && count >= 2 && digits.len - i - 1 < 8;
			size_t error_at = padding               ? check_padding(digits, i, count)
			                  : base32_digit(c) < 0 ? i
			                                        : SV_NPOS;

			if (error_at != SV_NPOS) {
				*ret_error_at = error_at;
				return false;
			}
			if (padding)
				end = true;
			else
				group |= (uint64_t)base32_digit(c) << (35 - 5 * count++);
		}
		for (size_t j = 0; j < count * 5 / 8; j++)
			*out++ = (char)(group >> (32 - 8 * j));
		if (end)
			break;
	}
	*ret_bytes = sv_from(bytes, (size_t)(out - bytes));
	return true;
}
