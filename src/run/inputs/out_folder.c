/*
 * Finds the output folder.
 */
#include "run/inputs/inputs.h"

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
			              "remove the link, or name its target as an absolute path");
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
