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
	size_t count = copies->others.count;

	if (count == 0)
		return SV("");
	for (size_t i = 0; i < count && i < PLACES_LISTED; i++) {
		const struct diag *diag = copies->others.items[i];
		sv place = report_place(arena, diag->at);

		buf_add_item(&places, sv_empty(place) ? diag->object : place);
	}
	if (count > PLACES_LISTED)
		buf_printf(&places, " and %zu more", count - PLACES_LISTED);
	return ARENA_CONCAT(arena, SV("also at "), buf_sv(&places));
}
