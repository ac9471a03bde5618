/*
 * Warns of manifests in the work tree that are not committed, so that the run does not read them.
 */
#include "run/inputs/internal.h"

/* Returns true if the command line names the file, or a folder that it is in. */
static bool is_named_by_user(const struct run_env *env, sv path, sv given)
{
	sv real;

	if (sv_empty(given) || !os_real_path(env->scratch, given, &real))
		return false;
	return sv_eq(path, real) || sv_starts_with(path, ARENA_CONCAT(env->scratch, real, SV("/")));
}

static bool is_added(const struct run_env *env, const struct run_reading *reading, sv path)
{
	for (size_t i = 0; i < reading->added_count; i++)
		if (is_named_by_user(env, path, reading->added[i].path))
			return true;
	return false;
}

/* Returns true if an untracked file is a manifest; it must be read to find out. */
static bool is_forgotten(const struct run_env *env, const struct run_reading *reading,
                         const struct run_inputs *inputs, const struct git_file *file)
{
	ARENA_AUTO clear = arena_new(ARENA_PLAIN);
	ARENA_AUTO secret = arena_new(ARENA_SECRET);
	struct sink unused = sink_in(clear);
	sv path = ARENA_CONCAT(clear, git_repo_worktree(inputs->repo), SV("/"), file->path);
	sv text;

	if (!fleet_filter_take(inputs->filter, file->path) ||
	    is_named_by_user(env, path, reading->secrets_folder) ||
	    is_named_by_user(env, path, reading->revisions_file) || is_added(env, reading, path) ||
	    git_read(secret, &unused, inputs->repo, file, RUN_MAX_INPUT_BYTES, &text) !=
	        STATUS_OK ||
	    sv_starts_with(text, SV(TREE_HEADER)))
		return false;
	struct fleet_blob blob = {.path = file->path, .text = text};
	return fleet_file_matters(fleet_read_file(clear, secret, inputs->filter, &blob));
}

static void add_forgotten(const struct run_env *env, const struct run_reading *reading,
                          const struct run_inputs *inputs, struct git_files *dirty)
{
	struct git_files untracked;

	git_list_untracked(env->arena, inputs->repo, &inputs->files,
	                   inputs->out_is_outside ? SV("") : inputs->out, &untracked);
	VEC_EACH (file, &untracked) {
		if (is_forgotten(env, reading, inputs, file))
			VEC_PUSH(env->arena, dirty, *file);
	}
	sort_stable(dirty->items, dirty->count, sizeof(*dirty->items), sort_compare_sv, NULL);
}

enum status run_warn_uncommitted(const struct run_env *env, const struct run_reading *reading,
                                 const struct run_inputs *inputs)
{
	enum { NAMED = 5 };
	struct git_files dirty = {0};

	if (reading->worktree || !sv_eq(reading->rev, SV("HEAD")) ||
	    sv_empty(git_repo_worktree(inputs->repo)))
		return STATUS_OK;
	if (git_list_dirty(env->arena, env->sink, inputs->repo, &inputs->taken, &dirty) !=
	    STATUS_OK)
		return STATUS_FAILED;
	add_forgotten(env, reading, inputs, &dirty);
	if (dirty.count == 0)
		return STATUS_OK;
	struct buf names = buf_in(env->arena);
	for (size_t i = 0; i < dirty.count && i < NAMED; i++)
		buf_add_item(&names, dirty.items[i].path);
	if (dirty.count > NAMED)
		buf_printf(&names, " and %zu more", dirty.count - NAMED);
	struct diag *diag = diag_report(env->sink, DIAG_INPUT_DIRTY, NOWHERE,
	                                "changes that are not committed are not read: %.*s",
	                                SV_ARG(buf_sv(&names)));
	diag_set_help(env->sink, diag,
	              "commit them first, or use --worktree to try them without a commit");
	return STATUS_OK;
}
