/*
 * Flux's Kustomization of one folder.
 */
#include "tree/tree.h"

static struct value secret_ref(struct arena *arena, sv name, sv key)
{
	struct value outer = value_map_new(arena);
	struct value ref = value_map_new(arena);

	value_map_set_text(arena, &ref, "name", name);
	if (!sv_empty(key))
		value_map_set_text(arena, &ref, "key", key);
	value_map_set(arena, &outer, SV("secretRef"), ref);
	return outer;
}

static struct value source_ref(struct arena *arena, const struct fleet_delivery *delivery)
{
	struct value ref = value_map_new(arena);

	value_map_set_text(arena, &ref, "kind", delivery->source_kind);
	value_map_set_text(arena, &ref, "name", delivery->source_name);
	if (!sv_eq(delivery->source_namespace, delivery->namespace))
		value_map_set_text(arena, &ref, "namespace", delivery->source_namespace);
	return ref;
}

static struct value depends_on(struct arena *arena, const struct tree_flux *flux)
{
	struct value list = value_list_new(arena);

	for (size_t i = 0; i < flux->depends_on_count; i++) {
		struct value item = value_map_new(arena);

		value_map_set_text(arena, &item, "name", flux->depends_on[i]);
		value_list_add(arena, &list, item);
	}
	return list;
}

/*
 * The deletion policy of a whole side is Orphan: when the side is cut, its Kustomization is removed
 * and those of the parts take its objects over, of which none may be deleted in between. `prune`
 * deletes objects whose files are gone. A part's Kustomization is removed with its last unit, whose
 * tokens must go too (MirrorPrune).
 */
static struct value flux_spec(struct arena *arena, const struct tree_flux *flux)
{
	const struct fleet_delivery *delivery = flux->delivery;
	struct value spec = value_map_new(arena);
	bool waits = delivery->wait ? delivery->wait->boolean : flux->is_waited_for;

	value_map_set_text(arena, &spec, "interval", delivery->interval);
	value_map_set_text(arena, &spec, "retryInterval", SV("1m"));
	value_map_set_text(arena, &spec, "timeout", SV("5m"));
	value_map_set(arena, &spec, SV("sourceRef"), source_ref(arena, delivery));
	value_map_set_text(arena, &spec, "path", flux->path);
	value_map_set(arena, &spec, SV("prune"), value_bool(true));
	value_map_set_text(arena, &spec, "deletionPolicy",
	                   flux->is_part ? SV("MirrorPrune") : SV("Orphan"));
	value_map_set(arena, &spec, SV("wait"), value_bool(waits));
	if (flux->depends_on_count > 0)
		value_map_set(arena, &spec, SV("dependsOn"), depends_on(arena, flux));
	if (flux->is_decrypted) {
		struct value decryption = secret_ref(arena, delivery->decryption_secret, SV(""));

		value_map_set_text(arena, &decryption, "provider", SV("sops"));
		value_map_set(arena, &spec, SV("decryption"), decryption);
	}
	if (flux->is_remote)
		value_map_set(
		    arena, &spec, SV("kubeConfig"),
		    secret_ref(arena, delivery->kubeconfig_secret, delivery->kubeconfig_key));
	return spec;
}

struct value tree_flux_object(struct arena *arena, const struct tree_flux *flux)
{
	const struct kube_id id = {
	    .api_version = SV("kustomize.toolkit.fluxcd.io/v1"),
	    .kind = SV("Kustomization"),
	    .namespace = flux->delivery->namespace,
	    .name = flux->name,
	};
	struct value object = kube_object_new(arena, &id, NULL, NULL);

	value_map_set(arena, &object, SV("spec"), flux_spec(arena, flux));
	return object;
}
