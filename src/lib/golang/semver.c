/*
 * Semantic versions: parsing, order, text.
 */
#include "golang/golang.h"

#include "golang/scan.h"

static bool only_digits(sv s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!ascii_is_digit(s.ptr[i]))
			return false;
	return true;
}

static bool only_identifier(sv s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!scan_is_identifier(s.ptr[i]))
			return false;
	return true;
}

const char *go_semver_prerelease_mistake(sv prerelease)
{
	struct sv_splitter it = sv_split(prerelease, '.');
	sv part;

	while (sv_split_next(&it, &part)) {
		if (part.len == 0 || !only_identifier(part))
			return "invalid prerelease string";
		if (only_digits(part) && part.len > 1 && part.ptr[0] == '0')
			return "version segment starts with 0";
	}
	return NULL;
}

const char *go_semver_metadata_mistake(sv metadata)
{
	struct sv_splitter it = sv_split(metadata, '.');
	sv part;

	while (sv_split_next(&it, &part))
		if (part.len == 0 || !only_identifier(part))
			return "invalid metadata string";
	return NULL;
}

static bool parse_segment(struct arena *arena, sv segment, uint64_t *ret_number, sv *ret_error)
{
	sv error;

	if (segment.len == 0) {
		*ret_number = 0;
		return true;
	}
	if (go_strconv_parse_uint(arena, segment, 64, ret_number, &error))
		return true;
	*ret_error = ARENA_CONCAT(arena, SV("error parsing version segment: "), error);
	return false;
}

bool go_semver_parse(struct arena *arena, sv text, struct semver *ret_version, sv *ret_error)
{
	struct scan_version parts;
	struct semver version = {.original = text};
	size_t end = scan_version(text, 0, ascii_is_digit, &parts);

	if (end == SV_NPOS || end != text.len) {
		*ret_error = SV("invalid semantic version");
		return false;
	}
	if (!parse_segment(arena, parts.segments[0], &version.major, ret_error) ||
	    !parse_segment(arena, parts.segments[1], &version.minor, ret_error) ||
	    !parse_segment(arena, parts.segments[2], &version.patch, ret_error))
		return false;
	version.prerelease = parts.prerelease;
	version.metadata = parts.metadata;
	const char *mistake =
	    version.prerelease.len ? go_semver_prerelease_mistake(version.prerelease) : NULL;

	if (mistake) {
		*ret_error = sv_from_cstr(mistake);
		return false;
	}
	*ret_version = version;
	return true;
}

/* Cuts what follows the first separator off *head; false when there is none. */
static bool cut_extra(sv *head, char separator, sv *ret_extra)
{
	size_t at = sv_find_char(*head, separator);

	if (at == SV_NPOS)
		return false;
	*ret_extra = sv_from_offset(*head, at + 1);
	*head = sv_slice(*head, 0, at);
	return true;
}

bool go_semver_parse_strict(struct arena *arena, sv text, struct semver *ret_version, sv *ret_error)
{
	struct semver version = {.original = text};
	sv segments[3];
	uint64_t numbers[3];
	sv rest = text;
	const char *mistake = NULL;

	if (text.len == 0)
		mistake = "version string empty";
	else if (!sv_cut(rest, SV("."), &segments[0], &rest) ||
	         !sv_cut(rest, SV("."), &segments[1], &segments[2]))
		mistake = "invalid semantic version";
	if (!mistake && cut_extra(&segments[2], '+', &version.metadata))
		mistake = go_semver_metadata_mistake(version.metadata);
	if (!mistake && cut_extra(&segments[2], '-', &version.prerelease))
		mistake = go_semver_prerelease_mistake(version.prerelease);
	for (size_t i = 0; i < 3 && !mistake; i++) {
		if (!only_digits(segments[i]))
			mistake = "invalid characters in version";
		else if (segments[i].len > 1 && segments[i].ptr[0] == '0')
			mistake = "version segment starts with 0";
	}
	if (mistake) {
		*ret_error = sv_from_cstr(mistake);
		return false;
	}
	for (size_t i = 0; i < 3; i++)
		if (!go_strconv_parse_uint(arena, segments[i], 64, &numbers[i], ret_error))
			return false;
	version.major = numbers[0];
	version.minor = numbers[1];
	version.patch = numbers[2];
	*ret_version = version;
	return true;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static bool identifier_number(sv s, uint64_t *ret_number)
{
	uint64_t number = 0;

	if (s.len == 0 || !only_digits(s))
		return false;
	for (size_t i = 0; i < s.len; i++) {
		uint64_t digit = (uint64_t)(s.ptr[i] - '0');

		if (number > (UINT64_MAX - digit) / 10)
			return false;
		number = number * 10 + digit;
	}
	*ret_number = number;
	return true;
}

/* One dot-separated part; a missing one is empty and comes first (semver.org 11.4). */
static int compare_identifier(sv a, sv b)
{
	uint64_t number_a;
	uint64_t number_b;

	if (sv_eq(a, b))
		return 0;
	if (a.len == 0)
		return -1;
	if (b.len == 0)
		return 1;
	/* COMPAT: digits beyond 64 bits count as letters. */
	bool a_is_number = identifier_number(a, &number_a);
	bool b_is_number = identifier_number(b, &number_b);

	if (a_is_number && b_is_number)
		return compare_numbers(number_a, number_b);
	if (a_is_number != b_is_number)
		return a_is_number ? -1 : 1;
	return sv_cmp(a, b) > 0 ? 1 : -1;
}

int scan_compare_prerelease(sv a, sv b)
{
	struct sv_splitter it_a = sv_split(a, '.');
	struct sv_splitter it_b = sv_split(b, '.');

	for (;;) {
		sv part_a = {0};
		sv part_b = {0};
		bool more_a = sv_split_next(&it_a, &part_a);
		bool more_b = sv_split_next(&it_b, &part_b);
		int order = compare_identifier(part_a, part_b);

		if (order != 0 || (!more_a && !more_b))
			return order;
	}
}

int go_semver_compare(const struct semver *a, const struct semver *b)
{
	int order = compare_numbers(a->major, b->major);

	if (order == 0)
		order = compare_numbers(a->minor, b->minor);
	if (order == 0)
		order = compare_numbers(a->patch, b->patch);
	if (order != 0)
		return order;
	if (a->prerelease.len == 0 || b->prerelease.len == 0)
		return (a->prerelease.len == 0) - (b->prerelease.len == 0);
	return scan_compare_prerelease(a->prerelease, b->prerelease);
}

sv go_semver_format(struct arena *arena, const struct semver *version)
{
	struct buf buf = buf_in(arena);

	buf_printf(&buf, "%llu.%llu.%llu", (unsigned long long)version->major,
	           (unsigned long long)version->minor, (unsigned long long)version->patch);
	if (version->prerelease.len > 0) {
		buf_add_char(&buf, '-');
		buf_add(&buf, version->prerelease);
	}
	if (version->metadata.len > 0) {
		buf_add_char(&buf, '+');
		buf_add(&buf, version->metadata);
	}
	return buf_sv(&buf);
}
