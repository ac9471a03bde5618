/*
 * Runs without a seed. Files for reviewers, in which secrets are marks, are compared with the
 * output. Nothing is sealed, and files that depend on the seed are left as they are.
 */
#include "run/without_seed.h"

bool run_needs_no_seed(const struct artifact *artifact)
{
	if (artifact->side == ARTIFACT_WORKER)
		return false;
	switch (artifact->sealing) {
	case ARTIFACT_CLEAR:
	case ARTIFACT_SEAL_PATCH:
		return true;
	case ARTIFACT_SEAL_SECRETS:
		return !secrecy_find(&artifact->object);
	case ARTIFACT_SEAL_DATA:
		return false;
	}
	BUG("sealing of an artifact");
}

/* Maps lines without fingerprints, and without names of marks, to the lines themselves. */
static struct map marked_lines(struct arena *arena, sv text)
{
	struct sv_splitter lines = sv_split(text, '\n');
	struct map marked = map_in(arena);
	sv line;

	while (sv_split_next(&lines, &line)) {
		if (!secrecy_has_mark(line))
			continue;
		sv *kept = ARENA_NEW(arena, sv);
		*kept = line;
		sv keys[] = {secrecy_without_fingerprints(arena, line),
		             secrecy_without_names(arena, line)};
		for (size_t i = 0; i < COUNT_OF(keys); i++)
			if (!map_get(&marked, keys[i]))
				map_put(&marked, keys[i], kept);
	}
	return marked;
}

/*
 * The mark of a derived token equals any mark: which token is used depends on Secrets that may be
 * out of reach.
 */
enum status run_take_fingerprints(struct arena *arena, struct sink *sink,
                                  const struct run_writer *writer, sv path, sv *text)
{
	const struct git_file *file = git_output_find(writer->output, path);
	struct sv_splitter lines = sv_split(*text, '\n');
	struct buf taken = buf_in(arena);
	bool first = true;
	sv before;
	sv line;

	if (!file)
		return STATUS_OK;
	if (git_output_read(arena, sink, writer->output, file, RUN_MAX_OUTPUT_BYTES, &before) !=
	    STATUS_OK)
		return STATUS_FAILED;
	if (secrecy_redacted_equal(before, *text)) {
		*text = before;
		return STATUS_OK;
	}
	struct map marked = marked_lines(arena, before);
	while (sv_split_next(&lines, &line)) {
		const sv *there = NULL;

		if (secrecy_has_mark(line))
			there = map_get(&marked, line);
		if (!there && secrecy_has_derived_mark(line))
			there = map_get(&marked, secrecy_without_names(arena, line));
		buf_add(&taken, first ? SV("") : SV("\n"));
		buf_add(&taken, there ? *there : line);
		first = false;
	}
	*text = buf_sv(&taken);
	return STATUS_OK;
}

/* Returns the set of the plan's units and clusters. */
static struct map planned(const struct run_env *env, const struct plan *plan)
{
	struct map there = map_in(env->arena);

	for (size_t i = 0; i < plan->cluster_count; i++)
		map_put(&there, plan->clusters[i].fleet->name, &there);
	for (size_t i = 0; i < plan->unit_count; i++) {
		const struct tree_unit id = plan_tree_unit(plan->units[i].unit);

		map_put(&there, plan_unit_key(env->arena, plan->units[i].cluster->fleet->name, &id),
		        &there);
	}
	return there;
}

/* Returns the set of files that a run with the seed would seal, by their plain paths. */
static struct map sealed_files(const struct run_env *env, const struct plan *plan,
                               const struct run_rendered *rendered)
{
	struct map sealed = map_in(env->arena);

	for (size_t i = 0; i < plan->cluster_count; i++) {
		const struct plan_cluster *cluster = &plan->clusters[i];

		VEC_EACH (file, &rendered->clusters[i])
			if ((*file)->sealed)
				map_put(&sealed,
				        plan_plain_path(env->arena, cluster->fleet->folder,
				                        cluster->cut, (*file)->path),
				        &sealed);
	}
	return sealed;
}

void run_prune_without_seed(const struct run_env *env, const struct plan *plan,
                            const struct previous *previous, struct run_writer *writer,
                            const struct run_rendered *rendered)
{
	struct map sealed = sealed_files(env, plan, rendered);
	struct map there = planned(env, plan);

	for (size_t i = 0; i < previous->indexes.count; i++) {
		const struct map_entry *entry = &previous->indexes.entries[i];
		const struct tree_index *index = entry->value;
		bool stays = map_get(&there, entry->key);
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
			    map_get(&there, plan_unit_key(env->arena, entry->key, file->unit));

			sv plain =
			    plan_plain_path(env->arena, index->folder, index->cut, file->path);
			bool is_not_compared =
			    stays && is_asked_for &&
			    (sv_starts_with(file->path, worker) || map_get(&sealed, plain));

			if (!map_get(&rendered->written, file->path) && !is_not_compared)
				git_output_remove(writer->output, 0, file->path);
		}
		if (!stays)
			git_output_remove(writer->output, 0,
			                  tree_index_path(env->arena, index->folder));
	}
}

void run_report_stand_ins(const struct run_env *env, const struct run_facts *facts)
{
	size_t count = 0;
	struct diag *diag;

	for (size_t i = 0; facts->rendered && i < facts->plan->unit_count; i++)
		count += facts->rendered->units[i].not_compared;
	if (facts->rendered)
		diag = diag_report(env->sink, DIAG_WITHOUT_SEED, NOWHERE,
		                   "there is no seed: secrets are stand-ins, and %zu files that "
		                   "take it are not compared",
		                   count);
	else
		diag = diag_report(env->sink, DIAG_WITHOUT_SEED, NOWHERE,
		                   "there is no seed: secrets are stand-ins");
	diag_set_help(
	    env->sink, diag,
	    "no action is needed where the seed is kept from you, as in a fork: CI, which "
	    "has it, compares the rest; to compare everything here, give it with "
	    "--seal-seed-file or OSM_GEN_SEAL_SEED");
}
