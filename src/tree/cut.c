/*
 * The parts of a side that is cut, and which units are in which.
 */
#include "tree/tree.h"

#include "codec/codec.h"

enum { FAN_OUT = 16 }; /* parts for each further hex digit */

sv tree_part(struct arena *arena, unsigned cut, enum artifact_side side,
             const struct tree_unit *unit)
{
	BUG_ON(cut > TREE_CUT_MAX);
	if (cut == 0 || (side != ARTIFACT_MANAGEMENT && side != ARTIFACT_WORKER))
		return SV("");
	if (!unit)
		return SV(TREE_PART_SHARED);
	sv identity =
	    ARENA_CONCAT(arena, unit->kind, SV("/"), unit->namespace, SV("/"), unit->name);
	return sv_slice(digest_hex(arena, DIGEST_SHA256, identity), 0, cut);
}

sv tree_part_path(struct arena *arena, sv folder, enum artifact_side side, sv part)
{
	sv whole = tree_side_path(arena, folder, side);

	return sv_empty(part) ? whole : ARENA_CONCAT(arena, whole, SV("/"), part);
}

/* True if parts named by one digit less than `cut` would have `bound` units or more on average. */
static bool takes(size_t units, size_t bound, unsigned cut)
{
	for (unsigned i = 1; i < cut; i++)
		units /= FAN_OUT;
	return bound > 0 && units >= bound;
}

unsigned tree_cut_of(size_t units, size_t bound)
{
	unsigned cut = 0;

	while (cut < TREE_CUT_MAX && takes(units, bound, cut + 1))
		cut++;
	return cut;
}

unsigned tree_cut_after(size_t units, size_t bound, unsigned before)
{
	unsigned cut = tree_cut_of(units, bound);

	while (cut < before && takes(units, bound / 2 + bound % 2, cut + 1))
		cut++;
	return cut;
}
