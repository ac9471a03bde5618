/*
 * The stages in order.
 */
#include "run/run.h"
#include "run/basis/basis.h"
#include "run/clusters/clusters.h"
#include "run/commit/commit.h"
#include "run/guards/guards.h"
#include "run/output/output.h"
#include "run/proofs/proofs.h"
#include "run/shard/shard.h"
#include "run/show/show.h"
#include "run/summary/summary.h"
#include "run/units/units.h"

/* The state of a run. Each stage is given the parts of it that it uses. */
struct run_state {
	const struct run_request *request;
	struct run_env env;
	struct run_inputs inputs;
	struct plan plan;
	struct previous previous;
	struct plan_recipient_changes recipient_changes;
	struct run_writer writer;
	struct run_rendered rendered;
	struct git_changes changes;
	struct run_parts parts;
	size_t input_diags; /* number of diagnostics before rendering; SIZE_MAX before that */
	struct run_history history;
	struct run_basis basis;              /* without the seed; see compares_without_seed */
	struct run_listed_warnings warnings; /* RUN_GENERATE: for the proof */
	bool lacks_voucher;                  /* RUN_GENERATE: no commit vouches for the output */
	bool is_planned;
	bool is_known; /* `previous` is set */
	bool is_rendered;
};

static void report_stage(const struct run_env *env, const char *stage)
{
	if (env->progress.report)
		env->progress.report(env->progress.context, stage, 0, 0);
}

static struct run_facts facts_of(const struct run_state *c)
{
	return (struct run_facts){
	    .inputs = &c->inputs,
	    .plan = c->is_planned ? &c->plan : NULL,
	    .previous = c->writer.output ? &c->previous : NULL,
	    .rendered = c->is_rendered ? &c->rendered : NULL,
	    .changes = &c->changes,
	    .cluster = c->request->print.cluster,
	    .recipient_changes = &c->recipient_changes,
	    .branch = c->request->target.branch,
	    .without_seed = c->request->reading.without_seed,
	};
}

/* ---- writing ----------------------------------------------------------------------------- */

/* Lists the warnings that the commit has, which are the last to be scanned for secrets. */
static enum status end_scan(struct run_state *c)
{
	const struct run_env *env = &c->env;
	const struct run_facts facts = facts_of(c);
	bool vouches = c->request->commit.vouch;
	enum status status = run_lacks_voucher(env, vouches, &facts, &c->writer, &c->lacks_voucher);

	run_place_diagnostics(env, &c->inputs);
	c->warnings = run_list_warnings(env, &facts);
	/* The summary and the commit need memory, too. */
	known_secrets_end_scan(c->plan.secrets);
	return status;
}

static enum status write_output(struct run_state *c, struct report_summary *summary)
{
	const struct run_env *env = &c->env;
	const struct run_commit *commit = &c->request->commit;
	const struct run_facts facts = facts_of(c);
	struct git_commit_text text = {.overwrite_modified = true};
	struct git_output_result written;

	text.allow_empty = c->lacks_voucher && commit->vouch;
	report_stage(env, "writing");
	sv proof = run_proof_trailers(env, c->request, &facts, &c->writer, summary, &c->warnings);
	sv proofs = ARENA_CONCAT(env->arena, run_outside_trailers(env, c->request, &facts),
	                         run_rendered_trailer(env, c->request, &facts, &c->writer), proof);
	if (run_choose_author(env->sink, commit->author, &c->inputs.fleet, &text) != STATUS_OK)
		return STATUS_FAILED;
	const struct run_wording wording = {
	    .commit = &c->inputs.fleet.commit,
	    .author =
	        ARENA_CONCAT(env->arena, text.author_name, SV(" <"), text.author_email, SV(">")),
	    .skip_ci = commit->skip_ci,
	};
	text.message = run_commit_message(env->arena, summary, &wording, proofs,
	                                  run_voucher(env, &facts, &c->writer));
	bool commits =
	    run_makes_commit(&c->writer, &c->inputs) && (c->changes.count > 0 || text.allow_empty);
	if (commit->surroundings && commits &&
	    remote_find_signer(env->arena, env->sink, c->inputs.repo, commit->surroundings,
	                       &text) != STATUS_OK)
		return STATUS_FAILED;
	if ((commits && run_shorten_history(env, &facts, &c->history, &text) != STATUS_OK) ||
	    git_output_finish(env->sink, c->writer.output, &text, &written) != STATUS_OK)
		return STATUS_FAILED;
	summary->outcome = !written.changed    ? REPORT_NOTHING
	                   : written.committed ? REPORT_COMMITTED
	                                       : REPORT_WRITTEN;
	if (written.committed) {
		summary->commit = git_id_hex(env->arena, written.commit);
		summary->branch = c->request->target.branch;
		if (text.kept) {
			summary->replaced = git_id_hex(env->arena, c->history.tip);
			summary->commit_count = text.kept->count + 1;
		}
	}
	return STATUS_OK;
}

static void summarize(const struct run_state *c, struct report_summary *summary)
{
	const struct run_facts facts = facts_of(c);

	run_describe(&c->env, c->request, &c->inputs, summary);
	run_summarize(&c->env, &facts, summary);
}

/* Returns the output folder of a cluster, also of one that the inputs no longer have. */
static sv folder_of(const struct run_state *c, sv name)
{
	const struct tree_index *index = c->is_known ? map_get(&c->previous.indexes, name) : NULL;

	for (size_t i = 0; i < c->inputs.fleet.cluster_count; i++)
		if (sv_eq(c->inputs.fleet.clusters[i].name, name))
			return c->inputs.fleet.clusters[i].folder;
	return index ? index->folder : SV("");
}

/* Fails if the only cluster that is asked for does not exist. */
static enum status check_only_cluster(const struct run_state *c)
{
	sv name = c->request->print.cluster;

	if (sv_empty(name) || !sv_empty(folder_of(c, name)))
		return STATUS_OK;
	fleet_report_no_cluster(c->env.sink, name,
	                        fleet_cluster_names(c->env.arena, &c->inputs.fleet),
	                        "`osm-gen list` shows the clusters");
	return STATUS_FAILED;
}

/* Leaves the changes of one cluster's folder, if only one is asked for. */
static void keep_cluster(struct run_state *c)
{
	sv name = c->request->print.cluster;
	sv prefix = ARENA_CONCAT(c->env.arena, folder_of(c, name), SV("/"));
	struct git_changes kept = {0};

	if (sv_empty(name))
		return;
	VEC_EACH (change, &c->changes)
		if (sv_starts_with(change->path, prefix))
			VEC_PUSH(c->env.arena, &kept, *change);
	c->changes = kept;
}

/* True if there is nothing to write: no unit, and no output of an earlier run. */
static bool has_nothing(const struct run_state *c)
{
	return c->plan.unit_count == 0 && (!c->is_known || c->previous.indexes.count == 0);
}

static enum status check_units(const struct run_state *c)
{
	bool must_find = c->request->mode == RUN_GENERATE && has_nothing(c);

	if (c->env.sink->error_count > 0)
		return STATUS_OK;
	return plan_check_units(c->env.arena, c->env.sink, &c->plan, c->request->reading.repo,
	                        must_find);
}

/* Returns true if a unit changes: without the seed its files may not be among the changes. */
static bool changes_a_unit(const struct report_summary *summary)
{
	VEC_EACH (row, &summary->units)
		if (row->change != REPORT_UNCHANGED)
			return true;
	return false;
}

static enum status finish(struct run_state *c, const struct run_job *job, struct run_result *result)
{
	const struct run_env *env = &c->env;
	const struct run_request *request = c->request;
	enum run_mode mode = request->mode;

	if (mode == RUN_VALIDATE) {
		summarize(c, &result->summary);
		for (size_t i = 0; job->wants_fetches && i < c->plan.unit_count; i++)
			VEC_PUSH(env->arena, &result->fetched,
			         c->rendered.units[i].fetched ? *c->rendered.units[i].fetched
			                                      : (struct run_fetched){0});
		result->summary.outcome = REPORT_VALID;
		return STATUS_OK;
	}
	if ((has_nothing(c)
	         ? run_check_leftovers(env, &c->inputs, job, &c->rendered)
	         : run_complete_tree(env, &c->inputs, job, &c->writer, &c->rendered)) != STATUS_OK)
		return STATUS_FAILED;
	git_output_changes(env->arena, c->writer.output, &c->changes);
	keep_cluster(c);
	const struct run_facts facts = facts_of(c);
	if (request->reading.without_seed)
		run_report_stand_ins(env, &facts);
	run_report_resealed(env, &facts);
	/* With --revisions the clusters themselves decide. */
	if (sv_empty(request->reading.revisions_file))
		run_report_reverted(env, &facts, request->target.branch);
	enum status status = mode == RUN_GENERATE ? end_scan(c) : STATUS_OK;
	summarize(c, &result->summary);
	if (mode == RUN_GENERATE)
		return status == STATUS_OK ? write_output(c, &result->summary) : STATUS_FAILED;
	bool differs = c->changes.count > 0 || changes_a_unit(&result->summary);
	result->differs = differs && mode != RUN_PLAN;
	result->summary.outcome = differs ? REPORT_DIFFERS : REPORT_NOTHING;
	if (mode == RUN_CHECK && !request->reading.worktree &&
	    run_explain_output(env, &facts, request->target.branch) != STATUS_OK)
		return STATUS_FAILED;
	if (mode == RUN_DIFF)
		return run_diff(env, &request->print, &facts, &c->writer, &result->summary,
		                &result->output);
	return STATUS_OK;
}

/* ---- planning ---------------------------------------------------------------------------- */

static enum plan_purpose purpose_of(const struct run_request *request)
{
	if (request->reading.without_seed)
		return PLAN_VALIDATE;
	switch (request->mode) {
	case RUN_VALIDATE:
		return PLAN_VALIDATE;
	case RUN_RENDER:
	case RUN_COMPARE:
		return PLAN_SHOW;
	case RUN_GENERATE:
	case RUN_CHECK:
	case RUN_DIFF:
	case RUN_PLAN:
		return PLAN_OUTPUT;
	}
	BUG("mode");
}

static enum status make_plan(struct run_state *c)
{
	const struct run_env *env = &c->env;
	const struct run_reading *reading = &c->request->reading;
	const struct plan_request wanted = {
	    .steps = &env->quotas->steps,
	    .purpose = purpose_of(c->request),
	    .fleet = &c->inputs.fleet,
	    .seed = reading->seed,
	    .identities = reading->identities,
	    .environment = reading->environment,
	    .revisions = reading->revisions_file,
	    .repo = reading->repo,
	    .now = c->inputs.source.time,
	    .work_tree = git_repo_worktree(c->inputs.repo),
	};

	enum status status = plan_make(env->arena, env->secret_arena, env->sink, &wanted, &c->plan);
	c->is_planned = true;
	return status;
}

/* Returns true if the run has no seed, and finds the classes of units. */
static bool compares_without_seed(const struct run_request *request)
{
	return request->reading.without_seed && !request->reading.manifests.ptr &&
	       (request->mode == RUN_PLAN || request->mode == RUN_DIFF);
}

static enum status read_previous(struct run_state *c)
{
	if (!c->writer.output || (!c->plan.root && !c->request->reading.without_seed))
		return STATUS_OK;
	if (run_read_previous(&c->env, c->request->allowed.rotate_seed, &c->inputs, &c->plan,
	                      &c->writer, &c->previous) != STATUS_OK)
		return STATUS_FAILED;
	c->is_known = true;
	if (!c->plan.root && !compares_without_seed(c->request))
		return STATUS_OK;
	return run_check_recipients(&c->env, c->request, &c->inputs, &c->plan, &c->previous,
	                            &c->recipient_changes);
}

/* ---- the whole --------------------------------------------------------------------------- */

/* `render` and `compare`: nothing is written. */
static enum status show(const struct run_state *c, const struct run_job *job, enum status status,
                        struct run_result *result)
{
	const struct run_request *request = c->request;
	const struct run_facts facts = facts_of(c);

	if (request->reading.without_seed)
		run_report_stand_ins(&c->env, &facts);
	if (status != STATUS_OK)
		return status;
	return request->mode == RUN_RENDER
	           ? run_inspect(&c->env, &request->inspected, job, &result->output)
	           : run_compare(&c->env, &request->compared, job, &result->differs,
	                         &result->output);
}

/* Fails if the parts of a merge cannot be taken. *ret_parts is null for an ordinary run. */
static enum status find_parts(struct run_state *c, const struct run_parts **ret_parts)
{
	const struct run_sharding *sharding = &c->request->sharding;
	const struct run_facts facts = facts_of(c);

	*ret_parts = NULL;
	if (sharding->count == 0 && sharding->folder_count == 0)
		return STATUS_OK;
	*ret_parts = &c->parts;
	if (sharding->count == 0)
		return run_read_shards(&c->env, c->request, &facts, &c->writer, &c->parts);
	run_divide(&c->env, sharding, &c->plan, &c->parts);
	return STATUS_OK;
}

/* A shard ends here: `merge` does the rest. */
static enum status finish_shard(struct run_state *c, struct report_summary *summary)
{
	const struct run_facts facts = facts_of(c);
	sv path;

	run_place_diagnostics(&c->env, &c->inputs);
	if (run_save_shard(&c->env, c->request, &facts, &c->writer, &c->parts, &path) != STATUS_OK)
		return STATUS_FAILED;
	run_describe(&c->env, c->request, &c->inputs, summary);
	run_summarize(&c->env, &(struct run_facts){.inputs = &c->inputs, .plan = &c->plan},
	              summary);
	for (size_t i = 0; i < c->plan.unit_count; i++)
		summary->unit_count += c->parts.division[i] == c->parts.index;
	summary->out = path;
	summary->outcome = REPORT_WRITTEN;
	return STATUS_OK;
}

static enum status list_inputs(struct run_state *c, struct run_result *result, bool *ret_unchanged)
{
	const struct run_request *request = c->request;
	const struct run_sharding *sharding = &request->sharding;

	*ret_unchanged = false;
	if (compares_without_seed(request))
		run_find_basis(&c->env, request, &c->basis);
	if (run_list_inputs(&c->env, request->mode, &request->reading, request->target.out,
	                    &c->inputs) != STATUS_OK ||
	    run_check_sharding(&c->env, sharding, &c->inputs) != STATUS_OK ||
	    run_look_at_history(&c->env, request, &c->inputs, &c->history) != STATUS_OK ||
	    git_check_commits(c->env.sink, c->inputs.repo) != STATUS_OK)
		return STATUS_FAILED;
	if (sharding->count > 0)
		return run_begin_shard(&c->env, sharding, &c->inputs, &c->writer);
	return run_find_unchanged(&c->env, request, &c->inputs, &c->writer, &result->summary,
	                          ret_unchanged);
}

static bool shows(const struct run_request *request)
{
	return request->mode == RUN_RENDER || request->mode == RUN_COMPARE;
}

static enum status read_inputs(struct run_state *c)
{
	const struct run_request *request = c->request;
	struct run_opening opening = {&c->env, request, &c->inputs, &c->writer};
	struct run_former former = {&c->env, &c->inputs, &c->writer, request->target.branch};

	c->inputs.may_open = run_may_open_settings;
	c->inputs.may_open_context = &opening;
	c->inputs.was_in_buckets = run_was_in_buckets;
	c->inputs.was_in_buckets_context = &former;
	c->inputs.keeps_units_open = shows(request);
	if (run_read_inputs(&c->env, request->mode, &request->reading, &c->inputs) != STATUS_OK)
		return STATUS_FAILED;
	bool is_early = request->mode == RUN_VALIDATE || request->mode == RUN_CHECK ||
	                request->mode == RUN_DIFF || request->mode == RUN_PLAN;
	return is_early ? run_check_attributes(&c->env, &c->inputs, request->reading.worktree)
	                : STATUS_OK;
}

/* Completes the facts of units that were rendered without the seed. */
static void compare_without_seed(struct run_state *c)
{
	if (compares_without_seed(c->request))
		run_compare_basis(&c->env, &c->basis, &c->inputs, &c->plan, &c->rendered);
}

static enum status stages(struct run_state *c, struct run_result *result)
{
	const struct run_env *env = &c->env;
	const struct run_request *request = c->request;
	const struct run_reading *reading = &request->reading;
	enum status status;
	bool unchanged;

	report_stage(env, "reading");
	if (list_inputs(c, result, &unchanged) != STATUS_OK)
		return STATUS_FAILED;
	if (unchanged)
		return git_check_commits(env->sink, c->inputs.repo);
	status = read_inputs(c);
	if (!c->inputs.is_loaded)
		return STATUS_FAILED;
	if (make_plan(c) != STATUS_OK)
		status = STATUS_FAILED;
	if (run_check_quotas(env->sink, env->quotas) != STATUS_OK)
		return STATUS_FAILED;
	if (run_begin_output(env, &c->inputs, &c->writer) != STATUS_OK)
		return STATUS_FAILED;
	if (read_previous(c) != STATUS_OK || check_only_cluster(c) != STATUS_OK)
		status = STATUS_FAILED;
	if (c->writer.output)
		run_compare_outside(env, request, &c->inputs);
	if (status == STATUS_OK && check_units(c) != STATUS_OK)
		status = STATUS_FAILED;
	const struct previous *known = c->is_known ? &c->previous : NULL;
	plan_cut(&c->plan, known);
	if (run_guard_removal(env, request->mode, &request->allowed, &c->inputs, &c->plan, known,
	                      &c->writer) != STATUS_OK)
		status = STATUS_FAILED;
	/* `render` and `compare` may show a profile in the making. */
	if (!shows(request) && run_check_definitions(env, &request->allowed, &c->inputs, &c->plan,
	                                             known, &c->writer) != STATUS_OK)
		status = STATUS_FAILED;
	const struct run_parts *parts = NULL;
	bool merges = request->sharding.folder_count > 0;
	if ((merges && status != STATUS_OK) || find_parts(c, &parts) != STATUS_OK)
		return STATUS_FAILED;
	struct run_job job = {
	    .plan = &c->plan,
	    .previous = c->writer.output ? &c->previous : NULL,
	    .now = c->inputs.source.time,
	    .out = c->inputs.out_is_outside ? SV("") : c->inputs.out,
	    .only_cluster = request->print.cluster,
	    .steps = &env->quotas->steps,
	    .without_seed = reading->without_seed,
	    .wants_fetches = request->print.wants_fetches,
	    .allows_roll = request->allowed.roll,
	    .parts = parts,
	};
	if (shows(request))
		return show(c, &job, status, result);
	/* Render units of sound clusters even if others are wrong, to report their mistakes, too.
	 */
	report_stage(env, "rendering");
	c->input_diags = env->sink->diags.count;
	job.proofs = run_proofs_new(env, request, &c->inputs, &job, &c->writer);
	if (run_render(env, &job, status == STATUS_OK, &c->writer, &c->rendered) != STATUS_OK)
		status = STATUS_FAILED;
	c->is_rendered = true;
	compare_without_seed(c);
	if (request->sharding.count > 0)
		return status == STATUS_OK ? finish_shard(c, &result->summary) : STATUS_FAILED;
	if (merges && status == STATUS_OK)
		run_join_reviews(parts, c->rendered.review);
	if (run_check_delivery(env, &c->plan, &c->rendered) != STATUS_OK)
		status = STATUS_FAILED;
	if (run_guard_rolls(env, request->mode, &request->allowed, &c->plan, &c->rendered) !=
	    STATUS_OK)
		status = STATUS_FAILED;
	if (run_check_clashes(env, &c->plan, &c->rendered) != STATUS_OK ||
	    run_check_creation_rules(env, &job, &c->rendered) != STATUS_OK ||
	    git_check_commits(env->sink, c->inputs.repo) != STATUS_OK || status != STATUS_OK)
		return STATUS_FAILED;
	run_end_units(env, &c->inputs);
	return finish(c, &job, result);
}

static enum git_output_mode output_mode(const struct run_request *request)
{
	if (request->mode != RUN_GENERATE || request->sharding.count > 0)
		return GIT_OUTPUT_COMPARE;
	return request->reading.worktree || request->target.no_commit ? GIT_OUTPUT_FOLDER
	                                                              : GIT_OUTPUT_COMMIT;
}

static struct run_writer new_writer(const struct run_env *env, const struct run_request *request)
{
	struct run_writer writer = {
	    .mode = output_mode(request),
	    .has_no_output = request->mode == RUN_VALIDATE,
	    .branch = request->target.branch,
	    .results = ARENA_ARRAY(env->arena, struct arena *, env->threads),
	    .bytes = &env->quotas->output_bytes,
	    .contents = request->mode == RUN_DIFF ? run_contents_new(env->arena) : NULL,
	};

	for (unsigned i = 0; i < env->threads; i++)
		writer.results[i] = run_new_arena(env, ARENA_PLAIN);
	return writer;
}

static void close_state(struct run_state *c)
{
	git_output_free(c->writer.output);
	run_contents_free(c->writer.contents);
	review_free(c->rendered.review);
	run_close_inputs(&c->inputs);
	plan_free(&c->plan);
}

enum status run(struct arena *arena, struct sink *sink, const struct run_request *request,
                struct run_result *ret_result)
{
	struct run_result result = {.output = buf_in(arena)};
	struct run_quotas quotas;
	struct run_arenas arenas = {0};
	struct run_state c = {
	    .request = request,
	    .input_diags = SIZE_MAX,
	    .env = run_env_new(arena, sink, request, &quotas, &arenas),
	};

	c.writer = new_writer(&c.env, request);
	bool may_be_secret =
	    request->mode == RUN_RENDER || request->mode == RUN_COMPARE || request->print.reveal;
	result.output = buf_in(may_be_secret ? c.env.secret_arena : arena);
	enum status status = stages(&c, &result);
	run_place_diagnostics(&c.env, &c.inputs);
	if (request->sharding.index > 1)
		run_leave_to_first_shard(sink, c.input_diags);
	if (status != STATUS_OK) {
		const struct run_facts facts = {
		    .inputs = &c.inputs,
		    .plan = c.is_planned ? &c.plan : NULL,
		};

		(void)!os_check_signals(
		    sink); /* jobs that a signal kept from running report nothing */
		if (result.summary.command.len == 0) {
			run_describe(&c.env, request, &c.inputs, &result.summary);
			run_summarize(&c.env, &facts, &result.summary);
		}
		result.summary.outcome = REPORT_FAILED;
		result.summary.is_half_done = git_output_is_half_done(c.writer.output);
	}
	sv used = seal_program_used(arena, c.inputs.sops);
	if (!sv_empty(used))
		VEC_PUSH(arena, &result.summary.programs, used);
	if (c.is_planned)
		result.secrets = known_secrets_items(c.plan.secrets, &result.secret_count);
	close_state(&c);
	result.arenas = arenas.items;
	result.arena_count = arenas.count;
	*ret_result = result;
	return status;
}

void run_release(struct run_result *result)
{
	for (size_t i = 0; i < result->arena_count; i++)
		arena_free(result->arenas[i]);
	*result = (struct run_result){0};
}
