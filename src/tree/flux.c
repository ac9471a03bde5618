/*
 * What appliers are told, where it stands and what it is called; and Flux's Kustomization of one
 * folder.
 */
#include "tree/tree.h"

#include "codec/codec.h"

/* ---- places and names -------------------------------------------------------------------- */

sv tree_delivery_path(struct arena *arena, sv applier, sv management, sv cluster)
{
	return ARENA_CONCAT(arena, applier, SV("/"), management, SV("/"), cluster);
}

/* APPLIER/MANAGEMENT/REST; false when it is no such path. */
static bool split_path(sv path, sv *ret_rest)
{
	sv applier;
	sv management;
	sv rest;

	if (!sv_cut(path, SV("/"), &applier, &rest) || !sv_eq(applier, SV("flux")) ||
	    !sv_cut(rest, SV("/"), &management, ret_rest))
		return false;
	return kube_name_valid(management);
}

bool tree_is_delivery_list(sv path)
{
	sv rest;

	return split_path(path, &rest) && sv_eq(rest, SV("kustomization.yaml"));
}

bool tree_is_delivery_path(sv path, sv cluster)
{
	sv owner;
	sv name;
	sv rest;

	if (!split_path(path, &rest))
		return false;
	if (sv_eq(rest, SV("kustomization.yaml")))
		return true;
	return sv_cut(rest, SV("/"), &owner, &name) && sv_eq(owner, cluster) &&
	       sv_find_char(name, '/') == SV_NPOS && sv_ends_with(name, SV(".yaml"));
}

sv tree_delivery_name(struct arena *arena, sv cluster, sv part)
{
	/* Flux puts the name into a label; so does Argo CD. */
	enum { NAME_MAX_BYTES = 63, DIGEST_LETTERS = 10 };
	sv name = ARENA_CONCAT(arena, cluster, SV("-"), part);

	if (name.len <= NAME_MAX_BYTES)
		return name;
	sv digest = sv_slice(digest_hex(arena, DIGEST_SHA256, name), 0, DIGEST_LETTERS);
	sv begin = sv_slice(name, 0, NAME_MAX_BYTES - DIGEST_LETTERS - 1);
	return ARENA_CONCAT(arena, sv_trim_right(begin, "-."), SV("-"), digest);
}

/* ---- Flux -------------------------------------------------------------------------------- */

static void set_text(struct arena *arena, struct value *map, const char *key, sv text)
{
	value_map_set(arena, map, sv_from_cstr(key), value_string(text));
}

static struct value secret_ref(struct arena *arena, sv name, sv key)
{
	struct value outer = value_map_new(arena);
	struct value ref = value_map_new(arena);

	set_text(arena, &ref, "name", name);
	if (!sv_empty(key))
		set_text(arena, &ref, "key", key);
	value_map_set(arena, &outer, SV("secretRef"), ref);
	return outer;
}

static struct value source_ref(struct arena *arena, const struct fleet_delivery *delivery)
{
	struct value ref = value_map_new(arena);

	set_text(arena, &ref, "kind", delivery->source_kind);
	set_text(arena, &ref, "name", delivery->source_name);
	if (!sv_eq(delivery->source_namespace, delivery->namespace))
		set_text(arena, &ref, "namespace", delivery->source_namespace);
	return ref;
}

static struct value depends_on(struct arena *arena, const struct tree_flux *flux)
{
	struct value list = value_list_new(arena);

	for (size_t i = 0; i < flux->depends_on_count; i++) {
		struct value item = value_map_new(arena);

		set_text(arena, &item, "name", flux->depends_on[i]);
		value_list_add(arena, &list, item);
	}
	return list;
}

/*
 * Orphan: when a side is cut, or is one again, its Kustomizations go and others take the objects
 * over; nothing may be deleted in between. What is gone from a folder goes by `prune`.
 */
static struct value flux_spec(struct arena *arena, const struct tree_flux *flux)
{
	const struct fleet_delivery *delivery = flux->delivery;
	struct value spec = value_map_new(arena);
	bool waits = delivery->wait ? delivery->wait->boolean : flux->is_waited_for;

	set_text(arena, &spec, "interval", delivery->interval);
	set_text(arena, &spec, "retryInterval", SV("1m"));
	set_text(arena, &spec, "timeout", SV("5m"));
	value_map_set(arena, &spec, SV("sourceRef"), source_ref(arena, delivery));
	set_text(arena, &spec, "path", flux->path);
	value_map_set(arena, &spec, SV("prune"), value_bool(true));
	set_text(arena, &spec, "deletionPolicy", SV("Orphan"));
	value_map_set(arena, &spec, SV("wait"), value_bool(waits));
	if (flux->depends_on_count > 0)
		value_map_set(arena, &spec, SV("dependsOn"), depends_on(arena, flux));
	if (flux->is_decrypted) {
		struct value decryption = secret_ref(arena, delivery->decryption_secret, SV(""));

		set_text(arena, &decryption, "provider", SV("sops"));
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
