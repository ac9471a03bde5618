/*
 * The scanner that versions and constraints share.
 */
#include "golang/scan.h"

bool scan_is_identifier(uint32_t c)
{
	return ascii_is_alphanumeric(c) || c == '-';
}

bool scan_is_space(uint32_t c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
}

size_t scan_while(sv text, size_t from, bool (*accept)(uint32_t))
{
	while (from < text.len && accept(text.ptr[from]))
		from++;
	return from;
}

/* Takes a prefix and one or more accepted characters, and moves *at after them, or takes nothing.
 */
static sv take_group(sv text, size_t *at, char prefix, bool (*accept)(uint32_t))
{
	if (*at >= text.len || text.ptr[*at] != prefix)
		return (sv){0};
	size_t end = scan_while(text, *at + 1, accept);

	if (end == *at + 1)
		return (sv){0};
	sv group = sv_slice(text, *at + 1, end);

	*at = end;
	return group;
}

/* prefix, then identifiers joined by dots. */
static sv take_identifiers(sv text, size_t *at, char prefix)
{
	size_t start = *at + 1;

	if (take_group(text, at, prefix, scan_is_identifier).len == 0)
		return (sv){0};
	while (take_group(text, at, '.', scan_is_identifier).len > 0)
		;
	return sv_slice(text, start, *at);
}

size_t scan_version(sv text, size_t from, bool (*in_segment)(uint32_t),
                    struct scan_version *ret_parts)
{
	struct scan_version parts = {0};
	size_t at = from;

	if (at < text.len && text.ptr[at] == 'v')
		at++;
	size_t end = scan_while(text, at, in_segment);

	if (end == at)
		return SV_NPOS;
	parts.segments[0] = sv_slice(text, at, end);
	at = end;
	parts.segments[1] = take_group(text, &at, '.', in_segment);
	if (parts.segments[1].len > 0)
		parts.segments[2] = take_group(text, &at, '.', in_segment);
	parts.prerelease = take_identifiers(text, &at, '-');
	parts.metadata = take_identifiers(text, &at, '+');
	parts.text = sv_slice(text, from, at);
	*ret_parts = parts;
	return at;
}
