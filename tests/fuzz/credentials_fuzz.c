/*
 * A Secret with credentials of registries, "TYPE\nKEY\nJSON": they are read, or it is said why not.
 * Everything but user names is secret.
 */
#include "osm/cluster.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

static struct value secret_of(struct arena *arena, sv type, sv key, sv text)
{
	struct value root = value_map_new(arena);
	struct value metadata = value_map_new(arena);
	struct value strings = value_map_new(arena);

	value_map_set(arena, &metadata, SV("name"), value_string(SV("registry")));
	value_map_set(arena, &strings, key, value_string(text));
	value_map_set(arena, &root, SV("apiVersion"), value_string(SV("v1")));
	value_map_set(arena, &root, SV("kind"), value_string(SV("Secret")));
	value_map_set(arena, &root, SV("metadata"), metadata);
	value_map_set(arena, &root, SV("type"), value_string(type));
	value_map_set(arena, &root, SV("stringData"), strings);
	return root;
}

static void check_secret(const struct value *string)
{
	check(value_is_string(string));
	check(sv_empty(string->string) || taint_secret(string->taint));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct sink sink = sink_in(arena);
	struct osm_registry_credentials credentials = {0};
	struct kube_object object;
	sv rest = sv_from((const char *)data, size);
	sv type;
	sv key;

	if (!sv_cut(rest, SV("\n"), &type, &rest) || !sv_cut(rest, SV("\n"), &key, &rest))
		return 0;
	struct value root = secret_of(arena, type, key, rest);
	const struct source *source = source_new(arena, SV("secret.yaml"), rest, true);
	if (kube_object_read(arena, &sink, source, &root, &object) != STATUS_OK)
		abort();
	enum status status =
	    osm_registry_credentials_read(arena, &sink, &object, NOWHERE, &credentials);
	check((status == STATUS_OK) == (sink.error_count == 0));
	for (size_t i = 0; i < credentials.count; i++) {
		const struct osm_registry_credential *item = &credentials.items[i];

		check(i == 0 || sv_cmp(credentials.items[i - 1].host, item->host) < 0);
		check(value_is_string(&item->username));
		check_secret(&item->password);
		check_secret(&item->auth);
		check_secret(&item->identity_token);
	}
	return 0;
}
