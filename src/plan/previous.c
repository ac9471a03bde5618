/*
 * What an earlier run wrote: its files, its seed, and of each unit the revision.
 */
#include "os/os.h"
#include "plan/plan.h"
#include "yaml/yaml.h"

/* Larger files are none of ours. */
#define MAX_INDEX_BYTES  ((size_t)256 * 1024 * 1024)
#define MAX_OBJECT_BYTES ((size_t)64 * 1024 * 1024)

struct reader {
	struct arena *arena;
	struct sink *sink;
	const struct previous_request *request;
	struct previous *previous;
};

/* One CLUSTER/index.json, read on some thread. */
struct index_file {
	const struct git_file *file;
	sv cluster;
	struct sink sink;
	struct source *source; /* null: it could not be read */
	struct tree_index index;
	bool is_read;
};

struct reading {
	const struct previous_request *request;
	struct index_file *files;
};

/* CLUSTER/index.json, and nothing deeper. */
static bool is_index(sv path)
{
	size_t slash = sv_find_char(path, '/');

	return slash != SV_NPOS && sv_eq(sv_from_offset(path, slash), SV("/index.json"));
}

sv plan_unit_key(struct arena *arena, sv cluster, const struct tree_unit *unit)
{
	return ARENA_CONCAT(arena, cluster, SV("/"), unit->kind, SV("/"), unit->namespace, SV("/"),
	                    unit->name);
}

struct tree_unit plan_tree_unit(const struct dialect_unit *unit)
{
	const struct kube_id *id = &unit->object->id;

	return (struct tree_unit){.kind = id->kind, .namespace = id->namespace, .name = id->name};
}

static enum status check_seed(const struct reader *r, const struct source *source, sv seed_id)
{
	if (sv_empty(seed_id) || r->request->rotate_seed || !r->request->root ||
	    sv_eq(seed_id, seal_seed_id(r->arena, r->request->root)))
		return STATUS_OK;
	struct diag *diag =
	    diag_report(r->sink, DIAG_SEED_CHANGED, position_of_source(source),
	                "the output was sealed with another seed (id %.*s)", SV_ARG(seed_id));
	diag_set_help(
	    r->sink, diag,
	    "check which seed CI was given%s; --rotate-seed seals everything anew with this one",
	    r->request->is_bound ? ", and whether sealing.fleet was changed" : "");
	return STATUS_FAILED;
}

/* Of a unit's files those with a revision say the same. */
static void add_unit(struct reader *r, sv cluster, const struct tree_file *file)
{
	sv key = plan_unit_key(r->arena, cluster, file->unit);
	struct previous_unit *unit = map_get(&r->previous->units, key);

	if (!unit) {
		unit = ARENA_NEW(r->arena, struct previous_unit);
		*unit = (struct previous_unit){.cluster = cluster, .unit = *file->unit};
		map_put(&r->previous->units, key, unit);
	}
	if (!sv_empty(file->unit->revision))
		unit->unit = *file->unit;
}

/* Room for one each of the files that are indexes. */
static struct index_file *new_index_files(struct arena *arena, const struct git_files *files)
{
	size_t count = 0;

	VEC_EACH (file, files)
		count += is_index(file->path);
	return ARENA_ARRAY(arena, struct index_file, count);
}

static void read_index(void *context, size_t number, unsigned worker)
{
	const struct reading *reading = context;
	const struct previous_request *request = reading->request;
	struct index_file *index = &reading->files[number];
	struct arena *arena = request->arenas[worker];
	sv text;

	index->sink = sink_in(arena);
	index->cluster = sv_slice(index->file->path, 0, sv_find_char(index->file->path, '/'));
	if (git_output_read(arena, &index->sink, request->output, index->file, MAX_INDEX_BYTES,
	                    &text) != STATUS_OK)
		return;
	sv shown = ARENA_CONCAT(arena, request->out, SV("/"), index->file->path);
	index->source = source_new(arena, shown, text, false);
	index->is_read = tree_read_index(arena, &index->sink, index->cluster, index->source,
	                                 &index->index) == STATUS_OK;
}

/* CLUSTER/SIDE/PART/REST, by CLUSTER/SIDE/REST. */
static void add_part(struct reader *r, sv path)
{
	sv head[3];
	sv rest = path;
	sv *kept;

	for (size_t i = 0; i < COUNT_OF(head); i++)
		if (!sv_cut(rest, SV("/"), &head[i], &rest))
			return;
	kept = ARENA_NEW(r->arena, sv);
	*kept = path;
	map_put(&r->previous->parts,
	        ARENA_CONCAT(r->arena, head[0], SV("/"), head[1], SV("/"), rest), kept);
}

sv plan_previous_path(const struct previous *previous, sv path)
{
	const sv *part = map_get(&previous->parts, path);

	return part ? *part : path;
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

static enum status add_index(struct reader *r, struct index_file *file)
{
	struct tree_index *index = &file->index;
	struct previous *previous = r->previous;

	sink_merge(r->sink, &file->sink);
	if (!file->is_read)
		return STATUS_FAILED;
	/* It may stay, as long as it does not stand where a cluster's is to be. */
	if (index->is_foreign)
		return STATUS_OK;
	for (size_t i = 0; i < index->file_count; i++) {
		const struct tree_file *listed = &index->files[i];

		map_put(&previous->paths, listed->path, previous);
		if (index->cut > 0 && !listed->is_delivery)
			add_part(r, listed->path);
		if (listed->unit)
			add_unit(r, file->cluster, listed);
		else if (index->format == 1)
			map_put(&previous->objects, listed->path, previous);
	}
	map_put(&previous->paths, file->file->path, previous);
	struct tree_index *kept = ARENA_NEW(r->arena, struct tree_index);
	*kept = *index;
	map_put(&previous->indexes, file->cluster, kept);
	return check_seed(r, file->source, index->seed_id);
}

enum status plan_read_previous(struct arena *arena, struct sink *sink,
                               const struct previous_request *request,
                               struct previous *ret_previous)
{
	const struct git_files *files = git_output_previous(request->output);
	struct reader r = {arena, sink, request, ret_previous};
	struct reading reading = {request, new_index_files(arena, files)};
	enum status status = STATUS_OK;
	size_t count = 0;

	*ret_previous = (struct previous){
	    .paths = map_in(arena),
	    .indexes = map_in(arena),
	    .units = map_in(arena),
	    .objects = map_in(arena),
	    .parts = map_in(arena),
	    .output = request->output,
	};
	VEC_EACH (file, files) {
		if (is_index(file->path))
			reading.files[count++].file = file;
	}
	os_parallel(count, request->threads, read_index, &reading);
	for (size_t i = 0; i < count; i++)
		status |= add_index(&r, &reading.files[i]);
	return status == STATUS_OK ? STATUS_OK : STATUS_FAILED;
}

/* ---- objects of it ----------------------------------------------------------------------- */

/* What is no file of ours, or a damaged one, is no object: it is replaced. */
static enum status find_object(struct arena *arena, struct sink *sink, const void *context,
                               enum artifact_side side, const struct kube_id *id,
                               struct value *ret_object)
{
	const struct plan_previous_cluster *of = context;
	sv path = tree_object_path(arena, of->cluster, side, id);
	if (of->previous)
		path = plan_previous_path(of->previous, path);
	struct sink unheard = sink_in(arena);
	struct yml_documents documents = {0};
	sv text;

	*ret_object = (struct value){0};
	if (!of->previous || !of->previous->output || !map_get(&of->previous->paths, path))
		return STATUS_OK;
	const struct git_file *file = git_output_find(of->previous->output, path);
	if (!file)
		return STATUS_OK;
	if (git_output_read(arena, sink, of->previous->output, file, MAX_OBJECT_BYTES, &text) !=
	    STATUS_OK)
		return STATUS_FAILED;
	if (sv_starts_with(text, SV(TREE_HEADER)) &&
	    yml_parse(arena, &unheard, source_new(arena, path, text, false), &documents) ==
	        STATUS_OK &&
	    documents.count == 1)
		*ret_object = documents.items[0].root;
	return STATUS_OK;
}

struct dialect_previous plan_previous_objects(const struct plan_previous_cluster *cluster)
{
	return (struct dialect_previous){find_object, cluster};
}
