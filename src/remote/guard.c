/*
 * Opens the program git for a repository: checks that git trusts the repository and that neither
 * hooks nor included configuration come from the work tree.
 */
#include "remote/internal.h"

/* ---- hooks ------------------------------------------------------------------------------- */

static bool is_of_work_tree(struct remote_git *git, sv path)
{
	return os_is_inside(git->arena, path, git->work_tree) &&
	       !os_is_inside(git->arena, path, git->common_dir);
}

static enum status find_hooks(struct sink *sink, struct remote_git *git, sv *ret_folder)
{
	const sv arguments[] = {SV("config"), SV("--type=path"), SV("--get"), SV("core.hooksPath")};
	/* Without runs_hooks the setting would be the one that remote_run gives to hide hooks. */
	const struct remote_call call = {
	    .arguments = arguments, .argument_count = COUNT_OF(arguments), .runs_hooks = true};
	struct os_ended ended;

	if (remote_run(sink, git, &call, &ended) != STATUS_OK)
		return STATUS_FAILED;
	sv folder = remote_first_line(ended.out);
	if (ended.status != 0 || sv_empty(folder))
		folder = ARENA_CONCAT(git->arena, git->common_dir, SV("/hooks"));
	else if (!sv_starts_with(folder, SV("/")) && !sv_empty(git->work_tree))
		folder = ARENA_CONCAT(git->arena, git->work_tree, SV("/"), folder);
	*ret_folder = folder;
	return STATUS_OK;
}

/*
 * core.hooksPath or a link in the folder of hooks may lead into the work tree, where anybody who
 * proposes a change can put a hook.
 */
enum status remote_check_hooks(struct sink *sink, struct remote_git *git)
{
	struct os_entries entries = {0};
	struct sink ignored = sink_in(git->arena);
	sv folder;
	sv found = {0};

	if (git->hides_hooks)
		return STATUS_OK;
	if (find_hooks(sink, git, &folder) != STATUS_OK)
		return STATUS_FAILED;
	if (is_of_work_tree(git, folder))
		found = folder;
	else if (os_list_folder(git->arena, &ignored, folder, &entries) == STATUS_OK)
		VEC_EACH (entry, &entries) {
			sv path = ARENA_CONCAT(git->arena, folder, SV("/"), entry->path);

			if (sv_empty(found) && is_of_work_tree(git, path))
				found = path;
		}
	git->hides_hooks = !sv_empty(found);
	if (!git->hides_hooks)
		return STATUS_OK;
	struct diag *diag =
	    diag_report(sink, DIAG_PUSH_HOOKS, NOWHERE,
	                "git's hooks are not run: %.*s is in the work tree", SV_ARG(found));
	diag_set_help(sink, diag,
	              "put hooks that are to run when osm-gen pushes into .git/hooks, or have "
	              "core.hooksPath name a folder outside of the work tree");
	return STATUS_OK;
}

/* ---- configuration ------------------------------------------------------------------------ */

/*
 * Returns PATH of "file:PATH", which may be relative to the git directory, where git works; or an
 * empty string if the setting is not from a file.
 */
static sv file_of(struct remote_git *git, sv origin)
{
	if (!sv_starts_with(origin, SV("file:")))
		return SV("");
	sv path = sv_from_offset(origin, strlen("file:"));
	return sv_starts_with(path, SV("/"))
	           ? path
	           : ARENA_CONCAT(git->arena, git->git_dir, SV("/"), path);
}

enum status remote_is_committed(struct sink *sink, struct remote_git *git, sv path, bool *ret_is)
{
	const sv arguments[] = {SV("ls-files"), SV("--error-unmatch"), SV("--"),
	                        ARENA_CONCAT(git->arena, SV(":(literal)"), path)};
	const struct remote_call call = {
	    .arguments = arguments, .argument_count = COUNT_OF(arguments), .in_work_tree = true};
	struct os_ended ended;

	if (remote_run(sink, git, &call, &ended) != STATUS_OK)
		return STATUS_FAILED;
	*ret_is = ended.status == 0;
	return STATUS_OK;
}

enum status remote_check_configuration(struct sink *sink, struct remote_git *git)
{
	struct os_ended ended;
	struct sv_splitter it;
	sv last = {0};
	sv origin;
	sv key;

	if (sv_empty(git->work_tree))
		return STATUS_OK;
	if (REMOTE_RUN(sink, git, &ended, SV("config"), SV("--list"), SV("--show-origin"),
	               SV("--name-only"), SV("-z")) != STATUS_OK)
		return STATUS_FAILED;
	/* git prints the origin of each setting, then its key. */
	it = sv_split(ended.out, '\0');
	while (sv_split_next(&it, &origin) && sv_split_next(&it, &key)) {
		sv path = file_of(git, origin);
		bool is = false;

		if (sv_eq(origin, last) || !is_of_work_tree(git, path) ||
		    !os_real_path(git->arena, path, &path))
			continue;
		last = origin;
		if (remote_is_committed(sink, git, path, &is) != STATUS_OK)
			return STATUS_FAILED;
		if (!is)
			continue;
		struct diag *diag = diag_report(
		    sink, DIAG_PUSH_PROGRAM, NOWHERE,
		    "git's configuration includes a file of the work tree, %.*s", SV_ARG(path));
		diag_set_help(
		    sink, diag,
		    "anybody who proposes a change can edit that file, and with it choose what git "
		    "runs: have include.path name a copy outside of the work tree");
		return STATUS_FAILED;
	}
	return STATUS_OK;
}

/* ---- opening ------------------------------------------------------------------------------- */

/*
 * git checks the owner of a repository only if it finds the repository by itself, not if GIT_DIR
 * names it, so it is run without. It may find a bare repository, since --repo named that.
 */
enum status remote_git_probe(struct sink *sink, struct remote_git *git)
{
	const sv arguments[] = {SV_INIT("-c"), SV_INIT("safe.bareRepository=all"),
	                        SV_INIT("rev-parse"), SV_INIT("--git-dir")};
	sv folder = sv_empty(git->work_tree) ? git->git_dir : git->work_tree;
	const struct os_program program = {
	    .path = git->program,
	    .arguments = arguments,
	    .argument_count = COUNT_OF(arguments),
	    .environment = git->environment.items,
	    .environment_count = git->environment.count,
	    .folder = folder,
	};
	struct os_ended ended;

	if (os_run_program(git->arena, sink, &program, &ended) != STATUS_OK)
		return STATUS_FAILED;
	if (ended.status == 0)
		return remote_check_configuration(sink, git);
	struct diag *diag = remote_report(
	    sink, git, DIAG_PUSH_PROGRAM, &ended,
	    arena_printf(git->arena, "git refuses the repository %.*s", SV_ARG(folder)));
	diag_set_help(sink, diag,
	              "when it belongs to another user who can be trusted: git config --global "
	              "--add safe.directory %.*s",
	              SV_ARG(folder));
	return STATUS_FAILED;
}

enum status remote_git_open(struct arena *arena, struct sink *sink, const struct git_repo *repo,
                            const struct remote_surroundings *surroundings,
                            struct remote_git **ret_git)
{
	struct remote_git *git = ARENA_NEW(arena, struct remote_git);

	*git = remote_git_of(arena, repo, surroundings);
	if (!remote_git_find(git, surroundings)) {
		remote_report_no_git(sink, DIAG_PUSH_PROGRAM, "cannot push");
		return STATUS_FAILED;
	}
	if (remote_git_probe(sink, git) != STATUS_OK)
		return STATUS_FAILED;
	*ret_git = git;
	return STATUS_OK;
}
