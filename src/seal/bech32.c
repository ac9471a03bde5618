/*
 * Bech32 (BIP 173): the text form of seeds, recipients and identities.
 */
#include "seal/bech32.h"

#include <sodium.h>

static const char digits[] = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";

/* Post-quantum recipients are the longest. */
enum { CHECKSUM_DIGITS = 6, MAX_BYTES = 1216, MAX_DIGITS = (MAX_BYTES * 8 + 4) / 5 };

static uint32_t polymod_step(uint32_t state)
{
	static const uint32_t generator[] = {0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd,
	                                     0x2a1462b3};
	uint32_t top = state >> 25;

	state = (state & 0x1ffffff) << 5;
	for (unsigned i = 0; i < COUNT_OF(generator); i++)
		if (top >> i & 1)
			state ^= generator[i];
	return state;
}

static uint32_t polymod_prefix(sv prefix)
{
	uint32_t state = 1;

	for (size_t i = 0; i < prefix.len; i++)
		state = polymod_step(state) ^ (uint32_t)(uint8_t)ascii_lower(prefix.ptr[i]) >> 5;
	state = polymod_step(state);
	for (size_t i = 0; i < prefix.len; i++)
		state = polymod_step(state) ^ ((uint32_t)(uint8_t)ascii_lower(prefix.ptr[i]) & 31);
	return state;
}

static bool is_upper(sv text)
{
	for (size_t i = 0; i < text.len; i++)
		if (ascii_is_upper(text.ptr[i]))
			return true;
	return false;
}

static bool is_mixed(sv text)
{
	bool has_lower = false;

	for (size_t i = 0; i < text.len; i++)
		has_lower = has_lower || ascii_is_lower(text.ptr[i]);
	return has_lower && is_upper(text);
}

/* Packs 5-bit groups; false when bits are left over that are set or make a whole group. */
static bool regroup(const uint8_t *groups, size_t count, uint8_t *out, size_t size)
{
	uint32_t bits = 0;
	unsigned bit_count = 0;
	size_t made = 0;

	for (size_t i = 0; i < count; i++) {
		bits = (bits << 5 | groups[i]) & 0xfff;
		bit_count += 5;
		if (bit_count >= 8) {
			if (made == size)
				return false;
			bit_count -= 8;
			out[made++] = (uint8_t)(bits >> bit_count);
		}
	}
	return made == size && bit_count < 5 && (bits & ((1u << bit_count) - 1)) == 0;
}

enum bech32_result bech32_decode(sv text, sv prefix, uint8_t *out, size_t size)
{
	uint8_t groups[MAX_DIGITS + CHECKSUM_DIGITS] = {0};
	uint8_t bytes[MAX_BYTES];
	size_t separator = sv_rfind_char(text, '1');
	uint32_t state;

	BUG_ON(size > MAX_BYTES);
	if (separator == SV_NPOS || separator == 0 || is_mixed(text) ||
	    text.len - separator - 1 < CHECKSUM_DIGITS)
		return BECH32_FORM;
	sv data = sv_from_offset(text, separator + 1);

	if (data.len > sizeof(groups))
		return sv_eq(sv_slice(text, 0, separator), prefix) ? BECH32_LENGTH : BECH32_PREFIX;
	for (size_t i = 0; i < separator; i++)
		if (text.ptr[i] < 33 || text.ptr[i] > 126)
			return BECH32_FORM;
	state = polymod_prefix(sv_slice(text, 0, separator));
	for (size_t i = 0; i < data.len; i++) {
		char c = ascii_lower(data.ptr[i]);
		const char *digit = c ? strchr(digits, c) : NULL;

		if (!digit)
			return BECH32_FORM;
		groups[i] = (uint8_t)(digit - digits);
		state = polymod_step(state) ^ groups[i];
	}
	enum bech32_result result = BECH32_FINE;

	if (state != 1)
		result = BECH32_CHECKSUM;
	else if (!sv_eq(sv_slice(text, 0, separator), prefix))
		result = BECH32_PREFIX;
	else if (!regroup(groups, data.len - CHECKSUM_DIGITS, bytes, size))
		result = BECH32_LENGTH;
	else
		memcpy(out, bytes, size);
	sodium_memzero(groups, sizeof(groups));
	sodium_memzero(bytes, sizeof(bytes));
	return result;
}

void bech32_add(struct buf *buf, sv prefix, const uint8_t *bytes, size_t size)
{
	uint32_t state = polymod_prefix(prefix);
	size_t group_count = (size * 8 + 4) / 5;
	char *out = buf_reserve(buf, prefix.len + 1 + group_count + CHECKSUM_DIGITS);
	char *start = out;
	uint32_t bits = 0;
	unsigned bit_count = 0;
	size_t taken = 0;

	memcpy(out, prefix.ptr, prefix.len);
	out += prefix.len;
	*out++ = '1';
	for (size_t i = 0; i < group_count; i++) {
		if (bit_count < 5) {
			bits = bits << 8 | (taken < size ? bytes[taken++] : 0u);
			bit_count += 8;
		}
		bit_count -= 5;
		uint32_t group = bits >> bit_count & 31;

		bits &= (1u << bit_count) - 1;
		state = polymod_step(state) ^ group;
		*out++ = digits[group];
	}
	for (int i = 0; i < CHECKSUM_DIGITS; i++)
		state = polymod_step(state);
	state ^= 1;
	for (int i = 0; i < CHECKSUM_DIGITS; i++)
		*out++ = digits[state >> (25 - 5 * i) & 31];
	buf->len += (size_t)(out - start);
	if (is_upper(prefix))
		for (char *c = start; c < out; c++)
			*c = ascii_upper(*c);
}
