/*
 * Checks the members of a map against fields.c, as Go's strict decoders do.
 */
#include "osm/kubeone/internal.h"

#include "codec/codec.h"
#include "golang/golang.h"
#include "secrecy/secrecy.h"

/* A place in the document, for messages. */
struct place {
	const struct place *parent;
	sv name; /* of a member; if empty, the place is an item of a list */
	size_t index;
};

static void add_place(struct buf *buf, const struct place *place)
{
	if (!place)
		return;
	add_place(buf, place->parent);
	if (sv_empty(place->name))
		buf_printf(buf, "[%zu]", place->index);
	else
		buf_printf(buf, "%s%.*s", buf->len > 0 ? "." : "", SV_ARG(place->name));
}

static void report(const struct kubeone_decoder *d, struct position at, const struct place *place,
                   const char *problem, const char *help)
{
	struct buf path = buf_in(d->arena);

	add_place(&path, place);
	struct diag *diag = diag_report(d->sink, d->code, at, "%.*s of %s %s",
	                                SV_ARG(buf_sv(&path)), d->what, problem);
	if (sv_empty(d->help))
		diag_set_help(d->sink, diag, "%s", help);
	else
		diag_set_help(d->sink, diag, "%s\n%.*s", help, SV_ARG(d->help));
}

/* ---- members ------------------------------------------------------------------------------- */

static bool is_of_version(const struct kubeone_decoder *d, const struct kubeone_field *field)
{
	unsigned not_this = d->is_v1beta3 ? KUBEONE_V1BETA2 : KUBEONE_V1BETA3;

	return !(field->flags & not_this);
}

static const struct kubeone_field *find_field(const struct kubeone_decoder *d, enum kubeone_map map,
                                              sv key)
{
	for (size_t i = 0; i < kubeone_field_count; i++) {
		const struct kubeone_field *field = &kubeone_fields[i];

		if (field->map == map && is_of_version(d, field) &&
		    (sv_eq_cstr(key, field->name) ||
		     (d->folds_case && go_json_key_is(key, sv_from_cstr(field->name)))))
			return field;
	}
	return NULL;
}

static void report_unknown(const struct kubeone_decoder *d, enum kubeone_map map,
                           const struct value_entry *entry, const struct place *place)
{
	VEC(sv) names = {0};
	const char *help = "correct the name, or remove the member";
	sv nearest;

	for (size_t i = 0; i < kubeone_field_count; i++)
		if (kubeone_fields[i].map == map && is_of_version(d, &kubeone_fields[i]))
			VEC_PUSH(d->arena, &names, sv_from_cstr(kubeone_fields[i].name));
	nearest = diag_nearest(entry->key, names.items, names.count);
	for (size_t i = 0; i < names.count; i++)
		if (sv_eq_fold_ascii(names.items[i], entry->key))
			nearest = names.items[i];
	if (!sv_empty(nearest))
		help = arena_cstr(d->arena,
		                  arena_printf(d->arena, "did you mean %.*s?", SV_ARG(nearest)));
	report(d, origin_position(entry->key_origin), place, "does not exist", help);
}

/* ---- values -------------------------------------------------------------------------------- */

static const char *problem_of_integer(const struct value *v, enum kubeone_type type)
{
	bool is_unsigned = value_is(v, KIND_UINT64);

	if (!is_unsigned && !value_is(v, KIND_INT64) && !value_is(v, KIND_INT))
		return "must be a whole number";
	if (type == KUBEONE_UINT)
		return is_unsigned || v->integer >= 0 ? NULL : "must not be negative";
	if (is_unsigned)
		return "is too large";
	if (type == KUBEONE_INT32 && (v->integer > INT32_MAX || v->integer < INT32_MIN))
		return "is too large";
	return NULL;
}

static const char *problem_of_text(struct arena *arena, const struct value *v,
                                   enum kubeone_type type)
{
	int64_t nanoseconds;
	size_t error_at;
	sv bytes;
	sv error;

	if (!value_is_string(v))
		return "must be a string";
	if (secrecy_is_absent(v))
		return NULL;
	if (type == KUBEONE_DURATION && !go_duration_parse(arena, v->string, &nanoseconds, &error))
		return "must be a duration, such as 10m or 1h30m";
	if (type == KUBEONE_BYTES &&
	    !base64_decode(arena, BASE64_STD, v->string, &bytes, &error_at))
		return "must be base64";
	return NULL;
}

/* Returns the problem of a value that is not null, or null if its type is right. */
static const char *problem_of_scalar(struct arena *arena, const struct value *v,
                                     enum kubeone_type type)
{
	switch (type) {
	case KUBEONE_TEXT:
	case KUBEONE_DURATION:
	case KUBEONE_BYTES:
		return problem_of_text(arena, v, type);
	case KUBEONE_BOOL:
		return value_is(v, KIND_BOOL) ? NULL : "must be true or false";
	case KUBEONE_INT:
	case KUBEONE_INT32:
	case KUBEONE_UINT:
		return problem_of_integer(v, type);
	case KUBEONE_FLOAT:
		return value_is(v, KIND_FLOAT64) || !problem_of_integer(v, KUBEONE_INT)
		           ? NULL
		           : "must be a number";
	case KUBEONE_TEXTS:
	case KUBEONE_TEXT_LISTS:
	case KUBEONE_BYTES_LIST:
	case KUBEONE_MAP_LIST:
		return value_is_list(v) ? NULL : "must be a list";
	case KUBEONE_TEXT_MAP:
	case KUBEONE_BOOL_MAP:
	case KUBEONE_MAP:
	case KUBEONE_MAP_MAP:
		return value_is_map(v) ? NULL : "must be a map";
	case KUBEONE_ANY:
		return NULL;
	}
	BUG("a type of fields.c");
}

static const char *help_of(const struct kubeone_decoder *d, const struct value *v,
                           const char *problem)
{
	if (!d->folds_case && strcmp(problem, "must be a string") == 0 && !value_is_map(v) &&
	    !value_is_list(v))
		return "put it in quotes: YAML reads 1.35, n, no, on and the like as numbers and "
		       "booleans";
	return "correct the value";
}

/* Returns the type of the items of a list or map. */
static enum kubeone_type item_type(enum kubeone_type type)
{
	switch (type) {
	case KUBEONE_TEXTS:
	case KUBEONE_TEXT_MAP:
		return KUBEONE_TEXT;
	case KUBEONE_TEXT_LISTS:
		return KUBEONE_TEXTS;
	case KUBEONE_BYTES_LIST:
		return KUBEONE_BYTES;
	case KUBEONE_BOOL_MAP:
		return KUBEONE_BOOL;
	case KUBEONE_MAP_LIST:
	case KUBEONE_MAP_MAP:
		return KUBEONE_MAP;
	case KUBEONE_TEXT:
	case KUBEONE_BOOL:
	case KUBEONE_INT:
	case KUBEONE_INT32:
	case KUBEONE_UINT:
	case KUBEONE_FLOAT:
	case KUBEONE_DURATION:
	case KUBEONE_BYTES:
	case KUBEONE_ANY:
	case KUBEONE_MAP:
		break;
	}
	BUG("a type without items");
}

/* Returns Go's zero value, for null as an item. */
static struct value zero_of(struct arena *arena, enum kubeone_type type, struct origin origin)
{
	struct value zero = value_null();

	if (type == KUBEONE_MAP)
		zero = value_map_new(arena);
	else if (type == KUBEONE_TEXTS)
		zero = value_list_new(arena);
	else if (type == KUBEONE_BOOL)
		zero = value_bool(false);
	else if (type == KUBEONE_TEXT || type == KUBEONE_BYTES)
		zero = value_string(SV(""));
	zero.origin = origin;
	return zero;
}

static bool decode_value(const struct kubeone_decoder *d, const struct place *place,
                         const struct kubeone_field *field, const struct value *v,
                         struct value *ret_value);

/* CIRCLE: decode_members, maps in maps, as deep as fields.c nests them. */
static struct value decode_members(const struct kubeone_decoder *d, const struct place *parent,
                                   enum kubeone_map map, const struct value *v)
{
	struct value decoded = value_map_new(d->arena);
	size_t count = value_count(v);
	const struct value_entry **entries =
	    ARENA_ARRAY(d->arena, const struct value_entry *, count);

	decoded.origin = v->origin;
	for (size_t i = 0; i < count; i++)
		entries[i] = &v->map->entries[i];
	/* KubeOne wrote the JSON anew, sorted, before its keys were compared: the last one wins. */
	if (d->folds_case)
		SORT_POINTERS_BY(entries, count, key);
	for (size_t i = 0; i < count; i++) {
		const struct place place = {parent, entries[i]->key, 0};
		const struct kubeone_field *field = find_field(d, map, entries[i]->key);
		struct value member;

		if (!field) {
			if (!d->drops_unknown)
				report_unknown(d, map, entries[i], &place);
			continue;
		}
		if (value_is_null(&entries[i]->value) && field->type != KUBEONE_ANY)
			continue;
		if (decode_value(d, &place, field, &entries[i]->value, &member))
			value_map_set_at(d->arena, &decoded, sv_from_cstr(field->name),
			                 entries[i]->key_origin, member);
	}
	return decoded;
}

static bool decode_item(const struct kubeone_decoder *d, const struct place *place,
                        const struct kubeone_field *field, const struct value *v,
                        struct value *ret_value)
{
	const struct kubeone_field item = {.map = field->map,
	                                   .name = field->name,
	                                   .type = item_type(field->type),
	                                   .of = field->of};

	if (value_is_null(v)) {
		*ret_value = zero_of(d->arena, item.type, v->origin);
		return true;
	}
	return decode_value(d, place, &item, v, ret_value);
}

/* Returns false if the value itself is wrong. Wrong items are reported and left out. */
static bool decode_value(const struct kubeone_decoder *d, const struct place *place,
                         const struct kubeone_field *field, const struct value *v,
                         struct value *ret_value)
{
	const char *problem = problem_of_scalar(d->arena, v, field->type);
	struct value item;

	if (problem) {
		report(d, value_position(v), place, problem, help_of(d, v, problem));
		return false;
	}
	*ret_value = *v;
	if (field->type == KUBEONE_ANY)
		return true;
	if (field->type == KUBEONE_MAP) {
		*ret_value = decode_members(d, place, field->of, v);
	} else if (value_is_list(v)) {
		*ret_value = value_list_new(d->arena);
		for (size_t i = 0; i < value_count(v); i++) {
			const struct place at = {place, SV(""), i};

			if (decode_item(d, &at, field, value_item(v, i), &item))
				value_list_add(d->arena, ret_value, item);
		}
	} else if (value_is_map(v)) {
		*ret_value = value_map_new(d->arena);
		for (size_t i = 0; i < value_count(v); i++) {
			const struct value_entry *entry = &v->map->entries[i];
			const struct place at = {place, entry->key, 0};

			if (decode_item(d, &at, field, &entry->value, &item))
				value_map_set_at(d->arena, ret_value, entry->key, entry->key_origin,
				                 item);
		}
	}
	ret_value->origin = v->origin;
	return true;
}

struct value kubeone_decode(const struct kubeone_decoder *decoder, enum kubeone_map map,
                            const struct value *v, sv path)
{
	const struct place place = {NULL, path, 0};

	return decode_members(decoder, sv_empty(path) ? NULL : &place, map, v);
}
