/*
 * Finds the output folder, and looks for attributes of git that forbid to commit it.
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
		              "absolute path outside: files in it are replaced and removed");
		return STATUS_FAILED;
	}
	if (!sv_empty(root) && leads_through_link(env, given, root, out))
		return STATUS_FAILED;
	inputs->out = out;
	return STATUS_OK;
}

/* ---- attributes -------------------------------------------------------------------------- */

/* Returns the newest .gitattributes of a folder above the output that may change its bytes. */
static const struct git_file *find_attributes(const struct run_env *env,
                                              const struct run_inputs *inputs, sv *ret_text)
{
	enum { MAX_BYTES = 1024 * 1024 };
	const sv name = SV(".gitattributes");
	const struct git_file *found = NULL;
	struct sink unused = sink_in(env->arena);
	sv text;

	VEC_EACH (file, &inputs->files) {
		sv folder =
		    sv_slice(file->path, 0, file->path.len - sv_after_last(file->path, '/').len);

		if (!sv_eq(sv_after_last(file->path, '/'), name) ||
		    !sv_starts_with(ARENA_CONCAT(env->arena, inputs->out, SV("/")), folder) ||
		    git_read(env->arena, &unused, inputs->repo, file, MAX_BYTES, &text) !=
		        STATUS_OK ||
		    !(sv_contains(text, SV("filter")) || sv_contains(text, SV("encoding"))))
			continue;
		found = file;
		*ret_text = text;
	}
	return found;
}

/* Returns the place of the last line with the attribute's name and value, or the whole file. */
static struct position place_of_attribute(const struct source *source, sv name, sv value)
{
	struct position at = position_of_source(source);
	struct sv_splitter lines = sv_split(source->text, '\n');
	sv line;

	while (sv_split_next(&lines, &line))
		if (sv_contains(line, name) && sv_contains(line, value))
			at = (struct position){source, (size_t)(line.ptr - source->text.ptr),
			                       line.len};
	return at;
}

enum status run_check_attributes(const struct run_env *env, const struct run_inputs *inputs,
                                 bool is_worktree)
{
	static const char *const names[] = {"/index.json", "/worker/kustomization.yaml"};
	const struct fleet *fleet = &inputs->fleet;
	const struct git_file *file;
	sv text;
	sv value;

	if (!inputs->repo || inputs->out_is_outside)
		return STATUS_OK;
	file = find_attributes(env, inputs, &text);
	for (size_t i = 0; file && i < fleet->cluster_count * COUNT_OF(names); i++) {
		sv path = ARENA_CONCAT(env->arena, inputs->out, SV("/"),
		                       fleet->clusters[i / COUNT_OF(names)].folder,
		                       sv_from_cstr(names[i % COUNT_OF(names)]));
		sv name = git_changing_attribute(
		    env->arena, inputs->repo, is_worktree ? NULL : &inputs->source, path, &value);

		if (sv_empty(name))
			continue;
		struct diag *diag = diag_report(
		    env->sink, DIAG_GIT_FILTERED,
		    place_of_attribute(source_new(env->arena, file->path, text, false), name,
		                       value),
		    "`generate` cannot commit %.*s: .gitattributes puts it under %.*s '%.*s'",
		    SV_ARG(path), SV_ARG(name), SV_ARG(value));
		diag_set_help(env->sink, diag, "add a line to .gitattributes: %.*s/** -%.*s",
		              SV_ARG(inputs->out), SV_ARG(name));
		return STATUS_FAILED;
	}
	return STATUS_OK;
}
