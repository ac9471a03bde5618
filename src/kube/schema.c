/*
 * Reports what the reader of a shape finds in a custom resource, in the sentences of an API server.
 */
#include "kube/kube.h"
#include "shape/shape.h"

/* Sets the help to the word that is nearest, or to all of them after `before`. */
static void help_words(struct schema *schema, struct diag *diag, sv word, const char *before,
                       struct diag_names words)
{
	sv nearest = diag_nearest(word, words.items, words.count);

	diag_help_quoted(schema->sink, diag, nearest, "%suse one of %.*s", before,
	                 SV_ARG(buf_listed(schema->arena, words.items, words.count)));
}

static struct diag *report_choice(struct schema *schema, const struct value *string, sv subject,
                                  struct diag_names words)
{
	struct diag *diag =
	    diag_report(schema->sink, schema->terms->wrong, value_position(string),
	                "%.*s cannot be \"%.*s\"", SV_ARG(subject), SV_ARG(string->string));

	help_words(schema, diag, string->string, "", words);
	schema->failed = true;
	return diag;
}

static struct diag_names choices_of(struct arena *arena, const struct shape_member *member)
{
	VEC(sv) words = {0};
	struct sv_splitter it = sv_split(shape_choices(arena, member), '|');
	sv word;

	while (sv_split_next(&it, &word))
		if (!sv_empty(word))
			VEC_PUSH(arena, &words, word);
	return (struct diag_names){words.items, words.count};
}

/* The type that a value must have, in words, with the help. */
struct type_words {
	const char *wanted;
	const char *help;
};

static const struct type_words *type_of(const struct shape_problem *problem)
{
	static const struct type_words a_string = {
	    "a string", "put it in quotes when it looks like a number or a boolean"};
	static const struct type_words a_list = {"a list", "begin each item with \"- \""};
	static const struct type_words a_map = {"a map", "write KEY: VALUE lines below it"};
	static const struct type_words a_time = {
	    "a time", "write it as 2026-01-02T03:04:05Z, date, time and zone"};
	static const struct type_words a_bool = {"true or false",
	                                         "write true or false, without quotes"};

	const struct shape_member *member = problem->member;

	if (problem->form == SHAPE_LIST || problem->form == SHAPE_LISTS)
		return &a_list;
	if (problem->form != SHAPE_ONE || member->type == SHAPE_MAP)
		return &a_map;
	if (member->type == SHAPE_BOOL)
		return &a_bool;
	return member->type == SHAPE_TIME && value_is_string(problem->value) ? &a_time : &a_string;
}

struct diag *schema_report(struct schema *schema, const struct shape_problem *problem, sv subject,
                           unsigned hidden)
{
	struct diag *diag;

	BUG_ON(!problem->member && problem->kind != SHAPE_UNKNOWN);
	switch (problem->kind) {
	case SHAPE_UNKNOWN:
	case SHAPE_ELSEWHERE:
		diag = diag_report(schema->sink, schema->terms->unknown,
		                   origin_position(problem->entry->key_origin),
		                   "unknown field \"%.*s\" in %.*s has no effect",
		                   SV_ARG(problem->entry->key), SV_ARG(subject));
		help_words(schema, diag, problem->entry->key, "remove it, or ",
		           shape_names(schema->arena, problem->shape, hidden));
		return diag;
	case SHAPE_MISSING:
		diag =
		    diag_report(schema->sink, schema->terms->wrong, value_position(problem->value),
		                "%s lacks %s here", schema->terms->what, problem->member->name);
		diag_set_help(schema->sink, diag, "add %s", problem->member->name);
		schema->failed = true;
		return diag;
	case SHAPE_NO_CHOICE:
		if (value_is_string(problem->value))
			return report_choice(schema, problem->value, subject,
			                     choices_of(schema->arena, problem->member));
		break;
	case SHAPE_WRONG_TYPE:
	case SHAPE_NEGATIVE:
	case SHAPE_TOO_LARGE:
	case SHAPE_NO_MATCH:
	case SHAPE_EMPTY:
		break;
	}
	const struct type_words *type = type_of(problem);
	diag = diag_report(schema->sink, schema->terms->wrong, value_position(problem->value),
	                   "%.*s must be %s", SV_ARG(subject), type->wanted);
	diag_set_help(schema->sink, diag, "%s", type->help);
	schema->failed = true;
	return diag;
}

void schema_report_named(struct schema *schema, const struct shape_problem *problem)
{
	const struct shape_member *member = problem->member;
	const struct shape *map = member ? member->of : problem->shape;
	const char *one = problem->shape->one;
	sv subject;

	if (problem->place && !problem->place->is_item)
		subject = problem->place->name;
	else if (map && map->one)
		subject = sv_from_cstr(map->one);
	else
		subject = sv_from_cstr(member ? member->name : problem->shape->name);
	if (problem->kind == SHAPE_NO_CHOICE && one && sv_eq(subject, SV("name")))
		subject = arena_printf(schema->arena, "name of %s", one);
	struct diag *diag = schema_report(schema, problem, subject, 0);
	if (problem->kind != SHAPE_MISSING || one)
		return;
	BUG_ON(!member);
	const struct diag_names words = choices_of(schema->arena, member);
	if (words.count > 0)
		diag_set_help(schema->sink, diag, "add %s: one of %.*s", member->name,
		              SV_ARG(buf_listed(schema->arena, words.items, words.count)));
}
