/*
 * Checks the members of a map against its shape, as Go's strict decoders do.
 */
#include "osm/kubeone/fields.h"
#include "osm/kubeone/internal.h"

#include "secrecy/secrecy.h"

/* Returns the help for a name that the map does not have. */
static const char *help_of_name(struct arena *arena, const struct shape_problem *problem,
                                unsigned absent)
{
	const struct shape *shape = problem->shape;
	sv name = problem->entry->key;
	sv nearest = shape_nearest(arena, shape, name, absent);

	for (size_t i = 0; i < shape->count; i++)
		if (!(shape->members[i].flags & absent) &&
		    sv_eq_fold_ascii(sv_from_cstr(shape->members[i].name), name))
			nearest = sv_from_cstr(shape->members[i].name);
	return diag_meant(arena, nearest, "correct the name, or remove the member");
}

/* Returns what a value of the wrong type must be. */
static sv wanted_type(struct arena *arena, const struct shape_problem *problem)
{
	struct shape_member one = {.type = problem->member->type};

	if (problem->form != SHAPE_ONE)
		return problem->form == SHAPE_DICT ? SV("a map") : SV("a list");
	if (one.type == SHAPE_INT32 || one.type == SHAPE_UINT)
		one.type = SHAPE_INT;
	if ((one.type == SHAPE_DURATION || one.type == SHAPE_BASE64) &&
	    !value_is_string(problem->value))
		one.type = SHAPE_TEXT;
	return shape_wanted(arena, &one, false);
}

static void report_member(struct shape_reader *reader, const struct shape_problem *problem)
{
	const struct kubeone_decoder *d = reader->context;
	struct arena *arena = reader->arena;
	struct position at = value_position(problem->value);
	const struct shape_place *place = problem->place;
	struct shape_place member;
	const char *text = "is too large";
	const char *help = "correct the value";
	sv path;

	if (problem->entry) {
		if (d->drops_unknown)
			return;
		sv name = problem->entry->key;
		member = (struct shape_place){.outer = place,
		                              .name = sv_empty(name) ? SV("\"\"") : name};
		place = &member;
		at = origin_position(problem->entry->key_origin);
		text = "does not exist";
		help = help_of_name(arena, problem, reader->absent);
	} else if (problem->kind == SHAPE_WRONG_TYPE) {
		sv wanted = wanted_type(arena, problem);

		text = arena_cstr(arena, ARENA_CONCAT(arena, SV("must be "), wanted));
		if (!d->folds_case && sv_eq(wanted, SV("a string")) &&
		    !value_is_map(problem->value) && !value_is_list(problem->value))
			help = "put it in quotes: YAML reads 1.35, n, no, on and the like as "
			       "numbers and booleans";
	} else if (problem->kind == SHAPE_NEGATIVE) {
		text = "must not be negative";
	}
	path = shape_place_text(arena, place);
	struct diag *diag =
	    diag_report(d->sink, d->code, at, "%.*s of %s %s", SV_ARG(path), d->what, text);
	if (sv_empty(d->help))
		diag_set_help(d->sink, diag, "%s", help);
	else
		diag_set_help(d->sink, diag, "%s\n%.*s", help, SV_ARG(d->help));
}

struct value kubeone_decode(const struct kubeone_decoder *decoder, const struct shape *shape,
                            const struct value *v, sv path)
{
	const struct shape_place place = {.name = path};
	struct kubeone_decoder context = *decoder;
	struct shape_reader reader = {
	    .arena = decoder->arena,
	    .options = SHAPE_TYPES_ALONE | (decoder->folds_case ? SHAPE_FOLDS_CASE : 0),
	    .absent = KUBEONE_SHOWN | (decoder->is_v1beta3 ? KUBEONE_V1BETA2 : KUBEONE_V1BETA3),
	    .report = report_member,
	    .is_unknown = secrecy_is_absent,
	    .context = &context,
	};

	return shape_take(&reader, shape, sv_empty(path) ? NULL : &place, v);
}
