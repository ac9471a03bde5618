/*
 * Reads the trailers of a commit's message. Everybody who may commit can write any trailer: trust
 * none before its digest fits.
 */
#include "audit/audit.h"

enum { MOST_TRAILERS = 64, SOURCE_SIZE = 40, DIGEST_SIZE = 32 };

static bool is_small_hex(sv text, size_t size)
{
	for (size_t i = 0; i < text.len; i++)
		if (!ascii_is_lower_hex((uint8_t)text.ptr[i]))
			return false;
	return text.len == size;
}

bool audit_read_trailer(sv line, sv key, sv *ret_value)
{
	line = sv_trim_space(line);
	if (!sv_starts_with(line, key) || line.len == key.len || line.ptr[key.len] != ':')
		return false;
	*ret_value = sv_trim_space(sv_from_offset(line, key.len + 1));
	return true;
}

void audit_read_trailers(struct arena *arena, sv message, struct audit_trailers *ret_trailers)
{
	struct audit_trailers trailers = {0};
	struct sv_splitter lines = sv_split(message, '\n');
	sv source = {0};
	sv line;
	sv value;

	while (trailers.count < MOST_TRAILERS && sv_split_next(&lines, &line)) {
		if (audit_read_trailer(line, SV(AUDIT_SOURCE_TRAILER), &value))
			source = is_small_hex(value, SOURCE_SIZE) ? value : (sv){0};
		else if (audit_read_trailer(line, SV(AUDIT_OUTPUT_TRAILER), &value) &&
		         !sv_empty(source) && is_small_hex(value, DIGEST_SIZE))
			VEC_PUSH(arena, &trailers, ((struct audit_trailer){source, value}));
	}
	*ret_trailers = trailers;
}

bool audit_names_source(sv message)
{
	struct sv_splitter lines = sv_split(message, '\n');
	sv line;
	sv value;

	while (sv_split_next(&lines, &line))
		if (audit_read_trailer(line, SV(AUDIT_SOURCE_TRAILER), &value))
			return true;
	return false;
}

void audit_read_outside(struct arena *arena, sv message, struct audit_outside *ret_outside)
{
	struct audit_outside outside = {0};
	struct sv_splitter lines = sv_split(message, '\n');
	sv line;
	sv value;

	while (outside.manifests.count < MOST_TRAILERS && outside.programs.count < MOST_TRAILERS &&
	       sv_split_next(&lines, &line))
		if (audit_read_trailer(line, SV(AUDIT_MANIFESTS_TRAILER), &value))
			VEC_PUSH(arena, &outside.manifests, value);
		else if (audit_read_trailer(line, SV(AUDIT_PROGRAM_TRAILER), &value))
			VEC_PUSH(arena, &outside.programs, value);
	*ret_outside = outside;
}
