/*
 * The kustomization.yaml of a folder.
 */
#include "tree/tree.h"

#include "yaml/yaml.h"

sv tree_kustomization_path(struct arena *arena, sv folder)
{
	return ARENA_CONCAT(arena, folder, SV("/kustomization.yaml"));
}

#define KSOPS_FILE "ksops.yaml"

sv tree_ksops_path(struct arena *arena, sv folder)
{
	return ARENA_CONCAT(arena, folder, SV("/" KSOPS_FILE));
}

/* Returns the paths relative to the folder, sorted. `folder` ends with "/". */
static struct value relative_paths(struct arena *arena, sv folder, const sv *paths, size_t count)
{
	sv *sorted = ARENA_ARRAY(arena, sv, count);

	for (size_t i = 0; i < count; i++) {
		BUG_ON(!sv_starts_with(paths[i], folder));
		sorted[i] = sv_from_offset(paths[i], folder.len);
	}
	sort_stable(sorted, count, sizeof(*sorted), sort_compare_sv, NULL);
	return value_strings(arena, sorted, count);
}

void tree_add_ksops(struct arena *arena, struct buf *buf, const struct tree_kustomization *k)
{
	sv folder = ARENA_CONCAT(arena, k->folder, SV("/"));
	struct value root = value_map_new(arena);
	struct value metadata = value_map_new(arena);
	struct value annotations = value_map_new(arena);

	value_map_set(arena, &annotations, SV("config.kubernetes.io/function"),
	              value_string(SV("exec:\n  path: ksops\n")));
	value_map_set(arena, &metadata, SV("name"), value_string(SV("sealed")));
	value_map_set(arena, &metadata, SV("annotations"), annotations);
	value_map_set(arena, &root, SV("apiVersion"), value_string(SV("viaduct.ai/v1")));
	value_map_set(arena, &root, SV("kind"), value_string(SV("ksops")));
	value_map_set(arena, &root, SV("metadata"), metadata);
	value_map_set(arena, &root, SV("files"),
	              relative_paths(arena, folder, k->sealed, k->sealed_count));
	BUF_ADD_LIT(buf, TREE_HEADER "; do not edit.\n");
	yml_emit(buf, &root, (struct yml_format){0});
}

/*
 * kustomize reads a target's names as anchored regular expressions. Of the characters that a name
 * may have only the dot needs to be escaped.
 */
static struct value literal(struct arena *arena, sv name)
{
	struct buf out = buf_in(arena);

	for (size_t i = 0; i < name.len; i++) {
		if (name.ptr[i] == '.')
			buf_add_char(&out, '\\');
		buf_add_char(&out, name.ptr[i]);
	}
	return value_string(buf_sv(&out));
}

static struct value patch_entry(struct arena *arena, const struct tree_kustomized_patch *patch,
                                sv folder)
{
	struct value entry = value_map_new(arena);
	struct value target = value_map_new(arena);
	sv group;
	sv version;

	sv_cut(patch->target.api_version, SV("/"), &group, &version);
	value_map_set(arena, &target, SV("group"), literal(arena, group));
	value_map_set(arena, &target, SV("kind"), value_string(patch->target.kind));
	value_map_set(arena, &target, SV("name"), literal(arena, patch->target.name));
	value_map_set(arena, &target, SV("namespace"), literal(arena, patch->target.namespace));
	value_map_set(arena, &entry, SV("path"),
	              value_string(sv_from_offset(patch->path, folder.len)));
	value_map_set(arena, &entry, SV("target"), target);
	return entry;
}

void tree_add_kustomization(struct arena *arena, struct buf *buf,
                            const struct tree_kustomization *k)
{
	sv folder = ARENA_CONCAT(arena, k->folder, SV("/"));
	struct value root = value_map_new(arena);
	struct value resources = relative_paths(arena, folder, k->paths, k->count);
	struct value patches = value_list_new(arena);

	value_map_set(arena, &root, SV("apiVersion"),
	              value_string(SV("kustomize.config.k8s.io/v1beta1")));
	value_map_set(arena, &root, SV("kind"), value_string(SV("Kustomization")));
	if (k->sealed_count > 0) {
		struct value generators = value_list_new(arena);

		value_list_add(arena, &generators, value_string(SV(KSOPS_FILE)));
		value_map_set(arena, &root, SV("generators"), generators);
	}
	if (k->count > 0)
		value_map_set(arena, &root, SV("resources"), resources);
	BUF_ADD_LIT(buf, TREE_HEADER "; do not edit.\n");
	SORT_BY(k->patches, k->patch_count, path);
	for (size_t i = 0; i < k->patch_count; i++)
		value_list_add(arena, &patches, patch_entry(arena, &k->patches[i], folder));
	if (k->patch_count > 0)
		value_map_set(arena, &root, SV("patches"), patches);
	yml_emit(buf, &root, (struct yml_format){0});
}
