/*
 * JSON Schemas (draft 7) made of tables of members.
 */
#include "shape/shape.h"

static struct value text(const char *cstr)
{
	return value_string(sv_from_cstr(cstr));
}

/*
 * A number is before its string: kubeconform 0.7 takes a number after a string of the same digits
 * for a repetition of it.
 */
struct value shape_words(struct arena *arena, sv words, bool has_numbers)
{
	struct value list = value_list_new(arena);
	struct sv_splitter it = sv_split(words, '|');
	int64_t number;
	sv word;

	while (sv_split_next(&it, &word)) {
		if (has_numbers && sv_parse_int64(word, &number))
			value_list_add(arena, &list, value_int(number));
		value_list_add(arena, &list, value_string(word));
	}
	return list;
}

/* Returns {"$ref": "#/definitions/NAME"}, and makes the definition if it is not there yet. */
static struct value reference(struct arena *arena, const struct shape *shape,
                              const struct shape_schema *schema, struct value *definitions)
{
	sv name = arena_printf(arena, "%s%s", schema->prefix ? schema->prefix : "", shape->name);

	if (!value_map_get(definitions, name)) {
		/* First the place, which ends the recursion of a shape that has itself as a member.
		 */
		value_map_set(arena, definitions, name, value_null());
		struct value map = shape_map_schema(arena, shape, schema, definitions);
		value_map_set(arena, definitions, name, map);
	}
	return VALUE_MAP(arena,
	                 {"$ref", value_string(ARENA_CONCAT(arena, SV("#/definitions/"), name))});
}

/* Durations as Go has them, and base64 with line breaks; an owner's pattern is first. */
#define DURATION_PATTERN                                                                           \
	"^[-+]?(0|(([0-9]+\\.?[0-9]*|\\.[0-9]+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h))+)$"
#define BASE64_CHAR "[A-Za-z0-9+/][\\r\\n]*"
#define BASE64_END  "=[\\r\\n]*"
#define BASE64_PATTERN                                                                             \
	"^[\\r\\n]*((" BASE64_CHAR "){4})*((" BASE64_CHAR "){2}" BASE64_END BASE64_END             \
	"|(" BASE64_CHAR "){3}" BASE64_END ")?$"

static const char *pattern_of(const struct shape_member *member)
{
	if (member->pattern)
		return member->pattern;
	if (member->type == SHAPE_DURATION)
		return DURATION_PATTERN;
	return member->type == SHAPE_BASE64 ? BASE64_PATTERN : NULL;
}

/* Returns the schema of a value of the member's type, without a null. */
static struct value scalar_schema(struct arena *arena, const struct shape_member *member)
{
	struct value none = VALUE_INVALID;
	sv words = shape_choices(arena, member);
	struct value choices = VALUE_INVALID;
	bool is_bounded = member->least != 0 || member->most != 0;
	bool is_filled =
	    member->form == SHAPE_ONE && member->flags & (SHAPE_FILLED | SHAPE_NOT_EMPTY);
	struct value least = is_bounded                    ? value_int(member->least)
	                     : member->type == SHAPE_UINT  ? value_int(0)
	                     : member->type == SHAPE_INT32 ? value_int(INT32_MIN)
	                                                   : none;
	struct value most = is_bounded && member->most < INT64_MAX ? value_int(member->most)
	                    : member->type == SHAPE_INT32          ? value_int(INT32_MAX)
	                                                           : none;

	if (!sv_empty(words))
		choices = shape_words(arena, words, member->type == SHAPE_INT_OR_TEXT);
	switch (member->type) {
	case SHAPE_TEXT:
	case SHAPE_BASE64:
	case SHAPE_DURATION:
	case SHAPE_TIME:
		return VALUE_MAP(arena, {"type", text("string")}, {"enum", choices},
		                 {"pattern", value_cstr_if(pattern_of(member))},
		                 {"format", member->type == SHAPE_TIME ? text("date-time") : none},
		                 {"minLength", is_filled ? value_int(1) : none});
	case SHAPE_SCALAR:
		return VALUE_MAP(
		    arena,
		    {"type",
		     value_strings(arena, (const sv[]){SV("string"), SV("number"), SV("boolean")},
		                   3)},
		    {"pattern", value_cstr_if(member->pattern)});
	case SHAPE_BOOL:
		return VALUE_MAP(arena, {"type", text("boolean")});
	case SHAPE_INT:
	case SHAPE_INT32:
	case SHAPE_UINT:
		return VALUE_MAP(arena, {"type", text("integer")}, {"minimum", least},
		                 {"maximum", most});
	case SHAPE_FLOAT:
		return VALUE_MAP(arena, {"type", text("number")});
	case SHAPE_INT_OR_TEXT:
	case SHAPE_INT64_OR_TEXT:
		return VALUE_MAP(
		    arena,
		    {"type", value_strings(arena, (const sv[]){SV("integer"), SV("string")}, 2)},
		    {"enum", choices}, {"minimum", least}, {"maximum", most},
		    {"pattern", value_cstr_if(member->pattern)});
	case SHAPE_MAP:
		return VALUE_MAP(arena, {"type", text("object")});
	case SHAPE_ANY:
		return value_map_new(arena);
	}
	BUG("type of a member");
}

/* Returns the schema of one value: the scalar, the map, or either of them. */
static struct value one_schema(struct arena *arena, const struct shape_member *member,
                               const struct shape_schema *schema, struct value *definitions)
{
	if (!member->of)
		return scalar_schema(arena, member);
	struct value map = reference(arena, member->of, schema, definitions);
	if (member->type == SHAPE_MAP)
		return map;
	const struct value either[] = {scalar_schema(arena, member), map};
	return VALUE_MAP(arena, {"anyOf", value_list_of(arena, either, COUNT_OF(either))});
}

static struct value list_schema(struct arena *arena, struct value items, bool is_filled)
{
	return VALUE_MAP(arena, {"type", text("array")}, {"items", items},
	                 {"minItems", is_filled ? value_int(1) : VALUE_INVALID});
}

/* Lets a schema be null, too. */
static struct value or_null(struct arena *arena, struct value schema)
{
	struct value *type = value_map_get_mutable(&schema, SV("type"));
	struct value *choices = value_map_get_mutable(&schema, SV("enum"));
	struct value *either = value_map_get_mutable(&schema, SV("anyOf"));
	struct value list;

	if (value_count(&schema) == 0)
		return schema;
	if (either) {
		value_list_add(arena, either, VALUE_MAP(arena, {"type", text("null")}));
		return schema;
	}
	if (!type) {
		const struct value both[] = {schema, VALUE_MAP(arena, {"type", text("null")})};

		return VALUE_MAP(arena, {"anyOf", value_list_of(arena, both, COUNT_OF(both))});
	}
	list = value_is_list(type) ? *type : value_list_of(arena, type, 1);
	value_list_add(arena, &list, text("null"));
	*type = list;
	if (choices)
		value_list_add(arena, choices, value_null());
	return schema;
}

/*
 * Returns the schema of an item, which may be null as the reader has it: a zero value for Go's
 * decoders, left out of maps by an API server.
 */
static struct value item_schema(struct arena *arena, struct value item, bool is_of_map,
                                const struct shape_schema *schema)
{
	unsigned refusing = SHAPE_REFUSES_NULLS | (is_of_map ? 0 : SHAPE_PRUNES_NULLS);

	return schema->is_output || schema->options & refusing ? item : or_null(arena, item);
}

static struct value dict_schema(struct arena *arena, struct value values,
                                const struct shape_schema *schema)
{
	return VALUE_MAP(arena, {"type", text("object")},
	                 {"additionalProperties", item_schema(arena, values, true, schema)});
}

struct value shape_member_schema(struct arena *arena, const struct shape_member *member,
                                 const struct shape_schema *schema, struct value *definitions)
{
	struct value made = one_schema(arena, member, schema, definitions);
	bool is_filled = member->flags & (SHAPE_FILLED | SHAPE_NOT_EMPTY);
	sv help = member->help ? sv_from_cstr(member->help) : SV("");

	if (member->form == SHAPE_DICTS)
		made = dict_schema(arena, made, schema);
	if (member->form == SHAPE_DICT || member->form == SHAPE_DICTS)
		made = dict_schema(arena, made, schema);
	else if (member->form != SHAPE_ONE)
		made = list_schema(arena, item_schema(arena, made, false, schema),
		                   is_filled && member->form == SHAPE_LIST);
	if (member->form == SHAPE_LISTS)
		made = list_schema(arena, item_schema(arena, made, false, schema), is_filled);
	if (member->form == SHAPE_DICT_LISTS)
		made = dict_schema(arena, made, schema);
	if (schema->is_output ? (member->flags & SHAPE_NULLABLE) != 0
	                      : !(member->flags & (SHAPE_REQUIRED | SHAPE_FILLED)))
		made = or_null(arena, made);
	if (member->initial && sv_empty(help))
		help = arena_printf(arena, "default %s", member->initial);
	else if (member->initial)
		help = arena_printf(arena, "%.*s (default %s)", SV_ARG(help), member->initial);
	/* Draft 7 ignores members beside a $ref. */
	if (!sv_empty(help) && value_map_get(&made, SV("$ref")))
		made = VALUE_MAP(arena, {"allOf", value_list_of(arena, &made, 1)});
	if (!sv_empty(help))
		value_map_set(arena, &made, SV("description"), value_string(help));
	return made;
}

/* Returns patternProperties that allow each of the names in upper and lower case. */
static struct value any_case(struct arena *arena, const struct value *properties)
{
	struct value patterns = value_map_new(arena);
	struct buf buf = buf_in(arena);

	for (size_t i = 0; i < value_count(properties); i++) {
		sv name = properties->map->entries[i].key;

		buf_add(&buf, i > 0 ? SV("|") : SV("^("));
		for (size_t k = 0; k < name.len; k++) {
			char upper = ascii_upper(name.ptr[k]);
			char lower = ascii_lower(name.ptr[k]);

			buf_printf(&buf, upper == lower ? "%c" : "[%c%c]", lower, upper);
		}
	}
	buf_add(&buf, SV(")$"));
	value_map_set(arena, &patterns, buf_sv(&buf), value_bool(true));
	return patterns;
}

struct value shape_map_schema(struct arena *arena, const struct shape *shape,
                              const struct shape_schema *schema, struct value *definitions)
{
	struct value properties = value_map_new(arena);
	struct value required = value_list_new(arena);
	bool is_folded = schema->options & SHAPE_FOLDS_CASE && !shape->is_open;

	for (size_t i = 0; i < shape->count; i++) {
		const struct shape_member *member = &shape->members[i];
		struct value made;

		if (member->flags & schema->absent)
			continue;
		made = shape_member_schema(arena, member, schema, definitions);
		value_map_set(arena, &properties, sv_from_cstr(member->name), made);
		if (member->flags & (SHAPE_REQUIRED | SHAPE_FILLED))
			value_list_add(arena, &required, text(member->name));
	}
	struct value others = VALUE_INVALID;

	if (shape->others)
		others = shape_member_schema(arena, shape->others, schema, definitions);
	else if (!shape->is_open && !schema->is_output)
		others = value_bool(false);
	return VALUE_MAP(
	    arena, {"type", text("object")}, {"properties", properties},
	    {"required", value_count(&required) > 0 ? required : VALUE_INVALID},
	    {"patternProperties", is_folded ? any_case(arena, &properties) : VALUE_INVALID},
	    {"additionalProperties", others});
}

struct value shape_json_schema(struct arena *arena, const struct shape *shape,
                               const struct shape_schema *schema)
{
	struct value definitions = value_map_new(arena);
	struct value map = shape_map_schema(arena, shape, schema, &definitions);
	struct value root =
	    VALUE_MAP(arena, {"$schema", text("http://json-schema.org/draft-07/schema#")},
	              {"$id", value_cstr_if(schema->id)}, {"title", value_cstr_if(schema->title)},
	              {"description", value_cstr_if(schema->description)});

	if (schema->may_be_encrypted) {
		const sv block = SV("sops");

		value_map_set(arena, &root, SV("type"), text("object"));
		value_map_set(arena, &root, SV("if"),
		              VALUE_MAP(arena, {"required", value_strings(arena, &block, 1)}));
		value_map_set(arena, &root, SV("else"), map);
	} else {
		for (size_t i = 0; i < value_count(&map); i++)
			value_map_set(arena, &root, map.map->entries[i].key,
			              map.map->entries[i].value);
	}
	if (value_count(&definitions) > 0)
		value_map_set(arena, &root, SV("definitions"), definitions);
	return root;
}
