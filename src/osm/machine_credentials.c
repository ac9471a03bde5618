/*
 * Finds the credentials in a MachineDeployment: members that its cloud defines as such, members
 * whose name always means one, and names (a user's) that are equal to their credential.
 */
#include "dialect/dialect.h"
#include "golang/golang.h"
#include "osm/cloud.h"
#include "osm/machine.h"
#include "osm/osm.h"

struct value osm_taint_credentials(struct arena *arena, sv provider, const struct value *spec,
                                   sv prefix)
{
	const struct osm_provider *found = osm_provider_find(provider);

	return secrecy_taint_credentials(arena, spec, prefix, found ? found->secrets : NULL,
	                                 found ? found->secret_count : 0);
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
	    arena, value_text(go_json_member(config, SV("cloudProvider"))), config,
	    kube_secret_name(arena, id->namespace, id->name, SV("providerSpec")));
}

struct value osm_machine_manifest(struct arena *arena, const struct kube_object *machine_deployment)
{
	static const char *const path[] = {"spec", "template", "spec", "providerSpec"};
	struct value copy = value_copy(arena, machine_deployment->root);
	struct value credentials = osm_machine_credentials(arena, machine_deployment);
	struct value *parent = &copy;

	for (size_t i = 0; i < COUNT_OF(path) && parent; i++)
		parent = value_map_get_mutable(parent, sv_from_cstr(path[i]));
	if (parent && value_is_map(&credentials))
		value_map_set(arena, parent, SV("value"), credentials);
	return copy;
}

/* ---- names that are the same as a credential --------------------------------------------- */

/* Returns true if the leak scan searches for the string. Others may be in clear text. */
static bool is_looked_for(struct arena *arena, sv text)
{
	struct secrecy_public public = osm_newest_public_texts(arena);

	return text.len >= LEAK_MIN_SIZE && !secrecy_is_public_word(&public, text);
}

void osm_hide_if_same(struct arena *arena, struct value *name, const struct value *credential)
{
	const struct secret *secret = secrecy_find(credential);
	sv text = sv_trim_space(value_text(name));

	if (!secret || name->taint || !sv_eq(text, sv_trim_space(value_text(credential))) ||
	    !is_looked_for(arena, text))
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
	struct sink ignored = sink_in(h->arena);
	struct value text;
	sv key = value_text(go_json_member(reference, SV("key")));
	const struct kube_object *object = kube_objects_find(
	    h->objects, SV("Secret"), value_text(go_json_member(reference, SV("namespace"))),
	    value_text(go_json_member(reference, SV("name"))));

	if (object && kube_secret_has(object, key) &&
	    kube_secret_value(h->arena, &ignored, object, key, NOWHERE, &text) == STATUS_OK)
		VEC_PUSH(h->arena, &h->credentials, text);
}

static enum secrecy_step collect_credential(void *context, struct secrecy_place *place)
{
	struct hider *h = context;

	if (place->entry && go_json_key_is(place->entry->key, SV("secretKeyRef"))) {
		add_referenced(h, place->value);
		return SECRECY_OVER;
	}
	if (value_is_string(place->value) && place->value->taint)
		VEC_PUSH(h->arena, &h->credentials, *place->value);
	return SECRECY_INTO;
}

static enum secrecy_step hide_same(void *context, struct secrecy_place *place,
                                   struct value *ret_copy)
{
	struct hider *h = context;
	const struct value *v = place->value;

	if (place->entry && secrecy_names_reference(place->entry->key))
		return SECRECY_OVER;
	if (value_is_map(v) && v->map)
		place->key_secret = v->map->key_secret;
	if (value_is_map(v) || value_is_list(v))
		return SECRECY_INTO;
	VEC_EACH (credential, &h->credentials)
		osm_hide_if_same(h->arena, ret_copy, credential);
	return SECRECY_OVER;
}

struct value osm_hide_names(struct arena *arena, const struct kube_objects *objects,
                            const struct value *spec)
{
	struct hider hider = {.arena = arena, .objects = objects};

	secrecy_visit(spec, collect_credential, &hider);
	return hider.credentials.count > 0 ? secrecy_copy(arena, spec, hide_same, &hider) : *spec;
}
