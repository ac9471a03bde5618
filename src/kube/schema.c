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

static struct diag *report_unknown(struct schema *schema, const struct value_entry *entry, sv where,
                                   const sv *names, size_t count)
{
	sv nearest = diag_nearest(entry->key, names, count);
	struct diag *diag = diag_report(
	    schema->sink, schema->terms->unknown, origin_position(entry->key_origin),
	    "unknown field \"%.*s\" in %.*s has no effect", SV_ARG(entry->key), SV_ARG(where));

	if (!sv_empty(nearest))
		diag_set_help(schema->sink, diag, "did you mean \"%.*s\"?", SV_ARG(nearest));
	else
		diag_set_help(schema->sink, diag, "remove it, or use one of %.*s",
		              SV_ARG(list_words(schema->arena, names, count)));
	return diag;
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
			(void)report_unknown(schema, entry, sv_from_cstr(where), names, count);
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
static const struct type_words a_time = {"a time",
                                         "write it as 2026-01-02T03:04:05Z, date, time and zone"};
static const struct type_words a_bool = {"true or false", "write true or false, without quotes"};

static struct diag *report_type(struct schema *schema, const struct value *v, sv subject,
                                const struct type_words *type)
{
	struct diag *diag = diag_report(schema->sink, schema->terms->wrong, value_position(v),
	                                "%.*s must be %s", SV_ARG(subject), type->wanted);

	diag_set_help(schema->sink, diag, "%s", type->help);
	schema->failed = true;
	return diag;
}

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
		(void)report_type(schema, v, sv_from_cstr(key), &a_string);
		return VALUE_INVALID;
	}
	return *v;
}

const struct value *schema_map(struct schema *schema, const struct value *map, const char *key,
                               bool required)
{
	const struct value *v = find(schema, map, key, required);

	if (v && !value_is_map(v)) {
		(void)report_type(schema, v, sv_from_cstr(key), &a_map);
		return NULL;
	}
	return v;
}

const struct value *schema_list(struct schema *schema, const struct value *map, const char *key,
                                bool required)
{
	const struct value *v = find(schema, map, key, required);

	if (v && !value_is_list(v)) {
		(void)report_type(schema, v, sv_from_cstr(key), &a_list);
		return NULL;
	}
	return v;
}

const struct value *schema_bool(struct schema *schema, const struct value *map, const char *key)
{
	const struct value *v = find(schema, map, key, false);

	if (v && !value_is(v, KIND_BOOL)) {
		(void)report_type(schema, v, sv_from_cstr(key), &a_bool);
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
	(void)report_type(schema, item, sv_from_cstr(what), &a_map);
	return NULL;
}

static struct diag *report_choice(struct schema *schema, const struct value *string, sv subject,
                                  const sv *words, size_t count)
{
	sv nearest = diag_nearest(string->string, words, count);
	struct diag *diag =
	    diag_report(schema->sink, schema->terms->wrong, value_position(string),
	                "%.*s cannot be \"%.*s\"", SV_ARG(subject), SV_ARG(string->string));

	if (!sv_empty(nearest))
		diag_set_help(schema->sink, diag, "did you mean \"%.*s\"?", SV_ARG(nearest));
	else
		diag_set_help(schema->sink, diag, "use one of %.*s",
		              SV_ARG(list_words(schema->arena, words, count)));
	schema->failed = true;
	return diag;
}

struct value schema_choice(struct schema *schema, const struct value *map, const char *key,
                           const sv *words, size_t count)
{
	const struct value *v = value_map_get(map, sv_from_cstr(key));

	if (value_is_null(v) && map) {
		struct diag *diag = report_missing(schema, map, key);

		diag_set_help(schema->sink, diag, "add %s: one of %.*s", key,
		              SV_ARG(list_words(schema->arena, words, count)));
		return VALUE_INVALID;
	}
	struct value string = schema_string(schema, map, key, true);
	schema_enum(schema, &string, key, words, count);
	return string;
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
	(void)report_choice(schema, string, sv_from_cstr(what), words, count);
}

/* ---- by a shape -------------------------------------------------------------------------- */

/* Returns the names of the members that none of the flags has. */
static sv *names_of(struct arena *arena, const struct shape *shape, unsigned hidden,
                    size_t *ret_count)
{
	sv *names = ARENA_ARRAY(arena, sv, shape->count + 1);

	*ret_count = 0;
	for (size_t i = 0; i < shape->count; i++)
		if (!(shape->members[i].flags & hidden))
			names[(*ret_count)++] = sv_from_cstr(shape->members[i].name);
	return names;
}

static sv *choices_of(struct arena *arena, const char *choices, size_t *ret_count)
{
	struct sv_splitter it = sv_split(sv_from_cstr(choices), '|');
	sv *words = ARENA_ARRAY(arena, sv, strlen(choices) + 1);

	*ret_count = 0;
	while (sv_split_next(&it, &words[*ret_count]))
		(*ret_count)++;
	return words;
}

/* Returns the words for what a value of a member must be. */
static const struct type_words *words_of(const struct shape_problem *problem)
{
	const struct shape_member *member = problem->member;

	if (member->form == SHAPE_LIST && !problem->is_item)
		return &a_list;
	if (member->type == SHAPE_MAP || (member->form == SHAPE_DICT && !problem->is_item))
		return &a_map;
	if (member->type == SHAPE_BOOL)
		return &a_bool;
	return member->type == SHAPE_TIME && value_is_string(problem->value) ? &a_time : &a_string;
}

struct diag *schema_report(struct schema *schema, const struct shape_problem *problem, sv subject,
                           unsigned hidden)
{
	const sv *words;
	size_t count;

	if (problem->kind == SHAPE_UNKNOWN) {
		words = names_of(schema->arena, problem->shape, hidden, &count);
		return report_unknown(schema, problem->entry, subject, words, count);
	}
	if (problem->kind == SHAPE_MISSING)
		return report_missing(schema, problem->value, problem->member->name);
	if (problem->kind == SHAPE_NO_CHOICE && value_is_string(problem->value)) {
		words = choices_of(schema->arena, problem->member->choices, &count);
		return report_choice(schema, problem->value, subject, words, count);
	}
	return report_type(schema, problem->value, subject, words_of(problem));
}
