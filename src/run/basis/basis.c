/*
 * Renders the commit that the output was made from, without the seed.
 */
#include "run/basis/internal.h"
#include "run/commit/commit.h"
#include "run/units/units.h"

/* The state of rendering it. */
struct rendering {
	const struct run_request *request; /* the run's, for the source commit */
	struct run_env env;
	struct run_inputs inputs;
	struct plan plan;
	struct previous previous;
	struct run_writer writer;
	struct run_rendered rendered;
};

/* ---- is it the output? --------------------------------------------------------------------- */

/* The number of files that a unit has. */
struct count {
	size_t tokens; /* Secrets of bootstrap tokens, whose names are made of the token */
	size_t others;
};

static void count_file(struct count *count, const struct tree_file *file)
{
	bool is_token = file->role == ARTIFACT_CREDENTIAL &&
	                sv_starts_with(file->object.name, SV(KUBE_TOKEN_PREFIX));

	*(is_token ? &count->tokens : &count->others) += 1;
}

/* Returns the struct count * of each unit in the indexes of the output. */
static struct map count_files(struct arena *arena, const struct previous *previous)
{
	struct map counts = map_in(arena);

	for (size_t i = 0; i < previous->indexes.count; i++) {
		const struct tree_index *index = previous->indexes.entries[i].value;

		for (size_t j = 0; j < index->file_count; j++) {
			const struct tree_file *file = &index->files[j];

			if (!file->unit || file->is_delivery)
				continue;
			sv key = plan_unit_key(arena, previous->indexes.entries[i].key, file->unit);
			struct count *count = map_get(&counts, key);
			if (!count) {
				count = ARENA_NEW(arena, struct count);
				*count = (struct count){0};
				map_put(&counts, key, count);
			}
			count_file(count, file);
		}
	}
	return counts;
}

/*
 * Returns true if the output has a unit's files: as many others, all of them, and a token if it is
 * to have one. Without the seed, the token of the period before is not made.
 */
static bool has_files(const struct rendering *r, const struct run_unit *unit,
                      const struct count *there)
{
	struct count count = {0};

	VEC_EACH (file, &unit->files) {
		size_t tokens = count.tokens;

		count_file(&count, file);
		if (count.tokens == tokens && !git_output_find(r->writer.output, file->path))
			return false;
	}
	return there && there->others == count.others && (there->tokens > 0) == (count.tokens > 0);
}

/* Returns true if the output is sealed to the recipients of the source commit. */
static bool has_recipients(struct arena *arena, const struct rendering *r,
                           const struct plan_cluster *cluster)
{
	const struct tree_index *index = map_get(&r->previous.indexes, cluster->fleet->name);

	if (!index || index->recipient_count != cluster->recipients.count)
		return false;
	for (size_t i = 0; i < index->recipient_count; i++)
		if (!sv_eq(index->recipients[i],
		           seal_recipient_listed(arena, &cluster->recipients, i)))
			return false;
	return true;
}

/*
 * Returns true if the output has the unit's clear files as they were rendered, and as many files as
 * it has. A token that was given from outside of the repository shows in the number.
 */
static bool is_proven(struct arena *arena, const struct rendering *r, const struct run_unit *unit,
                      const struct count *there)
{
	const struct plan_class_facts *facts = &unit->facts;

	return facts->was_there && !facts->file_changed && !facts->config_changed &&
	       facts->template != PLAN_TEMPLATE_CHANGED && has_files(r, unit, there) &&
	       has_recipients(arena, r, unit->unit->cluster);
}

/* ---- rendering ------------------------------------------------------------------------------ */

static struct run_traits copy_traits(struct arena *arena, const struct run_traits *from)
{
	struct run_traits traits = *from;

	traits.template = arena_dup(arena, from->template);
	traits.roll = arena_dup(arena, from->roll);
	traits.user_data = arena_dup(arena, from->user_data);
	traits.sealing = arena_dup(arena, from->sealing);
	traits.identity = arena_dup(arena, from->identity);
	traits.files = arena_dup(arena, from->files);
	traits.lacking.items = NULL;
	traits.lacking.count = traits.lacking.cap = 0;
	VEC_EACH (secret, &from->lacking)
		VEC_PUSH(arena, &traits.lacking, run_copy_lacking(arena, secret));
	return traits;
}

/* Copies what is needed of it to `arena`; the rest goes with its own memory. */
static void keep(struct arena *arena, const struct rendering *r, struct run_basis *basis)
{
	const struct map counts = count_files(r->env.arena, &r->previous);

	for (size_t i = 0; i < r->plan.unit_count; i++) {
		const struct run_unit *unit = &r->rendered.units[i];
		const struct tree_unit id = plan_tree_unit(unit->unit->unit);
		sv key = plan_unit_key(arena, unit->unit->cluster->fleet->name, &id);
		struct run_basis_unit *kept;

		if (!unit->traits)
			continue;
		kept = ARENA_NEW(arena, struct run_basis_unit);
		*kept = (struct run_basis_unit){
		    .traits = copy_traits(arena, unit->traits),
		    .is_proven = is_proven(r->env.arena, r, unit, map_get(&counts, key)),
		};
		map_put(&basis->units, key, kept);
	}
	VEC_EACH (file, &r->inputs.taken) {
		struct git_file copy = *file;

		copy.path = arena_dup(arena, file->path);
		VEC_PUSH(arena, &basis->files, copy);
	}
}

/* Returns why it cannot be rendered, or an empty string. Its diagnostics are dropped. */
static sv render_basis(struct rendering *r, struct run_basis *basis)
{
	static const char unread[] = "its inputs cannot be read, or have mistakes";
	const struct run_env *env = &r->env;
	const struct run_request *request = r->request;
	const struct run_reading *reading = &request->reading;
	struct run_former former = {env, &r->inputs, &r->writer, request->target.branch};
	sv why = arena_printf(env->arena, "the output was made from commit %.*s, and %s",
	                      SV_ARG(sv_slice(basis->commit, 0, 12)), unread);

	r->inputs.was_in_buckets = run_was_in_buckets;
	r->inputs.was_in_buckets_context = &former;
	if (run_list_inputs(env, request->mode, reading, request->target.out, &r->inputs) !=
	        STATUS_OK ||
	    run_read_inputs(env, request->mode, reading, &r->inputs) != STATUS_OK)
		return why;
	if (r->inputs.uses_kustomize &&
	    !sv_eq(basis->program, run_describe_kustomize(env->arena, &r->inputs.kustomize)))
		return SV("the output was made with another build of kustomize");
	const struct plan_request wanted = {
	    .purpose = PLAN_VALIDATE,
	    .fleet = &r->inputs.fleet,
	    .environment = reading->environment,
	    .revisions = reading->revisions_file,
	    .repo = reading->repo,
	    .now = r->inputs.source.time,
	    .work_tree = git_repo_worktree(r->inputs.repo),
	};
	if (plan_make(env->arena, env->secret_arena, env->sink, &wanted, &r->plan) != STATUS_OK ||
	    run_begin_output(env, &r->inputs, &r->writer) != STATUS_OK || !r->writer.output ||
	    run_read_previous(env, false, &r->inputs, &r->plan, &r->writer, &r->previous) !=
	        STATUS_OK)
		return why;
	plan_cut(&r->plan, &r->previous);
	const struct run_job job = {
	    .plan = &r->plan,
	    .previous = &r->previous,
	    .now = r->inputs.source.time,
	    .out = r->inputs.out,
	    .steps = &env->quotas->steps,
	    .without_seed = true,
	};
	return run_render(env, &job, true, &r->writer, &r->rendered) == STATUS_OK ? SV("") : why;
}

static struct run_request request_of_source(const struct run_request *request, sv commit)
{
	struct run_request source = *request;

	source.mode = RUN_PLAN;
	source.reading.rev = commit;
	source.reading.worktree = false;
	source.reading.contract = 0;
	source.progress = (struct run_progress){0};
	return source;
}

void run_find_basis(const struct run_env *env, const struct run_request *request,
                    struct run_basis *ret_basis)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct run_basis basis = {.units = map_in(env->arena)};
	struct run_arenas arenas = {0};
	struct run_quotas quotas;
	struct sink unused = sink_in(arena);

	run_find_source(env, request, &basis);
	if (!sv_empty(basis.why_not)) {
		*ret_basis = basis;
		return;
	}
	const struct run_request source = request_of_source(request, basis.commit);
	struct rendering r = {
	    .request = &source,
	    .env = run_env_new(arena, &unused, &source, &quotas, &arenas),
	    .writer = {.mode = GIT_OUTPUT_COMPARE,
	               .branch = request->target.branch,
	               .results = ARENA_ARRAY(arena, struct arena *, env->threads),
	               .bytes = &quotas.output_bytes},
	};
	for (unsigned i = 0; i < r.env.threads; i++)
		r.writer.results[i] = run_new_arena(&r.env, ARENA_PLAIN);
	basis.why_not = arena_dup(env->arena, render_basis(&r, &basis));
	if (sv_empty(basis.why_not))
		keep(env->arena, &r, &basis);
	git_output_free(r.writer.output);
	review_free(r.rendered.review);
	run_close_inputs(&r.inputs);
	plan_free(&r.plan);
	for (size_t i = 0; i < arenas.count; i++)
		arena_free(arenas.items[i]);
	*ret_basis = basis;
}
