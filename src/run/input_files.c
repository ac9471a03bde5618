/*
 * Finds the output folder and the commit, and lists the files to read.
 */
#include "run/inputs.h"
#include "run/kustomized.h"
#include "run/passed_over.h"

/*
 * Reports a symbolic link in the path of the output folder: somebody may have committed it, so that
 * a run writes wherever it leads.
 */
static bool leads_through_link(const struct run_env *env, sv given, sv root, sv out)
{
	for (size_t end = 0; end <= out.len; end++) {
		if (end < out.len && out.ptr[end] != '/')
			continue;
		sv path = ARENA_CONCAT(env->arena, root, SV("/"), sv_slice(out, 0, end));

		if (os_kind(path) == OS_LINK) {
			struct diag *diag =
			    diag_report(env->sink, DIAG_OUTPUT_FOLDER, NOWHERE,
			                "--out \"%.*s\" leads through a symbolic link, %.*s",
			                SV_ARG(given), SV_ARG(path));
			diag_set_help(env->sink, diag,
			              "remove the link, or name where it leads to as an absolute "
			              "path");
			return true;
		}
	}
	return false;
}

bool run_is_in_repository(struct arena *arena, const struct git_repo *repo, sv real)
{
	const sv folders[] = {git_repo_worktree(repo), git_repo_folder(repo),
	                      git_repo_common_folder(repo)};

	for (size_t i = 0; i < COUNT_OF(folders); i++) {
		sv root;

		if (!sv_empty(folders[i]) && os_real_path(arena, folders[i], &root) &&
		    (sv_eq(real, root) || sv_starts_with(real, ARENA_CONCAT(arena, root, SV("/")))))
			return true;
	}
	return false;
}

enum status run_place_output(const struct run_env *env, sv given, struct run_inputs *inputs)
{
	sv out = sv_trim_right(given, "/");
	sv root = git_repo_worktree(inputs->repo);
	struct diag *diag;

	inputs->out_is_outside = false;
	if (sv_starts_with(out, SV("/"))) {
		sv parent = out;
		sv real;

		/* The folder may not exist yet: resolve the nearest folder above it that does. */
		while (!os_real_path(env->arena, parent, &real)) {
			size_t slash = sv_rfind_char(parent, '/');

			if (slash == SV_NPOS || slash == 0) {
				real = SV("/");
				parent = SV("");
				break;
			}
			parent = sv_slice(parent, 0, slash);
		}
		out = ARENA_CONCAT(env->arena, real, sv_from_offset(out, parent.len));
		if (sv_empty(root) || !sv_starts_with(out, root) ||
		    (out.len > root.len && out.ptr[root.len] != '/')) {
			inputs->out = out;
			inputs->out_is_outside = true;
			return STATUS_OK;
		}
		out = sv_from_offset(out, root.len);
	}
	out = os_plain_path(env->arena, out);
	if (sv_empty(out) ||
	    sv_contains(ARENA_CONCAT(env->arena, SV("/"), out, SV("/")), SV("/../")) ||
	    sv_starts_with(ARENA_CONCAT(env->arena, out, SV("/")), SV(".git/"))) {
		diag = diag_report(env->sink, DIAG_OUTPUT_FOLDER, NOWHERE,
		                   "--out \"%.*s\" is not a folder of its own", SV_ARG(given));
		diag_set_help(env->sink, diag,
		              "name a folder below the repository's root, such as out, or an "
		              "absolute path outside: "
		              "files in it are replaced and removed");
		return STATUS_FAILED;
	}
	if (!sv_empty(root) && leads_through_link(env, given, root, out))
		return STATUS_FAILED;
	inputs->out = out;
	return STATUS_OK;
}

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

/* Appends to results; returns how many were read. */
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

/* Returns true if the command line names the file, or a folder that it is in. */
static bool is_given(const struct run_env *env, sv path, sv given)
{
	sv real;

	if (sv_empty(given) || !os_real_path(env->scratch, given, &real))
		return false;
	return sv_eq(path, real) || sv_starts_with(path, ARENA_CONCAT(env->scratch, real, SV("/")));
}

static bool is_added(const struct run_env *env, const struct run_reading *reading, sv path)
{
	for (size_t i = 0; i < reading->added_count; i++)
		if (is_given(env, path, reading->added[i].path))
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
	    is_given(env, path, reading->secrets_folder) ||
	    is_given(env, path, reading->revisions_file) || is_added(env, reading, path) ||
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

/* Warns once of changes that are not committed, and names a few. */
static enum status warn_dirty(const struct run_env *env, const struct run_reading *reading,
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
		buf_printf(&names, "%s%.*s", i ? ", " : "", SV_ARG(dirty.items[i].path));
	if (dirty.count > NAMED)
		buf_printf(&names, " and %zu more", dirty.count - NAMED);
	struct diag *diag = diag_report(env->sink, DIAG_INPUT_DIRTY, NOWHERE,
	                                "changes that are not committed are not read: %.*s",
	                                SV_ARG(buf_sv(&names)));
	diag_set_help(env->sink, diag,
	              "commit them first, or use --worktree to try them without a commit");
	return STATUS_OK;
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
	    warn_dirty(env, reading, inputs) != STATUS_OK)
		return STATUS_FAILED;
	inputs->warnings_listed = env->sink->diags.count;
	return STATUS_OK;
}
