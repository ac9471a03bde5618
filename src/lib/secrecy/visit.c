/* Walks over values, and answers the most frequent questions with that walk. */
#include "secrecy/secrecy.h"

/* ---- looking ----------------------------------------------------------------------------- */

struct visit {
	secrecy_visitor *visitor;
	void *context;
};

static bool visit_value(const struct visit *visit, const struct secrecy_place *parent,
                        const struct value *v, const struct value_entry *entry);

static bool visit_members(const struct visit *visit, const struct secrecy_place *place)
{
	const struct value *v = place->value;
	size_t count = value_count(v);

	if (value_is_list(v)) {
		for (size_t i = 0; i < count; i++)
			if (!visit_value(visit, place, value_item(v, i), NULL))
				return false;
	} else if (value_is_map(v)) {
		for (size_t i = 0; i < count; i++) {
			const struct value_entry *entry = &v->map->entries[i];

			if (!visit_value(visit, place, &entry->value, entry))
				return false;
		}
	} else if (value_is(v, KIND_STRUCT) && v->type->fields && v->fields) {
		for (size_t i = 0; i < v->type->field_count; i++)
			if (!visit_value(visit, place, &v->fields[i], NULL))
				return false;
	} else if (value_is(v, KIND_POINTER)) {
		return visit_value(visit, place, v->target, NULL);
	}
	return true;
}

static struct secrecy_place place_below(const struct secrecy_place *parent, const struct value *v,
                                        const struct value_entry *entry)
{
	return (struct secrecy_place){
	    .parent = parent,
	    .value = v,
	    .entry = entry,
	    .depth = parent ? parent->depth + 1 : 0,
	    .marked = parent && parent->marked,
	};
}

static bool visit_value(const struct visit *visit, const struct secrecy_place *parent,
                        const struct value *v, const struct value_entry *entry)
{
	struct secrecy_place place = place_below(parent, v, entry);

	if (!v || !v->type || place.depth > SECRECY_MAX_DEPTH)
		return true;
	switch (visit->visitor(visit->context, &place)) {
	case SECRECY_INTO:
		return visit_members(visit, &place);
	case SECRECY_OVER:
		return true;
	case SECRECY_END:
		return false;
	case SECRECY_OMIT:
		break;
	}
	BUG("nothing can be left out of a value that is only looked at");
}

bool secrecy_visit(const struct value *v, secrecy_visitor *visitor, void *context)
{
	struct visit visit = {visitor, context};

	return visit_value(&visit, NULL, v, NULL);
}

/* ---- secrets ----------------------------------------------------------------------------- */

struct each {
	secrecy_found *found;
	void *context;
};

static enum secrecy_step find_in(void *context, struct secrecy_place *place)
{
	const struct each *each = context;
	const struct value *v = place->value;

	if (taint_derived_from(v->taint) && !each->found(each->context, place, v->taint->derived))
		return SECRECY_END;
	for (size_t i = 0; v->taint && i < v->taint->count; i++)
		if (!each->found(each->context, place, v->taint->spans[i].secret))
			return SECRECY_END;
	if (value_is_map(v) && v->map && v->map->key_secret &&
	    !each->found(each->context, place, v->map->key_secret))
		return SECRECY_END;
	return SECRECY_INTO;
}

void secrecy_each(const struct value *v, secrecy_found *found, void *context)
{
	struct each each = {found, context};

	secrecy_visit(v, find_in, &each);
}

static bool keep_first(void *context, const struct secrecy_place *place UNUSED,
                       const struct secret *secret)
{
	const struct secret **first = context;

	*first = secret;
	return false;
}

const struct secret *secrecy_find(const struct value *v)
{
	const struct secret *first = NULL;

	secrecy_each(v, keep_first, &first);
	return first;
}

/* ---- copying ----------------------------------------------------------------------------- */

struct copy {
	struct arena *arena;
	secrecy_copier *copier;
	void *context;
};

/* False: it is left out. */
static bool copy_value(const struct copy *copy, const struct secrecy_place *parent,
                       const struct value *v, const struct value_entry *entry,
                       struct value *ret_copy);

static struct value copy_members(const struct copy *copy, const struct secrecy_place *place)
{
	const struct value *v = place->value;
	struct value result;
	struct value member;

	if (value_is_list(v)) {
		result = value_list_new(copy->arena);
		for (size_t i = 0; i < value_count(v); i++)
			if (copy_value(copy, place, value_item(v, i), NULL, &member))
				value_list_add(copy->arena, &result, member);
	} else if (value_is_map(v)) {
		result = value_map_new(copy->arena);
		result.map->key_secret = place->key_secret;
		for (size_t i = 0; i < value_count(v); i++) {
			const struct value_entry *entry = &v->map->entries[i];

			if (copy_value(copy, place, &entry->value, entry, &member))
				value_map_set_at(copy->arena, &result,
				                 arena_dup(copy->arena, entry->key),
				                 entry->key_origin, member);
		}
	} else {
		return *v;
	}
	result.type = v->type;
	result.origin = v->origin;
	return result;
}

static bool copy_value(const struct copy *copy, const struct secrecy_place *parent,
                       const struct value *v, const struct value_entry *entry,
                       struct value *ret_copy)
{
	struct secrecy_place place = place_below(parent, v, entry);

	/* Do not just skip a value that is too deep: its secrets would stay in the copy. */
	BUG_ON(place.depth > SECRECY_MAX_DEPTH);
	*ret_copy = *v;
	switch (copy->copier(copy->context, &place, ret_copy)) {
	case SECRECY_INTO:
		*ret_copy = copy_members(copy, &place);
		return true;
	case SECRECY_OVER:
		return true;
	case SECRECY_OMIT:
		return false;
	case SECRECY_END:
		break;
	}
	BUG("a copy cannot end early");
}

struct value secrecy_copy(struct arena *arena, const struct value *v, secrecy_copier *copier,
                          void *context)
{
	struct copy copy = {arena, copier, context};
	struct value result;

	return copy_value(&copy, NULL, v, NULL, &result) ? result : value_null();
}

/* ---- places ------------------------------------------------------------------------------ */

sv secrecy_key(const struct secrecy_place *place)
{
	while (place && !place->entry)
		place = place->parent;
	return place ? place->entry->key : SV("");
}

void secrecy_add_path(struct buf *buf, const struct secrecy_place *place, char separator)
{
	if (!place)
		return;
	secrecy_add_path(buf, place->parent, separator);
	if (!place->entry)
		return;
	buf_add(buf, place->entry->key);
	buf_add_char(buf, separator);
}

sv secrecy_path(struct arena *arena, const struct secrecy_place *place)
{
	struct buf buf = buf_in(arena);

	secrecy_add_path(&buf, place, '.');
	return sv_slice(buf_sv(&buf), 0, buf.len > 0 ? buf.len - 1 : 0);
}

struct position secrecy_position(const struct secrecy_place *place, struct position otherwise)
{
	/* Stop below the root: its members may be from different files. */
	for (; place && place->parent; place = place->parent) {
		/* A map's member needs a place of its own; a list's item may take that of its
		 * parts. */
		struct position at = place->entry ? value_position(place->value)
		                                  : value_position_near(place->value, NOWHERE);

		if (at.source)
			return at;
	}
	return otherwise;
}

struct position secrecy_key_position(const struct secrecy_place *place, struct position otherwise)
{
	return place->entry->key_origin.source
	           ? origin_position(place->entry->key_origin)
	           : value_position_near(place->value, secrecy_position(place->parent, otherwise));
}
