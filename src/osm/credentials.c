/*
 * Registry credentials from a Secret (docs/spec/containerd.md 4).
 */
#include "golang/golang.h"
#include "osm/cluster.h"
#include "osm/machine.h"
#include "json/json.h"

struct reader {
	struct arena *arena;
	struct sink *sink;
	const struct kube_object *secret;
	VEC(struct osm_registry_credential) items;
	bool failed;
};

static void report_credentials(struct reader *r, sv key, const char *problem)
{
	sv what = kube_object_describe(r->sink->arena, r->secret);

	struct diag *diag =
	    diag_report(r->sink, DIAG_REGISTRY_CREDENTIALS, kube_object_position(r->secret),
	                "key \"%.*s\" of %.*s %s", SV_ARG(key), SV_ARG(what), problem);
	diag_set_help(r->sink, diag,
	              "make a Secret of type kubernetes.io/dockerconfigjson, or one with a JSON "
	              "object {\"username\": ..., \"password\": ...} a registry");
	r->failed = true;
}

/* The registry's host as containerd names it. */
static sv host_of(struct arena *arena, sv key)
{
	struct url url;
	sv error;

	if (go_url_parse(arena, key, &url, &error) && !sv_empty(url.host))
		return url.host;
	return key;
}

/* Returns the last value that is not null. All values of the member must be strings. */
static struct value read_member(struct reader *r, sv key, const struct value *object, sv member,
                                bool confidential, sv secret_name)
{
	const struct value *v = NULL;

	for (size_t i = 0; i < value_count(object); i++) {
		const struct value_entry *entry = &object->map->entries[i];

		if (!go_json_key_is(entry->key, member) || value_is_null(&entry->value))
			continue;
		v = &entry->value;
		if (value_is_string(v))
			continue;
		report_credentials(r, key, "has a credential that is not a string");
		return value_string(SV(""));
	}
	if (!v)
		return value_string(SV(""));
	struct value string = value_string(v->string);
	if (!confidential)
		return string;
	/* Taint each string as a secret of its own: the leak scan searches for each of them. */
	return secrecy_taint_string(
	    r->arena, string,
	    arena_printf(r->arena, "%.*s:%.*s", SV_ARG(secret_name), SV_ARG(member)));
}

static void add_credential(struct reader *r, sv secret_key, sv registry, const struct value *object)
{
	sv name =
	    kube_secret_name(r->arena, r->secret->id.namespace, r->secret->id.name, secret_key);
	if (!value_is_map(object) && !value_is_null(object)) {
		report_credentials(r, secret_key, "holds no JSON object for a registry");
		return;
	}
	struct osm_registry_credential item = {
	    .host = host_of(r->arena, registry),
	    /* A user name is not confidential. */
	    .username = read_member(r, secret_key, object, SV("username"), false, name),
	    .password = read_member(r, secret_key, object, SV("password"), true, name),
	    .auth = read_member(r, secret_key, object, SV("auth"), true, name),
	    .identity_token = read_member(r, secret_key, object, SV("identitytoken"), true, name),
	};

	osm_hide_if_same(r->arena, &item.username, &item.password);
	osm_hide_if_same(r->arena, &item.username, &item.auth);
	osm_hide_if_same(r->arena, &item.username, &item.identity_token);
	VEC_EACH (known, &r->items) {
		if (sv_eq(known->host, item.host)) {
			report_credentials(
			    r, secret_key,
			    "names a registry's host that another key names too; the controller "
			    "picks either by chance");
			return;
		}
	}
	VEC_PUSH(r->arena, &r->items, item);
}

/* Decodes a value of the Secret, which is JSON. */
static bool read_json(struct reader *r, sv key, struct position wanted, struct value *ret_root)
{
	struct value text;
	sv error;

	if (kube_secret_value(r->arena, r->sink, r->secret, key, wanted, &text) != STATUS_OK) {
		r->failed = true;
		return false;
	}
	if (!json_decode(r->arena, text.string, ret_root, &error)) {
		report_credentials(r, key, "is not JSON");
		return false;
	}
	return true;
}

/* Reads {"auths": {REGISTRY: ...}}. Several members `auths` are merged; null clears them. */
static void read_docker_config(struct reader *r, sv key, const struct value *root)
{
	struct value auths = value_map_new(r->arena);

	if (!value_is_map(root) && !value_is_null(root))
		report_credentials(r, key, "holds no JSON object");
	for (size_t i = 0; value_is_map(root) && i < value_count(root); i++) {
		const struct value_entry *entry = &root->map->entries[i];

		if (!go_json_key_is(entry->key, SV("auths")))
			continue;
		if (value_is_null(&entry->value))
			auths = value_map_new(r->arena);
		else if (!value_is_map(&entry->value))
			report_credentials(r, key, "has a field auths that is not a JSON object");
		for (size_t k = 0; value_is_map(&entry->value) && k < value_count(&entry->value);
		     k++)
			value_map_set(r->arena, &auths, entry->value.map->entries[k].key,
			              entry->value.map->entries[k].value);
	}
	for (size_t i = 0; i < value_count(&auths); i++)
		add_credential(r, key, auths.map->entries[i].key, &auths.map->entries[i].value);
}

enum status osm_registry_credentials_read(struct arena *arena, struct sink *sink,
                                          const struct kube_object *secret, struct position wanted,
                                          struct osm_registry_credentials *ret_credentials)
{
	const sv docker_key = SV(".dockerconfigjson");
	struct reader r = {.arena = arena, .sink = sink, .secret = secret};
	struct value root;

	if (sv_eq_cstr(kube_secret_type(secret), "kubernetes.io/dockerconfigjson")) {
		if (read_json(&r, docker_key, wanted, &root))
			read_docker_config(&r, docker_key, &root);
	} else {
		struct kube_keys keys = kube_secret_keys(arena, secret);

		for (size_t i = 0; i < keys.count; i++) {
			if (read_json(&r, keys.items[i], wanted, &root))
				add_credential(&r, keys.items[i], keys.items[i], &root);
		}
	}
	if (r.failed)
		return STATUS_FAILED;
	sort_stable(r.items.items, r.items.count, sizeof(*r.items.items), sort_compare_sv, NULL);
	*ret_credentials = (struct osm_registry_credentials){r.items.items, r.items.count};
	return STATUS_OK;
}
