/*
 * Reads kustomizations by folder, and collects the objects of each.
 */
#include "fleet/kustomize.h"

/* Depth limit of bases and components; real ones are far below. */
enum { MAX_DEPTH = 32, PATH_PER_VALUE = 64 };

/* ---- documents --------------------------------------------------------------------------- */

static const struct yml_documents *parse_quietly(struct kustomizer *k, const struct source *source)
{
	struct sink ignored = sink_in(k->arena);
	struct yml_documents *documents = ARENA_NEW(k->arena, struct yml_documents);

	*documents = (struct yml_documents){0};
	if (yml_parse(k->secret_arena, &ignored, source, documents) != STATUS_OK)
		return NULL;
	return documents;
}

/* Reads a file that is not an input, because of .osm-gen-ignore or because of its name. */
static const struct source *read_other(struct kustomizer *k, sv path)
{
	sv text;

	if (!k->options->read_file || !kustomize_charge(k, 1) ||
	    !k->options->read_file(k->options->read_file_context, path, &text))
		return NULL;
	struct source *source = source_new(k->arena, path, text, true);
	source->values = k->options->values;
	return source;
}

const struct yml_documents *kustomize_patch_file(struct kustomizer *k, sv path)
{
	static const struct yml_documents none;
	const struct yml_documents *found = map_get(&k->texts, path);
	const struct fleet_file *file = map_get(&k->by_path, path);

	if (!found) {
		const struct source *source =
		    file && file->source ? file->source : read_other(k, path);

		found = source ? parse_quietly(k, source) : NULL;
		map_put(&k->texts, arena_dup(k->arena, path), (void *)(found ? found : &none));
	}
	return found == &none ? NULL : found;
}

const struct yml_documents *kustomize_patch_text(struct kustomizer *k, const struct value *text)
{
	struct source *source =
	    source_new(k->arena, SV("patch"), arena_dup(k->arena, text->string), true);

	source->values = k->options->values;
	return parse_quietly(k, source);
}

/* ---- kustomizations ---------------------------------------------------------------------- */

static const struct value *root_of(struct kustomizer *k, sv path)
{
	const struct fleet_file *file = map_get(&k->by_path, path);

	if (file)
		return file->kustomization;
	const struct yml_documents *documents = kustomize_patch_file(k, path);
	return documents && documents->count > 0 ? &documents->items[0].root : NULL;
}

const struct kustomization *kustomize_find(struct kustomizer *k, sv folder)
{
	const struct kustomization *known = map_get(&k->folders, folder);

	if (known)
		return known == &k->none ? NULL : known;
	for (size_t i = 0; i < KUSTOMIZE_FILE_NAMES; i++) {
		sv path = os_join(k->arena, folder, kustomize_file_names[i]);
		const struct value *root = root_of(k, path);

		if (!value_is_map(root))
			continue;
		struct kustomization *found = ARENA_NEW(k->arena, struct kustomization);
		*found = (struct kustomization){path, arena_dup(k->arena, folder), root};
		map_put(&k->folders, found->folder, found);
		return found;
	}
	map_put(&k->folders, arena_dup(k->arena, folder), &k->none);
	return NULL;
}

void kustomize_end(struct kustomizer *k)
{
	kube_object_list_close(&k->units);
	k->units = (struct kube_object_list){0};
	arena_reset(k->opened);
	arena_reset(k->scratch);
}

/* ---- collected objects ------------------------------------------------------------------- */

static void reach_file(struct kustomizer *k, const struct fleet_file *file,
                       struct kustomize_reach *reach)
{
	if (!set_add(&reach->seen, file->path) ||
	    !kustomize_charge(k, 1 + file->units.count + file->definitions.count))
		return;
	VEC_EACH (found, &file->units) {
		if (kube_object_open(k->opened, &found->object))
			VEC_PUSH(k->opened, &k->units, &found->object);
		VEC_PUSH(k->scratch, &reach->objects, found);
	}
	VEC_EACH (found, &file->definitions)
		VEC_PUSH(k->scratch, &reach->objects, found);
}

static void collect(struct kustomizer *k, sv folder, struct kustomize_reach *reach, int depth);

static void collect_entry(struct kustomizer *k, const struct kustomization *from,
                          const struct value *entry, struct kustomize_reach *reach, int depth)
{
	sv path;

	if (!value_is_string(entry) || !kustomize_charge(k, 1 + entry->string.len / PATH_PER_VALUE))
		return;
	if (!fleet_path_resolve(k->scratch, from->folder, entry->string, &path))
		path = SV(""); /* the root, or outside of the repository */
	const struct fleet_file *file = map_get(&k->by_path, path);
	if (file)
		reach_file(k, file, reach);
	else if (kustomize_find(k, path))
		collect(k, path, reach, depth + 1);
	else if (sv_contains(entry->string, SV("://")) || sv_contains(entry->string, SV("?ref=")) ||
	         sv_starts_with(entry->string, SV("github.com")) ||
	         sv_starts_with(entry->string, SV("git@")))
		reach->is_remote = true;
}

/* CIRCLE: collect collect_entry: a resource of a kustomization may be another one. */
static void collect(struct kustomizer *k, sv folder, struct kustomize_reach *reach, int depth)
{
	const struct kustomization *from = kustomize_find(k, folder);
	sv mark = ARENA_CONCAT(k->scratch, folder, SV("/"));

	if (!from || depth > MAX_DEPTH || !set_add(&reach->seen, mark))
		return;
	struct kustomize_walk walk = {.root = from->root, .of = KUSTOMIZE_RESOURCE_ENTRIES};
	const struct value *entry;

	while ((entry = kustomize_next_entry(&walk)))
		collect_entry(k, from, entry, reach, depth);
}

void kustomize_collect(struct kustomizer *k, sv folder, struct kustomize_reach *reach)
{
	collect(k, folder, reach, 0);
}

void kustomize_collect_files(struct kustomizer *k, sv folder, struct kustomize_reach *reach)
{
	sv begin = sv_empty(folder) ? SV("") : ARENA_CONCAT(k->scratch, folder, SV("/"));

	if (!kustomize_charge(k, k->files->count))
		return;
	for (size_t i = 0; i < k->files->count; i++) {
		const struct fleet_file *file = k->files->items[i];

		if (!fleet_file_is_outside(file) && sv_starts_with(file->path, begin))
			reach_file(k, file, reach);
	}
}
