/*
 * index.json as a run reads it, to whom it says that a cluster was sealed, and the list of those
 * who may read: what is read lies in the cluster's folder, reads the same once written, by both
 * readers, and a damaged text has one error.
 */
#include "../unit/index_again.h"

#include "plan/plan.h"
#include "tree/tree.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

static bool read(struct arena *arena, sv folder, sv text, struct tree_index *ret_index)
{
	struct sink sink = sink_in(arena);
	const struct source *source =
	    source_new(arena, tree_index_path(arena, folder), text, false);

	if (tree_index_read(arena, &sink, folder, source, ret_index) == STATUS_OK)
		return true;
	check(sink.error_count == 1);
	return false;
}

static void check_same_id(const struct kube_id *a, const struct kube_id *b)
{
	check(kube_id_compare(a, b) == 0);
}

static void check_same_unit(const struct tree_unit *a, const struct tree_unit *b)
{
	check(!a == !b);
	check(!a ||
	      (sv_eq(a->kind, b->kind) && sv_eq(a->namespace, b->namespace) &&
	       sv_eq(a->name, b->name) && sv_eq(a->revision, b->revision) &&
	       sv_eq(a->template_digest, b->template_digest) && sv_eq(a->profile, b->profile) &&
	       sv_eq(a->profile_version, b->profile_version)));
}

/* There are two readers: one for osm-gen's own form, one for all JSON. They read the same. */
static void check_same(const struct tree_index *a, const struct tree_index *b)
{
	check(sv_eq(a->cluster, b->cluster) && sv_eq(a->seed_id, b->seed_id) &&
	      a->format == b->format && a->cut == b->cut && a->file_count == b->file_count &&
	      a->recipient_count == b->recipient_count && a->proof_count == b->proof_count);
	for (size_t i = 0; i < a->recipient_count; i++)
		check(sv_eq(a->recipients[i], b->recipients[i]));
	for (size_t i = 0; i < a->file_count; i++) {
		const struct tree_file *left = &a->files[i];
		const struct tree_file *right = &b->files[i];

		check(sv_eq(left->path, right->path) && sv_eq(left->source, right->source) &&
		      left->role == right->role && left->sealed == right->sealed &&
		      left->is_delivery == right->is_delivery &&
		      left->user_data_bytes == right->user_data_bytes &&
		      left->user_data_limit == right->user_data_limit);
		check_same_id(&left->object, &right->object);
		const struct kube_id left_patched = tree_patched(left);
		const struct kube_id right_patched = tree_patched(right);
		check_same_id(&left_patched, &right_patched);
		check_same_unit(left->unit, right->unit);
	}
	for (size_t i = 0; i < a->proof_count; i++) {
		check_same_unit(a->proofs[i].unit, b->proofs[i].unit);
		check(sv_eq(a->proofs[i].proof, b->proofs[i].proof) &&
		      sv_eq(a->proofs[i].provider, b->proofs[i].provider) &&
		      sv_eq(a->proofs[i].operating_system, b->proofs[i].operating_system) &&
		      sv_eq(a->proofs[i].kubelet_version, b->proofs[i].kubelet_version));
	}
}

static void check_index(struct arena *arena, const struct tree_index *index)
{
	struct tree_index other = {0};
	sv folder = ARENA_CONCAT(arena, SV("/"), index->folder, SV("/"));
	struct tree_index again = {0};

	for (size_t i = 0; i < index->file_count; i++) {
		sv path = ARENA_CONCAT(arena, SV("/"), index->files[i].path, SV("/"));

		check(!sv_contains(path, SV("/../")) && !sv_contains(path, SV("//")));
		if (index->files[i].is_delivery) {
			check(tree_is_delivery_list(index->files[i].path) ||
			      sv_contains(path, folder));
			continue;
		}
		check(sv_starts_with(path, folder));
	}
	sv written = index_again(arena, index);
	check(read(arena, index->folder, written, &again));
	check(again.file_count == index->file_count &&
	      again.recipient_count == index->recipient_count && again.cut == index->cut);
	for (size_t i = 0; i < index->recipient_count; i++)
		check(sv_eq(again.recipients[i], index->recipients[i]));
	check(sv_eq(again.recipients_digest, index->recipients_digest));
	check(read(arena, index->folder, ARENA_CONCAT(arena, SV(" "), written), &other));
	check_same(&again, &other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	/* Beside the others, and in its bucket. */
	const sv folders[] = {SV("c"), fleet_folder(arena, SV("c"), true)};

	for (size_t i = 0; i < COUNT_OF(folders); i++) {
		struct tree_index index = {0};

		if (read(arena, folders[i], sv_from((const char *)data, size), &index) &&
		    !index.is_foreign)
			check_index(arena, &index);
	}
	return 0;
}
