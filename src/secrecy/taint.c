/*
 * Marking what is secret though it stands in a manifest in the clear: credentials by their names,
 * user and password in URLs.
 */
#include "secrecy/internal.h"
#include "value/text.h"
#include "json/json.h"

#define MAX_DEPTH 64

static const struct secret *make_secret(struct arena *arena, sv name, sv text)
{
	struct secret *secret = ARENA_NEW(arena, struct secret);

	*secret = (struct secret){
	    .name = arena_dup(arena, name),
	    .text = text,
	    .high_entropy = secrecy_is_random(text),
	};
	return secret;
}

struct value secrecy_taint_string(struct arena *arena, struct value string, sv name)
{
	if (value_is_string(&string) && string.string.len > 0 && !string.taint)
		string.taint =
		    taint_whole(arena, string.string.len, make_secret(arena, name, string.string));
	return string;
}

struct value secrecy_taint_userinfo(struct arena *arena, struct value url, sv name)
{
	sv text = value_text(&url);
	struct text marked = text_in(arena);
	size_t done = 0;
	size_t start;
	size_t end;

	if (url.taint || sv_find_char(text, '@') == SV_NPOS)
		return url;
	while (secrecy_find_userinfo(text, done, &start, &end)) {
		/* A password may hold an "@", though it should not: the last one counts. */
		for (size_t i = end + 1; i < text.len && !strchr("/?# ,\t\r\n\"'", text.ptr[i]);
		     i++)
			if (text.ptr[i] == '@')
				end = i;
		sv userinfo = sv_slice(text, start, end);

		text_add(&marked, sv_slice(text, done, start));
		text_add_secret(&marked, userinfo, make_secret(arena, name, userinfo));
		done = end;
	}
	if (done == 0)
		return url;
	text_add(&marked, sv_from_offset(text, done));
	struct value result = text_value(arena, &marked);
	result.origin = url.origin;
	return result;
}

/* ---- trees ------------------------------------------------------------------------------- */

/* Names that mean a credential beside the general ones. */
struct names {
	const sv *items;
	size_t count;
};

static bool is_credential(const struct names *more, sv name, const struct value *v)
{
	for (size_t i = 0; i < more->count; i++) {
		if (sv_eq_fold_ascii(more->items[i], name))
			return true;
	}
	/* As a map it only groups, kubevirt's for one. */
	if (value_is_string(v) && sv_eq_fold_ascii(name, SV("auth")))
		return true;
	return secrecy_names_credential(name);
}

/* A reference names a credential's object; the names are no credentials. */
static bool is_reference(sv name)
{
	return sv_eq_fold_ascii(name, SV("secretKeyRef")) ||
	       sv_eq_fold_ascii(name, SV("configMapKeyRef"));
}

/* What an object in place of a text may hold; "value: null" is none of the mistakes below. */
static bool is_member_of_var(sv name)
{
	return is_reference(name) || sv_eq_fold_ascii(name, SV("value"));
}

/* "password: {PASSWORD}", a mistake that braces make: the text is a key without a value. */
static const struct secret *find_secret_key(struct arena *arena, const struct value *map, sv name)
{
	for (size_t i = 0; i < value_count(map); i++) {
		const struct value_entry *entry = &map->map->entries[i];

		if (value_is_null(&entry->value) && !is_member_of_var(entry->key))
			return make_secret(arena, name, entry->key);
	}
	return NULL;
}

static struct value taint_tree(struct arena *arena, const struct names *more, const struct value *v,
                               sv path, bool secret, int depth)
{
	if (depth > MAX_DEPTH)
		return *v;
	if (value_is_string(v))
		return secret ? secrecy_taint_string(arena, *v, path)
		              : secrecy_taint_userinfo(arena, *v, path);
	if (value_is_list(v)) {
		struct value list = value_list_new(arena);

		for (size_t i = 0; i < value_count(v); i++)
			value_list_add(
			    arena, &list,
			    taint_tree(arena, more, value_item(v, i), path, secret, depth + 1));
		list.origin = v->origin;
		return list;
	}
	if (value_is_map(v)) {
		struct value map = value_map_new(arena);

		if (secret)
			map.map->key_secret = find_secret_key(arena, v, path);
		for (size_t i = 0; i < value_count(v); i++) {
			const struct value_entry *entry = &v->map->entries[i];
			bool inner = secret || is_credential(more, entry->key, &entry->value);
			sv inner_path =
			    arena_printf(arena, "%.*s.%.*s", SV_ARG(path), SV_ARG(entry->key));

			value_map_set_at(arena, &map, entry->key, entry->key_origin,
			                 is_reference(entry->key)
			                     ? entry->value
			                     : taint_tree(arena, more, &entry->value, inner_path,
			                                  inner, depth + 1));
		}
		map.origin = v->origin;
		return map;
	}
	/* A number as a password: only a text can be hidden. The controller reads both alike. */
	if (secret &&
	    (value_is(v, KIND_INT64) || value_is(v, KIND_UINT64) || value_is(v, KIND_FLOAT64))) {
		struct buf digits = buf_in(arena);

		json_emit(&digits, v, JSON_GO);
		struct value text = value_string(buf_sv(&digits));
		text.origin = v->origin;
		return secrecy_taint_string(arena, text, path);
	}
	return *v;
}

struct value secrecy_taint_credentials(struct arena *arena, const struct value *tree, sv name,
                                       const sv *more, size_t more_count)
{
	struct names names = {more, more_count};

	return taint_tree(arena, &names, tree, name, !value_is_map(tree) && !value_is_null(tree),
	                  0);
}

void secrecy_taint_all(struct arena *arena, struct value *v, const struct secret *secret)
{
	if (!v->type || v->type == &type_nil)
		return;
	if (value_is_string(v) || type_is_bytes(v->type)) {
		v->taint = taint_whole(arena, v->string.len, secret);
		return;
	}
	if (value_is_list(v)) {
		for (size_t i = 0; i < value_count(v); i++)
			secrecy_taint_all(arena, value_item(v, i), secret);
	} else if (value_is_map(v)) {
		if (!v->map)
			return;
		v->map->key_secret = secret;
		for (size_t i = 0; i < value_count(v); i++)
			secrecy_taint_all(arena, &v->map->entries[i].value, secret);
	} else if (value_is(v, KIND_POINTER) && v->target) {
		struct value *target = ARENA_NEW(arena, struct value);

		*target = *v->target; /* who else points there keeps what he has */
		secrecy_taint_all(arena, target, secret);
		v->target = target;
		v->taint = taint_whole(arena, 1, secret);
	} else {
		if (value_is(v, KIND_STRUCT) && v->fields)
			for (size_t i = 0; i < v->type->field_count; i++)
				secrecy_taint_all(arena, &v->fields[i], secret);
		v->taint = taint_whole(arena, 1, secret);
	}
}

const struct secret *secrecy_find(const struct value *v)
{
	const struct secret *secret = NULL;

	if (!v || !v->type)
		return NULL;
	if (v->taint)
		return v->taint->spans[0].secret;
	if (value_is_list(v)) {
		for (size_t i = 0; i < value_count(v) && !secret; i++)
			secret = secrecy_find(value_item(v, i));
	} else if (value_is_map(v) && v->map) {
		secret = v->map->key_secret;
		for (size_t i = 0; i < value_count(v) && !secret; i++)
			secret = secrecy_find(&v->map->entries[i].value);
	} else if (value_is(v, KIND_STRUCT) && v->fields) {
		for (size_t i = 0; i < v->type->field_count && !secret; i++)
			secret = secrecy_find(&v->fields[i]);
	} else if (value_is(v, KIND_POINTER) && v->target) {
		secret = secrecy_find(v->target);
	}
	return secret;
}
