/*
 * Reads a custom resource with the checks of an API server's schema.
 */
#include "kube/kube.h"
#include "shape/shape.h"

static sv list_words(struct arena *arena, const sv *words, size_t count)
{
	struct buf list = buf_in(arena);

	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			BUF_ADD_LIT(&list, ", ");
		buf_add(&list, words[i]);
	}
	return buf_sv(&list);
}

/* Sets the help to the word that is nearest, or to all of them after `before`. */
static void help_words(struct schema *schema, struct diag *diag, sv word, const char *before,
                       struct diag_names words)
{
	sv nearest = diag_nearest(word, words.items, words.count);

	if (!sv_empty(nearest))
		diag_set_help(schema->sink, diag, "did you mean \"%.*s\"?", SV_ARG(nearest));
	else
		diag_set_help(schema->sink, diag, "%suse one of %.*s", before,
		              SV_ARG(list_words(schema->arena, words.items, words.count)));
}

static void report_unknown(struct schema *schema, const struct value_entry *entry,
                           const char *where, struct diag_names names)
{
	struct diag *diag =
	    diag_report(schema->sink, schema->terms->unknown, origin_position(entry->key_origin),
	                "unknown field \"%.*s\" in %s has no effect", SV_ARG(entry->key), where);

	help_words(schema, diag, entry->key, "remove it, or ", names);
}

void schema_known(struct schema *schema, const struct value *map, const char *where,
                  const sv *names, size_t count)
{
	for (size_t i = 0; i < value_count(map); i++) {
		const struct value_entry *entry = &map->map->entries[i];
		bool known = false;

		for (size_t k = 0; k < count && !known; k++)
			known = sv_eq(entry->key, names[k]);
		if (!known)
			report_unknown(schema, entry, where, (struct diag_names){names, count});
	}
}

static struct diag *report_missing(struct schema *schema, const struct value *map, const char *key)
{
	struct diag *diag = diag_report(schema->sink, schema->terms->wrong, value_position(map),
	                                "%s lacks %s here", schema->terms->what, key);

	diag_set_help(schema->sink, diag, "add %s", key);
	schema->failed = true;
	return diag;
}

/* A type of value, by its words in a message, with its help. */
struct type_words {
	const char *wanted;
	const char *help;
};

static const struct type_words a_string = {
    "a string", "put it in quotes when it looks like a number or a boolean"};
static const struct type_words a_list = {"a list", "begin each item with \"- \""};
static const struct type_words a_map = {"a map", "write KEY: VALUE lines below it"};
static const struct type_words a_bool = {"true or false", "write true or false, without quotes"};

static void report_type(struct schema *schema, const struct value *v, const char *key,
                        const struct type_words *type)
{
	struct diag *diag = diag_report(schema->sink, schema->terms->wrong, value_position(v),
	                                "%s must be %s", key, type->wanted);

	diag_set_help(schema->sink, diag, "%s", type->help);
	schema->failed = true;
}

static void report_choice(struct schema *schema, const struct value *string, const char *what,
                          struct diag_names words)
{
	struct diag *diag = diag_report(schema->sink, schema->terms->wrong, value_position(string),
	                                "%s cannot be \"%.*s\"", what, SV_ARG(string->string));

	help_words(schema, diag, string->string, "", words);
	schema->failed = true;
}

/* ---- problems of shapes ------------------------------------------------------------------ */

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

static struct diag_names names_of(struct arena *arena, const struct shape *shape)
{
	sv *names = ARENA_ARRAY(arena, sv, shape->count);

	for (size_t i = 0; i < shape->count; i++)
		names[i] = sv_from_cstr(shape->members[i].name);
	return (struct diag_names){names, shape->count};
}

static const struct type_words *type_of(const struct shape_problem *problem)
{
	if (problem->form == SHAPE_LIST || problem->form == SHAPE_LISTS)
		return &a_list;
	if (problem->form != SHAPE_ONE || problem->member->type == SHAPE_MAP)
		return &a_map;
	return problem->member->type == SHAPE_BOOL ? &a_bool : &a_string;
}

/* Returns what messages call the value, or the map of an unknown member: "path", "a file". */
static const char *name_of(struct arena *arena, const struct shape_problem *problem)
{
	const struct shape_member *member = problem->member;
	const struct shape *shape = problem->shape;

	if (problem->place && !problem->place->is_item)
		return arena_cstr(arena, problem->place->name);
	if (!member)
		return shape->one ? shape->one : shape->name;
	return member->of && member->of->one ? member->of->one : member->name;
}

void schema_report(struct schema *schema, const struct shape_problem *problem)
{
	struct arena *arena = schema->arena;
	const struct shape_member *member = problem->member;
	const char *name = name_of(arena, problem);
	const char *one = problem->shape->one;
	struct diag_names words = {0};
	struct diag *diag;

	switch (problem->kind) {
	case SHAPE_UNKNOWN:
	case SHAPE_ELSEWHERE:
		report_unknown(schema, problem->entry, name, names_of(arena, problem->shape));
		break;
	case SHAPE_MISSING:
		diag = report_missing(schema, problem->value, name);
		words = choices_of(arena, member);
		if (words.count > 0 && !one)
			diag_set_help(schema->sink, diag, "add %s: one of %.*s", name,
			              SV_ARG(list_words(arena, words.items, words.count)));
		break;
	case SHAPE_NO_CHOICE:
		if (one && strcmp(name, "name") == 0)
			name = arena_cstr(arena, arena_printf(arena, "name of %s", one));
		report_choice(schema, problem->value, name, choices_of(arena, member));
		break;
	case SHAPE_WRONG_TYPE:
	case SHAPE_NEGATIVE:
	case SHAPE_TOO_LARGE:
	case SHAPE_NO_MATCH:
	case SHAPE_EMPTY:
		report_type(schema, problem->value, name, type_of(problem));
		break;
	}
}

/* ---- members by hand --------------------------------------------------------------------- */

/* Returns the member, or null if it is missing, which is reported if it is required. */
static const struct value *find(struct schema *schema, const struct value *map, const char *key,
                                bool required)
{
	const struct value *v = value_map_get(map, sv_from_cstr(key));

	if (!value_is_null(v))
		return v;
	if (required && map)
		(void)report_missing(schema, map, key);
	return NULL;
}

struct value schema_string(struct schema *schema, const struct value *map, const char *key,
                           bool required)
{
	const struct value *v = find(schema, map, key, required);

	if (!v)
		return VALUE_INVALID;
	if (!value_is_string(v)) {
		report_type(schema, v, key, &a_string);
		return VALUE_INVALID;
	}
	return *v;
}

const struct value *schema_map(struct schema *schema, const struct value *map, const char *key,
                               bool required)
{
	const struct value *v = find(schema, map, key, required);

	if (v && !value_is_map(v)) {
		report_type(schema, v, key, &a_map);
		return NULL;
	}
	return v;
}

const struct value *schema_list(struct schema *schema, const struct value *map, const char *key,
                                bool required)
{
	const struct value *v = find(schema, map, key, required);

	if (v && !value_is_list(v)) {
		report_type(schema, v, key, &a_list);
		return NULL;
	}
	return v;
}

const struct value *schema_bool(struct schema *schema, const struct value *map, const char *key)
{
	const struct value *v = find(schema, map, key, false);

	if (v && !value_is(v, KIND_BOOL)) {
		report_type(schema, v, key, &a_bool);
		return NULL;
	}
	return v;
}

const struct value *schema_item_map(struct schema *schema, const struct value *list, size_t i,
                                    const char *what)
{
	const struct value *item = value_item(list, i);

	if (value_is_map(item))
		return item;
	report_type(schema, item, what, &a_map);
	return NULL;
}

void schema_enum(struct schema *schema, const struct value *string, const char *what,
                 const sv *words, size_t count)
{
	if (!string->type)
		return;
	for (size_t i = 0; i < count; i++) {
		if (sv_eq(string->string, words[i]))
			return;
	}
	report_choice(schema, string, what, (struct diag_names){words, count});
}
