/*
 * Every secret of the inputs, for the leak scan and for masking: also those that no template asks
 * for, and those that only another cluster's output may hold.
 */
#include "plan/plan.h"

/* Collects secrets. Clusters share objects, which are added once. */
struct adder {
	struct arena *arena;   /* of the secret kind */
	struct arena *scratch; /* likewise, reset after each use */
	struct known_secrets *secrets;
	struct set seen;
	struct set published;
};

static void add_secret_object(struct adder *a, const struct kube_object *secret)
{
	const struct kube_id *id = &secret->id;
	struct sink unused = sink_in(a->arena);
	struct kube_keys keys = kube_secret_keys(a->arena, secret);

	for (size_t i = 0; i < keys.count; i++) {
		sv name = kube_secret_name(a->arena, id->namespace, id->name, keys.items[i]);
		struct value text;

		if (kube_secret_value(a->arena, &unused, secret, keys.items[i], NOWHERE, &text) !=
		    STATUS_OK)
			continue;
		known_secrets_add_data(a->secrets, name, keys.items[i], text.string);
		known_secrets_place(a->secrets, keys.items[i], &text);
	}
}

static void add_config_map(struct adder *a, const struct kube_object *config_map)
{
	const struct kube_id *id = &config_map->id;
	const struct value *data = value_map_get(config_map->root, SV("data"));

	for (size_t i = 0; i < value_count(data); i++) {
		const struct value_entry *entry = &data->map->entries[i];

		known_secrets_add_data(
		    a->secrets, kube_secret_name(a->arena, id->namespace, id->name, entry->key),
		    entry->key, value_text(&entry->value));
	}
}

/* Returns true the first time for a pointer: clusters share scopes and objects. */
static bool is_first(struct adder *a, struct set *seen, const void *pointer)
{
	sv key = sv_from_bytes(&pointer, sizeof(const void *));

	if (set_has(seen, key))
		return false;
	set_add(seen, arena_dup(a->arena, key));
	return true;
}

/* Adds the objects of each scope once, however many clusters share it. */
static void add_objects(struct adder *a, const struct kube_objects *objects)
{
	for (const struct kube_objects *scope = objects; scope; scope = scope->farther) {
		if (!is_first(a, &a->seen, scope))
			continue;
		VEC_EACH (secret, kube_objects_own_of_kind(scope, SV("Secret")))
			add_secret_object(a, *secret);
		VEC_EACH (config_map, kube_objects_own_of_kind(scope, SV("ConfigMap")))
			if ((*config_map)->confidential)
				add_config_map(a, *config_map);
	}
}

/* Adds the credentials that a unit has in the clear. Nothing is kept of the many that have none. */
static void add_unit_secrets(struct adder *a, const struct dialect_unit *unit)
{
	if (!unit->dialect->credentials || unit->object->has_no_credential)
		return;
	struct value tainted = unit->dialect->credentials(a->scratch, unit->object);
	bool is_found = secrecy_find(&tainted) != NULL;

	arena_reset(a->scratch);
	if (!is_found)
		return;
	tainted = unit->dialect->credentials(a->arena, unit->object);
	known_secrets_add_value(a->secrets, &tainted);
}

static void add_cluster(struct adder *a, const struct fleet_cluster *cluster)
{
	add_objects(a, cluster->objects);
	for (size_t i = 0; i < cluster->dialect_count; i++) {
		const struct dialect_cluster *view = &cluster->dialects[i];

		if (!view->dialect->settings_secrets)
			continue;
		struct value secrets = view->dialect->settings_secrets(a->arena, view->settings);

		known_secrets_add_value(a->secrets, &secrets);
	}
	for (size_t i = 0; i < cluster->unit_count; i++)
		add_unit_secrets(a, &cluster->units[i]);
}

/* ---- public values ----------------------------------------------------------------------- */

static void publish(struct adder *a, const struct kube_object *object)
{
	if (object->confidential)
		return;
	if (sv_eq(object->id.kind, SV("Secret")))
		known_secrets_publish(a->secrets, value_map_get(object->root, SV("metadata")));
	else
		known_secrets_publish(a->secrets, object->root);
}

/* Publishes an object once, however many clusters share it. */
static void publish_object(struct adder *a, const struct kube_object *object)
{
	if (is_first(a, &a->published, object))
		publish(a, object);
}

static void publish_cluster(struct adder *a, const struct fleet_cluster *cluster)
{
	for (const struct kube_objects *objects = cluster->objects; objects;
	     objects = objects->farther)
		for (size_t i = 0; i < objects->by_id.count; i++)
			publish_object(a, objects->by_id.entries[i].value);
	for (size_t i = 0; i < cluster->dialect_count; i++) {
		const struct dialect_cluster *view = &cluster->dialects[i];

		VEC_EACH (definition, &view->definitions)
			publish_object(a, *definition);
		for (size_t j = 0; view->shared && j < view->shared->count; j++)
			publish_object(a, view->shared->items[j]);
	}
	for (size_t i = 0; i < cluster->unit_count; i++) {
		const struct kube_object *object = cluster->units[i].object;

		(void)kube_object_open(a->scratch, object);
		publish(a, object);
		kube_object_close(object);
		arena_reset(a->scratch);
	}
}

void plan_add_secrets(struct arena *secret_arena, const struct plan_request *request,
                      const struct dialect_environment *environment, struct known_secrets *secrets)
{
	ARENA_AUTO scratch = arena_new(ARENA_SECRET);
	struct adder a = {
	    .arena = secret_arena,
	    .scratch = scratch,
	    .secrets = secrets,
	    .seen = set_in(secret_arena),
	    .published = set_in(secret_arena),
	};
	const struct plan_key *identities = &request->identities;

	known_secrets_add_identities(secrets, identities->name, identities->text);
	/*
	 * Add only credentials: a user or a region may be in the clear for other machines. The
	 * output of a machine is scanned for the variables that it uses.
	 */
	for (size_t i = 0; i < environment->count; i++) {
		struct value variable = value_map_new(secret_arena);

		value_map_set(secret_arena, &variable, environment->items[i].name,
		              environment->items[i].text);
		known_secrets_add_variables(secrets, &variable);
	}
	for (size_t i = 0; i < request->fleet->cluster_count; i++)
		add_cluster(&a, &request->fleet->clusters[i]);
	for (size_t i = 0; i < request->fleet->cluster_count; i++)
		publish_cluster(&a, &request->fleet->clusters[i]);
}
