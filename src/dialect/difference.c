/*
 * Finds the members of two values that differ (see unit.h).
 */
#include "dialect/unit.h"
#include "secrecy/secrecy.h"
#include "json/json.h"

/* Limits the length of a value: reports may have it once for each of many units. */
enum { VALUE_MAX = 1000 };

static void add_json(struct buf *buf, const struct value *v)
{
	if (value_is_string(v))
		buf_add(buf, v->string);
	else
		json_emit(buf, v, JSON_GO);
}

/* Returns "gold", "[a, b]", or JSON; an empty string for null. */
static sv difference_text(struct arena *arena, const struct value *v)
{
	struct buf buf = buf_in(arena);

	if (value_is_null(v))
		return SV("");
	if (!value_is_list(v)) {
		add_json(&buf, v);
		return buf_sv(&buf);
	}
	buf_add_char(&buf, '[');
	for (size_t i = 0; i < value_count(v); i++) {
		buf_add(&buf, i > 0 ? SV(", ") : SV(""));
		add_json(&buf, value_item(v, i));
	}
	buf_add_char(&buf, ']');
	return buf_sv(&buf);
}

static bool looks_secret(const struct dialect_comparison *c, sv path, sv text)
{
	struct sv_splitter members = sv_split(path, '.');
	sv member;

	if (!c->hides)
		return secrecy_look_at(text, SECRECY_FIELD).look != SECRECY_LOOKS_PLAIN;
	/* All on the way: a credential may be {value: STRING}. */
	while (sv_split_next(&members, &member))
		if (c->hides(member) ||
		    secrecy_look_at_named(member, text, SECRECY_FIELD).look != SECRECY_LOOKS_PLAIN)
			return true;
	return false;
}

static bool may_be_secret(const struct dialect_comparison *c, sv path, const struct value *v,
                          sv text)
{
	return secrecy_find(v) || sv_contains(text, SV("ENC[AES256_GCM,")) ||
	       looks_secret(c, path, text);
}

static void add_field(const struct dialect_comparison *c, sv path, const struct value *before,
                      const struct value *now)
{
	sv name = c->name(c->arena, path);
	sv text_before = difference_text(c->arena, before);
	sv text_now = difference_text(c->arena, now);

	if (text_before.len > VALUE_MAX || text_now.len > VALUE_MAX ||
	    may_be_secret(c, path, before, text_before) || may_be_secret(c, path, now, text_now)) {
		name = ARENA_CONCAT(c->arena, name, SV(" changed"));
		text_before = text_now = SV("");
	}
	VEC_PUSH(c->arena, c->to,
	         ((struct dialect_difference){path, name, text_before, text_now, {0}}));
}

/* CIRCLE: maps hold each other. The decoder bounds the depth. */
static void compare(const struct dialect_comparison *c, sv path, const struct value *before,
                    const struct value *now);

static void compare_members(const struct dialect_comparison *c, sv path, const struct value *before,
                            const struct value *now)
{
	sv prefix = sv_empty(path) ? path : ARENA_CONCAT(c->arena, path, SV("."));

	for (size_t i = 0; i < value_count(now); i++) {
		const struct value_entry *entry = &now->map->entries[i];

		compare(c, ARENA_CONCAT(c->arena, prefix, entry->key),
		        value_map_get(before, entry->key), &entry->value);
	}
	for (size_t i = 0; i < value_count(before); i++) {
		const struct value_entry *entry = &before->map->entries[i];

		if (!value_map_get(now, entry->key))
			compare(c, ARENA_CONCAT(c->arena, prefix, entry->key), &entry->value, NULL);
	}
}

static void compare(const struct dialect_comparison *c, sv path, const struct value *before,
                    const struct value *now)
{
	bool was_map = value_is_map(before);
	bool is_map = value_is_map(now);

	if (before && now && value_equal(before, now))
		return;
	if (c->compare && c->compare(c, path, before, now))
		return;
	if ((was_map || is_map) && (was_map || value_is_null(before)) &&
	    (is_map || value_is_null(now))) {
		const struct value none = value_map_new(c->arena);

		compare_members(c, path, was_map ? before : &none, is_map ? now : &none);
	} else if (!value_is_null(before) || !value_is_null(now)) {
		add_field(c, path, before, now);
	}
}

void dialect_compare(const struct dialect_comparison *c, const struct value *before,
                     const struct value *now)
{
	compare(c, SV(""), before, now);
}
