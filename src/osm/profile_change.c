/*
 * Decides whether a profile's spec changed, as the controller's webhook does before it accepts an
 * update (docs/spec/controller.md 7.1). The webhook compares specs as the API server stores them:
 * with defaults, without fields that the schema does not know, with empty ones like absent ones.
 */
#include "dialect/dialect.h"
#include "osm/osm.h"
#include "osm/profile.h"
#include "seal/seal.h"
#include "secrecy/secrecy.h"
#include "value/text.h"

#include <stdlib.h>

struct comparison {
	bool one_seed; /* fingerprints of secrets can be compared */
	struct buf path;
	struct position at; /* of the field in `now`, or of its nearest parent there */
};

static bool texts_equal(const struct comparison *c, sv before, sv now)
{
	return sv_eq(before, now) || (!c->one_seed && secrecy_redacted_equal(before, now));
}

/* Compares deeply; the order of lists matters. */
static bool plain_equal(const struct comparison *c, const struct value *before,
                        const struct value *now)
{
	if (value_is_string(before) && value_is_string(now))
		return texts_equal(c, before->string, now->string);
	if (value_is_list(before) && value_is_list(now)) {
		size_t count = value_count(before);

		for (size_t i = 0; i < count && count == value_count(now); i++) {
			if (!plain_equal(c, value_item(before, i), value_item(now, i)))
				return false;
		}
		return count == value_count(now);
	}
	if (value_is_map(before) && value_is_map(now)) {
		size_t count = value_count(before);

		for (size_t i = 0; i < count && count == value_count(now); i++) {
			const struct value_entry *entry = &before->map->entries[i];
			const struct value *other = value_map_get(now, entry->key);

			if (!other || !plain_equal(c, &entry->value, other))
				return false;
		}
		return count == value_count(now);
	}
	return value_equal(before, now);
}

static bool maps_equal(struct comparison *c, const struct shape *shape, const struct value *before,
                       const struct value *now);

static bool items_equal(struct comparison *c, const struct shape *shape, const struct value *before,
                        const struct value *now)
{
	size_t path_len = c->path.len;

	for (size_t i = 0; i < value_count(before) || i < value_count(now); i++) {
		const struct value *old = i < value_count(before) ? value_item(before, i) : NULL;
		const struct value *new = i < value_count(now) ? value_item(now, i) : NULL;

		c->path.len = path_len;
		buf_printf(&c->path, "[%zu]", i);
		if (new)
			c->at = value_position(new);
		if (!old || !new || !maps_equal(c, shape, old, new))
			return false;
	}
	c->path.len = path_len;
	return true;
}

static sv text_or(const struct value *v, const char *initial)
{
	return value_is_null(v) && initial ? sv_from_cstr(initial) : value_text(v);
}

static int64_t number_or(const struct value *v, const char *initial)
{
	return value_is(v, KIND_INT64) ? v->integer : strtoll(initial, NULL, 10);
}

static bool member_equal(struct comparison *c, const struct shape_member *member,
                         const struct value *before, const struct value *now)
{
	bool is_pointer = member->flags & OSM_PROFILE_POINTER;

	if (member->form == SHAPE_LIST && member->of) {
		/* The previous output is a file that anybody may have edited. */
		if (value_is_map(before) || value_is_map(now))
			return plain_equal(c, before, now);
		return items_equal(c, member->of, before, now);
	}
	if (member->form != SHAPE_ONE)
		return (value_count(before) == 0 && value_count(now) == 0) ||
		       plain_equal(c, before, now);
	if (member->of)
		return !(is_pointer && value_is_null(before) != value_is_null(now)) &&
		       maps_equal(c, member->of, before, now);
	if (member->type == SHAPE_TEXT && !is_pointer)
		return texts_equal(c, text_or(before, member->initial),
		                   text_or(now, member->initial));
	if (member->type == SHAPE_INT32)
		return number_or(before, member->initial) == number_or(now, member->initial);
	return plain_equal(c, before, now);
}

/* If they differ, c->path and c->at are those of the first member that does. */
static bool maps_equal(struct comparison *c, const struct shape *shape, const struct value *before,
                       const struct value *now)
{
	size_t path_len = c->path.len;
	struct position outer = c->at;

	for (size_t i = 0; i < shape->count; i++) {
		sv name = sv_from_cstr(shape->members[i].name);
		const struct value *new = value_map_get(now, name);

		c->path.len = path_len;
		buf_add_char(&c->path, '.');
		buf_add(&c->path, name);
		c->at = new ? value_position(new) : outer;
		if (!member_equal(c, &shape->members[i], value_map_get(before, name), new))
			return false;
	}
	c->path.len = path_len;
	c->at = outer;
	return true;
}

bool osm_profile_spec_changed(struct arena *arena, const struct value *before,
                              const struct value *now, bool one_seed,
                              struct dialect_change *ret_change)
{
	struct comparison c = {one_seed, buf_in(arena), value_position(now)};

	BUF_ADD_LIT(&c.path, "spec");
	if (maps_equal(&c, &osm_profile_spec_shape, before, now))
		return false;
	*ret_change = (struct dialect_change){buf_sv(&c.path), c.at};
	return true;
}
