/*
 * Reads maps by tables of their members: one walk, which reports to its owner what is wrong
 * and may build what is right.
 */
#include "shape/shape.h"

#include <math.h>

#include "codec/codec.h"
#include "golang/golang.h"

/* ---- places -------------------------------------------------------------------------------- */

static void add_place(struct buf *buf, const struct shape_place *place)
{
	if (!place)
		return;
	add_place(buf, place->outer);
	if (place->is_item)
		buf_printf(buf, "[%zu]", place->index);
	else
		buf_printf(buf, "%s%.*s", buf->len > 0 ? "." : "", SV_ARG(place->name));
}

sv shape_place_text(struct arena *arena, const struct shape_place *place)
{
	struct buf buf = buf_in(arena);

	add_place(&buf, place);
	return buf_sv(&buf);
}

/* ---- asking a table ------------------------------------------------------------------------ */

/* Compares the first bytes first, since most names differ there. */
static bool is_name(const char *name, sv key)
{
	return key.len > 0 && name[0] == key.ptr[0] && sv_eq_cstr(key, name);
}

static const struct shape_member *find_member(const struct shape *shape, sv key, bool folds_case,
                                              unsigned absent)
{
	for (size_t i = 0; i < shape->count; i++) {
		const struct shape_member *member = &shape->members[i];

		if (!(member->flags & absent) && is_name(member->name, key))
			return member;
	}
	for (size_t i = 0; folds_case && i < shape->count; i++) {
		const struct shape_member *member = &shape->members[i];

		if (!(member->flags & absent) && go_json_key_is(key, sv_from_cstr(member->name)))
			return member;
	}
	return NULL;
}

const struct shape_member *shape_find(const struct shape *shape, sv name, unsigned absent)
{
	return find_member(shape, name, false, absent);
}

struct diag_names shape_names(struct arena *arena, const struct shape *shape, unsigned absent)
{
	sv *names = ARENA_ARRAY(arena, sv, shape->count);
	size_t count = 0;

	for (size_t i = 0; i < shape->count; i++)
		if (!(shape->members[i].flags & absent))
			names[count++] = sv_from_cstr(shape->members[i].name);
	return (struct diag_names){names, count};
}

sv shape_nearest(struct arena *arena, const struct shape *shape, sv name, unsigned absent)
{
	const struct diag_names names = shape_names(arena, shape, absent);

	return diag_nearest(name, names.items, names.count);
}

void shape_add_choice(struct buf *choices, sv choice)
{
	if (choices->len > 0)
		buf_add_char(choices, '|');
	buf_add(choices, choice);
}

sv shape_choices(struct arena *arena, const struct shape_member *member)
{
	if (member->choices_of)
		return member->choices_of(arena);
	return member->choices ? sv_from_cstr(member->choices) : SV("");
}

/* The words for one value of a type, and for a list of such values. */
static const struct {
	const char *one;
	const char *many;
} type_words[SHAPE_TYPES] = {
    [SHAPE_TEXT] = {"a string", "strings"},
    [SHAPE_SCALAR] = {"a string", "strings"},
    [SHAPE_BOOL] = {"true or false", "booleans"},
    [SHAPE_INT] = {"a whole number", "whole numbers"},
    [SHAPE_INT32] = {"a whole number of 32 bits", "whole numbers"},
    [SHAPE_UINT] = {"a whole number, not negative", "whole numbers"},
    [SHAPE_FLOAT] = {"a number", "numbers"},
    [SHAPE_TIME] = {"a time as RFC 3339 has it", "times"},
    [SHAPE_DURATION] = {"a duration, such as 10m or 1h30m", "durations"},
    [SHAPE_BASE64] = {"base64", "base64 strings"},
    [SHAPE_INT_OR_TEXT] = {"a whole number or a percentage", "numbers or percentages"},
    [SHAPE_INT64_OR_TEXT] = {"a number or a string", "numbers or strings"},
    [SHAPE_MAP] = {"a map", "maps"},
    [SHAPE_ANY] = {"a value", "values"},
};

sv shape_wanted(struct arena *arena, const struct shape_member *member, bool is_item)
{
	const char *many = type_words[member->type].many;

	if (member->form == SHAPE_LISTS)
		return is_item ? arena_printf(arena, "a list of %s", many)
		               : arena_printf(arena, "a list of lists of %s", many);
	if (member->form == SHAPE_DICTS)
		return is_item ? arena_printf(arena, "a map of %s", many)
		               : arena_printf(arena, "a map of maps of %s", many);
	if (member->form == SHAPE_DICT_LISTS)
		return is_item ? arena_printf(arena, "a list of %s", many)
		               : arena_printf(arena, "a map of lists of %s", many);
	if (member->form == SHAPE_ONE || is_item)
		return sv_from_cstr(type_words[member->type].one);
	return arena_printf(arena, "a %s of %s", member->form == SHAPE_LIST ? "list" : "map", many);
}

/* ---- scalars ------------------------------------------------------------------------------- */

static bool is_integer(const struct value *v)
{
	return value_is(v, KIND_INT64) || value_is(v, KIND_INT) || value_is(v, KIND_UINT64);
}

/*
 * Stores the value of a whole number of a document, which is an integer, or a float without a
 * fraction if the reader takes those. Returns false for anything else.
 */
static bool whole_number(const struct shape_reader *r, const struct value *v, double *ret_number)
{
	if (value_is(v, KIND_UINT64))
		*ret_number = (double)v->unsigned_integer;
	else if (is_integer(v))
		*ret_number = (double)v->integer;
	else if (value_is(v, KIND_FLOAT64) && r->options & SHAPE_WHOLE_FLOATS &&
	         floor(v->real) == v->real)
		*ret_number = v->real;
	else
		return false;
	return true;
}

/* Sets *ret_kind to what is wrong with a number, and returns false; true if nothing is. */
static bool check_number(const struct shape_reader *r, enum shape_type type, const struct value *v,
                         enum shape_problem_kind *ret_kind)
{
	bool is_float = value_is(v, KIND_FLOAT64);
	double number;

	*ret_kind = SHAPE_WRONG_TYPE;
	if (!whole_number(r, v, &number))
		return false;
	if (type == SHAPE_UINT) {
		*ret_kind = number < 0 ? SHAPE_NEGATIVE : SHAPE_TOO_LARGE;
		/* The largest double below 2^64. */
		return number >= 0 && (!is_float || number <= 0x1p64 - 2048);
	}
	*ret_kind = SHAPE_TOO_LARGE;
	if (type == SHAPE_INT32)
		return number >= INT32_MIN && number <= INT32_MAX;
	if (is_float)
		return number >= -0x1p63 && number <= 0x1p63 - 1024;
	return !value_is(v, KIND_UINT64);
}

static bool has_text_form(struct arena *arena, enum shape_type type, sv text)
{
	struct go_time time;
	int64_t nanoseconds;
	size_t error_at;
	sv bytes;
	sv error;

	switch (type) {
	case SHAPE_TIME:
		return go_time_parse(arena, SV("2006-01-02T15:04:05Z07:00"), text, false, &time,
		                     &error);
	case SHAPE_DURATION:
		return go_duration_parse(arena, text, &nanoseconds, &error);
	case SHAPE_BASE64:
		return base64_decode(arena, BASE64_STD, text, &bytes, &error_at);
	default:
		return true;
	}
}

static bool is_choice(sv choices, sv text)
{
	struct sv_splitter it = sv_split(choices, '|');
	sv word;

	while (sv_split_next(&it, &word))
		if (sv_eq(word, text))
			return true;
	return sv_empty(choices);
}

static bool is_in_bounds(const struct shape_reader *r, const struct shape_member *member,
                         const struct value *v)
{
	double number;

	return (member->least == 0 && member->most == 0) || r->options & SHAPE_TYPES_ALONE ||
	       !whole_number(r, v, &number) ||
	       (number >= (double)member->least && number <= (double)member->most);
}

/* Returns a string, or the digits of a whole number. */
static sv text_of_either(const struct shape_reader *r, const struct value *v)
{
	double number;

	return whole_number(r, v, &number) ? arena_printf(r->arena, "%.0f", number) : v->string;
}

/* Sets *ret_kind to what is wrong with a scalar, and returns false; true if nothing is. */
static bool check_scalar(const struct shape_reader *r, const struct shape_member *member,
                         const struct value *v, enum shape_problem_kind *ret_kind)
{
	*ret_kind = SHAPE_WRONG_TYPE;
	switch (member->type) {
	case SHAPE_BOOL:
		return value_is(v, KIND_BOOL);
	case SHAPE_INT:
	case SHAPE_INT32:
	case SHAPE_UINT:
		if (!check_number(r, member->type, v, ret_kind))
			return false;
		*ret_kind = SHAPE_NO_MATCH;
		return is_in_bounds(r, member, v);
	case SHAPE_FLOAT:
		return is_integer(v) || value_is(v, KIND_FLOAT64);
	case SHAPE_SCALAR:
		return !value_is_map(v) && !value_is_list(v);
	case SHAPE_INT_OR_TEXT:
		if (!value_is_string(v) && !check_number(r, SHAPE_INT32, v, ret_kind))
			return false;
		*ret_kind = SHAPE_NO_MATCH;
		if (!is_in_bounds(r, member, v))
			return false;
		*ret_kind = SHAPE_NO_CHOICE;
		return is_choice(shape_choices(r->arena, member), text_of_either(r, v));
	case SHAPE_INT64_OR_TEXT:
		return value_is_string(v) || check_number(r, SHAPE_INT, v, ret_kind);
	case SHAPE_TEXT:
	case SHAPE_TIME:
	case SHAPE_DURATION:
	case SHAPE_BASE64:
		if (!value_is_string(v))
			return false;
		if (r->is_unknown && r->is_unknown(v))
			return true;
		if (!has_text_form(r->arena, member->type, v->string))
			return false;
		*ret_kind = SHAPE_NO_CHOICE;
		return r->options & (SHAPE_TYPES_ALONE | SHAPE_OUTLINE) ||
		       is_choice(shape_choices(r->arena, member), v->string);
	case SHAPE_MAP:
		return value_is_map(v);
	case SHAPE_ANY:
		return true;
	}
	BUG("type of a member");
}

/* Returns Go's zero value, which a null item of a list becomes. */
static struct value zero_of(struct arena *arena, const struct shape_member *member,
                            enum shape_form form, struct origin origin)
{
	struct value zero = value_null();

	if (form != SHAPE_ONE)
		zero = value_list_new(arena);
	else if (member->type == SHAPE_MAP || member->form == SHAPE_DICTS)
		zero = value_map_new(arena);
	else if (member->type == SHAPE_BOOL)
		zero = value_bool(false);
	else if (member->type == SHAPE_TEXT || member->type == SHAPE_SCALAR ||
	         member->type == SHAPE_BASE64)
		zero = value_string(SV(""));
	zero.origin = origin;
	return zero;
}

/* ---- the walk ------------------------------------------------------------------------------ */

static void report(struct shape_reader *r, struct shape_problem problem)
{
	r->problems++;
	if (r->report)
		r->report(r, &problem);
}

/* A value that is being read, with what the walk knows of it. */
struct reading {
	const struct shape *shape; /* of the map around it */
	const struct shape_member *member;
	enum shape_form form; /* of this value: an item of a list has the form of an item */
	bool is_item;
};

static bool read_value(struct shape_reader *r, const struct shape_place *place,
                       const struct reading *reading, const struct value *v,
                       struct value *ret_value);

static void read_map(struct shape_reader *r, const struct shape *shape,
                     const struct shape_place *place, const struct value *map,
                     struct value *ret_map);

static void report_value(struct shape_reader *r, enum shape_problem_kind kind,
                         const struct shape_place *place, const struct reading *reading,
                         const struct value *v)
{
	report(r, (struct shape_problem){.kind = kind,
	                                 .place = place,
	                                 .shape = reading->shape,
	                                 .member = reading->member,
	                                 .is_item = reading->is_item,
	                                 .form = reading->form,
	                                 .value = v});
}

/* Returns true for a map with any keys. */
static bool is_of_keys(enum shape_form form)
{
	return form == SHAPE_DICT || form == SHAPE_DICTS || form == SHAPE_DICT_LISTS;
}

static enum shape_form item_form(enum shape_form form)
{
	if (form == SHAPE_LISTS || form == SHAPE_DICT_LISTS)
		return SHAPE_LIST;
	return form == SHAPE_DICTS ? SHAPE_DICT : SHAPE_ONE;
}

/*
 * Reads the items of a list, or the values of a map with any keys. Here and below nothing is built
 * if the place for the result is null.
 */
static void read_items(struct shape_reader *r, const struct shape_place *place,
                       const struct reading *reading, const struct value *v,
                       struct value *ret_value)
{
	const struct reading inner = {
	    .shape = reading->shape,
	    .member = reading->member,
	    .form = item_form(reading->form),
	    .is_item = true,
	};
	bool is_map = value_is_map(v);

	if (ret_value)
		*ret_value = is_map ? value_map_new(r->arena) : value_list_new(r->arena);
	for (size_t i = 0; i < value_count(v); i++) {
		const struct value_entry *entry = is_map ? &v->map->entries[i] : NULL;
		const struct value *item = is_map ? &entry->value : value_item(v, i);
		const struct shape_place at = {.outer = place,
		                               .name = is_map ? entry->key : SV(""),
		                               .index = i,
		                               .is_item = !is_map};
		struct value taken;

		if (value_is_null(item) && is_map && r->options & SHAPE_PRUNES_NULLS)
			continue;
		if (value_is_null(item) &&
		    !(r->options & (SHAPE_PRUNES_NULLS | SHAPE_REFUSES_NULLS)))
			taken = zero_of(r->arena, reading->member, inner.form, item->origin);
		else if (!read_value(r, &at, &inner, item, ret_value ? &taken : NULL))
			continue;
		if (!ret_value)
			continue;
		if (is_map)
			value_map_set_at(r->arena, ret_value, entry->key, entry->key_origin, taken);
		else
			value_list_add(r->arena, ret_value, taken);
	}
}

/* CIRCLE: read_map, read_value, read_items: maps in maps, as deep as the tables nest them. */
static bool read_value(struct shape_reader *r, const struct shape_place *place,
                       const struct reading *reading, const struct value *v,
                       struct value *ret_value)
{
	const struct shape_member *member = reading->member;
	bool is_empty = member->flags & (SHAPE_FILLED | SHAPE_NOT_EMPTY) && !reading->is_item &&
	                (value_is_string(v) ? sv_empty(v->string)
	                                    : reading->form != SHAPE_ONE && value_count(v) == 0);
	enum shape_problem_kind kind;

	if (ret_value)
		*ret_value = *v;
	if (r->skips && r->skips(r, place, v))
		return true;
	if (reading->form != SHAPE_ONE) {
		bool is_dict = is_of_keys(reading->form);

		if (is_dict ? !value_is_map(v) : !value_is_list(v)) {
			report_value(r, SHAPE_WRONG_TYPE, place, reading, v);
			return false;
		}
		if (!(r->options & SHAPE_OUTLINE))
			read_items(r, place, reading, v, ret_value);
	} else if (value_is_map(v) && member->of) {
		read_map(r, member->of, place, v, ret_value);
	} else if (!check_scalar(r, member, v, &kind) && !(is_empty && kind == SHAPE_NO_CHOICE)) {
		report_value(r, kind, place, reading, v);
		return false;
	}
	if (ret_value)
		ret_value->origin = v->origin;
	if (is_empty && !(r->options & SHAPE_TYPES_ALONE))
		report_value(r, SHAPE_EMPTY, place, reading, v);
	return true;
}

static void report_unknown(struct shape_reader *r, const struct shape *shape,
                           const struct shape_place *outer, const struct value_entry *entry)
{
	const struct shape_member *other;

	if (shape->is_open)
		return;
	other = find_member(shape, entry->key, r->options & SHAPE_FOLDS_CASE, 0);
	report(r, (struct shape_problem){
	              .kind = other ? SHAPE_ELSEWHERE : SHAPE_UNKNOWN,
	              .place = outer,
	              .shape = shape,
	              .member = other,
	              .value = &entry->value,
	              .entry = entry,
	          });
}

static void report_missing(struct shape_reader *r, const struct shape *shape,
                           const struct shape_place *outer, const struct shape_member *member,
                           const struct value *map)
{
	const struct shape_place place = {.outer = outer, .name = sv_from_cstr(member->name)};

	report(r, (struct shape_problem){.kind = SHAPE_MISSING,
	                                 .place = &place,
	                                 .shape = shape,
	                                 .member = member,
	                                 .value = map});
}

static void read_entry(struct shape_reader *r, const struct shape *shape,
                       const struct shape_place *outer, const struct shape_member *member,
                       const struct value_entry *entry, struct value *ret_map)
{
	const struct shape_place place = {.outer = outer, .name = entry->key};
	const struct reading reading = {shape, member, member->form, false};
	struct value taken;

	if (value_is_null(&entry->value) && member->type != SHAPE_ANY)
		return;
	if (read_value(r, &place, &reading, &entry->value, ret_map ? &taken : NULL) && ret_map)
		value_map_set_at(r->arena, ret_map,
		                 member == shape->others ? entry->key : sv_from_cstr(member->name),
		                 entry->key_origin, taken);
}

static bool is_required(const struct shape_reader *r, const struct shape_member *member)
{
	return member->flags & (SHAPE_REQUIRED | SHAPE_FILLED) && !(member->flags & r->absent) &&
	       !(r->options & SHAPE_TYPES_ALONE);
}

static void read_map_in_order(struct shape_reader *r, const struct shape *shape,
                              const struct shape_place *place, const struct value *map,
                              struct value *ret_map)
{
	const struct value_entry **entries =
	    ARENA_ARRAY(r->arena, const struct value_entry *, shape->count);

	for (size_t i = 0; i < value_count(map); i++) {
		const struct value_entry *entry = &map->map->entries[i];
		const struct shape_member *member = shape_find(shape, entry->key, r->absent);

		if (member)
			entries[member - shape->members] = entry;
		else if (shape->others)
			read_entry(r, shape, place, shape->others, entry, ret_map);
		else
			report_unknown(r, shape, place, entry);
	}
	for (size_t i = 0; i < shape->count; i++) {
		const struct shape_member *member = &shape->members[i];

		if (entries[i])
			read_entry(r, shape, place, member, entries[i], ret_map);
		if (is_required(r, member) && (!entries[i] || value_is_null(&entries[i]->value)))
			report_missing(r, shape, place, member, map);
	}
}

static void read_map(struct shape_reader *r, const struct shape *shape,
                     const struct shape_place *place, const struct value *map,
                     struct value *ret_map)
{
	size_t count = value_count(map);
	const struct value_entry **sorted = NULL;

	/* The last one of keys that differ in case alone wins, in the order of JSON. */
	if (ret_map && r->options & SHAPE_FOLDS_CASE) {
		sorted = ARENA_ARRAY(r->arena, const struct value_entry *, count);
		for (size_t i = 0; i < count; i++)
			sorted[i] = &map->map->entries[i];
		SORT_POINTERS_BY(sorted, count, key);
	}
	if (ret_map)
		*ret_map = value_map_new(r->arena);
	if (r->options & SHAPE_TABLE_ORDER) {
		read_map_in_order(r, shape, place, map, ret_map);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		const struct value_entry *entry = sorted ? sorted[i] : &map->map->entries[i];
		const struct shape_member *member =
		    find_member(shape, entry->key, r->options & SHAPE_FOLDS_CASE, r->absent);

		if (member || shape->others)
			read_entry(r, shape, place, member ? member : shape->others, entry,
			           ret_map);
		else
			report_unknown(r, shape, place, entry);
	}
	for (size_t i = 0; i < shape->count; i++) {
		const struct shape_member *member = &shape->members[i];

		if (is_required(r, member) &&
		    value_is_null(value_map_get(map, sv_from_cstr(member->name))))
			report_missing(r, shape, place, member, map);
	}
}

static bool read_whole(struct shape_reader *r, const struct shape *shape,
                       const struct shape_place *place, const struct value *map,
                       struct value *ret_value)
{
	const struct shape_member whole = {.name = shape->name, .type = SHAPE_MAP, .of = shape};
	const struct reading reading = {.shape = shape, .member = &whole, .form = SHAPE_ONE};

	return !value_is_null(map) && read_value(r, place, &reading, map, ret_value);
}

struct value shape_take(struct shape_reader *r, const struct shape *shape,
                        const struct shape_place *place, const struct value *map)
{
	struct value taken;

	return read_whole(r, shape, place, map, &taken) ? taken : value_map_new(r->arena);
}

enum status shape_check(struct shape_reader *r, const struct shape *shape,
                        const struct shape_place *place, const struct value *map)
{
	size_t before = r->problems;

	(void)read_whole(r, shape, place, map, NULL);
	return r->problems == before ? STATUS_OK : STATUS_FAILED;
}
