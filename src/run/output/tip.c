/*
 * Lists the output as it is committed, and as a commit will have it.
 */
#include "run/output/output.h"

sv run_branch_rev(struct arena *arena, sv branch)
{
	return sv_empty(branch) ? SV("HEAD") : ARENA_CONCAT(arena, SV("refs/heads/"), branch);
}

enum status run_list_tip(struct sink *sink, const struct run_env *env,
                         const struct run_inputs *inputs, sv branch, struct run_tip *tip)
{
	sv rev = run_branch_rev(env->arena, branch);
	if (git_source_find(env->arena, sink, inputs->repo, rev, &tip->source) != STATUS_OK ||
	    git_list_folder(env->arena, sink, inputs->repo, &tip->source, inputs->out,
	                    &tip->files) != STATUS_OK)
		return STATUS_FAILED;
	VEC_RESERVE(env->arena, &tip->relative, tip->files.count);
	VEC_EACH (file, &tip->files) {
		struct git_file relative = *file;

		relative.path = sv_from_offset(file->path, inputs->out.len + 1);
		VEC_PUSH(env->arena, &tip->relative, relative);
	}
	return STATUS_OK;
}

struct git_files run_files_after(struct arena *arena, const struct git_files *previous,
                                 const struct git_changes *changes)
{
	struct git_files files = {0};
	size_t next = 0;

	VEC_RESERVE(arena, &files, previous->count + changes->count);

	for (size_t i = 0; i < previous->count || next < changes->count;) {
		const struct git_file *file = i < previous->count ? &previous->items[i] : NULL;
		const struct git_change *change =
		    next < changes->count ? &changes->items[next] : NULL;
		BUG_ON(!file && !change);
		int order = !file ? 1 : !change ? -1 : sv_cmp(file->path, change->path);

		if (order < 0)
			VEC_PUSH(arena, &files, *file);
		else if (change->kind != GIT_REMOVED)
			VEC_PUSH(arena, &files,
			         ((struct git_file){.path = change->path,
			                            .mode = GIT_MODE_FILE,
			                            .id = change->new_id}));
		i += order <= 0;
		next += order >= 0;
	}
	return files;
}
