/*
 * Renders, seals and puts all units, each in an arena of its own, on any thread. The results are in
 * the order of the plan.
 */
#include "run/proofs/proofs.h"
#include "run/shard/shard.h"
#include "run/units/classify.h"
#include "run/units/rendering.h"

#include <stdatomic.h>

/*
 * Forgets the values of units that are rendered. Only as far as all units before them are right: a
 * mistake in one of these may have a unit looked into again (exceeded.h). The caller holds the
 * lock.
 */
static void forget_units(struct run_rendering *r)
{
	const struct plan *plan = r->job->plan;

	for (; r->forgotten < plan->unit_count && r->is_right[r->forgotten]; r->forgotten++)
		kube_object_forget((struct kube_object *)(uintptr_t)plan->units[r->forgotten]
		                       .unit->object); /* NOLINT */
}

static void report_progress(struct run_rendering *r, unsigned worker, size_t index)
{
	const struct run_progress *progress = &r->env->progress;
	const struct run_unit *unit = &r->rendered->units[index];

	os_mutex_lock(r->lock);
	size_t done = ++r->done;
	r->is_right[index] = r->writes && unit->is_done && unit->sink.error_count == 0;
	forget_units(r);
	os_mutex_unlock(r->lock);
	if (worker == 0 && progress->report)
		progress->report(progress->context, "rendering", done, r->job->plan->unit_count);
}

/* Bytes of a profile, and of user-data, that cost as much as one step. */
enum { BYTES_PER_STEP = 8, MADE_PER_STEP = 16 };

static size_t size_of(const struct kube_object *object)
{
	if (!object || !object->root)
		return 0;
	return object->root->origin.length || !object->source ? object->root->origin.length
	                                                      : object->source->text.len;
}

/*
 * A unit's memory is a measure of all work on it, whatever it comes from: settings, lists of the
 * profile, long strings. A MachineDeployment uses 0.4 to 0.7 MB; what is above FREE_BYTES is
 * charged.
 */
enum { FREE_BYTES = 2 * 1000 * 1000, USED_PER_STEP = 32 };

static void charge_memory(struct quota *steps, const struct arena *scratch)
{
	size_t used = arena_used(scratch);

	if (used > FREE_BYTES)
		(void)quota_take(steps, (used - FREE_BYTES) / USED_PER_STEP);
}

/* Charges the size of the unit and its profile: a large profile may be rendered many times. */
static bool charge(struct quota *steps, const struct dialect_unit *unit)
{
	size_t bytes =
	    size_of(unit->object) + (unit->definition ? size_of(unit->definition->object) : 0);

	return quota_take(steps, bytes / BYTES_PER_STEP);
}

static void charge_made(struct quota *steps, const struct dialect_rendered *rendered)
{
	size_t bytes = 0;

	VEC_EACH (artifact, &rendered->artifacts)
		bytes += value_text(&artifact->user_data).len;
	(void)quota_take(steps, bytes / MADE_PER_STEP);
}

/* Renders a unit that is open. Returns false if the run ends before. */
static bool render_open(struct run_rendering *r, size_t index, unsigned number)
{
	const struct plan_unit *unit = &r->job->plan->units[index];
	struct run_worker *worker = &r->workers[number];
	struct run_unit *result = &r->rendered->units[index];
	struct plan_revision revision = {0};
	struct dialect_rendered rendered = {0};
	struct quota steps = quota_part(r->job->steps, 0);
	struct run_job job = *r->job;

	job.steps = &steps;
	job.asks_now = &result->asks_now;
	run_unit_begin(worker->results, worker->scratch, unit, result);
	if (os_check_signals(&result->sink) != STATUS_OK || quota_is_exceeded(r->job->steps) ||
	    quota_is_exceeded(r->writer->bytes))
		return false;
	if (job.parts &&
	    run_take_unit(worker->results, job.parts, number, index, r->job->steps, result))
		return true;
	/* An earlier stage has reported the mistake in the definition or cluster. */
	if (!plan_unit_is_sound(unit)) {
		run_unit_check(worker->scratch, r->job, result);
	} else if (run_keep_unit(worker->results, worker->scratch, r->job->proofs, unit, number,
	                         r->writes, result)) {
		/* Nothing of it is rendered. */
		run_keep_shared(r, number, result);
	} else if (run_exceeded_before(r->exceeded, index)) {
		/* Another unit has reported the same diagnostics already. */
	} else if (charge(&steps, unit->unit) &&
	           run_render_unit(worker->scratch, &result->sink, &job, unit, &revision,
	                           &rendered) == STATUS_OK) {
		charge_made(&steps, &rendered);
		run_fill_row(worker->results, &result->row, unit, &rendered);
		if (r->job->wants_fetches)
			result->fetched = run_keep_fetches(worker->results, result, &rendered);
		result->facts = (struct plan_class_facts){
		    .was_there = revision.was_there,
		    .is_there = true,
		    .template = revision.template,
		    .is_applied = rendered.is_applied,
		    .is_rolled = revision.is_rolled,
		    .is_first_roll = revision.roll.is_first,
		    .lacks_seed = r->job->without_seed,
		    .secrets_unknown = r->job->without_seed,
		    .roll_unknown = revision.roll.is_unknown,
		    .replacement = rendered.replacement,
		};
		result->roll = run_copy_roll(worker->results, &revision.roll.record);
		/* Mistakes are in the unit's sink. */
		if (run_put_unit(r, unit, number, result, &revision, &rendered) == STATUS_OK &&
		    r->writes)
			run_prove_unit(worker->results, worker->scratch, r->job->proofs, result);
		if (r->job->without_seed)
			run_find_traits(worker->results, worker->scratch, r->job, &revision,
			                &rendered.artifacts, result);
		run_find_applied(&(struct run_applied){worker->results, worker->scratch,
		                                       worker->changed.items, worker->changed.count,
		                                       &rendered.artifacts, r->job->plan->root},
		                 result);
		run_review_unit(r, unit, number, result->row.kubelet_version);
	}
	charge_memory(&steps, worker->scratch);
	result->steps = atomic_load(&steps.used);
	result->is_done = !quota_is_exceeded(r->job->steps);
	if (result->is_done)
		run_exceeded_note(r->exceeded, index, &result->sink);
	return true;
}

static void render_one(void *context, size_t turn, unsigned number)
{
	struct run_rendering *r = context;
	size_t index = r->order[turn];
	const struct kube_object *object = r->job->plan->units[index].unit->object;

	if (r->rendered->units[index].is_done)
		return;
	(void)kube_object_open(r->workers[number].scratch, object);
	bool is_met = render_open(r, index, number);
	kube_object_close(object);
	r->rendered->units[index].sink.object = SV("");
	arena_reset(r->workers[number].scratch);
	if (is_met)
		report_progress(r, number, index);
}

/* ---- all of them ------------------------------------------------------------------------- */

/*
 * Renders one unit of each profile before all others: a template that exceeds a budget then does so
 * in one thread, not in all of them at once.
 */
static void render_all(struct run_rendering *r)
{
	const struct plan *plan = r->job->plan;
	unsigned threads = r->env->threads;
	size_t firsts;
	const size_t *order = run_exceeded_order(r->env->arena, plan, r->exceeded, &firsts);

	r->order = order;
	os_parallel(firsts, threads, render_one, r);
	r->order = order + firsts;
	os_parallel(plan->unit_count - firsts, threads, render_one, r);
	if (!quota_is_exceeded(r->job->steps) ||
	    !run_exceeded_settle(r->exceeded, plan, r->rendered->units, r->job->steps))
		return;
	/* The run fails in any case; its diagnostics must not depend on the threads. */
	r->writes = false;
	r->order = order;
	os_parallel(plan->unit_count, 1, render_one, r);
}

enum status run_render(const struct run_env *env, const struct run_job *job, bool is_sound,
                       struct run_writer *writer, struct run_rendered *rendered)
{
	const struct plan *plan = job->plan;
	size_t errors = env->sink->error_count;
	struct run_rendering r = {
	    .env = env,
	    .job = job,
	    .writes = is_sound && writer->output,
	    .writer = writer,
	    .rendered = rendered,
	    .exceeded = run_exceeded_new(env->arena, plan),
	    .workers = ARENA_ARRAY(env->arena, struct run_worker, env->threads),
	    .lock = os_mutex_new(),
	    .is_right = ARENA_ARRAY(env->arena, bool, plan->unit_count),
	};

	*rendered = (struct run_rendered){
	    .units = ARENA_ARRAY(env->arena, struct run_unit, plan->unit_count),
	    .clusters = ARENA_ARRAY(env->arena, struct tree_file_list, plan->cluster_count),
	    .written = set_in(env->arena),
	    .before = ARENA_ARRAY(env->arena, struct plan_sealed_before, plan->cluster_count),
	    .review = r.writes ? review_new(run_new_arena(env, ARENA_PLAIN)) : NULL,
	};
	r.hosts = review_hosts_new(run_new_arena(env, ARENA_PLAIN));
	r.shared = map_in(run_new_arena(env, ARENA_PLAIN));
	for (size_t i = 0; r.writes && job->previous && i < plan->cluster_count; i++)
		rendered->before[i] =
		    plan_find_sealed_before(env->arena, plan, job->previous, &plan->clusters[i]);
	for (unsigned i = 0; i < env->threads; i++)
		r.workers[i] = (struct run_worker){
		    .results = writer->results[i],
		    .words = map_in(writer->results[i]),
		    .scratch = arena_new(ARENA_SECRET),
		    .sealer = plan->root ? sealer_new(plan->root) : NULL,
		};
	render_all(&r);
	for (unsigned i = 0; i < env->threads; i++) {
		sealer_free(r.workers[i].sealer);
		/* Diagnostics may point into it. */
		VEC_PUSH(env->arena, env->arenas, r.workers[i].scratch);
	}
	os_mutex_free(r.lock);
	run_exceeded_forget(env->arena, r.workers[0].scratch, r.exceeded, job, rendered->units);
	/* Do not report each unit that was left out. */
	if (os_check_signals(env->sink) != STATUS_OK ||
	    run_check_quotas(env->sink, env->quotas) != STATUS_OK)
		return STATUS_FAILED;
	run_merge_diagnostics(env, plan, rendered);
	return env->sink->error_count > errors ? STATUS_FAILED : STATUS_OK;
}
