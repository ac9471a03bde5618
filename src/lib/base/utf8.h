/*
 * UTF-8 as Go's unicode/utf8 reads it: an invalid byte is one U+FFFD of width 1; surrogates and
 * overlong forms are invalid.
 */
#ifndef OSM_GEN_BASE_UTF8_H
#define OSM_GEN_BASE_UTF8_H

#include "base/sv.h"

#define UTF8_REPLACEMENT 0xFFFDu
#define UTF8_MAX_RUNE    0x10FFFFu

/*
 * Returns the first rune of s; sets its width in bytes. For an empty string: U+FFFD, width 0. For
 * an invalid byte: U+FFFD, width 1 (a real U+FFFD has width 3).
 */
uint32_t utf8_decode(sv s, size_t *ret_width);
/* Returns the rune at the offset, in the same way. */
static inline uint32_t utf8_decode_at(sv s, size_t offset, size_t *ret_width)
{
	return utf8_decode(sv_from_offset(s, offset), ret_width);
}

/* Returns the last rune of s, in the same way. */
uint32_t utf8_decode_last(sv s, size_t *ret_width);
/* Writes 1 to 4 bytes and returns how many; an invalid rune is written as U+FFFD. */
size_t utf8_write(uint32_t rune, char out[4]);
bool utf8_valid(sv s);
/* Returns the number of runes in s; each invalid byte counts as one. */
size_t utf8_count(sv s);
/*
 * Returns true if a terminal shows the string as it is written: valid UTF-8 without control
 * characters, line breaks, and characters that change the writing direction.
 */
bool utf8_is_shown_as_written(sv s);
/* unicode.IsSpace: the runes that Go's strings.TrimSpace removes. */
bool utf8_is_space(uint32_t rune);

#endif
