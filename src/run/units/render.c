/*
 * Renders, seals and puts all units, each in an arena of its own, on any thread. The results are in
 * the order of the plan.
 */
#include "run/output/output.h"
#include "run/proofs/proofs.h"
#include "run/shard/shard.h"
#include "run/units/classify.h"
#include "run/units/diagnostics.h"
#include "run/units/failed.h"
#include "run/units/units.h"
#include "userdata/userdata.h"

#include <stdatomic.h>

struct worker {
	struct arena *results;           /* clear, kept to the end */
	struct arena *scratch;           /* of the secret kind, reset after each unit */
	struct sealer *sealer;           /* null without a seed */
	VEC(struct review_file) changed; /* clear files of the unit, in scratch */
};

/* The state that all threads share while they render. */
struct rendering {
	const struct run_env *env;
	const struct run_job *job;
	bool writes;
	struct run_writer *writer;
	struct run_rendered *rendered;
	struct worker *workers;
	struct run_failed *failed;
	const size_t *order;   /* places of units in the plan */
	struct os_mutex *lock; /* of the following */
	size_t done;
	bool *is_right;   /* of each unit of the plan: it is rendered, without a mistake */
	size_t forgotten; /* the number of units, from the first on, whose values are forgotten */
};

enum status run_render_unit(struct arena *arena, struct sink *sink, const struct run_job *job,
                            const struct plan_unit *unit, struct plan_revision *ret_revision,
                            struct dialect_rendered *ret_rendered)
{
	const struct plan_previous_cluster previous = {job->previous, unit->cluster->fleet->name};
	const struct seal_fingerprint_key key = {job->plan->root, unit->cluster->fleet->name};
	const struct redaction redaction = seal_redaction(&key);
	struct dialect_job task = {
	    .cluster = unit->view,
	    .loaded = unit->loaded,
	    .unit = unit->unit,
	    .token = unit->token,
	    .token_before = unit->token_before,
	    .now = job->now,
	    .asks_now = job->asks_now,
	    .previous = plan_previous_objects(&previous),
	    .redaction = &redaction,
	    .steps = job->steps,
	    .round_lengths = unit->cluster->recipients.round_lengths,
	    .wants_fetches = job->wants_fetches,
	};

	const struct plan_roll_request request = {job->plan, job->previous, unit, &task,
	                                          job->allows_roll};
	struct plan_roll roll;
	enum status status = plan_find_roll(arena, sink, &request, &roll);
	status |=
	    plan_find_revision(arena, sink, job->plan, job->previous, unit, &roll, ret_revision);
	task.revision = ret_revision->revision;
	task.template_digest = ret_revision->template_digest;
	task.roll = roll.record.value;
	status |= unit->unit->dialect->render(arena, sink, &task, ret_rendered);
	return status == STATUS_OK ? STATUS_OK : STATUS_FAILED;
}

/* ---- secrets that only this unit met ----------------------------------------------------- */

static const struct leak_scanner *unit_scanner(struct arena *scratch,
                                               const struct known_secrets *known,
                                               const struct dialect_rendered *rendered)
{
	VEC(const struct value *) values = {0};

	VEC_EACH (artifact, &rendered->artifacts) {
		VEC_PUSH(scratch, &values, &artifact->object);
		VEC_PUSH(scratch, &values, &artifact->user_data);
	}
	return known_secrets_extend(scratch, known, values.items, values.count);
}

/* ---- files ------------------------------------------------------------------------------- */

static struct tree_seal_request seal_request(const struct plan_unit *unit,
                                             const struct worker *worker,
                                             const struct artifact *artifact,
                                             struct ciphertexts *ret_ciphertexts)
{
	const struct fleet_cluster *cluster = unit->cluster->fleet;

	return (struct tree_seal_request){
	    .sealer = worker->sealer,
	    .cluster = cluster->name,
	    .source = run_source_name(unit->unit->object),
	    .recipients = &unit->cluster->recipients,
	    .object = &artifact->object,
	    .at = kube_object_position(unit->unit->object),
	    .ret_ciphertexts = ret_ciphertexts,
	    /* A SealedSecret keeps values by key, whichever member they were in. */
	    .uses_string_data = artifact->has_fixed_keys && cluster->delivery.uses_string_data &&
	                        !cluster->sealing.format->takes_certificate,
	};
}

/* Returns the path without parts, so that units of different parts can change alike. */
static sv plain_path(struct arena *scratch, const struct run_comparison *comparison,
                     const struct plan_unit *unit)
{
	const struct artifact *artifact = comparison->artifact;

	return tree_object_path(scratch, unit->cluster->fleet->name, artifact->side, &artifact->id);
}

/* Reads the previous file once, for the class of the unit and for reviewers. */
static enum status read_before(struct arena *scratch, struct sink *sink, const struct rendering *r,
                               struct run_comparison *comparison)
{
	const struct git_output *output = r->writer->output;
	const struct git_file *file = git_output_find(output, comparison->path_before);

	comparison->was_there = file != NULL;
	if (!file)
		return STATUS_OK;
	return git_output_read(scratch, sink, output, file, RUN_MAX_OUTPUT_BYTES,
	                       &comparison->text_before);
}

/* Returns true for the unit's own MachineDeployment if it has no spec.replicas. */
static bool has_no_replicas(const struct run_comparison *comparison)
{
	return comparison->artifact->role == ARTIFACT_MACHINES && !comparison->is_patch &&
	       !value_path(&comparison->artifact->object, "spec.replicas");
}

/*
 * Compares a file with the previous one. A clear file that differs is kept, old and new, until the
 * unit is done. The class is decided only if the previous output has the unit.
 */
static enum status compare(struct sink *sink, struct rendering *r, unsigned number,
                           struct run_comparison *comparison, struct run_unit *unit)
{
	struct worker *worker = &r->workers[number];
	size_t cluster = (size_t)(unit->unit->cluster - r->job->plan->clusters);
	bool was_known = r->job->previous && unit->facts.was_there;

	if (!git_output_has_changed(r->writer->output, number, comparison->path))
		return STATUS_OK;
	if (!was_known && comparison->is_sealed) {
		unit->facts.replicas_unset |= has_no_replicas(comparison);
		return STATUS_OK;
	}
	comparison->path_before =
	    r->job->previous
	        ? run_path_before(worker->scratch, r->job->previous, unit->unit->cluster,
	                          comparison->artifact, comparison->is_patch)
	        : comparison->path;
	if (read_before(worker->scratch, sink, r, comparison) != STATUS_OK)
		return STATUS_FAILED;
	/* It has only moved. */
	if (comparison->was_there && sv_eq(comparison->text_before, comparison->text)) {
		unit->facts.file_changed = true;
		return STATUS_OK;
	}
	if (!comparison->is_sealed && comparison->was_there)
		VEC_PUSH(worker->scratch, &worker->changed,
		         ((struct review_file){
		             .path = plain_path(worker->scratch, comparison, unit->unit),
		             .before = comparison->text_before,
		             .after = comparison->text,
		             .is_config = comparison->artifact->role == ARTIFACT_CONFIG,
		         }));
	if (!comparison->was_there)
		unit->facts.replicas_unset |= has_no_replicas(comparison);
	if (!was_known)
		return STATUS_OK;
	comparison->results = worker->results;
	comparison->scratch = worker->scratch;
	comparison->root = r->job->plan->root;
	comparison->before = &r->rendered->before[cluster];
	return run_classify(sink, comparison, unit);
}

static void review(struct rendering *r, const struct plan_unit *unit, unsigned number)
{
	struct worker *worker = &r->workers[number];
	const struct kube_id *id = &unit->unit->object->id;
	const struct review_unit changed = {
	    .dialect = unit->unit->dialect,
	    .cluster = unit->cluster->fleet->name,
	    .namespace = id->namespace,
	    .name = id->name,
	    .place = (size_t)(unit - r->job->plan->units),
	    .files = worker->changed.items,
	    .file_count = worker->changed.count,
	};

	bool is_asked_for =
	    sv_empty(r->job->only_cluster) || sv_eq(r->job->only_cluster, changed.cluster);
	/* The shard that rendered the unit has reviewed it, too. */
	if (changed.file_count > 0 && is_asked_for && !run_is_merging(r->job->parts))
		review_add(worker->scratch, r->rendered->review, &changed);
	worker->changed.items = NULL;
	worker->changed.count = worker->changed.cap = 0;
}

static enum status write_artifact(struct sink *sink, struct rendering *r, unsigned number,
                                  const struct leak_scanner *scanner,
                                  const struct artifact *artifact, struct tree_file *file,
                                  struct run_unit *result)
{
	const struct plan_unit *unit = result->unit;
	struct worker *worker = &r->workers[number];
	struct buf buf = buf_in(worker->scratch);
	struct ciphertexts ciphertexts = {0};
	const struct tree_seal_request seal = seal_request(unit, worker, artifact, &ciphertexts);
	const struct leak_place place = {&artifact->object, seal.at, &ciphertexts};
	bool is_without_seed = r->job->without_seed;

	if (!r->writes)
		return STATUS_OK;
	if (is_without_seed && !run_needs_no_seed(artifact)) {
		file->sealed = true;
		result->not_compared++;
		return STATUS_OK;
	}
	if (run_seal(sink, r->job->plan->root, artifact, &seal, false, &buf, &file->sealed) !=
	    STATUS_OK)
		return STATUS_FAILED;
	sv text = buf_sv(&buf);
	if (is_without_seed &&
	    run_take_fingerprints(
	        worker->scratch, sink, r->writer,
	        run_path_before(worker->scratch, r->job->previous, unit->cluster, artifact, false),
	        &text) != STATUS_OK)
		return STATUS_FAILED;
	const struct git_content content = {.bytes = text, .is_sealed = file->sealed};
	if (run_put(sink, r->writer, number, scanner, file->path, &content, &place) != STATUS_OK)
		return STATUS_FAILED;
	file->blob = git_output_last_id(r->writer->output, number);
	struct run_comparison comparison = {
	    .seal = &seal,
	    .artifact = artifact,
	    .is_sealed = file->sealed,
	    .path = file->path,
	    .text = text,
	};
	return compare(sink, r, number, &comparison, result);
}

/* Puts the sealed patch beside a redacted object, if any of its values are hidden. */
static enum status write_patch(struct sink *sink, struct rendering *r, unsigned number,
                               const struct artifact *artifact, const struct tree_file *of,
                               struct run_unit *result)
{
	const struct plan_unit *unit = result->unit;
	struct worker *worker = &r->workers[number];
	struct buf buf = buf_in(worker->scratch);
	struct ciphertexts ciphertexts = {0};
	const struct tree_seal_request seal = seal_request(unit, worker, artifact, &ciphertexts);
	const struct leak_place place = {&artifact->object, seal.at, &ciphertexts};
	struct tree_file file = {
	    .path = tree_patch_path(worker->results, of->path),
	    .side = of->side,
	    .folder = of->folder,
	    .role = ARTIFACT_SUPPORT,
	    .patch_of = of->object,
	    .source = of->source,
	    .unit = of->unit,
	};

	if (r->job->without_seed) {
		/* The side's kustomization names it. */
		if (secrecy_find(&artifact->object)) {
			file.sealed = true;
			result->not_compared++;
			VEC_PUSH(worker->results, &result->files, file);
		}
		return STATUS_OK;
	}
	if (run_seal(sink, r->job->plan->root, artifact, &seal, true, &buf, &file.sealed) !=
	    STATUS_OK)
		return STATUS_FAILED;
	if (!file.sealed)
		return STATUS_OK;
	if (run_check_file_name(sink, file.path, unit->unit->object) != STATUS_OK)
		return STATUS_FAILED;
	VEC_PUSH(worker->results, &result->files, file);
	const struct git_content content = {buf_sv(&buf), .is_sealed = true};
	if (run_put(sink, r->writer, number, known_secrets_scanner(r->job->plan->secrets),
	            file.path, &content, &place) != STATUS_OK)
		return STATUS_FAILED;
	result->files.items[result->files.count - 1].blob =
	    git_output_last_id(r->writer->output, number);
	struct run_comparison comparison = {
	    .seal = &seal,
	    .artifact = artifact,
	    .is_patch = true,
	    .is_sealed = true,
	    .path = file.path,
	    .text = buf_sv(&buf),
	};
	return compare(sink, r, number, &comparison, result);
}

/* Checks the longest file name: the others are made of the same parts. */
static enum status check_file_names(struct sink *sink, const struct plan_unit *unit,
                                    const struct tree_files *files)
{
	sv longest = {0};

	VEC_EACH (file, files) {
		if (sv_after_last(file->path, '/').len > sv_after_last(longest, '/').len)
			longest = file->path;
	}
	return run_check_file_name(sink, longest, unit->unit->object);
}

static void set_row(struct arena *arena, struct report_unit *row, const struct plan_unit *unit,
                    const struct dialect_rendered *rendered)
{
	run_set_row(unit, row);
	row->provider = arena_dup(arena, rendered->provider);
	row->operating_system = arena_dup(arena, rendered->operating_system);
	row->kubelet_version = arena_dup(arena, rendered->kubelet_version);
	row->reason = arena_dup(arena, rendered->reason);
	VEC_EACH (artifact, &rendered->artifacts) {
		size_t bytes =
		    userdata_shown_bytes(artifact->user_data_bytes, artifact->user_data_limit,
		                         unit->cluster->recipients.round_lengths);

		if (artifact->role == ARTIFACT_BOOTSTRAP) {
			row->bootstrap_bytes = bytes;
			row->bootstrap_limit = artifact->user_data_limit;
		} else if (artifact->role == ARTIFACT_PROVISIONING) {
			row->provisioning_bytes = bytes;
			row->provisioning_limit = artifact->user_data_limit;
		}
	}
}

/* Copies the fetches, since the rendered ones are in the unit's scratch memory. */
static void keep_fetches(struct arena *arena, struct run_fetched *to, const struct report_unit *row,
                         const struct dialect_rendered *rendered)
{
	*to = (struct run_fetched){
	    .cluster = row->cluster,
	    .namespace = row->namespace,
	    .name = row->name,
	    .profile = row->profile,
	    .is_inventoried = rendered->is_inventoried,
	};
	VEC_EACH (fetch, &rendered->fetches) {
		const struct dialect_fetch copy = {
		    .kind = arena_dup(arena, fetch->kind),
		    .name = arena_dup(arena, fetch->name),
		    .version = arena_dup(arena, fetch->version),
		    .architecture = arena_dup(arena, fetch->architecture),
		    .url = arena_dup(arena, fetch->url),
		    .sha256 = arena_dup(arena, fetch->sha256),
		    .fingerprint = arena_dup(arena, fetch->fingerprint),
		    .from = arena_dup(arena, fetch->from),
		    .setting = arena_dup(arena, fetch->setting),
		    .upstream = arena_dup(arena, fetch->upstream),
		};

		VEC_PUSH(arena, &to->fetches, copy);
	}
}

/* ---- one unit ---------------------------------------------------------------------------- */

static enum status put_unit(struct rendering *r, const struct plan_unit *unit, unsigned number,
                            struct run_unit *result, const struct plan_revision *revision,
                            struct dialect_rendered *rendered)
{
	struct worker *worker = &r->workers[number];
	const struct leak_scanner *scanner = NULL;
	const struct tree_unit *tree_unit = run_new_tree_unit(worker->results, unit, revision);

	size_t count = rendered->artifacts.count;
	/* Each patch is a file, too. */
	VEC_EACH (artifact, &rendered->artifacts)
		count += artifact->sealing == ARTIFACT_SEAL_PATCH;
	VEC_RESERVE(worker->results, &result->files, count);
	VEC_EACH (artifact, &rendered->artifacts) {
		struct tree_file file =
		    run_tree_file(worker->results, unit->cluster, artifact,
		                  run_source_name(unit->unit->object), tree_unit);

		file.user_data_bytes =
		    userdata_shown_bytes(file.user_data_bytes, file.user_data_limit,
		                         unit->cluster->recipients.round_lengths);
		VEC_PUSH(worker->results, &result->files, file);
	}
	if (check_file_names(&result->sink, unit, &result->files) != STATUS_OK)
		return STATUS_FAILED;
	if (r->writes)
		scanner = unit_scanner(worker->scratch, r->job->plan->secrets, rendered);
	for (size_t i = 0; i < rendered->artifacts.count; i++) {
		struct artifact *artifact = &rendered->artifacts.items[i];

		run_annotate(worker->scratch, unit->cluster->fleet, artifact);
		if (write_artifact(&result->sink, r, number, scanner, artifact,
		                   &result->files.items[i], result) != STATUS_OK)
			return STATUS_FAILED;
		if (r->writes && artifact->sealing == ARTIFACT_SEAL_PATCH) {
			const struct tree_file of = result->files.items[i];

			if (write_patch(&result->sink, r, number, artifact, &of, result) !=
			    STATUS_OK)
				return STATUS_FAILED;
		}
	}
	return STATUS_OK;
}

/*
 * Forgets the values of units that are rendered. Only as far as all units before them are right: a
 * mistake in one of these may have a unit looked into again (failed.h). The caller holds the lock.
 */
static void forget_units(struct rendering *r)
{
	const struct plan *plan = r->job->plan;

	for (; r->forgotten < plan->unit_count && r->is_right[r->forgotten]; r->forgotten++)
		kube_object_forget((struct kube_object *)(uintptr_t)plan->units[r->forgotten]
		                       .unit->object); /* NOLINT */
}

static void report_progress(struct rendering *r, unsigned worker, size_t index)
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

static void render_one(void *context, size_t turn, unsigned number)
{
	struct rendering *r = context;
	size_t index = r->order[turn];
	const struct plan_unit *unit = &r->job->plan->units[index];
	struct worker *worker = &r->workers[number];
	struct run_unit *result = &r->rendered->units[index];
	struct plan_revision revision = {0};
	struct dialect_rendered rendered = {0};
	struct quota steps = quota_part(r->job->steps, 0);
	struct run_job job = *r->job;

	if (result->is_done)
		return;
	job.steps = &steps;
	job.asks_now = &result->asks_now;
	run_unit_begin(worker->results, unit, result);
	if (os_check_signals(&result->sink) != STATUS_OK || quota_is_exceeded(r->job->steps) ||
	    quota_is_exceeded(r->writer->bytes))
		return;
	if (job.parts &&
	    run_take_unit(worker->results, job.parts, number, index, r->job->steps, result)) {
		report_progress(r, number, index);
		return;
	}
	/* An earlier stage has reported the mistake in the definition or cluster. */
	if (!plan_unit_is_sound(unit)) {
		run_unit_check(worker->scratch, r->job, result);
	} else if (run_keep_unit(worker->results, worker->scratch, r->job->proofs, unit, number,
	                         r->writes, result)) {
		/* Nothing of it is rendered. */
	} else if (run_failed_before(r->failed, index)) {
		/* Another unit has reported what would be reported again. */
	} else if (charge(&steps, unit->unit) &&
	           run_render_unit(worker->scratch, &result->sink, &job, unit, &revision,
	                           &rendered) == STATUS_OK) {
		charge_made(&steps, &rendered);
		set_row(worker->results, &result->row, unit, &rendered);
		if (r->job->wants_fetches)
			keep_fetches(worker->results, &result->fetched, &result->row, &rendered);
		result->facts = (struct plan_class_facts){
		    .was_there = revision.was_there,
		    .is_there = true,
		    .template = revision.template,
		    .user_data_unknown = r->job->without_seed,
		    .is_applied = rendered.is_applied,
		    .is_rolled = revision.is_rolled,
		    .is_first_roll = revision.roll.is_first,
		    .secrets_unknown = r->job->without_seed && rendered.has_given_secrets,
		    .replacement = rendered.replacement,
		};
		result->roll = run_copy_roll(worker->results, &revision.roll.record);
		/* Mistakes are in the unit's sink. */
		if (put_unit(r, unit, number, result, &revision, &rendered) == STATUS_OK &&
		    r->writes)
			run_prove_unit(worker->results, worker->scratch, r->job->proofs, result);
		run_find_applied(&(struct run_applied){worker->results, worker->scratch,
		                                       worker->changed.items, worker->changed.count,
		                                       &rendered.artifacts, r->job->plan->root},
		                 result);
		review(r, unit, number);
	}
	result->steps = atomic_load(&steps.used);
	result->is_done = !quota_is_exceeded(r->job->steps);
	if (result->is_done)
		run_failed_look(r->failed, index, &result->sink);
	arena_reset(worker->scratch);
	report_progress(r, number, index);
}

/* ---- all of them ------------------------------------------------------------------------- */

/*
 * Renders one unit of each profile before all others: a template that exceeds a budget then does so
 * in one thread, not in all of them at once.
 */
static void render_all(struct rendering *r)
{
	const struct plan *plan = r->job->plan;
	unsigned threads = r->env->threads;
	size_t firsts;
	const size_t *order = run_failed_order(r->env->arena, plan, r->failed, &firsts);

	r->order = order;
	os_parallel(firsts, threads, render_one, r);
	r->order = order + firsts;
	os_parallel(plan->unit_count - firsts, threads, render_one, r);
	if (!quota_is_exceeded(r->job->steps) ||
	    !run_failed_settle(r->failed, plan, r->rendered->units, r->job->steps))
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
	struct rendering r = {
	    .env = env,
	    .job = job,
	    .writes = is_sound && writer->output,
	    .writer = writer,
	    .rendered = rendered,
	    .failed = run_failed_new(env->arena, plan),
	    .workers = ARENA_ARRAY(env->arena, struct worker, env->threads),
	    .lock = os_mutex_new(),
	    .is_right = ARENA_ARRAY(env->arena, bool, plan->unit_count),
	};

	*rendered = (struct run_rendered){
	    .units = ARENA_ARRAY(env->arena, struct run_unit, plan->unit_count),
	    .clusters = ARENA_ARRAY(env->arena, struct tree_file_list, plan->cluster_count),
	    .written = map_in(env->arena),
	    .before = ARENA_ARRAY(env->arena, struct plan_sealed_before, plan->cluster_count),
	    .review = r.writes ? review_new(run_new_arena(env, ARENA_PLAIN)) : NULL,
	};
	for (size_t i = 0; r.writes && job->previous && i < plan->cluster_count; i++)
		rendered->before[i] =
		    plan_find_sealed_before(env->arena, plan, job->previous, &plan->clusters[i]);
	for (unsigned i = 0; i < env->threads; i++)
		r.workers[i] = (struct worker){
		    .results = writer->results[i],
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
	run_failed_forget(env->arena, r.workers[0].scratch, r.failed, job, rendered->units);
	/* Do not report each unit that was left out. */
	if (os_check_signals(env->sink) != STATUS_OK ||
	    run_check_quotas(env->sink, env->quotas) != STATUS_OK)
		return STATUS_FAILED;
	run_merge_diagnostics(env, plan, rendered);
	return env->sink->error_count > errors ? STATUS_FAILED : STATUS_OK;
}
