/*
 * Reports values that Go's encoding/json cannot decode into the types of fields.c. Members that no
 * type has are ignored.
 */
#include "osm/admission/admission.h"

struct decoder {
	struct sink *sink;
	const struct osm_decoding_rules *rules;
	bool failed;
};

static sv words_for(struct arena *arena, const struct shape_problem *problem)
{
	const struct shape_member *member = problem->member;
	sv wanted = shape_wanted(arena, member, problem->is_item);

	if (!member->of || member->type == SHAPE_MAP ||
	    (member->form != SHAPE_ONE && !problem->is_item))
		return wanted;
	return ARENA_CONCAT(arena, wanted,
	                    SV(", or a map with value, secretKeyRef or configMapKeyRef"));
}

static const char *help_for(const struct shape_problem *problem)
{
	const struct shape_member *member = problem->member;
	const struct value *v = problem->value;

	if (member->form == SHAPE_LIST && !problem->is_item)
		return member->type == SHAPE_MAP ? "write a list, each item after \"- \""
		                                 : "write one string an item, each after \"- \"";
	if (member->form == SHAPE_DICT && !problem->is_item)
		return "write \"key: value\", one a line, with values in quotes";
	switch (member->type) {
	case SHAPE_TEXT:
	case SHAPE_DURATION:
	case SHAPE_BASE64:
		return value_is_map(v) || value_is_list(v) ? "write one string, in quotes"
		                                           : "put it in quotes";
	case SHAPE_BOOL:
		return value_is_string(v) ? "write true or false, without quotes"
		                          : "write true or false";
	case SHAPE_INT:
	case SHAPE_INT32:
	case SHAPE_UINT:
	case SHAPE_FLOAT:
		if (value_is_string(v))
			return "write it in digits, without quotes";
		return member->type == SHAPE_INT32 ? "write a whole number up to 2147483647"
		                                   : "write it in digits";
	case SHAPE_TIME:
		return "write it as \"2026-01-31T12:00:00Z\", or remove it";
	case SHAPE_INT_OR_TEXT:
	case SHAPE_INT64_OR_TEXT:
		return "write 1, or \"25%\"";
	case SHAPE_MAP:
		return "write its members below it, or remove it";
	case SHAPE_SCALAR:
	case SHAPE_ANY:
		return "write a string, in quotes";
	}
	BUG("type of a member");
}

static void report_unknown_member(struct shape_reader *r, const struct shape_problem *problem)
{
	const struct decoder *d = r->context;
	sv nearest = shape_nearest(r->arena, problem->shape, problem->entry->key, 0);
	struct diag *diag = diag_report(
	    d->sink, d->rules->unknown, origin_position(problem->entry->key_origin),
	    "%.*s has no member \"%.*s\" that %s v1.66.0 knows: it refuses the MachineDeployment",
	    SV_ARG(shape_place_text(r->arena, problem->place)), SV_ARG(problem->entry->key),
	    d->rules->reader);

	diag_help_quoted(d->sink, diag, nearest,
	                 "remove it, unless your version is newer and knows it");
}

/*
 * COMPAT: a variable that is neither a string nor a map has its JSON as value, which must be valid
 * inside quotes: [1, true] is, ["a"] is not.
 */
static bool has_quotes(const struct value *v)
{
	if (!value_is_list(v))
		return value_is_string(v) || (value_is_map(v) && value_count(v) > 0);
	for (size_t i = 0; i < value_count(v); i++)
		if (has_quotes(value_item(v, i)))
			return true;
	return false;
}

/* Ignores members that are missing or have a wrong value of the right type: other files report
 * them. */
static void report_decode_problem(struct shape_reader *r, const struct shape_problem *problem)
{
	struct decoder *d = r->context;
	bool is_type = problem->kind == SHAPE_WRONG_TYPE || problem->kind == SHAPE_NEGATIVE ||
	               problem->kind == SHAPE_TOO_LARGE;

	if (problem->kind == SHAPE_UNKNOWN && d->rules->unknown != 0)
		report_unknown_member(r, problem);
	if (!is_type)
		return;
	if (problem->member->type == SHAPE_SCALAR &&
	    (problem->member->form == SHAPE_ONE || problem->is_item) && !has_quotes(problem->value))
		return;
	struct diag *diag = diag_report(d->sink, d->rules->code, value_position(problem->value),
	                                "%.*s must be %.*s: %s refuses it",
	                                SV_ARG(shape_place_text(r->arena, problem->place)),
	                                SV_ARG(words_for(r->arena, problem)), d->rules->reader);

	diag_set_help(d->sink, diag, "%s", help_for(problem));
	d->failed = true;
}

static bool is_at(const struct shape_place *place, sv path)
{
	for (; place && !place->is_item; place = place->outer) {
		if (!sv_ends_with(path, place->name))
			return false;
		path = sv_slice(path, 0, path.len - place->name.len);
		if (sv_ends_with(path, SV(".")))
			path.len--;
	}
	return path.len == 0 && !place;
}

static bool is_elsewhere(struct shape_reader *r, const struct shape_place *place,
                         const struct value *v UNUSED)
{
	const struct decoder *d = r->context;

	for (const char *const *path = d->rules->elsewhere; *path; path++)
		if (is_at(place, sv_from_cstr(*path)))
			return true;
	return false;
}

enum status osm_decode(struct arena *arena, struct sink *sink,
                       const struct osm_decoding_rules *rules, const struct shape *shape,
                       const struct shape_place *place, const struct value *given)
{
	struct decoder d = {.sink = sink, .rules = rules};
	struct shape_reader reader = {
	    .arena = arena,
	    .options = SHAPE_WHOLE_FLOATS | (rules->is_exact ? 0 : SHAPE_FOLDS_CASE),
	    .report = report_decode_problem,
	    .skips = rules->elsewhere ? is_elsewhere : NULL,
	    .context = &d,
	};

	(void)shape_check(&reader, shape, place, given);
	return d.failed ? STATUS_FAILED : STATUS_OK;
}
