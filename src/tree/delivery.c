/*
 * Paths and names of the objects that have Flux or Argo CD deploy the output.
 */
#include "tree/tree.h"

#include "codec/codec.h"

sv tree_delivery_path(struct arena *arena, sv applier, sv management, sv folder)
{
	return ARENA_CONCAT(arena, applier, SV("/"), management, SV("/"), folder);
}

sv tree_delivery_root(sv delivery_path, sv folder)
{
	return sv_slice(delivery_path, 0, delivery_path.len - folder.len - 1);
}

/* Splits APPLIER/MANAGEMENT/REST; returns false for any other path. */
static bool split_path(sv path, sv *ret_rest)
{
	sv applier;
	sv management;
	sv rest;

	if (!sv_cut(path, SV("/"), &applier, &rest) ||
	    (!sv_eq(applier, SV("flux")) && !sv_eq(applier, SV("argocd"))) ||
	    !sv_cut(rest, SV("/"), &management, ret_rest))
		return false;
	return kube_name_valid(management);
}

bool tree_is_delivery_list(sv path)
{
	sv rest;

	return split_path(path, &rest) && sv_eq(rest, SV("kustomization.yaml"));
}

bool tree_is_delivery_path(sv path, sv folder)
{
	sv name;
	sv rest;

	if (!split_path(path, &rest))
		return false;
	if (sv_eq(rest, SV("kustomization.yaml")))
		return true;
	name = sv_after_last(rest, '/');
	return rest.len == folder.len + 1 + name.len && sv_starts_with(rest, folder) &&
	       rest.ptr[folder.len] == '/' && sv_ends_with(name, SV(".yaml"));
}

sv tree_delivered_folder(sv path, sv *ret_delivery)
{
	sv rest;

	if (!split_path(path, &rest))
		return SV("");
	*ret_delivery = sv_slice(path, 0, sv_rfind_char(path, '/'));
	sv folder = sv_slice(rest, 0, sv_rfind_char(rest, '/'));
	return folder.len < rest.len && tree_is_delivery_path(path, folder) ? folder : SV("");
}

sv tree_delivery_name(struct arena *arena, sv cluster, sv part)
{
	/* Flux and Argo CD put the name into a label. */
	enum { NAME_MAX_BYTES = 63, DIGEST_LETTERS = 10 };
	sv name = sv_empty(part) ? cluster : ARENA_CONCAT(arena, cluster, SV("-"), part);

	if (name.len <= NAME_MAX_BYTES)
		return name;
	sv digest = sv_slice(digest_hex(arena, DIGEST_SHA256, name), 0, DIGEST_LETTERS);
	sv begin = sv_slice(name, 0, NAME_MAX_BYTES - DIGEST_LETTERS - 1);
	return ARENA_CONCAT(arena, sv_trim_right(begin, "-."), SV("-"), digest);
}
