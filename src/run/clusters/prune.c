/*
 * Removes files of earlier runs that this run does not write, and reports files that are in the
 * way.
 */
#include "run/clusters/clusters.h"
#include "run/clusters/completion.h"

/* ---- without a seed ----------------------------------------------------------------------- */

/* Returns the set of the plan's units and clusters. */
static struct set planned(const struct run_env *env, const struct plan *plan)
{
	struct set there = set_in(env->arena);

	for (size_t i = 0; i < plan->cluster_count; i++)
		set_add(&there, plan->clusters[i].fleet->name);
	for (size_t i = 0; i < plan->unit_count; i++) {
		const struct tree_unit id = plan_tree_unit(plan->units[i].unit);

		set_add(&there,
		        plan_unit_key(env->arena, plan->units[i].cluster->fleet->name, &id));
	}
	return there;
}

/* Returns the set of files that a run with the seed would seal, by their plain paths. */
static struct set sealed_files(const struct run_env *env, const struct plan *plan,
                               const struct run_rendered *rendered)
{
	struct set sealed = set_in(env->arena);

	for (size_t i = 0; i < plan->cluster_count; i++) {
		const struct plan_cluster *cluster = &plan->clusters[i];

		VEC_EACH (file, &rendered->clusters[i])
			if ((*file)->sealed)
				set_add(&sealed, plan_plain_path(env->arena, cluster->fleet->folder,
				                                 cluster->cut, (*file)->path));
	}
	return sealed;
}

static void remove_without_seed(const struct run_env *env, const struct plan *plan,
                                const struct previous *previous, struct run_writer *writer,
                                const struct run_rendered *rendered)
{
	struct set sealed = sealed_files(env, plan, rendered);
	struct set there = planned(env, plan);

	for (size_t i = 0; i < previous->indexes.count; i++) {
		const struct map_entry *entry = &previous->indexes.entries[i];
		const struct tree_index *index = entry->value;
		bool stays = set_has(&there, entry->key);
		sv worker = ARENA_CONCAT(env->arena,
		                         tree_side_path(env->arena, index->folder, ARTIFACT_WORKER),
		                         SV("/"));

		for (size_t j = 0; j < index->file_count; j++) {
			const struct tree_file *file = &index->files[j];
			/* These depend on which folders have sealed files. */
			if (file->is_delivery)
				continue;
			bool is_asked_for =
			    !file->unit ||
			    set_has(&there, plan_unit_key(env->arena, entry->key, file->unit));

			sv plain =
			    plan_plain_path(env->arena, index->folder, index->cut, file->path);
			bool is_not_compared = stays && is_asked_for &&
			                       ((sv_starts_with(file->path, worker) &&
			                         file->role != ARTIFACT_MACHINES) ||
			                        set_has(&sealed, plain));

			if (!set_has(&rendered->written, file->path) && !is_not_compared)
				git_output_remove(writer->output, 0, file->path);
		}
		if (!stays)
			git_output_remove(writer->output, 0,
			                  tree_index_path(env->arena, index->folder));
	}
}

/* ---- files in the way ---------------------------------------------------------------------- */

static bool is_generated(const struct run_writer *writer, sv path)
{
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	struct sink unused = sink_in(scratch);
	const struct git_file *file = git_output_find(writer->output, path);
	sv text;

	return file &&
	       git_output_read(scratch, &unused, writer->output, file, RUN_MAX_OUTPUT_BYTES,
	                       &text) == STATUS_OK &&
	       sv_starts_with(text, SV(TREE_HEADER));
}

static void report_stranger(const struct run_env *env, const struct run_inputs *inputs,
                            const struct run_writer *writer, sv path)
{
	sv shown = ARENA_CONCAT(env->arena, inputs->out, SV("/"), path);
	sv index = ARENA_CONCAT(env->arena, inputs->out, SV("/"),
	                        tree_index_path(env->arena, fleet_folder_of(path)));
	struct source *source = source_new(env->arena, shown, SV(""), false);
	struct diag *diag;

	if (!is_generated(writer, path)) {
		diag = diag_report(env->sink, DIAG_OUTPUT_STRANGER, position_of_source(source),
		                   "a file that osm-gen did not write is in the way");
		diag_set_help(env->sink, diag,
		              "move or remove it, or name another folder with --out");
		return;
	}
	diag =
	    diag_report(env->sink, DIAG_OUTPUT_STRANGER, position_of_source(source),
	                "a file that osm-gen wrote once is in the way, and %.*s does not list it",
	                SV_ARG(index));
	diag_set_help(env->sink, diag,
	              "bring %.*s back from a commit that lists the file (git log -- %.*s, git "
	              "checkout COMMIT -- %.*s), and commit that",
	              SV_ARG(index), SV_ARG(index), SV_ARG(index));
}

enum status run_check_leftovers(const struct run_env *env, const struct run_inputs *inputs,
                                const struct run_job *job, const struct run_rendered *rendered)
{
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	struct set written = set_in(scratch);
	const struct plan_leftovers request = {
	    .plan = job->plan,
	    .previous = job->previous,
	    .written = &written,
	    .without_seed = job->without_seed,
	    .out = inputs->out,
	};

	for (size_t i = 0; i < set_count(&rendered->written); i++)
		set_add(&written, set_item(&rendered->written, i));
	/* Without the seed, sealed files are listed and not written. */
	for (size_t i = 0; job->without_seed && i < job->plan->cluster_count; i++)
		VEC_EACH (file, &rendered->clusters[i])
			set_add(&written, (*file)->path);
	return plan_check_leftovers(env->arena, env->sink, &request);
}

/* ---- the whole ---------------------------------------------------------------------------- */

enum status run_remove_old(const struct run_env *env, const struct run_inputs *inputs,
                           const struct run_job *job, struct run_writer *writer,
                           const struct run_rendered *rendered)
{
	const struct previous *previous = job->previous;
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	struct git_changes changes = {0};
	enum status status = STATUS_OK;

	if (job->without_seed) {
		remove_without_seed(env, job->plan, previous, writer, rendered);
		return run_check_leftovers(env, inputs, job, rendered);
	}
	VEC_EACH (file, git_output_previous(writer->output)) {
		if (!set_has(&rendered->written, file->path) &&
		    set_has(&previous->paths, file->path))
			git_output_remove(writer->output, 0, file->path);
	}
	git_output_changes(scratch, writer->output, &changes);
	VEC_EACH (change, &changes) {
		if (change->kind != GIT_CHANGED || set_has(&previous->paths, change->path))
			continue;
		report_stranger(env, inputs, writer, change->path);
		status = STATUS_FAILED;
	}
	if (run_check_leftovers(env, inputs, job, rendered) != STATUS_OK)
		status = STATUS_FAILED;
	return status;
}
