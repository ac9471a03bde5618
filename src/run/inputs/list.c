/*
 * Finds the commit, and lists the files to read.
 */
#include "run/inputs/inputs.h"
#include "run/inputs/internal.h"

static bool is_manifest_path(sv path)
{
	return sv_ends_with(path, SV(".yaml")) || sv_ends_with(path, SV(".yml")) ||
	       sv_ends_with(path, SV(".json"));
}

static enum status list_secrets(const struct run_env *env, sv folder, struct run_inputs *inputs)
{
	struct os_entries all = {0};
	struct diag *diag;

	if (sv_empty(folder))
		return STATUS_OK;
	if (os_kind(folder) == OS_ABSENT) {
		diag = diag_report(env->sink, DIAG_SECRETS_FOLDER, NOWHERE,
		                   "--secrets %.*s: there is no such folder", SV_ARG(folder));
		diag_set_help(env->sink, diag,
		              "name a folder of Secret manifests, or leave --secrets out");
		return STATUS_FAILED;
	}
	if (os_list_tree(env->arena, env->sink, folder, &all) != STATUS_OK)
		return STATUS_FAILED;
	VEC_EACH (entry, &all) {
		if (is_manifest_path(entry->path))
			VEC_PUSH(env->arena, &inputs->secret_entries, *entry);
	}
	return STATUS_OK;
}

/*
 * Finds the commit to read. With --worktree it is the commit whose output is compared with, and
 * whose time templates see. Before the first commit, and in generate --worktree, no commit is
 * needed: the previous output is empty, and the time is 0.
 */
static enum status find_source(const struct run_env *env, enum run_mode mode,
                               const struct run_reading *reading, struct run_inputs *inputs)
{
	bool compares = mode == RUN_CHECK || mode == RUN_DIFF || mode == RUN_PLAN;

	if (reading->worktree && mode == RUN_GENERATE)
		return STATUS_OK;
	if (!reading->worktree || !git_repo_is_unborn(inputs->repo))
		return git_source_find(env->arena, env->sink, inputs->repo, reading->rev,
		                       &inputs->source);
	if (!compares || inputs->out_is_outside)
		return STATUS_OK;
	struct diag *diag = diag_report(
	    env->sink, DIAG_GIT_COMMIT, NOWHERE,
	    "the branch has no commit yet, so there is no committed output to compare with");
	diag_set_help(env->sink, diag,
	              "commit first; until then, validate --worktree reads the inputs and render "
	              "--worktree shows a result");
	return STATUS_FAILED;
}

static enum status list_files(const struct run_env *env, enum run_mode mode,
                              const struct run_reading *reading, struct run_inputs *inputs)
{
	sv skip = inputs->out_is_outside ? SV("") : inputs->out;

	if (find_source(env, mode, reading, inputs) != STATUS_OK)
		return STATUS_FAILED;
	if (reading->worktree)
		return git_list_worktree(env->arena, env->sink, inputs->repo, skip, &inputs->files);
	return git_list(env->arena, env->sink, inputs->repo, &inputs->source, skip, &inputs->files);
}

/* Warns of submodules, which may hold manifests. The ignore file can exclude them. */
static void warn_submodules(const struct run_env *env, const struct run_inputs *inputs)
{
	VEC_EACH (file, &inputs->files) {
		if (file->mode != GIT_MODE_SUBMODULE ||
		    fleet_filter_ignores_folder(inputs->filter, file->path))
			continue;
		struct source *source = source_new(env->arena, file->path, SV(""), false);
		struct diag *diag = diag_report(
		    env->sink, DIAG_GIT_SUBMODULE, position_of_source(source),
		    "this is a submodule: its files are in another repository, and not read");
		diag_set_help(env->sink, diag,
		              "commit manifests in this repository (git subtree add), or name the "
		              "submodule in " FLEET_IGNORE_FILE);
	}
}

static enum status read_ignore_file(const struct run_env *env, const struct run_inputs *inputs,
                                    sv *ret_text)
{
	*ret_text = (sv){0};
	VEC_EACH (file, &inputs->files) {
		if (sv_eq(file->path, SV(FLEET_IGNORE_FILE)))
			return git_read(env->arena, env->sink, inputs->repo, file,
			                RUN_MAX_INPUT_BYTES, ret_text);
	}
	return STATUS_OK;
}

enum status run_list_inputs(const struct run_env *env, enum run_mode mode,
                            const struct run_reading *reading, sv out, struct run_inputs *inputs)
{
	sv ignore;

	if (reading->manifests.ptr) {
		inputs->out_is_outside = true;
		return list_secrets(env, reading->secrets_folder, inputs);
	}
	if (git_repo_open(env->arena, env->sink, reading->repo, &inputs->repo) != STATUS_OK)
		return STATUS_FAILED;
	git_repo_limit(inputs->repo, &env->quotas->entries);
	/* git_output_finish looks again: somebody may begin one during the run. */
	if (mode == RUN_GENERATE && git_check_finished(env->sink, inputs->repo) != STATUS_OK)
		return STATUS_FAILED;
	if (run_place_output(env, out, inputs) != STATUS_OK ||
	    list_files(env, mode, reading, inputs) != STATUS_OK ||
	    read_ignore_file(env, inputs, &ignore) != STATUS_OK ||
	    list_secrets(env, reading->secrets_folder, inputs) != STATUS_OK)
		return STATUS_FAILED;
	inputs->filter =
	    fleet_filter_new(env->arena, inputs->out_is_outside ? SV("") : inputs->out, ignore);
	fleet_filter_limit(inputs->filter, &env->quotas->steps);
	VEC_EACH (file, &inputs->files) {
		bool readable = file->mode == GIT_MODE_FILE || file->mode == GIT_MODE_EXECUTABLE;

		if (fleet_filter_take(inputs->filter, file->path) && readable)
			VEC_PUSH(env->arena, &inputs->taken, *file);
	}
	if (run_check_quotas(env->sink, env->quotas) != STATUS_OK)
		return STATUS_FAILED;
	run_find_kustomize(env, reading, inputs);
	warn_submodules(env, inputs);
	if (mode != RUN_RENDER && mode != RUN_COMPARE)
		run_warn_second_output(env, inputs);
	if (git_check_files(env->sink, inputs->repo, SV(""), &inputs->taken) != STATUS_OK ||
	    run_warn_uncommitted(env, reading, inputs) != STATUS_OK)
		return STATUS_FAILED;
	inputs->warnings_listed = env->sink->diags.count;
	return STATUS_OK;
}
