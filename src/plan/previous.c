/*
 * What an earlier run wrote: its files, its seed, and of each unit the revision.
 */
#include "plan/plan.h"

/* Larger files are none of ours. */
#define MAX_INDEX_BYTES ((size_t)256 * 1024 * 1024)

struct reader {
	struct arena *arena;
	struct sink *sink;
	const struct previous_request *request;
	struct previous *previous;
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
	if (sv_empty(seed_id) || r->request->rotate_seed ||
	    sv_eq(seed_id, seal_seed_id(r->arena, r->request->root)))
		return STATUS_OK;
	struct diag *diag =
	    diag_report(r->sink, DIAG_SEED_CHANGED, position_of_source(source),
	                "the output was sealed with another seed (id %.*s)", SV_ARG(seed_id));
	diag_set_help(
	    r->sink, diag,
	    "check which seed CI was given; --rotate-seed seals everything anew with this one");
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

static enum status read_index(struct reader *r, const struct git_file *file)
{
	sv cluster = sv_slice(file->path, 0, sv_find_char(file->path, '/'));
	struct previous *previous = r->previous;
	struct tree_index index;
	sv text;

	if (git_output_read(r->arena, r->sink, r->request->output, file, MAX_INDEX_BYTES, &text) !=
	    STATUS_OK)
		return STATUS_FAILED;
	sv shown = ARENA_CONCAT(r->arena, r->request->out, SV("/"), file->path);
	struct source *source = source_new(r->arena, shown, text, false);
	if (tree_read_index(r->arena, r->sink, cluster, source, &index) != STATUS_OK)
		return STATUS_FAILED;
	/* It may stay, as long as it does not stand where a cluster's is to be. */
	if (index.is_foreign)
		return STATUS_OK;
	for (size_t i = 0; i < index.file_count; i++) {
		const struct tree_file *listed = &index.files[i];

		map_put(&previous->paths, listed->path, previous);
		if (listed->unit)
			add_unit(r, cluster, listed);
		else if (index.format == 1)
			map_put(&previous->objects, listed->path, previous);
	}
	map_put(&previous->paths, file->path, previous);
	return check_seed(r, source, index.seed_id);
}

enum status plan_read_previous(struct arena *arena, struct sink *sink,
                               const struct previous_request *request,
                               struct previous *ret_previous)
{
	struct reader r = {arena, sink, request, ret_previous};
	enum status status = STATUS_OK;

	*ret_previous = (struct previous){
	    .paths = map_in(arena),
	    .units = map_in(arena),
	    .objects = map_in(arena),
	    .output = request->output,
	};
	VEC_EACH (file, git_output_previous(request->output)) {
		if (is_index(file->path) && read_index(&r, file) != STATUS_OK)
			status = STATUS_FAILED;
	}
	return status;
}
