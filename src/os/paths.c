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

sv os_folder_of(sv path)
{
	size_t slash = sv_rfind_char(path, '/');

	return slash == SV_NPOS ? SV("") : sv_slice(path, 0, slash);
}

sv os_join(struct arena *arena, sv folder, sv name)
{
	return sv_empty(folder) ? name : ARENA_CONCAT(arena, folder, SV("/"), name);
}

bool os_resolve(struct arena *arena, sv folder, sv path, sv *ret_path)
{
	struct sv_splitter parts = sv_split(os_join(arena, folder, path), '/');
	struct buf out = buf_in(arena);
	sv part;

	while (sv_split_next(&parts, &part)) {
		if (sv_empty(part) || sv_eq(part, SV(".")))
			continue;
		if (sv_eq(part, SV(".."))) {
			if (out.len == 0)
				return false;
			out.len = os_folder_of(buf_sv(&out)).len;
			continue;
		}
		if (out.len > 0)
			buf_add_char(&out, '/');
		buf_add(&out, part);
	}
	*ret_path = buf_sv(&out);
	return true;
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
