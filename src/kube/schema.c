/*
 * Reads a custom resource with the checks of an API server's schema.
 */
#include "kube/kube.h"

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

void schema_known(struct schema *schema, const struct value *map, const char *where,
                  const sv *names, size_t count)
{
	for (size_t i = 0; i < value_count(map); i++) {
		const struct value_entry *entry = &map->map->entries[i];
		bool known = false;

		for (size_t k = 0; k < count && !known; k++)
			known = sv_eq(entry->key, names[k]);
		if (known)
			continue;
		sv nearest = diag_nearest(entry->key, names, count);
		struct diag *diag = diag_report(
		    schema->sink, schema->terms->unknown, origin_position(entry->key_origin),
		    "unknown field \"%.*s\" in %s has no effect", SV_ARG(entry->key), where);
		if (!sv_empty(nearest))
			diag_set_help(schema->sink, diag, "did you mean \"%.*s\"?",
			              SV_ARG(nearest));
		else
			diag_set_help(schema->sink, diag, "remove it, or use one of %.*s",
			              SV_ARG(list_words(schema->arena, names, count)));
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
	sv nearest = diag_nearest(string->string, words, count);
	struct diag *diag = diag_report(schema->sink, schema->terms->wrong, value_position(string),
	                                "%s cannot be \"%.*s\"", what, SV_ARG(string->string));
	if (!sv_empty(nearest))
		diag_set_help(schema->sink, diag, "did you mean \"%.*s\"?", SV_ARG(nearest));
	else
		diag_set_help(schema->sink, diag, "use one of %.*s",
		              SV_ARG(list_words(schema->arena, words, count)));
	schema->failed = true;
}
