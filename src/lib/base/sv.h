/*
 * sv: a string as pointer and length. It is not terminated, may hold NUL, and owns nothing. An
 * empty sv may have a null pointer; every function accepts that.
 */
#ifndef OSM_GEN_BASE_SV_H
#define OSM_GEN_BASE_SV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct sv {
	const char *ptr;
	size_t len;
} sv;

#define SV(literal) ((sv){(literal), sizeof(literal) - 1})
#define SV_INIT(literal)                                                                           \
	{                                                                                          \
		(literal), sizeof(literal) - 1                                                     \
	}
/* printf("%.*s", SV_ARG(s)) */
#define SV_ARG(s) ((int)(s).len), ((s).ptr ? (s).ptr : "")

static inline sv sv_from(const char *ptr, size_t len)
{
	return (sv){ptr, len};
}

static inline sv sv_from_bytes(const void *bytes, size_t size)
{
	return (sv){bytes, size};
}

static inline sv sv_from_cstr(const char *s)
{
	return (sv){s, s ? strlen(s) : 0};
}

static inline bool sv_empty(sv s)
{
	return s.len == 0;
}

#ifdef __clang_analyzer__
/* The analyzer would else assume strings that have a length and no bytes. */
bool sv_eq(sv a, sv b);
#else
static inline bool sv_eq(sv a, sv b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}
#endif

static inline bool sv_eq_cstr(sv a, const char *b)
{
	return sv_eq(a, sv_from_cstr(b));
}

static inline bool sv_starts_with(sv s, sv prefix)
{
	return s.len >= prefix.len && sv_eq((sv){s.ptr, prefix.len}, prefix);
}

/* Compares byte by byte; a prefix comes first. */
int sv_cmp(sv a, sv b);
bool sv_eq_fold_ascii(sv a, sv b);
/* Returns true if the list has the string. */
bool sv_is_among(sv s, const sv *list, size_t count);
bool sv_contains(sv s, sv needle);

#define SV_NPOS ((size_t)-1)
/* Each returns the offset of the first (sv_rfind_char: last) occurrence, or SV_NPOS. */
size_t sv_find(sv s, sv needle);
size_t sv_find_char(sv s, char c);
size_t sv_rfind_char(sv s, char c);

/* Returns the bytes [from, to), clamped to s. */
static inline sv sv_slice(sv s, size_t from, size_t to)
{
	if (to > s.len)
		to = s.len;
	if (from >= to)
		return (sv){s.ptr, 0};
	return (sv){s.ptr + from, to - from};
}

static inline sv sv_from_offset(sv s, size_t from)
{
	return sv_slice(s, from, s.len);
}

static inline bool sv_ends_with(sv s, sv suffix)
{
	return s.len >= suffix.len && sv_eq(sv_from_offset(s, s.len - suffix.len), suffix);
}

/* Returns the part after the last c, or all of s if it has no c. */
sv sv_after_last(sv s, char c);
/* Returns s without the leading and trailing bytes that occur in `set`. */
sv sv_trim(sv s, const char *set);
sv sv_trim_right(sv s, const char *set);
sv sv_trim_space(sv s); /* space, TAB, CR, LF */
/* Returns the number of spaces that s begins with. */
static inline size_t sv_indentation(sv s)
{
	size_t count = 0;

	while (count < s.len && s.ptr[count] == ' ')
		count++;
	return count;
}
/* Returns true if s has an ASCII control character; TAB and LF are such. */
bool sv_has_control(sv s);

/*
 * Splits a string at each separator. An empty string yields one empty part, "a," yields two.
 *
 *   struct sv_splitter it = sv_split(s, ',');  sv part;
 *   while (sv_split_next(&it, &part)) ...
 */
struct sv_splitter {
	sv rest;
	char separator;
	bool done;
};
struct sv_splitter sv_split(sv s, char separator);
bool sv_split_next(struct sv_splitter *it, sv *ret_part);
/* Splits at the first separator. Returns false and sets *ret_head to s if there is no separator. */
bool sv_cut(sv s, sv separator, sv *ret_head, sv *ret_tail);

/*
 * Parses a whole string as a decimal number with an optional sign and no spaces. Returns false for
 * anything else, and on overflow.
 */
bool sv_parse_int64(sv s, int64_t *ret_value);
/* Hashes a string. Strings that collide under one seed do not under another. */
uint64_t sv_hash(sv s, uint64_t seed);

/* Returns the Levenshtein distance, or max + 1 if it is more than max: for "did you mean". */
size_t sv_distance(sv a, sv b, size_t max);

#endif
