/*
 * Decides which commits of a branch stay, and what the first of them has to state of the others.
 * Warns of revisions that its commits took back.
 */
#include "audit/audit.h"
#include "run/commit/commit.h"
#include "run/output/output.h"

/* ---- refusals ------------------------------------------------------------------------------ */

static enum status refuse_commit(const struct run_env *env, enum diag_code code, sv text,
                                 const char *help)
{
	struct diag *diag = diag_report(env->sink, code, NOWHERE, "%.*s", SV_ARG(text));

	diag_set_help(env->sink, diag, "%s", help);
	return STATUS_FAILED;
}

static enum status holds_inputs(const struct run_env *env, sv branch, const char *why)
{
	return refuse_commit(
	    env, DIAG_HISTORY_BRANCH,
	    arena_printf(
	        env->arena,
	        "--history cannot replace branch %.*s: %s, so commits of people would be lost",
	        SV_ARG(branch), why),
	    "give the output a branch of its own, which begins at a commit without "
	    "output: --branch rendered");
}

static enum status is_foreign(const struct run_env *env, sv branch,
                              const struct git_commit_info *commit, const char *why)
{
	return refuse_commit(
	    env, DIAG_HISTORY_BRANCH,
	    arena_printf(env->arena, "--history cannot replace branch %.*s: its commit %.12s %s",
	                 SV_ARG(branch), git_id_hex(env->arena, commit->id).ptr, why),
	    "keep the branch for osm-gen: remove the commit (git rebase --onto COMMIT^ "
	    "COMMIT BRANCH), or omit --history");
}

static enum status is_incomplete(const struct run_env *env, sv branch, struct git_repo *repo)
{
	bool is_shallow = git_repo_is_shallow(repo);

	return refuse_commit(
	    env, DIAG_HISTORY_LACKS,
	    arena_printf(env->arena, "--history cannot replace branch %.*s: %s", SV_ARG(branch),
	                 is_shallow ? "the clone is shallow, and lacks commits of it"
	                            : "the repository lacks commits of it"),
	    is_shallow ? "fetch the whole branch: git fetch --unshallow, or fetch-depth: 0 in CI"
	               : "git fsck shows what is missing; take another clone");
}

/* ---- the commits of the branch -------------------------------------------------------------- */

struct walk {
	const struct run_env *env;
	struct git_repo *repo;
	sv branch;
	sv out;
	struct git_id base; /* of the inputs' commits, where the branch began */
	bool has_base;
};

/* Git's id of a tree without entries. */
static bool has_empty_tree(const struct git_commit_info *commit)
{
	struct git_id empty;

	return git_id_parse(SV("4b825dc642cb6eb9a060e54bf8d69288fbee4904"), &empty) &&
	       git_id_equal(commit->tree, empty);
}

/*
 * Checks that osm-gen made the commit, and nothing but output in it. *ret_ends is true if the
 * commit is where the branch begins: with nothing, as people begin branches for output.
 */
static enum status check_run(const struct walk *w, const struct git_commit_info *commit,
                             bool *ret_ends)
{
	bool is_run = audit_names_source(commit->message);

	*ret_ends = !is_run && commit->parent_count == 0 && has_empty_tree(commit);
	if (*ret_ends)
		return STATUS_OK;
	if (!is_run && !w->has_base && git_repo_is_shallow(w->repo))
		return is_incomplete(w->env, w->branch, w->repo);
	if (commit->parent_count > 1)
		return is_foreign(w->env, w->branch, commit, "is a merge");
	if (!is_run)
		return is_foreign(w->env, w->branch, commit, "is not osm-gen's");
	return STATUS_OK;
}

static enum status check_first(const struct walk *w, const struct git_commit_info *commit)
{
	struct audit_left_out left;

	if (audit_read_left_out(w->env->arena, commit->message, &left))
		return STATUS_OK;
	return refuse_commit(
	    w->env, DIAG_HISTORY_LACKS,
	    arena_printf(w->env->arena,
	                 "--history cannot replace branch %.*s: a run made its first "
	                 "commit, %.12s, which does not name the commit before it",
	                 SV_ARG(w->branch), git_id_hex(w->env->arena, commit->id).ptr),
	    "find out who replaced the branch; git reflog and other clones may have the "
	    "commit that it had before");
}

static enum status check_change(const struct walk *w, const struct git_commit_info *commit)
{
	struct git_commit_info parent;

	if (!git_read_commit(w->env->arena, w->repo, commit->parents[0], &parent))
		return is_incomplete(w->env, w->branch, w->repo);
	if (git_differ_outside(w->env->arena, w->repo, parent.tree, commit->tree, w->out))
		return is_foreign(w->env, w->branch, commit, "changes other files than the output");
	return STATUS_OK;
}

/* Lists the branch's own commits down to the inputs' one where it began, or to its first. */
static enum status list_own(const struct walk *w, struct run_history *history)
{
	struct git_id id = history->tip;

	for (;;) {
		struct git_commit_info commit;
		bool ends;

		if (!git_read_commit(w->env->arena, w->repo, id, &commit))
			return is_incomplete(w->env, w->branch, w->repo);
		history->has_below = w->has_base && git_id_equal(id, w->base);
		if (history->has_below) {
			history->below = commit;
			return STATUS_OK;
		}
		if (check_run(w, &commit, &ends) != STATUS_OK)
			return STATUS_FAILED;
		if (ends)
			return STATUS_OK;
		VEC_PUSH(w->env->arena, &history->own, commit);
		if (commit.parent_count == 0)
			return check_first(w, &commit);
		if (check_change(w, &commit) != STATUS_OK)
			return STATUS_FAILED;
		id = commit.parents[0];
	}
}

/* ---- looking -------------------------------------------------------------------------------- */

static bool has_output(const struct run_env *env, const struct run_inputs *inputs,
                       struct git_id tree)
{
	struct git_file folder;

	return git_look_up(env->arena, inputs->repo, tree, inputs->out, &folder);
}

static enum status look(const struct run_env *env, sv branch, const struct run_inputs *inputs,
                        size_t max, struct run_history *history)
{
	struct walk walk = {.env = env, .repo = inputs->repo, .branch = branch, .out = inputs->out};
	const char *inputs_too = "it has output and inputs";
	struct sink unused = sink_in(env->arena);
	struct git_branch_look known;
	struct git_source tip;

	git_look_at_branch(env->arena, inputs->repo, branch, &known);
	if (known.is_default)
		return holds_inputs(env, branch, "it is the branch that HEAD names");
	if (git_source_find(env->arena, &unused, inputs->repo, run_branch_rev(env->arena, branch),
	                    &tip) != STATUS_OK) {
		if (sv_empty(known.remote))
			return has_output(env, inputs, inputs->source.tree)
			           ? holds_inputs(env, branch, inputs_too)
			           : STATUS_OK;
		return refuse_commit(
		    env, DIAG_HISTORY_LACKS,
		    arena_printf(env->arena,
		                 "branch %.*s is not in this clone, but %.*s is, so osm-gen cannot "
		                 "know which commits the branch had",
		                 SV_ARG(branch), SV_ARG(known.remote)),
		    "fetch it first (git fetch origin BRANCH:BRANCH); if it was removed on "
		    "purpose, git fetch --prune");
	}
	history->tip = tip.id;
	walk.has_base = git_find_base(inputs->repo, tip.id, inputs->source.id, &walk.base);
	if (list_own(&walk, history) != STATUS_OK)
		return STATUS_FAILED;
	if (history->has_below && has_output(env, inputs, history->below.tree))
		return holds_inputs(env, branch, inputs_too);
	history->replaces = history->own.count >= max;
	history->kept_count = history->replaces ? max - 1 : history->own.count;
	return STATUS_OK;
}

enum status run_look_at_history(const struct run_env *env, const struct run_request *request,
                                const struct run_inputs *inputs, struct run_history *ret_history)
{
	*ret_history = (struct run_history){0};
	if (request->target.history == 0 || request->mode != RUN_GENERATE)
		return STATUS_OK;
	if (inputs->out_is_outside) {
		struct diag *diag =
		    diag_report(env->sink, DIAG_USAGE, NOWHERE,
		                "--history does not go with an --out outside of the repository");

		diag_set_help(env->sink, diag,
		              "osm-gen does not commit an output outside of the repository");
		return STATUS_FAILED;
	}
	return look(env, request->target.branch, inputs, request->target.history, ret_history);
}

/* ---- reverted revisions --------------------------------------------------------------------- */

static sv revision_of(const struct run_unit *unit)
{
	VEC_EACH (file, &unit->files)
		if (!sv_empty(file->unit->revision))
			return file->unit->revision;
	return SV("");
}

static struct plan_reverted_request
reverted_request(const struct run_env *env, const struct run_facts *facts, struct git_id tip)
{
	const struct run_inputs *inputs = facts->inputs;
	size_t count = facts->plan->unit_count;
	sv *revisions = ARENA_ARRAY(env->arena, sv, count);

	for (size_t i = 0; i < count; i++)
		revisions[i] = revision_of(&facts->rendered->units[i]);
	return (struct plan_reverted_request){
	    .history = {inputs->repo, tip, inputs->out},
	    .plan = facts->plan,
	    .revisions = revisions,
	};
}

void run_report_reverted(const struct run_env *env, const struct run_facts *facts, sv branch)
{
	const struct run_inputs *inputs = facts->inputs;
	struct sink unused = sink_in(env->arena);
	struct git_source tip;

	if (inputs->out_is_outside || !facts->plan || !facts->rendered || !facts->previous ||
	    facts->previous->units.count == 0 ||
	    git_source_find(env->arena, &unused, inputs->repo, run_branch_rev(env->arena, branch),
	                    &tip) != STATUS_OK)
		return;
	const struct plan_reverted_request request = reverted_request(env, facts, tip.id);
	plan_report_reverted(env->arena, env->sink, &request);
}

/* ---- replacing ------------------------------------------------------------------------------ */

static enum status check_signatures(const struct run_env *env, const struct run_history *history,
                                    const struct git_commit_text *text)
{
	bool loses = text->sign && history->kept_count > 0;

	for (size_t i = 0; i < history->kept_count; i++)
		loses |= history->own.items[i].is_signed;
	if (!loses)
		return STATUS_OK;
	return refuse_commit(
	    env, DIAG_HISTORY_BRANCH,
	    SV("--history would make signed commits again without their signatures"),
	    "--history 1 keeps the new commit alone, which is signed; or set "
	    "commit.gpgSign to false");
}

static enum status leave_out(const struct run_env *env, const struct run_facts *facts,
                             const struct run_history *history, struct audit_left_out *left)
{
	size_t kept = history->kept_count;
	const struct plan_leaving request = {
	    .reverted = reverted_request(env, facts, history->tip),
	    .left = history->own.items + kept,
	    .left_count = history->own.count - kept,
	    .below = history->below.id,
	    .has_below = history->has_below,
	    .first = kept > 0 ? &history->own.items[kept - 1] : NULL,
	    .commits_max = (size_t)(env->quotas->entries.max / PLAN_ENTRIES_PER_COMMIT),
	};

	return plan_leave_out(env->arena, env->sink, &request, left);
}

static sv message_with(struct arena *arena, sv message, const struct audit_left_out *left)
{
	struct buf buf = buf_in(arena);

	buf_add(&buf, message);
	if (!sv_ends_with(message, SV("\n")))
		buf_add_char(&buf, '\n');
	audit_add_left_out(&buf, left);
	return buf_sv(&buf);
}

enum status run_shorten_history(const struct run_env *env, const struct run_facts *facts,
                                const struct run_history *history, struct git_commit_text *text)
{
	struct audit_left_out left;
	size_t count = history->kept_count;

	if (!history->replaces)
		return STATUS_OK;
	if (check_signatures(env, history, text) != STATUS_OK ||
	    leave_out(env, facts, history, &left) != STATUS_OK)
		return STATUS_FAILED;
	struct git_kept_commit *items = ARENA_ARRAY(env->arena, struct git_kept_commit, count);
	for (size_t i = 0; i < count; i++) {
		const struct git_commit_info *commit = &history->own.items[count - 1 - i];

		items[i] = (struct git_kept_commit){commit->id, commit->message};
	}
	if (count > 0)
		items[0].message = message_with(env->arena, items[0].message, &left);
	else
		text->message = message_with(env->arena, text->message, &left);
	struct git_kept *kept = ARENA_NEW(env->arena, struct git_kept);
	*kept = (struct git_kept){history->tip, items, count};
	text->kept = kept;
	return STATUS_OK;
}
