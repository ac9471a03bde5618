/*
 * Checks of the paths and names in a system.
 */
#include "gardener/system.h"

const char *system_path_mistake(sv path)
{
	if (sv_empty(path) || path.ptr[0] != '/')
		return "must begin with /";
	if (sv_has_control(path))
		return "must not hold control characters";
	if (path.len > 1 && path.ptr[path.len - 1] == '/')
		return "must not end with /";
	if (sv_find(path, SV("/../")) != SV_NPOS || sv_ends_with(path, SV("/..")))
		return "must not go up by ..";
	return path.len == 1 ? "must name a file" : NULL;
}

/* Returns true for a name that systemd takes (systemd.unit(5)): at most 255 bytes, with a unit
 * type. */
static bool is_unit_name(sv name)
{
	static const sv types[] = {
	    SV_INIT(".service"), SV_INIT(".socket"),    SV_INIT(".device"), SV_INIT(".mount"),
	    SV_INIT(".target"),  SV_INIT(".automount"), SV_INIT(".swap"),   SV_INIT(".timer"),
	    SV_INIT(".path"),    SV_INIT(".slice"),     SV_INIT(".scope"),
	};

	if (name.len > 255)
		return false;
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];

		if (!ascii_is_alphanumeric((unsigned char)c) && !ascii_is_any(c, ":-_.\\@"))
			return false;
	}
	for (size_t i = 0; i < COUNT_OF(types); i++)
		if (sv_ends_with(name, types[i]) && name.len > types[i].len)
			return true;
	return false;
}

const char *system_unit_mistake(sv name)
{
	return is_unit_name(name) ? NULL : "must be a name that systemd accepts";
}

const char *system_drop_in_mistake(sv name)
{
	if (sv_empty(name) || memchr(name.ptr, '/', name.len) || sv_has_control(name))
		return "must be a file's name, without folders";
	return sv_ends_with(name, SV(".conf")) && name.len > 5 ? NULL : "must end with .conf";
}
