/*
 * Private to the files look*.c: the characters that words are made of, and what each of the files
 * finds.
 */
#ifndef OSM_GEN_SECRECY_LOOK_H
#define OSM_GEN_SECRECY_LOOK_H

#include "secrecy/secrecy.h"

static inline bool look_is_alnum(sv text, size_t at)
{
	return at < text.len && ascii_is_alphanumeric((uint8_t)text.ptr[at]);
}

static inline bool look_is_one_of(sv text, size_t at, const char *set)
{
	return at < text.len && text.ptr[at] != '\0' && strchr(set, text.ptr[at]);
}

static inline size_t look_span(sv text, size_t from, const char *more)
{
	size_t end = from;

	while (look_is_alnum(text, end) || look_is_one_of(text, end, more))
		end++;
	return end;
}

/* ---- look_public.c ----------------------------------------------------------------------- */

/*
 * Returns a copy with blanks in place of what is public though it looks random: UUIDs, digests,
 * public keys, certificates.
 */
sv look_without_public(struct arena *arena, sv text);

/* ---- look_word.c ------------------------------------------------------------------------- */

/* A word of letters and digits: a shorter one may be a name with a number. */
enum { LOOK_RANDOM_WORD = 20 };

/* Returns true for a word with digits and letters; `all`: letters of both cases. */
bool look_has_kinds(sv word, bool all);
/* Classifies a word of [A-Za-z0-9._+/~-]; returns a description, or null. */
const char *look_at_word(struct arena *arena, sv word, enum secrecy_text_kind kind);

#endif
