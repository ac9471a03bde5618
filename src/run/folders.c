/*
 * The kustomizations of a cluster: which of its files stand in which.
 */
#include "run/stages.h"

/* What stands in one kustomization. */
struct content {
	sv *paths;
	size_t count;
	struct tree_kustomized_patch *patches;
	size_t patch_count;
	sv *sealed; /* for KSOPS; not among paths */
	size_t sealed_count;
	bool is_sealed;
};

/* Argo CD opens nothing that is sealed with SOPS; Flux does, and a SealedSecret's controller. */
static bool takes_ksops(const struct fleet_cluster *cluster)
{
	return cluster->delivery.applier == FLEET_APPLIER_ARGOCD &&
	       !cluster->sealing.format->takes_certificate;
}

static struct content content_of(const struct run_completion *c, enum artifact_side side)
{
	const struct tree_file_list *files = c->files;
	bool with_ksops = takes_ksops(c->cluster->fleet);
	struct arena *arena = c->env->scratch;
	struct content content = {
	    .paths = ARENA_ARRAY(arena, sv, files->count),
	    .sealed = ARENA_ARRAY(arena, sv, files->count),
	    .patches = ARENA_ARRAY(arena, struct tree_kustomized_patch, files->count),
	};

	VEC_EACH (file, files) {
		if ((*file)->side != side)
			continue;
		content.is_sealed |= (*file)->sealed;
		if (!sv_empty((*file)->object.kind) && (*file)->sealed && with_ksops)
			content.sealed[content.sealed_count++] = (*file)->path;
		else if (!sv_empty((*file)->object.kind))
			content.paths[content.count++] = (*file)->path;
		if (!sv_empty((*file)->patch_of.kind))
			content.patches[content.patch_count++] =
			    (struct tree_kustomized_patch){(*file)->path, (*file)->patch_of};
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
	if (run_put_text(c, file.path, &buf) != STATUS_OK)
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
	if (run_put_text(c, file.path, &buf) != STATUS_OK)
		return STATUS_FAILED;
	run_add_file(c, &file);
	return content->sealed_count > 0 ? put_ksops(c, side, &kustomization) : STATUS_OK;
}

enum status run_put_side(struct run_completion *c, enum artifact_side side)
{
	sv folder = tree_side_path(c->env->arena, c->cluster->fleet->name, side);
	struct content content = content_of(c, side);

	if (content.count + content.sealed_count == 0)
		return STATUS_OK;
	VEC_PUSH(c->env->arena, &c->folders,
	         ((struct run_folder){side, folder, content.is_sealed}));
	return put_kustomization(c, side, folder, &content);
}
