#include "run/stages.h"

/*
 * The files that are not one object's: kustomizations and indexes. Then what an earlier run wrote
 * and this one did not is removed, and what stands in the way is reported.
 */

sv run_object_path(struct arena *arena, const struct run_cluster *cluster,
                   const struct osm_output *output)
{
	enum tree_side side = output->side == OSM_MANAGEMENT ? TREE_MANAGEMENT : TREE_WORKER;

	return tree_object_path(arena, cluster->fleet->name, side, &output->id);
}

enum status run_check_file_name(struct sink *sink, sv path, const struct kube_object *from)
{
	enum { FILE_NAME_MAX_BYTES = 255 };
	size_t len = sv_after_last(path, '/').len;

	if (len <= FILE_NAME_MAX_BYTES)
		return STATUS_OK;
	sv outer = sink->object;
	sink->object = kube_object_describe(sink->arena, from);
	struct diag *diag = diag_report(
	    sink, DIAG_NAME_TOO_LONG, kube_object_position(from),
	    "the output would have a file with a name of %zu bytes, file systems take %d", len,
	    FILE_NAME_MAX_BYTES);
	diag_set_help(sink, diag, "use a name shorter by at least %zu", len - FILE_NAME_MAX_BYTES);
	sink->object = outer;
	return STATUS_FAILED;
}

enum status run_put(struct run *run, unsigned worker, const struct leak_scanner *scanner,
                    struct sink *sink, sv path, sv text, const struct leak_place *place)
{
	if (leak_scanner_check(scanner, sink, path, text, place) != STATUS_OK ||
	    git_output_put(run->output, worker, path, text, sink) != STATUS_OK)
		return STATUS_FAILED;
	run_keep_text(run, run->workers[worker].results, path, text);
	return STATUS_OK;
}

enum status run_add_clear(struct run *run, struct run_cluster *cluster,
                          const struct osm_output *output, sv source)
{
	struct buf buf = buf_in(run->scratch);
	struct tree_file file = {.object = run_copy_id(run->arena, &output->id), .source = source};
	const struct leak_place place = {&output->object, cluster->fleet->at};

	file.path = run_object_path(run->arena, cluster, output);
	tree_add_clear_object(&buf, run->scratch, run->root, cluster->fleet->name, source,
	                      &output->object);
	if (run_put(run, 0, run->scanner, run->sink, file.path, buf_sv(&buf), &place) != STATUS_OK)
		return STATUS_FAILED;
	VEC_PUSH(run->arena, &cluster->files, file);
	return STATUS_OK;
}

static enum status put(struct run *run, struct run_cluster *cluster, sv path, const struct buf *buf,
                       bool listed)
{
	const struct leak_place place = {NULL, cluster->fleet->at};

	if (run_put(run, 0, run->scanner, run->sink, path, buf_sv(buf), &place) != STATUS_OK)
		return STATUS_FAILED;
	map_put(&run->written, path, cluster);
	if (listed)
		VEC_PUSH(run->arena, &cluster->files, (struct tree_file){.path = path});
	return STATUS_OK;
}

static enum status put_kustomization(struct run *run, struct run_cluster *cluster,
                                     enum tree_side side)
{
	sv folder =
	    ARENA_CONCAT(run->arena, cluster->fleet->name, SV("/"), tree_side_name(side), SV("/"));
	sv *paths = ARENA_ARRAY(run->scratch, sv, cluster->files.count);
	struct buf buf = buf_in(run->scratch);
	size_t count = 0;

	VEC_EACH (file, &cluster->files) {
		if (sv_starts_with(file->path, folder) && !sv_empty(file->object.kind))
			paths[count++] = file->path;
	}
	if (count == 0)
		return STATUS_OK;
	tree_add_kustomization(&buf, run->scratch, cluster->fleet->name, side, paths, count);
	return put(run, cluster, tree_kustomization_path(run->arena, cluster->fleet->name, side),
	           &buf, true);
}

static enum status complete_cluster(struct run *run, struct run_cluster *cluster)
{
	struct buf buf = buf_in(run->scratch);

	VEC_EACH (file, &cluster->files)
		map_put(&run->written, file->path, cluster);
	if (put_kustomization(run, cluster, TREE_MANAGEMENT) != STATUS_OK ||
	    put_kustomization(run, cluster, TREE_WORKER) != STATUS_OK)
		return STATUS_FAILED;
	sort_stable(cluster->files.items, cluster->files.count, sizeof(*cluster->files.items),
	            sort_compare_sv, NULL);
	tree_add_index(&buf, run->scratch, cluster->fleet->name,
	               seal_seed_id(run->arena, run->root), &cluster->files);
	return put(run, cluster, tree_index_path(run->arena, cluster->fleet->name), &buf, false);
}

/* ---- pruning ----------------------------------------------------------------------------- */

/* CLUSTER/index.json, and nothing deeper */
bool run_is_index(sv path)
{
	size_t slash = sv_find_char(path, '/');

	return slash != SV_NPOS && sv_eq(sv_from_offset(path, slash), SV("/index.json"));
}

static enum status check_seed(struct run *run, const struct source *source, sv seed_id)
{
	if (sv_empty(seed_id) || run->request->rotate_seed ||
	    sv_eq(seed_id, seal_seed_id(run->arena, run->root)))
		return STATUS_OK;
	struct diag *diag =
	    diag_report(run->sink, DIAG_SEED_CHANGED, position_of_source(source),
	                "the output was sealed with another seed (id %.*s)", SV_ARG(seed_id));
	diag_set_help(
	    run->sink, diag,
	    "check which seed CI was given; --rotate-seed seals everything anew with this one");
	return STATUS_FAILED;
}

static enum status read_previous_index(struct run *run, const struct git_file *file)
{
	sv cluster = sv_slice(file->path, 0, sv_find_char(file->path, '/'));
	struct tree_index index;
	sv text;

	if (git_output_read(run->output, file, RUN_MAX_OUTPUT_BYTES, run->arena, &text,
	                    run->sink) != STATUS_OK)
		return STATUS_FAILED;
	sv shown = ARENA_CONCAT(run->arena, run->out, SV("/"), file->path);
	struct source *source = source_new(run->arena, shown, text, false);
	if (tree_read_index(run->arena, run->sink, cluster, source, &index) != STATUS_OK)
		return STATUS_FAILED;
	/* It may stay, as long as it does not stand where a cluster's is to be. */
	if (index.is_foreign)
		return STATUS_OK;
	for (size_t i = 0; i < index.path_count; i++)
		map_put(&run->own, index.paths[i], run);
	map_put(&run->own, file->path, run);
	return check_seed(run, source, index.seed_id);
}

enum status run_read_previous(struct run *run)
{
	enum status status = STATUS_OK;

	VEC_EACH (file, git_output_previous(run->output)) {
		if (run_is_index(file->path) && read_previous_index(run, file) != STATUS_OK)
			status = STATUS_FAILED;
	}
	return status;
}

static enum status prune(struct run *run)
{
	const struct git_files *previous = git_output_previous(run->output);
	size_t errors = run->sink->error_count;
	struct git_changes changes = {0};

	VEC_EACH (file, previous) {
		if (!map_get(&run->written, file->path) && map_get(&run->own, file->path))
			git_output_remove(run->output, 0, file->path);
	}
	git_output_changes(run->output, run->arena, &changes);
	VEC_EACH (change, &changes) {
		if (change->kind != GIT_CHANGED || map_get(&run->own, change->path))
			continue;
		sv shown = ARENA_CONCAT(run->arena, run->out, SV("/"), change->path);
		struct source *source = source_new(run->arena, shown, SV(""), false);
		struct diag *diag =
		    diag_report(run->sink, DIAG_OUTPUT_STRANGER, position_of_source(source),
		                "a file that osm-gen did not write is in the way");
		diag_set_help(run->sink, diag,
		              "move or remove it, or name another folder with --out");
	}
	return run->sink->error_count > errors ? STATUS_FAILED : STATUS_OK;
}

enum status run_complete_tree(struct run *run)
{
	size_t next = 0;

	/* Jobs stand in cluster order. */
	for (size_t i = 0; i < run->fleet.cluster_count; i++) {
		struct run_cluster *cluster = &run->clusters[i];

		for (; next < run->job_count && run->jobs[next].cluster == cluster; next++) {
			VEC_EACH (file, &run->jobs[next].files)
				VEC_PUSH(run->arena, &cluster->files, *file);
		}
		if (complete_cluster(run, cluster) != STATUS_OK)
			return STATUS_FAILED;
		arena_reset(run->scratch);
	}
	return prune(run);
}
