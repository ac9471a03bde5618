/*
 * ConfigMaps that hold a credential, which are encrypted in git. A ConfigMap need not be secret:
 * its keys, its values and the objects that refer to it decide.
 */
#include "adopt/internal.h"

#include "golang/golang.h"

struct referring {
	const struct kube_object *map;
	bool found;
};

/* Finds `password: {configMapKeyRef: ...}` that names the ConfigMap, with any of its keys. */
static enum secrecy_step find_reference(void *context, struct secrecy_place *place)
{
	struct referring *r = context;
	const struct secrecy_place *field = place->parent;

	if (!place->entry || !go_json_key_is(place->entry->key, SV("configMapKeyRef")))
		return SECRECY_INTO;
	r->found |=
	    field && field->entry && secrecy_names_credential(field->entry->key) &&
	    sv_eq(value_text(go_json_member(place->value, SV("name"))), r->map->id.name) &&
	    sv_eq(value_text(go_json_member(place->value, SV("namespace"))), r->map->id.namespace);
	return SECRECY_OVER;
}

/*
 * Returns true for the ConfigMap with the API server and its CA, which every joining machine may
 * read without a credential. The name of its key, kubeconfig, does not make it secret; its content
 * might (secrecy_manifest_may_hold_credential).
 */
static bool is_cluster_info(const struct kube_object *map)
{
	return sv_eq(map->id.namespace, SV("kube-public")) &&
	       sv_eq(map->id.name, SV("cluster-info"));
}

bool adopt_map_holds_credential(struct arena *arena, const struct kube_object *map,
                                const struct dialect_cluster *clusters, size_t cluster_count)
{
	const struct value clean = adopt_clean(arena, NULL, map);
	const struct value *data = value_map_get(&clean, SV("data"));
	struct referring r = {.map = map};

	for (size_t i = 0; value_is_map(data) && i < value_count(data); i++) {
		const struct value_entry *entry = &data->map->entries[i];

		/* People call the only key "key", for secrets and for other content. */
		bool is_public = sv_eq(entry->key, SV("key")) ||
		                 (is_cluster_info(map) && sv_eq(entry->key, SV("kubeconfig")));

		if ((secrecy_names_credential(entry->key) && !is_public) ||
		    secrecy_manifest_may_hold_credential(value_text(&entry->value)) ||
		    secrecy_look_at(value_text(&entry->value), adopt_text_kind(entry->key)).look !=
		        SECRECY_LOOKS_PLAIN)
			return true;
	}
	for (size_t i = 0; i < cluster_count; i++)
		VEC_EACH (unit, &clusters[i].units)
			secrecy_visit((*unit)->root, find_reference, &r);
	return r.found;
}
