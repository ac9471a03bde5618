/*
 * Lists the committed output.
 */
#include "run/tip.h"

sv run_branch_rev(struct arena *arena, sv branch)
{
	return sv_empty(branch) ? SV("HEAD") : ARENA_CONCAT(arena, SV("refs/heads/"), branch);
}

enum status run_look_at_tip(struct sink *sink, const struct run_env *env,
                            const struct run_inputs *inputs, sv branch, struct run_tip *tip)
{
	sv rev = run_branch_rev(env->arena, branch);
	sv folder = ARENA_CONCAT(env->arena, inputs->out, SV("/"));
	struct git_files all = {0};

	if (git_source_find(env->arena, sink, inputs->repo, rev, &tip->source) != STATUS_OK ||
	    git_list(env->arena, sink, inputs->repo, &tip->source, SV(""), &all) != STATUS_OK)
		return STATUS_FAILED;
	VEC_EACH (file, &all) {
		if (!sv_starts_with(file->path, folder))
			continue;
		struct git_file relative = *file;

		relative.path = sv_from_offset(file->path, folder.len);
		VEC_PUSH(env->arena, &tip->files, *file);
		VEC_PUSH(env->arena, &tip->relative, relative);
	}
	return STATUS_OK;
}
