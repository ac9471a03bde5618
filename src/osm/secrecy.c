/*
 * Which inputs are secret though they stand in a manifest in the clear: credentials in
 * cloudProviderSpec, and user and password in URLs. Names that only identify (a user, an
 * organisation) are not: hiding them would hide half of the output.
 */
#include "osm/internal.h"

#define MAX_DEPTH 64

static const struct secret *make_secret(struct arena *arena, sv name, sv text)
{
	struct secret *secret = ARENA_NEW(arena, struct secret);

	*secret = (struct secret){
	    .name = arena_dup(arena, name),
	    .text = text,
	    .high_entropy = kube_token_is_random(text),
	};
	return secret;
}

struct value osm_taint_string(struct arena *arena, struct value string, sv name)
{
	if (value_is_string(&string) && string.string.len > 0 && !string.taint)
		string.taint =
		    taint_whole(arena, string.string.len, make_secret(arena, name, string.string));
	return string;
}

struct value osm_taint_userinfo(struct arena *arena, struct value url, sv name)
{
	sv text = value_text(&url);
	size_t start = sv_find(text, SV("://"));

	if (url.taint || start == SV_NPOS)
		return url;
	start += 3;
	sv authority = sv_from_offset(text, start);
	for (size_t i = 0; i < authority.len; i++) {
		if (strchr("/?#", authority.ptr[i])) {
			authority.len = i;
			break;
		}
	}
	size_t at = sv_rfind_char(authority, '@');
	if (at == SV_NPOS || at == 0)
		return url;
	struct text marked = text_in(arena);
	sv userinfo = sv_slice(authority, 0, at);
	text_add(&marked, sv_slice(text, 0, start));
	text_add_secret(&marked, userinfo, make_secret(arena, name, userinfo));
	text_add(&marked, sv_from_offset(text, start + at));
	struct value result = text_value(arena, &marked);
	result.origin = url.origin;
	return result;
}

/* Lower case, without - and _. */
static sv fold_name(struct arena *arena, sv name)
{
	struct buf out = buf_in(arena);

	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];

		if (c == '-' || c == '_')
			continue;
		buf_add_char(&out, c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c);
	}
	return buf_sv(&out);
}

static bool names_credential(struct arena *arena, const struct osm_provider *provider, sv name)
{
	static const sv endings[] = {
	    SV_INIT("password"),    SV_INIT("passwd"),     SV_INIT("passphrase"),
	    SV_INIT("secret"),      SV_INIT("token"),      SV_INIT("key"),
	    SV_INIT("credentials"), SV_INIT("kubeconfig"), SV_INIT("serviceaccount"),
	};
	static const sv public_endings[] = {SV_INIT("publickey"), SV_INIT("sshkey")};
	sv folded = fold_name(arena, name);

	for (size_t i = 0; provider && i < provider->secret_count; i++) {
		if (sv_eq_fold_ascii(provider->secrets[i], name))
			return true;
	}
	for (size_t i = 0; i < COUNT_OF(public_endings); i++) {
		if (sv_ends_with(folded, public_endings[i]))
			return false;
	}
	for (size_t i = 0; i < COUNT_OF(endings); i++) {
		if (sv_ends_with(folded, endings[i]))
			return true;
	}
	return false;
}

/* A reference names a credential's object; the names are no credentials. */
static bool is_reference(sv name)
{
	return sv_eq_fold_ascii(name, SV("secretKeyRef")) ||
	       sv_eq_fold_ascii(name, SV("configMapKeyRef"));
}

static struct value taint_tree(struct arena *arena, const struct osm_provider *provider,
                               const struct value *v, sv path, bool secret, int depth)
{
	if (depth > MAX_DEPTH)
		return *v;
	if (value_is_string(v))
		return secret ? osm_taint_string(arena, *v, path)
		              : osm_taint_userinfo(arena, *v, path);
	if (value_is_list(v)) {
		struct value list = value_list_new(arena);

		for (size_t i = 0; i < value_count(v); i++)
			value_list_add(
			    arena, &list,
			    taint_tree(arena, provider, value_item(v, i), path, secret, depth + 1));
		list.origin = v->origin;
		return list;
	}
	if (value_is_map(v)) {
		struct value map = value_map_new(arena);

		for (size_t i = 0; i < value_count(v); i++) {
			const struct value_entry *entry = &v->map->entries[i];
			bool inner = secret || names_credential(arena, provider, entry->key);
			sv inner_path =
			    arena_printf(arena, "%.*s.%.*s", SV_ARG(path), SV_ARG(entry->key));

			value_map_set_at(arena, &map, entry->key, entry->key_origin,
			                 is_reference(entry->key)
			                     ? entry->value
			                     : taint_tree(arena, provider, &entry->value,
			                                  inner_path, inner, depth + 1));
		}
		map.origin = v->origin;
		return map;
	}
	/* A number as a password: only a text can be hidden. The controller reads both alike. */
	if (secret && (value_is(v, KIND_INT64) || value_is(v, KIND_UINT64))) {
		struct value text = value_string(
		    value_is(v, KIND_INT64)
		        ? arena_printf(arena, "%lld", (long long)v->integer)
		        : arena_printf(arena, "%llu", (unsigned long long)v->unsigned_integer));

		text.origin = v->origin;
		return osm_taint_string(arena, text, path);
	}
	return *v;
}

struct value osm_taint_credentials(struct arena *arena, sv provider, const struct value *spec,
                                   sv prefix)
{
	return taint_tree(arena, osm_provider_find(provider), spec, prefix, false, 0);
}
