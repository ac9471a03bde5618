/*
 * Which cluster a file belongs to.
 */
#include "fleet/internal.h"

/* Maps hold no numbers: a number + 1 stands as a pointer, null is "none". */
static void *as_pointer(size_t number)
{
	return (void *)(uintptr_t)(number + 1);
}

static size_t as_number(const void *pointer)
{
	return pointer ? (size_t)(uintptr_t)pointer - 1 : FLEET_NO_CLUSTER;
}

struct fleet_scopes fleet_scopes_of(struct arena *arena, const struct fleet_draft *draft)
{
	struct fleet_scopes scopes = {draft, map_in(arena), map_in(arena)};

	for (size_t i = 0; i < draft->clusters.count; i++) {
		const struct fleet_cluster_draft *cluster = &draft->clusters.items[i];

		if (!map_get(&scopes.by_folder, cluster->scope))
			map_put(&scopes.by_folder, cluster->scope, as_pointer(i));
		if (!sv_empty(cluster->name) && !map_get(&scopes.by_name, cluster->name))
			map_put(&scopes.by_name, cluster->name, as_pointer(i));
	}
	return scopes;
}

static size_t scope_of_path(const struct fleet_scopes *scopes, sv path)
{
	sv folder = path;

	while (!sv_empty(folder)) {
		folder = fleet_path_folder(folder);
		size_t cluster = as_number(map_get(&scopes->by_folder, folder));
		if (cluster != FLEET_NO_CLUSTER)
			return cluster;
	}
	return FLEET_NO_CLUSTER;
}

size_t fleet_scope_of(const struct fleet_scopes *scopes, const struct fleet_file *file)
{
	sv first;
	sv rest;

	if (!fleet_file_is_external(file))
		return scope_of_path(scopes, file->path);
	/* The --secrets folder may be laid out as the repository, or by clusters' names. */
	size_t cluster = scope_of_path(scopes, file->secrets_path);
	if (cluster == FLEET_NO_CLUSTER && sv_cut(file->secrets_path, SV("/"), &first, &rest))
		cluster = as_number(map_get(&scopes->by_name, first));
	return cluster;
}
