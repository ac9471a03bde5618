/*
 * Writes the kustomizations of a cluster.
 */
#include "run/clusters/completion.h"

/* The content of one kustomization. */
struct content {
	sv *paths;
	size_t count;
	struct tree_kustomized_patch *patches;
	size_t patch_count;
	sv *sealed; /* for KSOPS; not among paths */
	size_t sealed_count;
	bool is_sealed;
	bool is_last; /* see struct run_folder */
};

/*
 * Returns true if sealed files need KSOPS: Argo CD itself does not decrypt SOPS. Flux does, and
 * SealedSecrets have a controller of their own.
 */
static bool takes_ksops(const struct fleet_cluster *cluster)
{
	return cluster->delivery.applier == FLEET_APPLIER_ARGOCD &&
	       !cluster->sealing.format->takes_certificate;
}

/* Sorts the files of one folder into the members of its kustomization. */
static struct content content_of(const struct run_completion *c, const struct tree_file **files,
                                 size_t count)
{
	bool with_ksops = takes_ksops(c->cluster->fleet);
	struct arena *arena = c->env->scratch;
	struct content content = {
	    .paths = ARENA_ARRAY(arena, sv, count),
	    .sealed = ARENA_ARRAY(arena, sv, count),
	    .patches = ARENA_ARRAY(arena, struct tree_kustomized_patch, count),
	};

	for (size_t i = 0; i < count; i++) {
		const struct tree_file *file = files[i];

		content.is_sealed |= file->sealed;
		content.is_last |= run_is_applied_last(c->cluster->fleet, file->role);
		if (!sv_empty(file->object.kind) && file->sealed && with_ksops)
			content.sealed[content.sealed_count++] = file->path;
		else if (!sv_empty(file->object.kind))
			content.paths[content.count++] = file->path;
		if (file->patch_of)
			content.patches[content.patch_count++] =
			    (struct tree_kustomized_patch){file->path, *file->patch_of};
	}
	return content;
}

static enum status put_ksops(struct run_completion *c, enum artifact_side side,
                             const struct tree_kustomization *kustomization)
{
	struct buf buf = buf_in(c->env->scratch);
	const struct tree_file file = {
	    .path = tree_ksops_path(c->env->arena, kustomization->folder),
	    .side = side,
	};

	tree_add_ksops(c->env->scratch, &buf, kustomization);
	if (run_put_text(c, file.path, &buf, NULL) != STATUS_OK)
		return STATUS_FAILED;
	run_add_file(c, &file);
	return STATUS_OK;
}

static enum status put_kustomization(struct run_completion *c, enum artifact_side side, sv folder,
                                     const struct content *content)
{
	struct buf buf = buf_in(c->env->scratch);
	const struct tree_kustomization kustomization = {
	    .folder = folder,
	    .paths = content->paths,
	    .count = content->count,
	    .patches = content->patches,
	    .patch_count = content->patch_count,
	    .sealed = content->sealed,
	    .sealed_count = content->sealed_count,
	};
	const struct tree_file file = {
	    .path = tree_kustomization_path(c->env->arena, folder),
	    .side = side,
	};

	tree_add_kustomization(c->env->scratch, &buf, &kustomization);
	if (run_put_text(c, file.path, &buf, NULL) != STATUS_OK)
		return STATUS_FAILED;
	run_add_file(c, &file);
	return content->sealed_count > 0 ? put_ksops(c, side, &kustomization) : STATUS_OK;
}

/* Puts the kustomization that names all parts of a split side, for people who apply it whole. */
static enum status put_whole(struct run_completion *c, enum artifact_side side, size_t first)
{
	size_t count = c->folders.count - first;
	struct content content = {.paths = ARENA_ARRAY(c->env->scratch, sv, count)};

	for (size_t i = 0; i < count; i++)
		content.paths[content.count++] = c->folders.items[first + i].path;
	return put_kustomization(
	    c, side, tree_side_path(c->env->arena, c->cluster->fleet->folder, side), &content);
}

static enum status add_folders(struct run_completion *c, enum artifact_side side, bool puts)
{
	const struct tree_file **files =
	    ARENA_ARRAY(c->env->scratch, const struct tree_file *, c->files->count);
	size_t first = c->folders.count;
	size_t count = 0;

	VEC_EACH (file, c->files)
		if ((*file)->side == side && !sv_empty((*file)->folder))
			files[count++] = *file;
	SORT_POINTERS_BY(files, count, folder);
	for (size_t i = 0, end; i < count; i = end) {
		sv folder = files[i]->folder;

		for (end = i; end < count && sv_eq(files[end]->folder, folder);)
			end++;
		struct content content = content_of(c, files + i, end - i);
		VEC_PUSH(c->env->arena, &c->folders,
		         ((struct run_folder){side, folder, content.is_sealed, content.is_last}));
		if (puts && put_kustomization(c, side, folder, &content) != STATUS_OK)
			return STATUS_FAILED;
	}
	return puts && c->cluster->cut > 0 && count > 0 ? put_whole(c, side, first) : STATUS_OK;
}

enum status run_put_kustomizations(struct run_completion *c, enum artifact_side side)
{
	return add_folders(c, side, true);
}

void run_list_folders(struct run_completion *c, enum artifact_side side)
{
	(void)!add_folders(c, side, false);
}
