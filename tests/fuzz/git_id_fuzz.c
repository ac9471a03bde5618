/* Hexadecimal ids of commits, as git and osm-gen's own records have them. */
#include "git/git.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

static bool is_hex(char c)
{
	return ascii_is_digit((uint8_t)c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	sv hex = sv_from((const char *)data, size);
	struct git_id id;
	struct git_id again;
	bool is_id = size == 40;

	for (size_t i = 0; is_id && i < size; i++)
		is_id = is_hex(hex.ptr[i]);
	check(git_id_parse(hex, &id) == is_id);
	if (!is_id)
		return 0;
	check(sv_eq_fold_ascii(git_id_hex(arena, id), hex));
	check(git_id_parse(git_id_hex(arena, id), &again) && git_id_equal(id, again));
	return 0;
}
