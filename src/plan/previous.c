/*
 * Reads the previous output: its files, its seed, and the revision of each unit.
 */
#include "os/os.h"
#include "plan/plan.h"
#include "yaml/yaml.h"

/* osm-gen does not write larger files. */
#define MAX_OBJECT_BYTES ((size_t)64 * 1024 * 1024)

/* The id of a seed that is not the run's, and the indexes that have it. */
struct other_seed {
	sv id;
	const struct source *first;
	size_t count;
};

struct reader {
	struct arena *arena;
	struct sink *sink;
	const struct previous_request *request;
	struct previous *previous;
	struct set twice; /* clusters with two indexes, one in a bucket and one outside */
	VEC(struct other_seed *) other_seeds;
	struct map other_seeds_by_id;
};

/* One index, read on some thread. */
struct index_file {
	const struct git_file *file;
	sv folder; /* the cluster's */
	sv shown;  /* its path for messages */
	struct sink sink;
	struct source
	    *source; /* null if it could not be read; its text is empty without mistakes */
	struct tree_index index;
	bool is_read;
};

struct reading {
	const struct previous_request *request;
	struct index_file *files;
};

struct tree_unit plan_tree_unit(const struct dialect_unit *unit)
{
	const struct kube_id *id = &unit->object->id;

	return (struct tree_unit){.kind = id->kind, .namespace = id->namespace, .name = id->name};
}

static void look_at_seed(struct reader *r, const struct source *source, sv seed_id)
{
	if (sv_empty(seed_id) || r->request->rotate_seed || !r->request->root ||
	    sv_eq(seed_id, seal_seed_id(r->arena, r->request->root)))
		return;
	struct other_seed *seed = map_get(&r->other_seeds_by_id, seed_id);

	if (!seed) {
		seed = ARENA_NEW(r->arena, struct other_seed);
		*seed = (struct other_seed){.id = seed_id, .first = source};
		map_put(&r->other_seeds_by_id, seed_id, seed);
		VEC_PUSH(r->arena, &r->other_seeds, seed);
	}
	seed->count++;
}

/* Fails if there is another seed. A wrong one is that of most clusters, so each is named once. */
static enum status report_seeds(struct reader *r)
{
	VEC_EACH (each, &r->other_seeds) {
		const struct other_seed *seed = *each;
		struct diag *diag = diag_report(
		    r->sink, DIAG_SEED_CHANGED, position_of_source(seed->first),
		    "the output was sealed with another seed (id %.*s), not with the one of this "
		    "run (id %.*s)",
		    SV_ARG(seed->id), SV_ARG(seal_seed_id(r->arena, r->request->root)));

		if (seed->count > 1)
			diag_add_note(r->sink, diag, NOWHERE,
			              "so was the output of %zu other cluster%s", seed->count - 1,
			              seed->count == 2 ? "" : "s");
		diag_set_help(r->sink, diag,
		              "check which seed CI was given%s; --rotate-seed seals everything "
		              "anew with this one",
		              r->request->is_bound ? ", and whether sealing.fleet was changed"
		                                   : "");
	}
	return r->other_seeds.count == 0 ? STATUS_OK : STATUS_FAILED;
}

/* Adds a unit. All files of a unit that have a revision have the same one. */
static void add_previous_unit(struct reader *r, sv cluster, const struct tree_file *file)
{
	sv key = plan_unit_key(r->arena, cluster, file->unit);
	struct previous_unit *unit = map_get(&r->previous->units, key);

	if (!unit) {
		unit = ARENA_NEW(r->arena, struct previous_unit);
		*unit = (struct previous_unit){.cluster = cluster, .unit = *file->unit};
		map_put(&r->previous->units, key, unit);
	}
	const struct dialect_config_maps known = unit->unit.config_maps;
	if (!sv_empty(file->unit->revision))
		unit->unit = *file->unit;
	if (sv_empty(unit->unit.config_maps.now))
		unit->unit.config_maps = known;
}

/* Compares CLUSTER/index.json without buckets: messages name clusters in this order. */
static int compare_clusters(const void *a, const void *b, void *context)
{
	const struct index_file *left = a;
	const struct index_file *right = b;
	size_t left_bucket = left->folder.len - fleet_folder_cluster(left->folder).len;
	size_t right_bucket = right->folder.len - fleet_folder_cluster(right->folder).len;

	(void)context;
	return sv_cmp(sv_from_offset(left->file->path, left_bucket),
	              sv_from_offset(right->file->path, right_bucket));
}

static struct index_file *list_indexes(struct arena *arena, const struct git_files *files,
                                       struct tree_layout *ret_layout)
{
	struct tree_layout layout = {0};
	struct index_file *indexes;
	size_t count = 0;

	VEC_EACH (file, files)
		tree_layout_add(&layout, file->path);
	indexes = ARENA_ARRAY(arena, struct index_file, layout.count);
	VEC_EACH (file, files)
		if (tree_is_index_path(file->path, &indexes[count].folder))
			indexes[count++].file = file;
	sort_stable(indexes, count, sizeof(*indexes), compare_clusters, NULL);
	*ret_layout = layout;
	return indexes;
}

/*
 * Reads an index of the previous output into `arena`. Its text, kilobytes for each unit, is in
 * text_arena with the positions of mistakes.
 */
static void read_index_in(struct arena *arena, struct arena *text_arena,
                          const struct reading *reading, struct index_file *index)
{
	const struct previous_request *request = reading->request;
	sv text;

	index->sink = sink_in(text_arena);
	index->is_read = false;
	if (git_output_read(text_arena, &index->sink, request->output, index->file,
	                    TREE_INDEX_MAX_BYTES, &text) != STATUS_OK)
		return;
	sv shown = ARENA_CONCAT(arena, request->out, SV("/"), index->file->path);
	index->source = source_new(text_arena, shown, text, false);
	index->is_read = tree_index_read(arena, &index->sink, index->folder, index->source,
	                                 &index->index) == STATUS_OK;
	index->shown = shown;
}

static void read_previous_index(void *context, size_t number, unsigned worker)
{
	const struct reading *reading = context;
	struct index_file *index = &reading->files[number];
	struct arena *arena = reading->request->arenas[worker];
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);

	read_index_in(arena, scratch, reading, index);
	if (index->is_read && index->sink.diags.count == 0) {
		index->sink = sink_in(arena);
		index->source = source_new(arena, index->shown, SV(""), false);
		return;
	}
	/* Mistakes point into the text: read it again to keep it. */
	read_index_in(arena, arena, reading, index);
}

sv plan_plain_path(struct arena *arena, sv folder, unsigned cut, sv path)
{
	sv rest = sv_from_offset(path, folder.len + 1);
	sv side;
	sv part;

	if (!sv_cut(rest, SV("/"), &side, &rest))
		return SV("");
	if (cut > 0 && !sv_eq(side, tree_side_name(ARTIFACT_STATUS)) &&
	    !sv_cut(rest, SV("/"), &part, &rest))
		return SV("");
	return ARENA_CONCAT(arena, fleet_folder_cluster(folder), SV("/"), side, SV("/"), rest);
}

static void add_previous_place(struct reader *r, const struct tree_index *index, sv path)
{
	sv plain = plan_plain_path(r->arena, index->folder, index->cut, path);
	sv *kept;

	if (sv_empty(plain))
		return;
	kept = ARENA_NEW(r->arena, sv);
	*kept = path;
	map_put(&r->previous->places, plain, kept);
}

sv plan_previous_path(const struct previous *previous, sv path)
{
	const sv *place = map_get(&previous->places, path);

	return place ? *place : path;
}

void plan_cut(struct plan *plan, const struct previous *previous)
{
	for (size_t i = 0; i < plan->cluster_count; i++) {
		struct plan_cluster *cluster = &plan->clusters[i];
		const struct tree_index *index =
		    previous ? map_get(&previous->indexes, cluster->fleet->name) : NULL;

		cluster->cut =
		    tree_cut_after(cluster->fleet->unit_count, cluster->fleet->delivery.max_units,
		                   index ? index->cut : 0);
	}
}

/*
 * Returns true for an index to ignore. After a merge a cluster may have two indexes, one in a
 * bucket and one outside. The one that is like the majority counts; the files of the other are
 * remembered so that they are removed.
 */
static bool is_stray(const struct reader *r, const struct tree_index *index, bool in_buckets)
{
	return fleet_folder_is_in_bucket(index->folder) != in_buckets &&
	       set_has(&r->twice, fleet_folder_cluster(index->folder));
}

/* Finds clusters with two indexes. */
static void find_twice(struct reader *r, const struct index_file *files, size_t count)
{
	struct set once = set_in(r->arena);

	r->twice = set_in(r->arena);
	for (size_t i = 0; i < count; i++) {
		sv cluster = fleet_folder_cluster(files[i].folder);

		if (files[i].is_read && !files[i].index.is_foreign && !set_add(&once, cluster))
			set_add(&r->twice, cluster);
	}
}

/* ---- units in the output ------------------------------------------------------------------ */

/* Returns true for KIND-NAME.yaml of some dialect's units. */
static bool is_name_of_unit(sv name)
{
	struct dialect_kind_walk walk = {0};
	const struct dialect_kind *kind;

	while ((kind = dialect_next_kind(&walk)))
		if (kind->part == DIALECT_UNIT && tree_is_file_of_kind(name, kind->kind))
			return true;
	return false;
}

static void add_machines(struct reader *r, sv path, bool in_buckets)
{
	sv name = sv_after_last(path, '/');
	enum artifact_side side;

	if (!is_name_of_unit(name))
		return;
	sv folder = fleet_folder_of(path);
	sv cluster = fleet_folder_cluster(folder);
	if (sv_empty(folder) || !tree_side_of(folder, path, &side) || side != ARTIFACT_WORKER ||
	    (fleet_folder_is_in_bucket(folder) != in_buckets && set_has(&r->twice, cluster)))
		return;
	sv namespace = sv_after_last(sv_slice(path, 0, path.len - name.len - 1), '/');
	sv *kept = ARENA_NEW(r->arena, sv);
	*kept = path;
	map_put(&r->previous->machines,
	        ARENA_CONCAT(r->arena, cluster, SV("/"), namespace, SV("/"), name), kept);
}

sv plan_previous_machines_path(struct arena *arena, const struct previous *previous, sv cluster,
                               const struct kube_id *id)
{
	const sv *path = map_get(&previous->machines, tree_object_path_in(arena, cluster, id));

	return path ? *path : SV("");
}

/* ---- the whole ----------------------------------------------------------------------------- */

static enum status add_index(struct reader *r, struct index_file *file, bool in_buckets)
{
	struct tree_index *index = &file->index;
	struct previous *previous = r->previous;
	sv cluster = fleet_folder_cluster(file->folder);

	sink_merge(r->sink, &file->sink);
	if (!file->is_read)
		return STATUS_FAILED;
	/* A foreign index may stay unless a cluster's index needs its path. */
	if (index->is_foreign)
		return STATUS_OK;
	if (plan_check_index(r->arena, r->sink, index, file->source) != STATUS_OK)
		return STATUS_FAILED;
	bool is_passed_over = is_stray(r, index, in_buckets);
	bool is_placed = index->cut > 0 || fleet_folder_is_in_bucket(index->folder);
	for (size_t i = 0; i < index->file_count; i++) {
		const struct tree_file *listed = &index->files[i];

		set_add(&previous->paths, listed->path);
		if (is_passed_over)
			continue;
		if (is_placed && !listed->is_delivery)
			add_previous_place(r, index, listed->path);
		if (listed->unit)
			add_previous_unit(r, cluster, listed);
		else if (index->format == 1)
			set_add(&previous->objects, listed->path);
	}
	set_add(&previous->paths, file->file->path);
	for (size_t i = 0; !is_passed_over && i < index->roll_count; i++)
		map_put(&previous->rolls, plan_unit_key(r->arena, cluster, index->rolls[i].unit),
		        &index->rolls[i]);
	for (size_t i = 0; !is_passed_over && i < index->proof_count; i++)
		map_put(&previous->proofs, plan_unit_key(r->arena, cluster, index->proofs[i].unit),
		        &index->proofs[i]);
	if (!is_passed_over) {
		struct tree_index *kept = ARENA_NEW(r->arena, struct tree_index);

		*kept = *index;
		map_put(&previous->indexes, cluster, kept);
	}
	look_at_seed(r, file->source, index->seed_id);
	return STATUS_OK;
}

enum status plan_read_previous(struct arena *arena, struct sink *sink,
                               const struct previous_request *request,
                               struct previous *ret_previous)
{
	const struct git_files *files = git_output_previous(request->output);
	struct reader r = {
	    .arena = arena,
	    .sink = sink,
	    .request = request,
	    .previous = ret_previous,
	    .other_seeds_by_id = map_in(arena),
	};
	struct tree_layout layout;
	struct reading reading = {request, list_indexes(arena, files, &layout)};
	bool in_buckets = tree_layout_in_buckets(&layout);
	enum status status = STATUS_OK;

	*ret_previous = (struct previous){
	    .paths = set_in(arena),
	    .indexes = map_in(arena),
	    .rolls = map_in(arena),
	    .proofs = map_in(arena),
	    .units = map_in(arena),
	    .objects = set_in(arena),
	    .places = map_in(arena),
	    .machines = map_in(arena),
	    .output = request->output,
	};
	os_parallel(layout.count, request->threads, read_previous_index, &reading);
	find_twice(&r, reading.files, layout.count);
	for (size_t i = 0; i < layout.count; i++)
		status |= add_index(&r, &reading.files[i], in_buckets);
	VEC_EACH (file, files)
		add_machines(&r, file->path, in_buckets);
	status |= report_seeds(&r);
	return status == STATUS_OK ? STATUS_OK : STATUS_FAILED;
}

/* ---- objects of it ----------------------------------------------------------------------- */

/* Reads an object. A foreign or damaged file counts as absent; it is overwritten or reported
 * elsewhere. */
static enum status read_previous_object(struct arena *arena, struct sink *sink,
                                        const struct previous *previous, sv path,
                                        struct value *ret_object)
{
	const struct git_file *file = git_output_find(previous->output, path);
	sv text;

	if (!file)
		return STATUS_OK;
	if (git_output_read(arena, sink, previous->output, file, MAX_OBJECT_BYTES, &text) !=
	    STATUS_OK)
		return STATUS_FAILED;
	const struct value *root =
	    sv_starts_with(text, SV(TREE_HEADER)) ? yml_parse_one(arena, path, text, false) : NULL;
	if (root)
		*ret_object = *root;
	return STATUS_OK;
}

static enum status find_object(struct arena *arena, struct sink *sink, const void *context,
                               enum artifact_side side, const struct kube_id *id,
                               struct value *ret_object)
{
	const struct plan_previous_cluster *of = context;
	sv path = tree_object_path(arena, of->cluster, side, id);
	if (of->previous)
		path = plan_previous_path(of->previous, path);

	*ret_object = (struct value){0};
	if (!of->previous || !of->previous->output || !set_has(&of->previous->paths, path))
		return STATUS_OK;
	return read_previous_object(arena, sink, of->previous, path, ret_object);
}

enum status plan_read_previous_machines(struct arena *arena, struct sink *sink,
                                        const struct previous *previous, sv cluster,
                                        const struct kube_id *id, struct value *ret_object)
{
	*ret_object = (struct value){0};
	if (!previous || !previous->output)
		return STATUS_OK;
	sv path = plan_previous_machines_path(arena, previous, cluster, id);
	return sv_empty(path) ? STATUS_OK
	                      : read_previous_object(arena, sink, previous, path, ret_object);
}

struct dialect_previous plan_previous_objects(const struct plan_previous_cluster *cluster)
{
	return (struct dialect_previous){find_object, cluster};
}
