/*
 * Comparing, searching, cutting and parsing strings.
 */
#include "base/sv.h"

#include "base/ascii.h"

#include <stdlib.h>

int sv_cmp(sv a, sv b)
{
	size_t shared = a.len < b.len ? a.len : b.len;
	int order = shared ? memcmp(a.ptr, b.ptr, shared) : 0;

	if (order != 0)
		return order;
	return (a.len > b.len) - (a.len < b.len);
}

bool sv_eq_fold_ascii(sv a, sv b)
{
	if (a.len != b.len)
		return false;
	for (size_t i = 0; i < a.len; i++)
		if (ascii_lower(a.ptr[i]) != ascii_lower(b.ptr[i]))
			return false;
	return true;
}

bool sv_is_among(sv s, const sv *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (sv_eq(s, list[i]))
			return true;
	return false;
}

/* memchr looks at many bytes at a time, memmem at pairs one by one. */
static size_t find_pair(sv s, sv needle)
{
	for (const char *at = s.ptr, *last = s.ptr + s.len - 1; at < last; at++) {
		at = memchr(at, needle.ptr[0], (size_t)(last - at));
		if (!at)
			break;
		if (at[1] == needle.ptr[1])
			return (size_t)(at - s.ptr);
	}
	return SV_NPOS;
}

size_t sv_find(sv s, sv needle)
{
	if (needle.len == 0)
		return 0;
	if (s.len < needle.len)
		return SV_NPOS;
	if (needle.len == 2)
		return find_pair(s, needle);
	const char *at = memmem(s.ptr, s.len, needle.ptr, needle.len);
	return at ? (size_t)(at - s.ptr) : SV_NPOS;
}

bool sv_contains(sv s, sv needle)
{
	return sv_find(s, needle) != SV_NPOS;
}

size_t sv_find_char(sv s, char c)
{
	const char *at = s.len ? memchr(s.ptr, c, s.len) : NULL;

	return at ? (size_t)(at - s.ptr) : SV_NPOS;
}

size_t sv_rfind_char(sv s, char c)
{
	const char *at = s.len ? memrchr(s.ptr, c, s.len) : NULL;

	return at ? (size_t)(at - s.ptr) : SV_NPOS;
}

sv sv_trim_right(sv s, const char *set)
{
	while (s.len > 0 && ascii_is_any(s.ptr[s.len - 1], set))
		s.len--;
	return s;
}

sv sv_after_last(sv s, char c)
{
	size_t at = sv_rfind_char(s, c);

	return at == SV_NPOS ? s : sv_from_offset(s, at + 1);
}

sv sv_trim(sv s, const char *set)
{
	while (s.len > 0 && ascii_is_any(s.ptr[0], set)) {
		s.ptr++;
		s.len--;
	}
	return sv_trim_right(s, set);
}

bool sv_has_control(sv s)
{
	for (size_t i = 0; i < s.len; i++)
		if ((unsigned char)s.ptr[i] < 0x20 || s.ptr[i] == 0x7f)
			return true;
	return false;
}

sv sv_trim_space(sv s)
{
	return sv_trim(s, " \t\r\n");
}

struct sv_splitter sv_split(sv s, char separator)
{
	return (struct sv_splitter){.rest = s, .separator = separator};
}

bool sv_split_next(struct sv_splitter *it, sv *ret_part)
{
	if (it->done)
		return false;
	size_t at = sv_find_char(it->rest, it->separator);
	*ret_part = sv_slice(it->rest, 0, at);
	if (at == SV_NPOS)
		it->done = true;
	else
		it->rest = sv_from_offset(it->rest, at + 1);
	return true;
}

bool sv_cut(sv s, sv separator, sv *ret_head, sv *ret_tail)
{
	size_t at = sv_find(s, separator);

	if (at == SV_NPOS) {
		*ret_head = s;
		*ret_tail = (sv){0};
		return false;
	}
	*ret_head = sv_slice(s, 0, at);
	*ret_tail = sv_from_offset(s, at + separator.len);
	return true;
}

bool sv_parse_int64(sv s, int64_t *ret_value)
{
	bool negative = s.len > 0 && s.ptr[0] == '-';
	size_t i = negative || (s.len > 0 && s.ptr[0] == '+');
	int64_t value = 0;

	if (i == s.len)
		return false;
	for (; i < s.len; i++) {
		char c = s.ptr[i];

		if (!ascii_is_digit(c) || __builtin_mul_overflow(value, 10, &value))
			return false;
		int digit = c - '0';
		if (__builtin_add_overflow(value, negative ? -digit : digit, &value))
			return false;
	}
	*ret_value = value;
	return true;
}

/* Reads up to eight bytes as a number, whose value depends on the machine. */
static uint64_t word_of(const char *bytes, size_t size)
{
	uint64_t word = 0;

	memcpy(&word, bytes, size);
	return word;
}

/* The product carries each bit upwards, the shift back down again. */
static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
	return hash ^ (hash >> 32);
}

uint64_t sv_hash(sv s, uint64_t seed)
{
	uint64_t hash = mix(seed, s.len);
	size_t i = 0;

	for (; s.len - i >= sizeof(uint64_t); i += sizeof(uint64_t))
		hash = mix(hash, word_of(s.ptr + i, sizeof(uint64_t)));
	if (i < s.len)
		hash = mix(hash, word_of(s.ptr + i, s.len - i));
	/* The last word's high bits have not come down to all low ones yet. */
	return mix(hash, 0xD1B54A32D192ED03ULL);
}

size_t sv_distance(sv a, sv b, size_t max)
{
	enum { LONGEST = 64 };
	size_t row[LONGEST + 1];
	size_t above[LONGEST + 1] = {0}; /* the row before `row` */
	size_t gap = a.len > b.len ? a.len - b.len : b.len - a.len;

	if (gap > max || a.len > LONGEST || b.len > LONGEST)
		return max + 1;
	for (size_t j = 0; j <= b.len; j++)
		row[j] = j;
	for (size_t i = 1; i <= a.len; i++) {
		size_t corner = 0; /* two rows and two columns before */
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= b.len; j++) {
			size_t best = diagonal + (a.ptr[i - 1] != b.ptr[j - 1]);
			size_t two_above = above[j - 1];

			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			if (i > 1 && j > 1 && a.ptr[i - 1] == b.ptr[j - 2] &&
			    a.ptr[i - 2] == b.ptr[j - 1] && corner + 1 < best)
				best = corner + 1;
			corner = two_above;
			above[j - 1] = diagonal;
			diagonal = row[j];
			row[j] = best;
		}
		above[b.len] = diagonal;
	}
	return row[b.len] > max ? max + 1 : row[b.len];
}
