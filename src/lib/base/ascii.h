/*
 * The letters and digits of ASCII, in any locale. The functions take bytes and runes; anything that
 * is not ASCII is neither letter nor digit.
 */
#ifndef OSM_GEN_BASE_ASCII_H
#define OSM_GEN_BASE_ASCII_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline bool ascii_is_digit(uint32_t c)
{
	return c >= '0' && c <= '9';
}

static inline bool ascii_is_upper(uint32_t c)
{
	return c >= 'A' && c <= 'Z';
}

static inline bool ascii_is_lower(uint32_t c)
{
	return c >= 'a' && c <= 'z';
}

static inline bool ascii_is_letter(uint32_t c)
{
	return ascii_is_upper(c) || ascii_is_lower(c);
}

static inline bool ascii_is_alphanumeric(uint32_t c)
{
	return ascii_is_letter(c) || ascii_is_digit(c);
}

/* Returns true for a character of the set. Unlike with strchr, NUL is in no set. */
static inline bool ascii_is_any(char c, const char *set)
{
	return c != '\0' && strchr(set, c) != NULL;
}

/* ---- eight bytes at once ----------------------------------------------------------------- */

#define ASCII_EACH(byte) (UINT64_C(0x0101010101010101) * (byte)) /* the byte eight times */

static inline uint64_t ascii_load8(const char *at)
{
	uint64_t bytes;

	memcpy(&bytes, at, sizeof(bytes));
	return bytes;
}

/* Returns true if any of the bytes is less than `limit`, which is at most 0x80. */
static inline bool ascii_any_below(uint64_t bytes, uint8_t limit)
{
	return ((bytes - ASCII_EACH(limit)) & ~bytes & ASCII_EACH(0x80)) != 0;
}

/* Returns true if all are ASCII's printable characters. */
static inline bool ascii_all_printable(uint64_t bytes)
{
	return (bytes & ASCII_EACH(0x80)) == 0 && !ascii_any_below(bytes, 0x20) &&
	       !ascii_any_below(bytes ^ ASCII_EACH(0x7F), 1);
}

/* Returns true if all are ASCII's printable characters, LF or TAB. */
static inline bool ascii_all_text(uint64_t bytes)
{
	const uint64_t high = ASCII_EACH(0x80);
	uint64_t set = bytes | high; /* so that no subtraction borrows from the next byte */
	uint64_t is_good = set - ASCII_EACH(0x20);

	is_good &= ((bytes ^ ASCII_EACH(0x7F)) | high) - ASCII_EACH(1);
	is_good |= ~(((bytes ^ ASCII_EACH('\n')) | high) - ASCII_EACH(1));
	is_good |= ~(((bytes ^ ASCII_EACH('\t')) | high) - ASCII_EACH(1));
	return (bytes & high) == 0 && (is_good & high) == high;
}

static inline char ascii_lower(char c)
{
	return (char)(ascii_is_upper((uint32_t)c) ? c | 0x20 : c);
}

static inline char ascii_upper(char c)
{
	return (char)(ascii_is_lower((uint32_t)c) ? c & ~0x20 : c);
}

/*
 * Returns the value of a digit in any base up to 36 (letters of either case), or 99 for any other
 * character.
 */
static inline unsigned ascii_digit_value(uint32_t c)
{
	if (ascii_is_digit(c))
		return c - '0';
	return ascii_is_letter(c) ? (c | 0x20) - 'a' + 10 : 99;
}

static inline bool ascii_is_hex(uint32_t c)
{
	return ascii_digit_value(c) < 16;
}

static inline bool ascii_is_lower_hex(uint32_t c)
{
	return ascii_is_hex(c) && !ascii_is_upper(c);
}

#endif
