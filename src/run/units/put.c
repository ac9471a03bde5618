/*
 * Seals and puts the files of a unit, and compares them with those before.
 */
#include "run/shard/shard.h"
#include "run/units/classify.h"
#include "run/units/rendering.h"
#include "userdata/userdata.h"

/* Returns the scanner with secrets that only this unit met. */
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

static struct tree_seal_request seal_request(const struct plan_unit *unit,
                                             const struct run_worker *worker,
                                             const struct artifact *artifact,
                                             struct ciphertexts *ret_ciphertexts)
{
	const struct fleet_cluster *cluster = unit->cluster->fleet;
	enum fleet_secret_text text = cluster->delivery.secret_text;

	return (struct tree_seal_request){
	    .sealer = worker->sealer,
	    .cluster = cluster->name,
	    .source = run_source_name(unit->unit->object),
	    .recipients = &unit->cluster->recipients,
	    .object = &artifact->object,
	    .at = kube_object_position(unit->unit->object),
	    .ret_ciphertexts = ret_ciphertexts,
	    /* A SealedSecret keeps values by key, whichever member they were in. */
	    .uses_string_data = artifact->has_fixed_keys &&
	                        !cluster->sealing.format->takes_certificate &&
	                        (text == FLEET_SECRET_TEXT_STRING_DATA ||
	                         (text == FLEET_SECRET_TEXT_DATA && artifact->wants_string_data)),
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
static enum status read_before(struct arena *scratch, struct sink *sink,
                               const struct run_rendering *r, struct run_comparison *comparison)
{
	const struct git_output *output = r->writer->output;
	const struct git_file *file = git_output_find(output, comparison->path_before);

	comparison->was_there = file != NULL;
	if (!file)
		return STATUS_OK;
	return git_output_read(scratch, sink, output, file, RUN_MAX_OUTPUT_BYTES,
	                       &comparison->text_before);
}

/* Returns true for the unit's own MachineDeployment. */
static bool is_unit_itself(const struct run_comparison *comparison)
{
	return comparison->artifact->role == ARTIFACT_MACHINES && !comparison->is_patch;
}

/*
 * Fails (DIAG_TREE_INDEX) if the revision goes back because the index has another one than the
 * config's file: new machines would wait for a Secret of the live revision.
 */
static enum status check_revision(struct arena *scratch, struct sink *sink,
                                  const struct run_rendering *r,
                                  const struct run_comparison *comparison,
                                  const struct plan_unit *unit)
{
	const struct previous *previous = r->job->previous;
	sv cluster = unit->cluster->fleet->name;
	const struct tree_unit id = plan_tree_unit(unit->unit);
	const struct previous_unit *known =
	    map_get(&previous->units, plan_unit_key(scratch, cluster, &id));
	const struct tree_index *index = map_get(&previous->indexes, cluster);
	int64_t before = plan_written_revision(comparison->text_before);
	int64_t now = plan_written_revision(comparison->text);

	if (!known || !index || now == 0 || now >= before ||
	    sv_eq(known->unit.revision, arena_printf(scratch, "%lld", (long long)before)))
		return STATUS_OK;
	sv path = tree_index_path(scratch, index->folder);
	struct diag *diag = diag_report(
	    sink, DIAG_TREE_INDEX, kube_object_position(unit->unit->object),
	    "%.*s was edited: the unit's file in the output has revision %lld, and with "
	    "this index the unit would go back to %lld",
	    SV_ARG(path), (long long)before, (long long)now);
	diag_set_help(sink, diag,
	              "restore it from the commit before (git log, git checkout COMMIT -- PATH), "
	              "and commit that");
	return STATUS_FAILED;
}

static bool is_status(const struct run_comparison *comparison, const struct run_unit *unit)
{
	return comparison->artifact->role == ARTIFACT_REPORT &&
	       sv_eq(comparison->artifact->id.kind, unit->unit->unit->object->id.kind);
}

/*
 * Compares a file with the previous one. A clear file that differs is kept, old and new, until the
 * unit is done. The class is decided only if the previous output has the unit.
 */
static enum status compare_file(struct sink *sink, struct run_rendering *r, unsigned number,
                                struct run_comparison *comparison, struct run_unit *unit)
{
	struct run_worker *worker = &r->workers[number];
	size_t cluster = (size_t)(unit->unit->cluster - r->job->plan->clusters);
	bool was_known = r->job->previous && unit->facts.was_there;

	if (!git_output_has_changed(r->writer->output, number, comparison->path))
		return STATUS_OK;
	if (!was_known && comparison->is_sealed && !is_unit_itself(comparison))
		return STATUS_OK;
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
		             .is_status = is_status(comparison, unit),
		         }));
	if (!comparison->was_there && is_unit_itself(comparison))
		unit->facts.replicas_unset |=
		    !value_path(&comparison->artifact->object, "spec.replicas");
	if (!comparison->was_there && !was_known && r->job->previous &&
	    comparison->artifact->role == ARTIFACT_CONFIG)
		worker->added = comparison->text;
	comparison->results = worker->results;
	comparison->scratch = worker->scratch;
	comparison->root = r->job->plan->root;
	comparison->before = &r->rendered->before[cluster];
	if (r->job->previous && is_unit_itself(comparison))
		run_compare_templates(comparison, r->job->previous, unit);
	if (!r->job->previous || !unit->facts.was_there)
		return STATUS_OK;
	if (comparison->artifact->role == ARTIFACT_CONFIG && !comparison->is_patch &&
	    comparison->was_there &&
	    check_revision(worker->scratch, sink, r, comparison, unit->unit) != STATUS_OK)
		return STATUS_FAILED;
	return run_classify(sink, comparison, unit);
}

/*
 * Without the seed: compares what is clear in a file that cannot be made, and decides about the
 * number of machines.
 */
static enum status compare_clear_part(struct sink *sink, struct run_rendering *r, unsigned number,
                                      const struct artifact *artifact, struct run_unit *unit)
{
	struct arena *scratch = r->workers[number].scratch;
	struct run_comparison before = {0};

	if (artifact->role != ARTIFACT_MACHINES || !r->job->previous || !unit->facts.was_there)
		return STATUS_OK;
	before.path_before =
	    run_path_before(scratch, r->job->previous, unit->unit->cluster, artifact, false);
	if (read_before(scratch, sink, r, &before) != STATUS_OK)
		return STATUS_FAILED;
	if (before.was_there)
		run_find_scale(scratch, artifact, before.text_before, unit);
	unit->facts.file_changed |= unit->facts.scale.changes;
	return STATUS_OK;
}

static enum status write_artifact(struct sink *sink, struct run_rendering *r, unsigned number,
                                  const struct leak_scanner *scanner,
                                  const struct artifact *artifact, struct tree_file *file,
                                  struct run_unit *result)
{
	const struct plan_unit *unit = result->unit;
	struct run_worker *worker = &r->workers[number];
	struct buf buf = buf_in(worker->scratch);
	struct ciphertexts ciphertexts = {0};
	const struct tree_seal_request seal = seal_request(unit, worker, artifact, &ciphertexts);
	const struct leak_place place = {&artifact->object, seal.at, &ciphertexts};
	bool is_without_seed = r->job->without_seed;

	if (run_check_marks(sink, artifact, false, seal.at) != STATUS_OK)
		return STATUS_FAILED;
	if (!r->writes)
		return STATUS_OK;
	if (artifact->role == ARTIFACT_CONFIG_MAP)
		return run_put_shared(sink, r, number, scanner, artifact, unit, file);
	if (is_without_seed && !run_needs_no_seed(artifact)) {
		file->sealed = true;
		result->not_compared++;
		return compare_clear_part(sink, r, number, artifact, result);
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
	return compare_file(sink, r, number, &comparison, result);
}

/* Puts the sealed patch beside a redacted object, if any of its values are hidden. */
static enum status write_patch(struct sink *sink, struct run_rendering *r, unsigned number,
                               const struct artifact *artifact, const struct tree_file *of,
                               struct run_unit *result)
{
	const struct plan_unit *unit = result->unit;
	struct run_worker *worker = &r->workers[number];
	struct buf buf = buf_in(worker->scratch);
	struct ciphertexts ciphertexts = {0};
	const struct tree_seal_request seal = seal_request(unit, worker, artifact, &ciphertexts);
	const struct leak_place place = {&artifact->object, seal.at, &ciphertexts};
	struct tree_file file = {
	    .path = tree_patch_path(worker->results, of->path),
	    .side = of->side,
	    .folder = of->folder,
	    .role = ARTIFACT_SUPPORT,
	    .patch_of = tree_patch_of(worker->results, &of->object),
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
	return compare_file(sink, r, number, &comparison, result);
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

enum status run_put_unit(struct run_rendering *r, const struct plan_unit *unit, unsigned number,
                         struct run_unit *result, const struct plan_revision *revision,
                         struct dialect_rendered *rendered)
{
	struct run_worker *worker = &r->workers[number];
	const struct leak_scanner *scanner = NULL;
	const struct tree_unit *tree_unit =
	    run_new_tree_unit(worker->results, unit, revision, &rendered->config_maps);

	size_t count = rendered->artifacts.count;
	/* Each patch is a file, too, and the ConfigMap before. */
	count += !sv_empty(rendered->config_maps.before);
	VEC_EACH (artifact, &rendered->artifacts)
		count += artifact->sealing == ARTIFACT_SEAL_PATCH;
	VEC_RESERVE(worker->results, &result->files, count);
	VEC_EACH (artifact, &rendered->artifacts) {
		bool is_shared = artifact->role == ARTIFACT_CONFIG_MAP;
		struct tree_file file = run_tree_file(
		    worker->results, &worker->words, unit->cluster, artifact,
		    is_shared ? run_shared_source(worker->results, r->job->plan, unit->cluster)
		              : run_source_name(unit->unit->object),
		    is_shared ? NULL : tree_unit);

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

		result->facts.lacks_replicas |= artifact->role == ARTIFACT_MACHINES &&
		                                !value_path(&artifact->object, "spec.replicas");
		run_annotate(worker->scratch, unit->cluster->fleet, artifact);
		if (write_artifact(&result->sink, r, number, scanner, artifact,
		                   &result->files.items[i], result) != STATUS_OK)
			return STATUS_FAILED;
		if (r->writes && artifact->role == ARTIFACT_CONFIG_MAP &&
		    !sv_empty(rendered->config_maps.before) &&
		    run_put_shared_before(&result->sink, r, number, artifact,
		                          rendered->config_maps.before, unit, result) != STATUS_OK)
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

/* Reads the hosts that configs of the previous output name. The caller holds the lock. */
static void read_hosts(struct run_rendering *r)
{
	const struct map *indexes = &r->job->previous->indexes;
	const struct git_output *output = r->writer->output;

	for (size_t i = 0; i < indexes->count; i++) {
		const struct tree_index *index = indexes->entries[i].value;

		for (size_t j = 0; j < index->file_count; j++) {
			ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
			struct sink unused = sink_in(scratch);
			const struct git_file *file =
			    index->files[j].role == ARTIFACT_CONFIG
			        ? git_output_find(output, index->files[j].path)
			        : NULL;
			sv text;

			if (!file || git_output_read(scratch, &unused, output, file,
			                             RUN_MAX_OUTPUT_BYTES, &text) != STATUS_OK)
				continue;
			r->has_configs = true;
			review_hosts_add(r->hosts, text);
		}
	}
	r->are_hosts_read = true;
}

/* Returns the hosts of the previous output, or null if it has no config. */
static const struct review_hosts *known_hosts(struct run_rendering *r)
{
	os_mutex_lock(r->lock);
	if (!r->are_hosts_read)
		read_hosts(r);
	os_mutex_unlock(r->lock);
	return r->has_configs ? r->hosts : NULL;
}

/* Returns the version in the previous output, or an empty string. */
static sv kubelet_before(struct arena *scratch, const struct run_rendering *r,
                         const struct plan_unit *unit)
{
	const struct tree_unit id = plan_tree_unit(unit->unit);
	const struct previous *previous = r->job->previous;
	const struct tree_proof *proof =
	    previous ? map_get(&previous->proofs,
	                       plan_unit_key(scratch, unit->cluster->fleet->name, &id))
	             : NULL;

	return proof ? proof->kubelet_version : SV("");
}

void run_review_unit(struct run_rendering *r, const struct plan_unit *unit, unsigned number,
                     sv kubelet_version)
{
	struct run_worker *worker = &r->workers[number];
	const struct kube_id *id = &unit->unit->object->id;
	const struct review_unit changed = {
	    .dialect = unit->unit->dialect,
	    .cluster = unit->cluster->fleet->name,
	    .namespace = id->namespace,
	    .name = id->name,
	    .kubelet_before = kubelet_before(worker->scratch, r, unit),
	    .kubelet_after = kubelet_version,
	    .place = (size_t)(unit - r->job->plan->units),
	    .files = worker->changed.items,
	    .file_count = worker->changed.count,
	};

	bool is_asked_for =
	    sv_empty(r->job->only_cluster) || sv_eq(r->job->only_cluster, changed.cluster);
	/* The shard that rendered the unit has reviewed it, too. */
	bool is_reviewed = is_asked_for && !run_is_merging(r->job->parts);
	if (changed.file_count > 0 && is_reviewed)
		review_add(worker->scratch, r->rendered->review, &changed);
	const struct review_hosts *known =
	    is_reviewed && !sv_empty(worker->added) ? known_hosts(r) : NULL;
	if (known)
		review_add_new(worker->scratch, r->rendered->review, &changed, worker->added,
		               known);
	worker->added = SV("");
	worker->changed.items = NULL;
	worker->changed.count = worker->changed.cap = 0;
}
