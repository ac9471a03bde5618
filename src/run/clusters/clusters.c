/*
 * Adds the files that belong to no unit: profiles, shared objects, kustomizations, index.json and
 * the objects of the applier.
 */
#include "run/clusters/clusters.h"
#include "run/clusters/completion.h"
#include "run/output/output.h"

static enum status add_definitions(struct run_completion *c)
{
	const struct fleet_cluster *fleet = c->cluster->fleet;

	VEC_EACH (used, &fleet->definitions) {
		const struct dialect_definition *definition = used->definition;
		sv source = run_source_name(definition->object);

		if (!used->dialect->definition_artifact)
			continue;
		struct artifact artifact = used->dialect->definition_artifact(
		    c->env->scratch, fleet_view(fleet, used->dialect), definition);

		if (definition->is_embedded)
			source = ARENA_CONCAT(c->env->arena, source, SV(" (embedded in osm-gen)"));
		if (run_add_artifact(c, &artifact, source, definition) != STATUS_OK)
			return STATUS_FAILED;
	}
	return STATUS_OK;
}

static enum status add_shared(struct run_completion *c)
{
	const struct fleet_cluster *fleet = c->cluster->fleet;
	sv source = run_shared_source(c->env->arena, c->plan, c->cluster);

	for (size_t i = 0; i < fleet->dialect_count; i++) {
		const struct dialect *dialect = fleet->dialects[i].dialect;
		struct artifacts artifacts = {0};

		if (!dialect->artifacts || !c->cluster->loaded[i])
			continue;
		dialect->artifacts(c->env->secret_arena, c->cluster->loaded[i], &artifacts);
		VEC_EACH (artifact, &artifacts) {
			if (run_add_artifact(c, artifact, source, NULL) != STATUS_OK)
				return STATUS_FAILED;
		}
	}
	return STATUS_OK;
}

static enum status complete_cluster(struct run_completion *c)
{
	if (add_definitions(c) != STATUS_OK || add_shared(c) != STATUS_OK ||
	    run_add_namespaces(c) != STATUS_OK)
		return STATUS_FAILED;
	VEC_EACH (file, c->files)
		set_add(&c->rendered->written, (*file)->path);
	if (run_put_kustomizations(c, ARTIFACT_MANAGEMENT) != STATUS_OK)
		return STATUS_FAILED;
	/* These need the seed: they have names of derived tokens, recipients, and sealed sizes. */
	if (c->without_seed) {
		run_list_folders(c, ARTIFACT_WORKER);
		return run_put_delivery(c);
	}
	if (run_put_kustomizations(c, ARTIFACT_WORKER) != STATUS_OK ||
	    run_put_delivery(c) != STATUS_OK || run_put_index(c) != STATUS_OK)
		return STATUS_FAILED;
	arena_reset(c->env->scratch);
	return STATUS_OK;
}

/* Adds the files of all units, those that several units share once. */
static void add_unit_files(struct run_completion *c)
{
	struct set shared = set_in(c->env->arena);

	for (size_t j = 0; j < c->cluster->unit_count; j++)
		VEC_EACH (file, &c->rendered->units[c->cluster->first_unit + j].files)
			if (file->role != ARTIFACT_CONFIG_MAP || set_add(&shared, file->path))
				VEC_PUSH(c->env->arena, c->files, file);
}

enum status run_complete_tree(const struct run_env *env, const struct run_inputs *inputs,
                              const struct run_job *job, struct run_writer *writer,
                              struct run_rendered *rendered)
{
	const struct plan *plan = job->plan;
	struct map texts = map_in(env->arena);
	size_t count = 0;

	for (size_t i = 0; i < plan->unit_count; i++)
		count += rendered->units[i].files.count;
	set_expect(&rendered->written, count + count / 16);
	for (size_t i = 0; i < plan->cluster_count; i++) {
		struct run_completion c = {
		    .env = env,
		    .plan = plan,
		    .previous = job->previous,
		    .writer = writer,
		    .rendered = rendered,
		    .out = job->out,
		    .without_seed = job->without_seed,
		    .cluster = &plan->clusters[i],
		    .files = &rendered->clusters[i],
		    .texts = &texts,
		};

		add_unit_files(&c);
		if (complete_cluster(&c) != STATUS_OK)
			return STATUS_FAILED;
	}
	if (!job->without_seed && run_put_delivery_lists(env, plan, writer, rendered) != STATUS_OK)
		return STATUS_FAILED;
	return run_remove_old(env, inputs, job, writer, rendered);
}
