/*
 * Functions on paths as strings; they make no system calls.
 */
#include "os/os.h"

sv os_plain_path(struct arena *arena, sv path)
{
	struct sv_splitter parts = sv_split(path, '/');
	struct buf plain = buf_in(arena);
	sv part;

	while (sv_split_next(&parts, &part)) {
		if (sv_empty(part) || sv_eq(part, SV(".")))
			continue;
		if (plain.len > 0)
			buf_add_char(&plain, '/');
		buf_add(&plain, part);
	}
	return buf_sv(&plain);
}

bool os_path_stays_inside(sv path)
{
	struct sv_splitter parts = sv_split(path, '/');
	sv part;

	while (sv_split_next(&parts, &part))
		if (sv_empty(part) || sv_eq(part, SV(".")) || sv_eq(part, SV("..")))
			return false;
	return true;
}
