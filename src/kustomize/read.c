/*
 * Finds all files that a kustomization uses: its own members', and those of its bases and
 * components.
 */
#include "kustomize/internal.h"

/* Returns the kustomization of a folder, which must be the only one. */
static const struct kustomize_file *open_folder(struct kustomize_reader *r, sv folder,
                                                struct position at)
{
	const struct kustomize_file *found = NULL;
	size_t count = 0;

	for (size_t i = 0; i < KUSTOMIZE_FILE_NAMES; i++) {
		sv path = os_join(r->arena, folder, kustomize_file_names[i]);
		enum kustomize_kind kind = r->tree->kind(r->tree->context, path);

		if (kind == KUSTOMIZE_ABSENT)
			continue;
		count++;
		if (kind != KUSTOMIZE_FILE || kustomize_is_link(r, path)) {
			kustomize_refuse(r, at,
			                 ARENA_CONCAT(r->arena, SV("\""), path,
			                              SV("\" is a symbolic link or no file")));
			return NULL;
		}
		found = kustomize_add_file(r, at, path, KUSTOMIZE_KUSTOMIZATION);
	}
	if (count != 1) {
		struct diag *diag = kustomize_refuse(
		    r, at,
		    arena_printf(r->arena, "the folder \"%.*s\" has %s", SV_ARG(folder),
		                 count == 0 ? "no kustomization.yaml" : "several kustomizations"));
		diag_set_help(r->sink, diag, "a folder of kustomize has one kustomization.yaml");
		return NULL;
	}
	if (found && found->source &&
	    (found->documents.count != 1 || !value_is_map(&found->documents.items[0].root))) {
		kustomize_refuse(r, position_of_source(found->source),
		                 SV("a kustomization is one map of YAML"));
		return NULL;
	}
	return found;
}

static bool has_item(const struct value *list, sv text)
{
	for (size_t i = 0; value_is_list(list) && i < value_count(list); i++)
		if (sv_eq(value_text(value_item(list, i)), text))
			return true;
	return false;
}

enum status kustomize_read(struct arena *arena, struct arena *secret_arena, struct sink *sink,
                           const struct kustomize_tree *tree, sv folder, struct position at,
                           struct kustomize_inputs *ret_inputs)
{
	size_t errors = sink->error_count;
	struct kustomize_reader reader = {
	    .arena = arena,
	    .secret_arena = secret_arena,
	    .sink = sink,
	    .tree = tree,
	    .inputs = ret_inputs,
	    .known_folders = set_in(arena),
	};
	struct kustomize_reader *r = &reader;
	sv found;

	*ret_inputs = (struct kustomize_inputs){.at = at, .files = map_in(arena)};
	if (!kustomize_locate(r, SV(""), at, folder, &found))
		return STATUS_FAILED;
	ret_inputs->folder = found;
	kustomize_add_folder(r, found, at);
	for (size_t i = 0; i < r->folders.count; i++) {
		const struct kustomize_file *file =
		    open_folder(r, r->folders.items[i], r->named_at.items[i]);

		if (i == 0)
			ret_inputs->top = file;
		if (file)
			kustomize_read_members(r, file);
	}
	if (sink->error_count > errors)
		return STATUS_FAILED;
	ret_inputs->keeps_origins =
	    has_item(value_map_get(&ret_inputs->top->documents.items[0].root, SV("buildMetadata")),
	             SV("originAnnotations"));
	return STATUS_OK;
}
