/*
 * Secrets and ConfigMaps: keys and decoded values.
 */
#include "codec/codec.h"
#include "kube/kube.h"
#include "secrecy/secrecy.h"

sv kube_secret_name(struct arena *arena, sv namespace, sv name, sv key)
{
	return ARENA_CONCAT(arena, namespace, SV("/"), name, SV(":"), key);
}

struct value kube_absent_value(struct arena *arena, sv namespace, sv name, sv key)
{
	return secrecy_absent(arena, kube_secret_name(arena, namespace, name, key),
	                      (struct secret_owner){SECRET_OWNER_OBJECT, namespace, name});
}

sv kube_secret_type(const struct kube_object *secret)
{
	sv type = value_text(value_map_get(secret->root, SV("type")));

	return sv_empty(type) ? SV("Opaque") : type;
}

bool kube_secret_may_be_token(const struct kube_object *object)
{
	return sv_eq(object->id.kind, SV("Secret")) &&
	       sv_eq(object->id.namespace, SV(KUBE_TOKEN_NAMESPACE)) &&
	       sv_starts_with(object->id.name, SV(KUBE_TOKEN_PREFIX));
}

bool kube_secret_has(const struct kube_object *secret, sv key)
{
	return value_map_get(value_map_get(secret->root, SV("stringData")), key) ||
	       value_map_get(value_map_get(secret->root, SV("data")), key);
}

bool kube_secret_is_empty(const struct kube_object *secret)
{
	return value_count(value_map_get(secret->root, SV("data"))) == 0 &&
	       value_count(value_map_get(secret->root, SV("stringData"))) == 0;
}

bool kube_secret_is_unfilled(const struct kube_object *secret, sv key)
{
	return kube_secret_is_empty(secret) ||
	       (sv_eq(kube_secret_type(secret), SV("kubernetes.io/service-account-token")) &&
	        !kube_secret_has(secret, key));
}

struct kube_keys kube_secret_keys(struct arena *arena, const struct kube_object *secret)
{
	const struct value *maps[] = {
	    value_map_get(secret->root, SV("data")),
	    value_map_get(secret->root, SV("stringData")),
	};
	sv *keys = ARENA_ARRAY(arena, sv, value_count(maps[0]) + value_count(maps[1]) + 1);
	size_t count = 0;

	for (size_t m = 0; m < COUNT_OF(maps); m++) {
		if (!value_is_map(maps[m]))
			continue;
		for (size_t i = 0; i < value_count(maps[m]); i++) {
			sv key = maps[m]->map->entries[i].key;

			if (m == 0 || !value_map_get(maps[0], key))
				keys[count++] = key;
		}
	}
	sort_stable(keys, count, sizeof(*keys), sort_compare_sv, NULL);
	return (struct kube_keys){keys, count};
}

static struct diag *report_missing_key(struct sink *sink, const struct kube_object *object, sv key,
                                       struct position wanted)
{
	sv what = kube_object_describe(sink->arena, object);
	struct kube_keys keys = kube_secret_keys(sink->arena, object);
	sv nearest = diag_nearest(key, keys.items, keys.count);
	struct diag *diag = diag_report(sink, DIAG_OBJECT_KEY, wanted, "%.*s has no key \"%.*s\"",
	                                SV_ARG(what), SV_ARG(key));

	if (wanted.source != object->source)
		diag_add_note(sink, diag, kube_object_position(object), "the object is here");
	const char *where = sv_eq(object->id.kind, SV("Secret"))
	                        ? ", and keep the Secret encrypted or in the --secrets folder"
	                        : "";
	if (sv_empty(nearest))
		diag_set_help(sink, diag, "add the key \"%.*s\" to its data%s", SV_ARG(key), where);
	else
		diag_set_help(sink, diag, "did you mean \"%.*s\"? Otherwise add it to its data%s",
		              SV_ARG(nearest), where);
	return diag;
}

/* Decodes a value of data or binaryData. */
static enum status decode_entry(struct arena *arena, struct sink *sink,
                                const struct kube_object *object, sv key, const struct value *entry,
                                sv *ret_text)
{
	sv what = kube_object_describe(sink->arena, object);
	size_t error_at = 0;

	if (!value_is_string(entry) && !value_is_null(entry)) {
		diag_report(sink, DIAG_OBJECT_DATA, value_position(entry),
		            "key \"%.*s\" of %.*s must be a string", SV_ARG(key), SV_ARG(what));
		return STATUS_FAILED;
	}
	if (!base64_decode(arena, BASE64_STD, value_text(entry), ret_text, &error_at)) {
		struct diag *diag =
		    diag_report(sink, DIAG_OBJECT_DATA, value_position(entry),
		                "key \"%.*s\" of %.*s is not base64 (wrong at byte %zu)",
		                SV_ARG(key), SV_ARG(what), error_at);
		diag_set_help(sink, diag, "encode it with `base64 -w0`, or move it to stringData");
		return STATUS_FAILED;
	}
	return STATUS_OK;
}

static struct value make_secret_string(struct arena *arena, const struct kube_object *object,
                                       sv key, sv text, struct origin origin)
{
	struct secret *secret = ARENA_NEW(arena, struct secret);

	*secret = (struct secret){
	    .name = kube_secret_name(arena, object->id.namespace, object->id.name, key),
	    .text = text,
	    .high_entropy = secrecy_is_random(text),
	};
	struct value string = value_secret_string(arena, text, secret);
	string.origin = origin;
	return string;
}

enum status kube_secret_value(struct arena *arena, struct sink *sink,
                              const struct kube_object *secret, sv key, struct position wanted,
                              struct value *ret_string)
{
	const struct value *clear =
	    value_map_get(value_map_get(secret->root, SV("stringData")), key);
	const struct value *encoded = value_map_get(value_map_get(secret->root, SV("data")), key);
	sv text;

	if (value_is_string(clear)) {
		*ret_string = make_secret_string(arena, secret, key,
		                                 arena_dup(arena, clear->string), clear->origin);
		return STATUS_OK;
	}
	if (!encoded) {
		report_missing_key(sink, secret, key, wanted);
		return STATUS_FAILED;
	}
	if (decode_entry(arena, sink, secret, key, encoded, &text) != STATUS_OK)
		return STATUS_FAILED;
	*ret_string = make_secret_string(arena, secret, key, text, encoded->origin);
	return STATUS_OK;
}

enum status kube_config_map_value(struct arena *arena, struct sink *sink,
                                  const struct kube_object *config_map, sv key,
                                  struct position wanted, struct value *ret_string)
{
	const struct value *clear = value_map_get(value_map_get(config_map->root, SV("data")), key);
	const struct value *binary =
	    value_map_get(value_map_get(config_map->root, SV("binaryData")), key);
	sv text;

	if (value_is_string(clear)) {
		*ret_string = *clear;
		return STATUS_OK;
	}
	if (clear) {
		sv what = kube_object_describe(sink->arena, config_map);

		diag_report(sink, DIAG_OBJECT_DATA, value_position(clear),
		            "key \"%.*s\" of %.*s must be a string", SV_ARG(key), SV_ARG(what));
		return STATUS_FAILED;
	}
	if (!binary) {
		report_missing_key(sink, config_map, key, wanted);
		return STATUS_FAILED;
	}
	if (decode_entry(arena, sink, config_map, key, binary, &text) != STATUS_OK)
		return STATUS_FAILED;
	*ret_string = value_string(text);
	ret_string->taint = taint_whole(arena, text.len, secrecy_find(binary));
	ret_string->origin = binary->origin;
	return STATUS_OK;
}
