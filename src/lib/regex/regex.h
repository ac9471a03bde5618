/*
 * Regular expressions: RE2 with a C interface. Time is linear in the input, so that no pattern
 * hangs. The syntax is Go's; where RE2 differs, patterns are translated:
 *
 *   (?<name>...)  becomes (?P<name>...)
 *   \C            is refused, as Go refuses it
 *
 * Two differences remain: bytes that are not UTF-8 match nothing (in Go each is one U+FFFD), and \B
 * may match inside a rune of several bytes.
 */
#ifndef OSM_GEN_REGEX_REGEX_H
#define OSM_GEN_REGEX_REGEX_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* RE2's errors, in the order of its own codes. */
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

/* A range of the input; start is -1 for a group that did not match. */
struct regex_span {
	ptrdiff_t start;
	ptrdiff_t end;
};

struct regex_pattern;

/* Compiles a pattern. Never returns null; regex_error_code has the result. Free with regex_free. */
struct regex_pattern *regex_compile(const char *pattern, size_t len);
/* The same with a limit on memory: a pattern that needs more is REGEX_TOO_LARGE, found early. */
struct regex_pattern *regex_compile_within(const char *pattern, size_t len, size_t max_bytes);
void regex_free(struct regex_pattern *pattern);
enum regex_error regex_error_code(const struct regex_pattern *pattern);
/* Returns the wrong part of the pattern, which lives as long as the pattern. */
const char *regex_error_part(const struct regex_pattern *pattern, size_t *ret_len);
/* Returns the number of compiled instructions: a measure of the work for each byte of input. */
size_t regex_program_size(const struct regex_pattern *pattern);
/* Returns the number of groups, not counting the whole match. */
size_t regex_group_count(const struct regex_pattern *pattern);
/* Returns the number of the group of this name, or 0 if there is none. */
size_t regex_group_named(const struct regex_pattern *pattern, const char *name, size_t len);
/* Finds the leftmost match from offset `from` on; spans[0] is the whole match. */
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
/* Searches `count` strings for one pattern, which is compiled once. */
void regex_search_each(sv pattern, const sv *texts, size_t count, enum regex_result *ret_results);
/* Returns the number of compiled instructions, some 0.4 us each, or 0 if the pattern is invalid. */
size_t regex_search_cost(sv pattern);

#endif

#endif
