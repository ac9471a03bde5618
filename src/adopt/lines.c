/*
 * The report of an adoption: objects that were taken, objects that were left out, notes.
 */
#include "adopt/internal.h"

void adopt_add_line(struct arena *arena, struct adopt_lines *lines, enum adopt_fate fate, sv what,
                    sv why)
{
	VEC_PUSH(arena, lines, (struct adopt_line){.fate = fate, .what = what, .why = why});
}

void adopt_add_names(struct arena *arena, struct adopt_lines *lines, sv what,
                     const struct adopt_names *names, const char *why)
{
	if (names->count == 0)
		return;
	adopt_add_line(arena, lines, ADOPT_LEFT,
	               arena_printf(arena, "%zu %.*s", names->count, SV_ARG(what)),
	               sv_from_cstr(why));
	lines->items[lines->count - 1].names = *names;
}

/* Fields that many objects have share one line. */
void adopt_leave(struct adopt_leaving *leaving, const struct kube_object *object, sv what,
                 const char *why)
{
	struct arena *arena = leaving->arena;
	sv key = ARENA_CONCAT(arena, what, SV(" "), sv_from_cstr(why));
	struct adopt_left *left = map_get(&leaving->by_what, key);

	if (!left) {
		left = ARENA_NEW(arena, struct adopt_left);
		*left = (struct adopt_left){.what = what, .why = why};
		map_put(&leaving->by_what, key, left);
		VEC_PUSH(arena, &leaving->items, left);
	}
	VEC_PUSH(arena, &left->names, kube_object_describe(arena, object));
}

void adopt_add_left_out(const struct adopt_leaving *leaving, struct adopt_lines *lines)
{
	VEC_EACH (item, &leaving->items) {
		const struct adopt_left *left = *item;
		size_t count = left->names.count;

		adopt_add_line(leaving->arena, lines, ADOPT_LEFT,
		               arena_printf(leaving->arena, "%.*s of %zu object%s",
		                            SV_ARG(left->what), count, count == 1 ? "" : "s"),
		               sv_from_cstr(left->why));
		lines->items[lines->count - 1].names = left->names;
	}
}

/* ---- messages ---------------------------------------------------------------------------- */

void adopt_mask_lines(struct arena *arena, struct adopt_lines *lines)
{
	VEC_EACH (line, lines) {
		line->what = secrecy_mask_looks(arena, line->what);
		line->why = secrecy_mask_looks(arena, line->why);
		VEC_EACH (name, &line->names)
			*name = secrecy_mask_looks(arena, *name);
	}
}

void adopt_mask_messages(struct arena *arena, struct sink *sink)
{
	VEC_EACH (diag, &sink->diags) {
		(*diag)->text = secrecy_mask_looks(arena, (*diag)->text);
		(*diag)->help = secrecy_mask_looks(arena, (*diag)->help);
		(*diag)->object = secrecy_mask_looks(arena, (*diag)->object);
		VEC_EACH (note, &(*diag)->notes)
			note->text = secrecy_mask_looks(arena, note->text);
	}
}
