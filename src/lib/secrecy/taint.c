/*
 * Marks secrets that a manifest has in the clear: credentials by their names, user and password in
 * URLs.
 */
#include "golang/golang.h"
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

/*
 * The placeholder is as long as a bootstrap token (6 + 1 + 16), since sizes of user-data are
 * computed with it.
 */
#define STAND_IN "<absent:text-of-secret>"

struct value secrecy_absent(struct arena *arena, sv name, struct secret_owner owner)
{
	struct secret *secret = ARENA_NEW(arena, struct secret);

	*secret = (struct secret){
	    .name = name,
	    .text = SV(STAND_IN),
	    .owner = owner,
	};
	return value_secret_string(arena, secret->text, secret);
}

bool secrecy_is_absent(const struct value *string)
{
	return sv_eq(value_text(string), SV(STAND_IN));
}

bool secrecy_stands_in(const struct secret *secret)
{
	return sv_eq(secret->text, SV(STAND_IN));
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

/* Returns true for a member of an object that takes a string's place; "value: null" is allowed. */
static bool is_member_of_var(sv name)
{
	return secrecy_names_reference(name) || go_json_key_is(name, SV("value"));
}

struct marking {
	struct arena *arena;
	sv name; /* of the tree */
	const sv *more;
	size_t more_count;
};

static sv secret_name(const struct marking *marking, const struct secrecy_place *place)
{
	sv path = secrecy_path(marking->arena, place);

	return sv_empty(path) ? marking->name
	                      : ARENA_CONCAT(marking->arena, marking->name, SV("."), path);
}

static bool is_credential(const struct marking *marking, const struct value_entry *entry)
{
	for (size_t i = 0; i < marking->more_count; i++) {
		if (go_json_key_is(entry->key, marking->more[i]))
			return true;
	}
	/* A map named auth only groups members, as in kubevirt. */
	if (value_is_string(&entry->value) && go_json_key_is(entry->key, SV("auth")))
		return true;
	return secrecy_names_credential(entry->key);
}

/* "password: {PASSWORD}", a mistake that braces make: the text is a key without a value. */
static const struct secret *find_secret_key(const struct marking *marking,
                                            const struct secrecy_place *place)
{
	const struct value *map = place->value;

	for (size_t i = 0; i < value_count(map); i++) {
		const struct value_entry *entry = &map->map->entries[i];

		if (value_is_null(&entry->value) && !is_member_of_var(entry->key))
			return make_secret(marking->arena, secret_name(marking, place), entry->key);
	}
	return NULL;
}

/*
 * A number as a password: only a string can be hidden. What is sealed is the number again. A number
 * with a fraction stays a string, as SOPS has no safe form for it.
 */
static struct value number_text(struct arena *arena, const struct value *number)
{
	struct buf digits = buf_in(arena);

	json_emit(&digits, number, JSON_GO);
	struct value text = value_string(buf_sv(&digits));
	int64_t integer;

	if (sv_parse_int64(text.string, &integer))
		text.type = &type_integer_string;
	text.origin = number->origin;
	text.taint = taint_whole(arena, text.string.len, taint_secret(number->taint));
	return text;
}

/*
 * Returns true for a URL with a password whose end is unclear, also for one that lacks its scheme
 * or a slash. All of it is taken for secret. The digest of an image does not count.
 */
static bool is_unclear_url(sv text)
{
	size_t last = sv_rfind_char(text, '@');
	size_t at = 0;

	while (at < text.len && ascii_is_alphanumeric((unsigned char)text.ptr[at]))
		at++;
	if (at > 0 && at < text.len && text.ptr[at] == ':')
		at++;
	return last != SV_NPOS && at < last && text.ptr[at] == '/' &&
	       sv_find_char(sv_slice(text, at, last), ':') != SV_NPOS &&
	       !sv_starts_with(sv_from_offset(text, last), SV("@sha")) &&
	       secrecy_userinfo_is_unclear(text);
}

static bool is_reference(const struct secrecy_place *place)
{
	return place->entry && secrecy_names_reference(place->entry->key);
}

static enum secrecy_step taint_place(void *context, struct secrecy_place *place,
                                     struct value *ret_copy)
{
	const struct marking *marking = context;
	const struct value *v = place->value;

	if (place->depth > MAX_DEPTH)
		return SECRECY_OVER;
	if (is_reference(place)) {
		place->marked = false;
		return value_is_map(v) ? SECRECY_INTO : SECRECY_OVER;
	}
	/* It names a key of the Secret. */
	if (place->entry && go_json_key_is(place->entry->key, SV("key")) && place->parent &&
	    is_reference(place->parent))
		return SECRECY_OVER;
	/* A root that is not a map is a credential in the map's place. */
	place->marked |= place->entry ? is_credential(marking, place->entry)
	                              : place->depth == 0 && !value_is_map(v);
	if (value_is_map(v) && place->marked)
		place->key_secret = find_secret_key(marking, place);
	if (value_is_map(v) || value_is_list(v))
		return SECRECY_INTO;
	if (v->taint && value_is(v, KIND_BOOL)) {
		*ret_copy = value_string(v->boolean ? SV("true") : SV("false"));
		ret_copy->type = &type_boolean_string;
		ret_copy->origin = v->origin;
		ret_copy->taint =
		    taint_whole(marking->arena, ret_copy->string.len, taint_secret(v->taint));
	}
	if ((place->marked || v->taint) &&
	    (value_is(v, KIND_INT64) || value_is(v, KIND_UINT64) || value_is(v, KIND_FLOAT64)))
		*ret_copy = number_text(marking->arena, v);
	if (place->marked)
		*ret_copy =
		    secrecy_taint_string(marking->arena, *ret_copy, secret_name(marking, place));
	else if (is_unclear_url(value_text(v)))
		*ret_copy =
		    secrecy_taint_string(marking->arena, *ret_copy, secret_name(marking, place));
	else if (secrecy_holds_userinfo(value_text(v)))
		*ret_copy =
		    secrecy_taint_userinfo(marking->arena, *ret_copy, secret_name(marking, place));
	return SECRECY_OVER;
}

struct value secrecy_taint_credentials(struct arena *arena, const struct value *tree, sv name,
                                       const sv *more, size_t more_count)
{
	struct marking marking = {arena, name, more, more_count};

	return secrecy_copy(arena, tree, taint_place, &marking);
}

/*
 * Mark the value itself, not a copy: other holders, such as a template's variables, must see the
 * mark.
 */
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
			secrecy_taint_all(arena, value_item_mutable(v, i), secret);
	} else if (value_is_map(v)) {
		if (!v->map)
			return;
		v->map->key_secret = secret;
		for (size_t i = 0; i < value_count(v); i++)
			secrecy_taint_all(arena, &v->map->entries[i].value, secret);
	} else {
		v->taint = taint_whole(arena, 1, secret);
	}
}
