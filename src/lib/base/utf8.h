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
 * The first rune of s and its width in bytes. Empty: U+FFFD, width 0. Invalid: U+FFFD, width 1
 * (a real U+FFFD has width 3).
 */
uint32_t utf8_decode(sv s, size_t *ret_width);
/* The last rune of s, likewise. */
uint32_t utf8_decode_last(sv s, size_t *ret_width);
/* Writes 1 to 4 bytes and returns how many; an invalid rune is written as U+FFFD. */
size_t utf8_write(uint32_t rune, char out[4]);
bool utf8_valid(sv s);
/* Runes in s, invalid bytes counted as one each. */
size_t utf8_count(sv s);
/*
 * Whether the text is shown as it is written: valid, without control characters, ends of lines and
 * marks that change the direction of what follows.
 */
bool utf8_is_shown_as_written(sv s);
/* unicode.IsSpace: what Go's strings.TrimSpace takes away. */
bool utf8_is_space(uint32_t rune);

#endif
