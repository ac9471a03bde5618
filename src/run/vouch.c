/*
 * Vouches for the output in the commit's message, finds out if unchanged output has been vouched
 * for, and explains, for `check`, output that is not as a run left it.
 */
#include "run/vouch.h"
#include "audit/audit.h"
#include "run/tip.h"

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

sv run_vouch(const struct run_env *env, const struct run_facts *facts,
             const struct run_writer *writer)
{
	const struct run_inputs *inputs = facts->inputs;

	if (!run_makes_commit(writer, inputs))
		return SV("");
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	const struct audit_state state = {
	    .inputs = inputs->taken,
	    .outputs =
	        run_files_after(scratch, git_output_previous(writer->output), facts->changes),
	};
	return audit_output_digest(env->arena, facts->plan->root, inputs->out, inputs->source.hex,
	                           &state);
}

/* ---- output that nobody vouches for ------------------------------------------------------ */

/* Returns true if the newest messages name any run; `verify` finds out if it fits. */
static bool is_run_near(const struct run_env *env, struct git_repo *repo, struct git_id from)
{
	struct git_messages messages;

	git_list_messages(env->arena, repo, from, PLAN_COMMITS_SEARCHED, &messages);
	VEC_EACH (message, &messages) {
		struct audit_trailers trailers;

		audit_read_trailers(env->arena, *message, &trailers);
		if (trailers.count > 0)
			return true;
	}
	return false;
}

static enum status find_voucher(const struct run_env *env, bool vouch,
                                const struct run_facts *facts, const struct git_source *tip,
                                bool *ret_lacks)
{
	const struct run_inputs *inputs = facts->inputs;
	struct audit_findings past = audit_findings_in(env->arena, inputs->out);
	struct audit_history_request request = {
	    .repo = inputs->repo,
	    .source = *tip,
	    .out = inputs->out,
	    .root = facts->plan->root,
	};

	if (!git_id_equal(inputs->source.id, tip->id))
		request.inputs = inputs->source.id;
	if (audit_history(env->arena, env->sink, &request, &past) != STATUS_OK)
		return STATUS_FAILED;
	/* A shallow clone may lack the voucher; one more does no harm. */
	*ret_lacks = past.vouchers.count == 0 && (vouch || past.sink.diags.count > 0);
	return STATUS_OK;
}

enum status run_lacks_voucher(const struct run_env *env, bool vouch, const struct run_facts *facts,
                              const struct run_writer *writer, bool *ret_lacks)
{
	const struct run_inputs *inputs = facts->inputs;
	struct sink unused = sink_in(env->arena);
	struct run_tip tip = {0};

	*ret_lacks = false;
	if (!run_makes_commit(writer, inputs) || facts->changes->count > 0 ||
	    git_output_previous(writer->output)->count == 0 ||
	    run_look_at_tip(&unused, env, inputs, writer->branch, &tip) != STATUS_OK ||
	    (!vouch && is_run_near(env, inputs->repo, tip.source.id)))
		return STATUS_OK;
	if (find_voucher(env, vouch, facts, &tip.source, ret_lacks) != STATUS_OK)
		return STATUS_FAILED;
	if (!*ret_lacks || vouch)
		return STATUS_OK;
	struct diag *diag = diag_report(env->sink, DIAG_AUDIT_NOBODY, NOWHERE,
	                                "the output is up to date, and no commit vouches for it");
	diag_set_help(env->sink, diag, "osm-gen generate --vouch makes one, which changes no file");
	return STATUS_OK;
}

/* ---- check ------------------------------------------------------------------------------- */

static bool is_of_changes(const struct run_inputs *inputs, const struct git_changes *changes,
                          sv path)
{
	VEC_EACH (change, changes) {
		if (path.len == inputs->out.len + 1 + change->path.len &&
		    sv_ends_with(path, change->path))
			return true;
	}
	return false;
}

/* Adds the findings of the history about files that differ. */
static enum status add_history(const struct run_env *env, const struct run_facts *facts, sv branch,
                               const struct git_source *tip, struct audit_findings *findings)
{
	const struct run_inputs *inputs = facts->inputs;
	struct audit_findings past = audit_findings_in(env->arena, inputs->out);
	struct audit_history_request request = {
	    .repo = inputs->repo,
	    .source = *tip,
	    .out = inputs->out,
	    .root = facts->plan->root,
	};

	if (facts->changes->count == 0)
		return STATUS_OK;
	if (!sv_empty(branch))
		request.inputs = inputs->source.id;
	if (audit_history(env->arena, env->sink, &request, &past) != STATUS_OK)
		return STATUS_FAILED;
	VEC_EACH (diag, &past.sink.diags) {
		if (is_of_changes(inputs, facts->changes, (*diag)->at.source->path))
			VEC_PUSH(env->arena, &findings->sink.diags, *diag);
	}
	return STATUS_OK;
}

static enum status explain(const struct run_env *env, const struct run_facts *facts, sv branch,
                           struct audit_findings *findings)
{
	const struct run_inputs *inputs = facts->inputs;
	struct run_tip tip = {0};

	if (run_look_at_tip(env->sink, env, inputs, branch, &tip) != STATUS_OK)
		return env->sink->error_count > 0 ? STATUS_FAILED : STATUS_OK;
	if (tip.files.count == 0)
		return STATUS_OK;
	if (audit_listing(env->arena, env->sink, inputs->repo, &tip.source, inputs->out,
	                  findings) != STATUS_OK)
		return STATUS_FAILED;
	return add_history(env, facts, branch, &tip.source, findings);
}

/*
 * The history may have a hundred times more entries than the run itself lists, so it has a quota of
 * its own. If that is exceeded, the run does not fail: its result is known, only the reason is not.
 */
enum status run_explain_output(const struct run_env *env, const struct run_facts *facts, sv branch)
{
	struct git_repo *repo = facts->inputs->repo;
	struct audit_findings findings = audit_findings_in(env->arena, facts->inputs->out);
	struct quota *of_run = &env->quotas->entries;
	struct sink found = sink_in(env->arena);
	struct run_env own = *env;
	struct quota entries = {
	    .option = of_run->option,
	    .setting = of_run->setting,
	    .what = of_run->what,
	    .code = of_run->code,
	    .max = of_run->max,
	};

	if (facts->inputs->out_is_outside)
		return STATUS_OK;
	own.sink = &found;
	git_repo_limit(repo, &entries);
	enum status status = explain(&own, facts, branch, &findings);
	git_repo_limit(repo, of_run);
	if (quota_is_exceeded(&entries)) {
		struct diag *diag =
		    diag_report(env->sink, DIAG_AUDIT_UNDECIDED, NOWHERE,
		                "why the output differs was not looked up: the history holds more "
		                "entries of folders than the %llu that --%s allows",
		                (unsigned long long)entries.max, entries.option);
		diag_set_help(env->sink, diag, "run osm-gen verify, or raise --%s", entries.option);
		return STATUS_OK;
	}
	sink_merge(env->sink, &found);
	sink_merge(env->sink, &findings.sink);
	return status;
}
