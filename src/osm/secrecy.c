/*
 * Which inputs are secret though they stand in a manifest in the clear: credentials in
 * cloudProviderSpec, and user and password in URLs. Names that only identify (a user, an
 * organisation) are not: hiding them would hide half of the output.
 */
#include "osm/internal.h"
#include "json/json.h"

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

/*
 * Where user and password of a URL stand that begins at or after `from`: "SCHEME://USER:PW@HOST",
 * also without the scheme, then only with a password: "USER:PW@HOST".
 */
static bool find_userinfo(sv text, size_t from, size_t *ret_start, size_t *ret_end)
{
	size_t start = from;   /* behind the last character that neither of them may hold */
	bool password = false; /* a colon since then */

	for (size_t at = from; at < text.len; at++) {
		char c = text.ptr[at];

		if (strchr("/ ,\t\r\n\"'", c)) {
			start = at + 1;
			password = false;
		}
		password |= c == ':';
		if (c != '@' || start == at)
			continue;
		bool scheme = sv_ends_with(sv_slice(text, 0, start), SV("//"));
		bool at_start = start == 0 || text.ptr[start - 1] != '/';
		/* An image's digest stands behind an "@" as well; so does what a shell's ${x[@]}
		 * is. */
		bool other =
		    sv_starts_with(sv_from_offset(text, at), SV("@sha")) || text.ptr[at - 1] == '[';

		if (scheme || (password && at_start && !other)) {
			*ret_start = start;
			*ret_end = at;
			return true;
		}
	}
	return false;
}

struct value osm_taint_userinfo(struct arena *arena, struct value url, sv name)
{
	sv text = value_text(&url);
	struct text marked = text_in(arena);
	size_t done = 0;
	size_t start;
	size_t end;

	if (url.taint || sv_find_char(text, '@') == SV_NPOS)
		return url;
	while (find_userinfo(text, done, &start, &end)) {
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

bool osm_holds_userinfo(sv text)
{
	size_t start;
	size_t end;

	return find_userinfo(text, 0, &start, &end);
}

bool osm_holds_private_key(sv text)
{
	return sv_contains(text, SV("PRIVATE KEY-----")) ||
	       sv_contains(text, SV("PRIVATE KEY BLOCK-----")) ||
	       sv_contains(text, SV("AGE-SECRET-KEY-")) || sv_contains(text, SV("OSMGEN-SEED-1"));
}

/* As encoding/json folds it, without - and _; of a very long name the end, which tells what it is.
 */
struct folded {
	char text[128];
	size_t len;
};

static sv fold_name(struct folded *out, sv name)
{
	if (name.len > sizeof(out->text))
		name = sv_from_offset(name, name.len - sizeof(out->text));
	out->len = 0;
	while (!sv_empty(name)) {
		char c = osm_json_take_folded(&name);

		if (c != '-' && c != '_')
			out->text[out->len++] = c;
	}
	return sv_from(out->text, out->len);
}

static bool ends_with_any(sv name, const sv *endings, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (sv_ends_with(name, endings[i]))
			return true;
	return false;
}

bool osm_names_credential(sv name)
{
	/* Wherever one of these stands, the name means a credential... */
	static const sv words[] = {
	    SV_INIT("password"),   SV_INIT("passwd"),        SV_INIT("passphrase"),
	    SV_INIT("passcode"),   SV_INIT("secret"),        SV_INIT("token"),
	    SV_INIT("credential"), SV_INIT("kubeconfig"),    SV_INIT("dockerconfig"),
	    SV_INIT("privatekey"), SV_INIT("authorization"), SV_INIT("bearer"),
	    SV_INIT("cookie"),
	};
	/* ...but for what only tells where it is, or how it is. */
	static const sv about[] = {
	    SV_INIT("name"),   SV_INIT("names"),  SV_INIT("namespace"),  SV_INIT("ref"),
	    SV_INIT("id"),     SV_INIT("url"),    SV_INIT("uri"),        SV_INIT("path"),
	    SV_INIT("file"),   SV_INIT("type"),   SV_INIT("policy"),     SV_INIT("version"),
	    SV_INIT("ttl"),    SV_INIT("expiry"), SV_INIT("expiration"), SV_INIT("mode"),
	    SV_INIT("length"), SV_INIT("size"),   SV_INIT("enabled"),
	};
	static const sv endings[] = {
	    SV_INIT("key"),       SV_INIT("keys"),  SV_INIT("keypem"),         SV_INIT("keydata"),
	    SV_INIT("keybase64"), SV_INIT("creds"), SV_INIT("serviceaccount"),
	};
	static const sv public_endings[] = {
	    SV_INIT("publickey"),
	    SV_INIT("publickeys"),
	    SV_INIT("sshkey"),
	    SV_INIT("sshkeys"),
	};
	static const sv whole[] = {
	    SV_INIT("pass"), SV_INIT("pwd"), SV_INIT("pw"),
	    SV_INIT("overwritecloudconfig"), /* such a text is where cloud credentials are */
	};
	struct folded buffer;
	sv folded = fold_name(&buffer, name);

	if (ends_with_any(folded, public_endings, COUNT_OF(public_endings)))
		return false;
	for (size_t i = 0; i < COUNT_OF(words); i++)
		if (sv_contains(folded, words[i]))
			return !ends_with_any(folded, about, COUNT_OF(about));
	for (size_t i = 0; i < COUNT_OF(whole); i++)
		if (sv_eq(folded, whole[i]))
			return true;
	return ends_with_any(folded, endings, COUNT_OF(endings));
}

static bool is_credential(const struct osm_provider *provider, sv name, const struct value *v)
{
	for (size_t i = 0; provider && i < provider->secret_count; i++) {
		if (osm_json_key_is(name, provider->secrets[i]))
			return true;
	}
	/* As a map it only groups, kubevirt's for one. */
	if (value_is_string(v) && osm_json_key_is(name, SV("auth")))
		return true;
	return osm_names_credential(name);
}

/* A reference names a credential's object; the names are no credentials. */
static bool is_reference(sv name)
{
	return osm_json_key_is(name, SV("secretKeyRef")) ||
	       osm_json_key_is(name, SV("configMapKeyRef"));
}

/* What an object in place of a text may hold; "value: null" is none of the mistakes below. */
static bool is_member_of_var(sv name)
{
	return is_reference(name) || osm_json_key_is(name, SV("value"));
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

		if (secret)
			map.map->key_secret = find_secret_key(arena, v, path);
		for (size_t i = 0; i < value_count(v); i++) {
			const struct value_entry *entry = &v->map->entries[i];
			bool inner = secret || is_credential(provider, entry->key, &entry->value);
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
	if (secret &&
	    (value_is(v, KIND_INT64) || value_is(v, KIND_UINT64) || value_is(v, KIND_FLOAT64))) {
		struct buf digits = buf_in(arena);

		json_emit(&digits, v, JSON_GO);
		struct value text = value_string(buf_sv(&digits));
		text.origin = v->origin;
		return osm_taint_string(arena, text, path);
	}
	return *v;
}

struct value osm_taint_credentials(struct arena *arena, sv provider, const struct value *spec,
                                   sv prefix)
{
	/* What is no map is no specification: somebody put the credential in its place. */
	return taint_tree(arena, osm_provider_find(provider), spec, prefix,
	                  !value_is_map(spec) && !value_is_null(spec), 0);
}

struct value osm_machine_credentials(struct arena *arena,
                                     const struct kube_object *machine_deployment)
{
	const struct kube_id *id = &machine_deployment->id;
	const struct value *config =
	    value_path(machine_deployment->root, "spec.template.spec.providerSpec.value");

	if (!value_is_map(config))
		return value_null();
	return osm_taint_credentials(
	    arena, value_text(osm_json_member(config, SV("cloudProvider"))), config,
	    kube_secret_name(arena, id->namespace, id->name, SV("providerSpec")));
}

struct value osm_find_credentials(struct arena *arena, const struct value *tree, sv name)
{
	return taint_tree(arena, NULL, tree, name, false, 0);
}

/* ---- names that are the same as a credential --------------------------------------------- */

/* What is shorter the leak scan does not look for: it may stand in the clear. */
#define SAME_MIN_BYTES 8

void osm_hide_if_same(struct arena *arena, struct value *name, const struct value *credential)
{
	const struct secret *secret = value_secret(credential);
	sv text = sv_trim_space(value_text(name));

	if (!secret || name->taint || text.len < SAME_MIN_BYTES ||
	    !sv_eq(text, sv_trim_space(value_text(credential))) || osm_is_own_word(text))
		return;
	name->taint = taint_whole(arena, name->string.len, secret);
}

struct hider {
	struct arena *arena;
	const struct kube_objects *objects;
	VEC(struct value) credentials;
};

static void add_referenced(struct hider *h, const struct value *reference)
{
	struct sink unheard = sink_in(h->arena);
	struct value text;
	sv key = value_text(osm_json_member(reference, SV("key")));
	const struct kube_object *object = kube_objects_find(
	    h->objects, SV("Secret"), value_text(osm_json_member(reference, SV("namespace"))),
	    value_text(osm_json_member(reference, SV("name"))));

	if (object && kube_secret_has(object, key) &&
	    kube_secret_value(h->arena, &unheard, object, key, NOWHERE, &text) == STATUS_OK)
		VEC_PUSH(h->arena, &h->credentials, text);
}

static void collect_credentials(struct hider *h, const struct value *v, int depth)
{
	if (value_is_string(v) && v->taint)
		VEC_PUSH(h->arena, &h->credentials, *v);
	for (size_t i = 0; value_is_list(v) && i < value_count(v) && depth < MAX_DEPTH; i++)
		collect_credentials(h, value_item(v, i), depth + 1);
	for (size_t i = 0; value_is_map(v) && i < value_count(v) && depth < MAX_DEPTH; i++) {
		const struct value_entry *entry = &v->map->entries[i];

		if (osm_json_key_is(entry->key, SV("secretKeyRef")))
			add_referenced(h, &entry->value);
		else
			collect_credentials(h, &entry->value, depth + 1);
	}
}

static void hide_same(struct hider *h, struct value *v, int depth)
{
	if (value_is_string(v)) {
		VEC_EACH (credential, &h->credentials)
			osm_hide_if_same(h->arena, v, credential);
		return;
	}
	for (size_t i = 0; value_is_list(v) && i < value_count(v) && depth < MAX_DEPTH; i++)
		hide_same(h, value_item(v, i), depth + 1);
	for (size_t i = 0; value_is_map(v) && i < value_count(v) && depth < MAX_DEPTH; i++) {
		struct value_entry *entry = &v->map->entries[i];

		/* A reference is shared with the manifest: nothing was tainted in it. */
		if (!is_reference(entry->key))
			hide_same(h, &entry->value, depth + 1);
	}
}

void osm_hide_names(struct arena *arena, const struct kube_objects *objects, struct value *spec)
{
	struct hider hider = {.arena = arena, .objects = objects};

	collect_credentials(&hider, spec, 0);
	if (hider.credentials.count > 0)
		hide_same(&hider, spec, 0);
}
