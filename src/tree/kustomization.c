/*
 * The kustomization.yaml of a cluster's side.
 */
#include "tree/tree.h"

#include "yaml/yaml.h"

sv tree_kustomization_path(struct arena *arena, sv cluster, enum artifact_side side)
{
	return ARENA_CONCAT(arena, cluster, SV("/"), tree_side_name(side),
	                    SV("/kustomization.yaml"));
}

void tree_add_kustomization(struct arena *arena, struct buf *buf, sv cluster,
                            enum artifact_side side, const sv *paths, size_t count)
{
	sv folder = ARENA_CONCAT(arena, cluster, SV("/"), tree_side_name(side), SV("/"));
	struct value root = value_map_new(arena);
	struct value resources = value_list_new(arena);
	sv *sorted = ARENA_ARRAY(arena, sv, count);

	for (size_t i = 0; i < count; i++) {
		BUG_ON(!sv_starts_with(paths[i], folder));
		sorted[i] = sv_from_offset(paths[i], folder.len);
	}
	sort_stable(sorted, count, sizeof(*sorted), sort_compare_sv, NULL);
	for (size_t i = 0; i < count; i++)
		value_list_add(arena, &resources, value_string(sorted[i]));
	value_map_set(arena, &root, SV("apiVersion"),
	              value_string(SV("kustomize.config.k8s.io/v1beta1")));
	value_map_set(arena, &root, SV("kind"), value_string(SV("Kustomization")));
	value_map_set(arena, &root, SV("resources"), resources);
	BUF_ADD_LIT(buf, TREE_HEADER "; do not edit.\n");
	yml_emit(buf, &root, (struct yml_format){0});
}
