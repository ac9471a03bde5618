/* index.json as an audit reads it: its paths lead nowhere else, and each entry can be judged. */
#include "audit/internal.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

static struct value document_of(struct arena *arena, const struct kube_id *id)
{
	struct value document = value_map_new(arena);
	struct value metadata = value_map_new(arena);

	value_map_set(arena, &metadata, SV("namespace"), value_string(id->namespace));
	value_map_set(arena, &metadata, SV("name"), value_string(id->name));
	value_map_set(arena, &document, SV("apiVersion"), value_string(id->api_version));
	value_map_set(arena, &document, SV("kind"), value_string(id->kind));
	value_map_set(arena, &document, SV("metadata"), metadata);
	return document;
}

static void judge(struct arena *arena, const struct tree_index *index,
                  const struct tree_file *entry, sv text)
{
	check(sv_starts_with(entry->path, ARENA_CONCAT(arena, index->folder, SV("/"))) ||
	      (entry->is_delivery && tree_is_delivery_path(entry->path, index->folder)));
	sv path = ARENA_CONCAT(arena, SV("/"), entry->path, SV("/"));
	check(!sv_contains(path, SV("/../")) && !sv_contains(path, SV("//")));
	check(sv_empty(entry->object.kind) || !entry->patch_of);
	/* The object that it lists is the one that is there: only place and source can be wrong. */
	struct value document = document_of(arena, &entry->object);
	sv mistake = audit_place_mistake(arena, index, entry, &document, text);
	/* And what is no patch is never taken for one. */
	check(!entry->patch_of || !sv_empty(mistake));
	check(index->file_count > 0);
}

static void read_in(struct arena *arena, sv folder, sv text)
{
	struct audit_findings findings = audit_findings_in(arena, SV("out"));
	sv worker = tree_side_path(arena, folder, ARTIFACT_WORKER);
	struct tree_index index = {0};
	sv what = {0};

	if (!audit_read_index(arena, folder,
	                      source_new(arena, tree_index_path(arena, folder), text, false),
	                      &index, &what)) {
		check(!sv_empty(what));
		return;
	}
	for (size_t i = 0; i < index.file_count; i++)
		judge(arena, &index, &index.files[i], text);
	for (size_t i = 1; i < index.recipient_count; i++)
		check(sv_cmp(index.recipients[i - 1], index.recipients[i]) <= 0);
	index.cluster = SV("folder");
	struct audit_tree tree = {.listed = map_in(arena)};
	VEC_PUSH(arena, &tree.indexes, index);
	const sv paths[] = {tree_kustomization_path(arena, worker), tree_ksops_path(arena, worker),
	                    SV("flux/hub/kustomization.yaml")};
	for (size_t i = 0; i < COUNT_OF(paths); i++) {
		const struct tree_file entry = {.path = paths[i], .is_delivery = i == 2};
		const struct audit_file file = {
		    .findings = &findings, .index = &index, .entry = &entry, .text = text};

		audit_check_kustomization(arena, &tree, &file);
	}
}

/* Beside the others, and in its bucket. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	sv text = sv_from((const char *)data, size);

	read_in(arena, SV("folder"), text);
	read_in(arena, fleet_folder(arena, SV("folder"), true), text);
	return 0;
}
