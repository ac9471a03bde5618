/*
 * Reports values that Go's encoding/json cannot decode into the types of fields.c, in one
 * walk. Members that no type has are ignored.
 */

#include <math.h>

#include "golang/golang.h"
#include "osm/admission/admission.h"

struct decoder {
	struct arena *arena;
	struct sink *sink;
	const struct osm_decoding_rules *rules;
	bool is_strict; /* variables read themselves, and are not strict */
	bool failed;
};

/* ---- places ------------------------------------------------------------------------------ */

static void add_place(struct buf *buf, const struct osm_place *place)
{
	if (!place)
		return;
	add_place(buf, place->outer);
	if (place->number > 0)
		buf_printf(buf, "[%zu]", place->number - 1);
	else
		buf_printf(buf, "%s%.*s", buf_sv(buf).len > 0 ? "." : "", SV_ARG(place->name));
}

static sv place_text(struct arena *arena, const struct osm_place *place)
{
	struct buf buf = buf_in(arena);

	add_place(&buf, place);
	return buf_sv(&buf);
}

/* ---- reports ----------------------------------------------------------------------------- */

static const char *wanted_of(enum osm_field_kind kind)
{
	switch (kind) {
	case OSM_FIELD_STRING:
		return "a string";
	case OSM_FIELD_BOOL:
		return "true or false";
	case OSM_FIELD_INT32:
		return "a whole number of 32 bits";
	case OSM_FIELD_INT64:
		return "a whole number";
	case OSM_FIELD_UINT64:
		return "a whole number, not negative";
	case OSM_FIELD_FLOAT:
		return "a number";
	case OSM_FIELD_TIME:
		return "a time as RFC 3339 has it";
	case OSM_FIELD_INT_OR_STRING:
		return "a whole number or a percentage";
	case OSM_FIELD_STRING_LIST:
	case OSM_FIELD_VAR_STRING_LIST:
		return "a list of strings";
	case OSM_FIELD_STRING_MAP:
		return "a map of strings";
	case OSM_FIELD_STRUCT_LIST:
		return "a list of maps";
	case OSM_FIELD_STRUCT:
		return "a map";
	case OSM_FIELD_VAR_STRING:
		return "a string, or a map with value, secretKeyRef or configMapKeyRef";
	case OSM_FIELD_VAR_BOOL:
		return "true or false, or a map with value, secretKeyRef or configMapKeyRef";
	case OSM_FIELD_RAW:
		return "a value";
	}
	BUG("no such kind of field");
}

static const char *help_of(enum osm_field_kind kind, const struct value *v)
{
	switch (kind) {
	case OSM_FIELD_STRING:
		return value_is_map(v) || value_is_list(v) ? "write one string, in quotes"
		                                           : "put it in quotes";
	case OSM_FIELD_BOOL:
	case OSM_FIELD_VAR_BOOL:
		return value_is_string(v) ? "write true or false, without quotes"
		                          : "write true or false";
	case OSM_FIELD_INT32:
	case OSM_FIELD_INT64:
	case OSM_FIELD_UINT64:
	case OSM_FIELD_FLOAT:
		return value_is_string(v) ? "write it in digits, without quotes"
		                          : "write it in digits";
	case OSM_FIELD_TIME:
		return "write it as \"2026-01-31T12:00:00Z\", or remove it";
	case OSM_FIELD_INT_OR_STRING:
		return "write 1, or \"25%\"";
	case OSM_FIELD_STRING_LIST:
	case OSM_FIELD_VAR_STRING_LIST:
		return "write one string an item, each after \"- \"";
	case OSM_FIELD_STRING_MAP:
		return "write \"key: value\", one a line, with values in quotes";
	case OSM_FIELD_STRUCT_LIST:
		return "write a list, each item after \"- \"";
	case OSM_FIELD_STRUCT:
		return "write its members below it, or remove it";
	case OSM_FIELD_VAR_STRING:
	case OSM_FIELD_RAW:
		return "write a string, in quotes";
	}
	BUG("no such kind of field");
}

static void report_type(struct decoder *d, const struct osm_place *place, const struct value *v,
                        enum osm_field_kind kind)
{
	struct diag *diag = diag_report(
	    d->sink, d->rules->code, value_position(v), "%.*s must be %s: %s refuses it",
	    SV_ARG(place_text(d->arena, place)), wanted_of(kind), d->rules->reader);

	diag_set_help(d->sink, diag, "%s", help_of(kind, v));
	d->failed = true;
}

static void report_unknown(struct decoder *d, const struct osm_place *place,
                           const struct value_entry *entry, const struct osm_shape *shape)
{
	sv *names = ARENA_ARRAY(d->arena, sv, shape->count);

	for (size_t i = 0; i < shape->count; i++)
		names[i] = shape->fields[i].name;
	sv nearest = diag_nearest(entry->key, names, shape->count);
	struct diag *diag = diag_report(
	    d->sink, d->rules->unknown, origin_position(entry->key_origin),
	    "%.*s has no member \"%.*s\" that %s v1.66.0 knows: it refuses the MachineDeployment",
	    SV_ARG(place_text(d->arena, place)), SV_ARG(entry->key), d->rules->reader);
	if (sv_empty(nearest))
		diag_set_help(d->sink, diag,
		              "remove it, unless your version is newer and knows it");
	else
		diag_set_help(d->sink, diag, "did you mean \"%.*s\"?", SV_ARG(nearest));
}

/* ---- scalars ----------------------------------------------------------------------------- */

/*
 * Returns true for an integer once the manifest is JSON, where 3.0 becomes 3, up to 1e21.
 */
static bool is_whole(const struct value *v, double least, double most)
{
	double number;

	if (v->type == &type_int64)
		number = (double)v->integer;
	else if (v->type == &type_uint64)
		number = (double)v->unsigned_integer;
	else if (v->type == &type_float64)
		number = v->real;
	else
		return false;
	return number >= least && number <= most && floor(number) == number;
}

static bool is_whole_32(const struct value *v)
{
	return is_whole(v, INT32_MIN, INT32_MAX);
}

static bool is_whole_64(const struct value *v)
{
	/* 2^63 - 1 is not a double: 2^63 - 1024 is the largest one below 2^63. */
	if (v->type == &type_float64)
		return is_whole(v, -0x1p63, 0x1p63 - 1024);
	return v->type == &type_int64;
}

static bool is_unsigned_64(const struct value *v)
{
	if (v->type == &type_float64)
		return is_whole(v, 0, 0x1p64 - 2048);
	return v->type == &type_uint64 || (v->type == &type_int64 && v->integer >= 0);
}

static bool is_number(const struct value *v)
{
	return v->type == &type_int64 || v->type == &type_uint64 || v->type == &type_float64;
}

static bool is_time(struct arena *arena, const struct value *v)
{
	struct go_time time;
	sv error;

	return value_is_string(v) && go_time_parse(arena, SV("2006-01-02T15:04:05Z07:00"),
	                                           v->string, false, &time, &error);
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

static bool is_scalar(struct arena *arena, enum osm_field_kind kind, const struct value *v)
{
	switch (kind) {
	case OSM_FIELD_STRING:
		return value_is_string(v);
	case OSM_FIELD_BOOL:
	case OSM_FIELD_VAR_BOOL:
		return v->type == &type_bool;
	case OSM_FIELD_INT32:
		return is_whole_32(v);
	case OSM_FIELD_INT64:
		return is_whole_64(v);
	case OSM_FIELD_UINT64:
		return is_unsigned_64(v);
	case OSM_FIELD_FLOAT:
		return is_number(v);
	case OSM_FIELD_TIME:
		return is_time(arena, v);
	case OSM_FIELD_INT_OR_STRING:
		return value_is_string(v) || is_whole_32(v);
	case OSM_FIELD_VAR_STRING:
		return value_is_string(v) || !has_quotes(v);
	case OSM_FIELD_RAW:
		return true;
	case OSM_FIELD_STRING_LIST:
	case OSM_FIELD_STRING_MAP:
	case OSM_FIELD_STRUCT:
	case OSM_FIELD_STRUCT_LIST:
	case OSM_FIELD_VAR_STRING_LIST:
		return false;
	}
	BUG("no such kind of field");
}

/* ---- the walk ---------------------------------------------------------------------------- */

static void decode(struct decoder *d, const struct osm_place *place, enum osm_field_kind kind,
                   const struct osm_shape *shape, const struct value *v);

static void decode_list(struct decoder *d, const struct osm_place *place, enum osm_field_kind kind,
                        const struct osm_shape *shape, const struct value *list)
{
	for (size_t i = 0; i < value_count(list); i++) {
		struct osm_place inner = {.outer = place, .number = i + 1};

		decode(d, &inner, kind, shape, value_item(list, i));
	}
}

static void decode_map(struct decoder *d, const struct osm_place *place, const struct value *map)
{
	for (size_t i = 0; i < value_count(map); i++) {
		const struct value_entry *entry = &map->map->entries[i];
		struct osm_place inner = {.outer = place, .name = entry->key};

		decode(d, &inner, OSM_FIELD_STRING, NULL, &entry->value);
	}
}

static const struct osm_field *find_field(const struct osm_shape *shape, sv key, bool is_exact)
{
	for (size_t i = 0; i < shape->count; i++) {
		const struct osm_field *field = &shape->fields[i];

		if (is_exact ? sv_eq(key, field->name) : go_json_key_is(key, field->name))
			return field;
	}
	return NULL;
}

static bool is_at(const struct osm_place *place, sv path)
{
	for (; place && !sv_empty(place->name); place = place->outer) {
		if (!sv_ends_with(path, place->name))
			return false;
		path = sv_slice(path, 0, path.len - place->name.len);
		if (sv_ends_with(path, SV(".")))
			path.len--;
	}
	/* An item of a list has a number instead of a name. */
	return path.len == 0 && (!place || place->number == 0);
}

static bool is_elsewhere(const struct decoder *d, const struct osm_place *place)
{
	for (const char *const *path = d->rules->elsewhere; path && *path; path++)
		if (is_at(place, sv_from_cstr(*path)))
			return true;
	return false;
}

static void decode_struct(struct decoder *d, const struct osm_place *place,
                          const struct osm_shape *shape, const struct value *map)
{
	for (size_t i = 0; i < value_count(map); i++) {
		const struct value_entry *entry = &map->map->entries[i];
		const struct osm_field *field = find_field(shape, entry->key, d->rules->is_exact);
		struct osm_place inner = {.outer = place, .name = entry->key};

		if (field && !is_elsewhere(d, &inner))
			decode(d, &inner, field->kind, field->shape, &entry->value);
		else if (!field && d->is_strict)
			report_unknown(d, place, entry, shape);
	}
}

static void decode_variable(struct decoder *d, const struct osm_place *place,
                            const struct osm_shape *shape, const struct value *map)
{
	bool was_strict = d->is_strict;

	d->is_strict = false;
	decode_struct(d, place, shape, map);
	d->is_strict = was_strict;
}

static void decode(struct decoder *d, const struct osm_place *place, enum osm_field_kind kind,
                   const struct osm_shape *shape, const struct value *v)
{
	if (value_is_null(v))
		return;
	if (kind == OSM_FIELD_STRUCT && value_is_map(v))
		decode_struct(d, place, shape, v);
	else if (kind == OSM_FIELD_VAR_STRING && value_is_map(v))
		decode_variable(d, place, osm_var_string_shape, v);
	else if (kind == OSM_FIELD_VAR_BOOL && value_is_map(v))
		decode_variable(d, place, osm_var_bool_shape, v);
	else if (kind == OSM_FIELD_STRING_MAP && value_is_map(v))
		decode_map(d, place, v);
	else if (kind == OSM_FIELD_STRING_LIST && value_is_list(v))
		decode_list(d, place, OSM_FIELD_STRING, NULL, v);
	else if (kind == OSM_FIELD_STRUCT_LIST && value_is_list(v))
		decode_list(d, place, OSM_FIELD_STRUCT, shape, v);
	else if (kind == OSM_FIELD_VAR_STRING_LIST && value_is_list(v))
		decode_list(d, place, OSM_FIELD_VAR_STRING, NULL, v);
	else if (!is_scalar(d->arena, kind, v))
		report_type(d, place, v, kind);
}

enum status osm_decode(struct arena *arena, struct sink *sink,
                       const struct osm_decoding_rules *rules, const struct osm_shape *shape,
                       const struct osm_place *place, const struct value *given)
{
	struct decoder d = {
	    .arena = arena,
	    .sink = sink,
	    .rules = rules,
	    .is_strict = rules->unknown != 0,
	};

	decode(&d, place, OSM_FIELD_STRUCT, shape, given);
	return d.failed ? STATUS_FAILED : STATUS_OK;
}
