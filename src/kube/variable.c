/*
 * Variables that an applier fills in: ${NAME}, ${NAME:=default} and the like, as Flux's postBuild
 * and envsubst read them.
 */
#include "kube/kube.h"

static bool is_name_char(char c, bool is_first)
{
	return c == '_' || ascii_is_letter((uint8_t)c) || (!is_first && ascii_is_digit((uint8_t)c));
}

/* Returns the length of the variable at the start of text, or 0 if it starts with none. */
static size_t variable_length(sv text)
{
	size_t end = 2;

	if (!sv_starts_with(text, SV("${")))
		return 0;
	while (end < text.len && is_name_char(text.ptr[end], end == 2))
		end++;
	if (end == 2)
		return 0;
	/* The name is followed by a default, an alternative, a pattern or a range. */
	if (end < text.len && ascii_is_any(text.ptr[end], ":-=+?#%/^,"))
		while (end < text.len && text.ptr[end] != '}' && text.ptr[end] != '\n')
			end++;
	return end < text.len && text.ptr[end] == '}' ? end + 1 : 0;
}

bool kube_variable_find(sv text, size_t from, size_t *ret_at, size_t *ret_length)
{
	for (;;) {
		size_t found = sv_find(sv_from_offset(text, from), SV("${"));

		if (found == SV_NPOS)
			return false;
		from += found;
		size_t length = variable_length(sv_from_offset(text, from));
		if (length > 0) {
			*ret_at = from;
			*ret_length = length;
			return true;
		}
		from += 2;
	}
}
