/*
 * Guards the recipients of the output, before encrypted settings are decrypted and again before
 * anything is rendered.
 */
#include "run/guards/guards.h"
#include "run/output/output.h"

/* ---- the list of CI ---------------------------------------------------------------------- */

/* Returns true if the path is one of the commit's files, or inside of a submodule. */
static bool holds_path(const struct run_env *env, const struct git_files *files, sv path)
{
	VEC_EACH (file, files)
		if (sv_eq(file->path, path) ||
		    /* The commit chooses the content of its submodules, too. */
		    (file->mode == GIT_MODE_SUBMODULE &&
		     sv_starts_with(path, ARENA_CONCAT(env->arena, file->path, SV("/")))))
			return true;
	return false;
}

/* Check HEAD's recipients, too, if the inputs are from another commit. */
static bool head_holds_path(const struct run_env *env, const struct run_inputs *inputs, sv path)
{
	struct sink unused = sink_in(env->arena);
	struct git_source head;
	struct git_files files = {0};

	return git_source_find(env->arena, &unused, inputs->repo, SV("HEAD"), &head) == STATUS_OK &&
	       !git_id_equal(head.id, inputs->source.id) &&
	       git_list(env->arena, &unused, inputs->repo, &head, SV(""), &files) == STATUS_OK &&
	       holds_path(env, &files, path);
}

/* Fails if the list of allowed recipients is in the commit: its author could allow anybody. */
static enum status check_list_place(const struct run_env *env, const struct run_request *request,
                                    const struct run_inputs *inputs)
{
	sv given = request->allowed.recipients.name;
	sv root = git_repo_worktree(inputs->repo);
	sv real;

	if (sv_empty(given) || sv_empty(root) || !os_real_path(env->arena, given, &real) ||
	    !sv_starts_with(real, ARENA_CONCAT(env->arena, root, SV("/"))))
		return STATUS_OK;
	sv path = sv_from_offset(real, root.len + 1);
	bool is_inside =
	    holds_path(env, &inputs->files, path) || head_holds_path(env, inputs, path);

	if (!inputs->out_is_outside)
		is_inside |= sv_starts_with(path, ARENA_CONCAT(env->arena, inputs->out, SV("/")));
	if (!is_inside)
		return STATUS_OK;
	struct diag *diag =
	    diag_report(env->sink, DIAG_ALLOW_RECIPIENTS_PLACE, NOWHERE,
	                "--allow-recipients %.*s is a file of the repository", SV_ARG(given));
	diag_set_help(env->sink, diag,
	              "keep the list where no pull request can change it: in CI's own settings, "
	              "or in another repository");
	return STATUS_FAILED;
}

/* ---- the guard --------------------------------------------------------------------------- */

static void set_guard(const struct run_env *env, const struct run_request *request,
                      const struct run_inputs *inputs, const struct plan *plan,
                      const struct previous *previous, struct plan_guard *ret_guard)
{
	const struct run_allowed *allowed = &request->allowed;
	struct sink unused = sink_in(env->arena);
	struct git_source tip;
	sv rev = run_branch_rev(env->arena, request->target.branch);

	*ret_guard = (struct plan_guard){
	    .plan = plan,
	    .previous = previous,
	    .allowed = allowed->recipients,
	    .rotate_recipients = allowed->rotate_recipients,
	    .rotate_seed = allowed->rotate_seed,
	    .out = inputs->out,
	    .commits_max = (size_t)(env->quotas->entries.max / PLAN_ENTRIES_PER_COMMIT),
	};
	/* A branch that does not exist yet has no history. */
	if (!inputs->out_is_outside &&
	    git_source_find(env->arena, &unused, inputs->repo, rev, &tip) == STATUS_OK) {
		ret_guard->repo = inputs->repo;
		ret_guard->tip = tip.id;
	}
}

enum status run_check_recipients(const struct run_env *env, const struct run_request *request,
                                 const struct run_inputs *inputs, const struct plan *plan,
                                 const struct previous *previous,
                                 struct plan_recipient_changes *ret_changes)
{
	struct plan_guard guard;

	if (check_list_place(env, request, inputs) != STATUS_OK)
		return STATUS_FAILED;
	set_guard(env, request, inputs, plan, previous, &guard);
	return plan_check_recipients(env->arena, env->sink, &guard, ret_changes);
}

/* ---- before encrypted settings are decrypted ----------------------------------------------- */

static enum status check_early(const struct run_opening *opening, const struct fleet *fleet,
                               struct plan *plan)
{
	const struct run_env *env = opening->env;
	const struct run_request *request = opening->request;
	const struct plan_request wanted = {
	    .purpose = PLAN_OUTPUT,
	    .fleet = fleet,
	    .seed = request->reading.seed,
	};
	struct plan_recipient_changes changes;
	struct previous previous = {0};

	if (plan_make_recipients(env->arena, env->secret_arena, env->sink, &wanted, plan) !=
	    STATUS_OK)
		return STATUS_FAILED;
	/* Manifests on standard input have no output that could be sealed. */
	if (!opening->inputs->repo)
		return STATUS_OK;
	if (run_begin_output(env, opening->inputs, opening->writer) != STATUS_OK)
		return STATUS_FAILED;
	if (opening->writer->output &&
	    run_read_previous(env, request->allowed.rotate_seed, opening->inputs, plan,
	                      opening->writer, &previous) != STATUS_OK)
		return STATUS_FAILED;
	if (run_check_recipients(env, request, opening->inputs, plan, &previous, &changes) !=
	    STATUS_OK)
		return STATUS_FAILED;
	struct plan_guard guard;
	set_guard(env, request, opening->inputs, plan, &previous, &guard);
	return plan_check_settings(env->arena, env->sink, &guard);
}

bool run_may_open_settings(void *context, const struct fleet *fleet)
{
	struct plan plan = {0};
	bool may_open = check_early(context, fleet, &plan) == STATUS_OK;

	plan_free(&plan);
	return may_open;
}
