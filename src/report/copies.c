/*
 * Joins equal warnings of several places: one cause is one row or annotation.
 */
#include "report/render.h"

enum { PLACES_LISTED = 20 };

/* Errors stay apart: each is at a place that somebody has to change. */
static sv copy_key(struct arena *arena, const struct diag *diag, size_t number)
{
	if (diag->severity == DIAG_ERROR)
		return arena_printf(arena, "%zu", number);
	return arena_printf(arena, "OSG%04u\n%.*s\n%.*s", (unsigned)diag->code, SV_ARG(diag->text),
	                    SV_ARG(diag->help));
}

struct render_copies_list render_join_copies(struct arena *arena, const struct sink *sink)
{
	struct render_copies_list list = {0};
	struct map known = map_in(arena);

	for (size_t i = 0; i < sink->diags.count; i++) {
		const struct diag *diag = sink->diags.items[i];
		sv key = copy_key(arena, diag, i);
		struct render_copies *copies = map_get(&known, key);

		if (copies) {
			VEC_PUSH(arena, &copies->others, diag);
			continue;
		}
		copies = ARENA_NEW(arena, struct render_copies);
		*copies = (struct render_copies){.diag = diag};
		map_put(&known, key, copies);
		VEC_PUSH(arena, &list, copies);
	}
	return list;
}

sv render_other_places(struct arena *arena, const struct render_copies *copies)
{
	struct buf places = buf_in(arena);
	struct set names = set_in(arena);

	if (copies->others.count == 0)
		return SV("");
	VEC_EACH (each, &copies->others) {
		const struct diag *diag = *each;
		sv place = report_place(arena, diag->at);
		sv name = sv_empty(place) ? diag->object : place;

		/* Many clusters may have the same mistake from one file that they share. */
		if (set_add(&names, name) && set_count(&names) <= PLACES_LISTED)
			buf_add_item(&places, name);
	}
	if (set_count(&names) > PLACES_LISTED)
		buf_printf(&places, " and %zu more", set_count(&names) - PLACES_LISTED);
	if (copies->others.count > set_count(&names))
		buf_printf(&places, ", %zu in all", copies->others.count);
	return ARENA_CONCAT(arena, SV("also at "), buf_sv(&places));
}
