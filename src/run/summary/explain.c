/*
 * Explains, for `check`, output that is not as a run left it: who changed which file.
 */
#include "audit/audit.h"
#include "run/output/output.h"
#include "run/summary/summary.h"

/* Adds the findings of the history about files that differ. */
static enum status add_history(const struct run_env *env, const struct run_facts *facts, sv branch,
                               const struct git_source *tip, struct audit_findings *findings)
{
	const struct run_inputs *inputs = facts->inputs;
	struct audit_findings past = audit_findings_in(env->arena, inputs->out);
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
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
	const struct map changed = run_changes_by_path(scratch, facts->changes);
	VEC_EACH (diag, &past.sink.diags) {
		sv path = (*diag)->at.source->path;

		if (map_get(&changed, sv_from_offset(path, inputs->out.len + 1)))
			VEC_PUSH(env->arena, &findings->sink.diags, *diag);
	}
	return STATUS_OK;
}

static enum status explain(const struct run_env *env, const struct run_facts *facts, sv branch,
                           struct audit_findings *findings)
{
	const struct run_inputs *inputs = facts->inputs;
	struct run_tip tip = {0};

	if (run_list_tip(env->sink, env, inputs, branch, &tip) != STATUS_OK)
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
		struct diag *diag = diag_report(
		    env->sink, DIAG_AUDIT_UNDECIDED, NOWHERE,
		    "osm-gen did not search for the reason of the difference: the history holds "
		    "more entries of folders than the %llu that --%s allows",
		    (unsigned long long)entries.max, entries.option);
		diag_set_help(env->sink, diag, "run osm-gen verify, or raise --%s", entries.option);
		return STATUS_OK;
	}
	sink_merge(env->sink, &found);
	sink_merge(env->sink, &findings.sink);
	return status;
}
