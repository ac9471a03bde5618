/*
 * Helpers that all dialects use for things that machines fetch (dialect.h, struct dialect_fetch).
 */
#include "dialect/dialect.h"

sv dialect_fetch_masked(struct arena *arena, sv url)
{
	sv scheme;
	sv rest;

	if (!sv_cut(url, SV("://"), &scheme, &rest))
		return url;
	size_t slash = sv_find_char(rest, '/');
	sv authority = sv_slice(rest, 0, slash);
	size_t at = sv_rfind_char(authority, '@');
	if (at == SV_NPOS)
		return url;
	return ARENA_CONCAT(arena, scheme, SV("://***"), sv_from_offset(rest, at));
}

bool dialect_fetch_is_sha256(sv text)
{
	for (size_t i = 0; i < text.len; i++)
		if (!text.ptr[i] || !strchr("0123456789abcdef", text.ptr[i]))
			return false;
	return text.len == 64;
}

void dialect_fetch_image(struct dialect_fetch *fetch)
{
	sv name = fetch->name;
	size_t digest = sv_find(name, SV("@sha256:"));

	if (digest != SV_NPOS) {
		sv sum = sv_from_offset(name, digest + strlen("@sha256:"));

		if (!dialect_fetch_is_sha256(sum))
			return;
		fetch->sha256 = sum;
		name = sv_slice(name, 0, digest);
	}
	size_t slash = sv_rfind_char(name, '/');
	size_t colon = sv_rfind_char(name, ':');
	if (colon != SV_NPOS && (slash == SV_NPOS || colon > slash)) {
		fetch->version = sv_from_offset(name, colon + 1);
		name = sv_slice(name, 0, colon);
	}
	fetch->name = name;
}
