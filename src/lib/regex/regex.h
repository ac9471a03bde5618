/*
 * Regular expressions: RE2 behind C. Linear in the text, so that no pattern hangs; the syntax is
 * Go's (the same family), brought over where the two part:
 *
 *   (?<name>...)  is RE2's (?P<name>...)
 *   \C            is refused, as Go does
 *
 * Known differences, both without harm to valid UTF-8 but the last: bytes that are no UTF-8 match
 * nothing (Go: one U+FFFD each), and \B may match inside a rune of several bytes.
 */
#ifndef OSM_GEN_REGEX_REGEX_H
#define OSM_GEN_REGEX_REGEX_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What RE2 says is wrong, in the order of its own codes. */
enum regex_error {
	REGEX_OK,
	REGEX_INTERNAL,
	REGEX_BAD_ESCAPE,
	REGEX_BAD_CLASS,
	REGEX_BAD_RANGE,
	REGEX_MISSING_BRACKET,
	REGEX_MISSING_PAREN,
	REGEX_UNEXPECTED_PAREN,
	REGEX_TRAILING_BACKSLASH,
	REGEX_REPEAT_ARGUMENT,
	REGEX_REPEAT_SIZE,
	REGEX_REPEAT_OP,
	REGEX_BAD_PERL_OP,
	REGEX_BAD_UTF8,
	REGEX_BAD_NAME,
	REGEX_TOO_LARGE,
};

/* A part of a text; start is -1 for a group that took no part. */
struct regex_span {
	ptrdiff_t start;
	ptrdiff_t end;
};

struct regex_pattern;

/* Never null. Free with regex_free. */
struct regex_pattern *regex_compile(const char *pattern, size_t len);
/* The same in so many bytes of memory: an expression that takes more is REGEX_TOO_LARGE, soon. */
struct regex_pattern *regex_compile_within(const char *pattern, size_t len, size_t max_bytes);
void regex_free(struct regex_pattern *pattern);
enum regex_error regex_error_code(const struct regex_pattern *pattern);
/* The part of the pattern that is wrong; lives as long as the pattern. */
const char *regex_error_part(const struct regex_pattern *pattern, size_t *ret_len);
/* Instructions of the compiled program: what compiling took, and how much a byte of text can. */
size_t regex_program_size(const struct regex_pattern *pattern);
/* Groups, the whole match not counted. */
size_t regex_group_count(const struct regex_pattern *pattern);
/* The number of the first group of this name at or behind `from`; 0 when there is none. */
size_t regex_group_named(const struct regex_pattern *pattern, const char *name, size_t len);
/* Leftmost match at or behind `from`; spans[0] is the whole match. */
bool regex_match(const struct regex_pattern *pattern, const char *text, size_t len, size_t from,
                 struct regex_span *spans, size_t span_count);

#ifdef __cplusplus
}
#else

#include "base/base.h"

/* ---- searching with patterns of users ---------------------------------------------------- */

enum regex_result { REGEX_ABSENT, REGEX_FOUND, REGEX_INVALID };

/*
 * Searches text for a pattern of Go's syntax. Returns REGEX_INVALID if the pattern is not valid or
 * needs more than 256 KiB.
 */
enum regex_result regex_search(sv pattern, sv text);
/* Searches `count` texts for one pattern, which is compiled once. */
void regex_search_each(sv pattern, const sv *texts, size_t count, enum regex_result *ret_results);
/* Returns the number of instructions that a search compiles to, 0.4 us each, or 0 if it is invalid.
 */
size_t regex_search_cost(sv pattern);

#endif

#endif
