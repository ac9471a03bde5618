/*
 * The files of an inventory: which they are, where a mirror has them, what they are checked
 * against.
 */
#include "inventory.h"

bool inventory_is_file(const struct inventory_item *item)
{
	static const sv kinds[] = {SV_INIT("archive"), SV_INIT("binary"), SV_INIT("checksum"),
	                           SV_INIT("key")};
	bool found = false;

	for (size_t i = 0; i < COUNT_OF(kinds); i++)
		found |= sv_eq(item->fetch.kind, kinds[i]);
	return found && !sv_empty(item->fetch.url);
}

sv inventory_source(const struct inventory_item *item)
{
	return sv_empty(item->fetch.upstream) ? item->fetch.url : item->fetch.upstream;
}

sv inventory_place(const struct inventory_item *item)
{
	sv scheme;
	sv place;

	if (!sv_cut(inventory_source(item), SV("://"), &scheme, &place))
		return SV("");
	/* Masked. */
	if (sv_starts_with(place, SV("***@")))
		place = sv_from_offset(place, 4);
	return sv_contains(place, SV("/../")) || sv_starts_with(place, SV("/")) ||
	               sv_starts_with(place, SV("../")) || sv_ends_with(place, SV("/..")) ||
	               sv_find_char(place, '\0') != SV_NPOS
	           ? SV("")
	           : place;
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
