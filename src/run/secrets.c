#include "run/stages.h"

#include "codec/codec.h"
#include "yaml/yaml.h"

/*
 * Every secret of the inputs, for the leak scan and for masking: also those that no template asks
 * for, and those that only another cluster's output may hold. What is public by its nature is left
 * out, or it would be found everywhere.
 */

enum {
	MASKED_MIN = 4,               /* as report_mask_new */
	STRUCTURED_MAX = 1024 * 1024, /* a Secret is never longer */
};

void run_note_secret(struct run *run, const struct secret *secret)
{
	sv text = sv_trim_space(secret->text);

	if (text.len < MASKED_MIN || osm_is_own_word(text) ||
	    !map_put(&run->noted, secret->text, run))
		return;
	VEC_PUSH(run->arena, &run->secrets, secret);
	leak_scanner_add(run->scanner, secret);
}

static const struct secret *note(struct run *run, sv name, sv text)
{
	struct secret *secret = ARENA_NEW(run->secret_arena, struct secret);

	*secret = (struct secret){.name = name, .text = text};
	run_note_secret(run, secret);
	return secret;
}

static bool note_structured(struct run *run, sv name, sv text);

/*
 * What stands in base64 may stand by itself elsewhere: the password of USER:PASSWORD, as registries
 * and HTTP have it; the keys of a kubeconfig or of a cloud's service account.
 */
static void note_encoded(struct run *run, const struct secret *secret)
{
	sv decoded;
	sv user;
	sv password;
	size_t error_at;

	if (!base64_decode(run->secret_arena, BASE64_STD, sv_trim_space(secret->text), &decoded,
	                   &error_at) ||
	    !utf8_valid(decoded) || note_structured(run, secret->name, sv_trim_space(decoded)))
		return;
	if (sv_cut(decoded, SV(":"), &user, &password))
		note(run, secret->name, password);
}

/* USER:PASSWORD of a URL. */
static void note_userinfo(struct run *run, const struct secret *secret)
{
	sv user;
	sv password;

	if (sv_cut(secret->text, SV(":"), &user, &password) && sv_find_char(user, '\n') == SV_NPOS)
		note(run, secret->name, password);
}

static void note_whole(struct run *run, const struct secret *secret)
{
	run_note_secret(run, secret);
	note_encoded(run, secret);
}

/* Every text of the tree that is tainted, span by span. */
static void note_tainted(struct run *run, const struct value *v)
{
	if (value_is_string(v) && v->taint) {
		for (size_t i = 0; i < v->taint->count; i++) {
			const struct secret *secret = v->taint->spans[i].secret;

			note_whole(run, secret);
			if (secret->text.len < v->string.len)
				note_userinfo(run, secret);
		}
	} else if (value_is_list(v)) {
		for (size_t i = 0; i < value_count(v); i++)
			note_tainted(run, value_item(v, i));
	} else if (value_is_map(v)) {
		if (v->map->key_secret)
			note_whole(run, v->map->key_secret);
		for (size_t i = 0; i < value_count(v); i++)
			note_tainted(run, &v->map->entries[i].value);
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
static bool note_private_keys(struct run *run, sv name, sv text)
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
			note(run, name, sv_trim_space(block));
		text = sv_from_offset(text, from + begin.len);
	}
	return true;
}

/* A kubeconfig, a list of registries: what stands in it under names that mean a credential. */
static bool note_structured(struct run *run, sv name, sv text)
{
	struct arena *arena = run->secret_arena;
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

		note_tainted(run, &tainted);
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

static void note_text(struct run *run, sv name, sv key, sv text)
{
	sv trimmed = sv_trim_space(text);

	if (is_public_key(key) || is_public_url(trimmed) || sv_eq(trimmed, SV("true")) ||
	    sv_eq(trimmed, SV("false")) || note_private_keys(run, name, text) ||
	    note_structured(run, name, trimmed))
		return;
	note_encoded(run, note(run, name, text));
}

static void note_objects(struct run *run, const struct kube_objects *objects)
{
	struct arena *arena = run->secret_arena;
	struct sink unheard = sink_in(arena);
	struct kube_object_list secrets = kube_objects_of_kind(arena, objects, SV("Secret"));
	struct kube_object_list maps = kube_objects_of_kind(arena, objects, SV("ConfigMap"));

	VEC_EACH (secret, &secrets) {
		const struct kube_id *id = &(*secret)->id;
		/* Shared ones are met once for each cluster. */
		if (!map_put(&run->noted_objects, sv_from((const char *)secret, sizeof(*secret)),
		             run))
			continue;
		struct kube_keys keys = kube_secret_keys(arena, *secret);

		for (size_t i = 0; i < keys.count; i++) {
			struct value text;

			if (kube_secret_value(arena, &unheard, *secret, keys.items[i], NOWHERE,
			                      &text) != STATUS_OK)
				continue;
			note_text(run,
			          kube_secret_name(arena, id->namespace, id->name, keys.items[i]),
			          keys.items[i], text.string);
		}
	}
	VEC_EACH (config_map, &maps) {
		const struct kube_id *id = &(*config_map)->id;
		const struct value *data = value_map_get((*config_map)->root, SV("data"));

		for (size_t i = 0; (*config_map)->confidential && i < value_count(data); i++) {
			const struct value_entry *entry = &data->map->entries[i];

			note_text(run, kube_secret_name(arena, id->namespace, id->name, entry->key),
			          entry->key, value_text(&entry->value));
		}
	}
}

/* ---- the others -------------------------------------------------------------------------- */

static void note_settings(struct run *run, const struct osm_settings *settings)
{
	note_tainted(run, &settings->http_proxy);
	note_tainted(run, &settings->no_proxy);
	note_tainted(run, &settings->override_api_server);
	VEC_EACH (mirror, &settings->registry_mirrors)
		note_tainted(run, &mirror->url);
	VEC_EACH (mirror, &settings->containerd_mirrors)
		note_tainted(run, &mirror->url);
}

static void note_identities(struct run *run)
{
	struct sv_splitter lines = sv_split(run->request->identities.text, '\n');
	sv line;

	while (sv_split_next(&lines, &line)) {
		line = sv_trim_space(line);
		if (!sv_empty(line) && line.ptr[0] != '#')
			note(run, run->request->identities.name, line);
	}
}

/*
 * Only credentials: a user or a region may stand in the clear for other machines. What a machine
 * does take from here its own output is scanned for.
 */
static void note_environment(struct run *run)
{
	for (size_t i = 0; i < value_count(&run->environment); i++) {
		const struct value_entry *entry = &run->environment.map->entries[i];

		if (osm_names_credential(entry->key))
			note_tainted(run, &entry->value);
	}
}

void run_note_inputs(struct run *run)
{
	note_identities(run);
	note_environment(run);
	for (size_t i = 0; i < run->fleet.cluster_count; i++) {
		const struct fleet_cluster *cluster = &run->fleet.clusters[i];

		note_objects(run, cluster->objects);
		note_settings(run, &cluster->settings);
		for (size_t j = 0; j < cluster->machine_deployment_count; j++) {
			struct value config = osm_machine_credentials(
			    run->secret_arena, cluster->machine_deployments[j].object);

			note_tainted(run, &config);
		}
	}
}
