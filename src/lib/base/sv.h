/*
 * sv: text as pointer and length. Not terminated, may hold NUL, owns nothing.
 * An empty sv may have a null pointer; every function takes that.
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

static inline sv sv_from_cstr(const char *s)
{
	return (sv){s, s ? strlen(s) : 0};
}

static inline bool sv_empty(sv s)
{
	return s.len == 0;
}

static inline bool sv_eq(sv a, sv b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static inline bool sv_eq_cstr(sv a, const char *b)
{
	return sv_eq(a, sv_from_cstr(b));
}

/* Bytewise order; a prefix comes first. */
int sv_cmp(sv a, sv b);
bool sv_eq_fold_ascii(sv a, sv b);
bool sv_starts_with(sv s, sv prefix);
bool sv_ends_with(sv s, sv suffix);
bool sv_contains(sv s, sv needle);

#define SV_NPOS ((size_t)-1)
/* Offset of the first (last) occurrence, or SV_NPOS. */
size_t sv_find(sv s, sv needle);
size_t sv_find_char(sv s, char c);
size_t sv_rfind_char(sv s, char c);

/* The part [from, to), clamped to s. */
sv sv_slice(sv s, size_t from, size_t to);
sv sv_from_offset(sv s, size_t from);
/* What stands behind the last c; all of s when there is none. */
sv sv_after_last(sv s, char c);
/* Without the leading and trailing bytes that stand in set. */
sv sv_trim(sv s, const char *set);
sv sv_trim_right(sv s, const char *set);
sv sv_trim_space(sv s); /* space, TAB, CR, LF */
/* A control character of ASCII, TAB and LF among them. */
bool sv_has_control(sv s);

/*
 * Takes the text up to the next separator off *rest. False when *rest was exhausted. An empty
 * text yields one empty part, "a," yields two.
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
/* Splits at the first separator; false (and *ret_head = s) when there is none. */
bool sv_cut(sv s, sv separator, sv *ret_head, sv *ret_tail);

/* Decimal, optional sign, no spaces, whole text; false on anything else or on overflow. */
bool sv_parse_int64(sv s, int64_t *ret_value);
/* Texts that meet under one seed do not under another. */
uint64_t sv_hash(sv s, uint64_t seed);

/* Levenshtein distance, for "did you mean": more than max is max + 1. */
size_t sv_distance(sv a, sv b, size_t max);

#endif
