/*
 * Every secret of the inputs, for the leak scan and for masking: also those that no template asks
 * for, and those that only another cluster's output may hold. What is public by its nature is left
 * out, or it would be found everywhere.
 */
#include "codec/codec.h"
#include "osm/osm.h"
#include "plan/plan.h"
#include "yaml/yaml.h"

/* What is being filled; arena holds what outlives the run, but no secret. */
struct noting {
	struct arena *arena;
	struct arena *secret_arena;
	struct plan_secrets *secrets;
	const struct plan_request *request;
};

enum {
	MASKED_MIN = 4,               /* as report_mask_new */
	STRUCTURED_MAX = 1024 * 1024, /* a Secret is never longer */
};

void plan_note_secret(struct plan_secrets *secrets, struct arena *arena,
                      const struct secret *secret)
{
	sv text = sv_trim_space(secret->text);

	if (text.len < MASKED_MIN || dialect_is_own_word(text) ||
	    !map_put(&secrets->texts, secret->text, secrets))
		return;
	VEC_PUSH(arena, &secrets->list, secret);
	leak_scanner_add(secrets->scanner, secret);
}

static void note_secret(struct noting *n, const struct secret *secret)
{
	plan_note_secret(n->secrets, n->arena, secret);
}

static const struct secret *note(struct noting *n, sv name, sv text)
{
	struct secret *secret = ARENA_NEW(n->secret_arena, struct secret);

	*secret = (struct secret){.name = name, .text = text};
	note_secret(n, secret);
	return secret;
}

static bool note_structured(struct noting *n, sv name, sv text);

/*
 * What stands in base64 may stand by itself elsewhere: the password of USER:PASSWORD, as registries
 * and HTTP have it; the keys of a kubeconfig or of a cloud's service account.
 */
static void note_encoded(struct noting *n, const struct secret *secret)
{
	sv decoded;
	sv user;
	sv password;
	size_t error_at;

	if (!base64_decode(n->secret_arena, BASE64_STD, sv_trim_space(secret->text), &decoded,
	                   &error_at) ||
	    !utf8_valid(decoded) || note_structured(n, secret->name, sv_trim_space(decoded)))
		return;
	if (sv_cut(decoded, SV(":"), &user, &password))
		note(n, secret->name, password);
}

/* USER:PASSWORD of a URL. */
static void note_userinfo(struct noting *n, const struct secret *secret)
{
	sv user;
	sv password;

	if (sv_cut(secret->text, SV(":"), &user, &password) && sv_find_char(user, '\n') == SV_NPOS)
		note(n, secret->name, password);
}

static void note_whole(struct noting *n, const struct secret *secret)
{
	note_secret(n, secret);
	note_encoded(n, secret);
}

/* Every text of the tree that is tainted, span by span. */
static void note_tainted(struct noting *n, const struct value *v)
{
	if (value_is_string(v) && v->taint) {
		for (size_t i = 0; i < v->taint->count; i++) {
			const struct secret *secret = v->taint->spans[i].secret;

			note_whole(n, secret);
			if (secret->text.len < v->string.len)
				note_userinfo(n, secret);
		}
	} else if (value_is_list(v)) {
		for (size_t i = 0; i < value_count(v); i++)
			note_tainted(n, value_item(v, i));
	} else if (value_is_map(v)) {
		if (v->map->key_secret)
			note_whole(n, v->map->key_secret);
		for (size_t i = 0; i < value_count(v); i++)
			note_tainted(n, &v->map->entries[i].value);
	}
}

/* ---- the values of Secrets --------------------------------------------------------------- */

/* Keys whose values are public by what Kubernetes and its tools say of them. */
static bool is_public_key(sv key)
{
	static const sv names[] = {
	    SV_INIT("ca.crt"),       SV_INIT("tls.crt"),     SV_INIT("namespace"),
	    SV_INIT("username"),     SV_INIT("user"),        SV_INIT("token-id"),
	    SV_INIT("description"),  SV_INIT("expiration"),  SV_INIT("auth-extra-groups"),
	    SV_INIT("name"),         SV_INIT("server"),      SV_INIT("type"),
	    SV_INIT("identity.pub"), SV_INIT("known_hosts"),
	};

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (sv_eq(key, names[i]))
			return true;
	return sv_starts_with(key, SV("usage-bootstrap-"));
}

/* Private keys of a text of PEM blocks, each by itself: certificates beside them are public. */
static bool note_private_keys(struct noting *n, sv name, sv text)
{
	const sv begin = SV("-----BEGIN ");
	size_t from = sv_find(text, begin);

	if (from == SV_NPOS)
		return false;
	for (; from != SV_NPOS; from = sv_find(text, begin)) {
		sv block = sv_from_offset(text, from + begin.len);
		sv label = sv_slice(block, 0, sv_find_char(block, '\n'));
		size_t end = sv_find(block, SV("-----END "));

		block = sv_slice(block, label.len, end);
		if (sv_contains(label, SV("PRIVATE KEY")))
			note(n, name, sv_trim_space(block));
		text = sv_from_offset(text, from + begin.len);
	}
	return true;
}

/* A kubeconfig, a list of registries: what stands in it under names that mean a credential. */
static bool note_structured(struct noting *n, sv name, sv text)
{
	struct arena *arena = n->secret_arena;
	struct sink unheard = sink_in(arena);
	struct yml_documents documents;

	if (text.len > STRUCTURED_MAX ||
	    (!sv_starts_with(text, SV("{")) && sv_find_char(text, '\n') == SV_NPOS) ||
	    sv_find_char(text, ':') == SV_NPOS)
		return false;
	const struct source *source = source_new(arena, name, text, true);
	if (yml_parse(arena, &unheard, source, &documents) != STATUS_OK)
		return false;
	bool structured = false;
	VEC_EACH (document, &documents) {
		if (!value_is_map(&document->root))
			continue;
		struct value tainted = osm_find_credentials(arena, &document->root, name);

		note_tainted(n, &tainted);
		structured = true;
	}
	return structured;
}

static bool is_public_url(sv text)
{
	size_t start = sv_find(text, SV("://"));

	if (start == SV_NPOS || sv_find_char(text, '\n') != SV_NPOS)
		return false;
	sv rest = sv_from_offset(text, start + 3);
	size_t slash = sv_find_char(rest, '/');
	/* A path or a query may be what opens the door: chat services' hooks are such. */
	return sv_find_char(rest, '@') == SV_NPOS && sv_find_char(rest, '?') == SV_NPOS &&
	       (slash == SV_NPOS || slash + 1 == rest.len);
}

static void note_text(struct noting *n, sv name, sv key, sv text)
{
	sv trimmed = sv_trim_space(text);

	if (is_public_key(key) || is_public_url(trimmed) || sv_eq(trimmed, SV("true")) ||
	    sv_eq(trimmed, SV("false")) || note_private_keys(n, name, text) ||
	    note_structured(n, name, trimmed))
		return;
	note_encoded(n, note(n, name, text));
}

static void note_objects(struct noting *n, const struct kube_objects *objects)
{
	struct arena *arena = n->secret_arena;
	struct sink unheard = sink_in(arena);
	struct kube_object_list secrets = kube_objects_of_kind(arena, objects, SV("Secret"));
	struct kube_object_list maps = kube_objects_of_kind(arena, objects, SV("ConfigMap"));

	VEC_EACH (secret, &secrets) {
		const struct kube_id *id = &(*secret)->id;
		/* Shared ones are met once for each cluster. */
		if (!map_put(&n->secrets->objects, sv_from((const char *)secret, sizeof(*secret)),
		             n))
			continue;
		struct kube_keys keys = kube_secret_keys(arena, *secret);

		for (size_t i = 0; i < keys.count; i++) {
			struct value text;

			if (kube_secret_value(arena, &unheard, *secret, keys.items[i], NOWHERE,
			                      &text) != STATUS_OK)
				continue;
			note_text(n,
			          kube_secret_name(arena, id->namespace, id->name, keys.items[i]),
			          keys.items[i], text.string);
		}
	}
	VEC_EACH (config_map, &maps) {
		const struct kube_id *id = &(*config_map)->id;
		const struct value *data = value_map_get((*config_map)->root, SV("data"));

		for (size_t i = 0; (*config_map)->confidential && i < value_count(data); i++) {
			const struct value_entry *entry = &data->map->entries[i];

			note_text(n, kube_secret_name(arena, id->namespace, id->name, entry->key),
			          entry->key, value_text(&entry->value));
		}
	}
}

/* ---- the others -------------------------------------------------------------------------- */

static void note_identities(struct noting *n)
{
	const struct plan_key *identities = &n->request->identities;
	struct sv_splitter lines = sv_split(identities->text, '\n');
	sv line;

	while (sv_split_next(&lines, &line)) {
		line = sv_trim_space(line);
		if (!sv_empty(line) && line.ptr[0] != '#')
			note(n, identities->name, line);
	}
}

/*
 * Only credentials: a user or a region may stand in the clear for other machines. What a machine
 * does take from here its own output is scanned for.
 */
static void note_environment(struct noting *n)
{
	struct value environment =
	    dialect_taint_environment(n->secret_arena, n->request->environment);

	for (size_t i = 0; i < value_count(&environment); i++) {
		const struct value_entry *entry = &environment.map->entries[i];

		if (osm_names_credential(entry->key))
			note_tainted(n, &entry->value);
	}
}

static void note_cluster(struct noting *n, const struct fleet_cluster *cluster)
{
	size_t count;
	const struct dialect *const *all = dialects(&count);

	note_objects(n, cluster->objects);
	for (size_t i = 0; i < count; i++) {
		if (!all[i]->settings_secrets)
			continue;
		struct value secrets =
		    all[i]->settings_secrets(n->secret_arena, cluster->dialects[i].settings);

		note_tainted(n, &secrets);
	}
	for (size_t i = 0; i < cluster->unit_count; i++) {
		const struct dialect_unit *unit = &cluster->units[i];

		if (!unit->dialect->credentials)
			continue;
		struct value tainted = unit->dialect->credentials(n->secret_arena, unit->object);

		note_tainted(n, &tainted);
	}
}

void plan_note_inputs(struct plan_secrets *secrets, struct arena *arena,
                      const struct plan_request *request)
{
	struct noting n = {arena, secrets->secret_arena, secrets, request};

	note_identities(&n);
	note_environment(&n);
	for (size_t i = 0; i < request->fleet->cluster_count; i++)
		note_cluster(&n, &request->fleet->clusters[i]);
}
