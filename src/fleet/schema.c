/*
 * Reads a settings document by the shape of its kind (members.c), and reports unknown names, wrong
 * types and missing members.
 */
#include "fleet/internal.h"

/* A reading of a document, the context of its shape_reader. */
struct document_reading {
	struct sink *sink;
	const char *kind;
	bool is_wrong; /* see fleet_take_document */
};

/* Returns the words for a map, given its place: "Fleet", "spec of the Fleet", "spec.sealing". */
static sv what_of(struct arena *arena, const struct document_reading *reading,
                  const struct shape_place *place)
{
	if (!place)
		return sv_from_cstr(reading->kind);
	if (!place->outer && sv_eq(place->name, SV("spec")))
		return arena_printf(arena, "spec of the %s", reading->kind);
	return shape_place_text(arena, place);
}

static void help_unknown(struct sink *sink, struct diag *diag, const struct shape_reader *r,
                         const struct shape_problem *problem)
{
	const struct diag_names names = shape_names(r->arena, problem->shape, r->absent);
	sv nearest = diag_nearest(problem->entry->key, names.items, names.count);
	struct buf all = buf_in(sink->arena);

	for (size_t i = 0; i < names.count; i++)
		buf_add_item(&all, names.items[i]);
	diag_help_quoted(sink, diag, nearest, "it may hold: %.*s", SV_ARG(buf_sv(&all)));
}

/* Returns what the value of a member must be, and sets *ret_help to how it is written. */
static sv wanted(struct arena *arena, const struct shape_member *member, const char **ret_help)
{
	if (member->form == SHAPE_LIST) {
		*ret_help = "write [A, B], or begin each item with \"- \"";
		return SV("a list");
	}
	if (member->type == SHAPE_INT) {
		*ret_help = "write its digits, without quotes and units";
		return member->most == INT64_MAX
		           ? arena_printf(arena, "a number from %lld on", (long long)member->least)
		           : arena_printf(arena, "a number from %lld to %lld",
		                          (long long)member->least, (long long)member->most);
	}
	if (member->type == SHAPE_BOOL) {
		*ret_help = "write true or false, without quotes";
		return SV("true or false");
	}
	if (member->type == SHAPE_TEXT) {
		*ret_help = "put it in quotes when it looks like a number or a boolean";
		return SV("a string");
	}
	*ret_help = "write KEY: VALUE lines below it";
	return SV("a map");
}

static void report_document_problem(struct shape_reader *r, const struct shape_problem *problem)
{
	struct document_reading *reading = r->context;
	struct sink *sink = reading->sink;
	bool is_unknown = problem->entry != NULL;
	bool is_root = !is_unknown && !problem->place;
	const struct shape_place *around =
	    is_unknown || is_root ? problem->place : problem->place->outer;
	sv what = what_of(r->arena, reading, around);
	struct position at = value_position(problem->value);
	const char *help;
	struct diag *diag;

	reading->is_wrong |= !around || !around->outer || sv_eq(what, SV("spec.sealing"));
	if (is_unknown) {
		diag = diag_report(
		    sink, DIAG_FLEET_MEMBER, origin_position(problem->entry->key_origin),
		    "%.*s has no \"%.*s\"", SV_ARG(what), SV_ARG(problem->entry->key));
		help_unknown(sink, diag, r, problem);
	} else if (problem->kind == SHAPE_MISSING) {
		const char *name = problem->member->name;

		diag = diag_report(sink, DIAG_FLEET_TYPE, at, "%.*s has no %s", SV_ARG(what), name);
		diag_set_help(sink, diag, "add %s%s", name,
		              problem->member->type == SHAPE_MAP ? ": {name: NAME}" : "");
	} else {
		sv type = wanted(r->arena, problem->member, &help);

		if (is_root)
			diag = diag_report(sink, DIAG_FLEET_TYPE, at, "%.*s must be %.*s",
			                   SV_ARG(what), SV_ARG(type));
		else
			diag = diag_report(sink, DIAG_FLEET_TYPE, at, "%s of %.*s must be %.*s",
			                   problem->member->name, SV_ARG(what), SV_ARG(type));
		diag_set_help(sink, diag, "%s",
		              problem->kind == SHAPE_NO_MATCH ? "write a number in these bounds"
		                                              : help);
	}
}

struct fleet_taken fleet_take_document(struct arena *arena, struct sink *sink,
                                       enum fleet_document_kind kind, const struct value *root)
{
	bool is_fleet = kind == FLEET_DOCUMENT_FLEET;
	const struct shape *shape = is_fleet ? &fleet_shape : &fleet_cluster_shape;
	struct document_reading reading = {.sink = sink, .kind = shape->name};
	struct shape_reader reader = {.arena = arena,
	                              .options = SHAPE_OUTLINE,
	                              .absent = is_fleet ? 0 : FLEET_ONLY,
	                              .report = report_document_problem,
	                              .context = &reading};
	struct value *whole = ARENA_NEW(arena, struct value);

	*whole = shape_take(&reader, shape, NULL, root);
	struct value *spec = value_map_get_mutable(whole, SV("spec"));
	if (!spec) {
		spec = ARENA_NEW(arena, struct value);
		*spec = value_map_new(arena);
	}
	return (struct fleet_taken){.spec = spec, .is_wrong = reading.is_wrong};
}
