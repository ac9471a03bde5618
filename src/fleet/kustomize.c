/*
 * Checks all kustomizations, and takes the patches that they use out of the inputs (kustomize.h).
 */
#include "fleet/kustomize.h"

/* ---- the whole --------------------------------------------------------------------------- */

static struct kustomizer make(struct arena *arena, struct sink *sink,
                              const struct fleet_files *files, const struct fleet_options *options)
{
	struct kustomizer k = {
	    .arena = arena,
	    .sink = sink,
	    .files = files,
	    .options = options,
	    .by_path = map_in(arena),
	    .folders = map_in(arena),
	    .texts = map_in(arena),
	};

	for (size_t i = 0; i < files->count; i++)
		if (!fleet_file_is_outside(files->items[i]))
			map_put(&k.by_path, files->items[i]->path, files->items[i]);
	return k;
}

static bool has_any(const struct fleet_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		if (files->items[i]->kustomization || files->items[i]->appliers.count > 0 ||
		    files->items[i]->applications.count > 0)
			return true;
	return false;
}

void fleet_check_kustomize(struct arena *arena, struct arena *secret_arena, struct sink *sink,
                           const struct fleet_files *files, const struct fleet_options *options,
                           const struct fleet *fleet)
{
	if (!has_any(files))
		return;
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	ARENA_AUTO opened = arena_new(ARENA_SECRET);
	struct kustomizer k = make(arena, sink, files, options);

	k.secret_arena = secret_arena;
	k.scratch = scratch;
	k.opened = opened;
	for (size_t i = 0; i < files->count; i++) {
		const struct fleet_file *file = files->items[i];
		const struct kustomization *from =
		    file->kustomization ? kustomize_find(&k, os_folder_of(file->path)) : NULL;

		if (from)
			kustomize_check(&k, from);
		kustomize_end(&k);
	}
	kustomize_check_appliers(&k);
	kustomize_check_second_appliers(&k, fleet);
	kustomize_check_inputs(&k);
	kustomize_end(&k);
}

/* ---- files that are patches -------------------------------------------------------------- */

/*
 * Returns the file that an entry names, or null if it is not below the kustomization's folder,
 * where kustomize does not read patches.
 */
static struct fleet_file *file_named(struct kustomizer *k, const struct fleet_file *from,
                                     const struct value *entry)
{
	sv folder = os_folder_of(from->path);
	sv path;

	if (!value_is_string(entry) || kustomize_is_inline(entry->string) ||
	    !fleet_path_resolve(k->scratch, folder, entry->string, &path) ||
	    !(sv_empty(folder) || sv_starts_with(path, ARENA_CONCAT(k->arena, folder, SV("/")))))
		return NULL;
	return map_get(&k->by_path, path);
}

static void list_files(struct kustomizer *k, const struct fleet_file *from,
                       enum kustomize_entries of, struct map *into)
{
	struct kustomize_walk walk = {.root = from->kustomization, .of = of};
	const struct value *item;

	while ((item = kustomize_next_entry(&walk))) {
		const struct value *entry =
		    value_is_map(item) ? value_map_get(item, SV("path")) : item;
		struct fleet_file *file =
		    kustomize_charge(k, 1) ? file_named(k, from, entry) : NULL;

		if (file)
			map_put(into, file->path, file);
	}
}

/* Removes the diagnostics of a file that turned out to be a patch, not a whole object. */
static void forget_objects(struct arena *arena, struct fleet_file *file)
{
	struct sink kept = sink_in(arena);

	file->units.count = 0;
	file->definitions.count = 0;
	file->lookups.count = 0;
	VEC_EACH (diag, &file->sink.diags)
		if ((*diag)->code < DIAG_FLEET_API_VERSION)
			VEC_PUSH(arena, &kept.diags, *diag);
	sink_forget(&file->sink, 0);
	sink_merge(&file->sink, &kept);
}

void fleet_set_patches_aside(struct arena *arena, const struct fleet_files *files,
                             const struct fleet_options *options)
{
	struct map patches = map_in(arena);
	struct map manifests = map_in(arena);
	struct sink ignored = sink_in(arena);

	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);

	if (!has_any(files))
		return;
	struct kustomizer k = make(arena, &ignored, files, options);

	k.scratch = scratch;
	for (size_t i = 0; i < files->count; i++) {
		if (!files->items[i]->kustomization)
			continue;
		list_files(&k, files->items[i], KUSTOMIZE_PATCH_ENTRIES, &patches);
		list_files(&k, files->items[i], KUSTOMIZE_RESOURCE_ENTRIES, &manifests);
	}
	for (size_t i = 0; i < patches.count; i++)
		if (!map_get(&manifests, patches.entries[i].key))
			forget_objects(arena, patches.entries[i].value);
}
