#include "run/run.h"

#include "run/stages.h"

struct arena *run_new_arena(struct run *run, enum arena_kind kind)
{
	struct arena *arena = arena_new(kind);

	VEC_PUSH(run->arena, &run->arenas, arena);
	return arena;
}

static void tell(const struct run *run, const char *stage)
{
	if (run->request->progress)
		run->request->progress(run->request->progress_context, stage, 0, 0);
}

/* ---- rendering --------------------------------------------------------------------------- */

static enum git_output_mode output_mode(const struct run *run)
{
	const struct run_request *request = run->request;

	if (run->out_is_outside)
		return GIT_OUTPUT_FOLDER;
	if (request->mode == RUN_GENERATE)
		return request->worktree || request->no_commit ? GIT_OUTPUT_FOLDER
		                                               : GIT_OUTPUT_COMMIT;
	return GIT_OUTPUT_COMPARE;
}

enum status run_begin_output(struct run *run)
{
	struct git_output_options options = {
	    .mode = output_mode(run),
	    .folder = run->out,
	    .branch = run->request->branch,
	    .workers = run->threads,
	    .source = run->source.hex.len ? &run->source : NULL,
	};

	if (run->request->mode == RUN_VALIDATE || run->output)
		return STATUS_OK;
	if (options.mode == GIT_OUTPUT_FOLDER && !run->out_is_outside) {
		sv root = git_repo_worktree(run->repo);

		if (sv_empty(root)) {
			struct diag *diag = diag_report(
			    run->sink, DIAG_OUTPUT_FOLDER, NOWHERE,
			    "a bare repository has no working tree to write \"%.*s\" in",
			    SV_ARG(run->out));
			diag_set_help(run->sink, diag,
			              "let osm-gen commit, or export with an absolute --out");
			return STATUS_FAILED;
		}
		options.folder = ARENA_CONCAT(run->arena, root, SV("/"), run->out);
	}
	return git_output_begin(run->arena, run->sink, run->repo, &options, &run->output);
}

/* A diagnostic of the run's sink, and how many jobs said the same after the first. */
struct merged {
	size_t index;
	size_t more;
};

/*
 * Jobs' diagnostics in job order. A mistake in a profile hits every MachineDeployment that uses it:
 * it is told once, with the number of the others.
 */
static void merge_diagnostics(struct run *run)
{
	struct sink *sink = run->sink;
	struct map first = map_in(run->arena);

	for (size_t i = 0; i < run->job_count; i++) {
		VEC_EACH (diag, &run->jobs[i].sink.diags) {
			sv key = arena_printf(run->arena, "%d %p %zu %.*s", (int)(*diag)->code,
			                      (const void *)(*diag)->at.source, (*diag)->at.offset,
			                      SV_ARG((*diag)->text));
			struct merged *merged = map_get(&first, key);

			if (merged) {
				merged->more++;
				continue;
			}
			struct sink one = {.arena = run->arena};
			VEC_PUSH(run->arena, &one.diags, *diag);
			size_t before = sink->diags.count;
			sink_merge(sink, &one);
			if (sink->diags.count == before)
				continue;
			merged = ARENA_NEW(run->arena, struct merged);
			merged->index = before;
			map_put(&first, key, merged);
		}
	}
	for (size_t i = 0; i < first.count; i++) {
		const struct merged *merged = first.entries[i].value;

		if (merged->more > 0)
			diag_add_note(sink, sink->diags.items[merged->index], NOWHERE,
			              "the same in %zu more MachineDeployment%s", merged->more,
			              merged->more == 1 ? "" : "s");
	}
}

static enum status render_all(struct run *run)
{
	size_t errors = run->sink->error_count;

	tell(run, "rendering");
	os_parallel(run->job_count, run->threads, run_job, run);
	merge_diagnostics(run);
	return run->sink->error_count > errors ? STATUS_FAILED : STATUS_OK;
}

/* ---- cluster objects --------------------------------------------------------------------- */

static enum status add_shared_files(struct run *run)
{
	for (size_t i = 0; i < run->fleet.cluster_count; i++) {
		struct run_cluster *cluster = &run->clusters[i];
		struct osm_outputs outputs = {0};

		if (run_add_profiles(run, cluster) != STATUS_OK)
			return STATUS_FAILED;
		if (!cluster->osm)
			continue;
		osm_cluster_outputs(run->secret_arena, cluster->osm, &outputs);
		sv source = cluster->fleet->at.source ? cluster->fleet->at.source->path
		                                      : SV("the MachineDeployments");
		VEC_EACH (output, &outputs) {
			if (run_add_clear(run, cluster, output, source) != STATUS_OK)
				return STATUS_FAILED;
			arena_reset(run->scratch);
		}
	}
	return STATUS_OK;
}

/* ---- the summary ------------------------------------------------------------------------- */

static enum report_change change_of(enum git_change_kind kind)
{
	switch (kind) {
	case GIT_ADDED:
		return REPORT_ADDED;
	case GIT_CHANGED:
		return REPORT_CHANGED;
	case GIT_REMOVED:
		return REPORT_REMOVED;
	}
	BUG("change kind");
}

static bool is_osc(sv path)
{
	return sv_contains(path, SV("/management/")) &&
	       sv_contains(path, SV("/operatingsystemconfig-"));
}

bool run_row_of_osc(struct arena *arena, sv path, struct report_machine_deployment *ret_row)
{
	struct report_machine_deployment row = {0};
	sv rest;

	if (!is_osc(path))
		return false;
	sv_cut(arena_dup(arena, path), SV("/management/"), &row.cluster, &rest);
	sv_cut(rest, SV("/operatingsystemconfig-"), &row.namespace, &row.name);
	row.name = sv_slice(row.name, 0, row.name.len - SV("-config.yaml").len);
	*ret_row = row;
	return true;
}

/*
 * The OSC's name is NAME-NAMESPACE, which parts anywhere; the kubelet's kubeconfig, which goes with
 * it, has NAMESPACE-NAME and tells where. row has the former, and the OSC's namespace.
 */
static void name_removed(struct run *run, const struct map *changes,
                         struct report_machine_deployment *row)
{
	sv key = row->name;
	sv own = ARENA_CONCAT(run->arena, SV("-"), row->namespace);

	for (size_t i = 1; i + 1 < key.len; i++) {
		sv name = sv_slice(key, 0, i);
		sv namespace = sv_from_offset(key, i + 1);
		const struct kube_id kubeconfig = {
		    .kind = SV("Secret"),
		    .namespace = SV("cloud-init-settings"),
		    .name = ARENA_CONCAT(run->arena, namespace, SV("-"), name,
		                         SV("-kubelet-bootstrap-config")),
		};

		if (key.ptr[i] != '-' ||
		    !map_get(changes,
		             tree_object_path(run->arena, row->cluster, TREE_WORKER, &kubeconfig)))
			continue;
		row->namespace = namespace;
		row->name = name;
		return;
	}
	if (sv_ends_with(key, own) && key.len > own.len)
		row->name = sv_slice(key, 0, key.len - own.len);
}

static void fill_rows(struct run *run, struct report_summary *summary,
                      const struct git_changes *changes)
{
	struct map by_path = map_in(run->arena);

	VEC_EACH (change, changes)
		map_put(&by_path, change->path, change);
	for (size_t i = 0; i < run->job_count; i++) {
		struct report_machine_deployment row = run->jobs[i].row;

		VEC_EACH (file, &run->jobs[i].files) {
			const struct git_change *change = map_get(&by_path, file->path);

			if (!change)
				continue;
			if (is_osc(file->path) && change->kind == GIT_ADDED)
				row.change = REPORT_ADDED;
			else if (row.change != REPORT_ADDED)
				row.change = REPORT_CHANGED;
		}
		if (!sv_empty(row.name))
			VEC_PUSH(run->arena, &summary->machine_deployments, row);
	}
	VEC_EACH (change, changes) {
		struct report_machine_deployment row;

		if (change->kind != GIT_REMOVED || !run_row_of_osc(run->arena, change->path, &row))
			continue;
		row.change = REPORT_REMOVED;
		name_removed(run, &by_path, &row);
		VEC_PUSH(run->arena, &summary->machine_deployments, row);
	}
}

static const char *mode_name(enum run_mode mode)
{
	switch (mode) {
	case RUN_GENERATE:
		return "generate";
	case RUN_CHECK:
		return "check";
	case RUN_DIFF:
		return "diff";
	case RUN_VALIDATE:
		return "validate";
	case RUN_RENDER:
		return "render";
	}
	BUG("mode");
}

void run_describe(const struct run *run, struct report_summary *summary)
{
	summary->command = sv_from_cstr(mode_name(run->request->mode));
	summary->version = run->request->version;
	summary->source_commit = run->request->worktree ? SV("") : run->source.hex;
	summary->out = run->request->out;
}

static void fill_summary(struct run *run, struct report_summary *summary,
                         const struct git_changes *changes)
{
	run_describe(run, summary);
	summary->cluster_count = run->fleet.cluster_count;
	for (size_t i = 0; i < run->fleet.cluster_count; i++)
		for (size_t j = 0; j < run->fleet.clusters[i].profile_count; j++)
			summary->profile_count +=
			    run->fleet.clusters[i].profiles[j].machine_deployment_count > 0;
	fill_rows(run, summary, changes);
	VEC_EACH (change, changes) {
		struct report_file file = {arena_dup(run->arena, change->path),
		                           change_of(change->kind)};

		VEC_PUSH(run->arena, &summary->files, file);
	}
	size_t changed = 0;
	VEC_EACH (change, changes)
		changed += change->kind != GIT_REMOVED;
	summary->unchanged_file_count = run->written.count - changed;
}

/* ---- writing ----------------------------------------------------------------------------- */

static enum status choose_author(struct run *run, struct git_commit_text *text)
{
	sv author = run->request->author;

	if (sv_empty(author))
		author = run->fleet.commit_author;
	if (sv_empty(author))
		author = SV("osm-gen <osm-gen@localhost>");
	if (run_parse_author(author, &text->author_name, &text->author_email))
		return STATUS_OK;
	struct diag *diag = diag_report(run->sink, DIAG_COMMIT_AUTHOR, NOWHERE,
	                                "\"%.*s\" is no author", SV_ARG(author));
	diag_set_help(run->sink, diag, "write it as --author \"Fleet Bot <bot@example.com>\"");
	return STATUS_FAILED;
}

static enum status write_out(struct run *run, const struct git_changes *changes,
                             struct run_result *result)
{
	struct git_commit_text text = {.overwrite_modified = true};
	struct git_output_result written;
	struct report_summary *summary = &result->summary;

	tell(run, "writing");
	text.message = run_commit_message(run, summary, run_proof(run, changes));
	if (choose_author(run, &text) != STATUS_OK ||
	    git_output_finish(run->sink, run->output, &text, &written) != STATUS_OK)
		return STATUS_FAILED;
	summary->outcome = !written.changed    ? REPORT_NOTHING
	                   : written.committed ? REPORT_COMMITTED
	                                       : REPORT_WRITTEN;
	if (written.committed) {
		summary->commit = git_id_hex(run->arena, written.commit);
		summary->branch = run->request->branch;
	}
	return STATUS_OK;
}

static enum status finish(struct run *run, struct run_result *result)
{
	struct git_changes changes = {0};

	if (run->request->mode == RUN_VALIDATE) {
		fill_summary(run, &result->summary, &changes);
		result->summary.outcome = REPORT_VALID;
		return STATUS_OK;
	}
	if (add_shared_files(run) != STATUS_OK || run_complete_tree(run) != STATUS_OK)
		return STATUS_FAILED;
	git_output_changes(run->arena, run->output, &changes);
	fill_summary(run, &result->summary, &changes);
	if (run->request->mode == RUN_GENERATE)
		return write_out(run, &changes, result);
	result->differs = changes.count > 0;
	result->summary.outcome = changes.count > 0 ? REPORT_DIFFERS : REPORT_NOTHING;
	if (run->request->mode == RUN_DIFF)
		return run_differ(run, &changes, &result->output);
	return STATUS_OK;
}

/* ---- the whole --------------------------------------------------------------------------- */

static enum status stages(struct run *run, struct run_result *result)
{
	enum status status;
	bool unchanged;

	tell(run, "reading");
	if (run_list_inputs(run) != STATUS_OK ||
	    run_find_unchanged(run, result, &unchanged) != STATUS_OK)
		return STATUS_FAILED;
	if (unchanged)
		return STATUS_OK;
	status = run_read_inputs(run);
	if (!run->inputs_read)
		return STATUS_FAILED;
	if (run_prepare(run) != STATUS_OK)
		status = STATUS_FAILED;
	if (run_begin_output(run) != STATUS_OK)
		return STATUS_FAILED;
	if (run->output && run->root && run_read_previous(run) != STATUS_OK)
		status = STATUS_FAILED;
	if (run_check_profiles(run) != STATUS_OK)
		status = STATUS_FAILED;
	if (run->request->mode == RUN_RENDER)
		return status == STATUS_OK ? run_inspect(run, &result->output) : status;
	/* Jobs of sound clusters are rendered even when others are not: their errors count too. */
	run->failed = status != STATUS_OK;
	if (render_all(run) != STATUS_OK || run->failed)
		return STATUS_FAILED;
	return finish(run, result);
}

static void close_run(struct run *run)
{
	for (unsigned i = 0; run->workers && i < run->threads; i++)
		sealer_free(run->workers[i].sealer);
	git_output_free(run->output);
	git_repo_close(run->repo);
	seal_root_free(run->root);
	seal_identities_free(run->identities);
	os_mutex_free(run->lock);
}

enum status run(struct arena *arena, struct sink *sink, const struct run_request *request,
                struct run_result *ret_result)
{
	struct run run = {
	    .arena = arena,
	    .sink = sink,
	    .request = request,
	    .threads = request->threads ? request->threads : os_core_count(),
	    .noted = map_in(arena),
	    .noted_objects = map_in(arena),
	    .own = map_in(arena),
	    .written = map_in(arena),
	    .texts = map_in(arena),
	    .lock = os_mutex_new(),
	};
	struct run_result result = {.output = buf_in(arena)};
	enum status status;

	run.secret_arena = run_new_arena(&run, ARENA_SECRET);
	run.scratch = run_new_arena(&run, ARENA_PLAIN);
	result.output = buf_in(request->mode == RUN_RENDER ? run.secret_arena : arena);
	status = stages(&run, &result);
	if (status != STATUS_OK) {
		if (result.summary.command.len == 0)
			fill_summary(&run, &result.summary, &(struct git_changes){0});
		result.summary.outcome = REPORT_FAILED;
	}
	close_run(&run);
	result.secrets = run.secrets.items;
	result.secret_count = run.secrets.count;
	result.arenas = run.arenas.items;
	result.arena_count = run.arenas.count;
	*ret_result = result;
	return status;
}

void run_release(struct run_result *result)
{
	for (size_t i = 0; i < result->arena_count; i++)
		arena_free(result->arenas[i]);
	*result = (struct run_result){0};
}
