/*
 * The items that are files: their address, their place in a mirror, their published checksum.
 */
#include "internal.h"

bool inventory_is_file(const struct inventory_item *item)
{
	static const sv kinds[] = {SV_INIT("archive"), SV_INIT("binary"), SV_INIT("checksum"),
	                           SV_INIT("key")};
	bool found = false;

	for (size_t i = 0; i < COUNT_OF(kinds); i++)
		found |= sv_eq(item->fetch.kind, kinds[i]);
	return found && !sv_empty(item->fetch.url);
}

sv inventory_bare(struct arena *arena, sv url)
{
	sv scheme;
	sv place;

	if (!sv_cut(url, SV("://***@"), &scheme, &place))
		return url;
	return ARENA_CONCAT(arena, scheme, SV("://"), place);
}

sv inventory_source(struct arena *arena, const struct inventory_item *item)
{
	return inventory_bare(arena, sv_empty(item->fetch.upstream) ? item->fetch.url
	                                                            : item->fetch.upstream);
}

/* Returns true if the path is printable ASCII and names a file below a folder. */
static bool is_path(sv path)
{
	struct sv_splitter names = sv_split(path, '/');
	sv name;

	for (size_t i = 0; i < path.len; i++)
		if (path.ptr[i] <= ' ' || path.ptr[i] > '~')
			return false;
	while (sv_split_next(&names, &name))
		if (sv_empty(name) || sv_eq(name, SV(".")) || sv_eq(name, SV("..")))
			return false;
	return true;
}

sv inventory_place(sv source)
{
	sv scheme;
	sv place;

	if (!sv_cut(source, SV("://"), &scheme, &place) ||
	    (!sv_eq(scheme, SV("https")) && !sv_eq(scheme, SV("http"))) || !is_path(place))
		return SV("");
	return place;
}

const struct inventory_item *inventory_checksum(const struct inventory *inventory,
                                                const struct inventory_item *item)
{
	sv url = item->fetch.url;

	VEC_EACH (other, &inventory->items) {
		sv checksum = (*other)->fetch.url;

		if (sv_eq((*other)->fetch.kind, SV("checksum")) &&
		    checksum.len == url.len + strlen(".sha256") && sv_starts_with(checksum, url))
			return *other;
	}
	return NULL;
}
